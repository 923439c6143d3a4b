/* Like `warp`, but an SM that runs warp-threshold.warps warps or more allocates nothing warp by
 * warp: it takes no partial block, and the waiting warps of a partial block that it already has keep
 * waiting. Whole blocks are not held back. */
#include "gpu/dispatch.h"

struct options {
	uint32_t warps;
};
static const struct option rows[] = {
	OPTION_NUM(struct options, warps, "warp-threshold.warps", 36, 1, 4096, "warps",
		   "running warps from which on an SM allocates nothing warp "
		   "by warp"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true};

static void rule(const struct machine *m, struct block_rule *r)
{
	disp_rule_warp(m, r);
	const struct options *o = machine_own(m, &options);
	r->limit = o->warps;
}

const struct disp_ops disp_warp_threshold = {
	.p = {"warp-threshold",
	      "as warp, but nothing warp by warp while an SM runs warp-threshold.warps warps",
	      "Xiang 2014, section 6.1, 'heuristic'", .options = {&options, &disp_warp_options},
	      .describe = disp_describe_buffers},
	.rule = rule,
	.refuses = disp_refuses_warp,
	.refuses_launch = disp_refuses_partial,
	.place = disp_whole_or_part,
};
