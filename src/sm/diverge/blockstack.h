/* The reconvergence stack of a block, for thread-block compaction.
 *
 * An entry is threads of the block at one pc, in the same calls, and the warps they are arranged
 * in; only one entry of a block runs at a time. Where its threads part, the entry becomes the join:
 * it stands at the reconvergence point, with the warps it had, and takes its threads back as they
 * arrive; the parts are entries below it, compacted. An entry runs when nothing is below it, the
 * newest first: for programs that do not wait inside of branches that is a stack.
 *
 * Threads that wait (at a barrier, for others of their warp) are entries of their own, so others
 * can run. An entry that polls in vain lets others go first, and when nothing else can run, those
 * who have arrived at a join go on before the rest: what they wait for may depend on them. */
#ifndef SM_DIVERGE_BLOCKSTACK_H
#define SM_DIVERGE_BLOCKSTACK_H
#include "base/assert.h"
#include "sm/diverge/calls.h"
#include "sm/sm.h"

enum bs_how { BS_RUNS, BS_FORK, BS_GOES_ON, BS_BARRIER, BS_SYNC };

struct bs_thread {
	uint32_t pc, from; /* where it goes on; the instruction at which it stopped */
	int32_t site, at;  /* calls it is in; in which it was at that instruction */
	int32_t entry;
	int group; /* -1: in none */
	uint8_t how, bar;
	bool meets;    /* BS_SYNC: it executes the operation: its guard does not leave it out */
	lanemask need; /* then: lanes of its warp that it must meet */
};

struct bs_entry {
	int32_t parent, next;     /* the join above it; in the list of its block */
	uint32_t pc, n, children; /* pc: where it starts or joins; threads here; entries below */
	int32_t site;
	uint32_t waits; /* threads at a barrier */
	uint8_t how;    /* BS_GOES_ON: ready */
	bool polls;
	uint64_t seq;    /* the higher the newer */
	lanemask *mask;  /* of each warp of the block */
	uint16_t *place; /* of each thread: its warp's number here */
};

struct bs_block {
	int32_t first, run; /* list of entries; the one that runs, -1: none */
	int32_t formed;     /* the one its groups are formed as; -1: none */
	int32_t root;       /* site of the kernel */
	unsigned nwarps, started;
	unsigned out;         /* groups that have not stopped */
	const uint16_t *warp; /* its warp slots */
	const struct uop *code;
	uint64_t seq;
	uint16_t *group; /* its groups */
};

#define TBC_STATS(X)                                                                               \
	X(forks, STAT_SUM, 1, "branches", "branches at which the warps of a block met")            \
	X(parted, STAT_SUM, 1, "branches", "of them those where its threads parted")               \
	X(warps_in, STAT_SUM, 1, "warps", "warps that came to those")                              \
	X(warps_out, STAT_SUM, 1, "warps", "warps that left them, compacted")                      \
	X(early, STAT_SUM, 1, "entries", "threads let go on from a join before the others came")
struct tbc_stats {
	STAT_FIELDS(TBC_STATS)
};
extern const struct stat_table tbc_stats;

struct blockstack {
	unsigned size;            /* of a warp */
	unsigned nwarps, nblocks; /* of the SM */
	struct bs_thread *thread; /* warp slot * size + lane */
	VEC(struct bs_entry) entry;
	int32_t free_entry;
	struct bs_block *block; /* by resident block */
	uint16_t *index;        /* by warp slot: its number in its block */
	struct calls calls;     /* a root a block */
	lanemask *set, *side;   /* of each warp of a block: for forks */
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
/* The thread leaves its entry. */
void bs_take(struct blockstack *s, unsigned w, unsigned lane);
/* All groups of the block have stopped: the entry that ran becomes what its threads came to. */
void bs_settle(struct blockstack *s, struct bs_block *b);
/* The entry to run now, -1: all wait. */
int32_t bs_pick(struct blockstack *s, const struct div *d, struct bs_block *b);
/* The thread is at another place: it holds the calls it is in. */
void bs_move(struct blockstack *s, struct bs_thread *t, uint32_t pc, int32_t site);

#endif
