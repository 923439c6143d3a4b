/* heddle profile: figures of a run under the names and in the sections of Nsight Compute.
 *
 *   metrics.def, metrics.c   a metric of a launch, from the statistics of heddle run --stats
 *   sections.def             the details page: its metrics and their labels
 *   import.c                 reads a report of a real ncu run (--csv)
 *   names.c                  compares kernels' names as ncu and compilers write them
 *   print.c                  prints both as text, CSV and JSON; hot lines; the roofline's two numbers
 *   page.c                   a page for a browser
 *   profile.c                the command
 *
 * docs/use/profile.md describes each metric that counts something different from the hardware's. */
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
	/* returns the metric's value; NAN: the run lacks the figure */
	double (*value)(const struct profiled *f);
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
	char *metric;  /* name of the metric, or its label on the details page */
	char *section; /* details page: the section's title; NULL: another page */
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
/* True if two demangled names may be the same kernel's. Either name may lack the result type,
 * namespaces or classes in front, template arguments and parameters: ns::T::run and "void
 * T<(int)4>::run(float *)" match. */
bool kernels_match(const char *a, const char *b);
/* Reads the output of `ncu --csv` with --page raw or details. False: an error, reported. */
bool report_read(const char *path, struct imported *out);
void report_free(struct imported *in);
/* Returns a metric's value in a launch, in the metric's unit (bytes, hertz, nanoseconds). The
 * metric is found by its name or, on the details page, by its label in the section of that title.
 * NAN: not in the report. */
double report_value(const struct imported_launch *l, const char *metric, const char *title,
		    const char *label);

/* ---- output ---- */

enum profile_format { PROFILE_TEXT, PROFILE_CSV, PROFILE_JSON, PROFILE_HTML };
struct profile_view {
	enum profile_format format;
	bool raw;             /* all metrics by name, without sections */
	const char *kernels;  /* only launches whose kernel's name contains this text; NULL: all */
	const char *sections; /* identifiers, separated by commas; NULL: all */
	const struct imported *beside; /* report that is printed beside the run; NULL: none */
};
/* Prints the profile. False: there is nothing to print, which has been reported. */
bool profile_print(const struct profile_view *v, const json_t *stats, FILE *out);
/* Writes the position of an instruction: line of the CUDA source, otherwise line of the PTX,
 * otherwise the address of machine code without lines. */
void profile_place(const json_t *instruction, char *out, size_t n);
/* page.c: writes the page of PROFILE_HTML. */
bool profile_page(const struct profile_view *v, const json_t *stats, FILE *out);

#endif
