/* Counts the words that are live at each instruction, and decides whether one more has room.
 *
 * A value kept for a later reader is live from its instruction `from` to the reader i; if a loop
 * contains i and not `from`, to the end of that loop. Instructions are counted in the order of the
 * code, which overstates what is live where branches leave arms out. */
#include "back/mir/room.h"
#include <stdlib.h>

enum { FAR = 4096 }; /* limit of instructions that a query examines */

static uint32_t live_words(const struct mfunc *m, const struct mset *s)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n; i++)
		n += m->val.v[s->v[i]].words;
	return n < UINT16_MAX ? n : UINT16_MAX;
}

/* Returns the last instruction at which a value computed at `from` and read at i is live. */
static uint32_t last_live(const struct room *r, uint32_t from, uint32_t i)
{
	for (bool more = true; more;) {
		more = false;
		for (size_t k = 0; k < r->back.n; k++)
			if (r->back.v[k].to > from && r->back.v[k].to <= i &&
			    r->back.v[k].from > i) {
				i = r->back.v[k].from;
				more = true;
			}
	}
	return i;
}

static void mention_value(uint32_t *first, uint32_t *last, uint32_t v, uint32_t i)
{
	if (first[v] == UINT32_MAX)
		first[v] = i;
	last[v] = i;
}

static void find_last(struct room *r, const struct mfunc *m)
{
	uint32_t *first = xmalloc((m->val.n + 1) * sizeof *first);
	memset(first, 0xff, (m->val.n + 1) * sizeof *first);
	for (uint32_t i = 0; i < m->code.n; i++) {
		const struct mi *in = &m->code.v[i];
		for (unsigned k = 0; in->name && k < in->n; k++)
			if (mo_value(&in->o[k]) != V_NONE)
				mention_value(first, r->last, mo_value(&in->o[k]), i);
		if (in->name && in->guard != V_TRUE)
			mention_value(first, r->last, in->guard, i);
	}
	for (uint32_t v = 0; v < m->val.n; v++)
		if (first[v] != UINT32_MAX)
			r->last[v] = last_live(r, first[v], r->last[v]);
	free(first);
}

void room_find(struct room *r, const struct mfunc *m, uint32_t most)
{
	struct mlive l;
	struct mset s;
	*r = (struct room){.most = most,
			   .n = (uint32_t)m->code.n,
			   .words = xcalloc(m->code.n + 1, sizeof *r->words),
			   .last = xcalloc(m->val.n + 1, sizeof *r->last)};
	mlive_find(&l, m);
	mset_new(&s, m);
	for (uint32_t b = 0; b < l.b.n; b++) {
		uint32_t to[2];
		for (unsigned k = mblocks_next(&l.b, m, b, to); k-- > 0;)
			if (l.b.first[to[k]] <= l.b.first[b])
				vec_push(&r->back, ((struct back_edge){l.b.first[b + 1] - 1,
								       l.b.first[to[k]]}));
		mlive_end(&l, b, &s);
		for (uint32_t i = l.b.first[b + 1]; i-- > l.b.first[b];) {
			uint32_t behind = live_words(m, &s);
			if (m->code.v[i].name)
				mset_back(&s, m, &m->code.v[i]);
			uint32_t before = live_words(m, &s);
			r->words[i] = (uint16_t)(behind > before ? behind : before);
		}
	}
	find_last(r, m);
	mset_free(&s);
	mlive_free(&l);
}

void room_free(struct room *r)
{
	free(r->words);
	free(r->last);
	vec_free(&r->back);
}

static bool fits_range(const struct room *r, uint32_t words, uint32_t from, uint32_t to)
{
	if (to > from && to - from > FAR)
		return false;
	for (uint32_t i = from + 1; i <= to; i++)
		if (r->words[i] + words > r->most)
			return false;
	return true;
}

bool room_has(const struct room *r, const struct mfunc *m, uint32_t v, uint32_t from, uint32_t w,
	      uint32_t i)
{
	uint32_t words = m->val.v[v].words;
	return words && from < i && fits_range(r, words, r->last[v], i) &&
	       fits_range(r, words, r->last[w], last_live(r, from, i));
}

static void add_words(struct room *r, uint32_t words, uint32_t from, uint32_t to)
{
	for (uint32_t i = from + 1; i <= to; i++)
		r->words[i] = (uint16_t)(r->words[i] + words);
}

void room_take(struct room *r, const struct mfunc *m, uint32_t v, uint32_t from, uint32_t w,
	       uint32_t i)
{
	uint32_t words = m->val.v[v].words, end = last_live(r, from, i);
	add_words(r, words, r->last[v], i);
	add_words(r, words, r->last[w], end);
	end = end > r->last[w] ? end : r->last[w];
	r->last[v] = end > r->last[v] ? end : r->last[v];
}
