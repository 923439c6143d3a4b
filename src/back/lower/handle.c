/* Traces handles of textures and surfaces to their origin. A handle that is the address of a
 * reference, perhaps through copies, becomes the reference itself, and the copies are dropped.
 * handle_param() finds handles that are parameters of the kernel: a launch knows their values, so
 * that a slot of the machine can stand for each. */
#include "back/lower/lower.h"

enum { DEPTH = 16 }; /* copies that are followed */

static bool takes_handle(unsigned op)
{
	return op == OP_TEX || op == OP_TLD4 || op == OP_TXQ || op == OP_SULD || op == OP_SUST ||
	       op == OP_SURED || op == OP_SUQ;
}

/* The only instruction that writes a register; NULL: there are several, or it writes other
 * registers too. */
static const struct inst *only_write(const struct func *f, uint32_t reg)
{
	const struct inst *found = NULL;
	for (size_t i = 0; i < f->code.n; i++) {
		const struct inst *in = &f->code.v[i];
		for (unsigned k = 0; k < in->nd; k++) {
			if (inst_dst(in, k)->kind != OPND_REG || inst_dst(in, k)->reg != reg)
				continue;
			if (found || in->nd != 1)
				return NULL;
			found = in;
		}
	}
	return found;
}

/* The variable whose address o is, followed through copies and sums with numbers; *off: the sum of
 * the numbers. */
static const struct var *find_variable(const struct func *f, const struct opnd *o, int64_t *off)
{
	*off = 0;
	for (unsigned n = 0; n < DEPTH; n++) {
		if (o->kind == OPND_SYM) {
			const struct var *v = o->sym;
			*off += o->imm;
			return v->def ? v->def : v;
		}
		const struct inst *in = o->kind == OPND_REG ? only_write(f, o->reg) : NULL;
		if (in && in->op == OP_ADD && inst_src(in, 1)->kind == OPND_IMM)
			*off += inst_src(in, 1)->imm;
		else if (!in || (in->op != OP_MOV && in->op != OP_CVTA))
			return NULL;
		o = inst_src(in, 0);
	}
	return NULL;
}

bool handle_param(const struct func *f, const struct opnd *o, uint32_t *at)
{
	const struct inst *in = NULL;
	int64_t off;
	for (unsigned n = 0; n < DEPTH && o->kind == OPND_REG; n++) {
		in = only_write(f, o->reg);
		if (!in || in->op != OP_MOV)
			break;
		o = inst_src(in, 0);
	}
	if (!in || in->op != OP_LD || in->vec > 1 || type_bits(in->type) != 64)
		return false;
	const struct opnd *m = inst_src(in, 0), base = {.kind = OPND_REG, .reg = m->reg};
	const struct var *v = m->sym;
	off = 0;
	v = v && v->def ? v->def : v;
	if (!v && m->reg != NO_REG)
		v = find_variable(f, &base, &off);
	if (!v || v->space != SP_PARAM)
		return false;
	*at = (uint32_t)((int64_t)v->addr + off + m->imm);
	return true;
}

static bool is_reference(const struct var *v)
{
	return v && (v->type == T_TEXREF || v->type == T_SURFREF || v->type == T_SAMPLERREF);
}

static bool resolve_handle(const struct func *f, struct opnd *o)
{
	int64_t off;
	const struct var *v = o->kind == OPND_REG ? find_variable(f, o, &off) : NULL;
	if (!is_reference(v) || off)
		return false;
	*o = (struct opnd){.kind = OPND_SYM, .type = T_U64, .sym = v};
	return true;
}

/* Drops copies of references that are no longer read. */
static bool drop_copies(struct func *f)
{
	bool change = false;
	for (size_t i = 0; i < f->code.n; i++) {
		struct inst *in = &f->code.v[i];
		int64_t off;
		if (in->op != OP_MOV || in->nd != 1 || inst_dst(in, 0)->kind != OPND_REG ||
		    !is_reference(find_variable(f, inst_src(in, 0), &off)) ||
		    func_reads(f, inst_dst(in, 0)->reg))
			continue;
		in->op = OP_NOP;
		in->nd = in->ns = 0;
		change = true;
	}
	return change;
}

void lower_handles(struct lowering *x)
{
	struct func *f = x->f;
	bool found = false;
	for (size_t i = 0; i < f->code.n; i++) {
		struct inst *in = &f->code.v[i];
		for (unsigned k = 0; takes_handle(in->op) && k <= (in->grp[0] && in->op == OP_TEX);
		     k++)
			found |= resolve_handle(f, &in->opnd[in->nd + k]);
	}
	while (found && drop_copies(f))
		;
}
