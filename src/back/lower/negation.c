/* A guard by the negation of a predicate becomes the negated guard by that predicate: the copy, which later instructions would wait for,
 * is dead then.
 *
 *	not.pred q, p;  @q bra L;                 not.pred q, p;  @!p bra L;
 *
 * One instruction writes q, and p is at the guard what it was when q was written: nothing writes p between the two in their block,
 * or one instruction writes p, in q's block before q, so each new p is followed by a new q. A guard between those
 * two instructions keeps q. */
#include "back/lower/lower.h"

enum { NONE = UINT32_MAX, SEVERAL = UINT32_MAX - 1 };

/* [register]: the instruction that writes it, NONE or SEVERAL. A guarded write leaves the old value: it counts as several. */
static uint32_t *find_writers(const struct func *f, struct arena *a)
{
	uint32_t *writer = arena_alloc(a, (f->regs.n + 1) * sizeof *writer);
	for (size_t r = 0; r < f->regs.n; r++)
		writer[r] = NONE;
	for (size_t i = 0; i < f->code.n; i++)
		for (unsigned d = 0; d < f->code.v[i].nd; d++) {
			const struct opnd *o = inst_dst(&f->code.v[i], d);
			if (o->kind != OPND_PRED || o->reg >= f->regs.n)
				continue;
			bool first = writer[o->reg] == NONE && f->code.v[i].guard == NO_REG;
			writer[o->reg] = first ? (uint32_t)i : SEVERAL;
		}
	return writer;
}

static bool writes_predicate(const struct inst *in, uint32_t p)
{
	for (unsigned d = 0; d < in->nd; d++)
		if (inst_dst(in, d)->kind == OPND_PRED && inst_dst(in, d)->reg == p)
			return true;
	return false;
}

/* True if instructions `from` and `to` are of one block and none between them writes p. */
static bool keeps_predicate(const struct func *f, const struct cfg *c, uint32_t from, uint32_t to,
			    uint32_t p)
{
	if (from >= to || c->block_of[from] != c->block_of[to])
		return false;
	for (uint32_t i = from + 1; i < to; i++)
		if (writes_predicate(&f->code.v[i], p))
			return false;
	return true;
}

/* True if q, written by instruction `to`, is renewed whenever p is: p is written only by `from`,
 * which precedes `to` in the block. A guard between the two instructions would read the old q with
 * the new p. */
static bool renews_with(const struct cfg *c, uint32_t from, uint32_t to, uint32_t guard)
{
	return from < to && c->block_of[from] == c->block_of[to] && !(from < guard && guard <= to);
}

void lower_negations(struct lowering *x)
{
	struct func *f = x->f;
	const uint32_t *writer = find_writers(f, x->a);
	const struct cfg *c = cfg_build(x->a, f);
	for (uint32_t i = 0; i < f->code.n; i++) {
		struct inst *in = &f->code.v[i];
		uint32_t w = in->guard == NO_REG ? NONE : writer[in->guard];
		if (w >= SEVERAL || f->code.v[w].op != OP_NOT || f->code.v[w].type != T_PRED)
			continue;
		const struct opnd *p = inst_src(&f->code.v[w], 0);
		if (p->kind != OPND_PRED || p->mod)
			continue;
		uint32_t from = writer[p->reg];
		bool renewed = from < SEVERAL && renews_with(c, from, w, i);
		if (!renewed && !keeps_predicate(f, c, w, i, p->reg))
			continue;
		in->guard = p->reg;
		in->guard_neg = !in->guard_neg;
	}
}
