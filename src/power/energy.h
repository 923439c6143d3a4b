/* Energy of statistics: a model's rows (power/model.h) bound to the counters of a report, or to running
 * counters. Energies of instances, of classes and of components each add up to the total. Users are
 * reports (gpu/report.c) and the meter of running launches (gpu/meter.h). */
#ifndef POWER_ENERGY_H
#define POWER_ENERGY_H
#include "power/model.h"

struct power_sum { /* energy of one instance, or of all, J */
	double dynamic[COMP_COUNT], timed[COMP_COUNT];
	bool events; /* instances: true if a counter of an event is above 0 */
};

struct power_place {           /* where a counter is found */
	const uint64_t *value; /* address of the counter in the report that the view is bound to */
	uint32_t unit, place;  /* unit and index of the counter in a copy of that report
			        * (stat_report_units()) */
};

struct power_bind { /* one row's counter in one instance */
	struct power_place counter;
	const struct power_row *row;
	double joule;
	uint16_t slots, at; /* slots: of the counter; at: the instance, see power_view.base */
	uint8_t comp;
	bool timed;
};

/* A counter of one instance, with the summed energy per count of all rows bound to it, over all
 * components. */
struct power_counter {
	const uint64_t *value;
	double joule;
	unsigned slots;
};

/* Binds are ordered by instance, events before time: instance i has bind[first[2i]] to
 * bind[first[2i + 1]] - 1 for events, and from there to bind[first[2i + 2]] - 1 for time. */
struct power_view {
	const struct power_model *p;
	VEC(struct power_bind) bind;
	unsigned *first;
	VEC(struct power_counter)
	counter; /* counters with summed energies, in the order of instances */
	/* like `first`, for `counter`: counters of one slot, then counters of several slots */
	unsigned *first_counter;
	double watts;                          /* power of rows that have no counter, W */
	VEC(struct power_place) ops, requests; /* sm.ops of each SM, slice.classes of each slice */
	VEC(uint32_t) sm_unit;                 /* unit of each SM's entries */
	unsigned base[HOME_COUNT + 1]; /* instances of home h are base[h] .. base[h + 1] - 1 */
};

void power_bind(struct power_view *v, const struct power_model *p, const struct stat_report *r);
void power_unbind(struct power_view *v);
/* `of`: energy per instance, base[HOME_COUNT] of them. `all`: their sum. Both are set, not added to.
 * `units`: stat_report_units() of a copy of the report that the view is bound to; NULL: that
 * report's own values. */
void power_sum(const struct power_view *v, const uint64_t *const *units, double seconds,
	       struct power_sum *of, struct power_sum *all);
/* Energy of one instance by its counters, J, without division into components. Rows without a
 * counter are power_view.watts, for all instances together. */
double power_instance(const struct power_view *v, unsigned instance);
/* Energy by class of instruction, J; the classes add up to the total. `units` and `of` as for power_sum(). */
void power_classes(const struct power_view *v, const uint64_t *const *units,
		   const struct power_sum *of, double seconds, double cls[CLASS_COUNT]);
double power_total(const struct power_sum *s);

/* Most and least power of the windows of a launch, W. The windows tile the launch, so that its mean
 * lies between them: a rest at the launch's end, shorter than a window, belongs to the window before
 * it. */
struct power_range {
	double peak, least;
	double joule, seconds; /* sums over all windows */
	/* parts of these sums that belong to the last window, which may still be extended */
	double last_joule, last_seconds;
};
void power_range_add(struct power_range *w, double joule, double seconds);
/* Called at the launch's end: joule and seconds are the launch's totals, `window` the seconds of a window. */
struct power_range power_range_end(struct power_range w, double joule, double seconds,
				   double window);
/* Adds energy_sm, energy_slice, energy_channel, energy and power to a launch's report. */
void power_report(const struct power_model *p, struct stat_report *r, double seconds,
		  const struct power_range *w);
/* power_report() for the report that a view is bound to, or a copy of it (stat_report_copy()). */
void power_report_by(const struct power_view *v, struct stat_report *r, double seconds,
		     const struct power_range *w);
extern const struct stat_table power_energy_table, power_power_table, power_sm_table,
	power_slice_table, power_channel_table;
/* Energy, J, and seconds of a report that power_report() has extended; false: the report has not
 * been extended. */
bool power_of_report(const struct stat_report *r, double *joule, double *seconds);

#endif
