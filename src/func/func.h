/* What functional mode keeps of a warp, of a block and of a host thread, beside what both modes
 * have (kernel/). */
#ifndef FUNC_FUNC_H
#define FUNC_FUNC_H
#include "kernel/reconv.h"

enum { GIVES_WAY_MAX = 4 };

struct fwarp {
	struct wstate *ws;
	struct reconv stack; /* native code: path[0] alone, as the token stack has it */
	uint32_t seg;        /* start of the straight-line run being counted */
	/* pace.c: */
	uint32_t gave_way; /* barriers the block had passed when this warp last gave way */
	uint32_t way[GIVES_WAY_MAX], nway; /* where it did since then */
	/* pc of its last poll of a word that other blocks change, if the poll failed; else NO_PC */
	uint32_t waits_at;
	uint64_t waits_for; /* the address of that poll */
	/* the block's round in which it last passed a pc where blocks wait */
	uint32_t looked;
	/* the round that postponed its last operation visible to other blocks; or 0 */
	uint32_t left;
	struct watch {                      /* clock.c: */
		uint64_t last, from, ahead; /* instructions; the clock; what it is ahead of them */
		uint32_t pc, reads;
	} watch;
	struct circle {                  /* circles.c: */
		uint64_t key, sum, last; /* where it began; what came since; that of the last one */
		uint32_t pc, polls, most, vain, times;
		bool host; /* one of its words is the host's */
	} circle;
};

struct fblock {
	struct cta *cta;
	struct fblock *next;    /* the block of the next rank of the cluster */
	struct cluster cluster; /* of the first one: all of them */
	bool done;              /* of a cluster: all its threads have exited */
	bool turn;              /* all blocks before it are done in this round */
	bool opened;            /* all warps passed a barrier: the first one goes on first */
	bool awaits;            /* set aside, and in the grid's list of awaited words */
	bool moved;             /* did more than poll since it was taken up */
	uint32_t round;         /* rounds in which it ran, from 1 on */
	uint64_t position;      /* in the round */
	struct fwarp warp[];    /* cta->l->nwarps */
};

/* Words that blocks which are set aside poll. */
struct awaited_word {
	uint64_t addr, block;
};
struct awaited {
	VEC(struct awaited_word) words;
};

/* A host thread. */
struct worker {
	struct exec x;
	int64_t *issued, *lanes;   /* per pc, as differences: prefix sums give the counts */
	uint64_t *off, *divergent; /* lanes switched off by guards; divergent branches */
	int64_t fuel;              /* warp instructions until the warp stops with STOP_BUDGET;
				    * between warps: until refuel is called */
	int64_t quantum;           /* a warp's fuel */
	enum stop (*refuel)(struct worker *); /* limits, interrupts, progress */
	void (*take_turn)(struct fblock *);   /* waits until all blocks before it are done */
	bool *waited;            /* per pc: a block was set aside there; all threads', in turn */
	struct awaited *awaited; /* what blocks that are set aside wait for; the same */
};

static inline struct worker *worker_of(const struct cta *b) { return (struct worker *)b->x; }
static inline struct fblock *fblock_of(const struct cta *b) { return b->own; }
static inline struct fwarp *fwarp_of(const struct warp *w)
{
	return &fblock_of(w->cta)->warp[w->id];
}

/* block.c: storage for one block, used again for the next (NULL: the host has no memory for it). */
struct fblock *fblock_new(struct launch *l);
void fblock_free(struct fblock *b);
void fblock_start(struct fblock *b, uint64_t index);
/* Runs it: STOP_DONE, STOP_YIELD (every warp waits for other blocks, or it has run for long), STOP_BARRIER (it waits
 * for its cluster), or as warp_run(). */
enum stop fblock_run(struct fblock *b);

/* cluster.c: the blocks of a cluster, or a single block, by its first one: as above. They run in turn on one host
 * thread, each as far as it can. */
struct fblock *fcluster_new(struct launch *l);
void fcluster_free(struct fblock *b);
void fcluster_start(struct fblock *b, uint64_t cluster);
enum stop fcluster_run(struct fblock *b);

/* run.c: runs a warp until it ends (STOP_DONE), all its lanes wait at barriers (STOP_BARRIER), it
 * polls for something another warp must do (STOP_YIELD), its share of instructions is used up or it
 * gives way (STOP_BUDGET), or the launch must end (STOP_FAULT). */
enum stop warp_run(struct fwarp *fw);
/* tokens.c: the same for native code, by its token stack. */
enum stop tokens_run(struct fwarp *fw);
/* converge.c: the same for native code of sm_70 on, by its convergence barriers. */
enum stop converge_run(struct fwarp *fw);

/* pace.c: whether the warp at a store that lets other warps go first does so now: once at each of a
 * few between two barriers. */
bool pace_gives_way(struct fwarp *fw, uint32_t pc);
/* Between blocks: lanes m of the warp have executed the poll u, and wait there or go on; its block
 * is set aside, and has its turn again; the operation u, which others can see, is left to the
 * block's next round. */
void pace_looks(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m, bool waits);
void pace_set_aside(struct fblock *b);
void pace_goes_on(struct fblock *b);
bool pace_leaves_round(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m);

/* circles.c: whether the warp goes round and round: its polls repeat, the last of them that of
 * lanes m by u, with its key (kernel/poll.h). */
bool circle_closes(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m, uint64_t key);
/* Whether that has not changed though each of its paths was let go on. */
bool circle_ends_turn(struct fwarp *fw);

/* clock.c: %clock64. */
uint64_t clock_read(const struct warp *w);

/* barriers.c: lanes m of the top path execute the barrier instruction u at its pc; if they have to
 * wait, lanes `wait` of the path do (native code: all of them). False: they go on. */
bool barrier_arrive(struct fwarp *fw, const struct uop *u, uint32_t m, uint32_t wait);
/* Threads have exited: barriers that waited for them may be full. */
void barriers_exited(struct fblock *b);
/* Does a warp wait at the barrier of the block's cluster? */
bool barriers_wait_for_cluster(const struct fblock *b);
/* All warps wait. Legacy barriers may open anyway; else the fault is recorded. */
bool barriers_deadlock(struct fblock *b);

#endif
