/* One SIMD pipeline: a warp takes warp_size / simd_width cycles, whatever its mask. */
#include "sm/sm.h"

static void plan(const struct machine *m, const struct group *g, const struct tinst *t, struct plan *out)
{
	(void)g;
	(void)t;
	out->port = out->beats = (uint16_t)((m->warp_size + m->simd_width - 1) / m->simd_width);
}

const struct lane_ops lanes_simt = {
	.p = {"simt", "one SIMD pipeline; a warp takes warp_size / simd_width cycles whatever its mask", ""},
	.plan = plan,
};
