/* The pipeline that locks: a group has one instruction in it, from issue to commit, sm.locked_depth
 * cycles. Nothing needs a scoreboard, and threads may regroup when the instruction commits. */
#include "sm/pipeline.h"

#include "sm/flight.h"
#include "sm/lsu.h"

static const struct option rows[] = {
	OPTION_NUM(struct locked_options, depth, "sm.locked_depth", 24, 1, 256, "cycles",
		   "locked pipeline: from issue to commit"),
};
const struct option_table locked_options = {
	OPTION_TABLE(rows, struct locked_options, "sm.pipeline"), .alone = true};

static void init(struct sm *sm)
{
	const struct locked_options *o = machine_own(sm->m, &locked_options);
	const struct machine *m = sm->m;
	sm->depth = o->depth;
	sm->serial = sm->perfect && (m->perfect_banks || m->perfect_const || m->perfect_coal);
}

/* Threads are kept until their operation is performed, and only they. */
static enum gstate holds(struct sm *sm, int g, const struct tinst *t)
{
	(void)sm, (void)g, (void)t;
	return GS_READY;
}

static void issued(struct sm *sm, int g, const struct tinst *t)
{
	(void)t;
	sm->slot[g].locked = true;
}

static void start(struct sm *sm, const struct issue *i)
{
	const struct tinst *t = i->t;
	struct flight *op = op_new(sm, i->group, i->warp, i->pc, t);
	unsigned port = i->plan.port, depth = sm->depth;
	if (sm->serial && sm->acc.lanes &&
	    (t->flags & T_MEMORY)) { /* the pipeline stands still meanwhile */
		unsigned more = access_serial(sm, op, &sm->acc) - 1;
		port += more;
		depth += more;
	}
	sm->issuer[i->sched].port_free = sm->now + port;
	sm->step = port > sm->step ? (uint16_t)port : sm->step;
	if (sm->stage)
		sm_stage(sm, &op->ev);
	else if (sm->acc.lanes && (t->flags & T_MEMORY) && !sm->perfect)
		lsu_put(sm, op, sm->now + depth, &sm->acc);
	else if ((t->flags & T_DEFER) && sm->now + depth < sm->window_end)
		wheel_post(&sm->wheel, &op->ev, sm->window_end);
	else
		wheel_post(&sm->wheel, &op->ev, sm->now + depth);
}

static cycle_t answered(const struct sm *sm, const struct flight *op, cycle_t at)
{
	cycle_t through = flight_issued(sm, op) + sm->depth;
	return at < through ? through : at;
}

static void finish(struct sm *sm, struct flight *op)
{
	sm->slot[op->group].locked = false;
	op_done(sm, op);
}

const struct pipe_ops pipe_locked = {
	.p = {"locked", "one instruction of a warp in flight, from issue to commit",
	      "Fung, Sham, Yuan, Aamodt, MICRO 2007", .options = &locked_options,
	      .traits = POLICY_LOCKS},
	.init = init,
	.holds = holds,
	.issued = issued,
	.start = start,
	.answered = answered,
	.finish = finish,
};
