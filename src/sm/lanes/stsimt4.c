/* Lanes of four units: a warp takes one cycle per aligned four threads with an active one. */
#include "sm/lanes/bundles.h"
#include "sm/lanes/inside.h"

static const struct temporal_preset preset = {4, true};

static const struct inside_preset lanes = {.rule = PARTS_ALIGNED, .width = 4};
static const struct lane_ops inside = {
	.p = {"stsimt4",
	      "each pipe of a sub-core is divided into lanes of 4 threads, to which warps are bound",
	      "Lucas et al. 2015", INSIDE_POLICY},
	.by_lane = true,
	.preset = &lanes,
	INSIDE_OPS,
};

const struct lane_ops lane_stsimt4 = {
	.p = {"stsimt4",
	      "lanes of four units: a warp takes a cycle per aligned "
	      "four with an active thread",
	      "Lucas et al. 2015", TEMPORAL_POLICY},
	.preset = &preset,
	.inside = &inside,
	TEMPORAL_OPS,
};
