/* Explains why two runs differ in energy. A run's energy is a sum of counts x coefficients, and its
 * statistics have both, so the difference splits into three parts without a remainder:
 *
 * 	time          (n_B - n_A) c_A   for rows proportional to time or to time in a state
 * 	events        (n_B - n_A) c_A   for the other rows
 * 	coefficients  n_B (c_B - c_A)   for all rows */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>
#include "command/command.h"
#include "cli/power.h"

struct side {
	const char *file;
	json_t *all;
	double seconds, total;
};

struct split_row {
	const char *component;
	double a, b, time, events, coefficients;
};
enum { MAX_ROWS = 64 };

static bool load_run(struct side *s, const char *file)
{
	json_error_t e;
	s->file = file;
	s->all = json_load_file(file, 0, &e);
	const json_t *energy = json_object_get(s->all, "energy");
	if (!s->all)
		cli_error("power", "%s:%d: %s", file, e.line, e.text);
	else if (!json_is_array(json_object_get(json_object_get(s->all, "power_model"), "rows")) ||
		 !json_is_array(json_object_get(s->all, "launches")) ||
		 !json_is_number(json_object_get(energy, "total")))
		cli_error("power",
			  "%s: no energies; expected what --stats FILE.json writes in timing mode",
			  file);
	else {
		s->total = json_number_value(json_object_get(energy, "total"));
		s->seconds = json_number_value(json_object_get(energy, "seconds"));
		return true;
	}
	return false;
}

/* Returns a counter of one launch, whole or one slot of it. */
static double count_in(const json_t *launch, const char *inst, const char *name, int slot)
{
	const json_t *v =
		json_object_get(json_object_get(json_object_get(launch, "timing"), inst), name);
	double sum = 0;
	size_t i;
	json_t *x;
	if (json_is_number(v))
		return json_number_value(v);
	if (slot >= 0)
		return json_number_value(json_array_get(v, (size_t)slot));
	json_array_foreach (v, i, x)
		sum += json_number_value(x);
	return sum;
}

/* Returns a row's count in a run, whose counter has the form "sm.a+b" or "sm.a-b"; seconds for a
 * row without a counter. */
static double count_of(const struct side *s, const json_t *row)
{
	const char *text = json_string_value(json_object_get(row, "counter"));
	const json_t *at = json_object_get(row, "slot");
	const json_t *launches = json_object_get(s->all, "launches");
	int slot = at ? (int)json_integer_value(at) : -1;
	double sum = 0, sign = 1;
	if (!text)
		return s->seconds;
	const char *dot = strchr(text, '.');
	if (!dot)
		return 0;
	char *inst = strndup(text, (size_t)(dot - text));
	for (const char *p = dot + 1; inst && *p;) {
		size_t n = strcspn(p, "+-"), i;
		char *name = strndup(p, n);
		json_t *launch;
		json_array_foreach (launches, i, launch)
			sum += name ? sign * count_in(launch, inst, name, slot) : 0;
		free(name);
		sign = p[n] == '-' ? -1 : 1;
		p += n + (p[n] != 0);
	}
	free(inst);
	return sum;
}

/* Returns the clock that converts the row's count to seconds, so that another clock does not look
 * like another coefficient. */
static double clock_of(const json_t *row)
{
	double hz = json_number_value(json_object_get(row, "hz"));
	return hz > 0 ? hz : 1;
}

static double scaled_count(const struct side *s, const json_t *row)
{
	return count_of(s, row) / clock_of(row);
}

static double joule(const json_t *row)
{
	return row ? json_number_value(json_object_get(row, "joule")) * clock_of(row) : 0;
}

static const json_t *rows_of(const struct side *s)
{
	return json_object_get(json_object_get(s->all, "power_model"), "rows");
}

static const json_t *find_event(const json_t *rows, const char *event)
{
	size_t i;
	json_t *r;
	json_array_foreach (rows, i, r) {
		const char *name = json_string_value(json_object_get(r, "event"));
		if (name && !strcmp(name, event))
			return r;
	}
	return NULL;
}

static struct split_row *row_of(struct split_row *p, unsigned *n, const char *component)
{
	for (unsigned i = 0; i < *n; i++)
		if (!strcmp(p[i].component, component))
			return &p[i];
	if (*n == MAX_ROWS)
		return &p[MAX_ROWS - 1];
	p[*n] = (struct split_row){.component = component};
	return &p[(*n)++];
}

/* Adds a row; a row that one run lacks has coefficient 0 there. */
static void add_row(struct split_row *p, const struct side *a, const struct side *b,
		    const json_t *ra, const json_t *rb)
{
	const json_t *any = ra ? ra : rb;
	double ca = joule(ra);
	double cb = joule(rb);
	double na = scaled_count(a, any), nb = scaled_count(b, rb ? rb : ra);
	p->a += na * ca;
	p->b += nb * cb;
	if (json_is_true(json_object_get(any, "timed")))
		p->time += (nb - na) * ca;
	else
		p->events += (nb - na) * ca;
	p->coefficients += nb * (cb - ca);
}

static unsigned split_difference(const struct side *a, const struct side *b, struct split_row *p)
{
	unsigned n = 0;
	size_t i;
	json_t *r;
	for (int pass = 0; pass < 2; pass++) {
		json_array_foreach (rows_of(pass ? b : a), i, r) {
			const char *event = json_string_value(json_object_get(r, "event"));
			const char *comp = json_string_value(json_object_get(r, "component"));
			const json_t *other =
				event ? find_event(rows_of(pass ? a : b), event) : NULL;
			if (!event || !comp || (pass && other))
				continue;
			add_row(row_of(p, &n, comp), a, b, pass ? NULL : r, pass ? r : other);
		}
	}
	return n;
}

static void line(const struct split_row *p)
{
	printf("%-12s %13.6g %13.6g %+13.6g %+13.6g %+13.6g %+13.6g\n", p->component, p->a, p->b,
	       p->b - p->a, p->time, p->events, p->coefficients);
}

static struct split_row sum_of(const struct split_row *row, unsigned n)
{
	struct split_row sum = {.component = "total"};
	for (unsigned i = 0; i < n; i++) {
		sum.a += row[i].a;
		sum.b += row[i].b;
		sum.time += row[i].time;
		sum.events += row[i].events;
		sum.coefficients += row[i].coefficients;
	}
	return sum;
}

static void print_split(const struct side *a, const struct side *b, const struct split_row *row,
			unsigned n, const struct split_row *sum)
{
	printf("%-12s %13s %13s %13s %13s %13s %13s\n", "J", "A", "B", "B - A", "time", "events",
	       "coefficients");
	for (unsigned i = 0; i < n; i++)
		if (row[i].a != 0 || row[i].b != 0)
			line(&row[i]);
	line(sum);
	printf("%-12s %13.6g %13.6g %+13.6g\n", "seconds", a->seconds, b->seconds,
	       b->seconds - a->seconds);
	if (a->total > 0 && a->seconds > 0)
		printf("energy %+.2f %%, time %+.2f %%, EDP %+.2f %%\n",
		       100 * (b->total / a->total - 1), 100 * (b->seconds / a->seconds - 1),
		       100 * (b->total * b->seconds / (a->total * a->seconds) - 1));
}

static bool differ(double sum, double total) { return !(fabs(sum - total) <= 1e-9 * fabs(total)); }

int power_compare(const char *fa, const char *fb)
{
	struct side a = {0}, b = {0};
	struct split_row row[MAX_ROWS];
	int rc = CLI_FAILED;
	if (load_run(&a, fa) && load_run(&b, fb)) {
		unsigned n = split_difference(&a, &b, row);
		struct split_row sum = sum_of(row, n);
		/* the sums must equal the energies that the runs reported */
		if (differ(sum.a, a.total) || differ(sum.b, b.total)) {
			cli_error(
				"power",
				"the files' counters give %.10g and %.10g J, their totals say %.10g and %.10g",
				sum.a, sum.b, a.total, b.total);
		} else {
			print_split(&a, &b, row, n, &sum);
			rc = CLI_OK;
		}
	}
	json_decref(a.all);
	json_decref(b.all);
	return rc;
}
