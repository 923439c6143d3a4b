/* Lane organisations: the units that execute, how they are arranged, and how threads go through
 * them.
 *
 *   schedulers -> issue ports -> lanes, each a set of units with their collectors and banks of registers
 *
 * A *lane* here is one set of units (struct lane_set) that takes one warp instruction at a time at
 * its entrance. `simt` and `hws` have a single one, simd_width threads wide. An organisation with
 * several may bind each warp to one of them when it starts, and hold its registers there.
 *
 * An organisation is one file in sm/lanes/ with one table, `const struct lane_ops lane_NAME`. What
 * it must and may say, and when it is asked, stands with each function. It may read all of the SM
 * and the machine; it may change its own state and figures (l->state, l->stats), the sets of units
 * through unit.h, and sm->unit_wake. It is called on the SM's host thread only, but for room() and
 * bind() also between windows; never may it look at another SM. The same calls must give the same
 * answers: no clocks, no randomness of its own. */
#ifndef SM_LANES_H
#define SM_LANES_H
#include "policy/registry.h"
#include "sm/group.h"
#include "sm/unit.h"

struct kern;
struct lane_access;
struct machine;
struct sm;

/* How an instruction goes through the lanes. */
struct plan {
	uint16_t port; /* cycles at the scheduler's issue port (locked pipeline) */
	uint16_t
		beats; /* cycles of its way through the units' entrance: operands and threads follow in so many parts */
	uint16_t lane; /* which set of units serves it */
	uint16_t ii;   /* cycles for which its unit is taken; 0: as the instruction has it */
	uint16_t wait; /* for pictures: cycles until its first threads go through the lane */
};

struct lanes {
	const struct lane_ops *ops;
	struct sm *sm;
	struct lane_set *set; /* the units of each lane */
	unsigned n;
	struct plan plan;   /* ops->take is NULL: that of every instruction */
	bool squeeze_first; /* groups are squeezed before they merge; who merges them does it */
	void *state;        /* ops->p.state_size bytes, zeroed before init() */
	void *stats; /* as ops->p.stats says, zeroed when a run begins; NULL: it has no table */
};

struct lane_ops {
	struct policy p;
	bool by_lane; /* each lane, simd_width over their number wide, has an instruction of its own */
	/* Lane i is scheduler i's: a warp that is bound to it is issued by that one. There are as
	 * many of both. */
	bool by_scheduler;
	bool scales; /* a warp takes cycles by its parts with threads: scale.* and squeeze.* */
	const void *preset; /* what tells apart policies of one helper: its type is the helper's */
	bool scalars;       /* it executes scalar instructions once (sm.scalar) */

	/* ---- of a machine ---- */
	/* MAY. Why it cannot be with the machine's other options, in buf; NULL: it can. Asked
	 * before anything is built; div is not NULL. */
	const char *(*refuses)(const struct machine *m, const struct div_ops *div, char *buf,
			       size_t n);
	/* MAY. Number of schedulers, each with an issue port; NULL: sm.schedulers. At most
	 * MAX_SCHEDS. */
	unsigned (*schedulers)(const struct machine *m, const struct div_ops *div);
	/* MAY. Number of lanes; NULL: one. Each gets what lane_set_init() gives the whole SM:
	 * sm.sp_units and so on units and collectors; init() may change that. */
	unsigned (*count)(const struct machine *m);
	/* MAY. Blocks that an empty SM can bind at once, of so many warps with `regs` registers
	 * each but for the last, which takes `last`; NULL: its registers alone decide. Occupancy
	 * follows from it; 0: a launch is refused. */
	unsigned (*most)(const struct machine *m, unsigned warps, uint32_t regs, uint32_t last);

	/* ---- of an SM ---- */
	/* MUST leave l->plan as it shall be where take() is NULL. Called once, when l->set is there
	 * and before any policy of divergence or scheduling. fini: MAY; frees what init() got of
	 * its own. */
	void (*init)(struct lanes *l);
	void (*fini)(struct lanes *l);

	/* ---- warps: all three or none ---- */
	/* Could warps from .. from + n - 1 of a block of the kernel be bound now, one after the
	 * other? Asked before a block or a warp is granted. */
	bool (*room)(const struct lanes *l, const struct kern *k, unsigned from, unsigned n);
	/* Warp i of a block is granted: its lane. room() was true. The warp has it for life
	 * (sm_warp.lane); the dispatcher's rule says whether its registers come back when it ends
	 * or with its block. */
	unsigned (*bind)(struct lanes *l, const struct kern *k, unsigned i);
	void (*unbind)(struct lanes *l, const struct kern *k, unsigned i, unsigned lane);
	/* MAY. A warp of the lane could issue before long, or no more: it waits for memory, at a
	 * barrier or for others, or has ended (gstate_is_long). */
	void (*usable)(struct lanes *l, unsigned lane, bool yes);

	/* ---- instructions ---- */
	/* MAY. Could an instruction of the group that needs this kind of unit (enum unit) be issued
	 * in this cycle, as far as lanes and units are concerned? (Locked pipeline: unit is always
	 * 0.) Asked in each cycle for each group that is ready, so it must be short. False:
	 * sm->unit_wake MUST become no later than when it can be true without anything else
	 * happening on the SM. NULL: a group can issue while lane_set_takes() says so of lane 0. */
	bool (*can)(struct lanes *l, const struct group *g, unsigned unit);
	/* MAY. The group's instruction is issued in this cycle: where and for how long. Called once
	 * for each, before it has its effect; can() was true. It may note that the lane is taken.
	 * NULL: l->plan. */
	void (*take)(struct lanes *l, const struct group *g, const struct tinst *t,
		     struct plan *out);
	/* MAY. Cycles by which bank conflicts make a warp's accesses to shared memory later, whose
	 * last threads leave the lane in cycle `last`. NULL: a warp's accesses conflict with each
	 * other. */
	unsigned (*shared)(struct lanes *l, unsigned lane, cycle_t last,
			   const struct lane_access *a);
	/* MAY. Where threads go through the lanes, if not at their positions: the places taken;
	 * from[p] is the position of the thread at place p (on entry: p). Parts without threads
	 * take no cycle. For pictures: called after take(), changes nothing. */
	lanemask (*place)(const struct lanes *l, const struct group *g, uint8_t *from);
};

POLICY_FINDER(lane)

/* Builds the lanes of an SM; takes them down. */
void lanes_init(struct sm *sm);
void lanes_free(struct sm *sm);

#endif
