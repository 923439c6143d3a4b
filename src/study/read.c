/* Reads studies/NAME.ini: see study.h for the format. */
#include <ctype.h>
#include <ini.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "cli/suite.h"
#include "heddle.h"
#include "study/store.h"
#include "study/study.h"

/* ---- sections: one at a time, its keys in the order of the file ---- */

enum { MAX_KEYS = 16, MAX_SET = 32 };
struct section {
	const char *kind, *name;
	unsigned line;
	struct {
		const char *key, *value;
		unsigned line;
	} k[MAX_KEYS];
	unsigned n;
};

struct reading {
	struct study *s;
	struct diag *d;
	FILE *f;
	unsigned line;
	struct section at, head; /* head: [study] */
};

static unsigned line_of(const struct section *c, const char *key)
{
	for (unsigned i = 0; key && i < c->n; i++)
		if (!strcmp(c->k[i].key, key))
			return c->k[i].line;
	return c->line;
}

/* At the line of a key of the present section; NULL: of the section. */
__attribute__((format(printf, 3, 4))) static void complain(struct reading *r, const char *key,
							   const char *fmt, ...)
{
	struct srcloc at = {.file = r->s->path, .line = line_of(&r->at, key), .col = 1};
	va_list ap;
	va_start(ap, fmt);
	diag_vat(r->d, DIAG_ERROR, &at, fmt, ap);
	va_end(ap);
}

static const char *get(const struct section *c, const char *key, const char *fallback)
{
	for (unsigned i = 0; i < c->n; i++)
		if (!strcmp(c->k[i].key, key))
			return c->k[i].value;
	return fallback;
}

static const char *need(struct reading *r, const char *key)
{
	const char *v = get(&r->at, key, NULL);
	if (!v || !*v)
		complain(r, key, "[%s%s%s] needs %s = ...", r->at.kind, *r->at.name ? " " : "",
			 r->at.name, key);
	return v ? v : "";
}

/* The next word of a list, or NULL. */
static char *next_word(struct reading *r, const char **s)
{
	*s += strspn(*s, " \t,");
	size_t n = strcspn(*s, " \t,");
	char *w = n ? arena_strndup(&r->s->arena, *s, n) : NULL;
	*s += n;
	return w;
}

static const struct expr *expression(struct reading *r, const char *key, const char *text)
{
	const char *why;
	const struct expr *e = expr_parse(&r->s->world, text, &r->s->arena, &why);
	if (!e)
		complain(r, key, "[%s %s]: %s = ...: %s", r->at.kind, r->at.name, key, why);
	return e;
}

/* One that has a single value, not one for each program. */
static const struct expr *one_value(struct reading *r, const char *key, const char *text)
{
	const struct expr *e = expression(r, key, text);
	if (e && expr_varies(e))
		complain(
			r, key,
			"[%s %s]: %s = ...: %s has a value for each program; expected one for all, as mean(...) or VALUE@PROGRAM",
			r->at.kind, r->at.name, key, text);
	return e;
}

/* A number of the key, a whole one if `whole`. */
static double a_number(struct reading *r, const char *key, const char *fallback, double least,
		       double most, bool whole)
{
	char *end;
	const char *text = get(&r->at, key, fallback);
	double x = strtod(text, &end);
	if (end == text || *end || !(x >= least && x <= most) || (whole && x != floor(x)))
		complain(r, key, "[%s %s]: %s = %s: expected a %snumber from %g to %g", r->at.kind,
			 r->at.name, key, text, whole ? "whole " : "", least, most);
	return x;
}

/* The expressions in a text must parse. */
static const char *prose(struct reading *r, const char *text)
{
	for (const char *p = text; (p = strchr(p, '{')); p++) {
		size_t n = strcspn(p + 1, "|}");
		const char *end = strchr(p, '}'), *bar = p + 1 + n;
		if (!end) {
			complain(r, "text", "[%s %s]: { without }", r->at.kind, r->at.name);
			break;
		}
		one_value(r, "text", arena_strndup(&r->s->arena, p + 1, n));
		if (*bar == '|' && (!isdigit((unsigned char)bar[1]) || bar + 2 != end))
			complain(r, "text",
				 "[%s %s]: {%.*s}: expected {EXPRESSION|DIGITS}, with one digit",
				 r->at.kind, r->at.name, (int)(end - p - 1), p + 1);
	}
	return text;
}

/* ---- names ---- */

static int find_run(const void *arg, const char *name)
{
	const struct study *s = arg;
	for (size_t i = 0; i < s->runs.n; i++)
		if (!strcmp(s->runs.v[i].name, name))
			return (int)i;
	return -1;
}

static int find_program(const void *arg, const char *name)
{
	const struct study *s = arg;
	for (size_t i = 0; i < s->programs.n; i++)
		if (!strcmp(s->programs.v[i].name, name))
			return (int)i;
	return -1;
}

static const struct study_figure *find_figure(const struct study *s, const char *name)
{
	for (size_t i = 0; i < s->figures.n; i++)
		if (!strcmp(s->figures.v[i].name, name))
			return &s->figures.v[i];
	return NULL;
}

static const struct study_claim *find_claim(const struct study *s, const char *name)
{
	for (size_t i = 0; i < s->claims.n; i++)
		if (!strcmp(s->claims.v[i].name, name))
			return &s->claims.v[i];
	return NULL;
}

static const struct expr *find_value(const void *arg, const char *name)
{
	int i = study_find_value(arg, name);
	return i < 0 ? NULL : ((const struct study *)arg)->values.v[i].expr;
}

/* ---- what the machine counts ---- */

static void add_known(struct study *s, const char *part, const char *name, size_t n)
{
	vec_push(&s->figures_known,
		 arena_printf(&s->arena, "%s%s%.*s", part, *part ? "." : "", (int)n, name));
}

/* The manual of the statistics has a heading for each component ("## l1d, l1c") and a row for each figure. Of the
 * launch as a whole results keep what can be summed. */
static void learn_figures(struct study *s)
{
	static const char *const whole[] = {"cycles",   "warp_instructions",  "thread_instructions",
					    "branches", "divergent_branches", "blocks",
					    "launches"};
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		add_known(s, "", whole[i], strlen(whole[i]));
	for (unsigned i = 0; results_class(i); i++)
		add_known(s, "class", results_class(i), strlen(results_class(i)));
	char *manual = heddle_stats_manual(), heading[128] = "";
	for (char *line = strtok(manual, "\n"); line; line = strtok(NULL, "\n")) {
		if (!strncmp(line, "## ", 3))
			snprintf(heading, sizeof heading, "%s", line + 3);
		if (strncmp(line, "| `", 3) || !strcmp(heading, "launch"))
			continue;
		for (const char *part = heading; *part; part += strspn(part, ", ")) {
			char one[64];
			size_t n = strcspn(part, ", ");
			snprintf(one, sizeof one, "%.*s", (int)n, part);
			add_known(s, one, line + 3, strcspn(line + 3, "`"));
			part += n;
		}
	}
	free(manual);
}

static bool figure_known(const void *arg, const char *name)
{
	const struct study *s = arg;
	for (size_t i = 0; i < s->figures_known.n; i++)
		if (!strcmp(s->figures_known.v[i], name))
			return true;
	return false;
}

static double no_figure(const void *arg, unsigned program, unsigned run, const char *name,
			int first, int last)
{
	(void)arg, (void)program, (void)run, (void)name, (void)first, (void)last;
	return NAN;
}

/* The settings of a key `set`, up to room; how many. */
static unsigned settings(struct reading *r, const char *list, const char **set, unsigned room)
{
	unsigned n = 0;
	for (char *w; (w = next_word(r, &list));) {
		if (!strchr(w, '='))
			complain(r, "set", "set = %s: expected key=value", w);
		if (n == room) {
			complain(r, "set", "more than %d settings", MAX_SET);
			break;
		}
		set[n++] = w;
	}
	return n;
}

/* ---- what the sections mean ---- */

static void add_head(struct reading *r)
{
	struct study *s = r->s;
	if (r->head.kind)
		complain(r, NULL, "[study] is there twice (first in line %u)", r->head.line);
	r->head = r->at;
	s->title = need(r, "title");
	s->source = get(&r->at, "source", "");
	s->machine = need(r, "machine");
	s->set = get(&r->at, "set", "");
	settings(r, s->set, ARENA_ARRAY(&s->arena, const char *, MAX_SET), MAX_SET);
	s->machine_line = line_of(&r->at, "machine");
	s->set_line = line_of(&r->at, "set");
	s->text = get(&r->at, "text",
		      ""); /* its numbers are checked at the end, when all values are known */
}

/* timed = SIZE LIST: launches as heddle run --launches takes them. */
static void add_timed(struct reading *r, struct study_program *p)
{
	const char *s = get(&r->at, "timed", "");
	if (!*s)
		return;
	p->cut = next_word(r, &s);
	p->timed = s + strspn(s, " \t");
	if (strcmp(p->cut, "test") && strcmp(p->cut, "small") && strcmp(p->cut, "paper"))
		complain(r, "timed",
			 "[program %s]: timed = %s: expected test, small or paper first", p->name,
			 p->cut);
	else if (!*p->timed || p->timed[strspn(p->timed, "0123456789-,")])
		complain(r, "timed",
			 "[program %s]: timed = %s %s: expected launches such as 0-4,7 behind it",
			 p->name, p->cut, p->timed);
}

static void add_program(struct reading *r)
{
	const char *name = r->at.name, *workload = get(&r->at, "workload", name);
	if (find_program(r->s, name) >= 0)
		complain(r, NULL, "program %s is there twice", name);
	else if (r->s->programs.n == EXPR_PROGRAMS)
		complain(r, NULL, "more than %d programs", EXPR_PROGRAMS);
	else if (r->s->values.n)
		complain(r, NULL, "[program %s] must come before the values", name);
	else {
		struct study_program p = {.name = name,
					  .workload = workload,
					  .note = get(&r->at, "note", ""),
					  .class = get(&r->at, "class", ""),
					  .cost = a_number(r, "cost", "1", 0, 1e9, false),
					  .line = line_of(&r->at, "workload")};
		add_timed(r, &p);
		vec_push(&r->s->programs, p);
	}
	r->s->world.programs = (unsigned)r->s->programs.n;
}

static void add_run(struct reading *r)
{
	struct study *s = r->s;
	struct study_run run = {.name = r->at.name,
				.label = get(&r->at, "label", r->at.name),
				.note = get(&r->at, "note", ""),
				.machine = get(&r->at, "machine", s->machine),
				.code = get(&r->at, "code", "ptx"),
				.line = r->at.line,
				.machine_line = get(&r->at, "machine", NULL)
							? line_of(&r->at, "machine")
							: s->machine_line,
				.set_line = line_of(&r->at, "set"),
				.set = ARENA_ARRAY(&s->arena, const char *, MAX_SET + 1)};
	/* The study's own settings first: a run may have others. */
	size_t n = strcspn(run.code, "-");
	if ((n != 3 || strncmp(run.code, "ptx", 3)) && (n != 5 || strncmp(run.code, "tesla", 5)) &&
	    (n != 5 || strncmp(run.code, "fermi", 5)))
		complain(r, "code", "[run %s]: code = %s: expected ptx, tesla or fermi", run.name,
			 run.code);
	if (find_run(s, run.name) >= 0)
		complain(r, NULL, "run %s is there twice", run.name);
	run.shared = settings(r, s->set ? s->set : "", run.set, MAX_SET);
	run.nset = run.shared +
		   settings(r, get(&r->at, "set", ""), run.set + run.shared, MAX_SET - run.shared);
	vec_push(&s->runs, run);
}

/* "NN:2.85 mean:1.20" */
static void paper_numbers(struct reading *r, struct study_value *v, const char *list)
{
	for (unsigned i = 0; i < EXPR_PROGRAMS; i++)
		v->paper[i] = NAN;
	v->paper_mean = NAN;
	for (char *w; (w = next_word(r, &list));) {
		char *colon = strchr(w, ':'), *end = NULL;
		double x = colon ? strtod(colon + 1, &end) : 0;
		if (!colon || end == colon + 1 || *end) {
			complain(
				r, "paper",
				"[value %s]: paper: expected PROGRAM:NUMBER or mean:NUMBER, not %s",
				v->name, w);
			continue;
		}
		*colon = 0;
		r->s->has_paper = true;
		int p = find_program(r->s, w);
		if (!strcmp(w, "mean"))
			v->paper_mean = x;
		else if (p < 0)
			complain(r, "paper", "[value %s]: paper: no program %s", v->name, w);
		else
			v->paper[p] = x;
	}
}

static void add_value(struct reading *r)
{
	struct study_value v = {.name = r->at.name,
				.label = get(&r->at, "label", r->at.name),
				.digits = (unsigned)a_number(r, "digits", "2", 0, 9, true)};
	v.is = need(r, "is");
	paper_numbers(r, &v, get(&r->at, "paper", ""));
	if (study_find_value(r->s, v.name) >= 0)
		complain(r, NULL, "value %s is there twice", v.name);
	else if (*v.is && (v.expr = expression(r, "is", v.is)))
		vec_push(&r->s->values, v);
}

static void add_figure(struct reading *r)
{
	static const char *const kinds[] = {[FIGURE_BARS] = "bars",
					    [FIGURE_STACKED] = "stacked",
					    [FIGURE_SCATTER] = "scatter",
					    [FIGURE_LINES] = "lines",
					    [FIGURE_TABLE] = "table"};
	struct study_figure g = {.name = r->at.name,
				 .axis = get(&r->at, "axis", ""),
				 .text = prose(r, get(&r->at, "text", "")),
				 .mean = !strcmp(get(&r->at, "mean", "yes"), "yes")};
	const char *kind = get(&r->at, "kind", "bars"), *list = need(r, "values"),
		   *mean = get(&r->at, "mean", "yes");
	if (strcmp(mean, "yes") && strcmp(mean, "no"))
		complain(r, "mean", "[figure %s]: mean = %s: expected yes or no", g.name, mean);
	if (find_figure(r->s, g.name))
		complain(r, NULL, "figure %s is there twice", g.name);
	unsigned k = 0;
	enum { KINDS = sizeof kinds / sizeof *kinds };
	while (k < KINDS && strcmp(kinds[k], kind))
		k++;
	if (k == KINDS)
		complain(r, "kind",
			 "[figure %s]: kind = %s: expected bars, stacked, scatter, lines or table",
			 g.name, kind);
	const char *over = get(&r->at, "over", NULL);
	g.only = get(&r->at, "only", NULL);
	g.over = over ? study_find_value(r->s, over) : -1;
	if (over && g.over < 0)
		complain(r, "over", "[figure %s]: over: no value %s", g.name, over);
	for (const char *list_ = g.only ? g.only : ""; *list_;) {
		const char *name = next_word(r, &list_);
		if (name && find_program(r->s, name) < 0)
			complain(r, "only", "[figure %s]: only: no program %s", g.name, name);
	}
	g.kind = (enum figure_kind)k;
	g.title = need(r, "title");
	for (char *w; (w = next_word(r, &list));) {
		int v = study_find_value(r->s, w);
		if (v < 0)
			complain(r, "values", "[figure %s]: no value %s", g.name, w);
		else if (g.nvalues < sizeof g.value / sizeof *g.value)
			g.value[g.nvalues++] = (unsigned)v;
		else
			complain(r, "values", "[figure %s]: %s: more than %zu values", g.name, w,
				 sizeof g.value / sizeof *g.value);
	}
	if (g.kind == FIGURE_SCATTER && g.nvalues != 2)
		complain(r, "values", "[figure %s]: a scatter figure has two values", g.name);
	vec_push(&r->s->figures, g);
}

/* "1.20 +- 0.05", ">= 1", "<= 1 +- 0.01" */
static void expectation(struct reading *r, struct study_claim *c)
{
	const char *s = c->expect;
	char *end, *dot;
	c->kind = !strncmp(s, ">=", 2)   ? EXPECT_AT_LEAST
		  : !strncmp(s, "<=", 2) ? EXPECT_AT_MOST
					 : EXPECT_NEAR;
	s += c->kind == EXPECT_NEAR ? 0 : 2;
	c->number = strtod(s, &end);
	bool ok = end > s && isfinite(c->number);
	if ((dot = memchr(s, '.', (size_t)(end - s))))
		c->digits = (unsigned)(end - dot - 1);
	end += strspn(end, " ");
	if (!strncmp(end, "+-", 2)) {
		s = end + 2;
		c->tolerance = strtod(s, &end);
		ok &= end > s && c->tolerance >= 0 && isfinite(c->tolerance);
	} else {
		ok &= c->kind != EXPECT_NEAR;
	}
	if (!ok || *end)
		complain(r, "expect",
			 "[claim %s]: expect = %s: expected NUMBER +- NUMBER, >= NUMBER or <= "
			 "NUMBER",
			 c->name, c->expect);
}

/* "LABEL: EXPRESSION; LABEL: EXPRESSION" */
static void readings(struct reading *r, struct study_claim *c, const char *list)
{
	enum { MOST = sizeof c->reading / sizeof *c->reading };
	struct arena *a = &r->s->arena;
	for (; *list; list += strspn(list, "; ")) {
		size_t n = strcspn(list, ";"), label = strcspn(list, ":");
		if (label >= n || c->nreadings == MOST) {
			complain(
				r, "readings",
				"[claim %s]: readings: expected at most %d of LABEL: EXPRESSION, separated by ;",
				c->name, MOST);
			return;
		}
		c->reading[c->nreadings].label = arena_strndup(a, list, label);
		c->reading[c->nreadings].quantity =
			arena_strndup(a, list + label + 1, n - label - 1);
		c->reading[c->nreadings].expr =
			one_value(r, "readings", c->reading[c->nreadings].quantity);
		c->nreadings++;
		list += n;
	}
}

static void add_claim(struct reading *r)
{
	struct study_claim c = {.name = r->at.name,
				.figure = get(&r->at, "figure", ""),
				.where = get(&r->at, "where", "")};
	c.says = need(r, "says");
	c.quantity = need(r, "quantity");
	c.expect = need(r, "expect");
	if (*c.expect)
		expectation(r, &c);
	const char *each = get(&r->at, "each", NULL);
	c.each = each ? expression(r, "each", each) : NULL;
	if (*c.figure && !find_figure(r->s, c.figure))
		complain(r, "figure", "[claim %s]: no figure %s before it", c.name, c.figure);
	if (find_claim(r->s, c.name))
		complain(r, NULL, "claim %s is there twice", c.name);
	readings(r, &c, get(&r->at, "readings", ""));
	r->s->has_paper = true;
	if (*c.quantity && (c.expr = one_value(r, "quantity", c.quantity)))
		vec_push(&r->s->claims, c);
}

static void add_remark(struct reading *r)
{
	struct study_remark m = {.name = r->at.name};
	const char *when = get(&r->at, "when", NULL);
	m.claim = need(r, "claim");
	m.text = prose(r, need(r, "text"));
	m.when = when ? one_value(r, "when", when) : NULL;
	m.sizes = get(&r->at, "sizes", NULL);
	const char *sizes = m.sizes ? m.sizes : "";
	for (char *w; (w = next_word(r, &sizes));)
		if (strcmp(w, "test") && strcmp(w, "small") && strcmp(w, "paper"))
			complain(r, "sizes",
				 "[remark %s]: sizes = %s: expected test, small or paper", m.name,
				 w);
	if (*m.claim && !find_claim(r->s, m.claim))
		complain(r, "claim", "[remark %s]: no claim %s before it", m.name, m.claim);
	vec_push(&r->s->remarks, m);
}

static void add_sweep(struct reading *r) { r->s->swept = true; }

static const struct kind {
	const char *name, *keys; /* keys it knows */
	void (*add)(struct reading *r);
} kinds[] = {
	{"study", " title source machine set text ", add_head},
	{"program", " workload note cost class timed ", add_program},
	{"run", " label set note machine code ", add_run},
	{"value", " label is digits paper ", add_value},
	{"figure", " title kind values over only axis mean text ", add_figure},
	{"claim", " figure says where quantity expect each readings ", add_claim},
	{"remark", " claim when sizes text ", add_remark},
	{"sweep", NULL, add_sweep}, /* heddle sweep reads it: sweep.h */
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
	return " study, program, run, value, figure, claim, remark or sweep";
}

static void end_section(struct reading *r)
{
	if (!r->at.kind)
		return;
	const struct kind *k = find_kind(r->at.kind);
	if (!k) {
		complain(r, NULL, "[%s]: expected one of%s", r->at.kind, study_sections());
		return;
	}
	if (!k->keys) {
		k->add(r);
		return;
	}
	if (!*r->at.name && k->add != add_head)
		complain(r, NULL, "[%s] needs a name: [%s NAME]", k->name, k->name);
	for (unsigned i = 0; i < r->at.n; i++)
		if (!study_section_has(k->name, r->at.k[i].key))
			complain(r, r->at.k[i].key, "[%s %s]: %s: expected one of%s", k->name,
				 r->at.name, r->at.k[i].key, k->keys);
	k->add(r);
}

/* ---- the file ---- */

static void begin_section(struct reading *r, const char *line)
{
	struct arena *a = &r->s->arena;
	size_t n = strcspn(line, " ]"), all = strcspn(line, "]");
	const char *rest = line + n + strspn(line + n, " ");
	end_section(r);
	if (line[all] == ']' && line[all + 1 + strspn(line + all + 1, " \t\r\n")] &&
	    line[all + 1 + strspn(line + all + 1, " \t")] != ';') {
		r->at = (struct section){.line = r->line};
		complain(r, NULL, "[%.*s]: expected nothing after ]", (int)all, line);
	}
	r->at = (struct section){
		.kind = arena_strndup(a, line, n),
		.line = r->line,
		.name = rest < line + all ? arena_strndup(a, rest, (size_t)(line + all - rest))
					  : ""};
}

/* The library speaks neither of lines nor of sections without entries, and cuts long lines: we see
 * them here. */
static char *next_line(char *buf, int n, void *user)
{
	struct reading *r = user;
	char *line = fgets(buf, n, r->f);
	r->line++;
	if (line && *line == '[')
		begin_section(r, line + 1);
	if (line && !strchr(line, '\n') && !feof(r->f)) {
		r->at.line = r->line;
		complain(r, NULL,
			 "a line has at most %d characters; continue it on the next one, after a "
			 "blank",
			 n - 2);
		return NULL;
	}
	return line;
}

/* A continued line comes as one more entry of the same name. */
static int on_entry(void *user, const char *section, const char *name, const char *value)
{
	struct reading *r = user;
	struct arena *a = &r->s->arena;
	struct section *c = &r->at;
	if (!c->kind) {
		r->at.line = r->line;
		complain(r, NULL, "%s = ... before the first [section]", name);
	} else if (!strcmp(c->kind, "sweep")) {
		/* sweep_read() knows its keys */
	} else if (c->n && !strcmp(c->k[c->n - 1].key, name)) {
		c->k[c->n - 1].value = arena_printf(a, "%s %s", c->k[c->n - 1].value, value);
	} else if (get(c, name, NULL)) {
		struct srcloc at = {.file = r->s->path, .line = r->line, .col = 1};
		diag_at(r->d, DIAG_ERROR, &at, "[%s]: %s is there twice (first in line %u)",
			section, name, line_of(c, name));
	} else if (c->n == MAX_KEYS) {
		complain(r, NULL, "[%s]: more than %d keys", section, MAX_KEYS);
	} else {
		c->k[c->n].line = r->line;
		c->k[c->n].key = arena_strdup(a, name);
		c->k[c->n++].value = arena_strdup(a, value);
	}
	return 1;
}

/* In the source tree the program is in build/, installed it is in bin/. */
static char *find_file(struct arena *a, const char *name)
{
	static const char *const places[] = {"../studies", "../share/heddle/studies"};
	const char *env = getenv("HEDDLE_STUDIES");
	if (strchr(name, '/') || strchr(name, '.'))
		return !access(name, R_OK) ? arena_strdup(a, name) : NULL;
	for (size_t i = 0; i < (env ? 1 : 2); i++) {
		char *dir = env ? NULL : suite_beside(places[i]);
		char *path = arena_printf(a, "%s/%s.ini",
					  env   ? env
					  : dir ? dir
						: ".",
					  name),
		     *real = realpath(path, NULL);
		free(dir);
		if (real) {
			path = arena_strdup(a, real);
			free(real);
			return path;
		}
	}
	return NULL;
}

static void check(struct reading *r)
{
	struct study *s = r->s;
	r->at = (struct section){.kind = "study", .name = "", .line = 1};
	if (!r->head.kind) {
		complain(r, NULL, "a study begins with [study]");
		return;
	}
	r->at = r->head;
	prose(r, s->text);
	if (!s->swept && (!s->programs.n || !s->runs.n))
		complain(r, NULL, "a study needs programs and runs, or a [sweep]");
}

struct study *study_read(const char *name, struct diag *d)
{
	struct study *s = xcalloc(1, sizeof *s);
	struct reading r = {.s = s, .d = d};
	s->world = (struct expr_world){s, find_run, find_program, find_value, 0, no_figure};
	s->world.known = figure_known;
	learn_figures(s);
	s->path = find_file(&s->arena, name);
	if (!s->path || !(r.f = fopen(s->path, "r"))) {
		diag_error(d, "no study %s: neither a readable file nor one that comes with Heddle",
			   name);
		study_free(s);
		return NULL;
	}
	const char *slash = strrchr(s->path, '/'), *base = slash ? slash + 1 : s->path;
	s->name = arena_strndup(&s->arena, base, strcspn(base, "."));
	int bad = ini_parse_stream(next_line, &r, on_entry, &r);
	if (ferror(r.f)) /* a folder opens and does not read */
		bad = -1;
	fclose(r.f);
	if (bad) {
		r.at.line = bad > 0 ? (unsigned)bad : 0;
		complain(&r, NULL, "%s",
			 bad > 0 ? "expected [section], key = value or a comment"
				 : "cannot be read");
	} else {
		end_section(&r);
		check(&r);
	}
	if (!d->errors)
		return s;
	study_free(s);
	return NULL;
}
