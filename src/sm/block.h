/* An SM's blocks: what they and their warps hold of it, and when.
 *
 *   reserve block -> grant warps -> start warp -> release warp -> ... -> block ended
 *
 * Resources are a vector (struct room). Part of it is taken by the block as a whole when it comes
 * and given back when its last warp has ended, part by each warp when it is granted and given back
 * when that warp has ended: enum hold says which is whose. Warps are granted in the order of their
 * numbers; those that find no room wait in the workload buffer and are served as soon as something
 * is released. A barrier counts all threads of the block, whether their warps have started or
 * not.
 *
 * Blocks are reserved between windows. Warps start, end and are served from the buffer on the SM's
 * own host thread, in the cycle after something was released: that touches this SM alone. */
#ifndef SM_BLOCK_H
#define SM_BLOCK_H
#include "base/vec.h"
#include "base/wheel.h"
#include "stat/stat.h"

struct cta;
struct kern;
struct prof;
struct sm;
struct sm_warp;

struct room { /* what is free, or what somebody takes; warps are entries of the schedulers */
	uint32_t blocks, warps, threads, regs, shared;
	uint32_t names; /* entries of the table of virtual registers */
};

enum hold {
	HOLD_BLOCK,   /* the block holds everything until its last warp has ended */
	HOLD_WARP,    /* it holds its slot and shared memory; each warp the rest of its own */
	HOLD_RENAMED, /* it holds all but registers, which are each warp's, and names for them */
};

struct block_rule { /* a dispatcher's */
	enum hold hold;
	unsigned slots; /* blocks an SM may hold */
	/* of them those of which some warps may wait for room: entries of the buffer */
	unsigned partial;
	/* no warp of a partial block is granted while so many run, unless it is alone */
	uint32_t limit;
	uint32_t names; /* entries of the table of virtual registers */
};

struct block { /* resident */
	struct cta *cta;
	/* cluster that contains the block; NULL: none. rank: the block's place in it */
	struct cluster *cluster;
	uint32_t rank;
	struct kern *k;
	uint16_t *warp;            /* slots of the warps that have started; see block_warp() */
	uint8_t *lane;             /* to which each that is granted is bound */
	uint32_t first;            /* number of its first warp in the program's block */
	uint32_t nwarps, left;     /* left: warps that have not ended */
	uint32_t granted, started; /* the first so many have what they need; run, or did */
	bool used;
	cycle_t start, end;
	/* of its warps: the first end, the longest life, all lives */
	cycle_t first_end, longest, lived;
	struct prof *prof; /* of its kernel on this SM, by pc */
};

/* An entry of the workload buffer: a block of which some warps wait for room (Xiang 2014, figure
 * 14). */
struct workload {
	uint16_t p_block;            /* physical block: its number on this SM */
	uint64_t l_block;            /* logical block: its number in the grid */
	uint32_t start_wid, end_wid; /* the first and the last warp that is not issued */
	bool valid;
};

enum { BLOCK_BINS = 41, BLOCK_SLOTS = 64 };
#define BLOCK_STATS(X)                                                                             \
	X(ended, STAT_SUM, 1, "blocks", "blocks that ended")                                       \
	X(rtru, STAT_SUM, 1, "millionths",                                                         \
	  "ratio of temporal resource underutilization, sum (maxT - T) / (N maxT) over a block's " \
	  "warps with lifetimes T, added up over blocks")                                          \
	X(rtru_zero, STAT_SUM, 1, "blocks", "blocks in which it is 0")                             \
	X(rtru_log, STAT_SUM, 1, "millionths",                                                     \
	  "its natural logarithm without the sign, added up over the others")                      \
	X(apart, STAT_SUM, 1, "cycles",                                                            \
	  "from a block's first end of a warp to its last, added up")                              \
	X(instructions, STAT_SUM, BLOCK_BINS, "warps",                                             \
	  "warps by instructions they issued, in steps of blocks.histogram_step; the last: more")  \
	X(busy, STAT_SUM, 1, "cycles", "cycles with a block")                                      \
	X(resident, STAT_SUM, 1, "blocks x cycles", "resident blocks, summed over cycles")         \
	X(partial, STAT_SUM, 1, "cycles", "cycles in which a block waited for room for its warps") \
	X(buffered, STAT_SUM, 1, "warps", "warps that started from the workload buffer")           \
	X(registers, STAT_SUM, 1, "registers x cycles", "allocated, while there were blocks")      \
	X(registers_ended, STAT_SUM, 1, "registers x cycles",                                      \
	  "of them those of warps that had ended")                                                 \
	X(registers_free, STAT_SUM, 1, "registers x cycles",                                       \
	  "not allocated, while there were blocks")                                                \
	X(slot_registers, STAT_SUM, BLOCK_SLOTS, "registers x cycles",                             \
	  "allocated, by the slot of the block; the last: and those after it")                     \
	X(most_blocks, STAT_MAX, 1, "blocks", "most blocks of an SM at a time")                    \
	X(most_warps, STAT_MAX, 1, "warps", "most warps of an SM at a time")
struct block_stats {
	STAT_FIELDS(BLOCK_STATS)
};
extern const struct stat_table block_stats;

struct blocks {
	struct block *block;
	unsigned n, used;
	struct room free;
	enum hold hold;
	bool spatial;          /* partial blocks may come */
	bool released;         /* something since the dispatcher was asked last */
	struct workload *work; /* the buffer: the oldest first */
	unsigned nwork;        /* entries it has; 0: no block may be partial */
	/* no warp is granted from the buffer while so many run and other blocks do */
	uint32_t limit;
	bool serve;         /* something was released for which the buffer may have use */
	uint32_t idle_regs; /* of warps that have ended, which their blocks still hold */
	struct block_stats stats;
	VEC(struct block *) ended; /* in this window */
	VEC(struct block *)
	starting; /* reserved since the last one: what is granted starts with the next */
};

void blocks_init(struct sm *sm, const struct block_rule *r);
void blocks_free(struct sm *sm);
void blocks_forget(struct sm *sm); /* storage of the launch's blocks */

/* Is there room for a block and all its warps? */
bool block_fits(const struct sm *sm, const struct kern *k);
/* For a block and its first warp at least, where the buffer has an entry for the others? */
bool block_fits_partly(const struct sm *sm, const struct kern *k);
/* A block gets its resources now, and its warps as far as there is room; they start when the SM
 * runs next, from `at` on. It fits, at least partly. False: no host memory. */
bool block_reserve(struct sm *sm, struct kern *k, uint64_t index, cycle_t at);
/* Between windows: what was reserved starts. */
void blocks_start(struct sm *sm);
/* Sums up to a cycle what is summed over cycles: n of them since the last time. */
void blocks_account(struct sm *sm, uint64_t n);
/* Where sm->blocks.serve: warps in the buffer that have room now start. */
void blocks_serve(struct sm *sm);
/* The warp in a slot has ended, with all it had under way. */
void block_release_warp(struct sm *sm, unsigned slot);
/* Warp i of the block; NULL: it has not started or has ended. */
const struct sm_warp *block_warp(const struct sm *sm, const struct block *b, unsigned i);

#endif
