#include "estimate/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* True for statistics that add up over launches: all but rates and products. */
static bool adds_up(const struct stat_def *d)
{
	return d->kind == STAT_SUM ||
	       (d->kind == STAT_REAL && (!strcmp(d->unit, "J") || !strcmp(d->unit, "s")));
}

/* Facts of a launch's code are no sums over launches. */
static bool is_counted(const struct stat_entry *e)
{
	return e->index < 0 && strcmp(e->name, "code") != 0 && strcmp(e->name, "power") != 0;
}

void figures_init(struct figures *f, const struct stat_report *like)
{
	const struct stat_entry *e;
	f->columns = FIGURES_OWN;
	for (size_t i = 0; (e = stat_report_at(like, i)); i++)
		if (is_counted(e)) {
			vec_push(&f->entry, (struct figures_entry){e->t, e->name, f->columns});
			f->columns += stat_slots(e->t);
		}
	f->sum = xcalloc(f->columns, sizeof *f->sum);
	f->most = xcalloc(f->columns, sizeof *f->most);
}

void figures_free(struct figures *f)
{
	for (size_t i = 0; i < f->deviation.n; i++)
		free(f->deviation.v[i]);
	vec_free(&f->deviation);
	vec_free(&f->entry);
	free(f->sum);
	free(f->most);
}

static const struct stat_entry *entry_like(const struct stat_report *r,
					   const struct figures_entry *e, size_t from)
{
	const struct stat_entry *k = stat_report_at(r, from);
	if (k && k->t == e->t && k->index < 0 && !strcmp(k->name, e->name))
		return k;
	for (size_t i = 0; (k = stat_report_at(r, i)); i++)
		if (k->t == e->t && k->index < 0 && !strcmp(k->name, e->name))
			return k;
	return NULL;
}

double *figures_row(const struct figures *f, const struct stat_report *r,
		    const double own[FIGURES_OWN])
{
	double *row = xcalloc(f->columns, sizeof *row);
	memcpy(row, own, FIGURES_OWN * sizeof *row);
	for (size_t i = 0; i < f->entry.n; i++) {
		const struct stat_entry *e = entry_like(r, &f->entry.v[i], i);
		double *to = row + f->entry.v[i].at;
		const uint64_t *v = e ? e->values : NULL;
		for (unsigned k = 0; v && k < e->t->n; k++)
			for (unsigned s = 0; s < e->t->def[k].slots; s++, v++)
				*to++ = e->t->def[k].kind == STAT_REAL ? stat_real(*v) : (double)*v;
	}
	return row;
}

void figures_add(struct figures *f, const double *row, double weight)
{
	for (size_t i = 0; i < f->columns; i++) {
		f->sum[i] += weight * row[i];
		f->most[i] = row[i] > f->most[i] ? row[i] : f->most[i];
	}
}

void figures_deviate(struct figures *f, double *row) { vec_push(&f->deviation, row); }

/* ---- values ---- */

typedef VEC(double) numbers;

static double share(double part, double of) { return of > 0 ? part / of : 0; }

/* Figures of the launches as a whole, from the first values of a row. */
static const struct own_figure {
	const char *name, *unit;
} own_figures[] = {
	{"cycles", "core cycles"},     {"gpu_seconds", "s"}, {"joule", "J"},
	{"ipc", "instructions/cycle"}, {"mean_watts", "W"},  {"edp", "J s"},
};
enum { OWN_FIGURES = sizeof own_figures / sizeof *own_figures };

static void own_values(const struct figures *f, const double *row, numbers *out)
{
	double c = row[FIGURES_CYCLES], s = row[FIGURES_SECONDS], j = row[FIGURES_JOULE];
	vec_push(out, c);
	vec_push(out, s);
	vec_push(out, j);
	vec_push(out, share(f->thread_instructions, c));
	vec_push(out, share(j, s));
	vec_push(out, j * s);
}

static bool has_shares(const struct figures_entry *e) { return !strcmp(e->name, "issue"); }

/* Computes an entry's figures: its counters, derived figures, and the shares of issue slots. */
static void entry_values(const struct figures_entry *e, const double *row, numbers *out)
{
	size_t n = stat_slots(e->t), at = e->at;
	uint64_t *counters = xcalloc(n, sizeof *counters), *to = counters;
	double all = 0;
	for (unsigned k = 0; k < e->t->n; k++)
		for (unsigned s = 0; s < e->t->def[k].slots; s++, at++) {
			const struct stat_def *d = &e->t->def[k];
			double v = row[at];
			*to++ = d->kind == STAT_REAL ? stat_of_real(v)
				: v > 0              ? (uint64_t)(v + 0.5)
						     : 0;
			if (d->kind != STAT_REAL || adds_up(d))
				vec_push(out, v);
			all += v;
		}
	for (unsigned k = 0; k < e->t->nderived; k++)
		vec_push(out, e->t->derived[k].value(counters));
	for (size_t k = 0; has_shares(e) && k < n; k++)
		vec_push(out, share(row[e->at + k], all));
	free(counters);
}

static void all_values(const struct figures *f, const double *row, numbers *out)
{
	out->n = 0;
	own_values(f, row, out);
	for (size_t i = 0; i < f->entry.n; i++)
		entry_values(&f->entry.v[i], row, out);
}

/* Half-widths of the intervals of all figures. */
static void all_halves(const struct figures *f, const numbers *value, double *half)
{
	double *row = xcalloc(f->columns, sizeof *row);
	numbers v = {0};
	for (size_t i = 0; i < f->deviation.n; i++) {
		for (size_t k = 0; k < f->columns; k++)
			row[k] = f->sum[k] + f->deviation.v[i][k];
		all_values(f, row, &v);
		for (size_t k = 0; k < v.n; k++)
			half[k] += (v.v[k] - value->v[k]) * (v.v[k] - value->v[k]);
	}
	for (size_t k = 0; k < value->n; k++)
		half[k] = f->factor * sqrt(half[k]);
	vec_free(&v);
	free(row);
}

struct walk {
	void (*see)(void *arg, const struct figure_value *v);
	void *arg;
	const double *value, *half;
};

static void walk_one(struct walk *w, struct figure_value v)
{
	v.value = *w->value++;
	v.half = *w->half++;
	w->see(w->arg, &v);
}

static void walk_entry(struct walk *w, const struct figures *f, const struct figures_entry *e)
{
	struct figure_value v = {.component = e->name};
	const double *most = f->most + e->at;
	for (unsigned k = 0; k < e->t->n; k++) {
		const struct stat_def *d = &e->t->def[k];
		v.name = d->name;
		v.unit = d->unit;
		v.slots = d->slots;
		for (v.slot = 0; v.slot < d->slots; v.slot++, most++) {
			if (d->kind == STAT_REAL && !adds_up(d))
				continue;
			v.peak = d->kind == STAT_MAX;
			if (v.peak) {
				v.value = *most;
				v.half = 0;
				w->value++;
				w->half++;
				w->see(w->arg, &v);
			} else {
				walk_one(w, v);
			}
		}
	}
	v.slot = 0;
	v.slots = 1;
	v.peak = false;
	for (unsigned k = 0; k < e->t->nderived; k++) {
		v.name = e->t->derived[k].name;
		v.unit = e->t->derived[k].unit;
		walk_one(w, v);
	}
	for (unsigned k = 0; has_shares(e) && k < e->t->n; k++) {
		char name[80];
		snprintf(name, sizeof name, "share.%s", e->t->def[k].name);
		v.name = name;
		v.unit = "";
		walk_one(w, v);
	}
}

void figures_walk(const struct figures *f, void (*see)(void *arg, const struct figure_value *v),
		  void *arg)
{
	numbers value = {0};
	all_values(f, f->sum, &value);
	double *half = xcalloc(value.n + 1, sizeof *half);
	all_halves(f, &value, half);
	struct walk w = {see, arg, value.v, half};
	for (unsigned i = 0; i < OWN_FIGURES; i++)
		walk_one(&w, (struct figure_value){.component = "launch",
						   .name = own_figures[i].name,
						   .unit = own_figures[i].unit,
						   .slots = 1});
	for (size_t i = 0; i < f->entry.n; i++)
		walk_entry(&w, f, &f->entry.v[i]);
	vec_free(&value);
	free(half);
}

struct finder {
	const char *component, *name;
	struct figure_value *out;
	bool found;
};

static void find_one(void *arg, const struct figure_value *v)
{
	struct finder *w = arg;
	if (w->found || strcmp(v->component, w->component) != 0 || strcmp(v->name, w->name) != 0)
		return;
	*w->out = *v;
	w->out->component = w->component;
	w->out->name = w->name;
	w->found = true;
}

bool figures_find(const struct figures *f, const char *component, const char *name,
		  struct figure_value *out)
{
	struct finder w = {component, name, out, false};
	figures_walk(f, find_one, &w);
	return w.found;
}

/* ---- printing ---- */

static double lower_end(const struct figure_value *v)
{
	double low = v->value - v->half;
	return low < 0 && v->value >= 0 ? 0 : low;
}

/* Sets a number in the object, or appends it to the object's list of that name. */
static void put_number(json_t *o, const char *name, const struct figure_value *v, double x)
{
	if (v->slots == 1) {
		json_object_set_new(o, name, json_real(x));
		return;
	}
	if (!json_object_get(o, name))
		json_object_set_new(o, name, json_array());
	json_array_append_new(json_object_get(o, name), json_real(x));
}

static void add_json(void *arg, const struct figure_value *v)
{
	json_t *top = arg, *of = json_object_get(top, v->component), *o;
	if (!of) {
		json_object_set_new(top, v->component, json_object());
		of = json_object_get(top, v->component);
	}
	o = json_object_get(of, v->name);
	if (!o) {
		json_object_set_new(of, v->name, json_object());
		o = json_object_get(of, v->name);
	}
	if (v->peak) {
		put_number(o, "at_least", v, v->value);
		return;
	}
	put_number(o, "value", v, v->value);
	put_number(o, "low", v, lower_end(v));
	put_number(o, "high", v, v->value + v->half);
}

json_t *figures_json(const struct figures *f)
{
	json_t *o = json_object();
	figures_walk(f, add_json, o);
	return o;
}

static void print_one(void *arg, const struct figure_value *v)
{
	FILE *out = arg;
	char name[160];
	if (v->slots > 1 && !v->value)
		return;
	snprintf(name, sizeof name, v->slots > 1 ? "%s.%s[%u]" : "%s.%s", v->component, v->name,
		 v->slot);
	if (v->peak)
		fprintf(out, "%-36s %14.6g  at least       %s\n", name, v->value, v->unit);
	else
		fprintf(out, "%-36s %14.6g  +- %-11.3g %s\n", name, v->value, v->half, v->unit);
}

void figures_print(const struct figures *f, FILE *out) { figures_walk(f, print_one, out); }
