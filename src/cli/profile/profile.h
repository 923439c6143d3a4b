/* heddle profile: figures of a run by the names and in the sections that Nsight Compute has.
 *
 *   metrics.def, metrics.c   a metric of a launch, from the statistics of heddle run --stats
 *   sections.def             the details page: which metrics, by which labels
 *   import.c                 a report of a real ncu run (--csv)
 *   print.c                  both as text, CSV and JSON; hot lines; the roofline's two numbers
 *   page.c                   a page for a browser
 *   profile.c                the command
 * docs/use/profile.md says what each metric counts where it differs from the hardware's. */
#ifndef CLI_PROFILE_PROFILE_H
#define CLI_PROFILE_PROFILE_H
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* ---- metrics ---- */

/* A launch in the statistics of a run. */
struct profiled {
	const json_t *stats;  /* the whole file */
	const json_t *launch; /* an element of "launches" */
	unsigned number;      /* index among the launches of the file */
};
struct metric {
	const char *name, *unit;
	double (*value)(const struct profiled *f); /* NAN: the run has no figure for it */
};
unsigned metric_count(void);
const struct metric *metric_at(unsigned i);
const struct metric *metric_find(const char *name); /* NULL: unknown metric */

struct section_row {
	const char *label, *metric;
};
struct section {
	const char *identifier, *title;
	const struct section_row *row;
	unsigned rows;
};
unsigned section_count(void);
const struct section *section_at(unsigned i);

/* ---- imported reports ---- */

struct imported_value {
	char *metric; /* name, or the label of the details page */
	char *unit;
	double value;
};
struct imported_launch {
	char *kernel;
	struct imported_value *value;
	unsigned nvalues;
};
struct imported {
	struct imported_launch *launch;
	unsigned nlaunches;
};
/* Reads `ncu --csv` with --page raw or details. False: already reported. */
bool report_read(const char *path, struct imported *out);
void report_free(struct imported *in);
/* A metric's value in a launch, in the metric's own unit (bytes, hertz, nanoseconds); NAN: the report has none. */
double report_value(const struct imported_launch *l, const char *metric, const char *label);

/* ---- output ---- */

enum profile_format { PROFILE_TEXT, PROFILE_CSV, PROFILE_JSON, PROFILE_HTML };
struct profile_view {
	enum profile_format format;
	bool raw;             /* all metrics by name, without sections */
	const char *kernels;  /* only launches of kernels with this in their name; NULL: all */
	const char *sections; /* identifiers, separated by commas; NULL: all */
	const struct imported *beside; /* NULL: none */
};
/* False: nothing to print, already reported. */
bool profile_print(const struct profile_view *v, const json_t *stats, FILE *out);
/* page.c: PROFILE_HTML. */
bool profile_page(const struct profile_view *v, const json_t *stats, FILE *out);

#endif
