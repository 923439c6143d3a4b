/* Lanes of two units: a warp takes a cycle for each aligned pair with an active thread. */
#include "sm/temporal.h"

TEMPORAL_LANES_FILE(
	stsimt2, "stsimt2", 2, true,
	"lanes of two units: a warp takes a cycle for each aligned pair with an active thread");
