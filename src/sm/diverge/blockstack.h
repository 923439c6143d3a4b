/* The reconvergence stack of a block, for thread-block compaction.
 *
 * An entry is a set of threads of the block at one pc, in one chain of calls, with the warps they are
 * arranged in; only one entry of a block runs at a time. Where its threads part, the entry becomes the
 * join: it stands at the reconvergence point, keeps its warps, and takes its threads back as they
 * arrive; the parts are compacted entries below it. An entry can run when it has no entry below it,
 * and the newest runs first: for programs that do not wait inside of branches that is a stack.
 *
 * Threads that wait (at a barrier, for lanes of their warp) form entries of their own, so that others
 * can run. An entry that polls in vain lets other entries go first, and when no other entry can run,
 * the threads that have arrived at a join go on before the rest: the rest may be waiting for them. */
#ifndef SM_DIVERGE_BLOCKSTACK_H
#define SM_DIVERGE_BLOCKSTACK_H
#include "base/assert.h"
#include "sm/diverge/calls.h"
#include "sm/sm.h"

enum bs_how { BS_RUNS, BS_FORK, BS_GOES_ON, BS_BARRIER, BS_SYNC };

enum { BS_GONE = 0xffff, BS_NO_LANE = 0xff };

struct bs_thread {
	uint32_t pc, from; /* pc where the thread goes on; pc of the instruction at which it
	                    * stopped */
	int32_t site, at;  /* call site of the thread now; call site at the instruction where the
			    * thread stopped */
	int32_t entry;
	int group; /* number of the group; -1: none */
	uint8_t how, bar;
	bool met;          /* the lanes of its operation have come, some to other places */
	uint32_t anywhere; /* BS_SYNC: the thread meets others wherever they wait */
	bool meets;        /* BS_SYNC: the thread takes part in the operation (its guard is true) */
	lanemask need;     /* if `meets`: lanes of its warp that the thread must meet */
};

struct bs_entry {
	int32_t parent, next;     /* join above the entry; next entry of the block's list */
	uint32_t pc, n, children; /* pc where the entry starts or joins; number of its threads;
				   * number of entries below it */
	int32_t site;
	uint32_t waits; /* threads at a barrier */
	uint8_t how;    /* enum bs_how; BS_GOES_ON: ready to run */
	bool polls;
	uint32_t anywhere; /* BS_SYNC: its threads meet others wherever these wait */
	bool met;          /* its threads have met at pc and execute the operation there */
	uint64_t seq;      /* number in the order of creation: higher is newer */
	lanemask *mask;    /* threads, per warp of the block */
	uint16_t *place;   /* per thread: number of its warp in this entry */
};

struct bs_block {
	int32_t first, run; /* list of entries; entry that runs, -1: none */
	int32_t formed;     /* entry that the block's groups are formed of; -1: none */
	int32_t root;       /* site of the kernel itself */
	unsigned nwarps, started;
	unsigned out, runs;   /* groups that have not stopped: now; when the path began to run */
	const uint16_t *warp; /* warp slots of the block */
	uint8_t *lane; /* per warp: lane that the warp is bound to; BS_NO_LANE: the warp's slot
		       * has been reused */
	const struct uop *code;
	uint64_t seq;
	uint16_t *group; /* numbers of the block's groups; BS_GONE: the slot has been reused */
};

#define TBC_STATS(X)                                                                               \
	X(forks, STAT_SUM, 1, "branches", "branches at which the warps of a block met")            \
	X(parted, STAT_SUM, 1, "branches", "branches at which the block's threads diverged")       \
	X(warps_in, STAT_SUM, 1, "warps", "warps that arrived at those branches")                  \
	X(warps_out, STAT_SUM, 1, "warps", "warps that left those branches, compacted")            \
	X(early, STAT_SUM, 1, "entries", "threads released from a join before the others arrived") \
	X(passed, STAT_SUM, 1, "branches",                                                         \
	  "branches at which a warp parted alone, without waiting for the others")                 \
	X(predicted, STAT_SUM, 1, "branches",                                                      \
	  "branches that all warps of a path have come to, and whose prediction was compared")     \
	X(predicted_right, STAT_SUM, 1, "branches", "of these, those whose prediction was right")
struct tbc_stats {
	STAT_FIELDS(TBC_STATS)
};
extern const struct stat_table tbc_stats;

struct blockstack {
	unsigned size;            /* threads per warp */
	unsigned nwarps, nblocks; /* warps and blocks of the SM */
	struct bs_thread *thread; /* indexed by warp slot * size + lane */
	VEC(struct bs_entry) entry;
	int32_t free_entry;
	struct bs_block *block; /* per resident block */
	uint16_t *index;        /* per warp slot: number of the warp in its block */
	struct calls calls;     /* one root per block */
	uint8_t *turn; /* per warp of a block: its lane permutation (compact.h); NULL: none */
	bool *places;  /* working set of bs_find_places(); NULL: warps of a path never split and
		       * rejoin */
	lanemask *set, *side; /* per warp of a block: working sets for forks */
	struct tbc_stats *stats;
};

static inline struct blockstack *bs_of(const struct div *d) { return d->state; }
/* The slot of warp i of the block. */
static inline uint16_t bs_warp(const struct bs_block *b, unsigned i)
{
	assert_hot(i < b->nwarps);
	return b->warp[i];
}
static inline struct bs_thread *bs_thread(const struct blockstack *s, unsigned w, unsigned lane)
{
	return &s->thread[(size_t)w * s->size + lane];
}

void bs_init(struct blockstack *s, const struct div *d);
void bs_fini(struct blockstack *s);
/* An empty entry below `parent` (-1: none). */
int32_t bs_new(struct blockstack *s, struct bs_block *b, int32_t parent);
void bs_add(struct blockstack *s, struct bs_block *b, int32_t e, unsigned i, unsigned lane);
/* Removes the thread from its entry. */
void bs_take(struct blockstack *s, unsigned w, unsigned lane);
/* Called when all groups of the block have stopped: splits the entry that ran, by the reasons for
 * which its threads stopped. */
void bs_settle(struct blockstack *s, struct bs_block *b);
/* Returns the entry to run now; -1: all wait. */
int32_t bs_pick(struct blockstack *s, const struct div *d, struct bs_block *b);
/* Sets places[] for every warp of the block in which a live thread is now, or to which it will
 * return at a join. */
void bs_find_places(const struct blockstack *s, const struct bs_block *b, bool *places);
/* Moves a thread to another pc and call site; the thread's reference moves from the old site to the
 * new one. */
void bs_move(struct blockstack *s, struct bs_thread *t, uint32_t pc, int32_t site);

#endif
