/* Member templates of dependent types without the keyword `template`. nvcc recognises them by
 * itself; clang reads the < as a comparison:
 *
 *   convert<A, B>::run<n>(x)        convert<A, B>::template run<n>(x)
 *   v.get<2>(), p->get<2>()         v.template get<2>(), p->template get<2>()
 *   typename P::tile<n>             typename P::template tile<n>, if clang's message names it
 *
 * Only a source that otherwise does not compile is edited: the driver looks for the messages. */
#include <string.h>
#include "nvcc/cc.h"
#include "nvcc/rewrite.h"

static bool has_token(const struct rw *r, const struct words *w, size_t i)
{
	return words_have(w, r->s + r->t[i].pos, r->t[i].len);
}

static void add_token(const struct rw *r, struct words *w, size_t i)
{
	if (!has_token(r, w, i))
		words_addf(w, "%.*s", (int)r->t[i].len, r->s + r->t[i].pos);
}

size_t rw_arguments_end(const struct rw *r, size_t i)
{
	int angle = 0, paren = 0;
	for (size_t k = i; k < r->nt && k < i + 200; k++) {
		if (punct(r, k, ';') || punct(r, k, '{') || r->t[k].kind == EOD)
			return i;
		paren += punct(r, k, '(') ? 1 : punct(r, k, ')') ? -1 : 0;
		if (paren < 0)
			return i;
		angle += paren ? 0 : punct(r, k, '<') ? 1 : punct(r, k, '>') ? -1 : 0;
		if (!angle)
			return k + 1;
	}
	return i;
}

/* Returns the name of the function template whose head ends at i; r->nt: not a function
 * template. */
static size_t function_name(const struct rw *r, size_t i)
{
	static const char *const with_parens[] = {"__attribute__",     "__declspec", "decltype",
						  "__launch_bounds__", "alignas",    NULL};
	static const char *const others[] = {"class", "struct", "union",    "using",
					     "enum",  "friend", "operator", NULL};
	for (int angle = 0; i < r->nt; i++) {
		if (punct(r, i, ';') || punct(r, i, '{') || is_any(r, i, others))
			break;
		angle += punct(r, i, '<') ? 1 : punct(r, i, '>') ? -1 : 0;
		if (angle || r->t[i].kind != IDENT || !punct(r, i + 1, '('))
			continue;
		if (!is_any(r, i, with_parens))
			return i;
		i = rw_after(r, i + 1, '(', ')') - 1;
	}
	return r->nt;
}

/* Collects the names of all function templates, and of namespaces, because a member of a namespace
 * needs no keyword. */
static void collect_templates(const struct rw *r, struct words *templates, struct words *spaces)
{
	words_add(spaces, "std");
	for (size_t i = 0; i + 1 < r->nt; i++) {
		if (is(r, i, "namespace") && r->t[i + 1].kind == IDENT)
			add_token(r, spaces, i + 1);
		if (!is(r, i, "template") || !punct(r, i + 1, '<'))
			continue;
		size_t head = rw_arguments_end(r, i + 1), name = function_name(r, head);
		if (head > i + 1 && name < r->nt)
			add_token(r, templates, name);
	}
}

/* True if the tokens before i make it a member: a.i, a->i, a<b>::i, a::i. */
static bool is_member(const struct rw *r, size_t i, const struct words *spaces)
{
	if (i < 3)
		return false;
	if (punct(r, i - 1, '.'))
		return !punct(r, i - 2, '.');
	if (punct(r, i - 1, '>'))
		return punct(r, i - 2, '-');
	if (!punct(r, i - 1, ':') || !punct(r, i - 2, ':'))
		return false;
	return punct(r, i - 3, '>') || (r->t[i - 3].kind == IDENT && !has_token(r, spaces, i - 3));
}

/* True if i is inside a function's body. */
static bool in_body(const struct rw *r, size_t i)
{
	static const char *const ends[] = {"const", "noexcept", "override", "else",
					   "do",    "try",      "mutable",  NULL};
	if (rw_in_directive(r, i))
		return false;
	while ((i = rw_opens_around(r, i)) != SIZE_MAX)
		if (i && (punct(r, i - 1, ')') || is_any(r, i - 1, ends)))
			return true;
	return false;
}

void rw_dependent(struct rw *r)
{
	struct words templates = {0}, spaces = {0};
	if (!r->how->templates)
		return;
	collect_templates(r, &templates, &spaces);
	for (size_t i = 3; i < r->nt; i++) {
		if (r->t[i].kind != IDENT || !punct(r, i + 1, '<') || !is_member(r, i, &spaces))
			continue;
		size_t end = rw_arguments_end(r, i + 1);
		bool call = punct(r, end, '(') && has_token(r, &templates, i) && in_body(r, i);
		if (end > i + 1 && (call || has_token(r, r->how->templates, i)))
			rw_edit(r, r->t[i].pos, 0, strdup("template "));
	}
	words_free(&templates);
	words_free(&spaces);
}

bool cc_asks_template(const char *messages, struct words *names)
{
	static const char *const asks[] = {
		"use 'template' keyword to treat '",
		"missing 'template' keyword prior to dependent template name '",
		"use of class template '", NULL};
	size_t known = names->n;
	bool unnamed = strstr(messages, "reference to overloaded function could not be resolved") ||
		       strstr(messages, "reference to non-static member function must be called") ||
		       strstr(messages, "does not refer to a value");
	for (const char *const *ask = asks; *ask; ask++)
		for (const char *p = messages; (p = strstr(p, *ask));) {
			p += strlen(*ask);
			unsigned len = (unsigned)strcspn(p, "'\n");
			if (!words_have(names, p, len))
				words_addf(names, "%.*s", (int)len, p);
		}
	return names->n > known || unnamed;
}
