/* Hybrid warp size: a warp takes as many cycles as it has parts of simd_width lanes with active
 * threads, after they are squeezed together where hws.squeeze says so: here, for the time of the
 * issue, or, where groups merge and squeeze.when says so, before that (sm/form/regroup.c). */
#include "sm/sm.h"
#include "sm/form/squeeze.h"

static void plan(const struct sm *sm, const struct group *g, const struct tinst *t,
		 struct plan *out)
{
	const struct machine *m = sm->m;
	(void)t;
	lanemask a = g->active;
	if (m->hws_squeeze && sm->squeeze_at_issue)
		a = machine_squeeze(m, a, NULL);
	unsigned n = squeeze_parts(a, m->warp_size, m->simd_width);
	out->port = out->beats = (uint16_t)(n ? n : 1);
}

static lanemask place(const struct sm *sm, const struct group *g, uint8_t *from)
{
	bool moves = sm->m->hws_squeeze && sm->squeeze_at_issue;
	return moves ? machine_squeeze(sm->m, g->active, from) : g->active;
}

const struct lane_ops lanes_hws = {
	.p = {"hws",
	      "one SIMD pipeline; a warp takes a cycle for each part of simd_width lanes that has threads",
	      "Jin 2012, sections 4.1 and 4.2"},
	.plan = plan,
	.place = place,
};
