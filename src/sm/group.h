/* Groups and the policies around them.
 *
 * A group is what may issue together: threads at one pc, in one call frame. A reconvergence stack
 * exposes one group a warp, dynamic warp formation forms and dissolves them, MIMD has one a thread;
 * the SM never asks which. Divergence handlers own the groups; schedulers choose among them; lanes
 * (lanes.h) say where and how long an issued one occupies the hardware. */
#ifndef SM_GROUP_H
#define SM_GROUP_H
#include "policy/registry.h"
#include "base/wheel.h"
#include "kernel/reconv.h"
#include "sm/tinst.h"

enum { MAX_LANES = 64, GROUP_MIXED = 0xffff };
enum { SCHED_WORDS = 128 * MAX_LANES / 64 }; /* a group for each thread of 128 warps */

enum group_wait { GROUP_RUNS, GROUP_BARRIER, GROUP_SYNC, GROUP_NONE }; /* NONE: no lanes */

/* A group has its threads at positions; masks of a group count positions. Where `warp` is the
 * number of a warp, position p holds that warp's lane p. Any other arrangement is GROUP_MIXED:
 * position p holds lane lane[p] of warp home[p], for the positions in `active`; both arrays are the
 * policy's, both are there. Registers never move: what a thread computes is always in its home
 * warp's rows, in its home lane's column. A group without threads that has a warp waits for that
 * warp's last instructions; else it is free. */
struct group {
	uint32_t pc;
	uint16_t warp;   /* home warp of all threads, or GROUP_MIXED */
	uint8_t wait;    /* enum group_wait */
	uint32_t passed; /* reconvergence points passed; mechanisms that regroup count them */
	uint64_t age;    /* the smaller the older */
	lanemask active;
	struct frame frame;
	const uint16_t *home; /* MIXED: home warp and */
	const uint8_t *lane;  /* home lane of the thread at each position */
};

/* How many lanes. In line: on hosts without an instruction for it the compiler would call a
 * function. */
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

struct home { /* a thread: its home */
	uint16_t warp;
	uint8_t lane;
};
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
	void *state;     /* the policy's own */
	void *stats;     /* as its table says; NULL: it has none */
	bool free_lanes; /* threads leave their lanes: those of one register bank are read in turn */
};

/* Lanes (of the warp) that waited at a barrier at `pc` are let go. */
typedef void div_wake_fn(struct sm *sm, unsigned warp, uint32_t pc, lanemask lanes,
			 const struct frame *f);

/* Whose threads may be in one group. Warps of others' threads want the locked pipeline: GROUPS_WARP
 * alone goes without (struct div_ops.locked_only). */
enum div_groups {
	GROUPS_WARP,   /* one warp's */
	GROUPS_BLOCK,  /* all of a block, in as many groups as it has warps */
	GROUPS_SM,     /* all of the SM: they merge in one pool */
	GROUPS_THREAD, /* none but one: groups never merge */
};

/* A divergence mechanism: one file in sm/diverge/ with one table, `const struct div_ops div_NAME`.
 * All functions are MUST but where it says MAY.
 *
 * Every function leaves the groups it touched consistent and reports each to sm_group_changed(). It
 * may change the groups, its own state and figures, and nothing else of the SM but through what
 * sm.h offers to mechanisms (sm_group_formed(), sm_group_yields()). It runs on the SM's host
 * thread. Lanes are positions of the group, where a group is named, and lanes of the warp, where a
 * warp is.
 *
 * The functions are called when an instruction is issued and has its effect. A policy with several
 * groups a warp may use the locked pipeline alone: there a group has one instruction in flight,
 * keeps its number and its place until commit(), and is not asked for anything in between; what
 * issue said of its threads is carried out there. */
struct div_ops {
	struct policy p;
	enum div_groups groups;
	unsigned groups_per_warp; /* 0: one a thread */
	bool locked_only;         /* needs the pipeline that locks threads from issue to commit */
	bool needs_order;         /* asks for kern.order */
	bool tokens_only; /* runs native code by its token stack and nothing else: no branch, call, exit */
	bool as_compiled; /* threads of a warp meet where the compiler expects them to */
	/* Once, when the SM is built: d->group has d->ngroups groups, none of which runs. It sets
	 * d->state; fini() frees what it took. */
	void (*init)(struct div *);
	void (*fini)(struct div *);
	/* A warp starts, all its threads at `pc` in the outermost frame. The groups of an earlier
	 * one are gone. */
	void (*start)(struct div *, unsigned warp, lanemask live, uint32_t pc, uint64_t age);
	/* A group goes on at `next`, all its lanes. */
	void (*step)(struct div *, int g, uint32_t next);
	/* Lanes `taken` go to u->target, the others to the next instruction; neither is empty. */
	void (*branch)(struct div *, int g, const struct uop *u, lanemask taken);
	/* Lanes `who` go each to its own target, the others on. */
	void (*ibranch)(struct div *, int g, const struct uop *u, lanemask who,
			const uint32_t *target);
	/* Lanes enter a function at `pc` with frame `f` and come back to `ret`. An indirect call
	 * enters several, one after the other. */
	void (*call)(struct div *, int g, lanemask lanes, uint32_t pc, const struct frame *f,
		     uint32_t ret);
	/* Which of `lanes` return from the group's function to the same place as the lowest of
	 * them, and where that is; that they do, all of them. */
	lanemask (*caller)(struct div *, int g, lanemask lanes, struct frame *f, uint32_t *ret);
	void (*ret)(struct div *, int g, lanemask lanes);
	/* The lanes have ended; those left of the group, if there are any, go on. */
	void (*exit)(struct div *, int g, lanemask done);
	/* Lanes wait at a barrier (the others go on; a mixed group: one call for each of its
	 * warps); those of a warp that wait at it are let go, `fn` called for each set of them;
	 * which wait there (NBARRIERS: at any), and at which pc one does. */
	void (*wait)(struct div *, int g, lanemask lanes, unsigned bar);
	void (*wake)(struct div *, unsigned warp, unsigned bar, div_wake_fn *fn);
	lanemask (*waiting)(const struct div *, unsigned warp, unsigned bar);
	uint32_t (*where)(const struct div *, unsigned warp, unsigned lane);
	/* MAY, where groups_per_warp is 1 (else meet()). A .sync operation that names lanes `need`:
	 * those to execute it for now, or 0: the group waits. */
	lanemask (*sync)(struct div *, int g, lanemask lanes, lanemask need);
	/* MAY. In place of sync(), with several groups a warp: a warp-level operation is the home
	 * warp's. need[p] are the lanes of its home warp that the thread at position p, one of
	 * `lanes`, must meet. True: the group executes it now. False: its threads wait, in groups
	 * of one warp each, for the others. */
	bool (*meet)(struct div *, int g, lanemask lanes, const lanemask *need);
	/* The group polls for what other lanes of its warp may have to do: they run first. */
	void (*yield)(struct div *, int g);
	/* MAY, both or neither. Native code, or NULL: it runs in a form without its token stack,
	 * uop by uop. The group's pc moves inside one instruction, which nobody is told of; the
	 * token stack chose the threads of the group's warp that run now (none: all have ended) and
	 * where. */
	void (*skip)(struct div *, int g, uint32_t pc);
	void (*native)(struct div *, int g, lanemask active, uint32_t pc);
	/* MAY. The group's instruction leaves the locked pipeline: its threads may regroup. NULL:
	 * the group is looked at again, no more. */
	void (*commit)(struct div *, int g);
	/* Its invariants hold; else why not. Changes nothing. Called after each window where
	 * assertions are on in a sanitizer build, and by tests. */
	bool (*check)(const struct div *, struct diag *why);
};

/* Does it form groups of several warps in one pool? */
static inline bool div_pools(const struct div_ops *d) { return d->groups == GROUPS_SM; }

struct sched {
	const struct sched_ops *ops;
	struct sm *sm;
	unsigned id, n,
		words; /* its groups are 0 .. n-1, group g of the SM is k * nsched + id; at most
				       SCHED_WORDS words of a set of them */
	void *state;
};
/* A scheduler's policy: one file in sm/sched/ with one table, `const struct sched_ops sched_NAME`.
 * It may look at its groups and their states; it changes s->state alone. Groups are named by their
 * number k in the scheduler: 0 <= k < s->n. It runs on the SM's host thread; the same calls give
 * the same answers. */
struct sched_ops {
	struct policy p;
	bool regrouped; /* orders groups by what only mechanisms that regroup know */
	/* MAY. Once, when the SM is built, s->state is zeroed; groups are not there yet. fini: MAY;
	 * frees what init() took. */
	void (*init)(struct sched *);
	void (*fini)(struct sched *);
	/* MUST. One of the ready groups, a set that is not empty; -1: none of them now. Called in
	 * each cycle in which it could issue, again if the one it picked turned out to wait for
	 * others of its warp. */
	int (*pick)(struct sched *, const uint64_t *ready);
	/* MAY. The picked group has issued: one more instruction of its warp may follow in the
	 * cycle, uncounted. */
	void (*issued)(struct sched *, int k);
	/* MAY. It cannot issue for long: waits for memory, at a barrier, for others of its warp, or
	 * has no threads left; or it polls in vain, and others must get on. */
	void (*blocked)(struct sched *, int k);
	/* MAY. The group is free: its number may be another's from now on. */
	void (*left)(struct sched *, int k);
	/* MAY. Does it come to a before b? NULL: it looks at all groups in every cycle. */
	bool (*before)(const struct sched *, int a, int b);
};

POLICY_FINDER(sched)
POLICY_FINDER(div)

#endif
