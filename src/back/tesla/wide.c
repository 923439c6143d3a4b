/* Integers of 64 bits on sm_13, as pairs of words with the carry in a condition register. */
#include "back/select/operations.h"
#include "back/tesla/tesla.h"

/* There is no difference with carry: the complement is added. */
static struct mo complement_of(struct sel *s, struct mo o)
{
	uint32_t t = sel_temp(s, 1);
	T(s, "LOP.PASS_B", 1, mo_reg(t), mo_zero(), t_inv(o));
	return mo_reg(t);
}

void t_add64(struct sel *s, uint32_t d, const struct mo a[2], const struct mo b[2], bool sub)
{
	uint32_t c = sel_temp(s, 0);
	struct mo bh = sub ? complement_of(s, b[1]) : b[1];
	T(s, "IADD", 2, mo_word(d, 0), t_flag(c), a[0], sub ? mo_neg(b[0]) : b[0])->fresh = true;
	T(s, "IADD.CARRY@", 2, mo_word(d, 1), (struct mo){0}, a[1], bh, t_flag(c));
}

/* A 64-bit sum or difference with the carry that the instruction reads or leaves. */
static void put_sum64(struct sel *s, uint32_t d, const struct mo a[2], const struct mo b[2],
		      bool sub)
{
	const struct inst *in = s->in;
	bool x = in->op == OP_ADDC || in->op == OP_SUBC || in->op == OP_MADC
	, cc = in->mods & M_CC;
	if (!x && !cc) {
		t_add64(s, d, a, b, sub);
		return;
	}
	uint32_t c = sel_temp(s, 0);
	struct mo bh = sub ? complement_of(s, b[1]) : b[1];
	if (x)
		T(s, "IADD.CARRY@", 2, mo_word(d, 0), t_flag(c), a[0],
		  sub ? complement_of(s, b[0]) : b[0], t_flag(s->carry))
			->fresh = true;
	else
		T(s, "IADD", 2, mo_word(d, 0), t_flag(c), a[0], sub ? mo_neg(b[0]) : b[0])->fresh =
			true;
	T(s, "IADD.CARRY@", 2, mo_word(d, 1), cc ? t_flag(s->carry) : (struct mo){0}, a[1], bh,
	  t_flag(c));
}

static void word_pair(struct sel *s, unsigned i, struct mo w[2])
{
	w[0] = t_reg(s, i, 0);
	w[1] = t_reg(s, i, 1);
}

void tesla_add_wide(struct sel *s)
{
	bool sub = sel_subtracts(s);
	uint32_t t = sel_temp(s, 2);
	struct mo a[2], b[2];
	word_pair(s, 0, a);
	word_pair(s, 1, b);
	put_sum64(s, t, a, b, sub);
	sel_move(s, sel_dst(s, 0), t);
}

/* The lower 64 bits of a product. */
static void mul_lo(struct sel *s, uint32_t t, const struct mo a[2], const struct mo b[2])
{
	uint32_t h = sel_temp(s, 1), x = sel_temp(s, 1), y = sel_temp(s, 1);
	t_product(s, mo_word(t, 0), a[0], b[0], 32, 32);
	s->m.code.v[s->m.code.n - 1].fresh = true;
	t_high(s, mo_reg(h), a[0], b[0], false);
	t_product(s, mo_reg(x), a[0], b[1], 32, 32);
	t_product(s, mo_reg(y), a[1], b[0], 32, 32);
	T(s, "IADD", 1, mo_reg(h), mo_reg(h), mo_reg(x));
	T(s, "IADD", 1, mo_word(t, 1), mo_reg(h), mo_reg(y));
}

/* sum + k, with the carry added to c. */
static void carry_into(struct sel *s, uint32_t sum, uint32_t k, struct mo c)
{
	uint32_t f = sel_temp(s, 0);
	T(s, "IADD", 2, mo_reg(sum), t_flag(f), mo_reg(sum), mo_reg(k));
	T(s, "IADD.CARRY@", 2, c, (struct mo){0}, c, mo_zero(), t_flag(f));
}

static void mul_hi(struct sel *s, uint32_t t, const struct mo a[2], const struct mo b[2])
{
	uint32_t m = sel_temp(s, 1), n = sel_temp(s, 1), k = sel_temp(s, 1), c = sel_temp(s, 1),
		 u = sel_temp(s, 1);
	t_high(s, mo_reg(m), a[0], b[0], false);
	t_set(s, mo_reg(c), 0);
	for (unsigned i = 0; i < 2; i++) {
		t_product(s, mo_reg(k), a[i], b[1 - i], 32, 32);
		carry_into(s, m, k, mo_reg(c));
	}
	t_product(s, mo_reg(n), a[1], b[1], 32, 32);
	t_high(s, mo_reg(u), a[1], b[1], false);
	carry_into(s, n, c, mo_reg(u));
	for (unsigned i = 0; i < 2; i++) {
		t_high(s, mo_reg(k), a[i], b[1 - i], false);
		carry_into(s, n, k, mo_reg(u));
	}
	T(s, "MOV", 1, mo_word(t, 0), mo_reg(n))->fresh = true;
	T(s, "MOV", 1, mo_word(t, 1), mo_reg(u));
	for (unsigned i = 0; i < 2 && type_is_signed(s->in->type); i++) {
		const struct mo *x = i ? a : b, *y = i ? b : a;
		uint32_t sign = sel_temp(s, 1), lo = sel_temp(s, 1), hi = sel_temp(s, 1),
			 r = sel_temp(s, 2);
		t_shift(s, "SHR.S32", mo_reg(sign), x[1], 31);
		T(s, "LOP.AND", 1, mo_reg(lo), y[0], mo_reg(sign));
		T(s, "LOP.AND", 1, mo_reg(hi), y[1], mo_reg(sign));
		t_add64(s, r, (struct mo[]){mo_word(t, 0), mo_word(t, 1)},
			(struct mo[]){mo_reg(lo), mo_reg(hi)}, true);
		sel_move(s, t, r);
	}
}

void tesla_mul_wide(struct sel *s)
{
	uint32_t t = sel_temp(s, 2), u = t;
	struct mo a[2], b[2], c[2];
	word_pair(s, 0, a);
	word_pair(s, 1, b);
	int64_t k;
	if (s->in->mode != MUL_HI && sel_is_imm(s, 1, &k) && k > 0 && !(k & (k - 1)) &&
	    k < 1ll << 31) {
		/* a power of two: a shift, whose lower word takes one instruction */
		unsigned n = (unsigned)__builtin_ctzll((uint64_t)k);
		uint32_t x = sel_temp(s, 1), y = sel_temp(s, 1);
		t_shift(s, "SHL", mo_word(t, 0), a[0], n);
		s->m.code.v[s->m.code.n - 1].fresh = true;
		t_shift(s, "SHL", mo_reg(x), a[1], n);
		t_shift(s, "SHR", mo_reg(y), a[0], 32 - n);
		T(s, "LOP.OR", 1, mo_word(t, 1), mo_reg(x), mo_reg(y));
	} else {
		(s->in->mode == MUL_HI ? mul_hi : mul_lo)(s, t, a, b);
	}
	if (s->in->op == OP_MAD || s->in->op == OP_MADC) {
		u = sel_temp(s, 2);
		word_pair(s, 2, c);
		put_sum64(s, u, (struct mo[]){mo_word(t, 0), mo_word(t, 1)}, c, false);
	}
	sel_move(s, sel_dst(s, 0), u);
}

static void shift_by(struct sel *s, uint32_t t, unsigned n)
{
	bool left = s->in->op == OP_SHL, sg = type_is_signed(s->in->type);
	struct mo lo = t_reg(s, 0, 0), hi = t_reg(s, 0, 1);
	uint32_t x = sel_temp(s, 1), y = sel_temp(s, 1);
	const char *right = sg ? "SHR.S32" : "SHR";
	if (!n) {
		T(s, "MOV", 1, mo_word(t, 0), lo)->fresh = true;
		T(s, "MOV", 1, mo_word(t, 1), hi);
	} else if (left && n >= 32) {
		T(s, "MOV", 1, mo_word(t, 0), mo_zero())->fresh = true;
		t_shift(s, "SHL", mo_word(t, 1), lo, n - 32);
	} else if (left) {
		t_shift(s, "SHL", mo_reg(x), hi, n);
		t_shift(s, "SHR", mo_reg(y), lo, 32 - n);
		T(s, "SHL", 1, mo_word(t, 0), lo, mo_imm(n))->fresh = true;
		T(s, "LOP.OR", 1, mo_word(t, 1), mo_reg(x), mo_reg(y));
	} else if (n >= 32) {
		T(s, right, 1, mo_word(t, 0), hi, mo_imm(n - 32))->fresh = true;
		t_shift(s, right, mo_word(t, 1), hi, sg ? 31 : 32);
	} else {
		t_shift(s, "SHR", mo_reg(x), lo, n);
		t_shift(s, "SHL", mo_reg(y), hi, 32 - n);
		T(s, "LOP.OR", 1, mo_word(t, 0), mo_reg(x), mo_reg(y))->fresh = true;
		t_shift(s, right, mo_word(t, 1), hi, n);
	}
}

/* Shifts by a number in a register. Shifts clamp, so that bits shifted too far are zero. */
static void shift_var(struct sel *s, uint32_t t)
{
	bool left = s->in->op == OP_SHL, sg = type_is_signed(s->in->type);
	struct mo lo = t_reg(s, 0, 0), hi = t_reg(s, 0, 1), n = t_reg(s, 1, 0);
	uint32_t m = sel_temp(s, 1), k = sel_temp(s, 1), x = sel_temp(s, 1), y = sel_temp(s, 1),
		 z = sel_temp(s, 1);
	T(s, "IADD", 1, mo_reg(m), mo_neg(n), t_lit(s, 32));
	T(s, "IADD", 1, mo_reg(k), n, t_lit(s, (uint32_t)-32));
	if (left) {
		T(s, "SHL", 1, mo_reg(x), hi, n);
		T(s, "SHR", 1, mo_reg(y), lo, mo_reg(m));
		T(s, "SHL", 1, mo_reg(z), lo, mo_reg(k));
		T(s, "LOP.OR", 1, mo_reg(x), mo_reg(x), mo_reg(y));
		T(s, "SHL", 1, mo_word(t, 0), lo, n)->fresh = true;
		T(s, "LOP.OR", 1, mo_word(t, 1), mo_reg(x), mo_reg(z));
		return;
	}
	T(s, "SHR", 1, mo_reg(x), lo, n);
	T(s, "SHL", 1, mo_reg(y), hi, mo_reg(m));
	T(s, "LOP.OR", 1, mo_reg(x), mo_reg(x), mo_reg(y));
	T(s, sg ? "SHR.S32" : "SHR", 1, mo_reg(z), hi, mo_reg(k));
	if (sg) { /* below 32 the result would be the sign */
		uint32_t in = sel_temp(s, 1);
		T(s, "ISET", 1, mo_reg(in), n, t_lit(s, 32), mo_text("GE"));
		T(s, "LOP.AND", 1, mo_reg(z), mo_reg(z), mo_reg(in));
		T(s, "LOP.AND", 1, mo_reg(x), mo_reg(x), t_inv(mo_reg(in)));
	}
	T(s, "LOP.OR", 1, mo_word(t, 0), mo_reg(x), mo_reg(z))->fresh = true;
	T(s, sg ? "SHR.S32" : "SHR", 1, mo_word(t, 1), hi, n);
}

void tesla_shift_wide(struct sel *s)
{
	uint32_t t = sel_temp(s, 2);
	int64_t n;
	if (sel_is_imm(s, 1, &n))
		shift_by(s, t, (uint64_t)(uint32_t)n > 64 ? 64 : (unsigned)n);
	else
		shift_var(s, t);
	sel_move(s, sel_dst(s, 0), t);
}

/* a < b: the borrow of the difference; signed numbers have their signs inverted first. neg: the
 * complement. */
static void compare_less(struct sel *s, struct tpred c, const struct mo a[2], const struct mo b[2],
			 bool sg, bool neg)
{
	uint32_t f = sel_temp(s, 0), g = sel_temp(s, 0), nb = sel_temp(s, 1), x = sel_temp(s, 1);
	struct mo ah = a[1];
	if (b[1].kind == MO_ZERO)
		t_set(s, mo_reg(nb), sg ? 0x7fffffff : 0xffffffff);
	else
		t_logi(s, "XOR", mo_reg(nb), b[1], sg ? 0x7fffffff : 0xffffffff);
	if (sg && ah.kind == MO_ZERO) {
		t_set(s, mo_reg(x), 0x80000000);
		ah = mo_reg(x);
	} else if (sg) {
		t_logi(s, "XOR", mo_reg(x), ah, 0x80000000);
		ah = mo_reg(x);
	}
	T(s, "IADD", 2, (struct mo){.kind = MO_DISCARD}, t_flag(f), a[0], mo_neg(b[0]));
	T(s, "IADD.CARRY@", 2, (struct mo){.kind = MO_DISCARD}, t_flag(g), ah, mo_reg(nb),
	  t_flag(f));
	if (!neg) {
		T(s, "IADD.CARRY@", 2, mo_reg(c.word), t_flag(c.flag), mo_zero(),
		  t_lit(s, 0xffffffff), t_flag(g));
		return;
	}
	uint32_t w = sel_temp(s, 1);
	T(s, "IADD.CARRY@", 2, mo_reg(w), (struct mo){0}, mo_zero(), t_lit(s, 0xffffffff),
	  t_flag(g));
	T(s, "LOP.PASS_B", 2, mo_reg(c.word), t_flag(c.flag), mo_zero(), t_inv(mo_reg(w)));
}

static void compare_wide(struct sel *s, unsigned cmp, bool sg, struct tpred c)
{
	struct mo a[2], b[2];
	word_pair(s, 0, a);
	word_pair(s, 1, b);
	uint32_t x = sel_temp(s, 1), y = sel_temp(s, 1);
	switch (cmp) {
	case CMP_EQ:
	case CMP_NE:
		T(s, "LOP.XOR", 1, mo_reg(x), a[0], b[0]);
		T(s, "LOP.XOR", 1, mo_reg(y), a[1], b[1]);
		T(s, "LOP.OR", 1, mo_reg(x), mo_reg(x), mo_reg(y));
		T(s, "ISET", 2, mo_reg(c.word), t_flag(c.flag), mo_reg(x), mo_zero(),
		  mo_text(cmp == CMP_EQ ? "EQ" : "NE"));
		break;
	case CMP_LT:
	case CMP_LO: compare_less(s, c, a, b, sg, false); break;
	case CMP_GT:
	case CMP_HI: compare_less(s, c, b, a, sg, false); break;
	case CMP_GE:
	case CMP_HS: compare_less(s, c, a, b, sg, true); break;
	case CMP_LE:
	case CMP_LS: compare_less(s, c, b, a, sg, true); break;
	default: sel_refuse(s, "this comparison"); break;
	}
}

void tesla_set_wide(struct sel *s)
{
	const struct inst *in = s->in;
	struct tpred c = t_pred_for(s);
	compare_wide(s, in->cmp, type_is_signed(in->stype) && in->cmp < CMP_LO, c);
	if (in->op == OP_SETP)
		t_pred_put(s, c);
	else
		t_set_from(s, c);
}

void tesla_minmax_wide(struct sel *s)
{
	struct tpred c = t_pred_new(s);
	struct mo a[2], b[2];
	compare_wide(s, s->in->op == OP_MIN ? CMP_LT : CMP_GT, type_is_signed(s->in->type), c);
	word_pair(s, 0, a);
	word_pair(s, 1, b);
	t_choose(s, sel_dst(s, 0), a, b, 2, c.flag, false);
}

static void negate_wide(struct sel *s, uint32_t t)
{
	struct mo a[2];
	word_pair(s, 0, a);
	t_add64(s, t, (struct mo[]){mo_zero(), mo_zero()}, a, true);
}

void tesla_abs_wide(struct sel *s)
{
	uint32_t u = sel_temp(s, 2);
	struct tpred c = t_pred_new(s);
	struct mo a[2];
	word_pair(s, 0, a);
	negate_wide(s, u);
	T(s, "ISET.S32", 2, mo_reg(c.word), t_flag(c.flag), a[1], mo_zero(), mo_text("LT"));
	t_choose(s, sel_dst(s, 0), (struct mo[]){mo_word(u, 0), mo_word(u, 1)}, a, 2, c.flag,
		 false);
}

void tesla_neg_wide(struct sel *s)
{
	uint32_t t = sel_temp(s, 2);
	negate_wide(s, t);
	sel_move(s, sel_dst(s, 0), t);
}
