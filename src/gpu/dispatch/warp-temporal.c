/* Whole blocks start as with `block`, but each warp releases its registers and its scheduler entry
 * when it has ended, not when the last warp of its block has. */
#include "gpu/dispatch.h"

static void rule(const struct machine *m, struct block_rule *r)
{
	(void)m;
	r->hold = HOLD_WARP;
}

const struct disp_ops disp_warp_temporal = {
	.p = {"warp-temporal", "whole blocks, released warp by warp",
	      "Xiang 2014, section 6.1, 'temp'", .describe = disp_describe_buffers},
	.rule = rule,
	.refuses = disp_refuses_warp,
	.place = disp_whole,
};
