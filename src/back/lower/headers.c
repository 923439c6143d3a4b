/* Blocks in front of loops. SSY for the threads that leave a loop stands in the block in front of the loop,
 * which must lead only to the loop. A loop that is entered from a branch has no such block and gets an empty
 * one:
 *
 * 	@u bra X;                @u bra X;
 * 	L: ...; @p bra L;        (SSY Y) L: ...; @p bra L;
 * 	Y: ...; X:               Y: ...; X: */
#include <stdlib.h>
#include <string.h>
#include "back/lower/lower.h"

void back_part_header(struct func *f, const struct cfg *c, uint32_t header, const uint8_t *in)
{
	VEC(struct inst) code = {0};
	uint32_t *to = xmalloc((f->code.n + 1) * sizeof *to), first = c->block[header].first;
	for (uint32_t i = 0; i < f->code.n; i++) {
		to[i] = (uint32_t)code.n;
		if (i == first)
			vec_push(&code,
				 inline_inst(c->arena, &f->code.v[i], OP_NOP, T_NONE, 0, 0, NULL));
		vec_push(&code, f->code.v[i]);
	}
	to[f->code.n] = (uint32_t)code.n;
	back_retarget(f, code.v, code.n, to);
	for (uint32_t i = 0; i < f->code.n; i++)
		if (f->code.v[i].op == OP_BRA && f->code.v[i].target == first && in[c->block_of[i]])
			code.v[to[i] + (i == first)].target++;
	back_take_code(f, code.v, code.n, code.cap);
	free(to);
}

bool back_falls_on(const struct func *f, const struct cfg *c, uint32_t b)
{
	const struct inst *in = &f->code.v[c->block[b].end - 1];
	return in->op != OP_BRX && (in->op != OP_BRA || in->guard != NO_REG);
}

/* True if no block leads to the loop only. `in`: the blocks of the loop. */
static bool lacks_entry(const struct func *f, const struct cfg *c, uint32_t header,
			const uint8_t *in)
{
	unsigned ways = 0;
	bool lone = true;
	for (uint32_t e = c->g.pred_at[header]; e < c->g.pred_at[header + 1]; e++) {
		uint32_t b = c->g.pred[e];
		const struct inst *last = &f->code.v[c->block[b].end - 1];
		if (last->op == OP_BRX || (in[b] && b + 1 == header && back_falls_on(f, c, b)))
			return false; /* no such block can be inserted */
		ways += !in[b];
		lone &= in[b] || c->g.succ_at[b + 1] - c->g.succ_at[b] == 1;
	}
	return ways > 1 || !lone;
}

static bool part_one(struct func *f, struct arena *a)
{
	struct cfg *c = cfg_build(a, f);
	struct domtree dom, pdom;
	struct loops loops;
	dom_build(&dom, c);
	pdom_build(&pdom, c);
	loop_build(&loops, c, &dom);
	uint8_t *in = ARENA_ARRAY(a, uint8_t, c->n + 1);
	for (uint32_t b = 0; b < c->n; b++) {
		uint32_t meet = pdom.idom[b], outer = NO_NODE;
		const struct inst *last = &f->code.v[c->block[b].end - 1];
		if (!cfg_reached(c, b) || !inst_may_diverge(last) || last->mods & M_UNI ||
		    meet == NO_NODE || meet == c->n)
			continue;
		for (uint32_t l = loops.loop_of[b]; l != NO_NODE; l = loops.loop[l].parent)
			if (!loop_has(&loops, l, meet))
				outer = l;
		if (outer == NO_NODE)
			continue;
		uint32_t header = loops.loop[outer].header, before = dom.idom[header];
		if (before == NO_NODE || dominates(&pdom, meet, before))
			continue;
		for (uint32_t k = 0; k < c->n; k++)
			in[k] = loop_has(&loops, outer, k);
		if (lacks_entry(f, c, header, in)) {
			back_part_header(f, c, header, in);
			return true;
		}
	}
	return false;
}

void lower_headers(struct lowering *x)
{
	enum { ROUNDS = 64 };
	for (unsigned k = 0; k < ROUNDS && part_one(x->f, x->a); k++)
		;
}
