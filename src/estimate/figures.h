/* Figures of a program of which a part was timed: counters that add up over launches are weighted
 * sums, and rates and means are computed from these sums, so every figure has an interval.
 *
 * A sample is all counters of a timed launch as one row of numbers. A deviation is a row too: an
 * error of the weighted sum of all rows that is independent of the other deviations. The variance
 * of a figure is the sum of the squares of its changes under each deviation. */
#ifndef ESTIMATE_FIGURES_H
#define ESTIMATE_FIGURES_H
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/vec.h"
#include "stat/stat.h"

struct figures_entry {
	const struct stat_table *t;
	const char *name;
	size_t at; /* index of the component's first counter in a row */
};

/* Positions of the first values of a row, which belong to the launch and not to a component. */
enum figures_own { FIGURES_CYCLES, FIGURES_SECONDS, FIGURES_JOULE, FIGURES_OWN };

struct figures {
	VEC(struct figures_entry) entry;
	size_t columns;             /* numbers in a row; 0: no sample yet */
	double *sum, *most;         /* per column: weighted sum; largest value, for peaks */
	VEC(double *) deviation;    /* deviations of the weighted sums, one row each */
	double thread_instructions; /* thread instructions of the whole program, exact */
	double factor;              /* half-width of an interval per standard error */
};

/* One figure of the program. */
struct figure_value {
	const char *component, *name, *unit;
	unsigned slot, slots; /* slots above 1: bucket `slot` of a histogram */
	double value, half;   /* half: half-width of the 95 % interval */
	bool peak; /* the figure is a maximum: the largest timed value is a lower bound */
};

/* Sets the columns after a report's entries: totals, and instances without a number. */
void figures_init(struct figures *f, const struct stat_report *like);
void figures_free(struct figures *f);
/* Returns a launch's counters as a row, malloc'ed. */
double *figures_row(const struct figures *f, const struct stat_report *r,
		    const double own[FIGURES_OWN]);
/* Adds a row, multiplied by the weight, to the sums. Peaks are not multiplied. */
void figures_add(struct figures *f, const double *row, double weight);
/* Adds a deviation; takes ownership of the row. */
void figures_deviate(struct figures *f, double *row);
/* Calls `see` for every figure, in the order of the report. */
void figures_walk(const struct figures *f, void (*see)(void *arg, const struct figure_value *v),
		  void *arg);
/* Finds a figure by component and name; false: the report has no such figure. */
bool figures_find(const struct figures *f, const char *component, const char *name,
		  struct figure_value *out);
/* Returns {component: {name: {value, low, high}}}; histograms are lists, peaks have `at_least`. */
json_t *figures_json(const struct figures *f);
void figures_print(const struct figures *f, FILE *out);

#endif
