/* Threads that regroup: the common part of the mechanisms that form groups from any threads.
 *
 * Each thread has its own pc and call frames, and may wait on its own. While an instruction is in
 * the locked pipeline its group stays as it is, and elsewhere while it issues; at commit the threads part by where they go, and
 * every part, now a group, is offered to the mechanism's place(), which joins it to another group
 * or enters it into the pool of groups that wait for issue. Threads at a barrier wait in groups of
 * their block; threads at a warp-level operation wait in groups of their home warp, until the
 * operation is complete.
 *
 * The pool has a look-up from (kernel, pc, call frame, lane that the warps are bound to) to the newest group there that is not full
 * and has not issued. A group may have threads of all blocks of a kernel on an SM. A group with
 * threads of one warp only is kept in thread order: threads that were moved go back. */
#ifndef SM_DIVERGE_REGROUP_H
#define SM_DIVERGE_REGROUP_H
#include "sm/sm.h"

#define REGROUP_STATS(X)                                                                           \
	X(commits, STAT_SUM, 1, "instructions", "instructions whose threads returned to the pool") \
	X(parted, STAT_SUM, 1, "instructions", "instructions whose threads diverged")              \
	X(entered, STAT_SUM, 1, "groups", "groups that entered the pool on their own")             \
	X(merges_tried, STAT_SUM, 1, "groups", "groups that found another group at their pc")      \
	X(merges, STAT_SUM, 1, "groups", "groups that merged completely")                          \
	X(conflicts, STAT_SUM, 1, "groups", "groups that conflicted: two threads at one position") \
	X(conflict_threads, STAT_SUM, 1, "threads", "threads whose position was taken")            \
	X(moved_threads, STAT_SUM, 1, "threads", "threads moved within their lane to merge")       \
	X(squeezed_threads, STAT_SUM, 1, "threads", "threads moved by a squeeze before the merge") \
	X(pool_sum, STAT_SUM, 1, "groups", "groups with threads, summed over commits")             \
	X(pool_max, STAT_MAX, 1, "groups", "most groups with threads at a time")                   \
	X(meetings, STAT_SUM, 1, "groups", "groups of one warp gathered for a warp-level operation")
struct regroup_stats {
	STAT_FIELDS(REGROUP_STATS)
};
extern const struct stat_table regroup_stats;
extern const struct option_table regroup_options; /* dwf.on_conflict */
/* Implements describe() for the mechanisms that regroup. */
void regroup_describe(const struct machine *m, struct facts *f);

struct call_site { /* where a thread returns to */
	struct frame frame;
	uint32_t pc;
};

struct thread {
	uint32_t pc;       /* pc at which the thread goes on or waits, while its group is split */
	uint8_t wait, bar; /* enum group_wait; number of the barrier */
	uint16_t group;    /* group of the thread while it waits at a barrier */
	uint32_t ncalls, cap;
	struct call_site *call;
	struct frame frame;
};

struct member {            /* a group's state for regrouping */
	bool split;        /* each thread has its own pc (struct thread) */
	bool pooled;       /* the group is in the look-up */
	bool yields;       /* the group polled in vain */
	int32_t next;      /* next group in the bucket of the look-up, or in the list of a warp's
	                 * meeting groups; -1: last */
	lanemask need;     /* GROUP_SYNC: lanes of the warp that must be present */
	uint32_t anywhere; /* GROUP_SYNC: they may be so in other groups that wait anywhere */
	bool met;          /* they have been: the group executes its operation */
	unsigned waits;    /* GROUP_BARRIER: threads not released yet */
};

enum { REGROUP_BUCKETS = 256 };
struct regroup {
	unsigned size, width;  /* threads per warp; lanes of the SIMD pipeline */
	struct thread *thread; /* indexed by warp * size + lane */
	struct member *member; /* per group */
	uint16_t *home;        /* arrays of each group: indexed by group * size + position */
	uint8_t *lane;
	uint64_t *free;   /* set of groups without threads */
	unsigned used;    /* number of groups with threads */
	lanemask *at_bar; /* per warp: lanes that wait at a barrier */
	int32_t *meeting; /* per warp: groups that wait for its other lanes */
	int32_t bucket[REGROUP_BUCKETS];
	bool squeezes; /* groups are squeezed before they are placed */
	bool divides;  /* dwf.on_conflict = threads: threads without conflict join */
	void (*place)(struct div *d, int g);
	struct regroup_stats *stats;
};

static inline struct regroup *regroup_of(const struct div *d) { return d->state; }

static inline bool frame_same(const struct frame *a, const struct frame *b)
{
	return a->rows == b->rows && a->preds == b->preds && a->lbase == b->lbase &&
	       a->depth == b->depth;
}

/* ---- for place(): the group's threads are ready at its pc, it has not been entered ---- */
/* The newest group of the pool with g's kernel, pc and frame and room for a thread; -1: none. */
int regroup_newest(const struct div *d, int g);
/* Moves each thread of the group from its position p to position to[p]; all to[p] are different. */
void regroup_arrange(struct div *d, int g, const uint8_t *to);
/* The threads at positions `who` of g join f, at positions of equal number, which must be empty
 * there. A group g that is left without threads is freed. */
void regroup_join(struct div *d, int g, lanemask who, int f);
/* Enters the group into the pool as the newest of its pc; it waits for issue. */
void regroup_enter(struct div *d, int g);

/* ---- struct div_ops ---- */
void regroup_init(struct div *d, void (*place)(struct div *d, int g));
void regroup_fini(struct div *d);
void regroup_start(struct div *d, unsigned warp, lanemask live, uint32_t pc, uint64_t age);
void regroup_step(struct div *d, int g, uint32_t next);
void regroup_branch(struct div *d, int g, const struct uop *u, lanemask taken);
void regroup_ibranch(struct div *d, int g, const struct uop *u, lanemask who,
		     const uint32_t *target);
void regroup_call(struct div *d, int g, lanemask lanes, uint32_t pc, const struct frame *f,
		  uint32_t ret);
lanemask regroup_caller(struct div *d, int g, lanemask lanes, struct frame *f, uint32_t *ret);
void regroup_ret(struct div *d, int g, lanemask lanes);
void regroup_exit(struct div *d, int g, lanemask done);
void regroup_wait(struct div *d, int g, lanemask lanes, unsigned bar);
void regroup_wake(struct div *d, unsigned warp, unsigned bar, div_wake_fn *fn);
lanemask regroup_waiting(const struct div *d, unsigned warp, unsigned bar);
uint32_t regroup_where(const struct div *d, unsigned warp, unsigned lane);
bool regroup_meet(struct div *d, int g, lanemask lanes, const lanemask *need, uint32_t anywhere);
void regroup_yield(struct div *d, int g);
void regroup_commit(struct div *d, int g);
bool regroup_check(const struct div *d, struct diag *why);

#define REGROUP_OPS                                                                                \
	.groups_per_warp = 0, .fini = regroup_fini, .start = regroup_start, .step = regroup_step,  \
	.branch = regroup_branch, .ibranch = regroup_ibranch, .call = regroup_call,                \
	.caller = regroup_caller, .ret = regroup_ret, .exit = regroup_exit, .wait = regroup_wait,  \
	.wake = regroup_wake, .waiting = regroup_waiting, .where = regroup_where,                  \
	.meet = regroup_meet, .yield = regroup_yield, .commit = regroup_commit,                    \
	.check = regroup_check

/* ---- regroup.c, for group_pool.c and warp_meeting.c ---- */
/* Allocates a group for threads of the warp; threads of other warps bound to the same lane may join
 * it. */
int regroup_new(struct div *d, uint32_t pc, const struct frame *f, cycle_t last, unsigned warp);
void regroup_drop(struct div *d, int g);   /* frees a group without threads */
void regroup_unpool(struct div *d, int g); /* removes the group from the look-up of the newest
					    * group per pc */
void regroup_settle(struct div *d, int g); /* puts threads of a single warp in thread order */
struct thread *regroup_thread(const struct div *d, int g, unsigned p);
/* Called when threads of the warp have ended: releases groups that wait to meet these threads. */
void regroup_exited(struct div *d, unsigned warp);

#endif
