/* Launches in device code of kernels that are overloaded or deduce their template arguments. A
 * kernel's name as a template argument (launches.c) must mean one function, which depends on the
 * launch's arguments. So each declaration of such a kernel gets a companion function with the
 * kernel's parameters whose return type names the kernel; it is never called:
 *
 *   __global__ void k(P) ..          __global__ void k(P); auto __hd_which_k(P) -> __hd_kernel<void(P), k>; ..
 *   k<<<g, b>>>(x)                   __hd_launch(decltype(__hd_which_k(x))::__p, g, b)(x)
 *   a::k<int><<<g, b>>>(x)           __hd_launch(decltype(a::__hd_which_k<int>(x))::__p, g, b)(x)
 *   using a::k;                      using a::k; using a::__hd_which_k;
 *
 * The companion belongs to both sides, because clang does not allow a device function to name one
 * of several kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"
#include "nvcc/rewrite.h"

/* Returns the tokens [from, to) on one line, with default arguments if `defaults` is set. */
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

/* Returns the parameters' bracket of the kernel that is declared with __global__ at g; *name: its
 * name. r->nt: none. */
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

size_t rw_head(const struct rw *r, size_t g)
{
	size_t from = rw_declaration(r, g), i = from;
	while (i && r->t[i - 1].kind != EOD && !punct(r, i - 1, ';') && !punct(r, i - 1, '}') &&
	       !punct(r, i - 1, '{'))
		i--;
	return is(r, i, "template") ? i : from;
}

/* Calls `see` for each declaration of the kernel of that name until it returns true. */
static bool each_declaration(struct rw *r, size_t name,
			     bool see(struct rw *r, size_t g, size_t open, void *p), void *p)
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

/* Facts about the declarations of one name. */
struct kinds {
	char *first;     /* parameters of the first declaration */
	bool other;      /* another declaration has other parameters */
	bool template_;  /* at least one declaration is a template, ... */
	unsigned needed; /* ... with at most this number of parameters without default */
};

/* Returns the number of parameters without default in the template's head at `from`; packs do not
 * count. */
static unsigned count_needed(const struct rw *r, size_t from, size_t decl)
{
	unsigned n = 0;
	int depth = 0;
	bool none = false;
	for (size_t i = from + 2; i < decl; i++) {
		if (!depth && (i + 1 == decl || punct(r, i, ','))) {
			n += !none;
			none = false;
			continue;
		}
		depth += punct(r, i, '<') || punct(r, i, '(');
		depth -= punct(r, i, '>') || punct(r, i, ')');
		none |= !depth && (punct(r, i, '=') || punct(r, i, '.'));
	}
	return n;
}

static bool differs(struct rw *r, size_t g, size_t open, void *p)
{
	struct kinds *k = p;
	char *text = one_line(r, open + 1, rw_after(r, open, '(', ')') - 1, false);
	size_t from = rw_head(r, g);
	if (is(r, from, "template")) {
		unsigned n = count_needed(r, from, rw_declaration(r, g));
		k->template_ = true;
		k->needed = n > k->needed ? n : k->needed;
	}
	k->other |= k->first && (!text || strcmp(k->first, text) != 0);
	if (!k->first)
		k->first = text;
	else
		free(text);
	return false;
}

/* Returns the template's head at `from` without default arguments; "" if there is none. */
static char *plain_head(const struct rw *r, size_t from, size_t decl)
{
	if (!is(r, from, "template") || !punct(r, from + 1, '<'))
		return strdup("");
	char *inside = one_line(r, from + 2, decl - 1, false);
	char *out = cc_format("template <%s>", inside ? inside : "");
	free(inside);
	return out;
}

/* Returns the parameters of the template's head as arguments, "<T, N>"; "" if there is none, or a
 * parameter has no name. */
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
	if (open > 1 && punct(r, open - 2, ':'))
		/* a definition outside of its namespace; the declaration inside counts */
		return false;
	size_t from = rw_head(r, g), decl = rw_declaration(r, g),
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

static bool any(struct rw *r, size_t g, size_t open, void *p)
{
	(void)r, (void)g, (void)open, (void)p;
	return true;
}

bool rw_is_kernel(struct rw *r, size_t i) { return each_declaration(r, i, any, NULL); }

/* Adds the name of the namespace around i, "" if there is none; false: it is known already. */
static bool add_namespace(const struct rw *r, size_t i, struct words *spaces)
{
	size_t at = rw_opens_around(r, i);
	bool named = at != SIZE_MAX && at > 1 && r->t[at - 1].kind == IDENT;
	const char *name = named ? r->s + r->t[at - 1].pos : "";
	unsigned len = named ? r->t[at - 1].len : 0;
	if (words_have(spaces, name, len))
		return false;
	words_addf(spaces, "%.*s", (int)len, name);
	return true;
}

static bool collect_namespace(struct rw *r, size_t g, size_t open, void *spaces)
{
	(void)open;
	add_namespace(r, g, spaces);
	return false;
}

/* True if `using a::name;` is at i, where a is in `spaces`; *end: its semicolon. */
static bool is_using(const struct rw *r, size_t i, size_t name, const struct words *spaces,
		     size_t *end)
{
	if (!is(r, i, "using") || is(r, i + 1, "namespace"))
		return false;
	for (*end = i + 1; *end < r->nt && !punct(r, *end, ';'); ++*end)
		if (r->t[*end].kind != IDENT && !punct(r, *end, ':'))
			return false;
	size_t k = *end - 1;
	if (*end == r->nt || !rw_same(r, k, name) || !punct(r, k - 1, ':') || k < i + 3)
		return false;
	const struct tok *t = &r->t[k - 3];
	return k == i + 3 ? words_have(spaces, "", 0) : words_have(spaces, r->s + t->pos, t->len);
}

/* Adds a using-declaration of the companion function wherever one takes the kernel to another
 * scope. */
static void follow_using(struct rw *r, size_t name)
{
	struct words spaces = {0};
	size_t end;
	bool more = true;
	each_declaration(r, name, collect_namespace, &spaces);
	while (more) {
		more = false;
		for (size_t i = 0; i < r->nt; i++)
			if (is_using(r, i, name, &spaces, &end) && !rw_in_device(r, i))
				more |= add_namespace(r, i, &spaces);
	}
	for (size_t i = 0; i < r->nt; i++)
		if (is_using(r, i, name, &spaces, &end)) {
			unsigned from = r->t[i].pos, n = r->t[end - 1].pos - from;
			rw_edit(r, r->t[end].pos + 1, 0,
				cc_format(" %.*s__hd_which_%.*s;", (int)n, r->s + from,
					  (int)r->t[name].len, r->s + r->t[name].pos));
		}
	words_free(&spaces);
}

/* Returns the number of template arguments given from the bracket at i on. */
static unsigned count_given(const struct rw *r, size_t i, size_t end)
{
	unsigned n = i + 2 < end;
	int depth = 0;
	for (i++; i + 1 < end; i++) {
		depth += punct(r, i, '<') || punct(r, i, '(') || punct(r, i, '{');
		depth -= punct(r, i, '>') || punct(r, i, ')') || punct(r, i, '}');
		n += !depth && punct(r, i, ',');
	}
	return n;
}

bool rw_several(struct rw *r, size_t name, size_t end)
{
	struct kinds k = {0};
	bool plain = name + 1 == end;
	each_declaration(r, name, differs, &k);
	free(k.first);
	return k.other || (k.template_ && (plain || count_given(r, name + 1, end) < k.needed));
}

bool rw_overloaded(struct rw *r, size_t name, size_t end)
{
	if (!rw_several(r, name, end))
		return false;
	const struct tok *t = &r->t[name];
	if (!words_have(&r->chosen, r->s + t->pos, t->len)) {
		words_addf(&r->chosen, "%.*s", (int)t->len, r->s + t->pos);
		each_declaration(r, name, declare, NULL);
		follow_using(r, name);
	}
	return true;
}

void rw_choose(struct rw *r, size_t from, size_t name, size_t end, size_t open)
{
	char *args = one_line(r, open + 1, rw_after(r, open, '(', ')') - 1, true);
	const struct tok *t = &r->t[name];
	rw_edit(r, r->t[from].pos, 0, strdup("__hd_launch(decltype("));
	rw_edit(r, t->pos, 0, strdup("__hd_which_"));
	rw_edit(r, r->t[end].pos, 0, cc_format("(%s))::__p, ", args ? args : ""));
	free(args);
}
