/* Latency only: packets have no size and never meet. */
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
	(void)n, (void)dest, (void)m, (void)t;
}

static void replies(struct icnt *n, cycle_t from, cycle_t to)
{
	(void)to;
	unsigned count = icnt_sort_replies(n, from);
	for (unsigned i = 0; i < count; i++)
		icnt_deliver(n, n->sorted[i], n->sorted[i]->time);
}

const struct icnt_ops icnt_ideal = {
	.name = "ideal", .help = "constant latency, no contention", .unlimited = true,
	.init = init, .requests = requests, .taken = taken, .replies = replies,
};
