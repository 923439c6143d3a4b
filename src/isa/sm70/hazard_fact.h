/* One instruction as the check of control bits (hazard.c) sees it. */
#ifndef ISA_SM70_HAZARD_FACT_H
#define ISA_SM70_HAZARD_FACT_H
#include "isa/sm70/access.h"

enum group {
#define HAZARD(group, ...) G_##group,
#include "isa/sm70/hazard.def"
#undef HAZARD
	GROUPS,
	G_VARYING, /* results of varying latency: a counter signals that they are available */
	G_LATER,   /* wgmma: WARPGROUP.DEPBAR waits for the result */
	G_NOTHING, /* no results that are checked */
};
enum consumer {
	BY_ALU,
	BY_FMA,
	BY_WIDE,
	BY_HALF,
	BY_FP64,
	BY_XU,
	BY_MEMORY,
	BY_TENSOR,
	BY_CONTROL,
	BY_UNIFORM,
	CONSUMERS
};

struct fact { /* one instruction as the check needs it */
	struct sm70_access access;
	uint8_t class;  /* enum sm70_class */
	uint8_t group;  /* enum group */
	uint8_t by;     /* enum consumer */
	uint8_t family; /* instructions of one family write their results in order; 0: none */
	uint8_t queue;  /* instructions of one queue read their sources in order; 0: none */
};

struct fact fact_of(const struct sm70_inst *in);
/* Returns true if the modifier in the slot is `word`. */
bool fact_says(const struct sm70_inst *in, unsigned slot, const char *word);

#endif
