/* Arithmetic of halves and bfloat16 on sm_90, single and in pairs. The instructions compute two
 * numbers at a time. For a single number both operand halves are the lower half of its word, and
 * the upper half of the result is ignored. */
#include "back/sm90/sm90.h"

static bool is_pair(unsigned type) { return type == T_F16X2 || type == T_BF16X2; }
static bool is_brain(unsigned type) { return type == T_BF16 || type == T_BF16X2; }

/* Source i: the word, or its lower half in both halves. */
static struct mo half_source(struct sel *s, unsigned i)
{
	struct mo o = sm90_reg(s, i, 0);
	if (o.kind == MO_REG && !is_pair(s->in->type))
		o.half = 1;
	return o;
}

/* The mnemonic with its modifiers in the order that the assembler expects. */
static const char *name_of(struct sel *s, const char *base)
{
	uint32_t m = s->in->mods;
	return sel_text(s, "%s%s%s%s%s%s%s%s", base, is_brain(s->in->type) ? ".BF16_V2" : "",
			m & M_OOB ? ".OOB" : "", m & M_FTZ && !is_brain(s->in->type) ? ".FTZ" : "",
			m & M_NAN ? ".NAN" : "", m & M_RELU ? ".RELU" : "", m & M_SAT ? ".SAT" : "",
			m & M_XORSIGN ? ".XORSIGN" : "");
}

/* Adds -0, which keeps x, including the sign of a zero. */
static void change_sign(struct sel *s, struct mo d)
{
	struct mo a = half_source(s, 0);
	a.abs = s->in->op == OP_ABS;
	a.neg = s->in->op == OP_NEG;
	if (is_brain(s->in->type))
		OP(s, "HFMA2.BF16_V2", 1, d, mo_neg(ZERO), ZERO, a);
	else
		OP(s, name_of(s, "HADD2"), 1, d, a, mo_neg(ZERO));
}

/* Functions of the special unit, which computes one half at a time. */
static void select_function(struct sel *s, struct mo d)
{
	struct mo a = sm90_reg(s, 0, 0);
	const char *name = sel_text(s, "MUFU.%s.%s", s->in->op == OP_EX2 ? "EX2" : "TANH",
				    is_brain(s->in->type) ? "BF16" : "F16");
	if (!is_pair(s->in->type)) {
		OP(s, name, 1, d, a);
		return;
	}
	struct mo part[2];
	for (unsigned i = 0; i < 2; i++) {
		struct mo from = a;
		if (i && a.kind == MO_REG) {
			from = mo_reg(sel_temp(s, 1));
			OP(s, "SHF.R.U32.HI", 1, from, ZERO, mo_imm(16), a);
		}
		part[i] = mo_reg(sel_temp(s, 1));
		OP(s, name, 1, part[i], from);
	}
	OP(s, "PRMT", 1, d, part[0], mo_imm(0x5410), part[1]);
}

void sm90_half(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo d = mo_reg(sel_dst(s, 0)), a, b;
	switch (in->op) {
	case OP_ABS:
	case OP_NEG: change_sign(s, d); return;
	case OP_EX2:
	case OP_TANH: select_function(s, d); return;
	default: break;
	}
	if ((in->op == OP_MIN || in->op == OP_MAX) && in->ns != 2) {
		sel_refuse(s, "");
		return;
	}
	a = half_source(s, 0);
	b = half_source(s, 1);
	switch (in->op) {
	case OP_ADD: OP(s, name_of(s, "HADD2"), 1, d, a, b); break;
	case OP_SUB: OP(s, name_of(s, "HADD2"), 1, d, a, mo_neg(b)); break;
	case OP_MUL: OP(s, name_of(s, "HMUL2"), 1, d, a, b); break;
	case OP_MAD:
	case OP_FMA: OP(s, name_of(s, "HFMA2"), 1, d, a, b, half_source(s, 2)); break;
	default:
		if (in->mods & M_XORSIGN)
			a.abs = b.abs = true;
		OP(s, name_of(s, "HMNMX2"), 1, d, a, b, in->op == OP_MIN ? PT : PF);
		break;
	}
}
