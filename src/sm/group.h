/* Groups of threads, and the two families of policies that decide about them: divergence mechanisms
 * (struct div_ops) and warp schedulers (struct sched_ops).
 *
 * A group is a set of threads that can issue an instruction together: all are at one pc, in one
 * call frame. A reconvergence stack exposes one group per warp, dynamic warp formation forms and
 * dissolves groups, MIMD has a group per thread; the rest of the SM does not know which.
 *
 *	divergence mechanism   owns the groups: splits them at branches, merges them
 *	scheduler              chooses the group that issues, from the set of ready ones
 *	lane organisation      says which units an issued group occupies, and for how long (lanes.h)
 *
 * Read next: sched/gto.c, a whole scheduler; diverge/pdom.c, a whole mechanism. */
#ifndef SM_GROUP_H
#define SM_GROUP_H
#include "policy/registry.h"
#include "base/wheel.h"
#include "kernel/reconv.h"
#include "sm/tinst.h"

enum { MAX_LANES = 64, GROUP_MIXED = 0xffff };
enum { SCHED_WORDS = 128 * MAX_LANES / 64 }; /* a group per thread of 128 warps */

/* A group waits for nothing, a barrier of its block, or lanes of its warp; NONE: it has no lanes. */
enum group_wait { GROUP_RUNS, GROUP_BARRIER, GROUP_SYNC, GROUP_NONE };

/* A group has its threads at positions, and a mask of a group is a set of positions.
 *
 *	warp = 5             position p holds lane p of warp 5
 *	warp = GROUP_MIXED   position p holds lane lane[p] of warp home[p], for p in `active`
 *
 * The arrays home and lane belong to the policy that mixes. Registers never move: what a thread
 * computes is in the rows of its home warp, in the column of its home lane.
 *
 * A group without threads that has a warp waits for the last instructions of that warp; a group
 * without threads and without a warp is free. */
struct group {
	uint32_t pc;
	uint16_t warp;   /* home warp of all threads, or GROUP_MIXED */
	uint8_t wait;    /* enum group_wait */
	uint32_t passed; /* reconvergence points passed, counted by mechanisms that regroup */
	uint64_t age;    /* order of the start of warps or groups: smaller is older */
	lanemask active; /* positions with a thread */
	struct frame frame;
	const uint16_t *home; /* GROUP_MIXED: home warp of the thread at each position */
	const uint8_t *lane;  /* GROUP_MIXED: home lane of that thread */
};

/* The number of lanes in a mask. Written out because the compiler calls a function on hosts without
 * an instruction for it. */
static inline unsigned lanes_in(lanemask m)
{
#if defined __POPCNT__ || defined __aarch64__
	return (unsigned)__builtin_popcountll(m);
#else
	m -= m >> 1 & 0x5555555555555555;
	m = (m & 0x3333333333333333) + (m >> 2 & 0x3333333333333333);
	m = (m + (m >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return (unsigned)(m * 0x0101010101010101 >> 56);
#endif
}

struct home { /* a thread, named by its home warp and home lane */
	uint16_t warp;
	uint8_t lane;
};
/* The thread at position p. */
static inline struct home group_thread(const struct group *g, unsigned p)
{
	return g->warp != GROUP_MIXED ? (struct home){g->warp, (uint8_t)p}
				      : (struct home){g->home[p], g->lane[p]};
}

struct sm;
struct div {
	const struct div_ops *ops;
	struct sm *sm;
	struct group *group;
	unsigned ngroups, nwarps;
	void *state;     /* the policy's state, allocated by its init() */
	void *stats;     /* counters, laid out as ops->p.stats says; NULL: the policy has none */
	bool free_lanes; /* threads may leave their home lanes, so registers of threads that
			  * share a bank are read one after the other */
};

/* Called for lanes of a warp that waited at a barrier at `pc` and are released. */
typedef void div_wake_fn(struct sm *sm, unsigned warp, uint32_t pc, lanemask lanes,
			 const struct frame *f);

/* The threads that may form one group. */
enum div_groups {
	GROUPS_WARP,   /* threads of one warp */
	GROUPS_BLOCK,  /* threads of one block, in at most as many groups as the block has warps */
	GROUPS_SM,     /* all threads of the SM: groups merge in one pool */
	GROUPS_THREAD, /* one thread: groups never merge */
};

/* A divergence mechanism: a table `const struct div_ops div_NAME` in a file of sm/diverge/.
 * Functions are required unless marked MAY.
 *
 * Every function leaves the groups it touched consistent and reports each to sm_group_changed(). A
 * function may change the groups, the policy's state and figures, and nothing else of the SM except
 * through sm_group_formed(), sm_group_yields(), sm_warp_keep() and sm_warp_let_go(). Functions run on the SM's host thread. A mask
 * argument next to a group is in positions of the group, a mask next to a warp in lanes of the
 * warp.
 *
 * The functions are called when an instruction issues and has its effect. A mechanism with several
 * groups per warp decides at issue where each thread goes, but splits and merges groups only in
 * commit(); until then the group keeps its number and its threads. The locked pipeline calls
 * commit() when the group's instruction leaves it, and no other function for the group in between.
 * A pipeline that follows each thread (threads.h) calls commit() at the end of the issue. */
struct div_ops {
	struct policy p;
	enum div_groups groups;
	/* 1: a group keeps its threads. 0: up to a group per thread; groups part and merge, and the pipeline must lock
	 * a group from issue to commit or follow each thread (pipe_ops.parts_groups). */
	unsigned groups_per_warp;
	bool needs_order; /* reads kern.order */
	bool tokens_only; /* runs only native code, by its token stack: no branch(), call(), exit() */
	bool replays_only; /* runs only recorded paths (ir/replay.h), which have no branches or calls */
	bool as_compiled; /* threads of a warp meet where the compiler expects them to */
	/* Called once, when the SM is built: d->group has d->ngroups groups, none of which runs.
	 * init() sets d->state; fini() frees it. */
	void (*init)(struct div *);
	void (*fini)(struct div *);
	/* A warp starts, all its threads at `pc` in the outermost frame. No group of an earlier warp
	 * of that number is left. */
	void (*start)(struct div *, unsigned warp, lanemask live, uint32_t pc, uint64_t age);
	/* All lanes of the group continue at `next`. */
	void (*step)(struct div *, int g, uint32_t next);
	/* Lanes `taken` go to u->target, the others to the next instruction; neither set is empty. */
	void (*branch)(struct div *, int g, const struct uop *u, lanemask taken);
	/* Each lane in `who` goes to its own target, the others to the next instruction. */
	void (*ibranch)(struct div *, int g, const struct uop *u, lanemask who,
			const uint32_t *target);
	/* Lanes enter a function at `pc` with frame `f` and return to `ret`. An indirect call is one
	 * call of this per function entered. */
	void (*call)(struct div *, int g, lanemask lanes, uint32_t pc, const struct frame *f,
		     uint32_t ret);
	/* Returns go by caller. caller(): takes the lowest lane of `lanes`; returns those of
	 * `lanes` that return from the group's function to the same place as that lane, and sets *f
	 * and *ret to that place. ret(): lets the lanes that caller() returned return. */
	lanemask (*caller)(struct div *, int g, lanemask lanes, struct frame *f, uint32_t *ret);
	void (*ret)(struct div *, int g, lanemask lanes);
	/* Lanes `done` have ended; lanes of the group that are left continue. */
	void (*exit)(struct div *, int g, lanemask done);
	/* Barriers. wait(): lanes wait at barrier `bar`, the others continue; a mixed group is one
	 * call per home warp. wake(): all lanes of the warp that wait at `bar` are released, with a
	 * call of fn per set of lanes at one pc. waiting(): lanes that wait at `bar` (NBARRIERS: at
	 * any barrier). where(): the pc at which a waiting lane waits. */
	void (*wait)(struct div *, int g, lanemask lanes, unsigned bar);
	void (*wake)(struct div *, unsigned warp, unsigned bar, div_wake_fn *fn);
	lanemask (*waiting)(const struct div *, unsigned warp, unsigned bar);
	uint32_t (*where)(const struct div *, unsigned warp, unsigned lane);
	/* MAY, where groups_per_warp is 1 (otherwise meet()). A .sync operation whose member mask is
	 * `need`: the lanes to execute it for now; 0: the group waits. anywhere: as in meet(). */
	lanemask (*sync)(struct div *, int g, lanemask lanes, lanemask need, uint32_t anywhere);
	/* MAY. In place of sync() where a warp can be several groups: a warp-level operation is
	 * between lanes of a home warp. need[p]: lanes of its home warp that the thread at position
	 * p must meet, for p in `lanes`. anywhere: it meets them when each has come to an operation with
	 * this number (inst_meets()), wherever it is; 0: they come to this one. True: the group executes the
	 * operation now. False: its threads wait for the others, in groups of one home warp each. */
	bool (*meet)(struct div *, int g, lanemask lanes, const lanemask *need, uint32_t anywhere);
	/* The group polls for something that other lanes of its warp may have to do: those lanes
	 * run first. */
	void (*yield)(struct div *, int g);
	/* MAY, together with native(), below: without the two, native code runs uop by uop, in a
	 * form that does not use its token stack. The group's pc moves within an instruction;
	 * nothing is reported. */
	void (*skip)(struct div *, int g, uint32_t pc);
	/* MAY. Machine code for sm_70 and later: lanes m (not empty) execute control operation u
	 * (kernel/converge.h). True: the lanes leave the other lanes of the group. NULL: the
	 * mechanism refuses such code. */
	bool (*converge)(struct div *, int g, const struct uop *u, lanemask m);
	/* MAY, together with skip(). The token stack chose the lanes of the warp that run next
	 * (0: all have ended) and their pc. */
	void (*native)(struct div *, int g, lanemask active, uint32_t pc);
	/* MAY. The group's instruction leaves the locked pipeline, or has issued elsewhere: its threads may
	 * regroup. NULL: only the group's state is computed again. */
	void (*commit)(struct div *, int g);
	/* MAY. yes: the group's next instruction has begun to wait for memory or a texture; no: it
	 * waits no longer. Called from sm_group_changed(), so the group is consistent. */
	void (*stalls)(struct div *, int g, bool yes);
	/* True if the mechanism's invariants hold; otherwise false, with the reason. Changes nothing.
	 * Called by tests, and after each window of a sanitizer build. */
	bool (*check)(const struct div *, struct diag *why);
};

/* True if groups of several warps form in one pool. */
static inline bool div_pools(const struct div_ops *d) { return d->groups == GROUPS_SM; }

/* A warp scheduler of an SM. It has n groups: its group k is group k * sm->nsched + id of the SM
 * (sched_group()). A set of its groups has `words` words, at most SCHED_WORDS. */
struct sched {
	const struct sched_ops *ops;
	struct sm *sm;
	unsigned id, n, words;
	void *state;  /* ops->p.state_size bytes, zeroed before init() */
	void *shared; /* state shared by the SM's schedulers: ops->shared_size bytes, zeroed
		       * before the first init() */
	void *stats; /* counters of the SM by ops->p.stats, zeroed when a run begins; NULL: there are none */
};

/* Events of the L1D that are reported to the scheduler of the group concerned. A refused load is
 * reported at each attempt. Evicted: a line that a group fetched is replaced; reported for the
 * group that has that group's number now. */
enum l1d_event { L1D_HIT, L1D_MERGED, L1D_MISSED, L1D_REFUSED, L1D_WRITTEN, L1D_EVICTED };

/* A scheduling policy: a table `const struct sched_ops sched_NAME` in a file of sm/sched/. Functions
 * name groups by their number k in the scheduler, 0 <= k < s->n. A policy may read its groups and
 * their states; it changes only s->state. It runs on the SM's host thread, and equal calls must
 * give equal answers. sched/pick.h has functions for most policies. */
struct sched_ops {
	struct policy p;
	size_t shared_size; /* bytes of sched.shared */
	bool regrouped; /* the order depends on group.passed, which only regrouping mechanisms count */
	bool holds; /* pick() may refuse some groups and take others: a pipeline must not choose between them first */
	/* MAY. Called once, when the SM is built; there are no groups yet. fini(): MAY; frees what
	 * init() allocated. */
	void (*init)(struct sched *);
	void (*fini)(struct sched *);
	/* MUST. Chooses a group of the set `ready`, which is not empty; -1: no group is to issue
	 * now. Called in each cycle in which the scheduler could issue, and once more if the chosen
	 * group turns out to wait for lanes of its warp. If the answer is -1 and may change
	 * without an event, sm->unit_wake MUST become no later than the cycle in which it can change. */
	int (*pick)(struct sched *, const uint64_t *ready);
	/* MAY. The chosen group has issued. Called once per cycle, also if the group issues a second
	 * instruction in it (sm.issue_width). */
	void (*issued)(struct sched *, int k);
	/* MAY. Group k will not issue for many cycles: it waits for memory, at a barrier or for lanes
	 * of its warp, has no threads left, or polls in vain. */
	void (*blocked)(struct sched *, int k);
	/* MAY. Group k has ended; a later group may reuse the number k. */
	void (*left)(struct sched *, int k);
	/* MAY. Reports an event to group k: an access to a line, given by its number in the L1D.
	 * Called after the tag lookup; a miss's eviction is reported before the miss. NULL: the L1D
	 * reports nothing and keeps no owners of lines. */
	void (*l1d)(struct sched *, int k, enum l1d_event what, uint64_t line);
	/* MAY. True if the scheduler considers group a before group b. NULL: it considers all groups
	 * in every cycle. */
	bool (*before)(const struct sched *, int a, int b);
};

POLICY_FINDER(sched)
POLICY_FINDER(div)

#endif
