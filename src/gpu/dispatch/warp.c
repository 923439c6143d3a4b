/* WarpMan: whole blocks while they fit, then one block of which only the first warps have room.
 * Shared memory and block slot of that block are allocated at once; its registers and scheduler
 * entries become available warp by warp, as other warps end. The rule is in by_warp.c. */
#include "gpu/dispatch.h"

const struct disp_ops disp_warp = {
	.p = {"warp",
	      "whole blocks, then a partial one: allocated and released warp by warp (WarpMan)",
	      "Xiang 2014, section 4", .options = {&disp_warp_options},
	      .describe = disp_describe_buffers},
	.rule = disp_rule_warp,
	.refuses = disp_refuses_warp,
	.refuses_launch = disp_refuses_partial,
	.place = disp_whole_or_part,
};
