/* Reports of Nsight Compute: see profile.h.
 *
 * `ncu --csv --page raw` has a row per launch, a column per metric, and units in the second row.
 * `ncu --csv --page details` has a row per launch and metric, named by its label on the page; with
 * --print-summary per-kernel, a row per kernel and metric. Lines
 * before the heading ("==PROF== ...") are skipped. Numbers contain thousands separators; units have
 * prefixes (Gbyte/second). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/profile/profile.h"
#include "command/command.h"

/* ---- fields ---- */

enum { MOST_FIELDS = 4096 };
struct fields {
	char *text[MOST_FIELDS]; /* in the line's own memory */
	unsigned n;
};

/* Splits a line into its fields, in place: quoted fields may contain commas, and two quotes stand
 * for one. Returns the next line; NULL: this was the last one. */
static char *cut_line(char *at, struct fields *f)
{
	f->n = 0;
	for (;;) {
		char *to = at, *from = at;
		bool quoted = *at == '"';
		from += quoted;
		for (; *from; from++) {
			if (quoted && *from == '"' && from[1] == '"')
				from++;
			else if (quoted && *from == '"')
				quoted = false;
			else if (!quoted && *from == '"')
				quoted = true;
			if (!quoted && (*from == ',' || *from == '\n'))
				break;
			if (*from != '"' || (from > at && from[-1] == '"' && quoted))
				*to++ = *from;
		}
		char end = *from;
		if (to > at && to[-1] == '\r')
			to--;
		if (f->n < MOST_FIELDS)
			f->text[f->n++] = at;
		at = from + (end != 0);
		*to = 0;
		if (end != ',')
			return end ? at : NULL;
	}
}

static char *next_line(char *at)
{
	at = strchr(at, '\n');
	return at ? at + 1 : NULL;
}

/* The first row at or after a line: ncu writes its own messages between them, with == before. NULL: none is left. */
static char *find_row(char *at)
{
	while (at &&
	       (!at[strspn(at, "\r\n")] || *at == '\n' || *at == '\r' || !strncmp(at, "==", 2)))
		at = next_line(at);
	return at;
}

/* Finds the line with the names of the columns, which follows any output of the program. NULL:
 * there is none. */
static char *find_heading(char *at)
{
	static const char name[] = "Kernel Name";
	while (at && !memmem(at, strcspn(at, "\n"), name, sizeof name - 1))
		at = next_line(at);
	return at;
}

static int find_field(const struct fields *f, const char *name)
{
	for (unsigned i = 0; i < f->n; i++)
		if (!strcmp(f->text[i], name))
			return (int)i;
	return -1;
}

/* A number with thousands separators; NAN: the text is not a number. */
static double read_number(const char *text)
{
	char plain[64], *end;
	size_t n = 0;
	for (; *text && n + 1 < sizeof plain; text++)
		if (*text != ',' && *text != ' ')
			plain[n++] = *text;
	plain[n] = 0;
	double v = strtod(plain, &end);
	return n && !*end ? v : NAN;
}

/* Factor of a unit's prefix: Gbyte/second, Mhz, usecond, Kbyte/block. */
static double unit_factor(const char *unit)
{
	static const struct {
		const char *unit;
		double factor;
	} rows[] = {{"Tbyte", 1e12},
		    {"Gbyte", 1e9},
		    {"Mbyte", 1e6},
		    {"Kbyte", 1e3},
		    {"Ghz", 1e9},
		    {"Mhz", 1e6},
		    {"Khz", 1e3},
		    {"GHz", 1e9},
		    {"MHz", 1e6},
		    {"KHz", 1e3},
		    {"nsecond", 1},
		    {"usecond", 1e3},
		    {"msecond", 1e6},
		    {"second", 1e9},
		    {"ns", 1},
		    {"us", 1e3},
		    {"ms", 1e6},
		    {"s", 1e9},
		    {"cycle/nsecond", 1e9},
		    {"cycle/usecond", 1e6}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t n = strlen(rows[i].unit);
		if (!strncmp(unit, rows[i].unit, n) && (!unit[n] || unit[n] == '/'))
			return rows[i].factor;
	}
	return 1;
}

/* ---- launches ---- */

static struct imported_launch *add_launch(struct imported *r, const char *kernel)
{
	struct imported_launch *more = realloc(r->launch, (r->nlaunches + 1) * sizeof *more);
	if (!more)
		return NULL;
	r->launch = more;
	r->launch[r->nlaunches] = (struct imported_launch){.kernel = strdup(kernel)};
	return &r->launch[r->nlaunches++];
}

static bool add_value(struct imported_launch *l, const char *section, const char *metric,
		      const char *unit, const char *number)
{
	double v = read_number(number);
	if (isnan(v))
		return true; /* a text, such as a cache setting */
	struct imported_value *more = realloc(l->value, (l->nvalues + 1) * sizeof *more);
	if (!more)
		return false;
	l->value = more;
	l->value[l->nvalues++] =
		(struct imported_value){strdup(metric), section ? strdup(section) : NULL,
					strdup(unit), v * unit_factor(unit)};
	return true;
}

static bool read_raw(char *at, const struct fields *head, struct imported *r)
{
	static struct fields units, row;
	int kernel = find_field(head, "Kernel Name");
	at = cut_line(at, &units);
	while ((at = find_row(at))) {
		at = cut_line(at, &row);
		if (row.n != head->n)
			return false;
		struct imported_launch *l = add_launch(r, row.text[kernel]);
		for (unsigned i = 0; l && i < row.n; i++)
			if (strstr(head->text[i], "__") &&
			    !add_value(l, NULL, head->text[i], i < units.n ? units.text[i] : "",
				       row.text[i]))
				return false;
	}
	return true;
}

static bool read_details(char *at, const struct fields *head, struct imported *r)
{
	static struct fields row;
	int id = find_field(head, "ID"), kernel = find_field(head, "Kernel Name"),
	    name = find_field(head, "Metric Name"), unit = find_field(head, "Metric Unit"),
	    value = find_field(head, "Metric Value"), mean = find_field(head, "Average"),
	    section = find_field(head, "Section Name");
	char last[1024] = "none";
	struct imported_launch *l = NULL;
	/* --print-summary per-kernel: a row per kernel and metric, with the mean of its launches */
	if (mean >= 0 && value < 0) {
		value = mean;
		id = kernel;
	}
	if (id < 0 || unit < 0 || value < 0)
		return false;
	while ((at = find_row(at))) {
		at = cut_line(at, &row);
		if (row.n != head->n)
			return false;
		if (!l || strcmp(last, row.text[id])) {
			l = add_launch(r, row.text[kernel]);
			snprintf(last, sizeof last, "%s", row.text[id]);
		}
		if (!l || (*row.text[name] &&
			   !add_value(l, section < 0 ? NULL : row.text[section], row.text[name],
				      row.text[unit], row.text[value])))
			return false;
	}
	return true;
}

bool report_read(const char *path, struct imported *out)
{
	static struct fields head;
	size_t size;
	char *text = cli_read("profile", path, &size), *at = text;
	bool ok = false;
	*out = (struct imported){0};
	if (!text)
		return false;
	for (bool found = false; !found && (at = find_heading(at));) {
		at = cut_line(at, &head);
		found = find_field(&head, "Kernel Name") >= 0;
		if (found && at)
			ok = find_field(&head, "Metric Name") >= 0 ? read_details(at, &head, out)
								   : read_raw(at, &head, out);
	}
	free(text);
	if (ok && out->nlaunches)
		return true;
	cli_error(
		"profile",
		"%s: expected the output of ncu --csv with --page raw or --page details, and whole lines",
		path);
	report_free(out);
	return false;
}

void report_free(struct imported *in)
{
	for (unsigned i = 0; i < in->nlaunches; i++) {
		struct imported_launch *l = &in->launch[i];
		for (unsigned k = 0; k < l->nvalues; k++) {
			free(l->value[k].metric);
			free(l->value[k].section);
			free(l->value[k].unit);
		}
		free(l->value);
		free(l->kernel);
	}
	free(in->launch);
	*in = (struct imported){0};
}

/* Older versions say "GPU Speed Of Light" for "GPU Speed Of Light Throughput". */
static bool is_same_section(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	return !strncmp(a, b, n < m ? n : m);
}

double report_value(const struct imported_launch *l, const char *metric, const char *title,
		    const char *label)
{
	for (unsigned i = 0; i < l->nvalues; i++) {
		const struct imported_value *v = &l->value[i];
		if (!strcmp(v->metric, metric) ||
		    (label && !strcmp(v->metric, label) &&
		     (!v->section || is_same_section(v->section, title))))
			return v->value;
	}
	return NAN;
}
