/* Integers of 64 bits on sm_20, as pairs of words. A result is computed in a separate pair, since a
 * source may be the destination. */
#include "back/select/operations.h"

void sel_add64(struct sel *s, uint32_t d, struct mo alo, struct mo ahi, struct mo blo,
	       struct mo bhi, bool sub)
{
	bool cc = s->in->mods & M_CC,
	     x = s->in->op == OP_ADDC || s->in->op == OP_SUBC || s->in->op == OP_MADC;
	alo = sel_force(s, alo);
	ahi = sel_force(s, ahi);
	if (sub) {
		blo = mo_neg(sel_force(s, blo));
		bhi = mo_neg(sel_force(s, bhi));
	}
	struct mi *in = OP(s, x ? "IADD.X" : "IADD", 1, mo_word(d, 0), alo, blo);
	in->cc = in->fresh = true;
	OP(s, "IADD.X", 1, mo_word(d, 1), ahi, bhi)->cc = cc;
}

struct mo fermi_global(struct sel *s, const struct var *v, int64_t offset, unsigned word)
{
	uint32_t t = sel_temp(s, 2), n = t;
	OP(s, "MOV32I", 1, mo_word(t, 0), mo_text(sel_text(s, "32@lo(%s)", v->name)))->fresh = true;
	OP(s, "MOV32I", 1, mo_word(t, 1), mo_text(sel_text(s, "32@hi(%s)", v->name)));
	if (offset) {
		n = sel_temp(s, 2);
		sel_add64(s, n, mo_word(t, 0), mo_word(t, 1), sel_word(s, (uint32_t)offset),
			  sel_word(s, (uint32_t)((uint64_t)offset >> 32)), false);
	}
	return mo_word(n, word);
}

void fermi_add_wide(struct sel *s)
{
	bool sub = sel_subtracts(s);
	uint32_t t = sel_temp(s, 2);
	sel_add64(s, t, sel_src(s, 0, 0), sel_src(s, 0, 1), sel_src(s, 1, 0), sel_src(s, 1, 1),
		  sub);
	sel_move(s, sel_dst(s, 0), t);
}

static void mul_lo(struct sel *s, uint32_t t)
{
	struct mo alo = sel_reg(s, 0, 0), ahi = sel_reg(s, 0, 1), blo = sel_reg(s, 1, 0),
		  bhi = sel_reg(s, 1, 1);
	uint32_t h = sel_temp(s, 1);
	OP(s, "IMUL.U32.U32", 1, mo_word(t, 0), alo, blo)->fresh = true;
	OP(s, "IMUL.U32.U32.HI", 1, mo_reg(h), alo, blo);
	OP(s, "IMAD", 1, mo_reg(h), alo, bhi, mo_reg(h));
	OP(s, "IMAD", 1, mo_word(t, 1), ahi, blo, mo_reg(h));
}

/* The upper 64 bits of the product: partial products with carries; if a factor is signed and
 * negative, the other factor is subtracted. */
static void mul_hi(struct sel *s, uint32_t t)
{
	struct mo a[2] = {sel_reg(s, 0, 0), sel_reg(s, 0, 1)},
		  b[2] = {sel_reg(s, 1, 0), sel_reg(s, 1, 1)};
	uint32_t m = sel_temp(s, 1), n = sel_temp(s, 1), c = sel_temp(s, 1), k = sel_temp(s, 1);
	OP(s, "IMUL.U32.U32.HI", 1, mo_reg(m), a[0], b[0]);
	OP(s, "IMUL.U32.U32", 1, mo_reg(k), a[0], b[1]);
	OP(s, "IADD", 1, mo_reg(m), mo_reg(m), mo_reg(k))->cc = true;
	OP(s, "IADD.X", 1, mo_reg(c), mo_zero(), mo_zero());
	OP(s, "IMUL.U32.U32", 1, mo_reg(k), a[1], b[0]);
	OP(s, "IADD", 1, mo_reg(m), mo_reg(m), mo_reg(k))->cc = true;
	OP(s, "IADD.X", 1, mo_reg(c), mo_reg(c), mo_zero());
	OP(s, "IMUL.U32.U32", 1, mo_reg(n), a[1], b[1]);
	OP(s, "IMUL.U32.U32.HI", 1, mo_word(t, 1), a[1], b[1])->fresh = true;
	OP(s, "IADD", 1, mo_reg(n), mo_reg(n), mo_reg(c))->cc = true;
	OP(s, "IADD.X", 1, mo_word(t, 1), mo_word(t, 1), mo_zero());
	for (unsigned i = 0; i < 2; i++) {
		OP(s, "IMUL.U32.U32.HI", 1, mo_reg(k), a[i], b[1 - i]);
		OP(s, "IADD", 1, mo_reg(n), mo_reg(n), mo_reg(k))->cc = true;
		OP(s, "IADD.X", 1, mo_word(t, 1), mo_word(t, 1), mo_zero());
	}
	OP(s, "MOV", 1, mo_word(t, 0), mo_reg(n));
	for (unsigned i = 0; i < 2 && type_is_signed(s->in->type); i++) {
		const struct mo *x = i ? a : b, *y = i ? b : a;
		uint32_t sign = sel_temp(s, 1), lo = sel_temp(s, 1), hi = sel_temp(s, 1);
		OP(s, "SHR", 1, mo_reg(sign), x[1], mo_imm(31));
		OP(s, "LOP.AND", 1, mo_reg(lo), y[0], mo_reg(sign));
		OP(s, "LOP.AND", 1, mo_reg(hi), y[1], mo_reg(sign));
		OP(s, "IADD", 1, mo_word(t, 0), mo_word(t, 0), mo_neg(mo_reg(lo)))->cc = true;
		OP(s, "IADD.X", 1, mo_word(t, 1), mo_word(t, 1), mo_neg(mo_reg(hi)));
	}
}

void fermi_mul_wide(struct sel *s)
{
	uint32_t t = sel_temp(s, 2), u = t, carry = sel_temp(s, 1);
	bool x = s->in->op == OP_MADC;
	if (x) /* the product itself uses carries */
		OP(s, "IADD.X", 1, mo_reg(carry), mo_zero(), mo_zero());
	if (s->in->mode == MUL_HI)
		mul_hi(s, t);
	else
		mul_lo(s, t);
	if (s->in->op == OP_MAD || x) {
		u = sel_temp(s, 2);
		if (x)
			OP(s, "IADD", 1, mo_reg(sel_temp(s, 1)), mo_reg(carry), mo_imm(-1))->cc =
				true;
		sel_add64(s, u, mo_word(t, 0), mo_word(t, 1), sel_src(s, 2, 0), sel_src(s, 2, 1),
			  false);
	}
	sel_move(s, sel_dst(s, 0), u);
}

/* Shifts by a known number. */
static void shift_by(struct sel *s, uint32_t t, unsigned n)
{
	bool left = s->in->op == OP_SHL, sg = type_is_signed(s->in->type);
	struct mo lo = sel_reg(s, 0, 0), hi = sel_reg(s, 0, 1);
	uint32_t x = sel_temp(s, 1), y = sel_temp(s, 1);
	const char *right = sg ? "SHR" : "SHR.U32";
	if (n >= 64)
		n = 64;
	if (!n) {
		OP(s, "MOV", 1, mo_word(t, 0), lo)->fresh = true;
		OP(s, "MOV", 1, mo_word(t, 1), hi);
	} else if (left && n >= 32) {
		OP(s, "MOV", 1, mo_word(t, 0), mo_zero())->fresh = true;
		OP(s, "SHL", 1, mo_word(t, 1), lo, n == 32 ? mo_zero() : mo_imm(n - 32));
	} else if (left) {
		OP(s, "SHL", 1, mo_reg(x), hi, mo_imm(n));
		OP(s, "SHR.U32", 1, mo_reg(y), lo, mo_imm(32 - n));
		OP(s, "SHL", 1, mo_word(t, 0), lo, mo_imm(n))->fresh = true;
		OP(s, "LOP.OR", 1, mo_word(t, 1), mo_reg(x), mo_reg(y));
	} else if (n >= 32) {
		OP(s, right, 1, mo_word(t, 0), hi, n == 32 ? mo_zero() : mo_imm(n - 32))->fresh =
			true;
		if (sg)
			OP(s, "SHR", 1, mo_word(t, 1), hi, mo_imm(31));
		else
			OP(s, "MOV", 1, mo_word(t, 1), mo_zero());
	} else {
		OP(s, "SHR.U32", 1, mo_reg(x), lo, mo_imm(n));
		OP(s, "SHL", 1, mo_reg(y), hi, mo_imm(32 - n));
		OP(s, "LOP.OR", 1, mo_word(t, 0), mo_reg(x), mo_reg(y))->fresh = true;
		OP(s, right, 1, mo_word(t, 1), hi, mo_imm(n));
	}
}

/* Shifts by a number in a register. Shifts clamp, so that bits shifted too far are zero. */
static void shift_var(struct sel *s, uint32_t t)
{
	bool left = s->in->op == OP_SHL, sg = type_is_signed(s->in->type);
	struct mo lo = sel_reg(s, 0, 0), hi = sel_reg(s, 0, 1), n = sel_reg(s, 1, 0);
	uint32_t m = sel_temp(s, 1), k = sel_temp(s, 1), x = sel_temp(s, 1), y = sel_temp(s, 1),
		 z = sel_temp(s, 1), p;
	OP(s, "IADD", 1, mo_reg(m), mo_neg(n), mo_imm(32)); /* 32 - n */
	OP(s, "IADD", 1, mo_reg(k), n, mo_imm(-32));        /* n - 32 */
	if (left) {
		OP(s, "SHL", 1, mo_reg(x), hi, n);
		OP(s, "SHR.U32", 1, mo_reg(y), lo, mo_reg(m));
		OP(s, "SHL", 1, mo_reg(z), lo, mo_reg(k));
		OP(s, "LOP.OR", 1, mo_reg(x), mo_reg(x), mo_reg(y));
		OP(s, "SHL", 1, mo_word(t, 0), lo, n)->fresh = true;
		OP(s, "LOP.OR", 1, mo_word(t, 1), mo_reg(x), mo_reg(z));
		return;
	}
	OP(s, "SHR.U32", 1, mo_reg(x), lo, n);
	OP(s, "SHL", 1, mo_reg(y), hi, mo_reg(m));
	OP(s, "LOP.OR", 1, mo_reg(x), mo_reg(x), mo_reg(y));
	OP(s, sg ? "SHR" : "SHR.U32", 1, mo_reg(z), hi, mo_reg(k));
	if (sg) { /* below 32 the result would be the sign */
		p = sel_temp(s, 0);
		OP(s, "ISETP.LT.U32.AND", 2, mo_pred(p), mo_pred(V_TRUE), n, mo_imm(32),
		   mo_pred(V_TRUE));
		OP(s, "SEL", 1, mo_word(t, 0), mo_reg(x), mo_reg(z), mo_pred(p))->fresh = true;
	} else {
		OP(s, "LOP.OR", 1, mo_word(t, 0), mo_reg(x), mo_reg(z))->fresh = true;
	}
	OP(s, sg ? "SHR" : "SHR.U32", 1, mo_word(t, 1), hi, n);
}

void fermi_shift_wide(struct sel *s)
{
	uint32_t t = sel_temp(s, 2);
	int64_t n;
	if (sel_is_imm(s, 1, &n))
		shift_by(s, t, (uint64_t)(uint32_t)n > 64 ? 64 : (unsigned)n);
	else
		shift_var(s, t);
	sel_move(s, sel_dst(s, 0), t);
}

/* Compares 64-bit integers: the difference of the lower words leaves flags for the comparison of
 * the upper words. */
static void compare_wide(struct sel *s, unsigned cmp, bool sg, const char *bop, struct mo p,
			 struct mo q, struct mo with)
{
	struct mo alo = sel_reg(s, 0, 0), ahi = sel_reg(s, 0, 1), blo = sel_reg(s, 1, 0),
		  bhi = sel_reg(s, 1, 1);
	OP(s, "IADD", 1, mo_zero(), alo, mo_neg(blo))->cc = true;
	OP(s, sel_text(s, "ISETP.%s%s.X.%s", sel_cmp(s, cmp, false), sg ? "" : ".U32", bop), 2, p,
	   q, ahi, bhi, with);
}

static bool is_unsigned(unsigned cmp)
{
	return cmp == CMP_LO || cmp == CMP_LS || cmp == CMP_HI || cmp == CMP_HS;
}

void fermi_set_wide(struct sel *s)
{
	static const char *const bop[] = {"AND", "AND", "OR", "XOR"};
	const struct inst *in = s->in;
	bool sg = type_is_signed(in->stype) && !is_unsigned(in->cmp);
	struct mo with = in->bop != BOP_NONE ? sel_predicate(s, 2) : mo_pred(V_TRUE);
	if (in->op == OP_SETP) {
		compare_wide(s, in->cmp, sg, bop[in->bop & 3], mo_pred(sel_dst(s, 0)),
			     in->nd > 1 ? mo_pred(sel_dst(s, 1)) : mo_pred(V_TRUE), with);
		return;
	}
	uint32_t p = sel_temp(s, 0);
	compare_wide(s, in->cmp, sg, bop[in->bop & 3], mo_pred(p), mo_pred(V_TRUE), with);
	struct mo one = sel_word(s, sel_truth(in->type));
	OP(s, "SEL", 1, mo_reg(sel_dst(s, 0)), mo_zero(), one, mo_not(p));
}

void fermi_minmax_wide(struct sel *s)
{
	uint32_t p = sel_temp(s, 0), t = sel_temp(s, 2);
	compare_wide(s, s->in->op == OP_MIN ? CMP_LT : CMP_GT, type_is_signed(s->in->type), "AND",
		     mo_pred(p), mo_pred(V_TRUE), mo_pred(V_TRUE));
	for (unsigned w = 0; w < 2; w++) {
		struct mo a = sel_reg(s, 0, w);
		OP(s, "SEL", 1, mo_word(t, w), a, sel_src(s, 1, w), mo_pred(p))->fresh = !w;
	}
	sel_move(s, sel_dst(s, 0), t);
}

static void negate_wide(struct sel *s, uint32_t t)
{
	struct mi *in = OP(s, "IADD", 1, mo_word(t, 0), mo_zero(), mo_neg(sel_reg(s, 0, 0)));
	in->cc = in->fresh = true;
	OP(s, "IADD.X", 1, mo_word(t, 1), mo_zero(), mo_neg(sel_reg(s, 0, 1)));
}

static void absolute_wide(struct sel *s, uint32_t t)
{
	uint32_t p = sel_temp(s, 0), u = sel_temp(s, 2);
	negate_wide(s, u);
	OP(s, "ISETP.LT.AND", 2, mo_pred(p), mo_pred(V_TRUE), sel_reg(s, 0, 1), mo_zero(),
	   mo_pred(V_TRUE));
	for (unsigned w = 0; w < 2; w++)
		OP(s, "SEL", 1, mo_word(t, w), mo_word(u, w), sel_src(s, 0, w), mo_pred(p))->fresh =
			!w;
}

/* Finds the first bit: of the upper word, else of the lower word. */
void fermi_find_first_wide(struct sel *s)
{
	const struct inst *in = s->in;
	uint32_t h = sel_temp(s, 1), l = sel_temp(s, 1), p = sel_temp(s, 0), d = sel_dst(s, 0);
	struct mo lo = sel_reg(s, 0, 0), hi = sel_reg(s, 0, 1);
	if (type_is_signed(in->type)) { /* a negative number is replaced by its complement */
		uint32_t x = sel_temp(s, 1), a = sel_temp(s, 1), b = sel_temp(s, 1);
		OP(s, "SHR", 1, mo_reg(x), hi, mo_imm(31));
		OP(s, "LOP.XOR", 1, mo_reg(a), lo, mo_reg(x));
		OP(s, "LOP.XOR", 1, mo_reg(b), hi, mo_reg(x));
		lo = mo_reg(a);
		hi = mo_reg(b);
	}
	OP(s, "FLO.U32", 1, mo_reg(h), hi);
	OP(s, "FLO.U32", 1, mo_reg(l), lo);
	OP(s, "ISETP.EQ.AND", 2, mo_pred(p), mo_pred(V_TRUE), hi, mo_zero(), mo_pred(V_TRUE));
	OP(s, "IADD", 1, mo_reg(h), mo_reg(h), mo_imm(32));
	OP(s, "SEL", 1, mo_reg(h), mo_reg(l), mo_reg(h), mo_pred(p)); /* -1: no bit is set */
	if (in->op == OP_CLZ) {
		OP(s, "IADD", 1, mo_reg(d), mo_neg(mo_reg(h)), mo_imm(63));
	} else if (in->mods & M_SHIFTAMT) {
		OP(s, "ISETP.LT.AND", 2, mo_pred(p), mo_pred(V_TRUE), mo_reg(h), mo_zero(),
		   mo_pred(V_TRUE));
		OP(s, "IADD", 1, mo_reg(l), mo_neg(mo_reg(h)), mo_imm(63));
		OP(s, "SEL", 1, mo_reg(d), mo_reg(h), mo_reg(l), mo_pred(p));
	} else {
		OP(s, "MOV", 1, mo_reg(d), mo_reg(h));
	}
}

void fermi_popc_wide(struct sel *s)
{
	uint32_t a = sel_temp(s, 1), b = sel_temp(s, 1);
	struct mo lo = sel_reg(s, 0, 0), hi = sel_reg(s, 0, 1);
	OP(s, "POPC", 1, mo_reg(a), lo, lo);
	OP(s, "POPC", 1, mo_reg(b), hi, hi);
	OP(s, "IADD", 1, mo_reg(sel_dst(s, 0)), mo_reg(a), mo_reg(b));
}

void fermi_neg_wide(struct sel *s)
{
	uint32_t t = sel_temp(s, 2);
	negate_wide(s, t);
	sel_move(s, sel_dst(s, 0), t);
}

void fermi_abs_wide(struct sel *s)
{
	uint32_t t = sel_temp(s, 2);
	absolute_wide(s, t);
	sel_move(s, sel_dst(s, 0), t);
}

void fermi_brev_wide(struct sel *s)
{
	uint32_t t = sel_temp(s, 2);
	OP(s, "BFE.U32.BREV", 1, mo_word(t, 0), sel_reg(s, 0, 1), mo_imm(0x2000))->fresh = true;
	OP(s, "BFE.U32.BREV", 1, mo_word(t, 1), sel_reg(s, 0, 0), mo_imm(0x2000));
	sel_move(s, sel_dst(s, 0), t);
}
