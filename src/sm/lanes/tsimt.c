/* A lane for each unit: a warp belongs to one and takes a cycle for each active thread. */
#include "sm/temporal.h"

TEMPORAL_LANES_FILE(
	tsimt, "tsimt", 1, true,
	"a lane for each unit: a warp belongs to one and takes a cycle for each active thread");
