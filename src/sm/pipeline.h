/* Pipelines: what keeps an instruction between its issue and its result, and so how many of a group
 * may be under way.
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
	unsigned sched, warp; /* warp: GROUP_MIXED: threads of several */
	uint32_t pc;
	const struct tinst *t;
	struct plan plan;
};

struct pipe_ops {
	struct policy p;
	bool posts; /* stores and reductions are posted: a warp ends without waiting for their acknowledgements */
	bool holds_more; /* holds() asks for more than the group's buffer and pending registers */
	/* MAY. Writes into buf why the machine's other options conflict with it; NULL: they do not.
	 * Asked before anything is built. */
	const char *(*refuses)(const struct machine *m, char *buf, size_t n);
	/* MAY. An SM is built; its machine, lanes, warps and groups are known. It may set
	 * sm->pipe_state; fini(): MAY, frees that. */
	void (*init)(struct sm *sm);
	void (*fini)(struct sm *sm);
	/* MUST. What keeps a group that runs at instruction t from issuing: a state before
	 * GS_READY, or the GS_READY of the unit it needs. Fences are not its concern. Asked
	 * whenever something of the group changed; it changes nothing but what fetch_has_next()
	 * does. */
	enum gstate (*holds)(struct sm *sm, int g, const struct tinst *t);
	/* MAY. Could a group that is ready (holds()) issue in this cycle, as far as the sub-core of
	 * its warp is concerned? Asked by sm.lanes = sub-cores in each cycle. False: sm->unit_wake
	 * MUST become no later than when it can be true. NULL: while the register before its
	 * collectors is free. */
	bool (*takes)(struct sm *sm, int g);
	/* MAY. A launch begins: what the SM keeps of a launch is gone. */
	void (*launch)(struct sm *sm);
	/* MAY. A block begins: its warps are about to start. */
	void (*block)(struct sm *sm, const struct block *b);
	/* MAY. A warp begins in a place, as the given one of its block. */
	void (*begins)(struct sm *sm, unsigned warp, unsigned index);
	/* MAY. The load/store unit reads a constant, as the nth (0: first) of its instruction: how much
	 * later than l1c.latency it is there, and *busy: cycles until the unit takes the next access.
	 * *known: no cache needs to be asked. NULL: 0 and 1. */
	uint32_t (*constant)(struct sm *sm, uint64_t addr, unsigned nth, uint32_t *busy, bool *known);
	/* MAY. The group issues t: before it has its effect. NULL: pipe_pend(). */
	void (*issued)(struct sm *sm, int g, const struct tinst *t);
	/* MUST. It has had its effect, and sm->acc has the addresses of a memory instruction: it
	 * goes its way, to end in finish() or, if it writes nothing, nowhere. */
	void (*start)(struct sm *sm, const struct issue *i);
	/* MUST. The cycle of a memory instruction's finish(), whose last answer came at `at`. */
	cycle_t (*answered)(const struct sm *sm, const struct flight *op, cycle_t at);
	/* MUST. An event of the wheel: the result is there. It MUST come to op_done(), now or by a
	 * later event. */
	void (*finish)(struct sm *sm, struct flight *op);
	/* MUST where the pipeline posts events of kind EV_PIPE: one of them is due. */
	void (*event)(struct sm *sm, struct event *e);
};
POLICY_FINDER(pipe)

/* The group's next instruction follows in its buffer, and its results are pending. */
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
