/* Lanes of temporal.width units, with or without lane binding. */
#include "sm/temporal.h"

TEMPORAL_LANES_FILE(temporal, "temporal", m->temporal_width, m->temporal_bind,
		    "lanes of temporal.width units, with or without lane binding");
