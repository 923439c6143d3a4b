/* Tsimt without lane binding: any lane takes any warp (not buildable, a bound). */
#include "sm/temporal.h"

TEMPORAL_LANES_FILE(tsimt_free, "tsimt-free", 1, false,
		    "tsimt without lane binding: any lane takes any warp (not buildable, a bound)");
