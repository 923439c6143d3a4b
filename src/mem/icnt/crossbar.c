/* A crossbar with a queue for each pair of input and output (virtual output queues): inputs never
 * block each other, an output takes one flit in a cycle, packets in order of arrival. The credits of
 * a pair are its buffer. Requests are arbitrated where they arrive, by the slice taking them from its
 * ring; replies at the SM's port.                                                                   */
#include "mem/icnt.h"

static bool init(struct icnt *n, const struct machine *m, struct arena *a, struct diag *d)
{
	(void)n, (void)m, (void)a, (void)d;
	return true;
}

static void requests(struct icnt *n, cycle_t from, cycle_t to)
{
	(void)to;
	unsigned count = icnt_sort_requests(n, from);
	for (unsigned i = 0; i < count; i++)
		icnt_arrive(n, n->sorted[i], n->sorted[i]->time);
}

static void taken(struct icnt *n, unsigned dest, const struct msg *m, cycle_t t)
{
	credit_return(&n->port[m->sm].credits, dest, ratio_up(n->to_core, t + n->round), m->flits);
}

static void replies(struct icnt *n, cycle_t from, cycle_t to)
{
	(void)to;
	unsigned count = icnt_sort_replies(n, from);
	for (unsigned i = 0; i < count; i++) {
		const struct msg *m = n->sorted[i];
		cycle_t t = icnt_deliver(n, m, m->time);
		credit_return(&n->end[m->dest]->credits, m->sm, t + n->round, m->flits);
	}
}

const struct icnt_ops icnt_crossbar = {
	.name = "crossbar", .help = "every SM to every slice, a buffer for each pair",
	.init = init, .requests = requests, .taken = taken, .replies = replies,
};
