/* An SM's blocks: what they and their warps hold of it, and when.
 *
 *   reserve block -> grant warps -> start warp -> release warp -> ... -> block ended
 *
 * Resources are a vector (struct room). Part of it is taken by the block as a whole when it comes and
 * given back when its last warp has ended, part by each warp when it is granted and given back when that
 * warp has ended: enum hold says which is whose. Warps are granted in the order of their numbers; those
 * that find no room wait in the workload buffer and are served as soon as something is released. A
 * barrier counts all threads of the block, whether their warps have started or not.
 *
 * Blocks are reserved between windows. Warps start, end and are served from the buffer on the SM's own
 * host thread, in the cycle after something was released: that touches this SM alone. */
#ifndef SM_BLOCK_H
#define SM_BLOCK_H
#include "base/vec.h"
#include "base/wheel.h"

struct cta;
struct kern;
struct prof;
struct sm;
struct sm_warp;

struct room { /* what is free, or what somebody takes; warps are entries of the schedulers */
	uint32_t blocks, warps, threads, regs, shared;
};

enum hold {
	HOLD_BLOCK, /* the block holds everything until its last warp has ended */
	HOLD_WARP,  /* it holds its slot and shared memory; each warp the rest of its own */
};

struct block { /* resident */
	struct cta *cta;
	struct kern *k;
	uint16_t *warp;            /* slots of the warps that have started; see block_warp() */
	uint8_t *lane;             /* to which each that is granted is bound */
	uint32_t nwarps, left;     /* left: warps that have not ended */
	uint32_t granted, started; /* the first so many have what they need; run, or did */
	bool used;
	cycle_t start, end;
	struct prof *prof; /* of its kernel on this SM, by pc */
};

/* An entry of the workload buffer: a block of which some warps wait for room (Xiang 2014, figure 14). */
struct workload {
	uint16_t p_block;            /* physical block: its number on this SM */
	uint64_t l_block;            /* logical block: its number in the grid */
	uint32_t start_wid, end_wid; /* the first and the last warp that is not issued */
	bool valid;
};

struct blocks {
	struct block *block;
	unsigned n, used;
	struct room free;
	enum hold hold;
	struct workload *work; /* the buffer: the oldest first */
	unsigned nwork; /* entries it has: blocks that may be partial at a time; 0: none may */
	uint32_t
		limit; /* no warp is granted from the buffer while so many run and other blocks do */
	bool serve;    /* something was released for which the buffer may have use */
	VEC(struct block *) ended; /* in this window */
	VEC(struct block *)
	starting; /* reserved since the last one: what is granted starts with the next */
};

void blocks_init(struct sm *sm);
void blocks_free(struct sm *sm);
void blocks_forget(struct sm *sm); /* storage of the launch's blocks */

/* Is there room for a block and all its warps? */
bool block_fits(const struct sm *sm, const struct kern *k);
/* For a block and its first warp at least, where the buffer has an entry for the others? */
bool block_fits_partly(const struct sm *sm, const struct kern *k);
/* A block gets its resources now, and its warps as far as there is room; they start when the SM runs
 * next, from `at` on. It fits, at least partly. False: no host memory. */
bool block_reserve(struct sm *sm, struct kern *k, uint64_t index, cycle_t at);
/* Between windows: what was reserved starts. */
void blocks_start(struct sm *sm);
/* Where sm->blocks.serve: warps in the buffer that have room now start. */
void blocks_serve(struct sm *sm);
/* The warp in a slot has ended, with all it had under way. */
void block_release_warp(struct sm *sm, unsigned slot);
/* Warp i of the block; NULL: it has not started or has ended. */
const struct sm_warp *block_warp(const struct sm *sm, const struct block *b, unsigned i);

#endif
