/* Lanes of temporal.width units, with or without lane binding. */
#include "sm/temporal.h"

struct options {
	uint32_t width;
	bool bind;
};
static const struct option rows[] = {
	OPTION_NUM(struct options, width, "temporal.width", 1, 1, 64, "threads",
		   "sm.lanes = temporal: threads side by side in a lane; sm.simd_width over this "
		   "is the number of lanes"),
	OPTION_BOOL(struct options, bind, "temporal.bind", true,
		    "sm.lanes = temporal: a warp belongs to one lane for life; no: any lane takes "
		    "any instruction"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options, "dwf.on_conflict")};

static const struct options *values(const struct machine *m) { return machine_own(m, &options); }

TEMPORAL_LANES_FILE(temporal, "temporal", values(m)->width, values(m)->bind, &options,
		    "lanes of temporal.width units, with or without lane binding");
