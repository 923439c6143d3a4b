/* Single and double precision on sm_20. */
#include <string.h>
#include "back/select/operations.h"

static const char *rounding_name(const struct inst *in)
{
	return in->rnd == RND_RM   ? ".RM"
	       : in->rnd == RND_RP ? ".RP"
	       : in->rnd == RND_RZ ? ".RZ"
				   : "";
}

static const char *ftz_name(const struct inst *in) { return in->mods & M_FTZ ? ".FTZ" : ""; }
static const char *sat_name(const struct inst *in) { return in->mods & M_SAT ? ".SAT" : ""; }

/* Two operands, an immediate as the second. */
static void two_f32(struct sel *s, struct mo *a, struct mo *b)
{
	*a = sel_float(s, 0);
	*b = sel_float(s, 1);
	if (a->kind == MO_IMM && b->kind == MO_REG) {
		struct mo t = *a;
		*a = *b;
		*b = t;
	}
	if (a->kind == MO_IMM)
		*a = sel_force(s, sel_src(s, 0, 0));
}

/* True for a double that is given by its upper 20 bits and is no NaN: two such operands can be
 * ordered. */
static bool is_number_f64(const struct sel *s, unsigned i)
{
	const struct opnd *o = inst_src(s->in, i);
	uint64_t w = (uint64_t)o->imm;
	return o->kind == OPND_IMM && w && !(w << 20) && w << 1 <= 0xffe0000000000000ull;
}

static struct mo number_f64(struct sel *s, unsigned i)
{
	if (!is_number_f64(s, i))
		return sel_double(s, i);
	return mo_imm((int64_t)((uint64_t)inst_src(s->in, i)->imm >> 44));
}

/* Two operands, a number as the second. */
static void two_f64(struct sel *s, struct mo *a, struct mo *b)
{
	bool turn = is_number_f64(s, 0) && inst_src(s->in, 1)->kind != OPND_IMM;
	*a = sel_double(s, turn);
	*b = number_f64(s, !turn);
}

void fermi_single(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo d = mo_reg(sel_dst(s, 0)), a, b, c;
	switch (in->op) {
	case OP_ADD:
		two_f32(s, &a, &b);
		OP(s, sel_text(s, "FADD%s%s%s", ftz_name(in), rounding_name(in), sat_name(in)), 1,
		   d, a, b);
		break;
	case OP_SUB:
		a = sel_reg(s, 0, 0);
		b = sel_reg(s, 1, 0);
		OP(s, sel_text(s, "FADD%s%s%s", ftz_name(in), rounding_name(in), sat_name(in)), 1,
		   d, a, mo_neg(b));
		break;
	case OP_MUL:
		two_f32(s, &a, &b);
		OP(s, sel_text(s, "FMUL%s%s%s", ftz_name(in), rounding_name(in), sat_name(in)), 1,
		   d, a, b);
		break;
	case OP_MAD:
		if (in->rnd == RND_NONE && s->f->module->target < 20) {
			sel_refuse(s, "its product is truncated, as on sm_1x");
			return;
		} /* fall through */
	case OP_FMA:
		two_f32(s, &a, &b);
		c = sel_reg(s, 2, 0);
		OP(s, sel_text(s, "FFMA%s%s%s", ftz_name(in), rounding_name(in), sat_name(in)), 1,
		   d, a, b, c);
		break;
	case OP_MIN:
	case OP_MAX:
		if (in->mods & (M_NAN | M_XORSIGN | M_RELU) || in->ns != 2) {
			sel_refuse(s, "");
			return;
		}
		two_f32(s, &a, &b);
		OP(s, sel_text(s, "FMNMX%s", ftz_name(in)), 1, d, a, b,
		   in->op == OP_MIN ? mo_pred(V_TRUE) : mo_not(V_TRUE));
		break;
	case OP_ABS:
	case OP_NEG:
		a = sel_reg(s, 0, 0);
		a.abs = in->op == OP_ABS;
		a.neg = in->op == OP_NEG;
		OP(s, sel_text(s, "F2F%s.F32.F32", ftz_name(in)), 1, d, a);
		break;
	}
}

void fermi_double(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo d = mo_wide(sel_dst(s, 0)), a, b;
	switch (in->op) {
	case OP_ADD:
		two_f64(s, &a, &b);
		OP(s, sel_text(s, "DADD%s", rounding_name(in)), 1, d, a, b);
		break;
	case OP_SUB:
		a = sel_double(s, 0);
		b = sel_double(s, 1);
		OP(s, sel_text(s, "DADD%s", rounding_name(in)), 1, d, a, mo_neg(b));
		break;
	case OP_MUL:
		two_f64(s, &a, &b);
		OP(s, sel_text(s, "DMUL%s", rounding_name(in)), 1, d, a, b);
		break;
	case OP_MAD:
	case OP_FMA:
		two_f64(s, &a, &b);
		OP(s, sel_text(s, "DFMA%s", rounding_name(in)), 1, d, a, b, sel_double(s, 2));
		break;
	case OP_MIN:
	case OP_MAX:
		a = sel_double(s, 0);
		b = sel_double(s, 1);
		OP(s, "DMNMX", 1, d, a, b, in->op == OP_MIN ? mo_pred(V_TRUE) : mo_not(V_TRUE));
		break;
	case OP_ABS:
	case OP_NEG:
		a = sel_double(s, 0);
		a.abs = in->op == OP_ABS;
		a.neg = in->op == OP_NEG;
		OP(s, "F2F.F64.F64", 1, d, a);
		break;
	}
}

void fermi_set_float(struct sel *s)
{
	static const char *const bop[] = {"AND", "AND", "OR", "XOR"};
	const struct inst *in = s->in;
	bool wide = in->stype == T_F64, to_pred = in->op == OP_SETP;
	struct mo with = in->bop != BOP_NONE ? sel_predicate(s, 2) : mo_pred(V_TRUE), a, b;
	uint32_t t = to_pred ? V_NONE : sel_temp(s, 0);
	struct mo p = to_pred ? mo_pred(sel_dst(s, 0)) : mo_pred(t),
		  q = to_pred && in->nd > 1 ? mo_pred(sel_dst(s, 1)) : mo_pred(V_TRUE);
	if (wide) {
		a = sel_double(s, 0);
		b = number_f64(s, 1);
	} else {
		a = sel_reg(s, 0, 0);
		b = sel_float(s, 1);
	}
	OP(s,
	   wide ? sel_text(s, "DSETP.%s.%s", sel_cmp(s, in->cmp, true), bop[in->bop & 3])
		: sel_text(s, "FSETP.%s%s.%s", sel_cmp(s, in->cmp, true), ftz_name(in),
			   bop[in->bop & 3]),
	   2, p, q, a, b, with);
	if (to_pred)
		return;
	struct mo one = sel_word(s, sel_truth(in->type));
	OP(s, "SEL", 1, mo_reg(sel_dst(s, 0)), mo_zero(), one, mo_not(t));
}

/* The functions of the special unit flush subnormals. For an instruction that does not, arguments
 * that are too small and their results are scaled by powers of two. */
void fermi_function(struct sel *s)
{
	const struct inst *in = s->in;
	bool flush = in->mods & M_FTZ;
	struct mo d = mo_reg(sel_dst(s, 0)), a = sel_reg(s, 0, 0);
	uint32_t t = sel_temp(s, 1), p = sel_temp(s, 0), x = sel_temp(s, 1), abs = sel_temp(s, 1);
	const char *fn = in->op == OP_RCP     ? "MUFU.RCP"
			 : in->op == OP_RSQRT ? "MUFU.RSQ"
			 : in->op == OP_LG2   ? "MUFU.LG2"
			 : in->op == OP_EX2   ? "MUFU.EX2"
			 : in->op == OP_SIN   ? "MUFU.SIN"
					      : "MUFU.COS";
	if (in->op == OP_SIN || in->op == OP_COS || in->op == OP_EX2) {
		OP(s, in->op == OP_EX2 ? "RRO.EX2" : "RRO.SINCOS", 1, mo_reg(t), a);
		if (in->op != OP_EX2 || flush) {
			OP(s, fn, 1, d, mo_reg(t));
			return;
		}
		/* 2^x below 2^-126 is the square of 2^(x/2) */
		OP(s, "FSETP.LT.AND", 2, mo_pred(p), mo_pred(V_TRUE), a, mo_imm(0xc2fc0),
		   mo_pred(V_TRUE));
		OP(s, "FMUL", 1, mo_reg(x), a, mo_imm(0x3f000));
		OP(s, "SEL", 1, mo_reg(x), mo_reg(x), a, mo_pred(p));
		OP(s, "RRO.EX2", 1, mo_reg(t), mo_reg(x));
		OP(s, fn, 1, mo_reg(t), mo_reg(t));
		OP(s, "FMUL", 1, mo_reg(x), mo_reg(t), mo_reg(t));
		OP(s, "SEL", 1, d, mo_reg(x), mo_reg(t), mo_pred(p));
		return;
	}
	if (flush) {
		OP(s, fn, 1, d, a);
		return;
	}
	/* below 2^-126: multiplied by 2^24 */
	a.abs = true;
	OP(s, "FSETP.LT.AND", 2, mo_pred(p), mo_pred(V_TRUE), a, mo_imm(0x00800), mo_pred(V_TRUE));
	a.abs = false;
	OP(s, "FMUL", 1, mo_reg(x), a, mo_imm(0x4b800));
	OP(s, "SEL", 1, mo_reg(x), mo_reg(x), a, mo_pred(p));
	uint32_t big = V_NONE;
	if (in->op == OP_RCP) { /* above 2^126 the result is too small: both are divided by four */
		big = sel_temp(s, 0);
		OP(s, "FMUL", 1, mo_reg(abs), a, mo_imm(0x3e800));
		a.abs = true;
		OP(s, "FSETP.GT.AND", 2, mo_pred(big), mo_pred(V_TRUE), a, mo_imm(0x7e800),
		   mo_pred(V_TRUE));
		OP(s, "SEL", 1, mo_reg(x), mo_reg(abs), mo_reg(x), mo_pred(big));
	}
	OP(s, fn, 1, mo_reg(t), mo_reg(x));
	if (in->op == OP_RCP) {
		OP(s, "FMUL", 1, mo_reg(abs), mo_reg(t), mo_imm(0x3e800));
		OP(s, "SEL", 1, mo_reg(abs), mo_reg(abs), mo_reg(t), mo_pred(big));
		OP(s, "FMUL", 1, mo_reg(x), mo_reg(t), mo_imm(0x4b800));
		OP(s, "SEL", 1, d, mo_reg(x), mo_reg(abs), mo_pred(p));
	} else if (in->op == OP_RSQRT) {
		OP(s, "FMUL", 1, mo_reg(x), mo_reg(t), mo_imm(0x45800));
		OP(s, "SEL", 1, d, mo_reg(x), mo_reg(t), mo_pred(p));
	} else { /* LG2 */
		OP(s, "FADD", 1, mo_reg(x), mo_reg(t), mo_imm(0xc1c00));
		OP(s, "SEL", 1, d, mo_reg(x), mo_reg(t), mo_pred(p));
	}
}

/* The approximate reciprocals of doubles, computed from the upper word. */
static void select_special64(struct sel *s)
{
	uint32_t d = sel_dst(s, 0), t = sel_temp(s, 2);
	struct mo hi = sel_reg(s, 0, 1);
	OP(s, "MOV", 1, mo_word(t, 0), mo_zero())->fresh = true;
	OP(s, s->in->op == OP_RCP ? "MUFU.RCP64H" : "MUFU.RSQ64H", 1, mo_word(t, 1), hi);
	sel_move(s, d, t);
}

void fermi_copysign(struct sel *s)
{
	unsigned n = s->in->type == T_F64 ? 2 : 1;
	uint32_t t = sel_temp(s, n);
	if (n == 2)
		OP(s, "MOV", 1, mo_word(t, 0), sel_src(s, 1, 0))->fresh = true;
	struct mo mag = sel_reg(s, 1, n - 1), sign = sel_reg(s, 0, n - 1);
	OP(s, "BFI", 1, mo_word(t, n - 1), mag, mo_imm(0x1f00), sign);
	sel_move(s, sel_dst(s, 0), t);
}

void fermi_testp(struct sel *s)
{
	const struct inst *in = s->in;
	static const uint8_t wants[] = {[TESTP_FINITE] = 1,
					[TESTP_INFINITE] = 2,
					[TESTP_NUMBER] = 3,
					[TESTP_NOTANUMBER] = 4};
	struct mo p = mo_pred(sel_dst(s, 0)), pt = mo_pred(V_TRUE);
	if (in->stype != T_F32 || in->mode > TESTP_NOTANUMBER) {
		sel_refuse(s, "");
		return;
	}
	struct mo a = sel_reg(s, 0, 0), m = a;
	m.abs = true;
	switch (wants[in->mode]) {
	case 1: OP(s, "FSETP.LT.AND", 2, p, pt, m, mo_imm(0x7f800), pt); break;
	case 2: OP(s, "FSETP.EQ.AND", 2, p, pt, m, mo_imm(0x7f800), pt); break;
	case 3: OP(s, "FSETP.NUM.AND", 2, p, pt, a, a, pt); break;
	default: OP(s, "FSETP.NAN.AND", 2, p, pt, a, a, pt); break;
	}
}

void fermi_reciprocal(struct sel *s)
{
	if (s->in->mods & M_APPROX)
		(s->in->type == T_F64 ? select_special64 : fermi_function)(s);
	else
		sel_refuse(s, "");
}
