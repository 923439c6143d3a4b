#include "check/know.h"

#include <stdlib.h>
#include <string.h>
#include "base/arena.h"

/* ---- one block ---- */

static struct seen *seen_new(uint32_t base, uint32_t room)
{
	struct seen *s = xrealloc(NULL, sizeof *s + room * sizeof *s->of);
	s->refs = 1;
	s->base = base;
	s->n = 0;
	return s;
}

struct seen *seen_ref(struct seen *s)
{
	if (s)
		s->refs++;
	return s;
}

void seen_drop(struct seen *s)
{
	if (s && !--s->refs)
		free(s);
}

bool seen_knows_further(const struct seen *s, uint32_t thread, uint32_t stamp)
{
	uint32_t lo = 0, hi = s->n;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (s->of[mid].thread < thread)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->n && s->of[lo].thread == thread && s->of[lo].stamp >= stamp;
}

struct seen *seen_all(uint32_t base) { return seen_new(base, 0); }

static bool covers(const struct seen *a, const struct seen *b)
{
	if (a->base < b->base)
		return false;
	for (uint32_t i = 0; i < b->n; i++)
		if (!seen_knows(a, b->of[i].thread, b->of[i].stamp))
			return false;
	return true;
}

static void put_further(struct seen *s, struct further f)
{
	if (f.stamp > s->base)
		s->of[s->n++] = f;
}

static struct seen *merge_further(uint32_t base, const struct further *a, uint32_t na,
				  const struct further *b, uint32_t nb)
{
	struct seen *s = seen_new(base, na + nb);
	uint32_t i = 0, k = 0;
	while (i < na || k < nb) {
		if (k == nb || (i < na && a[i].thread < b[k].thread)) {
			put_further(s, a[i++]);
		} else if (i == na || b[k].thread < a[i].thread) {
			put_further(s, b[k++]);
		} else {
			put_further(s, a[i].stamp > b[k].stamp ? a[i] : b[k]);
			i++, k++;
		}
	}
	return s;
}

struct seen *seen_join(struct seen *a, struct seen *b)
{
	if (a == b || !b)
		return seen_ref(a);
	if (!a || covers(b, a))
		return seen_ref(b);
	if (covers(a, b))
		return seen_ref(a);
	return merge_further(a->base > b->base ? a->base : b->base, a->of, a->n, b->of, b->n);
}

struct seen *seen_with(struct seen *s, uint32_t first, uint64_t lanes, uint32_t stamp)
{
	struct further f[64];
	uint32_t n = 0;
	for (; lanes; lanes &= lanes - 1)
		f[n++] = (struct further){first + (uint32_t)__builtin_ctzll(lanes), stamp};
	return merge_further(s ? s->base : 0, s ? s->of : NULL, s ? s->n : 0, f, n);
}

/* ---- other blocks ---- */

enum { BITS = 4, WAYS = 1 << BITS, LEVELS = 32 / BITS };

/* A node holds the blocks that agree in all bits above `level` digits. The tree begins at the digit
 * in which its blocks first differ from 0, so small grids have shallow trees. */
struct others {
	uint32_t refs, level; /* refs: references; level 0: children are seen */
	void *child[WAYS];
};

struct others *others_ref(struct others *o)
{
	if (o)
		o->refs++;
	return o;
}

void others_drop(struct others *o)
{
	if (!o || --o->refs)
		return;
	for (unsigned i = 0; i < WAYS; i++) {
		if (o->level)
			others_drop(o->child[i]);
		else
			seen_drop(o->child[i]);
	}
	free(o);
}

static unsigned digit(uint32_t block, uint32_t level) { return block >> BITS * level & (WAYS - 1); }

struct seen *others_get(const struct others *o, uint32_t block)
{
	if (!o || (o->level + 1 < LEVELS && block >> BITS * (o->level + 1)))
		return NULL;
	for (; o && o->level; o = o->child[digit(block, o->level)])
		;
	return o ? o->child[digit(block, 0)] : NULL;
}

static struct others *node_new(uint32_t level)
{
	struct others *o = xcalloc(1, sizeof *o);
	o->refs = 1;
	o->level = level;
	return o;
}

/* The tree of o with its root at a higher level. Takes the reference. */
static struct others *raised(struct others *o, uint32_t level)
{
	while (o && o->level < level) {
		struct others *up = node_new(o->level + 1);
		up->child[0] = o;
		o = up;
	}
	return o;
}

static struct others *join_same(struct others *a, struct others *b)
{
	if (a == b || !b)
		return others_ref(a);
	if (!a)
		return others_ref(b);
	struct others *o = node_new(a->level);
	bool as_a = true, as_b = true;
	for (unsigned i = 0; i < WAYS; i++) {
		o->child[i] = a->level ? (void *)join_same(a->child[i], b->child[i])
				       : (void *)seen_join(a->child[i], b->child[i]);
		as_a &= o->child[i] == a->child[i];
		as_b &= o->child[i] == b->child[i];
	}
	if (!as_a && !as_b)
		return o;
	others_drop(o);
	return others_ref(as_a ? a : b);
}

struct others *others_join(struct others *a, struct others *b)
{
	if (a == b || !b)
		return others_ref(a);
	if (!a)
		return others_ref(b);
	uint32_t level = a->level > b->level ? a->level : b->level;
	struct others *x = raised(others_ref(a), level), *y = raised(others_ref(b), level);
	struct others *o = join_same(x, y);
	others_drop(x);
	others_drop(y);
	return o;
}

struct others *others_with(struct others *o, uint32_t block, struct seen *s)
{
	struct others *one = node_new(0);
	one->child[digit(block, 0)] = seen_ref(s);
	for (uint32_t level = 1; level < LEVELS && block >> BITS * level; level++) {
		struct others *up = node_new(level);
		up->child[digit(block, level)] = one;
		one = up;
	}
	struct others *r = others_join(o, one);
	others_drop(one);
	return r;
}

/* ---- both ---- */

struct know *know_new(struct seen *own, struct others *others)
{
	struct know *k = xcalloc(1, sizeof *k);
	*k = (struct know){1, own, others};
	return k;
}

struct know *know_ref(struct know *k)
{
	if (k)
		k->refs++;
	return k;
}

void know_drop(struct know *k)
{
	if (!k || --k->refs)
		return;
	seen_drop(k->own);
	others_drop(k->others);
	free(k);
}

struct know *know_join(struct know *a, struct know *b)
{
	if (a == b || !b)
		return know_ref(a);
	if (!a)
		return know_ref(b);
	return know_new(seen_join(a->own, b->own), others_join(a->others, b->others));
}

struct know *know_learn(struct know *k, struct others *others, uint32_t block)
{
	if (!others)
		return know_ref(k);
	struct seen *own = seen_join(know_own(k), others_get(others, block));
	struct others *all = others_join(know_others(k), others);
	if (!k || own != k->own || all != k->others)
		return know_new(own, all);
	seen_drop(own); /* frequent case: a poll that brings no new knowledge */
	others_drop(all);
	return know_ref(k);
}
