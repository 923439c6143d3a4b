#include "sm/flight.h"

#include "base/pages.h"

enum { CHUNK = 256 };
struct chunk {
	struct chunk *next;
	_Alignas(HOST_LINE) struct flight op[CHUNK];
};

void op_more(struct sm *sm)
{
	struct chunk *c = PAGES_ARRAY(struct chunk, 1);
	c->next = sm->op_chunks;
	sm->op_chunks = c;
	for (unsigned i = 0; i < CHUNK; i++) {
		c->op[i].ev.arg = (uint32_t)sm->flights.n;
		vec_push(&sm->flights, &c->op[i]);
		c->op[i].next = sm->free_ops;
		sm->free_ops = &c->op[i];
	}
}

void op_done(struct sm *sm, struct flight *op)
{
	const struct tinst *t = op->t;
	int g = op->group;
	uint16_t one = op->warp;
	const uint16_t *home = &one;
	unsigned n = one != GROUP_MIXED ? 1 : flight_homes(sm, op, &home);
	if (sm->watch)
		watch_result(sm, op);
	if ((t->flags & T_ATOMIC) && sm->slot[g].atomics && !sm->threads)
		sm->slot[g].atomics--;
	if ((t->flags & (T_MEMORY | T_STORE)) == T_MEMORY && t->wait == W_GLOBAL)
		sm->stats.load_latency[stat_log2_bucket(sm->now - flight_issued(sm, op), 20)]++;
	op_retire(sm, op);
	if (sm->threads)
		threads_wake(sm, op);
	else if (sm->div.ops->commit)
		sm->div.ops->commit(&sm->div, g);
	else
		sm_group_changed(sm, g);
	while (n--)
		if (t->flags & T_MEMORY)
			sm_warp_accessed(sm, home[n]);
		else
			sm_warp_maybe_done(sm, home[n]);
}
