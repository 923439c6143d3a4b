/* One lane per unit: a warp belongs to one lane and takes one cycle per active thread. */
#include "sm/lanes/bundles.h"
#include "sm/lanes/inside.h"

static const struct temporal_preset preset = {1, true};

static const struct inside_preset lanes = {.rule = PARTS_ALIGNED, .width = 1};
static const struct lane_ops inside = {
	.p = {"tsimt",
	      "each pipe of a sub-core is divided into lanes of 1 thread, to which warps are bound",
	      "Lucas et al. 2015", INSIDE_POLICY},
	.by_lane = true,
	.preset = &lanes,
	INSIDE_OPS,
};

const struct lane_ops lane_tsimt = {
	.p = {"tsimt",
	      "one lane per unit: a warp belongs to one lane and takes a "
	      "cycle per active thread",
	      "Lucas et al. 2015", TEMPORAL_POLICY},
	.preset = &preset,
	.inside = &inside,
	TEMPORAL_OPS,
};
