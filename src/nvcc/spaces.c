/* Members whose declaration in the class and whose definition name different execution spaces:
 *
 *   struct lock { void take(); };            struct lock { __host__ __device__ void take(); };
 *   __device__ void lock::take() { .. }      __host__ __device__ void lock::take() { .. }
 *
 * nvcc warns and treats such a function as one of both sides; clang reports that definition and
 * declaration do not match. Tokens do not tell overloads apart, so a name is edited only if all its
 * declarations in classes of that name agree, and all definitions outside agree. */
#include <stdlib.h>
#include "nvcc/rewrite.h"

struct member {
	size_t class_, name;       /* tokens: the class, and the name (without ~) */
	size_t from;               /* token of the first specifier */
	bool device, host, global; /* the specifiers that it has */
};

struct members {
	struct member *v;
	size_t n, cap;
};

struct body {
	size_t class_, brace; /* tokens: the class's name and its opening brace */
	bool device;          /* a member in the body has a device specifier */
};
struct bodies {
	struct body *v;
	size_t n, cap;
};

bool rw_same(const struct rw *r, size_t a, size_t b)
{
	const struct tok *x = &r->t[a], *y = &r->t[b];
	return x->len == y->len && !memcmp(r->s + x->pos, r->s + y->pos, x->len);
}

size_t rw_after(const struct rw *r, size_t i, char open, char close)
{
	int depth = 0;
	for (; i < r->nt; i++)
		if (punct(r, i, open))
			depth++;
		else if (punct(r, i, close) && !--depth)
			return i + 1;
	return r->nt;
}

size_t rw_name_end(const struct rw *r, size_t i)
{
	if (!is(r, i, "operator"))
		return i + 1;
	size_t j = punct(r, i + 1, '(') ? i + 3 : i + 2;
	while (j < i + 6 && !punct(r, j, '('))
		j++;
	return j;
}

static bool same_name(const struct rw *r, size_t a, size_t b)
{
	size_t n = rw_name_end(r, a) - a;
	if (rw_name_end(r, b) - b != n || punct(r, a - 1, '~') != punct(r, b - 1, '~'))
		return false;
	for (size_t k = 0; k < n; k++)
		if (!rw_same(r, a + k, b + k))
			return false;
	return true;
}

static bool same_member(const struct rw *r, const struct member *a, const struct member *b)
{
	return rw_same(r, a->class_, b->class_) && same_name(r, a->name, b->name);
}

/* True if the parentheses at i are the parameters of a definition. */
static bool is_definition(const struct rw *r, size_t i)
{
	static const char *const words[] = {"const",    "volatile", "noexcept",
					    "override", "final",    NULL};
	i = rw_after(r, i, '(', ')');
	while (is_any(r, i, words))
		i++;
	return punct(r, i, '{') || (punct(r, i, ':') && !punct(r, i + 1, ':'));
}

size_t rw_class_before(const struct rw *r, size_t i, size_t none)
{
	size_t j = i - 1;
	if (i < 2 || !punct(r, i, ':') || !punct(r, j--, ':'))
		return none;
	for (int depth = 0; j && (depth || punct(r, j, '>')); j--)
		depth += punct(r, j, '>') ? 1 : punct(r, j, '<') ? -1 : 0;
	return r->t[j].kind == IDENT ? j : none;
}

size_t rw_declaration(const struct rw *r, size_t i)
{
	while (i && r->t[i - 1].kind != EOD && !punct(r, i - 1, ';') && !punct(r, i - 1, '}') &&
	       !punct(r, i - 1, '{') &&
	       !(punct(r, i - 1, ':') && i > 1 && !punct(r, i - 2, ':') && !punct(r, i, ':')))
		i--;
	while (is(r, i, "template") && punct(r, i + 1, '<'))
		i = rw_after(r, i + 1, '<', '>');
	return i;
}

static void add_member(const struct rw *r, struct members *to, size_t class_, size_t name)
{
	struct member m = {.class_ = class_, .name = name, .from = rw_declaration(r, name)};
	for (size_t k = m.from; k < name; k++) {
		m.device |= is(r, k, "__device__");
		m.host |= is(r, k, "__host__");
		m.global |= is(r, k, "__global__");
	}
	to->v = rw_grow(to->v, &to->cap, to->n + 1, sizeof *to->v);
	to->v[to->n++] = m;
}

/* Finds definitions of members outside their class. */
static void find_definitions(const struct rw *r, struct members *found)
{
	for (size_t i = 3; i + 1 < r->nt; i++) {
		if (r->t[i].kind != IDENT || !punct(r, rw_name_end(r, i), '('))
			continue;
		size_t c = rw_class_before(r, punct(r, i - 1, '~') ? i - 2 : i - 1, r->nt);
		if (c == r->nt || !is_definition(r, rw_name_end(r, i)))
			continue;
		add_member(r, found, c, i);
	}
}

static bool says_device(const struct rw *r, size_t brace)
{
	int depth = 0;
	for (size_t i = brace; i < r->nt; i++) {
		if (is(r, i, "__device__"))
			return true;
		depth += punct(r, i, '{') ? 1 : punct(r, i, '}') ? -1 : 0;
		if (!depth)
			return false;
	}
	return false;
}

static void find_bodies(const struct rw *r, struct bodies *found)
{
	for (size_t i = 0; i + 2 < r->nt; i++) {
		if (!is(r, i, "class") && !is(r, i, "struct"))
			continue;
		size_t j = i + 2;
		while (j < r->nt && !(r->t[j].kind == PUNCT && strchr("{;()=", r->s[r->t[j].pos])))
			j++;
		if (!punct(r, j, '{'))
			continue;
		found->v = rw_grow(found->v, &found->cap, found->n + 1, sizeof *found->v);
		found->v[found->n++] = (struct body){i + 1, j, says_device(r, j)};
	}
}

/* Finds declarations of the member in class bodies. */
static void find_declarations(const struct rw *r, const struct bodies *in, const struct member *m,
			      struct members *found)
{
	for (size_t k = 0; k < in->n; k++) {
		if (!rw_same(r, in->v[k].class_, m->class_))
			continue;
		size_t end = rw_after(r, in->v[k].brace, '{', '}');
		int depth = 0;
		for (size_t i = in->v[k].brace; i < end; i++) {
			if (punct(r, i, '{') || punct(r, i, '('))
				depth++;
			else if (punct(r, i, '}') || punct(r, i, ')'))
				depth--;
			if (depth == 1 && r->t[i].kind == IDENT && same_name(r, i, m->name) &&
			    punct(r, rw_name_end(r, i), '('))
				add_member(r, found, in->v[k].class_, i);
		}
	}
}

/* True if two members have equal specifiers; without any, a function is the host's. */
static bool same_spaces(const struct member *a, const struct member *b)
{
	return a->device == b->device && (a->host || !a->device) == (b->host || !b->device);
}

/* True if all members with m's name agree; m is the first of them. */
static bool all_agree(const struct rw *r, const struct members *all, const struct member *m)
{
	for (const struct member *o = all->v; o < all->v + all->n; o++)
		if (same_member(r, o, m) && (o < m || o->global || !same_spaces(o, m)))
			return false;
	return true;
}

/* True for members of classes with device code; most classes are of the host alone and are left as
 * they are. */
static bool concerns_device(const struct rw *r, const struct bodies *in, const struct member *m)
{
	for (size_t i = 0; !m->device && i < in->n; i++)
		if (in->v[i].device && rw_same(r, in->v[i].class_, m->class_))
			return true;
	return m->device;
}

static void both_sides(struct rw *r, const struct members *all, const struct member *m)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct member *o = &all->v[i];
		if (!same_member(r, o, m))
			continue;
		if (!o->host)
			rw_edit(r, r->t[o->from].pos, 0, strdup("__host__ "));
		if (!o->device)
			rw_edit(r, r->t[o->from].pos, 0, strdup("__device__ "));
	}
}

void rw_spaces(struct rw *r)
{
	struct members all = {0}, declared = {0};
	struct bodies in = {0};
	find_definitions(r, &all);
	find_bodies(r, &in);
	for (size_t k = 0; k < all.n; k++) {
		const struct member *m = &all.v[k];
		if (!concerns_device(r, &in, m) || !all_agree(r, &all, m))
			continue;
		declared.n = 0;
		find_declarations(r, &in, m, &declared);
		if (!declared.n || same_spaces(declared.v, m) ||
		    !all_agree(r, &declared, declared.v))
			continue;
		both_sides(r, &declared, m);
		both_sides(r, &all, m);
	}
	free(all.v);
	free(in.v);
	free(declared.v);
}
