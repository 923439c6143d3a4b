/* Blocks in pairs: blocks 2i and 2i + 1, which usually share cache lines at their border, go to one
 * SM, and a pair starts only on an SM with room for both. With a scheduler that advances both at
 * equal speed (sm.scheduler = lrr), accesses to the shared lines hit in the L1D. */
#include "gpu/dispatch.h"

struct pair {
	const struct kern
		*k; /* kernel whose first block of a pair waits for the second; NULL: none */
	unsigned sm;
};

static void begin(struct disp *d, cycle_t at)
{
	(void)at;
	*(struct pair *)d->state = (struct pair){NULL, 0};
}

static int place(struct disp *d, const struct kern *k)
{
	struct pair *p = d->state;
	if (p->k == k) {
		if (!block_fits(d->sm[p->sm], k))
			return -1;
		p->k = NULL;
		return (int)p->sm;
	}
	bool pair = k->next + 1 < k->blocks && k->fit > 1;
	for (unsigned i = 1; i <= d->nsm; i++) {
		unsigned n = (d->last + i) % d->nsm;
		if (!blocks_fit(d->sm[n], k, pair ? 2 : 1))
			continue;
		d->last = n;
		if (pair)
			*p = (struct pair){k, n};
		return (int)n;
	}
	return -1;
}

const struct disp_ops disp_bcs = {
	.p = {"bcs", "pairs of consecutive blocks, each pair on one SM",
	      "Lee et al., HPCA 2014, block CTA scheduling", .state_size = sizeof(struct pair)},
	.begin = begin,
	.place = place,
};
