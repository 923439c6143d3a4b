/* Lanes of four units: a warp takes one cycle per aligned four threads with an active one. */
#include "sm/lanes/bundles.h"

static const struct temporal_preset preset = {4, true};

const struct lane_ops lane_stsimt4 = {
	.p = {"stsimt4",
	      "lanes of four units: a warp takes a cycle per aligned "
	      "four with an active thread",
	      "Lucas et al. 2015", TEMPORAL_POLICY},
	.preset = &preset,
	TEMPORAL_OPS,
};
