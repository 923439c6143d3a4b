/* State of a warp, of a block and of a host thread that only functional mode has; kernel/ has the
 * state that both modes share. */
#ifndef FUNC_FUNC_H
#define FUNC_FUNC_H
#include <stdio.h>
#include "kernel/reconv.h"

enum { GIVES_WAY_MAX = 4 };

struct fwarp {
	struct wstate *ws;
	struct reconv stack; /* native code: only path[0], which mirrors the token stack */
	uint32_t seg;        /* pc at which the current straight-line run began */
	/* For pace.c: */
	uint32_t gave_way; /* number of barriers that the block had passed when this warp last
			    * let others run first */
	uint32_t way[GIVES_WAY_MAX], nway; /* pcs of stores at which the warp has let others run
					    * first since then */
	/* pc of the warp's last poll of a word that other blocks change, if the poll failed;
	 * otherwise NO_PC */
	uint32_t waits_at;
	uint64_t waits_for; /* address of that poll */
	/* round of the block in which the warp last passed a pc at which blocks poll */
	uint32_t looked;
	/* the round that postponed the warp's last operation visible to other blocks; 0: none */
	uint32_t left;
	struct watch { /* for clock.c */
		/* instruction count at the last read; clock at that time; clock minus
		 * instruction count */
		uint64_t last, from, ahead;
		uint32_t pc, reads;
	} watch;
	struct circle { /* for circles.c */
		/* key of the poll that begins a round; hash of the polls since; hash of the
		 * round before */
		uint64_t key, sum, last;
		uint32_t pc, polls, most, vain, times;
		bool host; /* the host can write one of the words */
	} circle;
};

struct fblock {
	struct cta *cta;
	struct fblock *next;    /* the block of the next rank of the cluster */
	struct cluster cluster; /* in the first block: state of the whole cluster */
	bool done;              /* in a cluster: all the block's threads have exited */
	bool turn;              /* all earlier blocks have finished this round */
	bool opened;            /* all warps have passed a barrier, so the block's first warp
				 * runs next */
	bool awaits;            /* set aside, and in the grid's list of awaited words */
	bool moved;             /* has done more than poll since it was resumed */
	uint32_t round;         /* number of rounds in which the block ran, counted from 1 */
	uint64_t position;      /* position in the round */
	struct fwarp warp[];    /* cta->l->nwarps elements */
};

/* Words that blocks which are set aside poll. */
struct awaited_word {
	uint64_t addr, block;
};
struct awaited {
	VEC(struct awaited_word) words;
};

/* A host thread's state. */
struct worker {
	struct exec x;
	const struct touch *touch; /* func/touch.h; NULL: accesses are not named */
	int64_t *issued, *lanes;   /* per pc, as differences: prefix sums give the counts */
	uint64_t *off, *divergent; /* per pc: lanes switched off by guards; divergent branches */
	/* warp instructions until the warp stops with STOP_BUDGET; between warps: until refuel()
	 * is called */
	int64_t fuel;
	int64_t quantum;                      /* warp instructions that a warp may execute per
					       * turn */
	enum stop (*refuel)(struct worker *); /* checks limits and interrupts, reports progress */
	void (*take_turn)(struct fblock *);   /* waits until all earlier blocks have finished
					       * this round */
	/* per pc: a block was set aside there; written by all threads, each in its turn */
	bool *waited;
	/* words that blocks which are set aside wait for; written by all threads, each in its
	 * turn */
	struct awaited *awaited;
};

static inline struct worker *worker_of(const struct cta *b) { return (struct worker *)b->x; }
static inline struct fblock *fblock_of(const struct cta *b) { return b->own; }
static inline struct fwarp *fwarp_of(const struct warp *w)
{
	return &fblock_of(w->cta)->warp[w->id];
}

/* Makes storage for one block, which is used again for the next (block.c). NULL: out of memory. */
struct fblock *fblock_new(struct launch *l);
void fblock_free(struct fblock *b);
void fblock_start(struct fblock *b, uint64_t index);
/* Runs a block. STOP_DONE; STOP_YIELD: every warp waits for other blocks, or the block has run for
 * long; STOP_BARRIER: it waits for its cluster; or a result of warp_run(). */
enum stop fblock_run(struct fblock *b);

/* Make and run the blocks of a cluster, or a single block, given by its first block, with the
 * results of fblock_run() (cluster.c). The blocks run in turn on one host thread, each as far as it
 * can. */
struct fblock *fcluster_new(struct launch *l);
void fcluster_free(struct fblock *b);
void fcluster_start(struct fblock *b, uint64_t cluster);
enum stop fcluster_run(struct fblock *b);

/* Runs a warp until it ends (STOP_DONE), all its lanes wait at barriers (STOP_BARRIER), it polls
 * for something that another warp must do (STOP_YIELD), its budget is used up or it gives way
 * (STOP_BUDGET), or the launch must end (STOP_FAULT) (run.c). */
enum stop warp_run(struct fwarp *fw);
/* warp_run() for native code, by its token stack (tokens.c). */
enum stop tokens_run(struct fwarp *fw);
/* warp_run() for native code of sm_70 and later, by its convergence barriers (converge.c). */
enum stop converge_run(struct fwarp *fw);

/* True if the warp lets the block's other warps run before the store at pc: once at each of a few
 * such stores between two barriers (pace.c). */
bool pace_gives_way(struct fwarp *fw, uint32_t pc);
/* Between blocks (pace.c). pace_looks(): lanes m of the warp have executed the poll u, and wait
 * there or continue. pace_resumed(): the block, which was set aside, has its turn again.
 * pace_leaves(): the operation u, which others can see, is postponed to the block's next round. */
void pace_looks(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m, bool waits);
void pace_set_aside(struct fblock *b);
void pace_goes_on(struct fblock *b);
bool pace_leaves_round(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m);

/* True if the warp's polls repeat (circles.c). The last poll is by lanes m at u; key: its key
 * (kernel/poll.h). */
bool circle_closes(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m, uint64_t key);
/* True if the repetition did not end although each of the warp's paths was continued. */
bool circle_ends_turn(struct fwarp *fw);

/* Lets the launch's debugger look before lanes m of the warp execute the instruction at pc (look.c).
 * True: the launch ends, and the warp stops. */
bool warp_shown(struct fwarp *fw, uint32_t pc, uint32_t m);

/* Describes the waits of a warp, a line for each path that waits (waits.c). shown: lines so far, of
 * which only the first `most` are written. */
void warp_describe_waits(FILE *f, const struct launch *l, const struct fwarp *fw, unsigned most,
			 unsigned *shown);

/* Returns %clock64 (clock.c). */
uint64_t clock_read(const struct warp *w);

/* Lanes m of the top path execute the barrier instruction u at its pc; if they have to wait, lanes
 * `wait` of the path wait (native code: all of them). False: the lanes continue (barriers.c). */
bool barrier_arrive(struct fwarp *fw, const struct uop *u, uint32_t m, uint32_t wait);
/* Threads have exited: opens barriers that waited for them and are now full. */
void barriers_exited(struct fblock *b);
/* True if a warp waits at the barrier of the block's cluster. */
bool barriers_wait_for_cluster(const struct fblock *b);
/* Called when all warps wait. Opens legacy barriers if they may open anyway; otherwise records the
 * fault. */
bool barriers_deadlock(struct fblock *b);

#endif
