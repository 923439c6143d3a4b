/* Lanes of temporal.width units, with or without lane binding. */
#include "sm/lanes/bundles.h"
#include "sm/lanes/inside.h"

static const char *refuses(const struct machine *m, const struct div_ops *div, char *buf, size_t n)
{
	return temporal_unbound(m, buf, n) ? buf : inside_refuses(m, div, buf, n);
}

static const struct lane_ops inside = {
	.p = {"temporal",
	      "each pipe of a sub-core is divided into lanes of temporal.width threads, to which warps are bound",
	      "Lucas et al. 2015", INSIDE_POLICY},
	.by_lane = true,
	.preset = &(const struct inside_preset){.choose = temporal_inside},
	INSIDE_OPS_BUT_REFUSES,
	.refuses = refuses,
};

const struct lane_ops lane_temporal = {
	.p = {"temporal", "lanes of temporal.width units, with or without lane binding",
	      "Lucas et al. 2015", TEMPORAL_POLICY},
	.inside = &inside,
	TEMPORAL_OPS,
};
