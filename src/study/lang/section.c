/* Checked values of a section's keys (section.h). */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/lang/section.h"

unsigned section_line(const struct section *c, const char *key)
{
	for (unsigned i = 0; key && i < c->n; i++)
		if (!strcmp(c->k[i].key, key))
			return c->k[i].line;
	return c->line;
}

void section_complain(struct reading *r, const char *key, const char *fmt, ...)
{
	struct srcloc at = {.file = r->s->path, .line = section_line(&r->current, key), .col = 1};
	va_list ap;
	va_start(ap, fmt);
	diag_vat(r->d, DIAG_ERROR, &at, fmt, ap);
	va_end(ap);
}

const char *section_get(const struct section *c, const char *key, const char *fallback)
{
	for (unsigned i = 0; i < c->n; i++)
		if (!strcmp(c->k[i].key, key))
			return c->k[i].value;
	return fallback;
}

const char *section_need(struct reading *r, const char *key)
{
	const char *v = section_get(&r->current, key, NULL);
	if (!v || !*v)
		section_complain(r, key, "[%s%s%s] needs %s = ...", r->current.kind,
				 *r->current.name ? " " : "", r->current.name, key);
	return v ? v : "";
}

char *section_word(struct reading *r, const char **s)
{
	*s += strspn(*s, " \t,");
	size_t n = strcspn(*s, " \t,");
	char *w = n ? arena_strndup(&r->s->arena, *s, n) : NULL;
	*s += n;
	return w;
}

const struct expr *section_expr(struct reading *r, const char *key, const char *text)
{
	const char *why;
	const struct expr *e = expr_parse(&r->s->world, text, &r->s->arena, &why);
	if (!e && *why)
		section_complain(r, key, "[%s %s]: %s = ...: %s", r->current.kind, r->current.name,
				 key, why);
	if (!e)
		vec_push(&r->s->broken, r->current.name);
	return e;
}

const struct expr *section_one_value(struct reading *r, const char *key, const char *text)
{
	const struct expr *e = section_expr(r, key, text);
	if (e && expr_varies(e))
		section_complain(
			r, key,
			"[%s %s]: %s = ...: %s has a value for each program; expected one for all, such as mean(...) or VALUE@PROGRAM",
			r->current.kind, r->current.name, key, text);
	return e;
}

/* Returns the number in a key; `whole`: it must be an integer. */
double section_number(struct reading *r, const char *key, const char *fallback, double least,
		      double most, bool whole)
{
	char *end;
	const char *text = section_get(&r->current, key, fallback);
	double x = strtod(text, &end);
	if (end == text || *end || !(x >= least && x <= most) || (whole && x != floor(x)))
		section_complain(r, key, "[%s %s]: %s = %s: expected a %snumber from %g to %g",
				 r->current.kind, r->current.name, key, text, whole ? "whole " : "",
				 least, most);
	return x;
}

const char *section_prose(struct reading *r, const char *text)
{
	for (const char *p = text; (p = strchr(p, '{')); p++) {
		size_t n = strcspn(p + 1, "|}");
		const char *end = strchr(p, '}'), *bar = p + 1 + n;
		if (!end) {
			section_complain(r, "text", "[%s %s]: { without a closing }",
					 r->current.kind, r->current.name);
			break;
		}
		section_one_value(r, "text", arena_strndup(&r->s->arena, p + 1, n));
		if (*bar == '|' && (!isdigit((unsigned char)bar[1]) || bar + 2 != end))
			section_complain(
				r, "text",
				"[%s %s]: {%.*s}: expected {EXPRESSION|DIGITS}, with one digit",
				r->current.kind, r->current.name, (int)(end - p - 1), p + 1);
	}
	return text;
}

unsigned section_settings(struct reading *r, const char *list, const char **set, unsigned room)
{
	unsigned n = 0;
	for (char *w; (w = section_word(r, &list));) {
		const char *eq = strchr(w, '=');
		if (!eq)
			section_complain(r, "set", "set = %s: expected key=value", w);
		for (unsigned i = 0; eq && i < n; i++)
			if (!strncmp(set[i], w, (size_t)(eq + 1 - w)))
				section_complain(r, "set", "set: %.*s appears twice", (int)(eq - w),
						 w);
		if (n == room) {
			section_complain(r, "set", "more than %d settings", SECTION_SETTINGS);
			break;
		}
		set[n++] = w;
	}
	return n;
}
