/*
 * Launches in device code of kernels that are overloaded or deduce their template arguments. A kernel's name as a
 * template's argument (launches.c) must be one function: which one, the arguments say. So each declaration of such a
 * kernel gets a function beside it that has its parameters and says which kernel it is; it is declared, never called:
 *
 *   __global__ void k(P) ..          __global__ void k(P); auto __hd_which_k(P) -> __hd_kernel<void(P), k>; ..
 *   k<<<g, b>>>(x)                   __hd_launch(decltype(__hd_which_k(x))::__p, g, b)(x)
 *
 * The function belongs to both sides: clang lets no function of the device alone name one of several kernels.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cc/cc.h"
#include "cli/cc/rewrite.h"

/* The tokens of [from, to) on one line. Default arguments are left out. */
static char *one_line(const struct rw *r, size_t from, size_t to, bool defaults)
{
	char *out = NULL;
	size_t n = 0;
	int depth = 0;
	bool skip = false;
	FILE *f = open_memstream(&out, &n);
	for (size_t i = from; f && i < to; i++) {
		const struct tok *t = &r->t[i];
		depth += punct(r, i, '(') || punct(r, i, '<') || punct(r, i, '{');
		depth -= punct(r, i, ')') || punct(r, i, '>') || punct(r, i, '}');
		if (!defaults && !depth && (punct(r, i, '=') || punct(r, i, ',')))
			skip = punct(r, i, '=');
		if (skip)
			continue;
		if (i > from && r->t[i - 1].pos + r->t[i - 1].len != t->pos)
			fputc(' ', f);
		fwrite(r->s + t->pos, 1, t->len, f);
	}
	if (f)
		fclose(f);
	return out;
}

/* The parameters' bracket of the kernel that is declared with __global__ at g; name: its name. r->nt: none. */
static size_t parameters(const struct rw *r, size_t g, size_t *name)
{
	for (size_t i = g + 1; i < r->nt && i < g + 64; i++) {
		if (r->t[i].kind == HASH || punct(r, i, ';') || punct(r, i, '{'))
			break;
		if (punct(r, i, '(')) {
			*name = i - 1;
			if (r->t[i - 1].kind == IDENT && !is(r, i - 1, "__launch_bounds__") &&
			    !is(r, i - 1, "__attribute__") && !is(r, i - 1, "__cluster_dims__"))
				return i;
			i = rw_after(r, i, '(', ')') - 1;
		}
	}
	return r->nt;
}

/* The token with which the declaration of g begins, its template's head included. */
static size_t head(const struct rw *r, size_t g)
{
	size_t from = rw_declaration(r, g), i = from;
	while (i && r->t[i - 1].kind != EOD && !punct(r, i - 1, ';') && !punct(r, i - 1, '}') &&
	       !punct(r, i - 1, '{'))
		i--;
	return is(r, i, "template") ? i : from;
}

/* Calls see for each declaration of the kernel of that name; ends when it answers true. */
static bool each(struct rw *r, size_t name, bool see(struct rw *r, size_t g, size_t open, void *p),
		 void *p)
{
	for (size_t g = 0; g < r->nt; g++) {
		size_t at = 0, open;
		if (!is(r, g, "__global__") || rw_in_directive(r, g))
			continue;
		if ((open = parameters(r, g, &at)) < r->nt && rw_same(r, at, name) &&
		    see(r, g, open, p))
			return true;
	}
	return false;
}

/* True if this declaration makes the name ambiguous: a template, or other parameters than the first one has. */
static bool differs(struct rw *r, size_t g, size_t open, void *p)
{
	char **first = p, *text = one_line(r, open + 1, rw_after(r, open, '(', ')') - 1, false);
	if (is(r, head(r, g), "template"))
		return free(text), true;
	if (!*first) {
		*first = text;
		return false;
	}
	bool other = !text || strcmp(*first, text) != 0;
	free(text);
	return other;
}

/* The template's head at `from` without default arguments; "" if there is none. */
static char *plain_head(const struct rw *r, size_t from, size_t decl)
{
	if (!is(r, from, "template") || !punct(r, from + 1, '<'))
		return strdup("");
	char *inside = one_line(r, from + 2, decl - 1, false);
	char *out = cc_format("template <%s>", inside ? inside : "");
	free(inside);
	return out;
}

/* The parameters of the template's head as arguments, "<T, N>"; "" if there is none, or one has no name. */
static char *arguments(const struct rw *r, size_t from, size_t decl)
{
	char *out = NULL;
	size_t n = 0, name = 0, count = 0;
	int depth = 0;
	bool value = false, pack = false, all = true;
	if (!is(r, from, "template") || !punct(r, from + 1, '<'))
		return strdup("");
	FILE *f = open_memstream(&out, &n);
	for (size_t i = from + 2; f && i < decl; i++) {
		bool last = i + 1 == decl;
		if (!depth && (last || punct(r, i, ','))) {
			all &= name && count > 1; /* `class` alone is no name */
			fprintf(f, "%s%.*s%s", n || ftell(f) ? ", " : "<",
				name ? (int)r->t[name].len : 0, r->s + r->t[name].pos,
				pack ? "..." : "");
			name = count = 0, value = pack = false;
			continue;
		}
		depth += punct(r, i, '<') || punct(r, i, '(');
		depth -= punct(r, i, '>') || punct(r, i, ')');
		count++;
		value |= punct(r, i, '=');
		pack |= !value && punct(r, i, '.');
		if (!depth && !value && r->t[i].kind == IDENT)
			name = i;
	}
	if (f) {
		fputc('>', f);
		fclose(f);
	}
	if (all && out)
		return out;
	free(out);
	return strdup("");
}

static bool declare(struct rw *r, size_t g, size_t open, void *p)
{
	(void)p;
	size_t from = head(r, g), decl = rw_declaration(r, g),
	       end = rw_after(r, open, '(', ')') - 1;
	const struct tok *name = &r->t[open - 1];
	char *given = one_line(r, from, is(r, from, "template") ? decl : from, true);
	char *plain = plain_head(r, from, decl), *kind = one_line(r, decl, open, true);
	char *params = one_line(r, open + 1, end, false), *args = arguments(r, from, decl);
	if (given && plain && kind && params && args)
		rw_edit(r, r->t[from].pos, 0,
			cc_format("%s %s(%s); %s __host__ __device__ auto __hd_which_%.*s(%s) -> "
				  "__hd_kernel<void(%s), %.*s%s>; ",
				  plain, kind, params, given, (int)name->len, r->s + name->pos,
				  params, params, (int)name->len, r->s + name->pos, args));
	free(given);
	free(plain);
	free(kind);
	free(params);
	free(args);
	return false;
}

bool rw_overloaded(struct rw *r, size_t name)
{
	char *first = NULL;
	bool many = each(r, name, differs, &first);
	free(first);
	if (!many)
		return false;
	char *word = cc_format("%.*s", (int)r->t[name].len, r->s + r->t[name].pos);
	bool known = false;
	for (size_t i = 0; i < r->chosen.n; i++)
		known |= !strcmp(r->chosen.v[i], word);
	if (!known) {
		words_add(&r->chosen, word);
		each(r, name, declare, NULL);
	}
	free(word);
	return true;
}

void rw_choose(struct rw *r, size_t name, size_t open)
{
	char *args = one_line(r, open + 1, rw_after(r, open, '(', ')') - 1, true);
	const struct tok *t = &r->t[name];
	rw_edit(r, t->pos, t->len,
		cc_format("__hd_launch(decltype(__hd_which_%.*s(%s))::__p, ", (int)t->len,
			  r->s + t->pos, args ? args : ""));
	free(args);
}
