/* Integers of up to 32 bits on sm_20. */
#include <string.h>
#include "back/select/operations.h"

static bool narrow_word(unsigned type) { return type_bits(type) < 32; }

static struct mo a_of(struct sel *s, unsigned i) { return sel_ext(s, i, s->in->type); }

/* d = a + b or a - b, with the carries that the instruction reads and writes. */
void fermi_add(struct sel *s)
{
	bool sub = sel_subtracts(s);
	const struct inst *in = s->in;
	bool carry = in->op == OP_ADDC || in->op == OP_SUBC;
	const char *name = in->mods & M_SAT ? "IADD.SAT" : carry ? "IADD.X" : "IADD";
	struct mo d = mo_reg(sel_dst(s, 0)), a = sel_src(s, 0, 0), b = sel_src(s, 1, 0);
	if (!sub && a.kind != MO_REG && b.kind == MO_REG) {
		struct mo t = a;
		a = b;
		b = t;
	}
	if (sub && a.kind == MO_IMM && b.kind == MO_REG) { /* imm - b */
		OP(s, name, 1, d, mo_neg(b), a)->cc = in->mods & M_CC;
		return;
	}
	a = sel_force(s, a);
	if (sub && b.kind == MO_IMM)
		b = b.imm == -0x80000 || carry || in->mods & M_CC ? sel_force(s, b)
								  : mo_imm(-b.imm);
	else if (sub)
		b = mo_neg(b);
	if (sub && b.kind == MO_REG && !b.neg)
		b = mo_neg(b);
	OP(s, name, 1, d, a, b)->cc = in->mods & M_CC;
}

void fermi_mul(struct sel *s)
{
	const struct inst *in = s->in;
	bool sg = type_is_signed(in->type);
	struct mo d = mo_reg(sel_dst(s, 0));
	if (in->mode == MUL_WIDE && narrow_word(in->type)) {
		struct mo a = sel_force(s, a_of(s, 0));
		OP(s, "IMUL", 1, d, a, a_of(s, 1));
	} else if (in->mode == MUL_WIDE) {
		uint32_t v = sel_dst(s, 0), t = sel_temp(s, 2);
		struct mo a = sel_reg(s, 0, 0), b = sel_src(s, 1, 0);
		OP(s, sg ? "IMUL" : "IMUL.U32.U32", 1, mo_word(t, 0), a, b)->fresh = true;
		OP(s, sg ? "IMUL.HI" : "IMUL.U32.U32.HI", 1, mo_word(t, 1), a, b);
		sel_move(s, v, t);
	} else if (in->mode == MUL_HI && narrow_word(in->type)) {
		uint32_t t = sel_temp(s, 1);
		struct mo a = sel_force(s, a_of(s, 0));
		OP(s, "IMUL", 1, mo_reg(t), a, a_of(s, 1));
		OP(s, sg ? "SHR" : "SHR.U32", 1, d, mo_reg(t), mo_imm(16));
	} else if (in->mode == MUL_HI) {
		struct mo a = sel_reg(s, 0, 0);
		OP(s, sg ? "IMUL.HI" : "IMUL.U32.U32.HI", 1, d, a, sel_src(s, 1, 0));
	} else {
		struct mo a = sel_reg(s, 0, 0);
		OP(s, "IMUL", 1, d, a, sel_src(s, 1, 0));
	}
}

void fermi_mad(struct sel *s)
{
	const struct inst *in = s->in;
	bool sg = type_is_signed(in->type), x = in->op == OP_MADC;
	struct mo d = mo_reg(sel_dst(s, 0));
	if (in->mods & M_SAT) {
		sel_refuse(s, "");
		return;
	}
	if (in->mode == MUL_WIDE) {
		uint32_t t = sel_temp(s, 2), u = sel_temp(s, 2);
		struct mo a = sel_force(s, a_of(s, 0)), b = a_of(s, 1);
		if (narrow_word(in->type)) {
			OP(s, "IMAD", 1, d, a, b, sel_reg(s, 2, 0));
			return;
		}
		OP(s, sg ? "IMUL" : "IMUL.U32.U32", 1, mo_word(t, 0), a, b)->fresh = true;
		OP(s, sg ? "IMUL.HI" : "IMUL.U32.U32.HI", 1, mo_word(t, 1), a, b);
		sel_add64(s, u, mo_word(t, 0), mo_word(t, 1), sel_src(s, 2, 0), sel_src(s, 2, 1),
			  false);
		sel_move(s, sel_dst(s, 0), u);
		return;
	}
	if (narrow_word(in->type) && in->mode == MUL_HI) {
		uint32_t t = sel_temp(s, 1);
		struct mo a = sel_force(s, a_of(s, 0));
		OP(s, "IMUL", 1, mo_reg(t), a, a_of(s, 1));
		OP(s, sg ? "SHR" : "SHR.U32", 1, mo_reg(t), mo_reg(t), mo_imm(16));
		OP(s, "IADD", 1, d, mo_reg(t), sel_src(s, 2, 0));
		return;
	}
	bool hi = in->mode == MUL_HI;
	struct mo a = sel_reg(s, 0, 0), b = sel_src(s, 1, 0), c = sel_reg(s, 2, 0);
	const char *name = hi  ? (sg ? (x ? "IMAD.HI.X" : "IMAD.HI")
				     : (x ? "IMAD.U32.U32.HI.X" : "IMAD.U32.U32.HI"))
			   : x ? "IMAD.U32.U32.X"
			       : (in->mods & M_CC ? "IMAD.U32.U32" : "IMAD");
	if (in->mods & M_CC || x)
		b = sel_force(s, b);
	OP(s, name, 1, d, a, b, c)->cc = in->mods & M_CC;
}

static struct mo low_24_bits(struct sel *s, unsigned i)
{
	uint32_t t = sel_temp(s, 1);
	struct mo a = sel_reg(s, i, 0);
	OP(s, type_is_signed(s->in->type) ? "BFE" : "BFE.U32", 1, mo_reg(t), a, mo_imm(0x1800));
	return mo_reg(t);
}

void fermi_mul24(struct sel *s)
{
	const struct inst *in = s->in;
	bool sg = type_is_signed(in->type), mad = in->op == OP_MAD24;
	uint32_t t = sel_temp(s, 1), h = sel_temp(s, 1);
	struct mo a = low_24_bits(s, 0), b = low_24_bits(s, 1), d = mo_reg(sel_dst(s, 0));
	if (in->mods & M_SAT) {
		sel_refuse(s, "");
		return;
	}
	OP(s, "IMUL", 1, mo_reg(t), a, b);
	if (in->mode == MUL_HI) { /* bits 47 to 16 */
		OP(s, sg ? "IMUL.HI" : "IMUL.U32.U32.HI", 1, mo_reg(h), a, b);
		OP(s, "SHR.U32", 1, mo_reg(t), mo_reg(t), mo_imm(16));
		OP(s, "ISCADD", 1, mo_reg(t), mo_reg(h), mo_reg(t), mo_imm(16));
	}
	if (mad)
		OP(s, "IADD", 1, d, mo_reg(t), sel_src(s, 2, 0));
	else
		OP(s, "MOV", 1, d, mo_reg(t));
}

void fermi_minmax(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo a = sel_force(s, a_of(s, 0)),
		  p = in->op == OP_MIN ? mo_pred(V_TRUE) : mo_not(V_TRUE);
	const char *name = type_is_signed(in->type) ? "IMNMX" : "IMNMX.U32";
	if (in->mods & M_RELU) { /* and at least 0 */
		uint32_t t = sel_temp(s, 1);
		OP(s, name, 1, mo_reg(t), a, a_of(s, 1), p);
		OP(s, name, 1, mo_reg(sel_dst(s, 0)), mo_reg(t), mo_zero(), mo_not(V_TRUE));
		return;
	}
	OP(s, name, 1, mo_reg(sel_dst(s, 0)), a, a_of(s, 1), p);
}

void fermi_shift(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo d = mo_reg(sel_dst(s, 0));
	bool left = in->op == OP_SHL;
	struct mo a = sel_force(s, left ? sel_src(s, 0, 0) : a_of(s, 0)), b = sel_src(s, 1, 0);
	int64_t n;
	if (sel_is_imm(s, 1, &n))
		b = (uint64_t)n & 0xffffffe0u ? mo_imm(32) : n ? mo_imm(n) : mo_zero();
	OP(s, left ? "SHL" : type_is_signed(in->type) ? "SHR" : "SHR.U32", 1, d, a, b);
}

/* Funnel shift. n = c mod 32, or at most 32. */
void fermi_funnel(struct sel *s)
{
	const struct inst *in = s->in;
	bool left = in->mode == SHF_L_CLAMP || in->mode == SHF_L_WRAP,
	     wrap = in->mode == SHF_L_WRAP || in->mode == SHF_R_WRAP;
	uint32_t n = sel_temp(s, 1), m = sel_temp(s, 1), x = sel_temp(s, 1), y = sel_temp(s, 1);
	struct mo lo = sel_reg(s, 0, 0), hi = sel_reg(s, 1, 0), c = sel_reg(s, 2, 0);
	if (wrap)
		OP(s, "LOP.AND", 1, mo_reg(n), c, mo_imm(31));
	else
		OP(s, "IMNMX.U32", 1, mo_reg(n), c, mo_imm(32), mo_pred(V_TRUE));
	OP(s, "IADD", 1, mo_reg(m), mo_neg(mo_reg(n)), mo_imm(32));
	OP(s, "SHL", 1, mo_reg(x), hi, mo_reg(left ? n : m));
	OP(s, "SHR.U32", 1, mo_reg(y), lo, mo_reg(left ? m : n));
	OP(s, "LOP.OR", 1, mo_reg(sel_dst(s, 0)), mo_reg(x), mo_reg(y));
}

/* Combines position and length of a bit field in one operand. */
static struct mo field_operand(struct sel *s, unsigned pos, unsigned len)
{
	int64_t p, l;
	bool ip = sel_is_imm(s, pos, &p), il = sel_is_imm(s, len, &l);
	if (ip && il)
		return sel_word(s, (uint32_t)((p & 255) | (l & 255) << 8));
	uint32_t t = sel_temp(s, 1);
	struct mo a = sel_reg(s, pos, 0), b = sel_reg(s, len, 0);
	OP(s, "BFI", 1, mo_reg(t), b, mo_imm(0x808), a);
	return mo_reg(t);
}

void fermi_popc(struct sel *s)
{
	struct mo a = sel_reg(s, 0, 0);
	OP(s, "POPC", 1, mo_reg(sel_dst(s, 0)), a, a);
}

void fermi_clz(struct sel *s)
{
	uint32_t d = sel_dst(s, 0), t = sel_temp(s, 1);
	OP(s, "FLO.U32", 1, mo_reg(t), sel_reg(s, 0, 0));
	OP(s, "IADD", 1, mo_reg(d), mo_neg(mo_reg(t)), mo_imm(31));
}

void fermi_bfind(struct sel *s)
{
	bool sg = type_is_signed(s->in->type), amount = s->in->mods & M_SHIFTAMT;
	const char *name = amount ? (sg ? "FLO.SH" : "FLO.U32.SH") : (sg ? "FLO" : "FLO.U32");
	uint32_t d = sel_dst(s, 0);
	OP(s, name, 1, mo_reg(d), sel_reg(s, 0, 0));
}

void fermi_brev(struct sel *s)
{
	uint32_t d = sel_dst(s, 0);
	OP(s, "BFE.U32.BREV", 1, mo_reg(d), sel_reg(s, 0, 0), mo_imm(0x2000));
}

void fermi_bfe(struct sel *s)
{
	uint32_t d = sel_dst(s, 0);
	struct mo a = sel_reg(s, 0, 0);
	OP(s, type_is_signed(s->in->type) ? "BFE" : "BFE.U32", 1, mo_reg(d), a,
	   field_operand(s, 1, 2));
}

void fermi_bfi(struct sel *s)
{
	uint32_t d = sel_dst(s, 0);
	struct mo a = sel_reg(s, 0, 0), into = sel_reg(s, 1, 0);
	OP(s, "BFI", 1, mo_reg(d), a, field_operand(s, 2, 3), into);
}

void fermi_prmt(struct sel *s)
{
	static const char *const n[] = {"PRMT",     "PRMT.F4E", "PRMT.B4E", "PRMT.RC8",
					"PRMT.ECL", "PRMT.ECR", "PRMT.RC16"};
	uint32_t d = sel_dst(s, 0);
	struct mo a = sel_reg(s, 0, 0), b = sel_reg(s, 1, 0);
	OP(s, n[s->in->mode % 7], 1, mo_reg(d), a, sel_src(s, 2, 0), b);
}

/* Compares two integers into predicate p; without a predicate, into a word that is 0 or all
 * ones. */
static void compare_integers(struct sel *s, struct mo p, struct mo q, struct mo with)
{
	const struct inst *in = s->in;
	static const char *const bop[] = {"AND", "AND", "OR", "XOR"};
	unsigned t = in->stype;
	bool sg = type_is_signed(t) && in->cmp != CMP_LO && in->cmp != CMP_LS &&
		  in->cmp != CMP_HI && in->cmp != CMP_HS;
	unsigned ext = type_bits(t) < 32 ? t : T_U32;
	struct mo a = sel_force(s, sel_ext(s, 0, ext)), b = sel_ext(s, 1, ext);
	const char *how = sel_text(s, "%s.%s%s.%s", p.kind == MO_PRED ? "ISETP" : "ISET",
				   sel_cmp(s, in->cmp, false), sg ? "" : ".U32", bop[in->bop & 3]);
	if (p.kind == MO_PRED)
		OP(s, how, 2, p, q, a, b, with);
	else
		OP(s, how, 1, p, a, b, with);
}

void fermi_set(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo with = in->bop != BOP_NONE ? sel_predicate(s, 2) : mo_pred(V_TRUE);
	if (in->op == OP_SETP) {
		struct mo q = in->nd > 1 ? mo_pred(sel_dst(s, 1)) : mo_pred(V_TRUE);
		compare_integers(s, mo_pred(sel_dst(s, 0)), q, with);
		return;
	}
	if (sel_truth(in->type) == UINT32_MAX) {
		compare_integers(s, mo_reg(sel_dst(s, 0)), mo_zero(), with);
		return;
	}
	uint32_t p = sel_temp(s, 0);
	compare_integers(s, mo_pred(p), mo_pred(V_TRUE), with);
	struct mo one = sel_word(s, sel_truth(in->type));
	OP(s, "SEL", 1, mo_reg(sel_dst(s, 0)), mo_zero(), one, mo_not(p));
}

void fermi_abs(struct sel *s)
{
	struct mo d = mo_reg(sel_dst(s, 0)), a = sel_force(s, a_of(s, 0));
	a.abs = true;
	OP(s, "I2I.S32.S32", 1, d, a);
}

void fermi_neg(struct sel *s)
{
	struct mo d = mo_reg(sel_dst(s, 0));
	OP(s, "IADD", 1, d, mo_zero(), mo_neg(sel_reg(s, 0, 0)));
}

void fermi_sad(struct sel *s)
{
	struct mo d = mo_reg(sel_dst(s, 0)), a = sel_force(s, a_of(s, 0)),
		  b = sel_force(s, a_of(s, 1));
	OP(s, type_is_signed(s->in->type) ? "ISAD" : "ISAD.U32", 1, d, a, b, sel_reg(s, 2, 0));
}

void fermi_cnot(struct sel *s)
{
	struct mo d = mo_reg(sel_dst(s, 0));
	uint32_t p = sel_temp(s, 0);
	struct mo a = sel_force(s, sel_ext(s, 0, type_bits(s->in->type) < 32 ? T_U16 : T_U32));
	OP(s, "ISETP.EQ.AND", 2, mo_pred(p), mo_pred(V_TRUE), a, mo_zero(), mo_pred(V_TRUE));
	OP(s, "SEL", 1, d, mo_zero(), mo_imm(1), mo_not(p));
}
