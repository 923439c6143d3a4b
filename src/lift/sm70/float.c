/* Lifts 32-bit and 64-bit floating point. */
#include "lift/sm70/lift.h"

static unsigned mods_of(const struct lift *l)
{
	return (has(l, SM70_W_FTZ) || has(l, SM70_W_FMZ) ? M_FTZ : 0) |
	       (has(l, SM70_W_SAT) ? M_SAT : 0);
}

static bool flips_sign(const struct sm70_operand *o) { return o && o->neg && !o->abs; }

/* The operand without its negation, which the operation performs instead. */
static struct opnd without_negation(struct lift *l, const struct sm70_operand *o, bool wide)
{
	struct sm70_operand p = *o;
	p.neg = false;
	return wide ? lift_f64(l, &p) : lift_f32(l, &p);
}

/* The second source of a sum: B, or C in forms with a long immediate. */
static const struct sm70_operand *second_source(const struct lift *l)
{
	const struct sm70_operand *b = opd(l, SM70_R_B);
	return b ? b : opd(l, SM70_R_C);
}

static void do_add(struct lift *l)
{
	const struct sm70_operand *a = opd(l, SM70_R_A), *b = second_source(l);
	struct opnd d = lift_dst(l);
	if (flips_sign(b) && b->kind != SM70_K_IMM && b->reg != SM70_RZ)
		gen_float_op(&l->g, OP_SUB, T_F32, lift_rounding(l), mods_of(l), d, lift_f32(l, a),
			     without_negation(l, b, false));
	else if (flips_sign(a) && a->reg != SM70_RZ &&
		 !flips_sign(b)) /* operands may be swapped: NaNs have one pattern */
		gen_float_op(&l->g, OP_SUB, T_F32, lift_rounding(l), mods_of(l), d, lift_f32(l, b),
			     without_negation(l, a, false));
	else
		gen_float_op(&l->g, OP_ADD, T_F32, lift_rounding(l), mods_of(l), d, lift_f32(l, a),
			     lift_f32(l, b));
}

static void do_mul(struct lift *l)
{
	static const struct {
		uint16_t word;
		uint32_t bits;
	} scales[] = {{SM70_W_D2, 0x3f000000}, {SM70_W_D4, 0x3e800000}, {SM70_W_D8, 0x3e000000},
		      {SM70_W_M2, 0x40000000}, {SM70_W_M4, 0x40800000}, {SM70_W_M8, 0x41000000}};
	unsigned scale = mod(l, SM70_MOD_SCALE);
	struct opnd a = lift_f32(l, opd(l, SM70_R_A)), b = lift_f32(l, opd(l, SM70_R_B));
	for (size_t i = 0; scale && i < sizeof scales / sizeof *scales; i++)
		if (scales[i].word == scale) { /* exact, except at the ends of the range */
			struct opnd t = gen_t(&l->g);
			gen_float_op(&l->g, OP_MUL, T_F32, RND_RN, 0, t, a, imm(scales[i].bits));
			a = t;
		}
	gen_float_op(&l->g, OP_MUL, T_F32, lift_rounding(l), mods_of(l), lift_dst(l), a, b);
}

static void do_fma(struct lift *l)
{
	struct opnd a = lift_f32(l, opd(l, SM70_R_A)), b = lift_f32(l, opd(l, SM70_R_B)),
		    c = lift_f32(l, opd(l, SM70_R_C));
	gen_float_op(&l->g, OP_FMA, T_F32, lift_rounding(l), mods_of(l), lift_dst(l), a, b, c);
}

/* FMNMX: predicate true selects the minimum. */
static void do_minmax(struct lift *l)
{
	struct ngen *g = &l->g;
	bool x = has(l, SM70_W_XORSIGN);
	unsigned mods = mods_of(l) | (has(l, SM70_W_NAN) ? M_NAN : 0) | (x ? M_XORSIGN : 0);
	const struct sm70_operand *ao = opd(l, SM70_R_A), *bo = opd(l, SM70_R_B);
	/* XORSIGN takes the absolute values itself, and needs the operands' own signs */
	struct opnd a = x ? lift_raw(l, ao) : lift_f32(l, ao),
		    b = x ? lift_raw(l, bo) : lift_f32(l, bo), d = lift_dst(l);
	if (has(l, SM70_W_IS_A)) {
		lift_refuse(l, "which operand was chosen");
		return;
	}
	if (lift_pred_is(l, SM70_R_PA, true) || lift_pred_is(l, SM70_R_PA, false)) {
		gen_mods(g, lift_pred_is(l, SM70_R_PA, true) ? OP_MIN : OP_MAX, T_F32, mods, d, a,
			 b);
		return;
	}
	struct opnd lo = gen_t(g), hi = gen_t(g);
	gen_mods(g, OP_MIN, T_F32, mods, lo, a, b);
	gen_mods(g, OP_MAX, T_F32, mods, hi, a, b);
	gen(g, OP_SELP, T_B32, d, lo, hi, lift_pred(l, SM70_R_PA));
}

/* ---- comparisons ---- */

static bool has_destination(const struct lift *l, unsigned role)
{
	const struct sm70_operand *o = opd(l, role);
	return o && o->reg != SM70_PT;
}

static struct compare read_comparison(struct lift *l, unsigned type)
{
	struct compare c = {
		.cmp = lift_cmp(l, true), .type = type, .mods = has(l, SM70_W_FTZ) ? M_FTZ : 0};
	c.a = type == T_F64 ? lift_f64(l, opd(l, SM70_R_A)) : lift_f32(l, opd(l, SM70_R_A));
	c.b = type == T_F64 ? lift_f64(l, opd(l, SM70_R_B)) : lift_f32(l, opd(l, SM70_R_B));
	if (!c.cmp) { /* F, T */
		c.cmp = mod(l, SM70_MOD_CMP) == SM70_W_T ? CMP_EQ : CMP_NE;
		c.type = T_U32;
		c.a = c.b = imm(0);
	}
	if (lift_bool(l) != BOP_AND || !lift_pred_is(l, SM70_R_PA, true)) {
		c.bop = lift_bool(l);
		c.p = lift_pred(l, SM70_R_PA);
	}
	return c;
}

static void do_setp(struct lift *l, unsigned type)
{
	struct compare c = read_comparison(l, type);
	struct opnd p = lift_pred_dst(l, SM70_R_PD);
	if (has_destination(l, SM70_R_PD2))
		gen_setp_both(&l->g, &c, p, lift_pred_dst(l, SM70_R_PD2));
	else
		gen_setp_with(&l->g, &c, p);
}

/* Maps doubles to integers of equal order, -0 before +0. */
static struct opnd ordered_bits(struct lift *l, struct opnd x)
{
	struct opnd m = gen_d(&l->g), r = gen_d(&l->g);
	gen(&l->g, OP_SHR, T_S64, m, x, imm(63));
	gen(&l->g, OP_AND, T_B64, m, m, imm_as(T_B64, 0x7fffffffffffffff));
	gen(&l->g, OP_XOR, T_B64, r, x, m);
	return r;
}

/* DSETP.MIN, .MAX. First predicate: the first operand is the minimum (maximum), or the second is
 * NaN. Second predicate: both are NaN, and the result is the second operand made quiet. */
static void do_dsetp_minmax(struct lift *l, bool max)
{
	struct ngen *g = &l->g;
	struct opnd a = lift_reg(l, lift_f64(l, opd(l, SM70_R_A))),
		    b = lift_f64(l, opd(l, SM70_R_B));
	struct opnd first = gen_q(g), na = gen_q(g), nb = gen_q(g), p = lift_pred_dst(l, SM70_R_PD),
		    q = lift_pred_dst(l, SM70_R_PD2);
	gen_setp(g, CMP_NAN, T_F64, na, a, a);
	gen_setp(g, CMP_NAN, T_F64, nb, b, b);
	gen_setp(g, max ? CMP_GT : CMP_LT, T_S64, first, ordered_bits(l, a), ordered_bits(l, b));
	gen(g, OP_OR, T_PRED, first, first, nb);
	gen(g, OP_AND, T_PRED, first, first, val_not(na));
	gen(g, OP_AND, T_PRED, p, first, lift_pred(l, SM70_R_PA));
	gen(g, OP_AND, T_PRED, q, na, nb);
}

static void do_set(struct lift *l)
{
	struct compare c = read_comparison(l, T_F32);
	gen_set_with(&l->g, &c, has(l, SM70_W_BF) ? T_F32 : T_U32, lift_dst(l));
}

/* ---- functions ---- */

/* The source of instructions that have only one. */
static const struct sm70_operand *only_source(const struct lift *l)
{
	const struct sm70_operand *o = opd(l, SM70_R_B);
	o = o ? o : opd(l, SM70_R_A);
	return o ? o : opd(l, SM70_R_C);
}

static void mufu_half(struct lift *l, unsigned op, unsigned type)
{
	const struct sm70_operand *o = only_source(l);
	struct opnd s = lift_half(l, o, type == T_BF16), d = lift_dst(l), t = gen_t(&l->g);
	gen_mods(&l->g, (enum op)op, type, M_APPROX, t, s);
	gen(&l->g, OP_MOV, T_U32, d, t);
}

/* Functions of doubles that take and return their upper words. */
static void mufu_64h(struct lift *l, enum op op)
{
	struct ngen *g = &l->g;
	struct opnd x = gen_d(g), r = gen_d(g);
	gen_pack(g, x, lift_reg(l, imm(0)), lift_reg(l, lift_f32(l, only_source(l))));
	gen_float_op(g, op, T_F64, RND_NONE, M_APPROX | M_FTZ, r, x);
	gen_unpack(g, gen_t(g), lift_dst(l), r);
}

/* MUFU on singles: subnormals are flushed on both sides. Sines and cosines take turns, not
 * radians. */
static void do_mufu(struct lift *l)
{
	static const struct {
		uint16_t fn;
		uint16_t op;
	} rows[] = {{SM70_W_RCP, OP_RCP}, {SM70_W_RSQ, OP_RSQRT}, {SM70_W_SQRT, OP_SQRT},
		    {SM70_W_EX2, OP_EX2}, {SM70_W_LG2, OP_LG2},   {SM70_W_SIN, OP_SIN},
		    {SM70_W_COS, OP_COS}, {SM70_W_TANH, OP_TANH}};
	unsigned fn = mod(l, SM70_MOD_FN);
	if (fn == SM70_W_RCP64H || fn == SM70_W_RSQ64H) {
		mufu_64h(l, fn == SM70_W_RCP64H ? OP_RCP : OP_RSQRT);
		return;
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].fn != fn)
			continue;
		if (has(l, SM70_W_F16) || has(l, SM70_W_BF16) || has(l, SM70_W_BF16_V2)) {
			mufu_half(l, rows[i].op, has(l, SM70_W_F16) ? T_F16 : T_BF16);
			return;
		}
		unsigned mods = M_APPROX | (fn == SM70_W_TANH ? 0 : M_FTZ);
		if (fn == SM70_W_SIN || fn == SM70_W_COS)
			mods |= M_FULL; /* the argument is in turns */
		gen_mods(&l->g, rows[i].op, T_F32, mods, lift_dst(l), lift_f32(l, only_source(l)));
		return;
	}
	lift_refuse(l, "a function of no known meaning");
}

/* FCHK: true if the short sequence for a / b would give a wrong result: exponents near the ends,
 * zeros, NaNs, infinities. */
static void do_fchk(struct lift *l)
{
	struct ngen *g = &l->g;
	struct opnd a = lift_f32(l, opd(l, SM70_R_A)), b = lift_f32(l, opd(l, SM70_R_B));
	struct opnd ea = gen_t(g), eb = gen_t(g), t = gen_t(g), all = gen_q(g), q = gen_q(g);
	gen(g, OP_BFE, T_U32, ea, a, imm_as(T_U32, 23), imm_as(T_U32, 8));
	gen(g, OP_BFE, T_U32, eb, b, imm_as(T_U32, 23), imm_as(T_U32, 8));
	/* the quotient's exponent, the divisor's reciprocal or the remainder would leave the normal
	 * range */
	gen(g, OP_SUB, T_S32, t, eb, imm(2)); /* 2 .. 253 */
	gen_setp(g, CMP_GT, T_U32, all, t, imm(250));
	gen(g, OP_SUB, T_S32, t, ea, eb);
	gen(g, OP_ADD, T_S32, t, t, imm(125)); /* -125 .. 126 */
	gen_setp(g, CMP_GT, T_U32, q, t, imm(250));
	gen(g, OP_OR, T_PRED, all, all, q);
	gen(g, OP_SUB, T_S32, t, ea, imm(25)); /* 25 .. 254: the remainder is normal */
	gen_setp(g, CMP_GT, T_U32, q, t, imm(229));
	gen(g, OP_OR, T_PRED, all, all, q);
	gen(g, OP_MOV, T_PRED, lift_pred_dst(l, SM70_R_PD), all);
}

/* ---- doubles ---- */

static void do_f64(struct lift *l)
{
	struct opnd a = lift_f64(l, opd(l, SM70_R_A)), d;
	const struct sm70_operand *b = opd(l, SM70_R_B), *c = opd(l, SM70_R_C);
	unsigned r = lift_rounding(l);
	switch (l->in->op) {
	case SM70_DADD: {
		struct opnd y = lift_f64(l, b ? b : c);
		d = lift_dst64(l);
		gen_float_op(&l->g, OP_ADD, T_F64, r, 0, d, a, y);
		return;
	}
	case SM70_DMUL: {
		struct opnd y = lift_f64(l, b);
		d = lift_dst64(l);
		gen_float_op(&l->g, OP_MUL, T_F64, r, 0, d, a, y);
		return;
	}
	default: {
		struct opnd y = lift_f64(l, b), z = lift_f64(l, c);
		d = lift_dst64(l);
		gen_float_op(&l->g, OP_FMA, T_F64, r, 0, d, a, y, z);
	}
	}
}

bool lift_float(struct lift *l)
{
	unsigned cmp = mod(l, SM70_MOD_CMP);
	switch (l->in->op) {
	case SM70_FADD: do_add(l); return true;
	case SM70_FMUL: do_mul(l); return true;
	case SM70_FFMA:
	case SM70_UFFMA: do_fma(l); return true;
	case SM70_FMNMX: do_minmax(l); return true;
	case SM70_FSETP: do_setp(l, T_F32); return true;
	case SM70_FSET: do_set(l); return true;
	case SM70_FCHK: do_fchk(l); return true;
	case SM70_MUFU: do_mufu(l); return true;
	case SM70_DSETP:
		if (has(l, SM70_W_MIN) || has(l, SM70_W_MAX) || cmp == SM70_W_MIN ||
		    cmp == SM70_W_MAX)
			do_dsetp_minmax(l, has(l, SM70_W_MAX));
		else
			do_setp(l, T_F64);
		return true;
	case SM70_DADD:
	case SM70_DMUL:
	case SM70_DFMA: do_f64(l); return true;
	default: return false;
	}
}
