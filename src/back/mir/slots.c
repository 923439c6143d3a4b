/* Allocates the spilled values' places in local memory, once all are known: two values that are
 * never live at the same time share one place. A value is live from its first store to its last
 * load in the order of the code, and in all of a block at whose end it is live. */
#include <stdlib.h>
#include <string.h>
#include "back/mir/blocks.h"

struct slot {
	uint32_t at, words, from,
		/* at: first byte; from, to: first and last instruction at which the value is live;
		 * from UINT32_MAX: never live */
		to;
};
struct slots {
	struct mfunc *m;
	uint32_t base, n, words; /* words: 64-bit words per set of slots */
	uint32_t *of;            /* [word from base on]: slot that begins there, plus 1 */
	VEC(struct slot) slot;
	struct mblocks b;
	uint64_t *in, *out, *use, *def; /* [block * words] */
};

static bool has_slot(const uint64_t *set, uint32_t i) { return set[i / 64] >> i % 64 & 1; }
static void put_slot(uint64_t *set, uint32_t i) { set[i / 64] |= 1ull << i % 64; }

/* The memory operand of a spill instruction; NULL: another instruction. */
static struct mo *place_of(const struct slots *s, struct mi *in)
{
	if (!in->name || in->n != 2)
		return NULL;
	bool load = mi_is(in, "LDL") || mi_is(in, "LLD"),
	     store = mi_is(in, "STL") || mi_is(in, "LST");
	struct mo *o = &in->o[load];
	return (load || store) && o->v == V_NONE && o->imm >= s->base ? o : NULL;
}

/* Finds the slots, in the order of the code. */
static void find_slots(struct slots *s)
{
	s->of = xcalloc((s->m->local - s->base) / 4 + 1, sizeof *s->of);
	for (size_t i = 0; i < s->m->code.n; i++) {
		struct mi *in = &s->m->code.v[i];
		const struct mo *o = place_of(s, in);
		if (!o)
			continue;
		uint32_t *of = &s->of[(o->imm - s->base) / 4];
		if (!*of) {
			uint32_t words = s->m->val.v[in->o[!in->nd].v].words;
			vec_push(&s->slot, ((struct slot){(uint32_t)o->imm, words, UINT32_MAX, 0}));
			*of = (uint32_t)s->slot.n;
		}
	}
	s->n = (uint32_t)s->slot.n;
	s->words = (s->n + 63) / 64;
}

static uint32_t slot_number(const struct slots *s, const struct mo *o)
{
	return s->of[(o->imm - s->base) / 4] - 1;
}

static void find_uses(struct slots *s)
{
	for (uint32_t k = 0; k < s->b.n; k++) {
		uint64_t *use = s->use + (size_t)k * s->words, *def = s->def + (size_t)k * s->words;
		for (uint32_t i = s->b.first[k]; i < s->b.first[k + 1]; i++) {
			struct mi *in = &s->m->code.v[i];
			const struct mo *o = place_of(s, in);
			if (!o)
				continue;
			if (in->nd && !has_slot(def, slot_number(s, o)))
				put_slot(use, slot_number(s, o));
			else if (!in->nd)
				put_slot(def, slot_number(s, o));
		}
	}
}

static void find_live(struct slots *s)
{
	bool more = true;
	while (more) {
		more = false;
		for (uint32_t k = s->b.n; k-- > 0;) {
			uint32_t to[2], n = mblocks_next(&s->b, s->m, k, to);
			size_t at = (size_t)k * s->words;
			for (uint32_t w = 0; w < s->words; w++) {
				uint64_t out = 0, in;
				for (uint32_t j = 0; j < n; j++)
					out |= s->in[(size_t)to[j] * s->words + w];
				in = s->use[at + w] | (out & ~s->def[at + w]);
				more |= in != s->in[at + w];
				s->in[at + w] = in;
				s->out[at + w] = out;
			}
		}
	}
}

static void extend_slot(struct slot *x, uint32_t i)
{
	x->from = i < x->from ? i : x->from;
	x->to = i > x->to ? i : x->to;
}

static void find_ranges(struct slots *s)
{
	for (uint32_t k = 0; k < s->b.n; k++) {
		uint32_t first = s->b.first[k], end = s->b.first[k + 1];
		for (uint32_t i = first; i < end; i++) {
			const struct mo *o = place_of(s, &s->m->code.v[i]);
			if (o)
				extend_slot(&s->slot.v[slot_number(s, o)], i);
		}
		for (uint32_t x = 0; x < s->n; x++) {
			if (has_slot(s->in + (size_t)k * s->words, x))
				extend_slot(&s->slot.v[x], first);
			if (has_slot(s->out + (size_t)k * s->words, x))
				extend_slot(&s->slot.v[x], end - 1);
		}
	}
}

static int by_start(const void *a, const void *b)
{
	const struct slot *x = *(struct slot *const *)a, *y = *(struct slot *const *)b;
	return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
				  : (x->at > y->at) - (x->at < y->at);
}

/* The first aligned word from which all words that the slot needs are free. until: [word]: last
 * instruction that uses it, plus 1. */
static uint32_t lowest_free(const uint32_t *until, uint32_t first, const struct slot *x)
{
	for (uint32_t w = (first + x->words - 1) / x->words * x->words;; w += x->words) {
		uint32_t k = 0;
		while (k < x->words && until[w - first + k] <= x->from)
			k++;
		if (k == x->words)
			return w;
	}
}

/* Chooses the new places; returns [slot]: its first byte. */
static uint32_t *choose_places(struct slots *s)
{
	uint32_t first = (s->base + 3) / 4, room = (s->m->local - s->base) / 4 + 16, end = s->base;
	uint32_t *until = xcalloc(4 * room, sizeof *until), *at = xcalloc(s->n + 1, sizeof *at);
	struct slot **order = xcalloc(s->n + 1, sizeof(struct slot *));
	for (uint32_t i = 0; i < s->n; i++)
		order[i] = &s->slot.v[i];
	qsort(order, s->n, sizeof *order, by_start);
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t w = lowest_free(until, first, order[i]);
		for (uint32_t k = 0; k < order[i]->words; k++)
			until[w - first + k] = order[i]->to + 1;
		at[order[i] - s->slot.v] = 4 * w;
		end = 4 * (w + order[i]->words) > end ? 4 * (w + order[i]->words) : end;
	}
	s->m->local = end;
	free(until);
	free(order);
	return at;
}

void mir_slots(struct mfunc *m, uint32_t base)
{
	struct slots s = {.m = m, .base = base};
	if (m->local <= base)
		return;
	find_slots(&s);
	mblocks_find(&s.b, m);
	size_t set = (size_t)s.b.n * s.words + 1;
	s.in = xcalloc(4 * set, sizeof *s.in);
	s.out = s.in + set;
	s.use = s.out + set;
	s.def = s.use + set;
	find_uses(&s);
	find_live(&s);
	find_ranges(&s);
	uint32_t *at = choose_places(&s);
	for (size_t i = 0; i < m->code.n; i++) {
		struct mo *o = place_of(&s, &m->code.v[i]);
		if (o)
			o->imm = at[slot_number(&s, o)];
	}
	free(at);
	free(s.in);
	free(s.of);
	vec_free(&s.slot);
	mblocks_free(&s.b);
}
