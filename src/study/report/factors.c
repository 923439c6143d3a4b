/* Computes machines, ratios, effects and interactions from the store. factors.h defines them. */
#include "study/report/factors.h"
#include <math.h>
#include <string.h>
#include "heddle.h"

/* ---- machines ---- */

static bool is_factor(const struct sweep_axis *x)
{
	static const char *const others[] = {"machine", "program", "size", "seed", "repetition"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(x->key, others[i]))
			return false;
	return strncmp(x->key, "arg.", 4) && x->value.n > 1;
}

const char *factors_value(const struct factors *f, unsigned factor, unsigned level)
{
	return f->s->axes.v[f->axis[factor]].value.v[level];
}

static unsigned levels(const struct factors *f, unsigned factor)
{
	return (unsigned)f->s->axes.v[f->axis[factor]].value.n;
}

static size_t number_of(const struct factors *f, const unsigned *level)
{
	size_t at = 0;
	for (unsigned i = 0; i < f->n; i++)
		at = at * levels(f, i) + level[i];
	return at;
}

int factors_find(const struct factors *f, const unsigned *level)
{
	return f->at[number_of(f, level)];
}

static double area_of(struct factors *f, const unsigned *level)
{
	const char **set = ARENA_ARRAY(&f->arena, const char *, f->s->set.n + FACTORS_MOST + 1);
	unsigned n = 0;
	for (size_t i = 0; i < f->s->set.n; i++)
		set[n++] = f->s->set.v[i].word;
	for (unsigned i = 0; i < f->n; i++)
		set[n++] = arena_printf(&f->arena, "%s=%s", f->s->axes.v[f->axis[i]].key,
					factors_value(f, i, level[i]));
	const struct sweep_axis *m = &f->s->axes.v[sweep_find(f->s, "machine")];
	return heddle_power_area(m->value.v[0], set);
}

static const char *title_of(struct factors *f, const unsigned *level)
{
	char title[512] = "";
	size_t n = 0;
	for (unsigned i = 0; i < f->n; i++)
		if (level[i] && n < sizeof title - 100)
			n += (size_t)snprintf(title + n, sizeof title - n, "%s%.80s",
					      n ? " + " : "", factors_value(f, i, level[i]));
	return n ? arena_strdup(&f->arena, title) : "base";
}

static void find_factors(struct factors *f)
{
	size_t all = 1;
	for (unsigned i = 0; i < f->s->axes.n; i++)
		if (is_factor(&f->s->axes.v[i]) && f->n < FACTORS_MOST) {
			f->axis[f->n++] = i;
			all *= f->s->axes.v[i].value.n;
		}
	f->at = ARENA_ARRAY(&f->arena, int, all);
	for (size_t i = 0; i < all; i++)
		f->at[i] = -1;
	const struct sweep_axis *p = &f->s->axes.v[sweep_find(f->s, "program")];
	for (size_t i = 0; i < p->value.n; i++)
		vec_push(&f->programs, p->value.v[i]);
}

static void find_machines(struct factors *f)
{
	unsigned *at = ARENA_ARRAY(&f->arena, unsigned, f->s->axes.n);
	for (uint64_t i = 0; i < sweep_size(f->s); i++) {
		struct factor_machine m = {0};
		if (!sweep_at(f->s, i, at))
			continue;
		for (unsigned k = 0; k < f->n; k++)
			m.level[k] = at[f->axis[k]];
		if (factors_find(f, m.level) >= 0)
			continue;
		m.title = title_of(f, m.level);
		m.area = area_of(f, m.level);
		f->at[number_of(f, m.level)] = (int)f->machines.n;
		vec_push(&f->machines, m);
	}
	size_t n = f->machines.n * f->programs.n;
	f->value = ARENA_ARRAY(&f->arena, double, n *MEASURES + 1);
	f->run = ARENA_ARRAY(&f->arena, int64_t, n + 1);
	for (size_t i = 0; i < n * MEASURES; i++)
		f->value[i] = NAN;
}

/* ---- results ---- */

static int index_of(const struct sweep_axis *x, const char *value)
{
	for (size_t i = 0; value && i < x->value.n; i++)
		if (!strcmp(x->value.v[i], value))
			return (int)i;
	return -1;
}

/* Returns the machine that a run's axes name; -1: none of this sweep. */
static int machine_of(const struct factors *f, sqlite3_stmt *axis, int64_t run)
{
	unsigned level[FACTORS_MOST] = {0};
	bool known = true;
	for (unsigned i = 0; i < f->n && known; i++) {
		const struct sweep_axis *x = &f->s->axes.v[f->axis[i]];
		sqlite3_bind_text(axis, 1, x->key, -1, SQLITE_STATIC);
		sqlite3_bind_int64(axis, 2, run);
		int l = sqlite3_step(axis) == SQLITE_ROW
				? index_of(x, (const char *)sqlite3_column_text(axis, 0))
				: -1;
		sqlite3_reset(axis);
		known = l >= 0;
		level[i] = known ? (unsigned)l : 0;
	}
	return known ? factors_find(f, level) : -1;
}

static void put_value(struct factors *f, size_t cell, int64_t run, double cycles, double joules,
		      double seconds)
{
	double *v = f->value + cell * MEASURES;
	f->run[cell] = run; /* the newest run replaces earlier ones: rows come in order */
	v[M_CYCLES] = cycles;
	v[M_JOULES] = joules;
	v[M_EDP] = joules * seconds;
}

static bool load_results(struct factors *f)
{
	static const char runs[] =
		"SELECT r.id, r.program, c.value, e.value, t.value FROM runs r "
		"JOIN figures c ON c.run = r.id AND c.name = (SELECT id FROM names WHERE name = 'cycles') "
		"JOIN figures e ON e.run = r.id AND e.name = (SELECT id FROM names WHERE name = 'energy.total') "
		"JOIN figures t ON t.run = r.id AND t.name = (SELECT id FROM names WHERE name = 'energy.seconds') "
		"WHERE r.size = ?1 AND r.simulator = ?2 AND r.machine = ?3 ORDER BY r.id";
	static const char axes[] = "SELECT value FROM axes WHERE name = (SELECT id FROM names "
				   "WHERE name = ?1) AND run = ?2";
	sqlite3_stmt *q = NULL, *axis = NULL;
	const struct sweep_axis *p = &f->s->axes.v[sweep_find(f->s, "program")],
				*m = &f->s->axes.v[sweep_find(f->s, "machine")];
	bool ok = sqlite3_prepare_v2(f->db->sql, runs, -1, &q, NULL) == SQLITE_OK &&
		  sqlite3_prepare_v2(f->db->sql, axes, -1, &axis, NULL) == SQLITE_OK;
	if (ok) {
		sqlite3_bind_text(q, 1, f->size, -1, SQLITE_STATIC);
		sqlite3_bind_text(q, 2, f->simulator, -1, SQLITE_STATIC);
		sqlite3_bind_text(q, 3, m->value.v[0], -1, SQLITE_STATIC);
	}
	while (ok && sqlite3_step(q) == SQLITE_ROW) {
		int64_t run = sqlite3_column_int64(q, 0);
		int program = index_of(p, (const char *)sqlite3_column_text(q, 1)),
		    machine = machine_of(f, axis, run);
		if (program >= 0 && machine >= 0)
			put_value(f, (size_t)machine * f->programs.n + (size_t)program, run,
				  sqlite3_column_double(q, 2), sqlite3_column_double(q, 3),
				  sqlite3_column_double(q, 4));
	}
	if (!ok)
		snprintf(f->db->why, sizeof f->db->why, "%s: %s", f->db->path,
			 sqlite3_errmsg(f->db->sql));
	sqlite3_finalize(q);
	sqlite3_finalize(axis);
	return ok;
}

double factors_at(const struct factors *f, unsigned machine, unsigned program, enum measure m)
{
	return f->value[((size_t)machine * f->programs.n + program) * MEASURES + m];
}

double factors_figure(const struct factors *f, unsigned machine, unsigned program, const char *name)
{
	static const char text[] = "SELECT value FROM figures WHERE name = (SELECT id FROM names "
				   "WHERE name = ?1) AND run = ?2";
	sqlite3_stmt *q = NULL;
	double x = 0;
	if (sqlite3_prepare_v2(f->db->sql, text, -1, &q, NULL) == SQLITE_OK) {
		sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
		sqlite3_bind_int64(q, 2, f->run[(size_t)machine * f->programs.n + program]);
		if (sqlite3_step(q) == SQLITE_ROW)
			x = sqlite3_column_double(q, 0);
	}
	sqlite3_finalize(q);
	return x;
}

/* ---- means and the front ---- */

static void mean_of(struct factors *f, unsigned machine)
{
	struct factor_machine *m = &f->machines.v[machine];
	unsigned wanted = 0;
	double sum[MEASURES] = {0};
	for (unsigned p = 0; p < f->programs.n; p++) {
		double base = factors_at(f, (unsigned)f->base, p, M_CYCLES);
		wanted += !isnan(base);
		if (isnan(base) || isnan(factors_at(f, machine, p, M_CYCLES)))
			continue;
		m->programs++;
		for (unsigned k = 0; k < MEASURES; k++)
			sum[k] += log(factors_at(f, machine, p, k) /
				      factors_at(f, (unsigned)f->base, p, k));
	}
	for (unsigned k = 0; k < MEASURES; k++)
		m->mean[k] = wanted && m->programs == wanted ? exp(sum[k] / wanted) : NAN;
}

static bool beats(const struct factor_machine *a, const struct factor_machine *b)
{
	return a->mean[M_CYCLES] <= b->mean[M_CYCLES] && a->mean[M_JOULES] <= b->mean[M_JOULES] &&
	       !(a->area > b->area) &&
	       (a->mean[M_CYCLES] < b->mean[M_CYCLES] || a->mean[M_JOULES] < b->mean[M_JOULES] ||
		a->area < b->area);
}

static void find_best(struct factors *f)
{
	f->best = -1;
	for (unsigned i = 0; i < f->machines.n; i++) {
		struct factor_machine *m = &f->machines.v[i];
		if (isnan(m->mean[M_EDP]))
			continue;
		m->front = true;
		for (unsigned k = 0; k < f->machines.n && m->front; k++)
			m->front =
				isnan(f->machines.v[k].mean[M_EDP]) || !beats(&f->machines.v[k], m);
		if (f->best < 0 || m->mean[M_EDP] < f->machines.v[f->best].mean[M_EDP])
			f->best = (int)i;
	}
}

int factors_best(const struct factors *f, unsigned program, enum measure m)
{
	int best = -1;
	for (unsigned i = 0; i < f->machines.n; i++) {
		double x = factors_at(f, i, program, m);
		if (!isnan(x) && (best < 0 || x < factors_at(f, (unsigned)best, program, m)))
			best = (int)i;
	}
	return best;
}

/* ---- effects ---- */

/* Sums of logarithms of ratios. They are averaged over the contexts of a program, then over
 * programs. Contexts of one program are alike, so only programs count as independent samples in the
 * error. */
struct tally {
	double here[MEASURES], sum[MEASURES], square[MEASURES];
	unsigned here_n, n, programs;
};

static void tally_add(struct tally *t, const double *x)
{
	for (unsigned k = 0; k < MEASURES; k++)
		t->here[k] += x[k];
	t->here_n++;
}

static void tally_program(struct tally *t)
{
	for (unsigned k = 0; k < MEASURES && t->here_n; k++) {
		double x = t->here[k] / t->here_n;
		t->sum[k] += x;
		t->square[k] += x * x;
		t->here[k] = 0;
	}
	t->n += t->here_n;
	t->programs += t->here_n > 0;
	t->here_n = 0;
}

static void tally_end(const struct tally *t, struct factor_effect *e)
{
	e->n = t->n;
	e->programs = t->programs;
	for (unsigned k = 0; k < MEASURES; k++) {
		double n = t->programs, mean = t->sum[k] / n, var = t->square[k] / n - mean * mean;
		e->ratio[k] = exp(mean);
		e->error[k] = n > 1 ? sqrt(fmax(var, 0) / (n - 1)) : NAN;
	}
}

/* Returns the machine with factors a and b set back to the base's values; -1: none. */
static int machine_without(const struct factors *f, const struct factor_machine *m, int a, int b)
{
	unsigned level[FACTORS_MOST];
	memcpy(level, m->level, sizeof level);
	if (a >= 0)
		level[a] = 0;
	if (b >= 0)
		level[b] = 0;
	return factors_find(f, level);
}

/* Computes the logarithm of the ratio of machine i to machine j for a program. False: one was not
 * measured. */
static bool log_ratio(const struct factors *f, unsigned i, int j, unsigned p, double *x)
{
	for (unsigned k = 0; k < MEASURES; k++)
		x[k] = log(factors_at(f, i, p, k) / factors_at(f, (unsigned)j, p, k));
	return !isnan(x[0]);
}

static void add_effect(struct factors *f, unsigned factor, unsigned level)
{
	struct tally t = {0};
	for (unsigned p = 0; p < f->programs.n; p++) {
		for (unsigned i = 0; i < f->machines.n; i++) {
			const struct factor_machine *m = &f->machines.v[i];
			int other = m->level[factor] == level
					    ? machine_without(f, m, (int)factor, -1)
					    : -1;
			double x[MEASURES];
			if (other >= 0 && log_ratio(f, i, other, p, x))
				tally_add(&t, x);
		}
		tally_program(&t);
	}
	struct factor_effect e = {.factor = {factor, factor}, .level = {level, level}};
	if (!t.n)
		return;
	tally_end(&t, &e);
	vec_push(&f->effects, e);
}

static void add_interaction(struct factors *f, unsigned a, unsigned la, unsigned b, unsigned lb)
{
	struct tally t = {0};
	for (unsigned p = 0; p < f->programs.n; p++) {
		for (unsigned i = 0; i < f->machines.n; i++) {
			const struct factor_machine *m = &f->machines.v[i];
			if (m->level[a] != la || m->level[b] != lb)
				continue;
			int one = machine_without(f, m, (int)b, -1),
			    other = machine_without(f, m, (int)a, -1),
			    none = machine_without(f, m, (int)a, (int)b);
			double x[MEASURES], y[MEASURES];
			if (one < 0 || other < 0 || none < 0 || !log_ratio(f, i, one, p, x) ||
			    !log_ratio(f, (unsigned)other, none, p, y))
				continue;
			for (unsigned k = 0; k < MEASURES; k++)
				x[k] -= y[k];
			tally_add(&t, x);
		}
		tally_program(&t);
	}
	struct factor_effect e = {.factor = {a, b}, .level = {la, lb}};
	if (!t.n)
		return;
	tally_end(&t, &e);
	vec_push(&f->interactions, e);
}

static int by_size(const void *a, const void *b)
{
	double x = fabs(log(((const struct factor_effect *)a)->ratio[M_EDP])),
	       y = fabs(log(((const struct factor_effect *)b)->ratio[M_EDP]));
	return (x < y) - (x > y);
}

static void find_effects(struct factors *f)
{
	for (unsigned a = 0; a < f->n; a++)
		for (unsigned la = 1; la < levels(f, a); la++) {
			add_effect(f, a, la);
			for (unsigned b = a + 1; b < f->n; b++)
				for (unsigned lb = 1; lb < levels(f, b); lb++)
					add_interaction(f, a, la, b, lb);
		}
	if (f->effects.n)
		qsort(f->effects.v, f->effects.n, sizeof *f->effects.v, by_size);
	if (f->interactions.n)
		qsort(f->interactions.v, f->interactions.n, sizeof *f->interactions.v, by_size);
}

/* ---- the path to the best machine ---- */

int factors_step(const struct factors *f, int from, int to)
{
	const unsigned *now = f->machines.v[from].level, *end = f->machines.v[to].level;
	int best = -1;
	for (unsigned a = 0; a < 2 * f->n && (a < f->n || best < 0); a++)
		for (unsigned b = 0; b < (a < f->n ? 1 : f->n); b++) {
			unsigned level[FACTORS_MOST], x = a % f->n, y = a < f->n ? x : b;
			memcpy(level, now, sizeof level);
			level[x] = end[x];
			level[y] = end[y];
			int m = factors_find(f, level);
			if (m < 0 || m == from || isnan(f->machines.v[m].mean[M_EDP]))
				continue;
			if (best < 0 ||
			    f->machines.v[m].mean[M_EDP] < f->machines.v[best].mean[M_EDP])
				best = m;
		}
	return best;
}

/* ---- */

bool factors_open(struct factors *f, const struct sweep *s, struct db *db, const char *size,
		  const char *simulator)
{
	*f = (struct factors){.s = s, .db = db, .size = size, .simulator = simulator};
	find_factors(f);
	find_machines(f);
	if (!load_results(f))
		return false;
	f->base = factors_find(f, (const unsigned[FACTORS_MOST]){0});
	snprintf(db->why, sizeof db->why, "the combination of all first values is left out");
	if (f->base < 0)
		return false;
	for (unsigned i = 0; i < f->machines.n; i++)
		mean_of(f, i);
	find_best(f);
	find_effects(f);
	snprintf(db->why, sizeof db->why, "%s: no results of the base machine at size %s", db->path,
		 size);
	return f->best >= 0;
}

void factors_close(struct factors *f)
{
	vec_free(&f->programs);
	vec_free(&f->machines);
	vec_free(&f->effects);
	vec_free(&f->interactions);
	arena_free(&f->arena);
}
