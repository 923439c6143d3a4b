/* One lane per unit: a warp belongs to one lane and takes one cycle per active thread. */
#include "sm/lanes/bundles.h"

static const struct temporal_preset preset = {1, true};

const struct lane_ops lane_tsimt = {
	.p = {"tsimt",
	      "one lane per unit: a warp belongs to one lane and takes a "
	      "cycle per active thread",
	      "Lucas et al. 2015", TEMPORAL_POLICY},
	.preset = &preset,
	TEMPORAL_OPS,
};
