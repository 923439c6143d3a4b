/* Lifts halves and bfloat16, two in a register. */
#include "lift/sm70/lift.h"

static bool is_bf16(const struct lift *l) { return has(l, SM70_W_BF16_V2) || has(l, SM70_W_BF16); }

static unsigned type_of(const struct lift *l) { return is_bf16(l) ? T_BF16X2 : T_F16X2; }

static unsigned mods_of(const struct lift *l)
{
	return (has(l, SM70_W_FTZ) || has(l, SM70_W_FMZ) ? M_FTZ : 0) |
	       (has(l, SM70_W_SAT) ? M_SAT : 0) | (has(l, SM70_W_RELU) ? M_RELU : 0) |
	       (has(l, SM70_W_OOB) ? M_OOB : 0);
}

static struct opnd half_source(struct lift *l, unsigned role)
{
	return lift_half(l, opd(l, role), is_bf16(l));
}

/* ---- sums, products ---- */

/* HADD2.F32: the sum of the operands' lower (or upper) halves as singles. */
static void do_add_f32(struct lift *l)
{
	struct ngen *g = &l->g;
	unsigned from = is_bf16(l) ? T_BF16 : T_F16;
	struct opnd a = gen_t(g), b = gen_t(g);
	gen_cvt_as(g, T_F32, from, RND_NONE, 0, a, lift_reg(l, half_source(l, SM70_R_A)));
	gen_cvt_as(g, T_F32, from, RND_NONE, 0, b,
		   lift_reg(l, half_source(l, opd(l, SM70_R_B) ? SM70_R_B : SM70_R_C)));
	gen_float_op(g, OP_ADD, T_F32, RND_RN, mods_of(l), lift_dst(l), a, b);
}

static void do_add(struct lift *l)
{
	struct opnd a = half_source(l, SM70_R_A),
		    b = half_source(l, opd(l, SM70_R_B) ? SM70_R_B : SM70_R_C);
	if (has(l, SM70_W_F32))
		do_add_f32(l);
	else
		gen_float_op(&l->g, OP_ADD, type_of(l), RND_RN, mods_of(l), lift_dst(l), a, b);
}

static void do_mul(struct lift *l)
{
	struct opnd a = half_source(l, SM70_R_A), b = half_source(l, SM70_R_B);
	gen_float_op(&l->g, OP_MUL, type_of(l), RND_RN, mods_of(l), lift_dst(l), a, b);
}

static bool is_literal(struct opnd o) { return is_imm(o) && !((uint32_t)o.imm & 0x7fff7fff); }

static void do_fma(struct lift *l)
{
	struct opnd a = half_source(l, SM70_R_A), b = half_source(l, SM70_R_B),
		    c = half_source(l, SM70_R_C), d = lift_dst(l);
	if (is_literal(a) && is_literal(b) && is_imm(c) &&
	    !mods_of(l)) /* the way in which compilers move a number */
		gen(&l->g, OP_MOV, T_U32, d, imm((uint32_t)c.imm));
	else
		gen_float_op(&l->g, OP_FMA, type_of(l), RND_RN, mods_of(l), d, a, b, c);
}

/* ---- minima, comparisons ---- */

static void do_minmax(struct lift *l)
{
	struct ngen *g = &l->g;
	bool x = has(l, SM70_W_XORSIGN);
	unsigned type = type_of(l);
	unsigned mods = (has(l, SM70_W_FTZ) ? M_FTZ : 0) | (has(l, SM70_W_NAN) ? M_NAN : 0) |
			(x ? M_XORSIGN : 0);
	struct sm70_operand ao = *opd(l, SM70_R_A), bo = *opd(l, SM70_R_B);
	if (x) /* the operation takes the absolute values itself, and needs the operands' own
	        * signs */
		ao.abs = ao.neg = bo.abs = bo.neg = false;
	struct opnd a = lift_half(l, &ao, is_bf16(l)), b = lift_half(l, &bo, is_bf16(l)),
		    d = lift_dst(l);
	if (has(l, SM70_W_IS_A)) {
		lift_refuse(l, "which operand was chosen");
		return;
	}
	if (lift_pred_is(l, SM70_R_PA, true) || lift_pred_is(l, SM70_R_PA, false)) {
		gen_mods(g, lift_pred_is(l, SM70_R_PA, true) ? OP_MIN : OP_MAX, type, mods, d, a,
			 b);
		return;
	}
	struct opnd lo = gen_t(g), hi = gen_t(g);
	gen_mods(g, OP_MIN, type, mods, lo, a, b);
	gen_mods(g, OP_MAX, type, mods, hi, a, b);
	gen(g, OP_SELP, T_B32, d, lo, hi, lift_pred(l, SM70_R_PA));
}

/* VHMNMX: the minimum (predicate true) or maximum of three. */
static void do_minmax3(struct lift *l)
{
	struct ngen *g = &l->g;
	unsigned type = type_of(l);
	unsigned mods = (has(l, SM70_W_FTZ) ? M_FTZ : 0) | (has(l, SM70_W_NAN) ? M_NAN : 0);
	struct opnd a = half_source(l, SM70_R_A), b = half_source(l, SM70_R_B),
		    c = half_source(l, SM70_R_C), lo = gen_t(g), hi = gen_t(g);
	if (has(l, SM70_W_XORSIGN)) {
		lift_refuse(l, "three signs");
		return;
	}
	gen_mods(g, OP_MIN, type, mods, lo, lift_reg(l, a), b);
	gen_mods(g, OP_MIN, type, mods, lo, lo, c);
	gen_mods(g, OP_MAX, type, mods, hi, lift_reg(l, a), b);
	gen_mods(g, OP_MAX, type, mods, hi, hi, c);
	gen(g, OP_SELP, T_B32, lift_dst(l), lo, hi, lift_pred(l, SM70_R_PA));
}

static struct compare comparison(struct lift *l)
{
	struct compare c = {.cmp = lift_cmp(l, true),
			    .type = type_of(l),
			    .mods = has(l, SM70_W_FTZ) ? M_FTZ : 0,
			    .a = half_source(l, SM70_R_A),
			    .b = half_source(l, SM70_R_B)};
	if (!c.cmp) { /* F, T */
		c.cmp = mod(l, SM70_MOD_CMP) == SM70_W_T ? CMP_EQU : CMP_NE;
		c.b = c.a = imm(0);
	}
	if (lift_bool(l) != BOP_AND || !lift_pred_is(l, SM70_R_PA, true)) {
		c.bop = lift_bool(l);
		c.p = lift_pred(l, SM70_R_PA);
	}
	return c;
}

/* HSETP2: one predicate per half; H_AND: the first predicate is true if both halves are, the second
 * is its complement. */
static void do_setp(struct lift *l)
{
	struct ngen *g = &l->g;
	struct compare c = comparison(l);
	struct opnd p = lift_pred_dst(l, SM70_R_PD), q = lift_pred_dst(l, SM70_R_PD2);
	if (!has(l, SM70_W_H_AND)) {
		gen_setp_both(g, &c, p, q);
		return;
	}
	struct opnd lo = gen_q(g), hi = gen_q(g), both = gen_q(g);
	struct compare plain = c;
	plain.bop = BOP_NONE;
	gen_setp_both(g, &plain, lo, hi);
	gen(g, OP_AND, T_PRED, both, lo, hi);
	for (unsigned i = 0; i < 2; i++) {
		unsigned bop = lift_bool(l);
		gen(g,
		    bop == BOP_OR    ? OP_OR
		    : bop == BOP_XOR ? OP_XOR
				     : OP_AND,
		    T_PRED, i ? q : p, i ? val_not(both) : both, lift_pred(l, SM70_R_PA));
	}
}

static void do_set(struct lift *l)
{
	struct compare c = comparison(l);
	bool ones = has(l, SM70_W_BF);
	gen_set_with(&l->g, &c, ones ? type_of(l) : T_U32, lift_dst(l));
}

bool lift_halves(struct lift *l)
{
	switch (l->in->op) {
	case SM70_HADD2: do_add(l); return true;
	case SM70_HMUL2: do_mul(l); return true;
	case SM70_HFMA2: do_fma(l); return true;
	case SM70_HMNMX2: do_minmax(l); return true;
	case SM70_VHMNMX: do_minmax3(l); return true;
	case SM70_HSETP2: do_setp(l); return true;
	case SM70_HSET2: do_set(l); return true;
	default: return false;
	}
}
