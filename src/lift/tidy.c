/* Removes copies inside one native instruction. A translation computes in scratch registers and copies the
 * last one to the destination, since a source may be the destination. If nothing in between reads or writes
 * the destination, the result goes directly there:
 *
 * 	mul.f32 t0, r1, r2               mul.f32 r3, r1, r2
 * 	setp.ne.f32 c0, t0, 0            setp.ne.f32 c0, r3, 0
 * 	mov.b32 r3, t0
 *
 * Scratch registers have no meaning after the instruction. */
#include "lift/gen.h"

static bool is_reg(const struct opnd *o, uint32_t r)
{
	return (o->kind == OPND_REG || o->kind == OPND_MEM) && o->reg == r;
}

static bool names_register(const struct inst *in, uint32_t r, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		if (is_reg(&in->opnd[i], r))
			return true;
	return false;
}
static bool writes_register(const struct inst *in, uint32_t r)
{
	return names_register(in, r, 0, in->nd);
}
static bool reads_register(const struct inst *in, uint32_t r)
{
	return names_register(in, r, in->nd, in->nd + in->ns);
}

static bool is_scratch(const struct ngen *g, const struct opnd *o)
{
	return o->kind == OPND_REG && g->f->regs.v[o->reg].scratch &&
	       type_rows(g->f->regs.v[o->reg].type) == 1;
}

/* True if the instruction copies a scratch register to a register of the machine. */
static bool is_result(const struct ngen *g, const struct inst *in)
{
	return in->op == OP_MOV && in->nd == 1 && in->ns == 1 && in->opnd[0].kind == OPND_REG &&
	       type_bits(in->type) == 32 && is_scratch(g, &in->opnd[1]) &&
	       !g->f->regs.v[in->opnd[0].reg].scratch;
}

/* The instruction that writes t last before j, if r is not used between it and j and one guard
 * covers all; SIZE_MAX: there is none, or t is written again later. */
static size_t find_maker(const struct ngen *g, size_t j, uint32_t t, uint32_t r)
{
	const struct inst *code = g->f->code.v, *copy = &code[j];
	for (size_t i = j + 1; i < g->f->code.n; i++) /* the later code would read r for t */
		if (writes_register(&code[i], t) ||
		    (reads_register(&code[i], t) && writes_register(&code[i], r)))
			return SIZE_MAX;
	for (size_t k = j; k-- > g->first;) {
		const struct inst *in = &code[k];
		if (in->guard != copy->guard || in->guard_neg != copy->guard_neg)
			return SIZE_MAX;
		if (writes_register(in, t))
			return in->nd == 1 && in->op != OP_NATIVE ? k : SIZE_MAX;
		if (reads_register(in, r) || writes_register(in, r))
			return SIZE_MAX;
	}
	return SIZE_MAX;
}

static void rename_reads(struct inst *in, uint32_t t, uint32_t r)
{
	for (unsigned i = in->nd; i < in->nd + in->ns; i++)
		if (is_reg(&in->opnd[i], t))
			in->opnd[i].reg = r;
}

void gen_tidy(struct ngen *g)
{
	struct func *f = g->f;
	for (size_t j = g->first; j < f->code.n; j++) {
		if (!is_result(g, &f->code.v[j]))
			continue;
		uint32_t r = f->code.v[j].opnd[0].reg, t = f->code.v[j].opnd[1].reg;
		size_t k = find_maker(g, j, t, r);
		if (k == SIZE_MAX)
			continue;
		f->code.v[k].opnd[0].reg = r;
		for (size_t i = k + 1; i < f->code.n; i++)
			rename_reads(&f->code.v[i], t, r);
		memmove(&f->code.v[j], &f->code.v[j + 1], (f->code.n - j - 1) * sizeof *f->code.v);
		f->code.n--;
		j--;
	}
}
