/* Lanes of two units: a warp takes one cycle per aligned pair of threads with an active one. */
#include "sm/lanes/bundles.h"

static const struct temporal_preset preset = {2, true};

const struct lane_ops lane_stsimt2 = {
	.p = {"stsimt2",
	      "lanes of two units: a warp takes a cycle per aligned pair "
	      "with an active thread",
	      "Lucas et al. 2015", TEMPORAL_POLICY},
	.preset = &preset,
	TEMPORAL_OPS,
};
