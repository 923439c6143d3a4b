/* One SIMD pipeline: a warp takes warp_size / simd_width cycles, whatever its mask. With
 * sm.divergence = mimd, where groups are single threads, each SIMD lane has its own scheduler and
 * issues one thread per cycle. */
#include "sm/sm.h"

static unsigned schedulers(const struct machine *m, const struct div_ops *div)
{
	return div->groups == GROUPS_THREAD ? m->simd_width : m->schedulers;
}

static void init(struct lanes *l)
{
	const struct machine *m = l->sm->m;
	uint16_t n = (uint16_t)((m->warp_size + m->simd_width - 1) / m->simd_width);
	bool alone = m->diverge->groups == GROUPS_THREAD;
	l->plan = alone ? (struct plan){1, 1, 0} : (struct plan){n, n, 0};
}

const struct lane_ops lane_simt = {
	.p = {"simt",
	      "one SIMD pipeline; a warp takes warp_size / simd_width cycles whatever its mask",
	      ""},
	.schedulers = schedulers,
	.init = init,
};
