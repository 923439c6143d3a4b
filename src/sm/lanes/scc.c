/* Swizzled cycle compression: crossbars after the register file bring any simd_width active channels into a cycle,
 * and results back to their channels, so a warp takes (active / simd_width) cycles, rounded up. The crossbars' time
 * is not modelled: the paper hides it in the operand latch. channels.h has the picture. */
#include "sm/lanes/channels.h"
#include "sm/lanes/inside.h"

static void init(struct lanes *l) { (void)l; }

static void take(struct lanes *l, const struct group *g, const struct tinst *t, struct plan *out)
{
	lanemask active = channels_active(l, g, t);
	channels_plan(l, t, active, channels_packed(active, l->sm->m->simd_width), out);
}

static lanemask place(const struct lanes *l, const struct group *g, uint8_t *from)
{
	unsigned n = 0;
	(void)l;
	for (lanemask m = g->active; m; m &= m - 1)
		from[n++] = (uint8_t)__builtin_ctzll(m);
	return n == 64 ? ~0ull : (1ull << n) - 1;
}

static const struct inside_preset preset = {.rule = PARTS_PACKED};
static const struct lane_ops inside = {
	.p = {"scc",
	      "in each pipe of a sub-core; crossbars pack the active threads into as few cycles as possible",
	      "Vaidya et al., ISCA 2013", INSIDE_POLICY},
	.scales = true,
	.preset = &preset,
	INSIDE_OPS,
};

const struct lane_ops lane_scc = {
	.p = {"scc",
	      "one SIMD pipeline; a crossbar packs the active threads of a warp into as few cycles as possible",
	      "Vaidya et al., ISCA 2013", .stats = &channel_stats},
	.scales = true,
	.scalars = true,
	.inside = &inside,
	.refuses = channels_refuse,
	.init = init,
	.take = take,
	.place = place,
};
