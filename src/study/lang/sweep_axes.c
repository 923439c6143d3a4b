/* The axes of a sweep: replacing their values, and enumerating their combinations. sweep.h has the
 * format. */
#include <stdlib.h>
#include <string.h>
#include "study/lang/sweep.h"

int sweep_find(const struct sweep *s, const char *key)
{
	for (size_t i = 0; i < s->axes.n; i++)
		if (!strcmp(s->axes.v[i].key, key))
			return (int)i;
	return -1;
}

bool sweep_has_value(const struct sweep_axis *x, const char *value)
{
	for (size_t i = 0; i < x->value.n; i++)
		if (!strcmp(x->value.v[i], value))
			return true;
	return false;
}

void sweep_add_value(struct sweep_axis *x, const char *value, unsigned line)
{
	vec_push(&x->value, value);
	vec_push(&x->at, line);
}

bool sweep_test_holds(const struct sweep_test *t, const char *value)
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

bool sweep_matters(const struct sweep_axis *x, const char *program)
{
	if (!strcmp(x->key, "size") || !strcmp(x->key, "seed"))
		return !sweep_own(program);
	if (strncmp(x->key, "arg.", 4))
		return true;
	size_t n = strlen(x->key + 4);
	for (const char *b = program; sweep_own(program) && (b = strchr(b, '{')); b++)
		if (!strncmp(b + 1, x->key + 4, n) && b[1 + n] == '}')
			return true;
	return false;
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
		bool ok = strcmp(key, "size") ? sweep_has_value(x, item)
					      : !strcmp(item, "test") || !strcmp(item, "small") ||
							!strcmp(item, "paper");
		if (!ok)
			diag_error(d, "%s: no %s %s", s->path, key, item);
		else if (sweep_has_value(&chosen, item))
			diag_error(d, "%s: %s %s appears twice", s->path, key, item);
		sweep_add_value(&chosen, item, x->line);
	}
	if (!chosen.value.n)
		diag_error(d, "%s: expected a %s", s->path, key);
	vec_free(&x->value);
	vec_free(&x->at);
	chosen.key = x->key;
	chosen.line = x->line;
	chosen.group = x->group;
	*x = chosen;
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

/* True for a repetition. Axes that do not matter to a program and are not zipped count only with
 * their first value, so that the program does not run twice with one input. */
static bool is_repetition(const struct sweep *s, const unsigned *at)
{
	unsigned p = (unsigned)sweep_find(s, "program");
	for (size_t i = 0; i < s->axes.n; i++) {
		const struct sweep_axis *x = &s->axes.v[i];
		bool alone = true;
		for (size_t k = 0; k < s->axes.n; k++)
			alone &= k == i || s->axes.v[k].group != x->group;
		if (at[i] && alone && !sweep_matters(x, s->axes.v[p].value.v[at[p]]))
			return true;
	}
	return false;
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
		       sweep_test_holds(&x->test[n],
					s->axes.v[x->test[n].axis].value.v[at[x->test[n].axis]]))
			n++;
		if (x->n && n == x->n)
			return false;
	}
	return !is_repetition(s, at);
}
