/* Spills before colouring. Where far more words are live than the machine has registers, most of them must go to memory
 * whatever the colours are. A walk back through each block takes the cheapest values as soon as too many are live, so that
 * the interference graph stays in proportion to the code. */
#include <stdlib.h>
#include "back/mir/crowd.h"

struct crowd {
	struct mfunc *m;
	const float *cost;
	uint32_t *first, *last; /* [value]: first and last instruction that mention it */
	struct mset live;
	mvalue_list *out;
};

static void extend_range(struct crowd *c, uint32_t v, uint32_t i)
{
	if (v >= c->m->val.n)
		return;
	if (c->first[v] == UINT32_MAX)
		c->first[v] = i;
	c->last[v] = i;
}

static void find_spans(struct crowd *c)
{
	memset(c->first, 0xff, (c->m->val.n + 1) * sizeof *c->first);
	for (uint32_t i = 0; i < c->m->code.n; i++) {
		const struct mi *in = &c->m->code.v[i];
		for (unsigned k = 0; in->name && k < in->n; k++)
			extend_range(c, mo_value(&in->o[k]), i);
		if (in->name)
			extend_range(c, in->guard, i);
	}
}

struct offer {
	float price;
	uint32_t v;
};

static int by_price(const void *a, const void *b)
{
	const struct offer *x = a, *y = b;
	return x->price != y->price ? (x->price < y->price ? -1 : 1)
	       : x->v < y->v        ? -1
				    : x->v > y->v;
}

static uint32_t weight_of(const struct mval *x) { return x->words ? x->words : 1; }

static uint32_t live_words(const struct crowd *c, bool predicates)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->live.n; i++) {
		const struct mval *x = &c->m->val.v[c->live.v[i]];
		n += !x->words == predicates && !x->address ? weight_of(x) : 0;
	}
	return n;
}

static void take_cheapest(struct crowd *c, uint32_t v)
{
	c->m->val.v[v].spilled = true;
	vec_push(c->out, v);
	mset_drop(&c->live, v);
}

/* Spills the cheapest values of a class until `most` words are left. */
static void thin_out(struct crowd *c, bool predicates, uint32_t most)
{
	uint32_t words = live_words(c, predicates);
	VEC(struct offer) o = {0};
	for (uint32_t i = 0; i < c->live.n; i++) {
		uint32_t v = c->live.v[i];
		const struct mval *x = &c->m->val.v[v];
		float span = (float)(c->last[v] - c->first[v] + 1) * (float)weight_of(x);
		if (!x->words == predicates && mval_may_go(x))
			vec_push(&o, ((struct offer){c->cost[v] / span, v}));
	}
	if (o.n)
		qsort(o.v, o.n, sizeof *o.v, by_price);
	for (size_t i = 0; i < o.n && words > most; i++) {
		words -= weight_of(&c->m->val.v[o.v[i].v]);
		take_cheapest(c, o.v[i].v);
	}
	vec_free(&o);
}

static void check_crowd(struct crowd *c, bool predicates, uint32_t most)
{
	if (c->live.n > most / 4 && live_words(c, predicates) > most)
		thin_out(c, predicates, most - most / 4);
}

/* A spilled value is live again at each instruction that reads it. */
static void drop_taken(struct crowd *c, const struct mi *in)
{
	for (unsigned k = 0; k <= in->n; k++) {
		uint32_t v = k < in->n ? mo_value(&in->o[k]) : in->guard;
		if (v < c->m->val.n && c->m->val.v[v].spilled)
			mset_drop(&c->live, v);
	}
}

static void begin_block(struct crowd *c, const struct mlive *l, uint32_t b)
{
	mlive_end(l, b, &c->live);
	for (uint32_t i = c->live.n; i-- > 0;)
		if (c->m->val.v[c->live.v[i]].spilled)
			mset_drop(&c->live, c->live.v[i]);
}

void mir_crowd(struct mfunc *m, const struct mlive *l, const float *cost, uint32_t words,
	       uint32_t predicates, mvalue_list *out)
{
	struct crowd c = {.m = m, .cost = cost, .out = out};
	c.first = xmalloc((m->val.n + 1) * sizeof *c.first);
	c.last = xcalloc(m->val.n + 1, sizeof *c.last);
	mset_new(&c.live, m);
	find_spans(&c);
	for (uint32_t b = 0; b < l->b.n; b++) {
		begin_block(&c, l, b);
		for (uint32_t i = l->b.first[b + 1]; i-- > l->b.first[b];) {
			check_crowd(&c, false, words);
			check_crowd(&c, true, predicates);
			if (!m->code.v[i].name)
				continue;
			mset_back(&c.live, m, &m->code.v[i]);
			drop_taken(&c, &m->code.v[i]);
		}
		check_crowd(&c, false, words);
		check_crowd(&c, true, predicates);
	}
	mset_free(&c.live);
	free(c.first);
	free(c.last);
}
