/* Power over time: the energy model (power/energy.h) applied to running counters at the end of windows.
 * The energy of a span is the difference of two readings, so spans add up to the whole exactly. Samplers
 * and tracers print it (gpu/sample.h, gpu/trace.h). */
#ifndef GPU_METER_H
#define GPU_METER_H
#include "gpu/gpu.h"
#include "mem/dram.h"
#include "power/energy.h"

/* How finely a meter divides energy. */
enum meter_depth { METER_GPU, METER_COMPONENTS, METER_SMS /* per component and SM */ };

/* An idle SM or memory partition uses constant energy per cycle of its clock. Where that slope is not
 * known, two readings in one rest period give it. From then on its counters are not read until it wakes:
 *
 *          working      rest 7
 *   J  |       ____....----....----
 *      |   __--    ^   ^   o   o        ^ counters read   o on the line through both
 *      +-------------------------- cycles */
struct meter_reading {
	uint64_t rest; /* number of the rest period in which the reading fell; 0: the part was
		        * working */
	cycle_t at;
	double joule;
	double slope; /* J per cycle; below 0: unknown */
};

struct meter {
	const struct gpu *g;
	const struct power_view *view;
	enum meter_depth depth;
	cycle_t origin;  /* cycle at which counters started */
	unsigned k;      /* index of the last reading; 1 - k is the reading before */
	cycle_t at[2];   /* cycles of the two readings */
	double joule[2]; /* energy of the GPU at the two readings */
	struct meter_reading *sm, *part; /* per SM; per channel with its slices */
	unsigned *awake, nawake;         /* SMs that are not known to be idle */
	double resting, slope;           /* energy of all idle SMs at the run's start, J; their
					  * slope, J per cycle */
	uint64_t placed;                 /* number of blocks placed when the idle SMs were chosen */
	/* slope of a partition idle in each state, J per cycle; below 0: unknown */
	double state[DRAM_STATES];
	struct power_sum all[2];  /* energy of the GPU by component, at the two readings */
	struct power_sum *of;     /* per instance, at the last reading */
	struct power_sum *before; /* per instance, at the reading before */
};

/* Begins a run at cycle `at`. */
void meter_begin(struct meter *m, const struct gpu *g, cycle_t at, enum meter_depth depth);
/* Reads the counters after everything has run until `to`. The functions below describe the span
 * between the last two calls. */
void meter_read(struct meter *m, cycle_t to);
/* Mean power of a component in SM `sm`, W; -1: in all SMs together. */
double meter_watts(const struct meter *m, enum power_component c, int sm);
double meter_total(const struct meter *m, int sm);
double meter_span(const struct meter *m);  /* length of the span in seconds */
double meter_joule(const struct meter *m); /* energy of the span, J; available at any depth */
void meter_end(struct meter *m);

#endif
