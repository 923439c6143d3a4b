/* Dead code, word by word: an instruction stays if a store, a branch or a barrier needs one of its words, directly or
 * indirectly. A 64-bit address of which only the lower word is used loses the arithmetic of its upper word and becomes a
 * single word. A word is needed everywhere or nowhere: control flow is not followed. */
#include <stdlib.h>
#include <string.h>
#include "back/mir/mir.h"

struct dead {
	struct mfunc *m;
	uint8_t *need;          /* [value]: mask of words that are needed */
	bool *alive;            /* [instruction] */
	bool *cc;               /* [instruction]: the condition code it sets is read */
	uint32_t *head;         /* [value]: last instruction that writes it, plus 1 */
	VEC(uint32_t) next, by; /* per write: the write before it; its instruction */
	VEC(uint32_t) work;
};

static uint8_t words_of(const struct mfunc *m, const struct mo *o)
{
	unsigned n = m->val.v[o->v].words;
	uint8_t all = (uint8_t)((1u << (n ? n : 1)) - 1);
	if (o->wide)
		return all;
	return n ? (uint8_t)(1u << o->word) : 1;
}

static void revive_writes(struct dead *d, size_t i)
{
	if (d->alive[i])
		return;
	d->alive[i] = true;
	vec_push(&d->work, (uint32_t)i);
}

static void want_words(struct dead *d, uint32_t v, uint8_t words)
{
	if (!(words & ~d->need[v]))
		return;
	d->need[v] |= words;
	for (uint32_t w = d->head[v]; w; w = d->next.v[w - 1]) {
		const struct mi *in = &d->m->code.v[d->by.v[w - 1]];
		for (unsigned k = 0; k < in->nd; k++)
			if (mo_value(&in->o[k]) == v && words_of(d->m, &in->o[k]) & d->need[v])
				revive_writes(d, d->by.v[w - 1]);
	}
}

/* Marks the instruction that set the condition code which instruction i reads. */
static void want_cc(struct dead *d, size_t i)
{
	const struct mi *code = d->m->code.v;
	for (size_t k = i; k-- > 0 && code[k].name && !code[k].label;)
		if (code[k].cc) {
			revive_writes(d, k);
			d->cc[k] = true;
			if (code[k].guard == V_TRUE)
				return;
		}
	for (size_t k = 0; k < d->m->code.n; k++)
		if (code[k].cc) {
			revive_writes(d, k);
			d->cc[k] = true;
		}
}

static void index_writes(struct dead *d)
{
	for (size_t i = 0; i < d->m->code.n; i++) {
		const struct mi *in = &d->m->code.v[i];
		for (unsigned k = 0; in->name && k < in->nd; k++) {
			uint32_t v = mo_value(&in->o[k]);
			if (v == V_NONE)
				continue;
			vec_push(&d->next, d->head[v]);
			vec_push(&d->by, (uint32_t)i);
			d->head[v] = (uint32_t)d->by.n;
		}
	}
}

static void mark_sources(struct dead *d)
{
	const struct mfunc *m = d->m;
	for (size_t i = 0; i < m->code.n; i++)
		if (!m->code.v[i].name || !m->code.v[i].nd || m->code.v[i].keep ||
		    m->code.v[i].label || m->code.v[i].pop)
			revive_writes(d, i);
	while (d->work.n) {
		uint32_t i = d->work.v[--d->work.n];
		const struct mi *in = &m->code.v[i];
		if (!in->name)
			continue;
		for (unsigned k = in->nd; k < in->n; k++)
			if (mo_value(&in->o[k]) != V_NONE)
				want_words(d, in->o[k].v, words_of(m, &in->o[k]));
		if (in->guard != V_TRUE)
			want_words(d, in->guard, 1);
		if (mi_reads_cc(in))
			want_cc(d, i);
	}
}

/* Drops results of a needed instruction that are not read. */
static void prune_results(struct dead *d, struct mi *in)
{
	for (unsigned k = 0; k < in->nd; k++) {
		uint32_t v = mo_value(&in->o[k]);
		if (v == V_NONE || words_of(d->m, &in->o[k]) & d->need[v] || d->m->target->sm >= 20)
			continue;
		if (in->o[k].kind == MO_FLAG)
			in->o[k] = (struct mo){.kind = MO_NONE};
		else if (in->nd > 1)
			in->o[k] = (struct mo){.kind = MO_DISCARD};
	}
	if (in->nd == 2 && in->o[1].kind == MO_NONE) { /* without the flag there is one result */
		memmove(&in->o[1], &in->o[2], (in->n - 2u) * sizeof *in->o);
		in->nd--;
		in->n--;
	}
}

/* Shrinks values of which only the first word is needed. */
static void shrink_values(struct dead *d)
{
	struct mfunc *m = d->m;
	bool *all = xcalloc(m->val.n + 1, sizeof *all);
	for (size_t i = 0; i < m->code.n; i++)
		for (unsigned k = 0; m->code.v[i].name && k < m->code.v[i].n; k++) {
			const struct mo *o = &m->code.v[i].o[k];
			if (mo_value(o) != V_NONE && (o->wide || o->word))
				all[o->v] = true;
		}
	for (size_t v = 0; v < m->val.n; v++)
		if (m->val.v[v].words > 1 && !all[v])
			m->val.v[v].words = 1;
	free(all);
}

void mir_dead(struct mfunc *m)
{
	struct dead d = {.m = m};
	d.need = xcalloc(m->val.n + 1, sizeof *d.need);
	d.alive = xcalloc(m->code.n + 1, sizeof *d.alive);
	d.cc = xcalloc(m->code.n + 1, sizeof *d.cc);
	d.head = xcalloc(m->val.n + 1, sizeof *d.head);
	index_writes(&d);
	mark_sources(&d);
	size_t to = 0;
	for (size_t i = 0; i < m->code.n; i++)
		if (d.alive[i]) {
			prune_results(&d, &m->code.v[i]);
			m->code.v[i].cc &= d.cc[i];
			m->code.v[to++] = m->code.v[i];
		}
	m->code.n = to;
	shrink_values(&d);
	free(d.need);
	free(d.alive);
	free(d.cc);
	free(d.head);
	vec_free(&d.next);
	vec_free(&d.by);
	vec_free(&d.work);
}
