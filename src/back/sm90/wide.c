/* Integers of 64 bits on sm_90, as pairs of words. A result is computed in a new pair, since a
 * source may be the destination. */
#include "back/sm90/sm90.h"

static struct mo carry_of(struct sel *s)
{
	if (s->carry == V_NONE)
		s->carry = mval_new(&s->m, 0);
	return mo_pred(s->carry);
}

/* t = a + b or a - b, with the carries that the instruction reads and writes. */
static void add_with_carries(struct sel *s, uint32_t t, const struct mo a[2], const struct mo b[2],
			     bool sub)
{
	const struct inst *in = s->in;
	bool x = in->op == OP_ADDC || in->op == OP_SUBC || in->op == OP_MADC
	, cc = in->mods & M_CC;
	struct mo middle = mo_pred(sel_temp(s, 0)), lo = b[0], hi = b[1];
	if (sub) {
		lo = sm90_force(s, lo);
		hi = sm90_force(s, hi);
		lo.neg = !x;
		lo.inv = x;
		hi.inv = true;
	}
	if (x)
		OP(s, "IADD3.X", 2, mo_word(t, 0), middle, sm90_force(s, a[0]), lo, ZERO,
		   carry_of(s), PF)
			->fresh = true;
	else
		OP(s, "IADD3", 2, mo_word(t, 0), middle, sm90_force(s, a[0]), lo, ZERO)->fresh =
			true;
	if (cc)
		OP(s, "IADD3.X", 2, mo_word(t, 1), carry_of(s), sm90_force(s, a[1]), hi, ZERO,
		   middle, PF);
	else
		OP(s, "IADD3.X", 1, mo_word(t, 1), sm90_force(s, a[1]), hi, ZERO, middle, PF);
}

void sm90_add_wide(struct sel *s)
{
	uint32_t t = sel_temp(s, 2);
	struct mo a[2], b[2];
	bool sub = sel_subtracts(s);
	for (unsigned w = 0; w < 2; w++) {
		a[w] = sm90_src(s, 0, w);
		b[w] = sm90_src(s, 1, w);
	}
	const struct opnd *o = inst_src(s->in, 1);
	if (sub && o->kind == OPND_IMM && s->in->op == OP_SUB && !(s->in->mods & M_CC)) {
		uint64_t n = 0 - (uint64_t)o->imm;
		b[0] = sm90_word((uint32_t)n);
		b[1] = sm90_word((uint32_t)(n >> 32));
		sub = false;
	}
	add_with_carries(s, t, a, b, sub);
	sel_move(s, sel_dst(s, 0), t);
}

static void mul_lo(struct sel *s, uint32_t t, struct mo c)
{
	struct mo alo = sm90_reg(s, 0, 0), ahi = sm90_reg(s, 0, 1), blo = sm90_src(s, 1, 0),
		  bhi = sm90_src(s, 1, 1);
	OP(s, "IMAD.WIDE.U32", 1, mo_wide(t), alo, blo, c);
	if (bhi.kind != MO_ZERO)
		OP(s, "IMAD", 1, mo_word(t, 1), alo, bhi, mo_word(t, 1));
	if (ahi.kind != MO_ZERO)
		OP(s, "IMAD", 1, mo_word(t, 1), ahi, blo, mo_word(t, 1));
}

/* The upper 64 bits of a product: partial products with carries. If a factor is signed and
 * negative, the other factor is subtracted. */
static void mul_hi(struct sel *s, uint32_t t)
{
	struct mo a[2] = {sm90_reg(s, 0, 0), sm90_reg(s, 0, 1)},
		  b[2] = {sm90_reg(s, 1, 0), sm90_reg(s, 1, 1)};
	uint32_t low = sel_temp(s, 2), x = sel_temp(s, 2), y = sel_temp(s, 2), sum = sel_temp(s, 1);
	struct mo p = mo_pred(sel_temp(s, 0)), q = mo_pred(sel_temp(s, 0)),
		  c = mo_pred(sel_temp(s, 0));
	OP(s, "IMAD.WIDE.U32", 1, mo_wide(low), a[0], b[0], ZERO);
	OP(s, "IMAD.WIDE.U32", 1, mo_wide(x), a[0], b[1], ZERO);
	OP(s, "IMAD.WIDE.U32", 1, mo_wide(y), a[1], b[0], ZERO);
	OP(s, "IMAD.WIDE.U32", 1, mo_wide(t), a[1], b[1], ZERO);
	OP(s, "IADD3", 2, mo_reg(sum), p, mo_word(low, 1), mo_word(x, 0), ZERO);
	OP(s, "IADD3", 2, mo_reg(sum), q, mo_reg(sum), mo_word(y, 0), ZERO);
	OP(s, "IADD3.X", 2, mo_word(t, 0), c, mo_word(t, 0), mo_word(x, 1), ZERO, p, PF);
	OP(s, "IADD3.X", 1, mo_word(t, 1), mo_word(t, 1), ZERO, ZERO, c, PF);
	OP(s, "IADD3.X", 2, mo_word(t, 0), c, mo_word(t, 0), mo_word(y, 1), ZERO, q, PF);
	OP(s, "IADD3.X", 1, mo_word(t, 1), mo_word(t, 1), ZERO, ZERO, c, PF);
	for (unsigned i = 0; i < 2 && type_is_signed(s->in->type); i++) {
		const struct mo *f = i ? a : b, *g = i ? b : a;
		uint32_t sign = sel_temp(s, 1), lo = sel_temp(s, 1), hi = sel_temp(s, 1);
		struct mo nlo = mo_neg(mo_reg(lo)), nhi = mo_reg(hi),
			  carry = mo_pred(sel_temp(s, 0));
		nhi.inv = true;
		OP(s, "SHF.R.S32.HI", 1, mo_reg(sign), ZERO, mo_imm(31), f[1]);
		sm90_lut(s, mo_reg(lo), g[0], mo_reg(sign), ZERO, LUT_AND);
		sm90_lut(s, mo_reg(hi), g[1], mo_reg(sign), ZERO, LUT_AND);
		OP(s, "IADD3", 2, mo_word(t, 0), carry, mo_word(t, 0), nlo, ZERO);
		OP(s, "IADD3.X", 1, mo_word(t, 1), mo_word(t, 1), nhi, ZERO, carry, PF);
	}
}

void sm90_mul_wide(struct sel *s)
{
	uint32_t t = sel_temp(s, 2), u = t;
	const struct inst *in = s->in;
	bool sums = in->op != OP_MUL, x = in->op == OP_MADC
	, cc = in->mods & M_CC;
	if (in->mode == MUL_HI)
		mul_hi(s, t);
	else
		mul_lo(s, t, sums && !x && !cc ? sm90_pair(s, 2) : ZERO);
	if (sums && (in->mode == MUL_HI || x || cc)) {
		u = sel_temp(s, 2);
		add_with_carries(s, u, (struct mo[]){mo_word(t, 0), mo_word(t, 1)},
				 (struct mo[]){sm90_src(s, 2, 0), sm90_src(s, 2, 1)}, false);
	}
	sel_move(s, sel_dst(s, 0), u);
}

void sm90_shift_wide(struct sel *s)
{
	uint32_t t = sel_temp(s, 2);
	bool left = s->in->op == OP_SHL, sg = type_is_signed(s->in->type);
	struct mo lo = sm90_reg(s, 0, 0), hi = sm90_reg(s, 0, 1), n = sm90_src(s, 1, 0);
	const char *right = sg ? "SHF.R.S32.HI" : "SHF.R.U32.HI";
	if (n.kind == MO_IMM && (uint32_t)n.imm > 64)
		n.imm = 64;
	if (n.kind == MO_IMM && n.imm >= 32) { /* words move as a whole */
		struct mo m = sm90_word((uint32_t)n.imm - 32);
		if (left) {
			sm90_mov(s, mo_word(t, 0), ZERO)->fresh = true;
			OP(s, "SHF.L.U32", 1, mo_word(t, 1), lo, m, ZERO);
		} else {
			OP(s, right, 1, mo_word(t, 0), ZERO, m, hi)->fresh = true;
			if (sg)
				OP(s, right, 1, mo_word(t, 1), ZERO, mo_imm(31), hi);
			else
				sm90_mov(s, mo_word(t, 1), ZERO);
		}
	} else if (left) {
		OP(s, "SHF.L.U32", 1, mo_word(t, 0), lo, n, ZERO)->fresh = true;
		OP(s, "SHF.L.U64.HI", 1, mo_word(t, 1), lo, n, hi);
	} else {
		OP(s, sg ? "SHF.R.S64" : "SHF.R.U64", 1, mo_word(t, 0), lo, n, hi)->fresh = true;
		OP(s, right, 1, mo_word(t, 1), ZERO, n, hi);
	}
	sel_move(s, sel_dst(s, 0), t);
}

/* A comparison: the lower words decide if the upper words are equal. */
static void put_wide_comparison(struct sel *s, unsigned cmp, bool sg, const char *bop, struct mo p,
				struct mo q, struct mo with)
{
	struct mo low = mo_pred(sel_temp(s, 0));
	bool equal = cmp == CMP_EQ || cmp == CMP_NE;
	const char *name = sel_cmp(s, cmp, false);
	OP(s, sel_text(s, "ISETP.%s%s.AND", name, equal ? "" : ".U32"), 2, low, PT,
	   sm90_reg(s, 0, 0), sm90_src(s, 1, 0), PT);
	OP(s, sel_text(s, "ISETP.%s%s.%s.EX", name, sg || equal ? "" : ".U32", bop), 2, p, q,
	   sm90_reg(s, 0, 1), sm90_src(s, 1, 1), with, low);
}

static bool is_unsigned(unsigned cmp)
{
	return cmp == CMP_LO || cmp == CMP_LS || cmp == CMP_HI || cmp == CMP_HS;
}

void sm90_set_wide(struct sel *s)
{
	static const char *const bop[] = {"AND", "AND", "OR", "XOR"};
	const struct inst *in = s->in;
	bool sg = type_is_signed(in->stype) && !is_unsigned(in->cmp), setp = in->op == OP_SETP;
	struct mo with = in->bop != BOP_NONE ? sel_predicate(s, 2) : PT;
	struct mo p = mo_pred(setp ? sel_dst(s, 0) : sel_temp(s, 0));
	put_wide_comparison(s, in->cmp, sg, bop[in->bop & 3], p,
			    setp && in->nd > 1 ? mo_pred(sel_dst(s, 1)) : PT, with);
	p.neg = true;
	if (!setp)
		OP(s, "SEL", 1, mo_reg(sel_dst(s, 0)), ZERO, sm90_word(sel_truth(in->type)), p);
}

void sm90_minmax_wide(struct sel *s)
{
	uint32_t p = sel_temp(s, 0), t = sel_temp(s, 2);
	put_wide_comparison(s, s->in->op == OP_MIN ? CMP_LT : CMP_GT, type_is_signed(s->in->type),
			    "AND", mo_pred(p), PT, PT);
	for (unsigned w = 0; w < 2; w++)
		OP(s, "SEL", 1, mo_word(t, w), sm90_reg(s, 0, w), sm90_src(s, 1, w), mo_pred(p))
			->fresh = !w;
	sel_move(s, sel_dst(s, 0), t);
}

static void negate_pair(struct sel *s, uint32_t t)
{
	struct mo hi = sm90_reg(s, 0, 1), carry = mo_pred(sel_temp(s, 0));
	hi.inv = true;
	OP(s, "IADD3", 2, mo_word(t, 0), carry, mo_neg(sm90_reg(s, 0, 0)), ZERO, ZERO)->fresh =
		true;
	OP(s, "IADD3.X", 1, mo_word(t, 1), hi, ZERO, ZERO, carry, PF);
}

void sm90_neg_wide(struct sel *s)
{
	uint32_t t = sel_temp(s, 2);
	negate_pair(s, t);
	sel_move(s, sel_dst(s, 0), t);
}

void sm90_abs_wide(struct sel *s)
{
	uint32_t p = sel_temp(s, 0), u = sel_temp(s, 2), t = sel_temp(s, 2);
	negate_pair(s, u);
	OP(s, "ISETP.LT.AND", 2, mo_pred(p), PT, sm90_reg(s, 0, 1), ZERO, PT);
	for (unsigned w = 0; w < 2; w++)
		OP(s, "SEL", 1, mo_word(t, w), mo_word(u, w), sm90_src(s, 0, w), mo_pred(p))
			->fresh = !w;
	sel_move(s, sel_dst(s, 0), t);
}

/* Finds the first bit: of the upper word, or, if that has none, of the lower word. */
void sm90_find_first_wide(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo d = mo_reg(sel_dst(s, 0)), h = mo_reg(sel_temp(s, 1)), l = mo_reg(sel_temp(s, 1));
	struct mo p = mo_pred(sel_temp(s, 0)), lo = sm90_reg(s, 0, 0), hi = sm90_reg(s, 0, 1);
	if (type_is_signed(in->type)) { /* a negative number is replaced by its complement */
		struct mo sign = mo_reg(sel_temp(s, 1)), a = mo_reg(sel_temp(s, 1)),
			  b = mo_reg(sel_temp(s, 1));
		OP(s, "SHF.R.S32.HI", 1, sign, ZERO, mo_imm(31), hi);
		sm90_lut(s, a, lo, sign, ZERO, LUT_XOR);
		sm90_lut(s, b, hi, sign, ZERO, LUT_XOR);
		lo = a;
		hi = b;
	}
	OP(s, "FLO.U32", 1, h, hi);
	OP(s, "FLO.U32", 1, l, lo);
	OP(s, "ISETP.EQ.AND", 2, p, PT, hi, ZERO, PT);
	OP(s, "IADD3", 1, h, h, mo_imm(32), ZERO);
	OP(s, "SEL", 1, h, l, h, p); /* -1: none */
	if (in->op == OP_CLZ) {
		OP(s, "IADD3", 1, d, mo_neg(h), mo_imm(63), ZERO);
	} else if (in->mods & M_SHIFTAMT) {
		OP(s, "ISETP.LT.AND", 2, p, PT, h, ZERO, PT);
		OP(s, "IADD3", 1, l, mo_neg(h), mo_imm(63), ZERO);
		OP(s, "SEL", 1, d, h, l, p);
	} else {
		sm90_mov(s, d, h);
	}
}

void sm90_popc_wide(struct sel *s)
{
	uint32_t a = sel_temp(s, 1), b = sel_temp(s, 1);
	OP(s, "POPC", 1, mo_reg(a), sm90_reg(s, 0, 0));
	OP(s, "POPC", 1, mo_reg(b), sm90_reg(s, 0, 1));
	OP(s, "IADD3", 1, mo_reg(sel_dst(s, 0)), mo_reg(a), mo_reg(b), ZERO);
}

void sm90_brev_wide(struct sel *s)
{
	uint32_t t = sel_temp(s, 2);
	OP(s, "BREV", 1, mo_word(t, 0), sm90_reg(s, 0, 1))->fresh = true;
	OP(s, "BREV", 1, mo_word(t, 1), sm90_reg(s, 0, 0));
	sel_move(s, sel_dst(s, 0), t);
}
