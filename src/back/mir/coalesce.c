/* Writes results directly to their destination. Selection computes a result in a separate value and
 * copies it, since a source may be the destination. If no instruction reads the destination between
 * the computation and the copy, the instructions write the destination and the copy is dropped. */
#include <stdlib.h>
#include <string.h>
#include "back/mir/mir.h"

enum { REACH = 64 }; /* most instructions between the computation's first write and the copy */

static bool is_copy_of(const struct mi *in, uint32_t d, uint32_t t, unsigned word)
{
	return in->name && !strcmp(in->name, "MOV") && !in->pop && in->o[0].v == d &&
	       in->o[0].word == word && in->o[1].kind == MO_REG && in->o[1].v == t &&
	       in->o[1].word == word && !in->o[1].neg && !in->o[1].abs && !in->o[1].inv;
}

/* The first instruction that writes t, searching upwards from `at`; NO: a label or a branch lies in
 * between. */
static size_t first_write(const struct mfunc *m, uint32_t t, size_t at, const uint32_t *writes,
			  const bool *gone)
{
	uint32_t left = writes[t];
	for (size_t n = 0; at-- > 0 && n < REACH; n++) {
		const struct mi *in = &m->code.v[at];
		if (!in->name || in->label || in->ends)
			return SIZE_MAX;
		if (gone[at])
			continue;
		for (unsigned d = 0; d < in->nd; d++)
			left -= mo_value(&in->o[d]) == t;
		if (!left)
			return at;
	}
	return SIZE_MAX;
}

/* Words of value v that an operand names, as bits. */
static unsigned words_of(const struct mfunc *m, const struct mo *o, uint32_t v)
{
	if (mo_value(o) != v)
		return 0;
	unsigned n = m->val.v[v].words, all = n ? (1u << n) - 1 : 1;
	return o->wide || o->kind != MO_REG || !n ? all : 1u << o->word;
}

/* True if, after t has been replaced by d, another instruction would read or overwrite a word of d
 * between its write and its use. */
static bool in_the_way(const struct mfunc *m, uint32_t d, uint32_t t, size_t from, size_t to,
		       const struct mi *copy, const bool *gone)
{
	unsigned done = 0;
	for (size_t i = from; i < to; i++) {
		const struct mi *in = &m->code.v[i];
		bool writes_t = false;
		if (gone[i])
			continue;
		for (unsigned s = in->nd; s < in->n; s++)
			if (words_of(m, &in->o[s], d) & done)
				return true;
		if (in->guard == d)
			return true;
		for (unsigned k = 0; k < in->nd; k++) {
			if (mo_value(&in->o[k]) == d)
				return true;
			writes_t |= mo_value(&in->o[k]) == t;
			done |= words_of(m, &in->o[k], t);
		}
		if (writes_t && (in->guard != copy->guard || in->guard_neg != copy->guard_neg))
			return true;
	}
	return false;
}

static void rename_value(struct mfunc *m, uint32_t t, uint32_t d, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		for (unsigned k = 0; k < m->code.v[i].n; k++)
			if (mo_value(&m->code.v[i].o[k]) == t)
				m->code.v[i].o[k].v = d;
}

/* Instructions from `from` to before `to` now write d instead of a separate value. An instruction
 * that began a new value no longer does so if a word of the old value is read later: the old value
 * is still live there. */
static void keep_old_words(struct mfunc *m, uint32_t d, size_t from, size_t to, const bool *gone)
{
	struct mi *begins = NULL;
	unsigned written = 0;
	for (size_t i = from; i < to; i++) {
		struct mi *in = &m->code.v[i];
		if (gone[i])
			continue;
		for (unsigned k = in->nd; k < in->n && begins; k++)
			if (words_of(m, &in->o[k], d) & ~written)
				begins->fresh = false;
		for (unsigned k = 0; k < in->nd; k++) {
			written |= words_of(m, &in->o[k], d);
			if (in->fresh && mo_value(&in->o[k]) == d)
				begins = in;
		}
	}
}

static void count_uses(const struct mfunc *m, uint32_t *reads, uint32_t *writes)
{
	for (size_t i = 0; i < m->code.n; i++) {
		const struct mi *in = &m->code.v[i];
		for (unsigned k = 0; in->name && k < in->n; k++)
			if (mo_value(&in->o[k]) != V_NONE)
				(k < in->nd ? writes : reads)[in->o[k].v]++;
	}
}

/* Number of reads of t from one place to another; the caller requires that t has no other reads. */
static uint32_t reads_between(const struct mfunc *m, uint32_t t, size_t from, size_t to,
			      const bool *gone)
{
	uint32_t n = 0;
	for (size_t i = from; i < to; i++)
		for (unsigned k = m->code.v[i].nd; k < m->code.v[i].n && !gone[i]; k++)
			n += mo_value(&m->code.v[i].o[k]) == t;
	return n;
}

void mir_coalesce(struct mfunc *m)
{
	uint32_t *reads = xcalloc(m->val.n + 1, sizeof *reads),
		 *writes = xcalloc(m->val.n + 1, sizeof *writes);
	bool *gone = xcalloc(m->code.n + 1, sizeof *gone);
	count_uses(m, reads, writes);
	for (size_t i = 0; i < m->code.n; i++) {
		const struct mi *in = &m->code.v[i];
		if (!in->name || strcmp(in->name, "MOV") || in->nd != 1 ||
		    in->o[1].kind != MO_REG || in->o[0].word)
			continue;
		uint32_t d = in->o[0].v, t = in->o[1].v;
		unsigned n = m->val.v[t].words, k = 0;
		if (!m->val.v[t].temp || m->val.v[d].pinned || m->val.v[d].words != n || d == t)
			continue;
		while (k < n && i + k < m->code.n && is_copy_of(&m->code.v[i + k], d, t, k))
			k++;
		size_t from = k == n ? first_write(m, t, i, writes, gone) : SIZE_MAX;
		if (from == SIZE_MAX || reads_between(m, t, from, i + n, gone) != reads[t] ||
		    in_the_way(m, d, t, from, i, in, gone))
			continue;
		rename_value(m, t, d, from, i);
		keep_old_words(m, d, from, i, gone);
		for (k = 0; k < n; k++)
			gone[i + k] = true;
		writes[d] += writes[t] - n;
		reads[d] += reads[t] - n;
	}
	size_t to = 0;
	for (size_t i = 0; i < m->code.n; i++)
		if (!gone[i])
			m->code.v[to++] = m->code.v[i];
	m->code.n = to;
	free(reads);
	free(writes);
	free(gone);
}
