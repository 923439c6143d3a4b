/* Hybrid warp size: a warp takes as many cycles as it has parts of simd_width lanes with active
 * threads, after they are squeezed together where hws.squeeze says so: here, for the time of the
 * issue, or, where groups merge and squeeze.when says so, before that (sm/form/regroup.c). */
#include "sm/form/squeeze.h"
#include "sm/sm.h"

struct state {
	bool squeezes; /* at issue */
};

static const char *refuses(const struct machine *m, const struct div_ops *div, char *buf, size_t n)
{
	if (!div->threads_alone)
		return NULL;
	snprintf(buf, n,
		 "sm.divergence = %s issues each thread alone: sm.lanes = hws has no warp to scale",
		 m->diverge);
	return buf;
}

static void init(struct lanes *l)
{
	const struct machine *m = l->sm->m;
	const struct div_ops *div = div_find(m->diverge);
	bool at_issue = !div->merges || div->block_wide || !strcmp(m->squeeze_when, "after-merge");
	((struct state *)l->state)->squeezes = m->hws_squeeze && at_issue;
	l->squeeze_first = m->hws_squeeze && !at_issue;
}

static void take(struct lanes *l, const struct group *g, const struct tinst *t, struct plan *out)
{
	const struct machine *m = l->sm->m;
	(void)t;
	lanemask a = g->active;
	if (((const struct state *)l->state)->squeezes)
		a = machine_squeeze(m, a, NULL);
	unsigned n = squeeze_parts(a, m->warp_size, m->simd_width);
	out->port = out->beats = (uint16_t)(n ? n : 1);
	out->lane = 0;
}

static lanemask place(const struct lanes *l, const struct group *g, uint8_t *from)
{
	bool moves = ((const struct state *)l->state)->squeezes;
	return moves ? machine_squeeze(l->sm->m, g->active, from) : g->active;
}

const struct lane_ops lanes_hws = {
	.p = {"hws",
	      "one SIMD pipeline; a warp takes a cycle for each part of simd_width lanes that has threads",
	      "Jin 2012, sections 4.1 and 4.2", .state_size = sizeof(struct state)},
	.refuses = refuses,
	.init = init,
	.take = take,
	.place = place,
};
