/* Latency only: packets have no size and never meet. */
#include "mem/icnt.h"

static bool init(struct icnt *n, const struct machine *m, struct arena *a, struct diag *d)
{
	(void)n, (void)m, (void)a, (void)d;
	return true;
}

static void taken(struct icnt *n, unsigned dest, const struct msg *m, cycle_t t)
{
	(void)n, (void)dest, (void)m, (void)t;
}

const struct icnt_ops icnt_ideal = {
	.p = {"ideal", "constant latency, no contention", ""},
	.unlimited = true,
	.init = init,
	.taken = taken,
};
