/* Basic cycle compression: a warp takes a cycle for each aligned part of simd_width channels with an active one.
 * No channel moves, so registers need no crossbar. channels.h has the picture; scc.c packs further. */
#include "sm/lanes/channels.h"
#include "sm/lanes/inside.h"

static void init(struct lanes *l) { (void)l; }

static void take(struct lanes *l, const struct group *g, const struct tinst *t, struct plan *out)
{
	const struct machine *m = l->sm->m;
	lanemask active = channels_active(l, g, t);
	channels_plan(l, t, active, channels_aligned(active, m->warp_size, m->simd_width), out);
}

static const struct inside_preset preset = {.rule = PARTS_ALIGNED};
static const struct lane_ops inside = {
	.p = {"bcc",
	      "in each pipe of a sub-core; aligned parts without an active thread take no cycle",
	      "Vaidya et al., ISCA 2013", INSIDE_POLICY},
	.scales = true,
	.preset = &preset,
	INSIDE_OPS,
};

const struct lane_ops lane_bcc = {
	.p = {"bcc",
	      "one SIMD pipeline; parts of simd_width lanes without an active thread take no cycle",
	      "Vaidya et al., ISCA 2013", .stats = &channel_stats},
	.scales = true,
	.scalars = true,
	.inside = &inside,
	.refuses = channels_refuse,
	.init = init,
	.take = take,
};
