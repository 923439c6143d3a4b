/* As tsimt, without lane binding: any lane takes any warp. Hardware could not be built so; an upper
 * bound. */
#include "sm/lanes/bundles.h"

static const struct temporal_preset preset = {1, false};

const struct lane_ops lane_tsimt_free = {
	.p = {"tsimt-free",
	      "tsimt without lane binding: any lane takes any warp (an "
	      "upper bound that hardware could not reach)",
	      "Lucas et al. 2015", TEMPORAL_POLICY},
	.preset = &preset,
	TEMPORAL_OPS,
};
