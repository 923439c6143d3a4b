#include "pass/regs.h"

unsigned opnd_regs(const struct func *f, const struct opnd *o, uint32_t *out)
{
	bool is_reg =
		o->kind == OPND_REG || o->kind == OPND_PRED || (o->kind == OPND_MEM && !o->sym);
	if (!is_reg || o->reg >= f->regs.n)
		return 0;
	unsigned have = type_rows(f->regs.v[o->reg].type), want = have, n = 0;
	if (have && o->type < T_COUNT)
		want = type_rows(o->type);
	do
		out[n] = o->reg + n;
	while (++n * have < want && o->reg + n < f->regs.n);
	return n;
}

unsigned inst_uses(const struct func *f, const struct inst *in, uint32_t *out)
{
	unsigned n = 0;
	if (in->guard != NO_REG)
		out[n++] = in->guard;
	for (unsigned i = 0; i < in->nd;
	     i++) /* the base of an address is a read wherever the operand stands */
		if (inst_dst(in, i)->kind == OPND_MEM)
			n += opnd_regs(f, inst_dst(in, i), out + n);
	for (unsigned i = 0; i < in->ns; i++)
		n += opnd_regs(f, inst_src(in, i), out + n);
	return n;
}

unsigned inst_defs(const struct func *f, const struct inst *in, uint32_t *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < in->nd; i++)
		if (inst_dst(in, i)->kind != OPND_MEM)
			n += opnd_regs(f, inst_dst(in, i), out + n);
	return n;
}

void regs_writes(const struct func *f, uint8_t *writes)
{
	uint32_t r[INST_REGS];
	for (size_t pc = 0; pc < f->code.n; pc++)
		for (unsigned n = inst_defs(f, &f->code.v[pc], r); n--;)
			writes[r[n]] += writes[r[n]] < 2;
}
