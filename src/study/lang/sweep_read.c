/* Reads the section [sweep] of a study file. sweep.h describes it. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/lang/study.h"
#include "heddle.h"
#include "study/lang/sweep.h"

enum { MOST_VALUES = 100000 };

struct line {
	const char *key, *value;
	unsigned line;
};

struct reading {
	struct sweep *s;
	struct diag *d;
	unsigned line;
	const char *machine; /* machine of [study] */
	unsigned machine_line;
	unsigned set_line[2];   /* lines of `set` in [study] and [sweep]; 0: none */
	VEC(struct line) later; /* zip and except, read when all axes are known */
};

void sweep_complain(const struct sweep *s, struct diag *d, unsigned line, const char *fmt, ...)
{
	struct srcloc at = {.file = s->path, .line = line, .col = 1};
	va_list ap;
	va_start(ap, fmt);
	diag_vat(d, DIAG_ERROR, &at, fmt, ap);
	va_end(ap);
}
#define complain(r, line, ...) sweep_complain((r)->s, (r)->d, line, __VA_ARGS__)

static char *trimmed(struct arena *a, const char *s, size_t n)
{
	while (n && isspace((unsigned char)*s))
		s++, n--;
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	return arena_strndup(a, s, n);
}

static struct sweep_axis *axis_of(struct reading *r, const char *key, unsigned line)
{
	int i = sweep_find(r->s, key);
	if (i >= 0)
		return &r->s->axes.v[i];
	vec_push(&r->s->axes, (struct sweep_axis){.key = key, .line = line, .group = -1});
	return &r->s->axes.v[r->s->axes.n - 1];
}

/* ---- values ---- */

/* Reads "16..48", "16..48 step 16", "8..64 times 2". False: it is not a range. */
static bool add_range(struct reading *r, struct sweep_axis *x, const char *item, unsigned line)
{
	char *end;
	double from = strtod(item, &end), to, step = 1;
	bool times = false;
	/* strtod() would read "16." of "16..48" */
	const char *dots = strstr(item, "..");
	if (!dots || dots == item || end < dots || end > dots + 1)
		return false;
	from = strtod(trimmed(&r->s->arena, item, (size_t)(dots - item)), NULL);
	to = strtod(dots + 2, &end);
	if (end == dots + 2) /* "16..": no end */
		end = "?";
	end += strspn(end, " ");
	if (!strncmp(end, "step ", 5) || !strncmp(end, "times ", 6)) {
		times = *end == 't';
		const char *n = end + (times ? 6 : 5);
		step = strtod(n, &end);
		end = end == n ? "?" : end + strspn(end, " ");
	}
	if (*end || !isfinite(from) || !isfinite(to) || !(step > (times ? 1 : 0)) || to < from ||
	    (times && from <= 0)) {
		complain(
			r, line,
			"%s = %s: expected FIRST..LAST, FIRST..LAST step N or FIRST..LAST times N, rising",
			x->key, item);
		return true;
	}
	double last = to + fabs(to) * 1e-12; /* tolerance, because sums of fractions are inexact */
	for (double v = from; v <= last; v = times ? v * step : v + step) {
		if (x->value.n >= MOST_VALUES) {
			complain(r, line, "%s has more than %d values", x->key, MOST_VALUES);
			break;
		}
		sweep_add_value(x, arena_printf(&r->s->arena, "%.12g", v), line);
	}
	return true;
}

static void add_values(struct reading *r, const char *key, const char *list, unsigned line)
{
	struct sweep_axis *x = axis_of(r, key, line);
	if (x->value.n) {
		complain(r, line, "%s appears twice (first in line %u)", key, x->line);
		return;
	}
	for (const char *p = list;; p++) {
		size_t n = strcspn(p, ",");
		char *item = trimmed(&r->s->arena, p, n);
		if (!*item)
			complain(r, line, "%s: expected values separated by commas", key);
		else if (!add_range(r, x, item, line))
			sweep_add_value(x, item, line);
		p += n;
		if (!*p)
			break;
	}
	for (size_t i = 0; i < x->value.n; i++)
		for (size_t k = 0; k < i && x->value.n < 1000; k++)
			if (!strcmp(x->value.v[i], x->value.v[k])) {
				complain(r, line, "%s: %s appears twice", key, x->value.v[i]);
				return;
			}
}

static void check_numbers(struct reading *r, const char *key, unsigned long most)
{
	int i = sweep_find(r->s, key);
	for (size_t k = 0; i >= 0 && k < r->s->axes.v[i].value.n; k++) {
		char *end;
		const char *v = r->s->axes.v[i].value.v[k];
		unsigned long n = strtoul(v, &end, 10);
		if (!isdigit((unsigned char)*v) || *end || n > most)
			complain(r, r->s->axes.v[i].line,
				 "%s = %s: expected a number from 0 to %lu", key, v, most);
	}
}

/* ---- a line of the section ---- */

/* Returns the next word of a list with commas or blanks; NULL: no more. */
static char *next_word(struct reading *r, const char **list)
{
	*list += strspn(*list, ", \t");
	size_t n = strcspn(*list, ", \t");
	char *w = n ? arena_strndup(&r->s->arena, *list, n) : NULL;
	*list += n;
	return w;
}

static void read_settings(struct reading *r, const char *list, unsigned line, unsigned *first)
{
	if (*first)
		complain(r, line, "set appears twice (first in line %u)", *first);
	*first = line;
	for (const char *w; (w = next_word(r, &list));)
		if (!strchr(w, '=') || *w == '=' || !strchr(w, '=')[1])
			complain(r, line, "set = %s: expected KEY=VALUE, without blanks", w);
		else
			vec_push(&r->s->set, (struct sweep_setting){w, line});
}

static void workloads(struct reading *r, const char *list, unsigned line)
{
	struct sweep_axis *x = axis_of(r, "program", line);
	size_t before = x->value.n;
	for (const char *name; (name = next_word(r, &list));) {
		if (sweep_has_value(x, name))
			complain(r, line, "workload: %s appears twice", name);
		sweep_add_value(x, name, line);
	}
	if (x->value.n == before)
		complain(r, line, "workload: expected names separated by commas");
}

/* Reads a program: the first word is its path, the others are its arguments. */
static void read_program(struct reading *r, const char *value, unsigned line)
{
	struct sweep_axis *x = axis_of(r, "program", line);
	if (strcspn(value, "/") >= strcspn(value, " "))
		complain(
			r, line,
			"program = %s: expected a path with a /, as ./app; workload = ... names programs of the suite",
			value);
	if (sweep_has_value(x, value))
		complain(r, line, "program = %s appears twice", value);
	for (const char *b = value; (b = strchr(b, '{')); b++)
		if (b[strcspn(b, "} ")] != '}')
			complain(r, line, "program = %s: { without a closing }", value);
	sweep_add_value(x, value, line);
}

/* Reads how launches are chosen to be timed. */
static void read_mode(struct reading *r, const char *key, const char *value, unsigned line)
{
	struct sweep *s = r->s;
	const char **to = *key == 'm' ? &s->mode : *key == 'e' ? &s->error : &s->sample;
	double error;
	char *end;
	if (*to)
		complain(r, line, "%s appears twice", key);
	else if (*key == 'm' && strcmp(value, "timing") && strcmp(value, "sampled"))
		complain(r, line, "mode = %s: expected timing or sampled", value);
	else if (*key == 'e' && !heddle_error_parse(value, &error))
		complain(r, line, "error = %s: expected a percentage, such as 2%%", value);
	errno = 0;
	if (*key == 's' &&
	    (!isdigit((unsigned char)*value) || (strtoull(value, &end, 10), *end) || errno))
		complain(r, line, "sample = %s: expected a number up to 18446744073709551615",
			 value);
	*to = value;
	*(*key == 'm' ? &s->mode_line : &s->sample_line) = line;
}

static void read_entry(struct reading *r, char *key, char *value, unsigned line)
{
	struct sweep *s = r->s;
	char *end;
	if (!strcmp(key, "zip") || !strcmp(key, "except")) {
		vec_push(&r->later, (struct line){key, value, line});
	} else if (!strcmp(key, "set")) {
		read_settings(r, value, line, &r->set_line[1]);
	} else if (!strcmp(key, "program")) {
		read_program(r, value, line);
	} else if (!strcmp(key, "workload")) {
		workloads(r, value, line);
	} else if (!strcmp(key, "mode") || !strcmp(key, "error") || !strcmp(key, "sample")) {
		read_mode(r, key, value, line);
	} else if (!strcmp(key, "series")) {
		unsigned long n = strtoul(value, &end, 10);
		if (*end || n < 2 || n > 65536)
			complain(r, line, "series = %s: expected a number of rows from 2 to 65536",
				 value);
		else if (s->series)
			complain(r, line, "series appears twice");
		s->series = (unsigned)n;
	} else if (!strcmp(key, "repeat")) {
		unsigned long n = strtoul(value, &end, 10);
		if (*end || n < 1 || n > 10000)
			complain(r, line, "repeat = %s: expected a number from 1 to 10000", value);
		else if (sweep_find(s, "repetition") >= 0)
			complain(r, line, "repeat appears twice");
		else
			add_values(r, "repetition", arena_printf(&s->arena, "1..%lu", n), line);
	} else if (!strcmp(key, "machine") || !strcmp(key, "size") || !strcmp(key, "seed") ||
		   (strchr(key, '.') && *key != '.' && strchr(key, '.')[1])) {
		add_values(r, key, value, line);
	} else {
		complain(
			r, line,
			"%s: expected machine, set, workload, program, size, seed, repeat, mode, error, sample, series, zip, except, arg.NAME or an "
			"option as heddle config explain knows them",
			key);
	}
}

/* ---- zip and except ---- */

static void zip(struct reading *r, const char *list, unsigned line)
{
	struct sweep *s = r->s;
	int group = (int)s->groups++;
	size_t n = 0, axes = 0;
	for (const char *key; (key = next_word(r, &list)); axes++) {
		int i = sweep_find(s, key);
		if (i < 0) {
			complain(r, line, "zip: no axis %s", key);
			return;
		}
		struct sweep_axis *x = &s->axes.v[i];
		if (x->group >= 0) {
			complain(r, line, "zip: %s is in a zip already", key);
			return;
		}
		if (axes && x->value.n != n) {
			complain(r, line, "zip: %s has %zu values, the axes before it %zu", key,
				 x->value.n, n);
			return;
		}
		n = x->value.n;
		x->group = group;
	}
	if (axes < 2)
		complain(r, line, "zip: expected two axes or more, separated by commas");
}

static const char *const signs[] = {[CMP_LE] = "<=", [CMP_GE] = ">=", [CMP_NE] = "!=",
				    [CMP_LT] = "<",  [CMP_GT] = ">",  [CMP_EQ] = "="};

static bool is_number(const char *s)
{
	char *end;
	strtod(s, &end);
	return end != s && !*end;
}

/* Checks a condition; one that never holds is an error, since it must be a mistake. */
static bool check_test(struct reading *r, const struct sweep_test *t, unsigned line)
{
	const struct sweep_axis *x = &r->s->axes.v[t->axis];
	bool some = false, numbers = is_number(t->value);
	for (size_t i = 0; i < x->value.n; i++) {
		some |= sweep_test_holds(t, x->value.v[i]);
		numbers &= is_number(x->value.v[i]);
	}
	if (t->op == CMP_NE && !sweep_has_value(x, t->value))
		some = false; /* the condition always holds */
	if (t->op != CMP_EQ && t->op != CMP_NE && !numbers)
		complain(r, line, "except: %s %s %s: expected numbers on both sides of %s", x->key,
			 signs[t->op], t->value, signs[t->op]);
	else if (!some && (t->op == CMP_EQ || t->op == CMP_NE))
		complain(r, line, "except: %s has no value %s", x->key, t->value);
	else if (!some)
		complain(r, line, "except: no value of %s is %s %s", x->key, signs[t->op],
			 t->value);
	else
		return true;
	return false;
}

static bool one_test(struct reading *r, struct sweep_except *e, const char *text, unsigned line)
{
	size_t n = strcspn(text, "<>!=");
	enum compare op = CMP_EQ;
	for (; op <= CMP_GE; op++) /* the longest operator that matches */
		if (!strncmp(text + n, signs[op], strlen(signs[op])) &&
		    (strlen(signs[op]) == 2 || text[n + 1] != '='))
			break;
	const char *rest = text + n + (op <= CMP_GE ? strlen(signs[op]) : 0);
	char *key = trimmed(&r->s->arena, text, n),
	     *value = trimmed(&r->s->arena, rest, strlen(rest));
	if (op > CMP_GE || !*key || !*value) {
		complain(r, line,
			 "except: %s: expected AXIS = VALUE (or != < <= > >=), joined by and",
			 text);
		return false;
	}
	int axis = sweep_find(r->s, key);
	if (axis < 0) {
		complain(r, line, "except: no axis %s", key);
		return false;
	}
	if (e->n == sizeof e->test / sizeof *e->test) {
		complain(r, line, "except: more than %zu conditions joined by and",
			 sizeof e->test / sizeof *e->test);
		return false;
	}
	e->test[e->n++] = (struct sweep_test){(unsigned)axis, op, value};
	return check_test(r, &e->test[e->n - 1], line);
}

static void except(struct reading *r, const char *text, unsigned line)
{
	struct sweep_except e = {.n = 0};
	for (const char *p = text; *p;) {
		const char *and_ = strstr(p, " and ");
		size_t n = and_ ? (size_t)(and_ - p) : strlen(p);
		if (!one_test(r, &e, trimmed(&r->s->arena, p, n), line))
			return;
		p += n + (and_ ? 5 : 0);
	}
	vec_push(&r->s->except, e);
}

/* ---- the file ---- */

static void begin_section(struct reading *r, char *section, const char *line)
{
	size_t n = strcspn(line + 1, " ]");
	const char *end = strchr(line, ']');
	bool sweep = n == 5 && !strncmp(line + 1, "sweep", n);
	snprintf(section, 64, "%.*s", (int)n, line + 1);
	if (!end)
		complain(r, r->line, "%s: expected [section]", line);
	else if (end[1 + strspn(end + 1, " \t\r")])
		complain(r, r->line, "%s: expected nothing after ]", line);
	else if (!study_section_has(section, NULL))
		complain(r, r->line, "[%s]: expected one of%s", section, study_sections());
	else if (sweep && line + 1 + n != end)
		complain(r, r->line, "%s: [sweep] has no name", line);
	else if (sweep && r->s->line)
		complain(r, r->line, "[sweep] appears twice (first in line %u)", r->s->line);
	if (sweep && !r->s->line)
		r->s->line = r->line;
}

/* Reads the shared keys of [study]; the others are for heddle reproduce. */
static void read_head(struct reading *r, const char *key, char *value)
{
	if (!strcmp(key, "machine")) {
		r->machine = value;
		r->machine_line = r->line;
	} else if (!strcmp(key, "set")) {
		read_settings(r, value, r->line, &r->set_line[0]);
	}
}

static void line_of(struct reading *r, char *section, char *line)
{
	struct arena *a = &r->s->arena;
	bool sweep = !strcmp(section, "sweep");
	size_t n = strcspn(line, sweep ? "=" : "=:");
	if (*line == '[') {
		begin_section(r, section, line);
		return;
	}
	if (!*section) {
		complain(r, r->line, "%s: expected a [section] before it", line);
		return;
	}
	if (!line[n]) {
		complain(r, r->line, "expected key = value, [section] or a comment");
		return;
	}
	char *key = trimmed(a, line, n), *value = trimmed(a, line + n + 1, strlen(line + n + 1));
	if (!*key)
		complain(r, r->line, "expected a key before =");
	else if (!sweep && study_section_has(section, NULL) && !study_section_has(section, key))
		complain(r, r->line, "[%s]: %s: expected one of%s", section, key,
			 study_section_keys(section));
	else if (sweep && !*value)
		complain(r, r->line, "%s: a value is missing", key);
	else if (sweep)
		read_entry(r, key, value, r->line);
	else if (!strcmp(section, "study"))
		read_head(r, key, value);
}

/* Replaces a comment by blanks up to the end of its line. */
static char *cut_comment(char *line)
{
	char *end = line + strcspn(line, "\n");
	for (char *p = line; p < end; p++)
		if (*p == ';' && p > line && (p[-1] == ' ' || p[-1] == '\t')) {
			memset(p, ' ', (size_t)(end - p));
			break;
		}
	return end;
}

/* Splits the text into lines, each with its continuation lines. */
static void split_lines(struct reading *r, char *text)
{
	char section[64] = "", *line = text;
	for (unsigned n = 1; *line; n++) {
		r->line = n;
		char *end = cut_comment(line);
		while (*end && (end[1] == ' ' || end[1] == '\t')) {
			*end = ' ';
			end = cut_comment(end + 1);
			n++;
		}
		bool last = !*end;
		*end = 0;
		if (*line && *line != ';' && *line != '#' && line[strspn(line, " \t\r")])
			line_of(r, section, line);
		line = last ? end : end + 1;
	}
}

/* ---- checks across lines ---- */

/* Reports axes that no program uses. */
static void check_use(struct reading *r)
{
	const struct sweep *s = r->s;
	const struct sweep_axis *p = &s->axes.v[sweep_find(s, "program")];
	for (size_t i = 0; i < s->axes.n; i++) {
		const struct sweep_axis *x = &s->axes.v[i];
		bool used = false;
		for (size_t k = 0; k < p->value.n; k++)
			used |= sweep_matters(x, p->value.v[k]);
		if (used || !p->value.n)
			continue;
		if (!strncmp(x->key, "arg.", 4))
			complain(r, x->line, "%s: no program = ... has {%s}", x->key, x->key + 4);
		else
			complain(r, x->line, "%s applies to workloads, and the file has none",
				 x->key);
	}
}

static void check_sweep(struct reading *r)
{
	struct sweep *s = r->s;
	static const char *const fixed[][2] = {
		{"size", "test"}, {"seed", "0"}, {"repetition", "1"}};
	if (!s->line) {
		complain(r, 1, "no [sweep] section");
		return;
	}
	if (s->sample_line && !sweep_is_sampled(s))
		complain(r, s->sample_line, "error and sample: expected mode = sampled");
	if (s->series && sweep_is_sampled(s))
		complain(r, s->mode_line,
			 "mode = sampled: expected no series, which needs every launch in time");
	if (sweep_find(s, "program") < 0)
		complain(r, s->line, "[sweep] needs workload = ... or program = ...");
	else
		check_use(r);
	if (sweep_find(s, "machine") < 0 && r->machine)
		add_values(r, "machine", r->machine, r->machine_line);
	else if (sweep_find(s, "machine") < 0)
		complain(r, s->line, "[sweep] needs machine = ..., or [study] does");
	for (size_t i = 0; i < 3; i++)
		if (sweep_find(s, fixed[i][0]) < 0)
			add_values(r, fixed[i][0], fixed[i][1], s->line);
	check_numbers(r, "seed", 4294967295u);
	int size = sweep_find(s, "size");
	for (size_t i = 0; i < s->axes.v[size].value.n; i++) {
		const char *v = s->axes.v[size].value.v[i];
		if (strcmp(v, "test") && strcmp(v, "small") && strcmp(v, "paper"))
			complain(r, s->axes.v[size].line,
				 "size = %s: expected test, small or paper", v);
	}
	for (size_t i = 0; i < r->later.n; i++)
		(*r->later.v[i].key == 'z' ? zip : except)(r, r->later.v[i].value,
							   r->later.v[i].line);
	for (size_t i = 0; i < s->axes.n; i++)
		if (s->axes.v[i].group < 0)
			s->axes.v[i].group = (int)s->groups++;
}

/* Returns the whole file as text; NULL: an error, reported. */
static char *read_text(struct reading *r)
{
	char *text = NULL;
	size_t size = 0;
	unsigned line = 1;
	FILE *f = fopen(r->s->path, "r"), *mem = f ? open_memstream(&text, &size) : NULL;
	bool zero = false;
	for (int c; mem && !zero && (c = fgetc(f)) != EOF; line += c == '\n') {
		zero = !c;
		fputc(c, mem);
	}
	bool ok = mem && !ferror(f);
	if (!ok)
		diag_error(r->d, "%s: %s", r->s->path, strerror(errno));
	else if (zero)
		complain(r, line, "a zero byte: expected text");
	if (mem)
		fclose(mem);
	if (f)
		fclose(f);
	if (ok && !zero)
		return text;
	free(text);
	return NULL;
}

struct sweep *sweep_read(const char *path, struct diag *d)
{
	struct sweep *s = xcalloc(1, sizeof *s);
	struct reading r = {.s = s, .d = d};
	s->path = arena_strdup(&s->arena, path);
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	s->name = arena_strndup(&s->arena, base, strcspn(base, "."));
	char *text = read_text(&r);
	if (text) {
		split_lines(&r, text);
		check_sweep(&r);
	}
	free(text);
	vec_free(&r.later);
	if (!d->errors)
		return s;
	sweep_free(s);
	return NULL;
}

void sweep_free(struct sweep *s)
{
	for (size_t i = 0; s && i < s->axes.n; i++) {
		vec_free(&s->axes.v[i].value);
		vec_free(&s->axes.v[i].at);
	}
	if (!s)
		return;
	vec_free(&s->axes);
	vec_free(&s->set);
	vec_free(&s->except);
	arena_free(&s->arena);
	free(s);
}
