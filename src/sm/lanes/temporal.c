/* Lanes of temporal.width units, with or without lane binding. */
#include "sm/temporal.h"

static const struct temporal_values *values(const struct machine *m)
{
	return machine_own(m, &temporal_options);
}

TEMPORAL_LANES_FILE(temporal, "temporal", values(m)->width, values(m)->bind,
		    "lanes of temporal.width units, with or without lane binding");
