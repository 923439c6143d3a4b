/* A load of a word per thread and a load of a word that is equal for the whole block become LD_LDU:
 *
 * 	LD R1, [R2+0x8];                 LD_LDU.32.32 R1, R3, [R2+0x8], [R4+0x10];
 * 	LD R3, [R4+0x10];
 *
 * An address is equal for the block if it is computed from numbers, parameters and the block's index, by
 * code that all threads execute alike. The machine reads such words past its first cache, so the kernel
 * must not write them: no store's address may share a parameter with the load's. The later load moves up
 * to the earlier one. */
#include <stdlib.h>
#include <string.h>
#include "back/mir/mir.h"

enum { PARAMS = 0x20, NEAR = 32, FARTHEST = 2044, ALL = -1 };

struct ldu {
	struct mfunc *m;
	bool *same; /* [value]: equal for all threads of a block */
	/* [value]: words of parameters from which the value is computed, one bit per word; all
	 * ones: unknown */
	uint64_t *made_of;
	uint32_t *defs;   /* [value]: instructions that write it */
	uint64_t written; /* parameters that addresses of stores are computed from */
	bool parts;       /* some branch depends on the thread */
};

static bool is_same(const struct ldu *u, const struct mi *in, const struct mo *o)
{
	switch (o->kind) {
	case MO_REG:
	case MO_MEM: return o->v == V_NONE || u->same[o->v];
	case MO_PRED: return o->v == V_TRUE || u->same[o->v];
	case MO_CONST: return o->v == V_NONE || u->same[o->v];
	case MO_TEXT: return !mi_is(in, "S2R") || !strncmp(o->text, "SR_CTAid", 8);
	case MO_CC: return false;
	default: return true;
	}
}

static uint64_t made_of(const struct ldu *u, const struct mo *o)
{
	uint64_t all = (uint64_t)ALL;
	if (o->kind == MO_CONST)
		return o->v != V_NONE || o->bank || o->imm >= PARAMS + 4 * 64 ? all
		       : o->imm < PARAMS                                      ? 0
					 : 1ull << ((o->imm - PARAMS) / 4);
	uint32_t v = o->kind == MO_LABEL ? V_NONE : mo_value(o);
	return v < u->m->val.n ? u->made_of[v] : 0;
}

/* True if the instruction's result comes from memory or from other threads. */
static bool is_foreign(const struct mi *in)
{
	return !strncmp(in->name, "LD", 2) || !strncmp(in->name, "T", 1) || mi_is(in, "ATOM") ||
	       mi_is(in, "SULD") || mi_is(in, "JCAL") || mi_is(in, "VOTE") || mi_is(in, "BAR") ||
	       mi_is(in, "P2R") || mi_is(in, "B2R");
}

static bool writes_memory(const struct mi *in)
{
	return mi_is(in, "ST") || mi_is(in, "ATOM") || mi_is(in, "RED");
}

/* One round of the analysis; true: something changed. */
static bool find_round(struct ldu *u)
{
	bool change = false;
	for (size_t i = 0; i < u->m->code.n; i++) {
		const struct mi *in = &u->m->code.v[i];
		if (!in->name)
			continue;
		bool guarded = in->guard != V_TRUE, same = !is_foreign(in) && !guarded && !in->cc;
		uint64_t from = is_foreign(in) ? (uint64_t)ALL : 0;
		for (unsigned k = in->nd; k < in->n; k++) {
			same &= is_same(u, in, &in->o[k]);
			from |= made_of(u, &in->o[k]);
		}
		if ((in->label || in->ends || in->pop) && guarded && !u->same[in->guard] &&
		    !u->parts)
			change = u->parts = true;
		for (unsigned d = 0; d < in->nd; d++) {
			uint32_t v = mo_value(&in->o[d]);
			if (v >= u->m->val.n)
				continue;
			if (u->same[v] && (!same || (u->parts && u->defs[v] > 1)))
				u->same[v] = false, change = true;
			if ((u->made_of[v] | from) != u->made_of[v])
				u->made_of[v] |= from, change = true;
		}
	}
	return change;
}

static void analyse_values(struct ldu *u)
{
	size_t n = u->m->val.n;
	for (size_t i = 0; i < n; i++)
		u->same[i] = true;
	for (size_t i = 0; i < u->m->code.n; i++) {
		const struct mi *in = &u->m->code.v[i];
		for (unsigned d = 0; in->name && d < in->nd; d++)
			if (mo_value(&in->o[d]) < n)
				u->defs[mo_value(&in->o[d])]++;
	}
	while (find_round(u))
		;
	for (size_t i = 0; i < u->m->code.n; i++) {
		const struct mi *in = &u->m->code.v[i];
		for (unsigned k = 0; in->name && writes_memory(in) && k < in->n; k++)
			if (in->o[k].kind == MO_MEM)
				u->written |=
					made_of(u, &in->o[k]) | (in->o[k].v == V_NONE ? ~0ull : 0);
	}
}

/* True for a load of a word at an address that fits the instruction's field. */
static bool is_load(const struct ldu *u, const struct mi *in)
{
	return in->name && !strcmp(in->name, "LD") && !in->keep && !in->pop &&
	       in->o[0].kind == MO_REG && u->m->val.v[in->o[0].v].words == 1 &&
	       in->o[1].kind == MO_MEM && in->o[1].v != V_NONE && !in->o[1].wide &&
	       in->o[1].imm % 4 == 0 && in->o[1].imm >= -FARTHEST - 4 && in->o[1].imm <= FARTHEST;
}

static bool is_uniform(const struct ldu *u, const struct mi *in)
{
	uint32_t v = in->o[1].v;
	return u->same[v] && u->made_of[v] && !(u->made_of[v] & u->written);
}

static bool names_value(const struct mi *in, uint32_t v)
{
	for (unsigned k = 0; k < in->n; k++)
		if (mo_value(&in->o[k]) == v)
			return true;
	return in->guard == v;
}

static bool writes_value(const struct mi *in, uint32_t v)
{
	for (unsigned d = 0; d < in->nd; d++)
		if (mo_value(&in->o[d]) == v)
			return true;
	return false;
}

/* The index of the load that can join the load at `first`; 0: none. */
static size_t find_partner(const struct ldu *u, size_t first, const bool *gone)
{
	const struct mfunc *m = u->m;
	const struct mi *a = &m->code.v[first];
	bool uniform = is_uniform(u, a);
	for (size_t i = first + 1; i < m->code.n && i <= first + NEAR; i++) {
		const struct mi *b = &m->code.v[i];
		if (!b->name || b->label || b->ends || b->pop || writes_memory(b) ||
		    !strncmp(b->name, "ST", 2) || mi_is(b, "BAR") || mi_is(b, "MEMBAR") ||
		    mi_is(b, "LDSLK") || mi_is(b, "JCAL"))
			return 0;
		if (gone[i] || !is_load(u, b) || is_uniform(u, b) == uniform ||
		    b->guard != a->guard || b->guard_neg != a->guard_neg ||
		    b->o[0].v == a->o[0].v || names_value(a, b->o[0].v))
			continue;
		bool free = !writes_value(a, b->o[1].v) &&
			    (b->guard == V_TRUE || !writes_value(a, b->guard));
		for (size_t k = first + 1; k < i && free; k++)
			free = gone[k] || !m->code.v[k].name ||
			       (!names_value(&m->code.v[k], b->o[0].v) &&
				!writes_value(&m->code.v[k], b->o[1].v) &&
				(b->guard == V_TRUE || !writes_value(&m->code.v[k], b->guard)));
		if (free)
			return i;
	}
	return 0;
}

void fermi_ldu(struct mfunc *m)
{
	size_t n = m->val.n, out = 0;
	struct ldu u = {.m = m,
			.same = xmalloc(n + 1),
			.made_of = xcalloc(n + 1, sizeof *u.made_of),
			.defs = xcalloc(n + 1, sizeof *u.defs)};
	bool *gone = xcalloc(m->code.n + 1, sizeof *gone);
	analyse_values(&u);
	for (size_t i = 0; i < m->code.n; i++) {
		size_t k = !gone[i] && is_load(&u, &m->code.v[i]) ? find_partner(&u, i, gone) : 0;
		if (!k)
			continue;
		struct mi *a = &m->code.v[i];
		const struct mi *b = &m->code.v[k];
		const struct mi *own = is_uniform(&u, a) ? b : a, *shared = own == a ? b : a;
		struct mo o[] = {own->o[0], shared->o[0], own->o[1], shared->o[1]};
		a->name = "LD_LDU.32.32";
		a->nd = 2;
		a->n = 4;
		memcpy(a->o, o, sizeof o);
		gone[k] = true;
	}
	for (size_t i = 0; i < m->code.n; i++)
		if (!gone[i])
			m->code.v[out++] = m->code.v[i];
	m->code.n = out;
	free(u.same);
	free(u.made_of);
	free(u.defs);
	free(gone);
}
