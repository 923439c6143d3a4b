/* Adds each kind of section of a study file to the study. study.h describes the format. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/choice.h"
#include "study/lang/section.h"

/* Checks the characters of a name, which becomes part of file names and expressions. */
static bool is_name(const char *s, const char *more)
{
	if (!isalnum((unsigned char)*s))
		return false;
	while (isalnum((unsigned char)*s) || (*s && strchr(more, *s)))
		s++;
	return !*s;
}

/* Checks that a value's name can be used in an expression, where functions have names too. */
static bool check_name(struct reading *r)
{
	unsigned errors = r->d->errors;
	const char *kind = r->current.kind, *name = r->current.name;
	bool value = !strcmp(kind, "value");
	if (value ? !is_name(name, "_.") || !isalpha((unsigned char)*name) : !is_name(name, "_-.+"))
		section_complain(
			r, NULL,
			"[%s %s]: expected a name of letters, digits%s, which begins with a letter%s",
			kind, name, value ? ", _ and ." : ", _, -, . and +",
			value ? "" : " or digit");
	else if (value && expr_reserves(name))
		section_complain(r, NULL,
				 "[value %s]: expressions have a function or an operator %s", name,
				 name);
	else if (!strcmp(kind, "program") && !strcmp(name, "mean"))
		section_complain(
			r, NULL,
			"[program mean]: the name is reserved for the mean over all programs");
	return r->d->errors == errors;
}

static void add_head(struct reading *r)
{
	struct study *s = r->s;
	if (r->head.kind)
		section_complain(r, NULL, "[study] appears twice (first in line %u)", r->head.line);
	r->head = r->current;
	s->title = section_need(r, "title");
	s->source = section_get(&r->current, "source", "");
	s->has_paper = *s->source;
	s->machine = section_need(r, "machine");
	s->set = section_get(&r->current, "set", "");
	unsigned errors = r->d->errors;
	section_settings(r, s->set, ARENA_ARRAY(&s->arena, const char *, SECTION_SETTINGS),
			 SECTION_SETTINGS);
	if (r->d->errors > errors) /* reported here, and not again with each run */
		s->set = "";
	s->machine_line = section_line(&r->current, "machine");
	s->set_line = section_line(&r->current, "set");
	s->text = section_get(
		&r->current, "text",
		""); /* numbers in the text are checked at the end, when all values are known */
}

/* timed = SIZE LIST: launches in the form of heddle run --launches. */
static void add_timed(struct reading *r, struct study_program *p)
{
	const char *s = section_get(&r->current, "timed", "");
	if (!*s)
		return;
	p->cut = section_word(r, &s);
	p->timed = s + strspn(s, " \t");
	if (strcmp(p->cut, "test") && strcmp(p->cut, "small") && strcmp(p->cut, "paper"))
		section_complain(r, "timed",
				 "[program %s]: timed = %s: expected test, small or paper first",
				 p->name, p->cut);
	else if (!choice_is_ranges(p->timed))
		section_complain(
			r, "timed",
			"[program %s]: timed = %s %s: expected launches such as 0-4,7 after it",
			p->name, p->cut, p->timed);
}

/* "yes" or "no" */
static bool take_answer(struct reading *r, const char *name, const char *key)
{
	const char *s = section_get(&r->current, key, "no");
	bool yes = !strcmp(s, "yes");
	if (!yes && strcmp(s, "no"))
		section_complain(r, key, "[%s %s]: %s = %s: expected yes or no", r->current.kind,
				 name, key, s);
	return yes;
}

static void add_program(struct reading *r)
{
	const char *name = r->current.name, *workload = section_get(&r->current, "workload", name);
	if (study_find_program(r->s, name) >= 0)
		section_complain(r, NULL, "program %s appears twice", name);
	else if (r->s->programs.n == EXPR_PROGRAMS)
		section_complain(r, NULL, "more than %d programs", EXPR_PROGRAMS);
	else if (r->s->values.n)
		section_complain(r, NULL, "[program %s] must come before the values", name);
	else {
		struct study_program p = {
			.name = name,
			.workload = workload,
			.note = section_get(&r->current, "note", ""),
			.class = section_get(&r->current, "class", ""),
			.cost = section_number(r, "cost", "1", 0, 1e9, false),
			.quick = take_answer(r, name, "quick"),
			.line = section_line(&r->current, "workload"),
			.set_line = section_line(&r->current, "set"),
			.set = ARENA_ARRAY(&r->s->arena, const char *, SECTION_SETTINGS)};
		p.nset = section_settings(r, section_get(&r->current, "set", ""), p.set,
					  SECTION_SETTINGS);
		add_timed(r, &p);
		vec_push(&r->s->programs, p);
	}
	r->s->world.programs = (unsigned)r->s->programs.n;
}

static void add_run(struct reading *r)
{
	struct study *s = r->s;
	struct study_run run = {.name = r->current.name,
				.label = section_get(&r->current, "label", r->current.name),
				.note = section_get(&r->current, "note", ""),
				.machine = section_get(&r->current, "machine", s->machine),
				.code = section_get(&r->current, "code", "ptx"),
				.line = r->current.line,
				.machine_line = section_get(&r->current, "machine", NULL)
							? section_line(&r->current, "machine")
							: s->machine_line,
				.set_line = section_line(&r->current, "set"),
				.set = ARENA_ARRAY(&s->arena, const char *, SECTION_SETTINGS + 1)};
	/* the study's own settings come first, so that a run can override them */
	size_t n = strcspn(run.code, "-");
	if ((n != 3 || strncmp(run.code, "ptx", 3)) && (n != 5 || strncmp(run.code, "tesla", 5)) &&
	    (n != 5 || strncmp(run.code, "fermi", 5)))
		section_complain(r, "code", "[run %s]: code = %s: expected ptx, tesla or fermi",
				 run.name, run.code);
	if (study_find_run(s, run.name) >= 0)
		section_complain(r, NULL, "run %s appears twice", run.name);
	run.shared = section_settings(r, s->set ? s->set : "", run.set, SECTION_SETTINGS);
	run.nset =
		run.shared + section_settings(r, section_get(&r->current, "set", ""),
					      run.set + run.shared, SECTION_SETTINGS - run.shared);
	vec_push(&s->runs, run);
}

/* Reads "NN:2.85 mean:1.20". */
static void read_paper_numbers(struct reading *r, struct study_value *v, const char *list)
{
	for (unsigned i = 0; i < EXPR_PROGRAMS; i++)
		v->paper[i] = NAN;
	v->paper_mean = NAN;
	double *said;
	for (char *w; (w = section_word(r, &list));) {
		char *colon = strchr(w, ':'), *end = NULL;
		double x = colon ? strtod(colon + 1, &end) : 0;
		if (!colon || end == colon + 1 || *end || !isfinite(x)) {
			section_complain(
				r, "paper",
				"[value %s]: paper: expected PROGRAM:NUMBER or mean:NUMBER, not %s",
				v->name, w);
			continue;
		}
		*colon = 0;
		r->s->has_paper = true;
		int p = study_find_program(r->s, w);
		if (p < 0 && strcmp(w, "mean")) {
			if (!study_is_broken(r->s, w))
				section_complain(r, "paper", "[value %s]: paper: no program %s",
						 v->name, w);
			continue;
		}
		said = p < 0 ? &v->paper_mean : &v->paper[p];
		if (!isnan(*said))
			section_complain(r, "paper", "[value %s]: paper: %s appears twice", v->name,
					 w);
		*said = x;
	}
}

static void add_value(struct reading *r)
{
	struct study_value v = {.name = r->current.name,
				.label = section_get(&r->current, "label", r->current.name),
				.digits = (unsigned)section_number(r, "digits", "2", 0, 9, true)};
	v.is = section_need(r, "is");
	read_paper_numbers(r, &v, section_get(&r->current, "paper", ""));
	if (study_find_value(r->s, v.name) >= 0)
		section_complain(r, NULL, "value %s appears twice", v.name);
	else if (*v.is && (v.expr = section_expr(r, "is", v.is)))
		vec_push(&r->s->values, v);
}

static void add_figure(struct reading *r)
{
	static const char *const kinds[] = {[FIGURE_BARS] = "bars",
					    [FIGURE_STACKED] = "stacked",
					    [FIGURE_SCATTER] = "scatter",
					    [FIGURE_LINES] = "lines",
					    [FIGURE_TABLE] = "table"};
	struct study_figure g = {.name = r->current.name,
				 .axis = section_get(&r->current, "axis", ""),
				 .text = section_prose(r, section_get(&r->current, "text", "")),
				 .mean = !strcmp(section_get(&r->current, "mean", "yes"), "yes")};
	const char *kind = section_get(&r->current, "kind", "bars"),
		   *list = section_need(r, "values"),
		   *mean = section_get(&r->current, "mean", "yes");
	if (strcmp(mean, "yes") && strcmp(mean, "no"))
		section_complain(r, "mean", "[figure %s]: mean = %s: expected yes or no", g.name,
				 mean);
	if (study_find_figure(r->s, g.name))
		section_complain(r, NULL, "figure %s appears twice", g.name);
	unsigned k = 0;
	enum { KINDS = sizeof kinds / sizeof *kinds };
	while (k < KINDS && strcmp(kinds[k], kind))
		k++;
	if (k == KINDS)
		section_complain(
			r, "kind",
			"[figure %s]: kind = %s: expected bars, stacked, scatter, lines or table",
			g.name, kind);
	const char *over = section_get(&r->current, "over", NULL);
	g.only = section_get(&r->current, "only", NULL);
	g.over = over ? study_find_value(r->s, over) : -1;
	if (over && g.over < 0 && !study_is_broken(r->s, over))
		section_complain(r, "over", "[figure %s]: over: no value %s", g.name, over);
	for (const char *list_ = g.only ? g.only : ""; *list_;) {
		const char *name = section_word(r, &list_);
		if (name && study_find_program(r->s, name) < 0 && !study_is_broken(r->s, name))
			section_complain(r, "only", "[figure %s]: only: no program %s", g.name,
					 name);
	}
	g.kind = (enum figure_kind)k;
	g.title = section_need(r, "title");
	for (char *w; (w = section_word(r, &list));) {
		int v = study_find_value(r->s, w);
		bool twice = false;
		for (unsigned i = 0; i < g.nvalues; i++)
			twice |= v >= 0 && g.value[i] == (unsigned)v;
		if (v < 0 && !study_is_broken(r->s, w))
			section_complain(r, "values", "[figure %s]: no value %s", g.name, w);
		else if (v < 0)
			; /* already reported */
		else if (twice)
			section_complain(r, "values", "[figure %s]: value %s appears twice", g.name,
					 w);
		else if (g.nvalues < sizeof g.value / sizeof *g.value)
			g.value[g.nvalues++] = (unsigned)v;
		else
			section_complain(r, "values", "[figure %s]: %s: more than %zu values",
					 g.name, w, sizeof g.value / sizeof *g.value);
	}
	if (g.kind == FIGURE_SCATTER && g.nvalues != 2 && !r->s->broken.n)
		section_complain(r, "values", "[figure %s]: a scatter figure has two values",
				 g.name);
	vec_push(&r->s->figures, g);
}

/* Reads "1.20 +- 0.05", ">= 1", "<= 1 +- 0.01", "> 0", "< 0". */
static void read_expectation(struct reading *r, struct study_claim *c)
{
	const char *s = c->expect;
	char *end, *dot;
	c->kind = !strncmp(s, ">=", 2)   ? EXPECT_AT_LEAST
		  : !strncmp(s, "<=", 2) ? EXPECT_AT_MOST
		  : *s == '>'            ? EXPECT_ABOVE
		  : *s == '<'            ? EXPECT_BELOW
					 : EXPECT_NEAR;
	bool strict = c->kind == EXPECT_ABOVE || c->kind == EXPECT_BELOW;
	s += c->kind == EXPECT_NEAR ? 0 : strict ? 1 : 2;
	c->number = strtod(s, &end);
	bool ok = end > s && isfinite(c->number);
	if ((dot = memchr(s, '.', (size_t)(end - s))))
		c->digits = (unsigned)(end - dot - 1);
	end += strspn(end, " ");
	if (!strncmp(end, "+-", 2)) {
		s = end + 2;
		c->tolerance = strtod(s, &end);
		ok &= end > s && c->tolerance >= 0 && isfinite(c->tolerance) && !strict;
	} else {
		ok &= c->kind != EXPECT_NEAR;
	}
	if (!ok || *end)
		section_complain(
			r, "expect",
			"[claim %s]: expect = %s: expected NUMBER +- NUMBER, >= NUMBER, <= "
			"NUMBER, > NUMBER or < NUMBER",
			c->name, c->expect);
}

/* Reads "LABEL: EXPRESSION; LABEL: EXPRESSION". */
static void read_readings(struct reading *r, struct study_claim *c, const char *list)
{
	enum { MOST = sizeof c->reading / sizeof *c->reading };
	struct arena *a = &r->s->arena;
	for (; *list; list += strspn(list, "; ")) {
		size_t n = strcspn(list, ";"), label = strcspn(list, ":");
		if (label >= n || c->nreadings == MOST) {
			section_complain(
				r, "readings",
				"[claim %s]: readings: expected at most %d of LABEL: EXPRESSION, separated by ;",
				c->name, MOST);
			return;
		}
		c->reading[c->nreadings].label = arena_strndup(a, list, label);
		c->reading[c->nreadings].quantity =
			arena_strndup(a, list + label + 1, n - label - 1);
		c->reading[c->nreadings].expr =
			section_one_value(r, "readings", c->reading[c->nreadings].quantity);
		c->nreadings++;
		list += n;
	}
}

static void check_sizes(struct reading *r, const char *kind, const char *name, const char *sizes)
{
	for (char *w; sizes && (w = section_word(r, &sizes));)
		if (strcmp(w, "test") && strcmp(w, "small") && strcmp(w, "paper"))
			section_complain(r, "sizes",
					 "[%s %s]: sizes = %s: expected test, small or paper", kind,
					 name, w);
}

static void add_claim(struct reading *r)
{
	struct study_claim c = {.name = r->current.name,
				.figure = section_get(&r->current, "figure", ""),
				.where = section_get(&r->current, "where", "")};
	c.says = section_need(r, "says");
	c.quantity = section_need(r, "quantity");
	c.expect = section_need(r, "expect");
	if (*c.expect)
		read_expectation(r, &c);
	const char *each = section_get(&r->current, "each", NULL);
	c.each = each ? section_expr(r, "each", each) : NULL;
	const char *direction = section_get(&r->current, "direction", NULL);
	c.direction = direction ? section_one_value(r, "direction", direction) : NULL;
	c.sizes = section_get(&r->current, "sizes", NULL);
	check_sizes(r, "claim", c.name, c.sizes);
	c.equal = take_answer(r, c.name, "equal");
	if (*c.figure && !study_find_figure(r->s, c.figure) && !study_is_broken(r->s, c.figure))
		section_complain(r, "figure", "[claim %s]: no figure %s before it", c.name,
				 c.figure);
	if (study_find_claim(r->s, c.name))
		section_complain(r, NULL, "claim %s appears twice", c.name);
	read_readings(r, &c, section_get(&r->current, "readings", ""));
	if (*c.quantity && (c.expr = section_one_value(r, "quantity", c.quantity)))
		vec_push(&r->s->claims, c);
}

static void add_remark(struct reading *r)
{
	struct study_remark m = {.name = r->current.name};
	const char *when = section_get(&r->current, "when", NULL);
	m.claim = section_need(r, "claim");
	m.text = section_prose(r, section_need(r, "text"));
	m.when = when ? section_one_value(r, "when", when) : NULL;
	m.sizes = section_get(&r->current, "sizes", NULL);
	check_sizes(r, "remark", m.name, m.sizes);
	if (*m.claim && !study_find_claim(r->s, m.claim) && !study_is_broken(r->s, m.claim))
		section_complain(r, "claim", "[remark %s]: no claim %s before it", m.name, m.claim);
	vec_push(&r->s->remarks, m);
}

static void add_sweep(struct reading *r) { r->s->swept = true; }

static const struct kind {
	const char *name, *keys; /* keys: the keys of the section; NULL: not checked here */
	void (*add)(struct reading *r);
} kinds[] = {
	{"study", " title source machine set text ", add_head},
	{"program", " workload note cost class timed set quick ", add_program},
	{"run", " label set note machine code ", add_run},
	{"base", " label set note machine ", section_add_base},
	{"mechanism", NULL, section_add_mechanism},
	{"value", " label is digits paper ", add_value},
	{"figure", " title kind values over only axis mean text ", add_figure},
	{"claim", " figure says where quantity expect each direction equal sizes readings ",
	 add_claim},
	{"remark", " claim when sizes text ", add_remark},
	{"sweep", NULL, add_sweep}, /* read by heddle sweep: sweep.h */
};

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

bool study_section_has(const char *section, const char *key)
{
	char word[72];
	const struct kind *k = find_kind(section);
	snprintf(word, sizeof word, " %s ", key ? key : "");
	return k && (!key || !k->keys || strstr(k->keys, word));
}

const char *study_section_keys(const char *section) { return find_kind(section)->keys; }

const char *study_sections(void)
{
	return " study, program, run, base, mechanism, value, figure, claim, remark or sweep";
}

void section_end(struct reading *r)
{
	if (!r->current.kind)
		return;
	const struct kind *k = find_kind(r->current.kind);
	unsigned errors = r->d->errors;
	if (!k) {
		section_complain(r, NULL, "[%s]: expected one of%s", r->current.kind,
				 study_sections());
		return;
	}
	if (k->add == add_sweep) {
		k->add(r);
		return;
	}
	if (!*r->current.name && k->add != add_head) {
		section_complain(r, NULL, "[%s] needs a name: [%s NAME]", k->name, k->name);
	} else if (*r->current.name && !check_name(r)) {
		vec_push(&r->s->broken, r->current.name);
		return;
	}
	for (unsigned i = 0; k->keys && i < r->current.n; i++)
		if (!study_section_has(k->name, r->current.k[i].key))
			section_complain(r, r->current.k[i].key,
					 "[%s%s%s]: %s: expected one of%.*s", k->name,
					 *r->current.name ? " " : "", r->current.name,
					 r->current.k[i].key, (int)strlen(k->keys) - 1, k->keys);
	k->add(r);
	if (r->d->errors > errors)
		vec_push(&r->s->broken, r->current.name);
}
