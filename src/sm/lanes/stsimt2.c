/* Lanes of two units: a warp takes one cycle per aligned pair of threads with an active one. */
#include "sm/lanes/bundles.h"
#include "sm/lanes/inside.h"

static const struct temporal_preset preset = {2, true};

static const struct inside_preset lanes = {.rule = PARTS_ALIGNED, .width = 2};
static const struct lane_ops inside = {
	.p = {"stsimt2",
	      "each pipe of a sub-core is divided into lanes of 2 threads, to which warps are bound",
	      "Lucas et al. 2015", INSIDE_POLICY},
	.by_lane = true,
	.preset = &lanes,
	INSIDE_OPS,
};

const struct lane_ops lane_stsimt2 = {
	.p = {"stsimt2",
	      "lanes of two units: a warp takes a cycle per aligned pair "
	      "with an active thread",
	      "Lucas et al. 2015", TEMPORAL_POLICY},
	.preset = &preset,
	.inside = &inside,
	TEMPORAL_OPS,
};
