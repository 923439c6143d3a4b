/* Energy of statistics: a model's rows bound to the counters of a report, or to running
 * counters. */
#ifndef POWER_ENERGY_H
#define POWER_ENERGY_H
#include "power/model.h"

struct power_sum { /* J of one instance, or of all */
	double dynamic[COMP_COUNT], timed[COMP_COUNT];
};

struct power_bind { /* a row's counter in one instance */
	const uint64_t *value;
	const struct power_row *row;
	double joule;
	uint16_t slots, at; /* at: the instance, see power_view.base */
	uint8_t comp;
	bool timed;
};

/* All that the energy of one instance has of a counter, whichever components it goes to. */
struct power_counter {
	const uint64_t *value;
	double joule;
	unsigned slots;
};

/* Binds lie by instance, those of events before those of time: instance i has bind[first[2i]] to
 * bind[first[2i + 1]] - 1 for events, and from there to bind[first[2i + 2]] - 1 for time. */
struct power_view {
	const struct power_model *p;
	VEC(struct power_bind) bind;
	unsigned *first;
	VEC(struct power_counter) counter; /* the binds, summed up by counter, by instance too */
	unsigned *first_counter; /* as `first`: counters of one slot, then those of several */
	double watts;            /* of rows that have no counter */
	VEC(const uint64_t *) ops, requests; /* sm.ops of each SM, slice.classes of each slice */
	unsigned base[HOME_COUNT + 1]; /* instances of a home are base[h] .. base[h + 1] - 1 */
};

void power_bind(struct power_view *v, const struct power_model *p, const struct stat_report *r);
void power_unbind(struct power_view *v);
/* `of`: all instances, base[HOME_COUNT] of them. `all`: their sum. Both are set, not added to. */
void power_sum(const struct power_view *v, double seconds, struct power_sum *of,
	       struct power_sum *all);
/* J of one instance by what its counters say, where nobody asks for its components. What rows
 * without a counter cost is power_view.watts, for all instances together. */
double power_instance(const struct power_view *v, unsigned instance);
/* J by class of instruction; they add up to the total. */
void power_classes(const struct power_view *v, double seconds, double cls[CLASS_COUNT]);
double power_total(const struct power_sum *s);

/* Most and least power of the windows of a launch, W. They tile the launch, so that its mean lies
 * between them: what is left over at its end, shorter than a window, belongs to the window before
 * it. */
struct power_range {
	double peak, least;
	double joule, seconds;           /* of all windows added */
	double last_joule, last_seconds; /* the last of them is not looked at yet */
};
void power_range_add(struct power_range *w, double joule, double seconds);
/* At the launch's end: joule and seconds are its totals, `window` the seconds of a window. */
struct power_range power_range_end(struct power_range w, double joule, double seconds,
				   double window);
/* Adds energy_sm, energy_slice, energy_channel, energy and power to a launch's report. */
void power_report(const struct power_model *p, struct stat_report *r, double seconds,
		  const struct power_range *w);
extern const struct stat_table power_energy_table, power_power_table, power_sm_table,
	power_slice_table, power_channel_table;
/* J and seconds of a report that power_report() was given; false: it has none. */
bool power_of_report(const struct stat_report *r, double *joule, double *seconds);

#endif
