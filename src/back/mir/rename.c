/* Gives each use of a register its own value. PTX of older compilers writes one register again and
 * again; fold.c, common.c, fuse.c and address.c only know values that one instruction writes.
 *
 * 	IADD R1, R2, R3;                 IADD R1, R2, R3;
 * 	IADD R4, R1, R1;                 IADD R4, R1, R1;
 * 	SHL  R1, R4, 2;                  SHL  R5, R4, 2;
 *
 * Inside a block, a value ends where the next value of that name begins; the last one of a block
 * keeps the name if some block reads it before writing it. A value that is written and read only
 * under one guard inside a block is a temporary: a guarded write then begins it. */
#include <stdlib.h>
#include <string.h>
#include "back/mir/blocks.h"

struct rename {
	struct mfunc *m;
	struct mblocks b;
	size_t n;       /* number of values before renaming */
	bool *fixed;    /* [value]: never renamed */
	bool *exposed;  /* [value]: some block reads it before it begins there */
	uint32_t *now;  /* [value]: its present name */
	uint32_t *last; /* [value]: instruction at which it began last in this block, plus 1 */
};

/* sm_13: true for a texture access, whose operands are in the registers of the result. */
static bool is_tied(const struct mfunc *m, const struct mi *in)
{
	return m->target->sm < 20 && (!strncmp(in->name, "TEX", 3) || !strncmp(in->name, "TXQ", 3));
}

static bool writes_twice(const struct mi *in, unsigned d)
{
	for (unsigned e = 0; e < d; e++)
		if (mo_value(&in->o[e]) == in->o[d].v)
			return true;
	return false;
}

static void find_fixed(struct rename *r)
{
	const struct mfunc *m = r->m;
	for (size_t v = 0; v < r->n; v++)
		r->fixed[v] = m->val.v[v].pinned != 0;
	for (size_t i = 0; i < m->code.n; i++) {
		const struct mi *in = &m->code.v[i];
		for (unsigned k = 0; in->name && k < in->n; k++)
			if (mo_value(&in->o[k]) != V_NONE &&
			    (is_tied(m, in) ||
			     (k < in->nd && (in->o[k].half || writes_twice(in, k)))))
				r->fixed[in->o[k].v] = true;
	}
}

static unsigned words_of(const struct mfunc *m, const struct mo *o)
{
	unsigned n = m->val.v[o->v].words, all = (1u << (n ? n : 1)) - 1;
	return o->wide || !n ? all : 1u << o->word;
}

/* A pair that begins with one word while the other word of the old pair is still read, or kept,
 * belongs to the old value. */
static void find_halves(struct rename *r, uint32_t first, uint32_t end)
{
	const struct mfunc *m = r->m;
	for (uint32_t i = first; i < end; i++) {
		const struct mi *in = &m->code.v[i];
		uint32_t v = in->name && in->fresh && in->nd ? mo_value(&in->o[0]) : V_NONE;
		if (v == V_NONE || m->val.v[v].words < 2 || r->fixed[v])
			continue;
		unsigned has = words_of(m, &in->o[0]), all = (1u << m->val.v[v].words) - 1;
		for (uint32_t k = i + 1; k < end && has != all && !r->fixed[v]; k++) {
			const struct mi *x = &m->code.v[k];
			for (unsigned s = x->nd; x->name && s < x->n; s++)
				r->fixed[v] |=
					mo_value(&x->o[s]) == v && words_of(m, &x->o[s]) & ~has;
			for (unsigned d = 0; x->name && d < x->nd; d++)
				if (mo_value(&x->o[d]) == v &&
				    (x->guard == V_TRUE || m->val.v[v].temp))
					has |= words_of(m, &x->o[d]);
		}
		r->fixed[v] |= has != all;
	}
}

/* Marks a value as exposed that is read, or written in part, before it has begun in this block. */
static void expose_value(struct rename *r, const struct mi *in, const uint32_t *begun,
			 uint32_t block)
{
	for (unsigned k = 0; k < in->n; k++) {
		uint32_t v = mo_value(&in->o[k]);
		if (v != V_NONE && begun[v] != block + 1 &&
		    (k >= in->nd || !mi_begins(r->m, in, k)))
			r->exposed[v] = true;
	}
	if (in->guard != V_TRUE && begun[in->guard] != block + 1)
		r->exposed[in->guard] = true;
}

static void find_exposed(struct rename *r)
{
	uint32_t *begun = xcalloc(r->n + 1, sizeof *begun); /* [value]: block in which it began,
	                                                     * plus 1 */
	for (uint32_t b = 0; b < r->b.n; b++)
		for (uint32_t i = r->b.first[b]; i < r->b.first[b + 1]; i++) {
			const struct mi *in = &r->m->code.v[i];
			if (!in->name)
				continue;
			expose_value(r, in, begun, b);
			for (unsigned d = 0; d < in->nd; d++)
				if (mo_value(&in->o[d]) != V_NONE && mi_begins(r->m, in, d))
					begun[in->o[d].v] = b + 1;
		}
	free(begun);
}

/* The new value that begins at instruction i under the name v. */
static uint32_t begin_value(struct rename *r, uint32_t v, uint32_t i)
{
	if (r->fixed[v] || (r->exposed[v] && r->last[v] == i + 1))
		return v;
	uint32_t t = mval_new(r->m, 1);
	r->m->val.v[t] = r->m->val.v[v];
	return t;
}

static void rename_one(struct rename *r, struct mi *in, uint32_t i)
{
	for (unsigned k = in->nd; k < in->n; k++)
		if (mo_value(&in->o[k]) != V_NONE)
			in->o[k].v = r->now[in->o[k].v];
	if (in->guard != V_TRUE)
		in->guard = r->now[in->guard];
	for (unsigned d = 0; d < in->nd; d++) {
		uint32_t v = mo_value(&in->o[d]);
		if (v == V_NONE)
			continue;
		if (mi_begins(r->m, in, d))
			r->now[v] = begin_value(r, v, i);
		in->o[d].v = r->now[v];
	}
}

static void rename_block(struct rename *r, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		const struct mi *in = &r->m->code.v[i];
		for (unsigned d = 0; in->name && d < in->nd; d++)
			if (mo_value(&in->o[d]) != V_NONE && mi_begins(r->m, in, d))
				r->last[in->o[d].v] = i + 1;
	}
	for (uint32_t i = first; i < end; i++)
		if (r->m->code.v[i].name)
			rename_one(r, &r->m->code.v[i], i);
}

/* ---- temporaries ---- */

struct extent {                /* places at which a value is mentioned */
	uint32_t first, guard; /* first instruction plus 1; its guard */
	bool neg, open;        /* open: the value is not a temporary */
};

/* Records a mention of value v by instruction i; written: [value]: instruction of the last write,
 * plus 1. */
static void mention_value(struct extent *s, const struct mi *in, uint32_t i, bool begins,
			  uint32_t block, const uint32_t *written)
{
	if (!s->first) {
		*s = (struct extent){i + 1, in->guard, in->guard_neg, !begins};
		s->open |= in->guard == V_TRUE;
	}
	if (!s->open)
		s->open = in->guard != s->guard || in->guard_neg != s->neg ||
			  s->first - 1 < block || written[s->guard] > s->first;
}

static bool may_begin(const struct mfunc *m, const struct mi *in, unsigned k)
{
	const struct mo *o = &in->o[k];
	return k < in->nd && !o->half && (m->val.v[o->v].words <= 1 || o->wide || in->fresh);
}

static void find_temps(struct rename *r)
{
	struct mfunc *m = r->m;
	struct extent *s = xcalloc(m->val.n + 1, sizeof *s);
	uint32_t *written = xcalloc(m->val.n + 1, sizeof *written);
	for (uint32_t b = 0; b < r->b.n; b++)
		for (uint32_t i = r->b.first[b]; i < r->b.first[b + 1]; i++) {
			const struct mi *in = &m->code.v[i];
			if (!in->name)
				continue;
			if (in->guard != V_TRUE)
				s[in->guard].first = i + 1, s[in->guard].open = true;
			for (unsigned k = in->n; k-- > 0;)
				if (mo_value(&in->o[k]) != V_NONE)
					mention_value(&s[in->o[k].v], in, i, may_begin(m, in, k),
						      r->b.first[b], written);
			for (unsigned d = 0; d < in->nd; d++)
				if (mo_value(&in->o[d]) != V_NONE)
					written[in->o[d].v] = i + 1;
		}
	for (size_t v = 0; v < m->val.n; v++)
		if (s[v].first && !s[v].open && !m->val.v[v].pinned)
			m->val.v[v].temp = true;
	free(s);
	free(written);
}

void mir_rename(struct mfunc *m)
{
	struct rename r = {.m = m, .n = m->val.n};
	mblocks_find(&r.b, m);
	r.fixed = xcalloc(r.n + 1, sizeof *r.fixed);
	r.exposed = xcalloc(r.n + 1, sizeof *r.exposed);
	r.now = xmalloc((r.n + 1) * sizeof *r.now);
	r.last = xcalloc(r.n + 1, sizeof *r.last);
	for (uint32_t v = 0; v < r.n; v++)
		r.now[v] = v;
	find_temps(&r);
	find_fixed(&r);
	for (uint32_t b = 0; b < r.b.n; b++)
		find_halves(&r, r.b.first[b], r.b.first[b + 1]);
	find_exposed(&r);
	for (uint32_t b = 0; b < r.b.n; b++)
		rename_block(&r, r.b.first[b], r.b.first[b + 1]);
	find_temps(&r);
	mblocks_free(&r.b);
	free(r.fixed);
	free(r.exposed);
	free(r.now);
	free(r.last);
}
