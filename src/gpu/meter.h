/* Power over time: the energy model applied to running counters at the end of windows. The energy
 * of a span is the difference of two readings, so spans add up to the whole exactly. */
#ifndef GPU_METER_H
#define GPU_METER_H
#include "gpu/gpu.h"
#include "power/energy.h"

struct meter {
	const struct gpu *g;
	struct stat_report *live;
	struct power_view view;
	cycle_t origin;           /* counters count from there on */
	unsigned k;               /* the last reading; 1 - k is the one before */
	cycle_t at[2];            /* of the readings */
	struct power_sum all[2];  /* of the GPU */
	struct power_sum *of;     /* of each instance at the last reading */
	struct power_sum *before; /* at the one before; NULL: nobody asks for an SM's */
	uint64_t *rest;           /* sm_rest() of each SM at the last reading */
	bool *still;              /* the SM has counted no event since the reading before */
};

/* The run begins at `at`. `instances`: also meters each SM. */
void meter_begin(struct meter *m, const struct gpu *g, cycle_t at, bool instances);
/* Reads the counters after everything has run until `to`. The functions below are about the span
 * since the last call. */
void meter_read(struct meter *m, cycle_t to);
/* Watts of a component in SM `sm`; -1: in all. */
double meter_watts(const struct meter *m, enum power_component c, int sm);
double meter_total(const struct meter *m, int sm);
double meter_span(const struct meter *m);  /* seconds */
double meter_joule(const struct meter *m); /* of all */
void meter_end(struct meter *m);

#endif
