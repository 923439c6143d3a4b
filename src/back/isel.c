/* A kernel: its blocks in order, the instructions of each, and the branches between them. */
#include <string.h>
#include "back/sel.h"
#include "pass/pass.h"

static void values(struct sel *s)
{
	s->value = ARENA_ARRAY(s->m.a, uint32_t, s->f->regs.n + 1);
	for (uint32_t r = 0; r < s->f->regs.n; r++)
		s->value[r] = mval_new(&s->m, sel_width(s, r));
}

static void one(struct sel *s, const struct inst *in)
{
	s->in = in;
	if (!sel_mem(s) && !sel_int(s) && !sel_wide(s) && !sel_logic(s) && !sel_fp(s) &&
	    !sel_cvt(s) && !sel_misc(s) && !sel_tex(s))
		sel_refuse(s, "");
}

/* A branch, or a wait where the edge ends a region, under a predicate (V_TRUE: always). */
static void go(struct sel *s, const struct tokens *t, uint32_t from, uint32_t to, uint32_t pred,
	       bool neg, uint32_t next)
{
	bool pop = tokens_pop(t, from, to);
	if (!pop && pred == V_TRUE && to == next)
		return;
	struct mi *in = pop ? mi_add(&s->m, "NOP", 0, 1, (struct mo[]){mo_text("CC.T")})
			    : mi_add(&s->m, "BRA", 0, 1,
				     &(struct mo){.kind = MO_LABEL, .imm = s->block_label[to]});
	in->pop = pop;
	in->guard = pred;
	in->guard_neg = neg;
	in->ends = true;
	in->label = s->block_label[to] + 1;
	in->line = s->in ? s->in->line : 0;
}

static void leave(struct sel *s, const struct inst *in)
{
	s->in = in;
	OP(s, "EXIT", 0)->ends = true;
}

/* A switch is a chain of comparisons. */
static void switch_to(struct sel *s, const struct cfg *c, const struct tokens *t, uint32_t b,
		      const struct inst *in)
{
	const struct targets *x = &s->f->targets.v[in->imm];
	if (in->guard != NO_REG) {
		sel_refuse(s, "with a guard");
		return;
	}
	for (uint32_t i = 0; i + 1 < x->n; i++) {
		uint32_t p = sel_temp(s, 0);
		struct mo a = sel_reg(s, 0, 0);
		OP(s, "ISETP.EQ.AND", 2, mo_pred(p), mo_pred(V_TRUE), a, sel_word(s, i),
		   mo_pred(V_TRUE));
		go(s, t, b, c->block_of[x->pc[i]], p, false, NO_NODE);
	}
	if (x->n)
		go(s, t, b, c->block_of[x->pc[x->n - 1]], V_TRUE, false, NO_NODE);
}

static void end_block(struct sel *s, const struct cfg *c, const struct tokens *t, uint32_t b,
		      uint32_t next)
{
	const struct block *k = &c->block[b];
	const struct inst *in = k->end > k->first ? &s->f->code.v[k->end - 1] : NULL;
	uint32_t after = b + 1;
	for (uint32_t r = 0; r < t->n; r++)
		if (t->region[r].push == b)
			mi_add(&s->m, "SSY", 0, 1,
			       &(struct mo){.kind = MO_LABEL,
					    .imm = s->block_label[t->region[r].meet]});
	if (in && in->op == OP_BRA) {
		uint32_t to = c->block_of[in->target];
		if (in->guard != NO_REG && to <= b && !tokens_pop(t, b, to) &&
		    !tokens_pop(t, b, after)) {
			/* A loop's test with another way on than out: the rule that drops threads at backward
			 * branches must not see one. */
			go(s, t, b, after, s->value[in->guard], !in->guard_neg, NO_NODE);
			go(s, t, b, to, V_TRUE, false, next);
		} else if (in->guard != NO_REG) {
			go(s, t, b, to, s->value[in->guard], in->guard_neg, NO_NODE);
			go(s, t, b, after, V_TRUE, false, next);
		} else {
			go(s, t, b, to, V_TRUE, false, next);
		}
	} else if (in && in->op == OP_BRX) {
		s->in = in;
		switch_to(s, c, t, b, in);
	} else if (in && (in->op == OP_RET || in->op == OP_EXIT || in->op == OP_TRAP)) {
		s->in = in;
		if (in->op == OP_TRAP)
			OP(s, "BPT.TRAP", 0, mo_imm(0));
		leave(s, in);
		if (in->guard != NO_REG)
			go(s, t, b, after, V_TRUE, false, next);
	} else if (after <= c->n) {
		go(s, t, b, after, V_TRUE, false, next);
	}
}

static bool is_end(const struct inst *in)
{
	return in->op == OP_BRA || in->op == OP_BRX || in->op == OP_RET || in->op == OP_EXIT ||
	       in->op == OP_TRAP;
}

bool sel_kernel(struct sel *s, const struct func *f, const struct layout *l, struct diag *d)
{
	s->f = f;
	s->lay = l;
	s->d = d;
	struct cfg *c = cfg_build(s->m.a, f);
	struct tokens t;
	tokens_place(&t, f, c, s->m.a);
	values(s);
	s->block_label = ARENA_ARRAY(s->m.a, uint32_t, c->n + 1);
	for (uint32_t b = 0; b <= c->n; b++)
		s->block_label[b] = sel_label(s);
	for (uint32_t b = 0; b < c->n && !s->bad; b++) {
		if (!cfg_reached(c, b))
			continue;
		sel_place(s, s->block_label[b]);
		for (uint32_t i = c->block[b].first; i < c->block[b].end && !s->bad; i++)
			if (!is_end(&f->code.v[i]))
				one(s, &f->code.v[i]);
		uint32_t next = b + 1;
		while (next < c->n && !cfg_reached(c, next))
			next++;
		end_block(s, c, &t, b, next);
	}
	sel_place(s, s->block_label[c->n]); /* past the last instruction */
	s->in = NULL;
	mi_add(&s->m, "EXIT", 0, 0, NULL)->ends = true;
	s->m.local = f->frame_bytes;
	return !s->bad;
}
