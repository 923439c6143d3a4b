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

struct room { /* amounts of resources: free ones, or those that a block or warp takes; warps:
	       * scheduler entries */
	uint32_t blocks, warps, threads, regs, shared;
	uint32_t names; /* entries of the table of virtual registers */
};

enum hold {
	HOLD_BLOCK,   /* the block holds everything until its last warp has ended */
	HOLD_WARP,    /* the block holds its slot and shared memory; each warp holds the rest of its
	               * own */
	HOLD_RENAMED, /* as HOLD_WARP, but the block holds all except registers; each warp holds
	               * registers and names for them */
};

struct block_rule { /* the dispatcher's rule for placing blocks */
	enum hold hold;
	unsigned slots; /* blocks an SM may hold */
	/* blocks among `slots` whose warps may wait for room: entries of the workload buffer */
	unsigned partial;
	/* from this number of running warps on, partial blocks are granted no warps, unless the
	 * block is alone */
	uint32_t limit;
	uint32_t names; /* entries of the table of virtual registers */
	bool rest;      /* a block that may be paused begins paused; the dispatcher's tick() resumes
		    * it */
};

struct block { /* resident */
	struct cta *cta;
	/* cluster that contains the block; NULL: none. rank: the block's place in it */
	struct cluster *cluster;
	uint32_t rank;
	struct kern *k;
	uint16_t *warp;            /* slots of the warps that have started; see block_warp() */
	uint8_t *lane;             /* per granted warp: lane that the warp is bound to */
	uint32_t first;            /* number of the first warp in the program's block */
	uint32_t nwarps, left;     /* left: warps that have not ended */
	uint32_t granted, started; /* warps that have their resources; warps that run or have run */
	bool used;
	bool paused;     /* the block's warps issue nothing (block_pause()) */
	uint64_t issued; /* instructions of its warps that have ended; block_issued() includes
			 * running warps */
	cycle_t start, end;
	cycle_t met; /* cycle in which the last arrival at a barrier counts; 0: no thread has
		      * arrived yet */
	/* cycle in which the first warp ended; longest life of a warp; sum of all lives */
	cycle_t first_end, longest, lived;
	struct prof *prof; /* profile of the block's kernel on this SM, by pc */
};

/* An entry of the workload buffer: a block of which some warps wait for room (Xiang 2014, figure
 * 14). */
struct workload {
	uint16_t p_block;            /* physical block: its number on this SM */
	uint64_t l_block;            /* logical block: its number in the grid */
	uint32_t start_wid, end_wid; /* the first and the last warp that has not been granted */
	bool valid;
};

enum { BLOCK_BINS = 41, BLOCK_SLOTS = 64 };
#define BLOCK_STATS(X)                                                                             \
	X(ended, STAT_SUM, 1, "blocks", "blocks that ended")                                       \
	X(rtru, STAT_SUM, 1, "millionths",                                                         \
	  "ratio of temporal resource underutilization, sum (maxT - "                              \
	  "T) / (N maxT) over a block's warps with lifetimes T, "                                  \
	  "summed over blocks")                                                                    \
	X(rtru_zero, STAT_SUM, 1, "blocks", "blocks whose ratio is 0")                             \
	X(rtru_log, STAT_SUM, 1, "millionths",                                                     \
	  "magnitude of the ratio's natural logarithm, summed over "                               \
	  "blocks whose ratio is not 0")                                                           \
	X(apart, STAT_SUM, 1, "cycles",                                                            \
	  "time from the first end of a warp of a block to the last, "                             \
	  "summed over blocks")                                                                    \
	X(instructions, STAT_SUM, BLOCK_BINS, "warps",                                             \
	  "warps by instructions issued, in steps of "                                             \
	  "blocks.histogram_step; the last bucket: more")                                          \
	X(busy, STAT_SUM, 1, "cycles", "cycles with a resident block")                             \
	X(resident, STAT_SUM, 1, "blocks x cycles", "resident blocks, summed over cycles")         \
	X(partial, STAT_SUM, 1, "cycles", "cycles in which a block waited for room for its warps") \
	X(buffered, STAT_SUM, 1, "warps", "warps that started from the workload buffer")           \
	X(registers, STAT_SUM, 1, "registers x cycles",                                            \
	  "registers allocated while there were blocks, summed over "                              \
	  "cycles")                                                                                \
	X(registers_ended, STAT_SUM, 1, "registers x cycles",                                      \
	  "allocated registers of warps that had ended, summed over "                              \
	  "cycles")                                                                                \
	X(registers_free, STAT_SUM, 1, "registers x cycles",                                       \
	  "registers not allocated while there were blocks, summed "                               \
	  "over cycles")                                                                           \
	X(slot_registers, STAT_SUM, BLOCK_SLOTS, "registers x cycles",                             \
	  "registers allocated, by slot of the block, summed over "                                \
	  "cycles; the last bucket: later slots too")                                              \
	X(most_blocks, STAT_MAX, 1, "blocks", "most blocks resident on an SM at a time")           \
	X(most_warps, STAT_MAX, 1, "warps", "most warps resident on an SM at a time")
struct block_stats {
	STAT_FIELDS(BLOCK_STATS)
};
extern const struct stat_table block_stats;

struct blocks {
	struct block *block;
	unsigned n, used;
	struct room free;
	enum hold hold;
	bool spatial;          /* true: partial blocks are allowed */
	bool rest;             /* blocks begin paused */
	bool released;         /* resources were released since the last call of the dispatcher */
	struct workload *work; /* workload buffer, oldest entry first */
	unsigned nwork;        /* capacity of the buffer; 0: no block may be partial */
	/* number of running warps of other blocks from which on a block's waiting warps are not
	 * granted */
	uint32_t limit;
	bool serve;         /* resources were released that blocks in the buffer may be able to
			     * use */
	uint32_t idle_regs; /* registers of ended warps that their blocks still hold */
	struct block_stats stats;
	VEC(struct block *) ended; /* blocks that ended in this window */
	VEC(struct block *)
	starting; /* blocks reserved since the last window; their granted warps start with the
	           * next */
};

void blocks_init(struct sm *sm, const struct block_rule *r);
void blocks_free(struct sm *sm);
void blocks_forget(struct sm *sm); /* frees the storage of the launch's blocks */

/* Is there room for a block and all its warps? */
bool block_fits(const struct sm *sm, const struct kern *k);
/* Is there room for n blocks and all their warps? Lanes that bind warps are asked for one block only: the others may turn
 * out not to fit. */
bool blocks_fit(const struct sm *sm, const struct kern *k, unsigned n);
/* Is there room for a block and at least its first warp, and a free buffer entry for the rest? */
bool block_fits_partly(const struct sm *sm, const struct kern *k);
/* Reserves the block's resources and grants warps while there is room; they start when the SM runs
 * next, from `at` on. The block must fit, at least partly. False: no host memory. */
bool block_reserve(struct sm *sm, struct kern *k, uint64_t index, cycle_t at);
/* Called between windows: starts the warps of reserved blocks. */
void blocks_start(struct sm *sm);
/* Adds n cycles to the figures that are sums over cycles. */
void blocks_account(struct sm *sm, uint64_t n);
/* Called if sm->blocks.serve is set: starts warps of the buffer that have room now. */
void blocks_serve(struct sm *sm);
/* Called when the warp in the slot has ended and has no instruction in flight: releases its
 * resources. */
void block_release_warp(struct sm *sm, unsigned slot);
/* Pauses a resident block, or resumes it: the warps of a paused block keep their places and issue
 * nothing. Called between windows, by dispatchers. A block for which other blocks may wait (in a
 * cluster or a cooperative launch) is not paused. While one of the SM's groups polls in vain, warps
 * of paused blocks issue too. */
void block_pause(struct sm *sm, struct block *b, bool yes);
/* Called when the group has changed: marks it paused if the blocks of all its threads are paused. */
void block_mark_paused(struct sm *sm, int g);
/* Instructions that the block's warps have issued, also after its end until another block takes its place. */
uint64_t block_issued(const struct sm *sm, const struct block *b);
/* Warp i of the block; NULL: it has not started or has ended. */
const struct sm_warp *block_warp(const struct sm *sm, const struct block *b, unsigned i);

#endif
