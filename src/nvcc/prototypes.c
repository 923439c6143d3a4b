/* Functions outside of classes whose prototype and definition name different execution spaces:
 *
 *   int f(int);                              __device__ int g(int);
 *   __host__ __device__ int f(int x) { .. }  int g(int x) { .. }
 *
 * nvcc warns and treats the two declarations as one function; clang refuses the first example, and
 * in the second sees two functions, one of which has no definition. The function becomes one of
 * both sides if one declaration says so, otherwise one of the device. Only the program's own files
 * count: in the system's, a function of the host and one of the device do have the same name. */
#include <stdint.h>
#include <stdlib.h>
#include "nvcc/rewrite.h"

struct function {
	size_t name, from; /* tokens: its name; where specifiers are inserted */
	uint64_t scope;    /* hash of the namespaces around it */
	bool defined, device, host, global;
};

struct functions {
	struct function *v;
	size_t n, cap;
};

enum { DEPTH = 64 };

/* State of the scan: the open braces, and the number of open braces at each #if. */
struct scan {
	uint64_t scope[DEPTH]; /* scope of each brace; 0: not a namespace */
	int braces, parens;
	int at_if[DEPTH], ifs;
	bool system; /* the current file belongs to the system */
};

static uint64_t hash_token(const struct rw *r, uint64_t h, size_t i)
{
	for (unsigned k = 0; k < r->t[i].len; k++)
		h = (h ^ (unsigned char)r->s[r->t[i].pos + k]) * 0x100000001b3u;
	return h * 0x100000001b3u;
}

/* Returns the scope that the brace at i opens within `outer`; 0: not a namespace. */
static uint64_t scope_opened(const struct rw *r, size_t i, uint64_t outer)
{
	size_t j = i;
	if (i > 1 && r->t[i - 1].kind == STRING && is(r, i - 2, "extern"))
		return outer;
	while (j && (r->t[j - 1].kind == IDENT || punct(r, j - 1, ':')) && !is(r, j, "namespace"))
		j--;
	if (!is(r, j, "namespace") || !outer)
		return 0;
	if (j + 1 == i)
		return hash_token(r, outer, i);
	while (++j < i)
		if (r->t[j].kind == IDENT)
			outer = hash_token(r, outer, j);
	return outer;
}

/* Reads a directive: a line marker names the file, a conditional restores the braces at the start
 * of its branch. */
static size_t read_directive(const struct rw *r, size_t i, struct scan *p)
{
	static const char *const ifs[] = {"if", "ifdef", "ifndef", NULL};
	static const char *const elses[] = {"else", "elif", "elifdef", "elifndef", NULL};
	size_t word = i + 1;
	bool marker = word + 1 < r->nt && r->t[word].kind == OTHER && r->t[word + 1].kind == STRING;
	if (marker)
		p->system = false;
	if (is_any(r, word, ifs) && ++p->ifs <= DEPTH)
		p->at_if[p->ifs - 1] = p->braces;
	else if (is_any(r, word, elses) && p->ifs && p->ifs <= DEPTH)
		p->braces = p->at_if[p->ifs - 1];
	else if (is(r, word, "endif") && p->ifs)
		p->ifs--;
	for (; i < r->nt && r->t[i].kind != EOD; i++)
		p->system |= marker && i > word + 1 && is(r, i, "3");
	return i;
}

static uint64_t scope(const struct scan *p)
{
	return !p->braces ? 1 : p->braces <= DEPTH ? p->scope[p->braces - 1] : 0;
}

static void count_brace(const struct rw *r, size_t i, struct scan *p)
{
	if (punct(r, i, '{')) {
		uint64_t s = scope_opened(r, i, scope(p));
		if (++p->braces <= DEPTH)
			p->scope[p->braces - 1] = s;
	} else if (p->braces) {
		p->braces--;
	}
	p->parens = 0;
}

/* True if the tokens before the name can be a type, and not an expression or a class. */
static bool follows_type(const struct rw *r, size_t i)
{
	return i && (r->t[i - 1].kind == IDENT || punct(r, i - 1, '*') || punct(r, i - 1, '&') ||
		     punct(r, i - 1, '>'));
}

static void add_function(const struct rw *r, struct functions *to, size_t name,
			 const struct scan *p)
{
	size_t end = rw_after(r, rw_name_end(r, name), '(', ')');
	if (is(r, end, "noexcept"))
		end++;
	if (!punct(r, end, ';') && !punct(r, end, '{'))
		return;
	struct function f = {.name = name,
			     .from = rw_declaration(r, name),
			     .scope = scope(p),
			     .defined = punct(r, end, '{')};
	for (size_t k = f.from; k < name; k++) {
		f.device |= is(r, k, "__device__");
		f.host |= is(r, k, "__host__");
		f.global |= is(r, k, "__global__");
	}
	if (is(r, f.from, "extern") && r->t[f.from + 1].kind == STRING)
		f.from += 2;
	to->v = rw_grow(to->v, &to->cap, to->n + 1, sizeof *to->v);
	to->v[to->n++] = f;
}

static void find_functions(const struct rw *r, struct functions *found)
{
	struct scan p = {0};
	for (size_t i = 0; i < r->nt; i++) {
		if (r->t[i].kind == HASH)
			i = read_directive(r, i, &p);
		else if (punct(r, i, '{') || punct(r, i, '}'))
			count_brace(r, i, &p);
		else if (punct(r, i, ';'))
			p.parens = 0;
		else if (!p.system && !p.parens && scope(&p) && r->t[i].kind == IDENT &&
			 punct(r, rw_name_end(r, i), '(') && follows_type(r, i))
			add_function(r, found, i, &p);
		p.parens += punct(r, i, '(') ? 1 : punct(r, i, ')') && p.parens ? -1 : 0;
	}
}

/* Returns the end of the parameter's type that starts at i, without its name and default. */
static size_t type_end(const struct rw *r, size_t i, size_t *next)
{
	static const char *const types[] = {"int",   "unsigned", "long", "short", "char", "signed",
					    "float", "double",   "bool", "const", NULL};
	size_t end = i, from = i;
	int depth = 0;
	for (; i < r->nt && (depth || (!punct(r, i, ',') && !punct(r, i, ')'))); i++) {
		if (!depth && punct(r, i, '=') && end == from)
			end = i;
		depth += punct(r, i, '(') || punct(r, i, '<')   ? 1
			 : punct(r, i, ')') || punct(r, i, '>') ? -1
								: 0;
	}
	if (end == from)
		end = i;
	*next = i;
	if (end > from + 1 && r->t[end - 1].kind == IDENT && !is_any(r, end - 1, types) &&
	    !punct(r, end - 2, ':') && !(end == from + 2 && is(r, from, "const")))
		end--;
	return end;
}

static bool same_parameters(const struct rw *r, size_t a, size_t b)
{
	do {
		size_t x = a + 1, y = b + 1;
		size_t xend = type_end(r, x, &a), yend = type_end(r, y, &b);
		if (xend - x != yend - y)
			return false;
		for (; x < xend; x++, y++)
			if (!rw_same(r, x, y))
				return false;
	} while (punct(r, a, ',') && punct(r, b, ','));
	return punct(r, a, ')') && punct(r, b, ')');
}

static bool same_function(const struct rw *r, const struct function *a, const struct function *b)
{
	if (a->scope != b->scope || !rw_same(r, a->name, b->name))
		return false;
	size_t n = rw_name_end(r, a->name) - a->name;
	if (rw_name_end(r, b->name) - b->name != n)
		return false;
	for (size_t k = 1; k < n; k++)
		if (!rw_same(r, a->name + k, b->name + k))
			return false;
	return same_parameters(r, a->name + n, b->name + n);
}

/* Makes the declarations of the function that d defines agree. */
static void make_agree(struct rw *r, const struct functions *all, const struct function *d)
{
	bool device = d->device, host = d->host, differ = false;
	for (const struct function *o = all->v; o < all->v + all->n; o++) {
		if (o == d || !same_function(r, o, d))
			continue;
		if (o->global || o->defined) /* branches of an #if may define it twice */
			return;
		differ |= o->device != d->device || (o->device && o->host != d->host);
		device |= o->device;
		host |= o->host;
	}
	for (const struct function *o = all->v; differ && o < all->v + all->n; o++) {
		if (!same_function(r, o, d))
			continue;
		if (host && !o->host)
			rw_edit(r, r->t[o->from].pos, 0, strdup("__host__ "));
		if (device && !o->device)
			rw_edit(r, r->t[o->from].pos, 0, strdup("__device__ "));
	}
}

void rw_prototypes(struct rw *r)
{
	struct functions all = {0};
	find_functions(r, &all);
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i].defined && !all.v[i].global)
			make_agree(r, &all, &all.v[i]);
	free(all.v);
}
