/* Products on sm_13, from the products of 16 by 16 and 24 by 24 bits that the machine has. */
#include "back/select/operations.h"
#include "back/tesla/tesla.h"

static bool is_power(uint32_t k, unsigned *n)
{
	*n = k ? (unsigned)__builtin_ctz(k) : 0;
	return k && !(k & (k - 1));
}

void t_product(struct sel *s, struct mo d, struct mo a, struct mo b, unsigned abits, unsigned bbits)
{
	uint32_t t = sel_temp(s, 1);
	if (a.kind == MO_ZERO || b.kind == MO_ZERO) {
		t_set(s, d, 0);
	} else if (abits <= 16 && bbits <= 16) {
		T(s, "IMUL.U16.U16", 1, d, t_lo(a), t_lo(b));
	} else if (abits <= 24 && bbits <= 24) {
		T(s, "IMUL.U24.U24", 1, d, a, b);
	} else {
		bool first = bbits > 16, second = abits > 16;
		if (first)
			T(s, "IMUL.U16.U16", 1, mo_reg(t), t_lo(a), t_hi(b));
		if (first && second)
			T(s, "IMAD.U16", 1, mo_reg(t), t_hi(a), t_lo(b), mo_reg(t));
		else if (second)
			T(s, "IMUL.U16.U16", 1, mo_reg(t), t_hi(a), t_lo(b));
		t_shift(s, "SHL", mo_reg(t), mo_reg(t), 16);
		T(s, "IMAD.U16", 1, d, t_lo(a), t_lo(b), mo_reg(t));
	}
}

/* The upper word, by partial products with a carry; if a factor is signed and negative, the other
 * factor is subtracted. */
void t_high(struct sel *s, struct mo d, struct mo a, struct mo b, bool is_signed)
{
	uint32_t x = sel_temp(s, 1), y = sel_temp(s, 1), c = sel_temp(s, 0), r = sel_temp(s, 1);
	if (a.kind == MO_ZERO || b.kind == MO_ZERO) {
		t_set(s, d, 0);
		return;
	}
	if (is_signed && b.kind == MO_CONST) { /* the sign is an operand that must be a register */
		uint32_t k = sel_temp(s, 1);
		t_mov(s, mo_reg(k), b);
		b = mo_reg(k);
	}
	T(s, "IMUL.U16.U16", 1, mo_reg(x), t_lo(a), t_lo(b));
	t_shift(s, "SHR", mo_reg(x), mo_reg(x), 16);
	T(s, "IMAD.U16", 1, mo_reg(x), t_lo(a), t_hi(b), mo_reg(x));
	T(s, "IMAD.U16", 2, mo_reg(x), t_flag(c), t_hi(a), t_lo(b), mo_reg(x));
	T(s, "IADD.CARRY@", 2, mo_reg(y), (struct mo){0}, mo_zero(), mo_zero(), t_flag(c));
	t_shift(s, "SHR", mo_reg(x), mo_reg(x), 16);
	t_shift(s, "SHL", mo_reg(y), mo_reg(y), 16);
	T(s, "IMAD.U16", 1, mo_reg(x), t_hi(a), t_hi(b), mo_reg(x));
	if (!is_signed) {
		T(s, "IADD", 1, d, mo_reg(x), mo_reg(y));
		return;
	}
	T(s, "IADD", 1, mo_reg(r), mo_reg(x), mo_reg(y));
	for (unsigned i = 0; i < 2; i++) {
		uint32_t sign = sel_temp(s, 1);
		t_shift(s, "SHR.S32", mo_reg(sign), i ? a : b, 31);
		T(s, "LOP.AND", 1, mo_reg(sign), mo_reg(sign), i ? b : a);
		T(s, "IADD", 1, i ? d : mo_reg(r), mo_reg(r), mo_neg(mo_reg(sign)));
	}
}

/* A factor: a small constant as an operand, others in a register. */
static struct mo factor_operand(struct sel *s, unsigned i)
{
	int64_t k;
	if (i && sel_is_imm(s, i, &k))
		return t_lit(s, (uint32_t)k);
	return t_reg(s, i, 0);
}

static void low_word(struct sel *s, struct mo d)
{
	int64_t k;
	unsigned n;
	if (sel_is_imm(s, 1, &k) && is_power((uint32_t)k, &n)) {
		t_shift(s, "SHL", d, t_reg(s, 0, 0), n);
		return;
	}
	if (sel_is_imm(s, 1, &k) && (uint32_t)k == 0xffffffff) {
		T(s, "IADD", 1, d, mo_neg(t_reg(s, 0, 0)), mo_zero());
		return;
	}
	struct mo a = factor_operand(s, 0), b = factor_operand(s, 1);
	t_product(s, d, a, b, t_bits(s, 0), t_bits(s, 1));
}

static void narrow_product(struct sel *s, struct mo d)
{
	const struct inst *in = s->in;
	bool sg = type_is_signed(in->type);
	struct mo a = t_reg(s, 0, 0), b = t_reg(s, 1, 0);
	uint32_t t = sel_temp(s, 1);
	if (type_bits(in->type) < 16) {
		sel_refuse(s, "");
		return;
	}
	if (a.kind == MO_ZERO || b.kind == MO_ZERO) {
		t_set(s, d, 0);
		return;
	}
	T(s, sg ? "IMUL.S16.S16" : "IMUL.U16.U16", 1, in->mode == MUL_HI ? mo_reg(t) : d, t_lo(a),
	  t_lo(b));
	if (in->mode == MUL_HI)
		t_shift(s, sg ? "SHR.S32" : "SHR", d, mo_reg(t), 16);
}

static void wide_product(struct sel *s, uint32_t t)
{
	struct mo a = factor_operand(s, 0), b = factor_operand(s, 1);
	low_word(s, mo_word(t, 0));
	s->m.code.v[s->m.code.n - 1].fresh = true;
	if (t_bits(s, 0) + t_bits(s, 1) <= 32)
		t_set(s, mo_word(t, 1), 0);
	else
		t_high(s, mo_word(t, 1), a, b, type_is_signed(s->in->type));
}

void tesla_mul(struct sel *s)
{
	const struct inst *in = s->in;
	uint32_t d = sel_dst(s, 0);
	bool sg = type_is_signed(in->type);
	if (type_bits(in->type) < 32) {
		narrow_product(s, mo_reg(d));
	} else if (in->mode == MUL_WIDE) {
		uint32_t t = sel_temp(s, 2);
		wide_product(s, t);
		sel_move(s, d, t);
	} else if (in->mode == MUL_HI) {
		t_high(s, mo_reg(d), factor_operand(s, 0), factor_operand(s, 1), sg);
	} else {
		low_word(s, mo_reg(d));
	}
}

void tesla_mad(struct sel *s)
{
	const struct inst *in = s->in;
	bool sg = type_is_signed(in->type), cc = in->mods & M_CC, x = in->op == OP_MADC;
	uint32_t d = sel_dst(s, 0), t = sel_temp(s, 1);
	if (in->mods & M_SAT) {
		sel_refuse(s, "");
		return;
	}
	if (type_bits(in->type) == 32 && in->mode == MUL_WIDE) {
		uint32_t p = sel_temp(s, 2), r = sel_temp(s, 2);
		wide_product(s, p);
		struct mo a[2] = {mo_word(p, 0), mo_word(p, 1)},
			  b[2] = {t_reg(s, 2, 0), t_reg(s, 2, 1)};
		t_add64(s, r, a, b, false);
		sel_move(s, d, r);
		return;
	}
	struct mo c = sel_src(s, 2, 0);
	if (type_bits(in->type) < 32) {
		narrow_product(s, mo_reg(t));
	} else if (in->mode == MUL_HI) {
		t_high(s, mo_reg(t), factor_operand(s, 0), factor_operand(s, 1), sg);
	} else if (!cc && !x && t_bits(s, 0) <= 16 && t_bits(s, 1) <= 16) {
		struct mo a = factor_operand(s, 0), b = factor_operand(s, 1);
		if (b.kind == MO_CONST && c.kind == MO_CONST)
			c = t_reg(s, 2, 0);
		if (a.kind == MO_REG && b.kind != MO_ZERO) {
			T(s, "IMAD.U16", 1, mo_reg(d), t_lo(a), t_lo(b), c);
			return;
		}
		t_set(s, mo_reg(t), 0);
	} else {
		low_word(s, mo_reg(t));
	}
	struct mo flag = cc ? t_flag(s->carry) : (struct mo){0};
	if (x)
		T(s, "IADD.CARRY@", 2, mo_reg(d), flag, mo_reg(t), c, t_flag(s->carry));
	else
		T(s, "IADD", 2, mo_reg(d), flag, mo_reg(t), c);
}

void tesla_mul24(struct sel *s)
{
	const struct inst *in = s->in;
	bool sg = type_is_signed(in->type), is_mad = in->op == OP_MAD24, hi = in->mode == MUL_HI;
	uint32_t t = sel_temp(s, 1);
	if (in->mods & M_SAT) {
		sel_refuse(s, "");
		return;
	}
	struct mo d = mo_reg(sel_dst(s, 0)), a = t_reg(s, 0, 0), b = sel_src(s, 1, 0);
	T(s,
	  hi ? (sg ? "IMUL.HI.S24.S24" : "IMUL.HI.U24.U24")
	     : (sg ? "IMUL.S24.S24" : "IMUL.U24.U24"),
	  1, is_mad ? mo_reg(t) : d, a, b);
	if (is_mad)
		T(s, "IADD", 1, d, mo_reg(t), sel_src(s, 2, 0));
}
