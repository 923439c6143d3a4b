/* Evaluates a study's expressions once there are results. study.h has the interface. */
#include "study/lang/study.h"
#include <math.h>
#include <string.h>
#include <strings.h>
#include "command/suite.h"
#include "study/lang/options.h"

const char *const study_verdict_words[VERDICTS] = {
	[VERDICT_AGREES] = "agrees",
	[VERDICT_ON_AVERAGE] = "agrees on average only",
	[VERDICT_DIRECTION] = "direction only",
	[VERDICT_DIFFERS] = "differs",
	[VERDICT_UNEXERCISED] = "not exercised",
	[VERDICT_WRONG_SIZE] = "not measured at this size",
	[VERDICT_UNMEASURED] = "not measured",
};

void study_free(struct study *s)
{
	if (!s)
		return;
	vec_free(&s->programs);
	vec_free(&s->runs);
	vec_free(&s->bases);
	vec_free(&s->mechanisms);
	vec_free(&s->values);
	vec_free(&s->figures);
	vec_free(&s->claims);
	vec_free(&s->remarks);
	vec_free(&s->broken);
	arena_free(&s->arena);
	free(s);
}

const char *study_timed(const struct study_program *p, const char *size)
{
	return p->cut && !strcmp(p->cut, size) ? p->timed : NULL;
}

int study_find_value(const struct study *s, const char *name)
{
	for (size_t i = 0; i < s->values.n; i++)
		if (!strcmp(s->values.v[i].name, name))
			return (int)i;
	return -1;
}

bool study_check_programs(const struct study *s, const struct suite *suite, struct diag *d)
{
	for (size_t i = 0; i < s->programs.n; i++) {
		const struct study_program *p = &s->programs.v[i];
		struct srcloc at = {.file = s->path, .line = p->line, .col = 1};
		bool known = false;
		for (unsigned k = 0; k < suite->n; k++)
			known |= !strcasecmp(suite->row[k].name, p->workload);
		if (!known)
			diag_at(d, DIAG_ERROR, &at,
				"[program %s]: no workload %s; heddle workloads lists them",
				p->name, p->workload);
	}
	return !d->errors;
}

/* True if an error of this line has been reported already. */
static bool is_said(const struct diag *d, unsigned line)
{
	for (unsigned i = 0; i < d->n; i++)
		if (d->msg[i].line == line)
			return true;
	return false;
}

/* Checks that the run's machine takes the options of all programs. */
static void check_program_settings(struct study *s, const struct study_run *r, struct diag *d)
{
	for (size_t i = 0; i < s->programs.n; i++) {
		const struct study_program *p = &s->programs.v[i];
		struct srcloc at = {.file = s->path, .line = p->set_line, .col = 1};
		for (unsigned k = 0; k < p->nset && !is_said(d, p->set_line); k++) {
			const char *wrong = options_wrong(&s->arena, r->machine, p->set[k]);
			if (wrong)
				diag_at(d, DIAG_ERROR, &at, "[program %s]: set = %s: %s", p->name,
					p->set[k], wrong);
		}
	}
}

/* Why the run's machine cannot be built; NULL: it can. An earlier run of that machine has the answer. */
static const char *find_no_machine(struct study *s, size_t run, const char **why)
{
	for (size_t i = 0; i < run; i++)
		if (!strcmp(s->runs.v[i].machine, s->runs.v[run].machine))
			return why[run] = why[i];
	return why[run] = options_no_machine(&s->arena, s->runs.v[run].machine);
}

/* Errors in settings that all runs share are reported once. */
bool study_check_options(struct study *s, struct diag *d)
{
	const char **whys = ARENA_ARRAY(&s->arena, const char *, s->runs.n + 1);
	for (size_t i = 0; i < s->runs.n; i++) {
		const struct study_run *r = &s->runs.v[i];
		struct srcloc at = {.file = s->path, .line = r->machine_line, .col = 1};
		const char *why = find_no_machine(s, i, whys);
		if (why && !(r->machine_line == s->machine_line && is_said(d, at.line)))
			diag_at(d, DIAG_ERROR, &at, "[run %s]: machine = %s: %s", r->name,
				r->machine, why);
		if (!why)
			check_program_settings(s, r, d);
		for (unsigned k = 0; k < r->nset && !why; k++) {
			const char *wrong = options_wrong(&s->arena, r->machine, r->set[k]);
			at.line = k < r->shared ? s->set_line : r->set_line;
			if (wrong && !(k < r->shared && is_said(d, at.line)))
				diag_at(d, DIAG_ERROR, &at, "[run %s]: set = %s: %s", r->name,
					r->set[k], wrong);
		}
	}
	return !d->errors;
}

static bool in_list(const char *list, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
		if (!strncasecmp(p, name, n) && (!p[n] || p[n] == ','))
			return true;
	return false;
}

/* Expressions contain program numbers, so unselected programs keep theirs; they are only never
 * measured. */
bool study_choose(struct study *s, const char *list, struct diag *d)
{
	for (const char *p = list; *p;) {
		char one[64];
		size_t n = strcspn(p, ",");
		bool known = false;
		snprintf(one, sizeof one, "%.*s", (int)n, p);
		for (size_t i = 0; i < s->programs.n; i++)
			known |= !strcasecmp(one, s->programs.v[i].name);
		if (!known)
			diag_error(d, "the study has no program %s", one);
		p += n + (p[n] == ',');
	}
	if (d->errors)
		return false;
	for (size_t i = 0; i < s->programs.n; i++)
		s->programs.v[i].skipped = !in_list(list, s->programs.v[i].name);
	return true;
}

bool study_choose_quick(struct study *s, struct diag *d)
{
	bool any = false;
	for (size_t i = 0; i < s->programs.n; i++) {
		s->programs.v[i].skipped = !s->programs.v[i].quick;
		any |= s->programs.v[i].quick;
	}
	if (!any)
		diag_error(d, "--quick: no program of the study %s is marked quick = yes", s->name);
	return any;
}

double study_value(const struct study *s, unsigned value, int program)
{
	return expr_eval(s->values.v[value].expr, &s->world, program);
}

double study_value_mean(const struct study *s, unsigned value)
{
	double sum = 0;
	unsigned n = 0;
	if (!expr_varies(s->values.v[value].expr))
		return study_value(s, value, -1);
	for (size_t i = 0; i < s->programs.n; i++) {
		double x = study_value(s, value, (int)i);
		if (!isnan(x))
			sum += x, n++;
	}
	return n ? sum / n : NAN;
}

unsigned study_value_missing(const struct study *s, unsigned value)
{
	uint64_t missing = 0;
	struct expr_world w = s->world;
	w.missing = &missing;
	for (size_t i = 0; i < s->programs.n; i++)
		expr_eval(s->values.v[value].expr, &w, (int)i);
	return (unsigned)__builtin_popcountll(missing);
}

const char *study_mean_name(const struct study *s, const struct study_figure *g)
{
	static __thread char name[64];
	unsigned missing = 0;
	for (unsigned i = 0; i < g->nvalues; i++) {
		unsigned n = study_value_missing(s, g->value[i]);
		missing = n > missing ? n : missing;
	}
	if (missing)
		snprintf(name, sizeof name, "mean of %zu of %zu", s->programs.n - missing,
			 s->programs.n);
	else if (g->only)
		snprintf(name, sizeof name, "mean of all %zu", s->programs.n);
	else
		return "mean";
	return name;
}

bool study_divides_by_zero(const struct study *s, const struct expr *e)
{
	bool by_zero = false;
	struct expr_world w = s->world;
	w.by_zero = &by_zero;
	expr_eval(e, &w, -1);
	return by_zero;
}

bool study_claim_holds_for(const struct study *s, const struct study_claim *c, unsigned program)
{
	double x = c->each ? expr_eval(c->each, &s->world, (int)program) : 1;
	return isnan(x) || x != 0;
}

bool study_figure_has(const struct study_figure *g, const struct study *s, unsigned program)
{
	const struct study_program *p = &s->programs.v[program];
	return !p->skipped && (!g->only || in_list(g->only, p->name));
}

/* ---- do the runs of a claim differ? ---- */

/* A program's figure in the first run for which it was requested. */
struct first_figure {
	unsigned program, run;
	const char *name;
	int first, last;
	double value;
};

/* Figures that a claim compares: `compared`: of several runs; `differ`: they are not all equal. */
struct comparison {
	const struct expr_world *world;
	VEC(struct first_figure) figures;
	bool compared, differ;
};

static double note_figure(const void *arg, unsigned program, unsigned run, const char *name,
			  int first, int last)
{
	struct comparison *c = (struct comparison *)(uintptr_t)arg;
	double x = c->world->figure(c->world->arg, program, run, name, first, last);
	for (size_t i = 0; i < c->figures.n; i++) {
		const struct first_figure *f = &c->figures.v[i];
		if (f->program != program || f->first != first || f->last != last ||
		    strcmp(f->name, name) != 0)
			continue;
		c->compared |= f->run != run;
		c->differ |= f->run != run && f->value != x;
		return x;
	}
	struct first_figure new = {program, run, name, first, last, x};
	vec_push(&c->figures, new);
	return x;
}

/* True if the quantity compares runs all of whose figures are equal. */
static bool compares_equals(const struct study *s, const struct expr *e)
{
	struct comparison c = {.world = &s->world};
	struct expr_world w = s->world;
	w.arg = &c;
	w.figure = note_figure;
	expr_eval(e, &w, -1);
	vec_free(&c.figures);
	return c.compared && !c.differ;
}

/* ---- verdicts ---- */

/* True if x exceeds the limit by more than rounding errors. */
static bool is_beyond(double x, double limit) { return x - limit > 1e-9 * (fabs(limit) + 1); }

static bool is_expected(const struct study_claim *c, double x)
{
	switch (c->kind) {
	case EXPECT_AT_LEAST: return x >= c->number - c->tolerance;
	case EXPECT_AT_MOST: return x <= c->number + c->tolerance;
	case EXPECT_ABOVE: return is_beyond(x, c->number);
	case EXPECT_BELOW: return is_beyond(c->number, x);
	default: return fabs(x - c->number) <= c->tolerance;
	}
}

static bool has_direction(const struct study_claim *c, const struct expr_world *w)
{
	double x = c->direction ? expr_eval(c->direction, w, -1) : 0;
	return !isnan(x) && x != 0;
}

/* The programs among `missing`, a set, that should have been measured. */
static uint64_t needed_of(const struct study *s, uint64_t missing)
{
	for (unsigned p = 0; s->partial && p < s->programs.n; p++)
		if (s->programs.v[p].skipped)
			missing &= ~(1ull << p);
	return missing;
}

enum verdict study_verdict(const struct study *s, const struct study_claim *c, double *measured)
{
	uint64_t missing = 0;
	struct expr_world w = s->world;
	w.missing = &missing;
	double x = *measured = expr_eval(c->expr, &w, -1);
	if (c->sizes && s->size && !in_list(c->sizes, s->size))
		return VERDICT_WRONG_SIZE;
	if (isnan(x) || needed_of(s, missing))
		return VERDICT_UNMEASURED;
	if (!c->equal && compares_equals(s, c->expr))
		return VERDICT_UNEXERCISED;
	if (!is_expected(c, x))
		return has_direction(c, &w) ? VERDICT_DIRECTION : VERDICT_DIFFERS;
	for (unsigned p = 0; p < s->programs.n; p++)
		if (!study_claim_holds_for(s, c, p))
			return VERDICT_ON_AVERAGE;
	for (unsigned p = 0; c->each && p < s->programs.n; p++)
		if (isnan(expr_eval(c->each, &w, (int)p)) || needed_of(s, missing))
			return VERDICT_UNMEASURED;
	return VERDICT_AGREES;
}

void study_count_verdicts(const struct study *s, unsigned count[VERDICTS])
{
	double x;
	memset(count, 0, VERDICTS * sizeof *count);
	for (size_t i = 0; i < s->claims.n; i++)
		count[study_verdict(s, &s->claims.v[i], &x)]++;
}

bool study_remark_holds(const struct study *s, const struct study_remark *r, const char *size)
{
	if (r->sizes && !in_list(r->sizes, size))
		return false;
	double x = r->when ? expr_eval(r->when, &s->world, -1) : 1;
	return !isnan(x) && x != 0;
}

static void put_number(const struct study *s, const char *in, size_t n, void (*put)(FILE *, char),
		       FILE *f)
{
	struct arena a = {0};
	char *text = arena_strndup(&a, in, n), *bar = strrchr(text, '|'), number[64];
	const char *why;
	int digits = bar ? atoi(bar + 1) : 2;
	if (bar)
		*bar = 0;
	const struct expr *e =
		expr_parse(&s->world, text, &a, &why); /* cannot fail: the reader has parsed it */
	double x = e ? expr_eval(e, &s->world, -1) : NAN;
	if (fabs(x) < 0.5 * pow(10, -digits))
		x = 0; /* avoids "-0.00" */
	snprintf(number, sizeof number, isnan(x) ? "(not measured)" : "%.*f", digits, x);
	for (const char *p = number; *p; p++)
		put(f, *p);
	arena_free(&a);
}

void study_text(const struct study *s, const char *text, void (*put)(FILE *f, char c), FILE *f)
{
	for (const char *p = text; *p; p++) {
		const char *end = *p == '{' ? strchr(p, '}') : NULL;
		if (end) {
			put_number(s, p + 1, (size_t)(end - p - 1), put, f);
			p = end;
		} else {
			put(f, *p);
		}
	}
}
