/* One SIMD pipeline: a warp takes warp_size / simd_width cycles, whatever its mask. */
#include "sm/sm.h"

static void plan(const struct sm *sm, const struct group *g, const struct tinst *t,
		 struct plan *out)
{
	const struct machine *m = sm->m;
	(void)g;
	(void)t;
	out->port = out->beats = (uint16_t)((m->warp_size + m->simd_width - 1) / m->simd_width);
}

const struct lane_ops lanes_simt = {
	.p = {"simt",
	      "one SIMD pipeline; a warp takes warp_size / simd_width cycles whatever its mask",
	      ""},
	.fixed = true,
	.plan = plan,
};
