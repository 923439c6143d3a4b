/* An SM that is watched: what groups wait for before each instruction, and the events of a
 * timeline. Runs that nobody looks at do not pay for it: one branch at each change of a group's
 * state. */
#include "sm/trace.h"

#include "kernel/cta.h"
#include "mem/msg.h"

void sm_watch(struct sm *sm, bool yes)
{
	sm->watch = yes;
	sm->tells = yes || sm->lanes.ops->usable;
}

const char *sm_stall_name(unsigned i)
{
	return i < STALL_COUNT - 1 ? slot_stats.def[SLOT_barrier + i].name : "ready";
}

void trace_add(struct trace *t, struct trace_event e)
{
	if (e.to > e.from && e.to > t->from && e.from < t->to)
		vec_push(&t->ev, e);
}

static bool waits(enum gstate s) { return s >= GS_BARRIER && s < GS_READY; }

static void trace_wait(struct sm *sm, int g, enum gstate s, const struct kern *k, uint32_t pc,
		       cycle_t to)
{
	trace_add(sm->trace, (struct trace_event){.from = sm->slot[g].since,
						  .to = to,
						  .value = s,
						  .k = k,
						  .pc = pc,
						  .track = (uint16_t)g,
						  .kind = TRACE_WAIT});
}

static struct prof *prof_of(const struct sm *sm, const struct gslot *s)
{
	return &s->at_kern->prof[(size_t)sm->id * s->at_kern->ncode + s->at_pc];
}

/* Counts what the group has waited for at its instruction; that it was ready is counted at issue.
 */
void watch_state(struct sm *sm, int g, enum gstate from, enum gstate to)
{
	struct gslot *s = &sm->slot[g];
	const struct group *gr = &sm->div.group[g];
	if (waits(from) && s->at_kern && sm->now > s->since) {
		prof_of(sm, s)->stall[from - GS_BARRIER] += sm->now - s->since;
		if (sm->trace)
			trace_wait(sm, g, from, s->at_kern, s->at_pc, sm->now);
	}
	s->since = sm->now > s->since ? sm->now : s->since;
	if (!waits(to) || (gr->warp == GROUP_MIXED && !gr->active))
		return;
	const struct block *b = sm_home(sm, gr)->b;
	s->at_kern = b->k;
	s->at_pc = gr->pc;
}

void watch_issue(struct sm *sm, int g, lanemask m)
{
	struct gslot *s = &sm->slot[g];
	const struct group *gr = &sm->div.group[g];
	const struct block *b = sm_home(sm, gr)->b;
	if (sm->now > s->since)
		b->prof[gr->pc].stall[STALL_COUNT - 1] += sm->now - s->since;
	if (sm->trace) {
		trace_wait(sm, g, GS_READY, b->k, gr->pc, sm->now);
		trace_add(sm->trace, (struct trace_event){.from = sm->now,
							  .to = sm->now + 1,
							  .value = m,
							  .k = b->k,
							  .pc = gr->pc,
							  .track = (uint16_t)g,
							  .kind = TRACE_ISSUE});
	}
	s->since = sm->now + 1;
}

void watch_result(struct sm *sm, const struct flight *op)
{
	const uint16_t *home;
	flight_homes(sm, op, &home);
	if (sm->trace && (op->t->flags & T_MEMORY) && sm->warp[home[0]].b)
		trace_add(sm->trace, (struct trace_event){.from = flight_issued(sm, op),
							  .to = sm->now,
							  .k = sm->warp[home[0]].b->k,
							  .pc = op->pc,
							  .track = op->group,
							  .kind = TRACE_MEMORY});
}

static void trace_block(struct sm *sm, const struct block *b, cycle_t to)
{
	trace_add(sm->trace, (struct trace_event){.from = b->start,
						  .to = to,
						  .value = b->cta->index,
						  .k = b->k,
						  .track = (uint16_t)(b - sm->blocks.block),
						  .kind = TRACE_BLOCK});
}

void watch_block_end(struct sm *sm, const struct block *b)
{
	if (sm->trace)
		trace_block(sm, b, sm->now + 1);
}

void watch_reply(struct sm *sm, const struct msg *m)
/* clang-format off */
{
	uint32_t took = (uint32_t)sm->now - m->sent; /* of which the message has the low bits */
	trace_add(sm->trace, (struct trace_event){.from = sm->now - took, .to = sm->now, .value = m->addr, .pc = m->bytes,
						  .track = m->dest, .kind = TRACE_REQUEST, .op = m->kind,
						  .class = m->class});
	/* clang-format on */
}

void trace_rest(struct sm *sm, cycle_t at)
{
	for (unsigned g = 0; g < sm->ngroups; g++)
		if (waits(sm->slot[g].state) && sm->slot[g].at_kern)
			trace_wait(sm, (int)g, sm->slot[g].state, sm->slot[g].at_kern,
				   sm->slot[g].at_pc, at);
	for (unsigned i = 0; i < sm->blocks.n; i++)
		if (sm->blocks.block[i].used)
			trace_block(sm, &sm->blocks.block[i], at);
}
