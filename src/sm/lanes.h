/* Lane organisations: how the execution units of an SM are arranged, and how the threads of an issued
 * group go through them.
 *
 *   schedulers -> issue ports -> lanes, each a set of units with their collectors and banks of registers
 *
 * A *lane* is a set of units (struct lane_set) that takes one warp instruction at a time at its
 * entrance. `simt` and `hws` have a single lane, simd_width threads wide. An organisation with
 * several lanes may bind each warp to a lane when the warp starts, and hold its registers there.
 *
 * An organisation is a table `const struct lane_ops lane_NAME` in a file of sm/lanes/. It may read
 * all of the SM and the machine. It may change its own state and figures (l->state, l->stats), the
 * sets of units through unit.h, and sm->unit_wake. Its functions run on the SM's host thread; room()
 * and bind() are also called between windows. They may not look at another SM, and equal calls must
 * give equal answers. lanes/simt.c is the shortest organisation, divided.c one that binds
 * warps. */
#ifndef SM_LANES_H
#define SM_LANES_H
#include "policy/registry.h"
#include "sm/group.h"
#include "sm/unit.h"

struct kern;
struct lane_access;
struct machine;
struct sm;

/* How an issued instruction goes through the lanes. */
struct plan {
	uint16_t port;  /* cycles at the scheduler's issue port (locked pipeline) */
	uint16_t beats; /* cycles in which its threads enter the unit, part by part */
	uint16_t lane;  /* number of the lane that executes the instruction */
	uint16_t
		ii; /* cycles until the unit is free; 0: tinst.ii. Inside a sub-core: of its pipe */
	uint16_t wait; /* cycles until the first threads enter the lane; only pictures show them */
};

struct lanes {
	const struct lane_ops *ops;
	struct sm *sm;
	struct lane_set *set; /* per lane: its units */
	unsigned n;           /* lanes */
	struct plan plan;     /* plan of every instruction if ops->take is NULL */
	bool squeeze_first;   /* the divergence mechanism squeezes groups before it merges them */
	void *state;          /* ops->p.state_size bytes, zeroed before init() */
	void *stats; /* counters by ops->p.stats, zeroed when a run begins; NULL: there are none */
};

struct lane_ops {
	struct policy p;
	/* Each lane executes its own instruction; a lane is simd_width / (number of lanes) threads
	 * wide. */
	bool by_lane;
	/* Lane i belongs to scheduler i mod sm.schedulers, which issues the warps bound to it. All
	 * schedulers have equal numbers of lanes. */
	bool by_scheduler;
	bool in_pipes; /* the lanes are inside sub-cores: plan.ii is the cycles for which the
		        * pipe is occupied */
	bool scales;   /* a warp takes one cycle for each part that has threads, so scale.* and
		        * squeeze.* apply */
	bool scalars;  /* scalar instructions are executed once per warp (sm.scalar) */
	/* MAY. Takes the organisation's place where groups are single threads (GROUPS_THREAD) outside of the
	 * locked pipeline; NULL: the organisation serves them as it serves warps. */
	const struct lane_ops *alone;
	/* MAY. Takes the organisation's place on a pipeline whose units belong to sub-cores (pipe_ops.sub_cores): the
	 * organisation inside each of them. NULL: the pipeline refuses the organisation. */
	const struct lane_ops *inside;
	const void *preset; /* parameters of a policy for functions that several policies share */

	/* ---- of a machine ---- */
	/* MAY. Writes into buf why the organisation conflicts with the machine's other options; NULL:
	 * it does not. Called before anything is built; div is not NULL. */
	const char *(*refuses)(const struct machine *m, const struct div_ops *div, char *buf,
			       size_t n);
	/* MAY. Number of schedulers, each with an issue port; NULL: sm.schedulers. At most
	 * MAX_SCHEDS. */
	unsigned (*schedulers)(const struct machine *m, const struct div_ops *div);
	/* MAY. Number of lanes; NULL: one. lane_set_init() gives each lane the units and collectors
	 * of a whole SM (sm.sp_units and so on); init() may change that. */
	unsigned (*count)(const struct machine *m);
	/* MAY. Blocks that an empty SM can bind at once. A block has `warps` warps with `regs`
	 * registers each, except the last, which takes `last`. NULL: the SM's registers alone
	 * decide. Occupancy follows from the answer; 0: the launch is refused. */
	unsigned (*most)(const struct machine *m, unsigned warps, uint32_t regs, uint32_t last);

	/* ---- of an SM ---- */
	/* MUST. Called once, when l->set is built and before the policies of divergence and
	 * scheduling; sets l->plan if take() is NULL. fini(): MAY; frees what init() allocated. */
	void (*init)(struct lanes *l);
	void (*fini)(struct lanes *l);

	/* ---- warps: all three or none ---- */
	/* True if warps from .. from + n - 1 of a block of the kernel could be bound now, one after
	 * the other. Called before a block or a warp is granted. */
	bool (*room)(const struct lanes *l, const struct kern *k, unsigned from, unsigned n);
	/* Binds warp i of a block to a lane and returns the lane's number; room() was true. The
	 * warp keeps the lane (sm_warp.lane). The dispatcher's rule says whether unbind() is called
	 * when the warp ends or when its block does. */
	unsigned (*bind)(struct lanes *l, const struct kern *k, unsigned i);
	void (*unbind)(struct lanes *l, const struct kern *k, unsigned i, unsigned lane);
	/* MAY. yes: a warp of the lane can issue soon; no: the warp can no longer, because it waits
	 * for memory, at a barrier or for other lanes, or has ended (gstate_is_long()). */
	void (*usable)(struct lanes *l, unsigned lane, bool yes);

	/* ---- instructions ---- */
	/* MAY. True if lanes and units allow an instruction of the group, for a unit of the kind
	 * (enum unit; 0 in the locked pipeline), to issue in this cycle. Called in each cycle per
	 * ready group, so it must be fast. If false, sm->unit_wake MUST become no later than the
	 * cycle in which the answer can be true without anything else happening on the SM. NULL:
	 * lane_set_takes() of lane 0 decides. */
	bool (*can)(struct lanes *l, const struct group *g, unsigned unit);
	/* MAY. The group's instruction t issues in this cycle: plans where and for how long it runs.
	 * Called once per instruction, before its effect; can() was true. NULL: l->plan. */
	void (*take)(struct lanes *l, const struct group *g, const struct tinst *t,
		     struct plan *out);
	/* MAY. Cycles by which bank conflicts delay a warp's accesses to shared memory; its last
	 * threads leave the lane in cycle `last`. NULL: accesses of a warp conflict only with each
	 * other. */
	unsigned (*shared)(struct lanes *l, unsigned lane, cycle_t last,
			   const struct lane_access *a);
	/* MAY. For pictures: the lanes' places through which threads go, if other than their
	 * positions. Returns the set of places used; from[p] becomes the position of the thread at
	 * place p (on entry: p). Parts without threads take no cycle. Called after take(); changes
	 * nothing. */
	lanemask (*place)(const struct lanes *l, const struct group *g, uint8_t *from);
};

POLICY_FINDER(lane)

/* The machine's organisation: that of sm.lanes, or the one that takes its place inside sub-cores. */
const struct lane_ops *lanes_in_use(const struct machine *m);

/* Builds and frees the lanes of an SM. */
void lanes_init(struct sm *sm);
void lanes_free(struct sm *sm);

#endif
