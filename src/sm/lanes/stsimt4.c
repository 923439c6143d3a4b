/* Lanes of four units: a warp takes a cycle for each aligned four with an active thread. */
#include "sm/temporal.h"

TEMPORAL_LANES_FILE(
	stsimt4, "stsimt4", 4, true,
	"lanes of four units: a warp takes a cycle for each aligned four with an active thread");
