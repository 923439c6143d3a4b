/* Registers of 128 bits become two of 64 bits, so that no later pass meets one: moves, loads and stores are done by halves.
 * Atomics of 128 bits stay whole, each value as two operands; only sm_90 has these. */
#include <stdlib.h>
#include "back/lower/lower.h"

struct split {
	struct func *f;
	struct arena *a;
	uint32_t *upper; /* [register]: register of its upper half, or NO_REG */
	VEC(struct inst) code;
};

static bool is_whole(const struct split *x, const struct opnd *o)
{
	return o->kind == OPND_REG && x->upper[o->reg] != NO_REG;
}

static struct opnd half_of(const struct split *x, const struct opnd *o, unsigned i)
{
	if (o->kind == OPND_IMM)
		return opnd_imm(i ? 0 : (uint64_t)o->imm, T_B64);
	return o->kind == OPND_REG ? opnd_reg(i ? x->upper[o->reg] : o->reg, T_B64) : *o;
}

/* to = from, of 64 bits each, under the guard of `in`. */
static void split_move(struct split *x, const struct inst *in, struct opnd to, struct opnd from)
{
	if (to.kind == OPND_SINK)
		return;
	vec_push(&x->code, inline_inst(x->a, in, OP_MOV, T_B64, 1, 1, (struct opnd[]){to, from}));
	x->code.v[x->code.n - 1].guard = in->guard;
	x->code.v[x->code.n - 1].guard_neg = in->guard_neg;
}

/* Splits a load or store of one value into two of 64 bits; an atomic only gets two operands per
 * value. */
static void split_access(struct split *x, const struct inst *in)
{
	struct inst n = *in;
	unsigned at = 0;
	if (in->op != OP_ATOM) {
		n.type = n.stype = T_B64;
		n.vec = (uint8_t)(2 * in->vec);
	}
	n.opnd = ARENA_ARRAY(x->a, struct opnd, 2u * (in->nd + in->ns) + 1);
	for (unsigned i = 0; i < in->nd + in->ns; i++) {
		const struct opnd *o = &in->opnd[i];
		n.opnd[at++] = o->kind == OPND_MEM ? *o : half_of(x, o, 0);
		if (o->kind != OPND_MEM)
			n.opnd[at++] = half_of(x, o, 1);
	}
	n.nd = (uint8_t)(2 * in->nd);
	n.ns = (uint8_t)(at - n.nd);
	vec_push(&x->code, n);
}

static void split_inst(struct split *x, const struct inst *in)
{
	const struct opnd *d = inst_dst(in, 0), *s = inst_src(in, 0);
	bool wide = type_bits(in->type) == 128;
	if (wide && in->op == OP_MOV && in->nd == 1 && in->ns == 1) {
		for (unsigned i = 0; i < 2; i++)
			split_move(x, in, half_of(x, d, i), half_of(x, s, i));
	} else if (wide && in->op == OP_PACK && in->ns == 2 && is_whole(x, d)) {
		/* copied through temporaries: a source may be half of the result */
		struct opnd t[2];
		for (unsigned i = 0; i < 2; i++) {
			vec_push(&x->f->regs, (struct reg){"%half", T_B64});
			t[i] = opnd_reg((uint32_t)x->f->regs.n - 1, T_B64);
			split_move(x, in, t[i], *inst_src(in, i));
		}
		for (unsigned i = 0; i < 2; i++)
			split_move(x, in, half_of(x, d, i), t[i]);
	} else if (wide && in->op == OP_UNPACK && in->nd == 2 && is_whole(x, s)) {
		for (unsigned i = 0; i < 2; i++)
			split_move(x, in, *inst_dst(in, i), half_of(x, s, i));
	} else if (wide &&
		   ((in->op == OP_LD || in->op == OP_ST) ? in->vec == 1 : in->op == OP_ATOM)) {
		split_access(x, in);
	} else {
		vec_push(&x->code, *in);
	}
}

void lower_split(struct lowering *lowering)
{
	struct func *f = lowering->f;
	struct arena *a = lowering->a;
	struct split x = {.f = f, .a = a};
	uint32_t n = (uint32_t)f->regs.n, wide = 0;
	x.upper = ARENA_ARRAY(a, uint32_t, n + 1);
	for (uint32_t r = 0; r < n; r++) {
		bool whole = type_bits(f->regs.v[r].type) == 128;
		wide += whole;
		x.upper[r] = whole ? (uint32_t)f->regs.n : NO_REG;
		if (!whole)
			continue;
		f->regs.v[r].type = T_B64;
		vec_push(&f->regs, (struct reg){"%upper", T_B64});
	}
	if (!wide)
		return;
	uint32_t *to = xmalloc((f->code.n + 1) * sizeof *to);
	for (size_t i = 0; i < f->code.n; i++) {
		to[i] = (uint32_t)x.code.n;
		split_inst(&x, &f->code.v[i]);
	}
	to[f->code.n] = (uint32_t)x.code.n;
	back_retarget(f, x.code.v, x.code.n, to);
	back_take_code(f, x.code.v, x.code.n, x.code.cap);
	free(to);
}
