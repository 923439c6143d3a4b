/* Test-and-test-and-set for locks in shared memory. An atomic of shared memory holds one of the machine's own
 * locks from its load to its store, even if it changes nothing. Warps that retry in a loop as long as the
 * releasing warp's own can keep that warp from ever performing its release. In a loop, an atomic that would
 * change nothing becomes a load:
 *
 * 	L: r = cas [m], 0, 1;          L: t = ld.volatile [m]; p = t == 0; @p t = cas [m], 0, 1; r = t;
 * 	p = r != 0; @p bra L;          p = r != 0; @p bra L;
 *
 * The number that is compared (cas) or stored (exch) must be equal in every round of the loop. */
#include <stdlib.h>
#include "back/lower/lower.h"

struct pass {
	struct func *f;
	struct arena *a;
	struct cfg *c;
	struct loops loops;
	VEC(struct inst) code;
};

/* True if the operand is a number, or a register that the loop does not write. */
static bool stays_same(const struct pass *x, uint32_t loop, const struct opnd *o)
{
	if (o->kind != OPND_REG)
		return o->kind == OPND_IMM;
	for (uint32_t i = 0; i < x->f->code.n; i++) {
		const struct inst *in = &x->f->code.v[i];
		for (unsigned k = 0; k < in->nd; k++)
			if (inst_dst(in, k)->kind == OPND_REG && inst_dst(in, k)->reg == o->reg &&
			    loop_has(&x->loops, loop, x->c->block_of[i]))
				return false;
	}
	return true;
}

static bool is_wait(const struct pass *x, uint32_t i)
{
	const struct inst *in = &x->f->code.v[i];
	uint32_t loop = x->loops.loop_of[x->c->block_of[i]];
	return in->op == OP_ATOM && (in->mode == ATOM_CAS || in->mode == ATOM_EXCH) &&
	       sel_space(in) == SP_SHARED && in->vec <= 1 && in->nd == 1 &&
	       inst_dst(in, 0)->kind == OPND_REG && type_bits(in->type) >= 32 &&
	       type_bits(in->type) <= 64 && loop != NO_NODE && stays_same(x, loop, inst_src(in, 1));
}

static struct inst *put_inst(struct pass *x, const struct inst *like, unsigned op, unsigned type,
			     unsigned nd, unsigned ns, const struct opnd *o)
{
	vec_push(&x->code, inline_inst(x->a, like, op, type, nd, ns, o));
	return &x->code.v[x->code.n - 1];
}

static struct inst *copy_guard(struct inst *n, const struct inst *in)
{
	n->guard = in->guard;
	n->guard_neg = in->guard_neg;
	return n;
}

static void put_test(struct pass *x, const struct inst *in)
{
	bool wide = type_bits(in->type) == 64, has_guard = in->guard != NO_REG;
	unsigned type = wide ? T_B64 : T_B32, number = wide ? T_U64 : T_U32;
	vec_push(&x->f->regs, (struct reg){"%seen", (uint8_t)type});
	vec_push(&x->f->regs, (struct reg){"%free", T_PRED});
	struct opnd t = opnd_reg((uint32_t)x->f->regs.n - 2, type),
		    p = opnd_reg((uint32_t)x->f->regs.n - 1, T_PRED),
		    g = opnd_reg(in->guard, T_PRED), same = *inst_src(in, 1);
	struct inst *n = copy_guard(
		put_inst(x, in, OP_LD, type, 1, 1, (struct opnd[]){t, *inst_src(in, 0)}), in);
	n->space = SP_SHARED;
	n->mods = M_VOLATILE;
	g.mod = in->guard_neg ? OPND_NOT : 0;
	n = put_inst(x, in, OP_SETP, T_PRED, 1, has_guard ? 3 : 2, (struct opnd[]){p, t, same, g});
	n->stype = (uint8_t)number;
	n->cmp = in->mode == ATOM_CAS ? CMP_EQ : CMP_NE;
	n->bop = has_guard ? BOP_AND : BOP_NONE;
	struct inst ask = *in;
	ask.opnd = ARENA_ARRAY(x->a, struct opnd, in->nd + in->ns + 1u);
	for (unsigned k = 0; k < in->nd + in->ns; k++)
		ask.opnd[k] = k ? in->opnd[k] : t;
	ask.guard = p.reg;
	ask.guard_neg = 0;
	vec_push(&x->code, ask);
	copy_guard(put_inst(x, in, OP_MOV, type, 1, 1, (struct opnd[]){*inst_dst(in, 0), t}), in);
}

void lower_looks(struct lowering *lowering)
{
	struct func *f = lowering->f;
	struct arena *a = lowering->a;
	struct pass x = {.f = f, .a = a, .c = cfg_build(a, f)};
	struct domtree dom;
	dom_build(&dom, x.c);
	loop_build(&x.loops, x.c, &dom);
	uint32_t *to = xmalloc((f->code.n + 1) * sizeof *to);
	for (uint32_t i = 0; i < f->code.n; i++) {
		to[i] = (uint32_t)x.code.n;
		if (is_wait(&x, i))
			put_test(&x, &f->code.v[i]);
		else
			vec_push(&x.code, f->code.v[i]);
	}
	to[f->code.n] = (uint32_t)x.code.n;
	back_retarget(f, x.code.v, x.code.n, to);
	back_take_code(f, x.code.v, x.code.n, x.code.cap);
	free(to);
}
