/* A crossbar with a queue per pair of input and output (virtual output queues): inputs never block
 * each other; an output takes one flit per cycle, packets in order of arrival. The credits of a pair
 * are its buffer. Requests are arbitrated where they arrive, by the slice that takes them from its
 * ring; replies are arbitrated at the SM's port. */
#include "mem/icnt.h"

struct crossbar { /* credits that receivers have returned to each sender */
	uint32_t **of_end, **of_port;
};

static uint32_t **new_counts(struct arena *a, unsigned receivers, unsigned senders)
{
	uint32_t **c = ARENA_ARRAY(a, uint32_t *, receivers);
	for (unsigned i = 0; i < receivers; i++)
		c[i] = ARENA_APART(a, uint32_t, senders);
	return c;
}

static bool init(struct icnt *n, const struct machine *m, struct arena *a, struct diag *d)
{
	(void)m, (void)d;
	struct crossbar *x = n->state = ARENA_NEW(a, struct crossbar);
	x->of_end = new_counts(a, n->nend, n->nport);
	x->of_port = new_counts(a, n->nport, n->nend);
	return true;
}

static void taken(struct icnt *n, unsigned dest, const struct msg *m, cycle_t t)
{
	struct crossbar *x = n->state;
	credit_put(&n->port[m->sm].credits, dest, &x->of_end[dest][m->sm],
		   ratio_up(n->to_core, t + n->round), m->flits);
}

static void delivered(struct icnt *n, const struct msg *m, cycle_t t)
{
	struct crossbar *x = n->state;
	credit_put(&n->end[m->dest]->credits, m->sm, &x->of_port[m->sm][m->dest], t + n->round,
		   m->flits);
}

const struct icnt_ops icnt_crossbar = {
	.p = {"crossbar", "every SM to every slice, a buffer for each pair", ""},
	.init = init,
	.taken = taken,
	.delivered = delivered,
};
