/* Pipelines: what happens to an instruction between its issue and its result, and so how many
 * instructions of a group may be under way.
 *
 *   ready? -> issue -> effect (exec.c) -> start -> ... -> finish
 *
 * A pipeline is one file in sm/pipeline/ with one table, `const struct pipe_ops pipe_NAME`. It may
 * change the group's place (struct gslot), the issuer's port, units and load/store unit, and the
 * wheel of events; groups themselves belong to the divergence mechanism. It runs on the SM's host
 * thread. */
#ifndef SM_PIPELINE_H
#define SM_PIPELINE_H
#include "policy/policy.h"
#include "sm/sm.h"

struct issue { /* an instruction that is being issued */
	int group;
	unsigned sched, warp; /* warp: GROUP_MIXED: threads of several warps */
	uint32_t pc;
	const struct tinst *t;
	struct plan plan;
};

struct pipe_ops {
	struct policy p;
	bool posts; /* stores and reductions are posted: a warp ends without waiting for their acknowledgements */
	/* Each scheduler has pipes of its own (sub-cores), whose times the pipeline knows: sm.lanes is the organisation
	 * inside a sub-core (lane_ops.inside). */
	bool sub_cores;
	bool parts_groups; /* a group may split or merge while it has instructions in flight
			    * (threads.h) */
	/* Replaces the pipeline on machines that track threads (threads.h) or values (equal.h);
	 * NULL: the pipeline serves all machines. */
	const struct pipe_ops *following;
	bool holds_more; /* holds() checks more than the group's buffer and pending registers */
	/* MAY. Writes into buf why the machine's other options conflict with the pipeline; NULL:
	 * they do not. Called before anything is built. */
	const char *(*refuses)(const struct machine *m, char *buf, size_t n);
	/* MAY. Called when an SM has been built; its machine, lanes, warps and groups are known. It
	 * may set sm->pipe_state; fini(): MAY, frees that. */
	void (*init)(struct sm *sm);
	void (*fini)(struct sm *sm);
	/* MUST. Returns what keeps a group at instruction t from issuing: a state before GS_READY,
	 * or the GS_READY of the unit it needs. Fences are checked elsewhere. Called whenever the
	 * group has changed. It has no side effects except through fetch_has_next(). */
	enum gstate (*holds)(struct sm *sm, int g, const struct tinst *t);
	/* MAY. True if a group that is ready (holds()) could issue in this cycle, considering only
	 * the sub-core of its warp. Called by sm.lanes = sub-cores in each cycle. False:
	 * sm->unit_wake MUST become no later than the cycle in which it can be true. NULL: true
	 * while the register before the collectors is free. */
	bool (*takes)(struct sm *sm, int g);
	/* MAY, with takes(). Removes from sm->candidates the groups of the scheduler that takes()
	 * refuses: one call instead of one per group. False: no candidate is left. */
	bool (*keep)(struct sm *sm, unsigned sched);
	/* MAY. A launch begins: discards state of the previous launch. */
	void (*launch)(struct sm *sm);
	/* MAY. A block begins: its warps are about to start. */
	void (*block)(struct sm *sm, const struct block *b);
	/* MAY. Warp number `index` of a block begins in warp slot `warp`. */
	void (*begins)(struct sm *sm, unsigned warp, unsigned index);
	/* MAY. The load/store unit reads the nth constant (0: first) of its instruction. Returns
	 * the delay in addition to l1c.latency; *busy: cycles until the unit accepts the next
	 * access; *known: true if no cache need be accessed. NULL: 0 and 1. */
	uint32_t (*constant)(struct sm *sm, uint64_t addr, unsigned nth, uint32_t *busy,
			     bool *known);
	/* MAY. The load/store unit accesses shared memory of another block: returns the latency;
	 * *busy: cycles for which the access occupies the unit. NULL: like the block's own shared
	 * memory. */
	uint32_t (*remote)(struct sm *sm, uint32_t bytes, bool atomic, uint32_t *busy);
	/* MAY. A warp arrives at a barrier: returns the cycle in which its arrival counts. NULL: the
	 * present cycle. */
	cycle_t (*arrives)(struct sm *sm);
	/* MAY. A warp that waited at a barrier, of its block or of its cluster, goes on; `last` is the
	 * cycle in which the last arrival counted. */
	void (*released)(struct sm *sm, unsigned warp, cycle_t last, bool cluster);
	/* MAY, where groups split and merge. A new group has formed of threads that continue at its
	 * pc; its instruction buffer is empty. */
	void (*formed)(struct sm *sm, int g);
	/* MAY. The group issues t: called before the instruction has its effect. NULL:
	 * pipe_pend(). */
	void (*issued)(struct sm *sm, int g, const struct tinst *t);
	/* MUST. The instruction has had its effect, and sm->acc has the addresses of a memory
	 * instruction: starts it on its way, which ends in finish(), or immediately if it writes
	 * nothing. */
	void (*start)(struct sm *sm, const struct issue *i);
	/* MUST. Returns the cycle of finish() for a memory instruction whose last answer came at
	 * `at`. */
	cycle_t (*answered)(const struct sm *sm, const struct flight *op, cycle_t at);
	/* MUST. An event of the wheel: the result is ready. It MUST lead to op_done(), now or in a
	 * later event. */
	void (*finish)(struct sm *sm, struct flight *op);
	/* MUST where the pipeline posts events of kind EV_PIPE. Handles one of them, when it is
	 * due. */
	void (*event)(struct sm *sm, struct event *e);
};
POLICY_FINDER(pipe)

/* Removes the issued instruction from the group's buffer, and marks its results as pending. */
static inline void pipe_pend(struct sm *sm, int g, const struct tinst *t)
{
	struct gslot *s = &sm->slot[g];
	s->ib_pc += t->n;
	if (!--s->ib_n && sm->late_redirect)
		fetch_want(sm, g);
	regset_add(&s->pend, &t->def);
	s->issuing = t;
	s->atomics += (t->flags & T_ATOMIC) && machine_quirk(sm->m, QUIRK_BLOCKING_ATOMICS);
}

static inline void pipe_issued(struct sm *sm, int g, const struct tinst *t)
{
	if (sm->pipe->issued)
		sm->pipe->issued(sm, g, t);
	else
		pipe_pend(sm, g, t);
}

#endif
