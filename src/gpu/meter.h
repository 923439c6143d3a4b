/* Power over time: the energy model on running counters, read at the end of windows. What a span took is
 * the difference of two readings, so spans add up to the whole exactly. */
#ifndef GPU_METER_H
#define GPU_METER_H
#include "gpu/gpu.h"
#include "power/energy.h"

struct meter {
	const struct gpu *g;
	struct stat_report *live;
	struct power_view view;
	cycle_t origin;          /* counters count from there on */
	unsigned k;              /* the last reading; 1 - k is the one before */
	cycle_t at[2];           /* of the readings */
	struct power_sum all[2]; /* of the GPU */
	struct power_sum *of[2]; /* of each instance; NULL: not wanted */
};

/* Counters are those of a run that begins at `at`. `instances`: what each SM takes is wanted too. */
void meter_begin(struct meter *m, const struct gpu *g, cycle_t at, bool instances);
/* All has run until `to`: the functions below are of the span since the last call. */
void meter_read(struct meter *m, cycle_t to);
/* W of a component, of SM `sm`, or of all with -1. */
double meter_watts(const struct meter *m, enum power_component c, int sm);
double meter_total(const struct meter *m, int sm);
double meter_span(const struct meter *m);  /* seconds */
double meter_joule(const struct meter *m); /* of all */
void meter_end(struct meter *m);

#endif
