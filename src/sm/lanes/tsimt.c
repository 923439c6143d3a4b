/* A lane for each unit: a warp belongs to one and takes a cycle for each active thread. */
#include "sm/lanes/bundles.h"

static const struct temporal_preset preset = {1, true};

const struct lane_ops lane_tsimt = {
	.p = {"tsimt",
	      "a lane for each unit: a warp belongs to one and takes a cycle for each active thread",
	      "Lucas et al. 2015", TEMPORAL_POLICY},
	.preset = &preset,
	TEMPORAL_OPS,
};
