/* As `warp`, but an SM that runs warp-threshold.warps warps or more allocates nothing warp by warp: no partial
 * block comes, and the warps of one that is there wait. Whole blocks are not held back. */
#include "gpu/dispatch.h"

static void rule(const struct machine *m, struct block_rule *r)
{
	disp_rule_warp(m, r);
	r->limit = m->threshold_warps;
}

const struct disp_ops disp_warp_threshold = {
	.p = {"warp-threshold",
	      "as warp, but nothing warp by warp while an SM runs warp-threshold.warps warps",
	      "Xiang 2014, section 6.1, 'heuristic'"},
	.rule = rule,
	.refuses = disp_refuses_warp,
	.refuses_launch = disp_refuses_partial,
	.place = disp_whole_or_part,
};
