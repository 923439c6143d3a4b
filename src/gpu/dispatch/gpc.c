/* Whole blocks, GPC by GPC: one block to each SM of a GPC, then one to each SM of the next GPC; an
 * SM gets a second block only when every SM with room has its first. A launch begins with the first
 * GPC. This is the order of an H200 (block_schedule measurements). */
#include "gpu/dispatch.h"

#include <assert.h>
#include <string.h>
#include "conf/floorplan.h"

enum { MOST_SMS = 1024 };
struct gpc_order {
	bool made;
	uint16_t sm[MOST_SMS]; /* SMs sorted by GPC, then by number */
	unsigned next;         /* index in sm[] of the SM that is considered first */
};

static void make_order(struct gpc_order *o, const struct disp *d)
{
	struct floorplan plan;
	struct arena a = {0};
	struct diag ignored = {0};
	unsigned n = 0;
	/* the memory system has accepted this floorplan, so it is valid */
	if (floorplan_init(&plan, d->m, &a, &ignored))
		for (unsigned g = 0; g < plan.gpcs; g++)
			for (unsigned i = 0; i < d->nsm; i++)
				if (plan.gpc[i] == g)
					o->sm[n++] = (uint16_t)i;
	assert(n == d->nsm);
	o->made = true;
	diag_free(&ignored);
	arena_free(&a);
}

static void begin(struct disp *d, cycle_t at)
{
	struct gpc_order *o = d->state;
	(void)at;
	if (!o->made)
		make_order(o, d);
}

static void launch(struct disp *d)
{
	struct gpc_order *o = d->state;
	o->next = 0;
}

static void order(struct disp *d, uint16_t *sm)
{
	struct gpc_order *o = d->state;
	begin(d, 0);
	memcpy(sm, o->sm, d->nsm * sizeof *sm);
}

static int place(struct disp *d, const struct kern *k)
{
	struct gpc_order *o = d->state;
	for (unsigned i = 0; i < d->nsm; i++) {
		unsigned at = (o->next + i) % d->nsm, n = o->sm[at];
		if (block_fits(d->sm[n], k)) {
			o->next = (at + 1) % d->nsm;
			d->last = n;
			return (int)n;
		}
	}
	return -1;
}

const struct disp_ops disp_gpc = {
	.p = {"gpc", "whole blocks, an SM of each GPC after the other", "",
	      .state_size = sizeof(struct gpc_order)},
	.begin = begin,
	.launch = launch,
	.order = order,
	.place = place,
};
