/* Reads the section [sweep] of a study file and enumerates its combinations: see sweep.h. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "study/sweep.h"

enum { MOST_VALUES = 100000 };

struct line {
	const char *key, *value;
	unsigned line;
};

struct reading {
	struct sweep *s;
	struct diag *d;
	unsigned line;
	bool seen;              /* a [sweep] */
	const char *machine;    /* of [study] */
	VEC(struct line) later; /* zip and except, when all axes are known */
};

static void complain(struct reading *r, unsigned line, const char *fmt, ...)
{
	struct srcloc at = {.file = r->s->path, .line = line, .col = 1};
	va_list ap;
	va_start(ap, fmt);
	diag_vat(r->d, DIAG_ERROR, &at, fmt, ap);
	va_end(ap);
}

static char *trimmed(struct arena *a, const char *s, size_t n)
{
	while (n && isspace((unsigned char)*s))
		s++, n--;
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	return arena_strndup(a, s, n);
}

int sweep_find(const struct sweep *s, const char *key)
{
	for (size_t i = 0; i < s->axes.n; i++)
		if (!strcmp(s->axes.v[i].key, key))
			return (int)i;
	return -1;
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

/* "16..48", "16..48 step 16", "8..64 times 2". False: it is no range. */
static bool add_range(struct reading *r, struct sweep_axis *x, const char *item, unsigned line)
{
	char *end;
	double from = strtod(item, &end), to, step = 1;
	bool times = false;
	/* strtod takes "16." of "16..48" */
	const char *dots = strstr(item, "..");
	if (!dots || dots == item || end < dots || end > dots + 1)
		return false;
	from = strtod(trimmed(&r->s->arena, item, (size_t)(dots - item)), NULL);
	to = strtod(dots + 2, &end);
	if (end == dots + 2) /* "16..": no last one */
		end = "?";
	end += strspn(end, " ");
	if (!strncmp(end, "step ", 5) || !strncmp(end, "times ", 6)) {
		times = *end == 't';
		const char *n = end + (times ? 6 : 5);
		step = strtod(n, &end);
		end = end == n ? "?" : end + strspn(end, " ");
	}
	if (*end || step <= (times ? 1 : 0) || to < from || (times && from <= 0)) {
		complain(
			r, line,
			"%s = %s: expected FIRST..LAST, FIRST..LAST step N or FIRST..LAST times N, rising",
			x->key, item);
		return true;
	}
	for (double v = from; v <= to * (1 + 1e-12); v = times ? v * step : v + step) {
		if (x->value.n >= MOST_VALUES) {
			complain(r, line, "%s has more than %d values", x->key, MOST_VALUES);
			break;
		}
		vec_push(&x->value, arena_printf(&r->s->arena, "%.12g", v));
	}
	return true;
}

static void add_values(struct reading *r, const char *key, const char *list, unsigned line)
{
	struct sweep_axis *x = axis_of(r, key, line);
	if (x->value.n) {
		complain(r, line, "%s is there twice (first in line %u)", key, x->line);
		return;
	}
	for (const char *p = list;; p++) {
		size_t n = strcspn(p, ",");
		char *item = trimmed(&r->s->arena, p, n);
		if (!*item)
			complain(r, line, "%s: expected values separated by commas", key);
		else if (!add_range(r, x, item, line))
			vec_push(&x->value, item);
		p += n;
		if (!*p)
			break;
	}
	for (size_t i = 0; i < x->value.n; i++)
		for (size_t k = 0; k < i && x->value.n < 1000; k++)
			if (!strcmp(x->value.v[i], x->value.v[k])) {
				complain(r, line, "%s: %s is there twice", key, x->value.v[i]);
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

static bool has_value(const struct sweep_axis *x, const char *value)
{
	for (size_t i = 0; i < x->value.n; i++)
		if (!strcmp(x->value.v[i], value))
			return true;
	return false;
}

/* ---- a line of the section ---- */

static void entry(struct reading *r, char *key, char *value, unsigned line)
{
	struct sweep *s = r->s;
	char *end;
	if (!strcmp(key, "zip") || !strcmp(key, "except")) {
		vec_push(&r->later, (struct line){key, value, line});
	} else if (!strcmp(key, "set") && s->set_line) {
		complain(r, line, "set is there twice (first in line %u)", s->set_line);
	} else if (!strcmp(key, "set")) {
		s->set = value;
		s->set_line = line;
	} else if (!strcmp(key, "program") && strcspn(value, "/") >= strcspn(value, " ")) {
		complain(
			r, line,
			"program = %s: expected a path with a /, as ./app; workload = ... names programs of the suite",
			value);
	} else if (!strcmp(key, "program")) { /* the words after it are its arguments */
		vec_push(&axis_of(r, "program", line)->value, value);
	} else if (!strcmp(key, "workload")) {
		struct sweep_axis *x = axis_of(r, "program", line);
		for (const char *p = value; *p; p += strspn(p, ", ")) {
			size_t n = strcspn(p, ", ");
			const char *name = arena_strndup(&s->arena, p, n);
			if (has_value(x, name))
				complain(r, line, "workload: %s is there twice", name);
			vec_push(&x->value, name);
			p += n;
		}
	} else if (!strcmp(key, "series")) {
		unsigned long n = strtoul(value, &end, 10);
		if (*end || n < 2 || n > 65536)
			complain(r, line, "series = %s: expected a number of rows from 2 to 65536",
				 value);
		s->series = (unsigned)n;
	} else if (!strcmp(key, "repeat")) {
		unsigned long n = strtoul(value, &end, 10);
		if (*end || n < 1 || n > 10000)
			complain(r, line, "repeat = %s: expected a number from 1 to 10000", value);
		else
			add_values(r, "repetition", arena_printf(&s->arena, "1..%lu", n), line);
	} else if (!strcmp(key, "machine") || !strcmp(key, "size") || !strcmp(key, "seed") ||
		   strchr(key, '.')) {
		add_values(r, key, value, line);
	} else {
		complain(
			r, line,
			"%s: expected machine, set, workload, program, size, seed, repeat, series, zip, except, arg.NAME or an "
			"option as heddle config explain knows them",
			key);
	}
}

/* ---- zip and except ---- */

static void zip(struct reading *r, const char *list, unsigned line)
{
	struct sweep *s = r->s;
	int group = -1;
	size_t n = 0;
	for (const char *p = list; *p; p += strspn(p, ", ")) {
		size_t len = strcspn(p, ", ");
		char *key = arena_strndup(&s->arena, p, len);
		int i = sweep_find(s, key);
		p += len;
		if (i < 0) {
			complain(r, line, "zip: no axis %s", key);
			return;
		}
		struct sweep_axis *x = &s->axes.v[i];
		if (x->group >= 0) {
			complain(r, line, "zip: %s is in another zip", key);
			return;
		}
		if (group < 0) {
			group = (int)s->groups++;
			n = x->value.n;
		} else if (x->value.n != n) {
			complain(r, line, "zip: %s has %zu values, the axes before it %zu", key,
				 x->value.n, n);
			return;
		}
		x->group = group;
	}
}

static const char *const signs[] = {[CMP_LE] = "<=", [CMP_GE] = ">=", [CMP_NE] = "!=",
				    [CMP_LT] = "<",  [CMP_GT] = ">",  [CMP_EQ] = "="};

static bool one_test(struct reading *r, struct sweep_except *e, const char *text, unsigned line)
{
	static const enum compare order[] = {CMP_LE, CMP_GE, CMP_NE, CMP_LT, CMP_GT, CMP_EQ};
	for (size_t i = 0; i < 6; i++) {
		const char *sign = signs[order[i]], *at = strstr(text, sign);
		if (!at)
			continue;
		char *key = trimmed(&r->s->arena, text, (size_t)(at - text)),
		     *value = trimmed(&r->s->arena, at + strlen(sign), strlen(at + strlen(sign)));
		int axis = sweep_find(r->s, key);
		if (axis < 0) {
			complain(r, line, "except: no axis %s", key);
			return false;
		}
		if (!*value || e->n == 8)
			break;
		if ((order[i] == CMP_EQ || order[i] == CMP_NE) &&
		    !has_value(&r->s->axes.v[axis], value)) {
			complain(r, line, "except: %s has no value %s", key, value);
			return false;
		}
		e->test[e->n++] = (struct sweep_test){(unsigned)axis, order[i], value};
		return true;
	}
	complain(r, line, "except: %s: expected AXIS = VALUE (or != < <= > >=), joined by and",
		 text);
	return false;
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

static void line_of(struct reading *r, char *section, char *line)
{
	struct arena *a = &r->s->arena;
	char *eq = strchr(line, '=');
	if (*line == '[') {
		size_t n = strcspn(line + 1, " ]");
		if (!strchr(line, ']'))
			complain(r, r->line, "%s: expected [section]", line);
		snprintf(section, 64, "%.*s", (int)n, line + 1);
		if (!strcmp(section, "sweep") && r->seen)
			complain(r, r->line, "[sweep] is there twice");
		r->seen |= !strcmp(section, "sweep");
	} else if (!*section) {
		complain(r, r->line, "%s: expected a [section] before it", line);
	} else if (!strcmp(section, "sweep") || !strcmp(section, "study")) {
		if (!eq) {
			complain(r, r->line, "expected key = value, [section] or a comment");
			return;
		}
		char *key = trimmed(a, line, (size_t)(eq - line)),
		     *value = trimmed(a, eq + 1, strlen(eq + 1));
		if (!strcmp(section, "study") && !strcmp(key, "machine"))
			r->machine = value;
		else if (!strcmp(section, "sweep") && !*value)
			complain(r, r->line, "%s: a value is missing", key);
		else if (!strcmp(section, "sweep"))
			entry(r, key, value, r->line);
	}
}

/* Whole lines, with those that continue them; comments after " ;" are cut off. */
static void lines_of(struct reading *r, char *text)
{
	char section[64] = "", *line = text;
	for (unsigned n = 1; *line; n++) {
		r->line = n;
		char *end = line + strcspn(line, "\n");
		while (*end && (end[1] == ' ' || end[1] == '\t')) {
			*end = ' ';
			end += strcspn(end, "\n");
			n++;
		}
		bool last = !*end;
		*end = 0;
		char *comment = strstr(line, " ;");
		if (comment)
			*comment = 0;
		if (*line && *line != ';' && *line != '#' && line[strspn(line, " \t\r")])
			line_of(r, section, line);
		line = last ? end : end + 1;
	}
}

static void check(struct reading *r)
{
	struct sweep *s = r->s;
	static const char *const fixed[][2] = {
		{"size", "test"}, {"seed", "0"}, {"repetition", "1"}};
	if (!r->seen) {
		complain(r, 1, "no [sweep] section");
		return;
	}
	if (sweep_find(s, "program") < 0)
		complain(r, 1, "[sweep] needs workload = ... or program = ...");
	if (sweep_find(s, "machine") < 0 && r->machine)
		add_values(r, "machine", r->machine, 1);
	else if (sweep_find(s, "machine") < 0)
		complain(r, 1, "[sweep] needs machine = ...");
	for (size_t i = 0; i < 3; i++)
		if (sweep_find(s, fixed[i][0]) < 0)
			add_values(r, fixed[i][0], fixed[i][1], 1);
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

struct sweep *sweep_read(const char *path, struct diag *d)
{
	struct sweep *s = xcalloc(1, sizeof *s);
	struct reading r = {.s = s, .d = d};
	char *text = NULL;
	size_t size = 0;
	FILE *f = fopen(path, "r"), *mem = f ? open_memstream(&text, &size) : NULL;
	s->path = arena_strdup(&s->arena, path);
	s->set = "";
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	s->name = arena_strndup(&s->arena, base, strcspn(base, "."));
	for (int c; mem && (c = fgetc(f)) != EOF;)
		fputc(c, mem);
	bool ok = mem && !ferror(f);
	if (mem)
		fclose(mem);
	if (f)
		fclose(f);
	if (ok) {
		lines_of(&r, text);
		check(&r);
	} else {
		diag_error(d, "%s: %s", path, strerror(errno));
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
	for (size_t i = 0; s && i < s->axes.n; i++)
		vec_free(&s->axes.v[i].value);
	if (!s)
		return;
	vec_free(&s->axes);
	vec_free(&s->except);
	arena_free(&s->arena);
	free(s);
}

/* ---- other values ---- */

bool sweep_choose(struct sweep *s, const char *key, const char *list, struct diag *d)
{
	static const struct sweep_axis none;
	struct sweep_axis *x = &s->axes.v[sweep_find(s, key)], chosen = none;
	for (size_t i = 0; i < s->axes.n; i++)
		if (&s->axes.v[i] != x && x->group >= 0 && s->axes.v[i].group == x->group) {
			diag_error(d, "%s: %s goes together with %s", s->path, key,
				   s->axes.v[i].key);
			return false;
		}
	for (const char *p = list; *p; p += strspn(p, ", ")) {
		size_t n = strcspn(p, ", ");
		char *item = arena_strndup(&s->arena, p, n);
		p += n;
		bool ok = strcmp(key, "size") ? has_value(x, item)
					      : !strcmp(item, "test") || !strcmp(item, "small") ||
							!strcmp(item, "paper");
		if (!ok)
			diag_error(d, "%s: no %s %s", s->path, key, item);
		vec_push(&chosen.value, item);
	}
	if (!chosen.value.n)
		diag_error(d, "%s: expected a %s", s->path, key);
	vec_free(&x->value);
	x->value.v = chosen.value.v;
	x->value.n = chosen.value.n;
	x->value.cap = chosen.value.cap;
	return !d->errors;
}

/* ---- combinations ---- */

static uint64_t values_of(const struct sweep *s, unsigned group)
{
	for (size_t i = 0; i < s->axes.n; i++)
		if (s->axes.v[i].group == (int)group)
			return s->axes.v[i].value.n;
	return 1;
}

uint64_t sweep_size(const struct sweep *s)
{
	uint64_t n = 1;
	for (unsigned g = 0; g < s->groups; g++)
		n = values_of(s, g) && n > UINT64_MAX / values_of(s, g) ? UINT64_MAX
									: n * values_of(s, g);
	return n;
}

static bool holds(const struct sweep_test *t, const char *value)
{
	char *e1, *e2;
	double a = strtod(value, &e1), b = strtod(t->value, &e2);
	bool numbers = e1 != value && !*e1 && e2 != t->value && !*e2;
	int c = numbers ? (a > b) - (a < b) : strcmp(value, t->value);
	switch (t->op) {
	case CMP_EQ: return c == 0;
	case CMP_NE: return c != 0;
	case CMP_LT: return c < 0;
	case CMP_LE: return c <= 0;
	case CMP_GT: return c > 0;
	default: return c >= 0;
	}
}

bool sweep_at(const struct sweep *s, uint64_t i, unsigned *at)
{
	for (unsigned g = s->groups; g-- > 0;) {
		uint64_t n = values_of(s, g);
		for (size_t k = 0; k < s->axes.n; k++)
			if (s->axes.v[k].group == (int)g)
				at[k] = (unsigned)(i % n);
		i /= n;
	}
	for (size_t e = 0; e < s->except.n; e++) {
		const struct sweep_except *x = &s->except.v[e];
		unsigned n = 0;
		while (n < x->n &&
		       holds(&x->test[n], s->axes.v[x->test[n].axis].value.v[at[x->test[n].axis]]))
			n++;
		if (x->n && n == x->n)
			return false;
	}
	return true;
}
