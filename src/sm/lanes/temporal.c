/* Lanes of temporal.width units, with or without lane binding. */
#include "sm/lanes/bundles.h"

const struct lane_ops lane_temporal = {
	.p = {"temporal", "lanes of temporal.width units, with or without lane binding",
	      "Lucas et al. 2015", TEMPORAL_POLICY},
	TEMPORAL_OPS,
};
