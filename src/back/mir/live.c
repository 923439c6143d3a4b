/* Liveness by iteration over the blocks, and the walk through one block (live.h). */
#include "back/mir/live.h"

enum { WORD = 64 };

void mset_new(struct mset *s, const struct mfunc *m)
{
	s->n = 0;
	s->v = xmalloc((m->val.n + 1) * sizeof *s->v);
	s->at = xcalloc(m->val.n + 1, sizeof *s->at);
}

void mset_free(struct mset *s)
{
	free(s->v);
	free(s->at);
}

static bool has_value(const struct mset *s, uint32_t v)
{
	return s->at[v] < s->n && s->v[s->at[v]] == v;
}

void mset_add(struct mset *s, uint32_t v)
{
	if (has_value(s, v))
		return;
	s->at[v] = s->n;
	s->v[s->n++] = v;
}

void mset_drop(struct mset *s, uint32_t v)
{
	if (!has_value(s, v))
		return;
	uint32_t last = s->v[--s->n];
	s->v[s->at[v]] = last;
	s->at[last] = s->at[v];
}

void mset_back(struct mset *s, const struct mfunc *m, const struct mi *in)
{
	for (unsigned d = 0; d < in->nd; d++) {
		uint32_t v = mo_value(&in->o[d]);
		if (v != V_NONE && mi_begins(m, in, d))
			mset_drop(s, v);
		else if (v != V_NONE)
			mset_add(s, v);
	}
	for (unsigned k = in->nd; k < in->n; k++)
		if (mo_value(&in->o[k]) != V_NONE)
			mset_add(s, in->o[k].v);
	if (in->guard != V_TRUE)
		mset_add(s, in->guard);
}

/* ---- between blocks ---- */

struct exposed { /* words that blocks read before they write them */
	VEC(uint32_t) v;
	uint32_t *first; /* [block]: index of its first value in v */
};

static void find_exposed(struct mlive *l, struct exposed *x)
{
	struct mset s;
	mset_new(&s, l->m);
	x->first = xmalloc((l->b.n + 1) * sizeof *x->first);
	for (uint32_t b = 0; b < l->b.n; b++) {
		s.n = 0;
		x->first[b] = (uint32_t)x->v.n;
		for (uint32_t i = l->b.first[b + 1]; i-- > l->b.first[b];)
			if (l->m->code.v[i].name)
				mset_back(&s, l->m, &l->m->code.v[i]);
		for (uint32_t i = 0; i < s.n; i++) {
			vec_push(&x->v, s.v[i]);
			l->number[s.v[i]] = 1;
		}
	}
	x->first[l->b.n] = (uint32_t)x->v.n;
	mset_free(&s);
}

static void set_bit(const struct mlive *l, uint64_t *set, uint32_t block, uint32_t number)
{
	set[(size_t)block * l->words + number / WORD] |= (uint64_t)1 << number % WORD;
}

/* Values that begin in a block: their liveness at its end does not reach its start. */
static uint64_t *find_begun(const struct mlive *l)
{
	uint64_t *begun = xcalloc((size_t)l->b.n * l->words + 1, sizeof *begun);
	for (uint32_t b = 0; b < l->b.n; b++)
		for (uint32_t i = l->b.first[b]; i < l->b.first[b + 1]; i++) {
			const struct mi *in = &l->m->code.v[i];
			for (unsigned d = 0; in->name && d < in->nd; d++) {
				uint32_t v = mo_value(&in->o[d]);
				if (v != V_NONE && l->number[v] && mi_begins(l->m, in, d))
					set_bit(l, begun, b, l->number[v] - 1);
			}
		}
	return begun;
}

/* Computes one block from the blocks after it; true if the set at its start changes. */
static bool flow_back(struct mlive *l, uint32_t b, const uint64_t *begun)
{
	uint64_t *in = l->in + (size_t)b * l->words, *out = l->out + (size_t)b * l->words,
		 change = 0;
	uint32_t to[2];
	unsigned n = mblocks_next(&l->b, l->m, b, to);
	begun += (size_t)b * l->words;
	for (uint32_t w = 0; w < l->words; w++) {
		for (unsigned k = 0; k < n; k++)
			out[w] |= l->in[(size_t)to[k] * l->words + w];
		uint64_t more = out[w] & ~begun[w] & ~in[w];
		in[w] |= more;
		change |= more;
	}
	return change != 0;
}

void mlive_find(struct mlive *l, const struct mfunc *m)
{
	struct exposed x = {0};
	*l = (struct mlive){.m = m};
	mblocks_find(&l->b, m);
	l->number = xcalloc(m->val.n + 1, sizeof *l->number);
	l->value = xmalloc((m->val.n + 1) * sizeof *l->value);
	find_exposed(l, &x);
	for (uint32_t v = 0; v < m->val.n; v++)
		if (l->number[v]) {
			l->value[l->across++] = v;
			l->number[v] = l->across;
		}
	l->words = (l->across + WORD - 1) / WORD;
	l->in = xcalloc((size_t)l->b.n * l->words + 1, sizeof *l->in);
	l->out = xcalloc((size_t)l->b.n * l->words + 1, sizeof *l->out);
	for (uint32_t b = 0; b < l->b.n; b++)
		for (uint32_t i = x.first[b]; i < x.first[b + 1]; i++)
			set_bit(l, l->in, b, l->number[x.v.v[i]] - 1);
	uint64_t *begun = find_begun(l);
	for (bool change = true; change;) {
		change = false;
		for (uint32_t b = l->b.n; b-- > 0;)
			change |= flow_back(l, b, begun);
	}
	free(begun);
	free(x.first);
	vec_free(&x.v);
}

void mlive_free(struct mlive *l)
{
	mblocks_free(&l->b);
	free(l->number);
	free(l->value);
	free(l->in);
	free(l->out);
}

static void fill_set(const struct mlive *l, const uint64_t *set, uint32_t block, struct mset *s)
{
	set += (size_t)block * l->words;
	s->n = 0;
	for (uint32_t w = 0; w < l->words; w++)
		for (uint64_t x = set[w]; x; x &= x - 1)
			mset_add(s, l->value[w * WORD + (uint32_t)__builtin_ctzll(x)]);
}

void mlive_begin(const struct mlive *l, uint32_t block, struct mset *s)
{
	fill_set(l, l->in, block, s);
}

void mlive_end(const struct mlive *l, uint32_t block, struct mset *s)
{
	fill_set(l, l->out, block, s);
}
