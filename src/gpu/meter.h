/* Power over time: the energy model applied to running counters at the end of windows. The energy
 * of a span is the difference of two readings, so spans add up to the whole exactly. */
#ifndef GPU_METER_H
#define GPU_METER_H
#include "gpu/gpu.h"
#include "mem/dram.h"
#include "power/energy.h"

/* Whose energy a meter tells. */
enum meter_depth { METER_GPU, METER_COMPONENTS, METER_SMS /* of each component in each SM */ };

/* An SM or a memory partition at rest spends the same in each cycle of its clock. Where that is not
 * known, two readings of one rest tell it. From then on its counters are let alone until it wakes:
 *
 *          working      rest 7
 *   J  |       ____....----....----
 *      |   __--    ^   ^   o   o        ^ counters read   o on the line through both
 *      +-------------------------- cycles
 */
struct meter_reading {
	uint64_t rest; /* which rest it had then; 0: it worked */
	cycle_t at;
	double joule;
	double slope; /* J a cycle; below 0: not known */
};

struct meter {
	const struct gpu *g;
	struct stat_report *live;
	struct power_view view;
	enum meter_depth depth;
	cycle_t origin;                  /* counters count from there on */
	unsigned k;                      /* the last reading; 1 - k is the one before */
	cycle_t at[2];                   /* of the readings */
	double joule[2];                 /* of the GPU */
	struct meter_reading *sm, *part; /* of each SM, of each channel with its slices */
	unsigned *awake, nawake;         /* SMs that are not known to rest */
	double resting, slope;           /* J of the others: at the start, and a cycle */
	uint64_t placed;                 /* blocks, when they were chosen */
	double state[DRAM_STATES]; /* slope of a partition that rests in it; below 0: not known */
	struct power_sum all[2];   /* of the GPU, by component */
	struct power_sum *of;      /* of each instance at the last reading */
	struct power_sum *before;  /* at the one before */
};

/* The run begins at `at`. */
void meter_begin(struct meter *m, const struct gpu *g, cycle_t at, enum meter_depth depth);
/* Reads the counters after everything has run until `to`. The functions below are about the span
 * since the last call. */
void meter_read(struct meter *m, cycle_t to);
/* Watts of a component in SM `sm`; -1: in all. */
double meter_watts(const struct meter *m, enum power_component c, int sm);
double meter_total(const struct meter *m, int sm);
double meter_span(const struct meter *m);  /* seconds */
double meter_joule(const struct meter *m); /* of all; any depth */
void meter_end(struct meter *m);

#endif
