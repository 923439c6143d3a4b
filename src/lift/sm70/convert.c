/* Lifts conversions. */
#include "lift/sm70/lift.h"

/* The type that a modifier names; `none` if the modifier is absent. */
static unsigned type_of(unsigned word, unsigned none)
{
	static const struct {
		uint16_t word;
		uint8_t type;
	} rows[] = {{SM70_W_U8, T_U8},     {SM70_W_S8, T_S8},     {SM70_W_U16, T_U16},
		    {SM70_W_S16, T_S16},   {SM70_W_U32, T_U32},   {SM70_W_S32, T_S32},
		    {SM70_W_U64, T_U64},   {SM70_W_S64, T_S64},   {SM70_W_F16, T_F16},
		    {SM70_W_BF16, T_BF16}, {SM70_W_F32, T_F32},   {SM70_W_F64, T_F64},
		    {SM70_W_TF32, T_TF32}, {SM70_W_E4M3, T_E4M3}, {SM70_W_E5M2, T_E5M2},
		    {SM70_W_U4, T_U4},     {SM70_W_S4, T_S4},     {SM70_W_U2, T_U2},
		    {SM70_W_S2, T_S2}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].word == word)
			return rows[i].type;
	return none;
}

static const struct sm70_operand *only_source(const struct lift *l)
{
	const struct sm70_operand *o = opd(l, SM70_R_B);
	o = o ? o : opd(l, SM70_R_A);
	return o ? o : opd(l, SM70_R_C);
}

/* A source of type t: part of a register, a register, a pair; signs of floats applied. */
static struct opnd source_of_type(struct lift *l, unsigned t)
{
	struct ngen *g = &l->g;
	const struct sm70_operand *o = only_source(l);
	if (t == T_F64)
		return lift_reg(l, lift_f64(l, o));
	if (type_bits(t) == 64)
		return lift_reg(l, lift_raw64(l, o));
	if (t == T_F16 || t == T_BF16)
		return lift_reg(l, lift_half(l, o, t == T_BF16));
	struct opnd s = type_is_float(t) ? lift_f32(l, o) : lift_int(l, o);
	unsigned at = 0;
	switch (o->part) {
	case SM70_W_B1: at = 8; break;
	case SM70_W_B2: at = 16; break;
	case SM70_W_B3: at = 24; break;
	case SM70_W_H1:
	case SM70_W_H1_H1: at = 16; break;
	default: break;
	}
	s = lift_reg(l, s);
	if (!at)
		return s;
	struct opnd d = gen_t(g);
	gen(g, OP_SHR, T_U32, d, s, imm(at));
	return d;
}

static unsigned integral_rounding(const struct lift *l)
{
	if (has(l, SM70_W_TRUNC))
		return RND_RZI;
	return has(l, SM70_W_FLOOR) ? RND_RMI : has(l, SM70_W_CEIL) ? RND_RPI : RND_RNI;
}

static unsigned float_mods(const struct lift *l)
{
	return (has(l, SM70_W_FTZ) ? M_FTZ : 0) | (has(l, SM70_W_SAT) ? M_SAT : 0) |
	       (has(l, SM70_W_RELU) ? M_RELU : 0) | (has(l, SM70_W_SATFINITE) ? M_SATFINITE : 0);
}

static struct opnd result_of_type(struct lift *l, unsigned t)
{
	return type_bits(t) == 64 ? lift_dst64(l) : lift_dst(l);
}

static void do_f2f(struct lift *l)
{
	unsigned to = type_of(mod(l, SM70_MOD_DT), T_F32),
		 from = type_of(mod(l, SM70_MOD_ST), T_F32);
	struct opnd s = source_of_type(l, from);
	gen_cvt_as(&l->g, to, from, lift_rounding(l), float_mods(l), result_of_type(l, to), s);
}

static void do_frnd(struct lift *l)
{
	unsigned t = type_of(mod(l, SM70_MOD_DT),
			     type_of(mod(l, SM70_MOD_ST), type_of(mod(l, SM70_MOD_TYPE), T_F32)));
	struct opnd s = source_of_type(l, t);
	gen_cvt_as(&l->g, t, t, integral_rounding(l), float_mods(l), result_of_type(l, t), s);
}

/* F2I. NTZ: a NaN becomes 0; otherwise it becomes the result type's top bit alone. */
static void do_f2i(struct lift *l)
{
	struct ngen *g = &l->g;
	unsigned to = type_of(mod(l, SM70_MOD_DT), T_S32),
		 from = type_of(mod(l, SM70_MOD_ST), T_F32);
	struct opnd s = source_of_type(l, from), d = result_of_type(l, to);
	bool wide = type_bits(to) == 64, zero = mod(l, SM70_MOD_NTZ) != SM70_W_NONE;
	bool is_zero = !(from == T_F64 || wide); /* result that the operation itself gives for a
	                                          * NaN */
	struct opnd q = gen_q(g), t = wide ? gen_d(g) : gen_t(g);
	if (zero == is_zero) {
		gen_cvt_as(g, to, from, integral_rounding(l), float_mods(l), d, s);
		return;
	}
	gen_setp(g, CMP_NAN, from, q, s, s);
	gen_cvt_as(g, to, from, integral_rounding(l), float_mods(l), t, s);
	uint64_t nan = zero ? 0 : 1ull << (type_bits(to) - 1);
	if (!zero && type_is_signed(to))
		nan = (uint64_t) - (int64_t)nan;
	gen(g, OP_SELP, wide ? T_B64 : T_B32, d,
	    imm_as(wide ? T_B64 : T_B32, wide ? nan : (uint32_t)nan), t, q);
}

static void do_i2f(struct lift *l, bool packed)
{
	unsigned to = type_of(mod(l, SM70_MOD_DT), packed ? T_F32 : T_F32),
		 from = type_of(mod(l, SM70_MOD_ST), T_S32);
	struct opnd s = source_of_type(l, from);
	gen_cvt_as(&l->g, to, from, lift_rounding(l), 0, result_of_type(l, to), s);
}

static void do_i2i(struct lift *l)
{
	unsigned to = type_of(mod(l, SM70_MOD_DT), T_S32),
		 from = type_of(mod(l, SM70_MOD_ST), T_S32);
	struct opnd s = source_of_type(l, from);
	gen_cvt_as(&l->g, to, from, RND_NONE, has(l, SM70_W_SAT) ? M_SAT : 0, lift_dst(l), s);
}

/* Refuses a last source of which the upper half is packed. */
static bool takes_upper_half(struct lift *l)
{
	const struct sm70_operand *c = opd(l, SM70_R_C);
	if (!c || c->kind != SM70_K_GPR || c->part != SM70_W_H1)
		return false;
	lift_refuse(l, "the upper half of its last source");
	return true;
}

/* I2IP: two integers saturated, a above b; bytes and smaller types move c up above them. */
static void do_i2ip(struct lift *l)
{
	if (takes_upper_half(l))
		return;
	if (!has(l, SM70_W_SAT)) {
		lift_refuse(l, "integers that are not saturated");
		return;
	}
	unsigned to = type_of(mod(l, SM70_MOD_DT), T_S16);
	struct opnd a = lift_reg(l, lift_int(l, opd(l, SM70_R_A))),
		    b = lift_reg(l, lift_int(l, opd(l, SM70_R_B)));
	const struct sm70_operand *co = opd(l, SM70_R_C);
	struct inst in = {.op = OP_CVT_PACK,
			  .type = (uint8_t)to,
			  .stype = T_S32,
			  .atype = T_B32,
			  .mods = M_SAT,
			  .nd = 1};
	if (type_bits(to) == 16)
		gen_emit(&l->g, in, GEN_LIST(lift_dst(l), a, b));
	else
		gen_emit(&l->g, in, GEN_LIST(lift_dst(l), a, b, lift_reg(l, lift_raw(l, co))));
}

/* F2IP: two floats as bytes, b's below a's, and c above them. */
static void do_f2ip(struct lift *l)
{
	if (takes_upper_half(l))
		return;
	struct ngen *g = &l->g;
	unsigned to = type_of(mod(l, SM70_MOD_DT), T_U8), rnd = integral_rounding(l);
	struct opnd a = gen_t(g), b = gen_t(g), c = lift_reg(l, lift_raw(l, opd(l, SM70_R_C)));
	gen_cvt_as(g, to, T_F32, rnd, float_mods(l), a, lift_reg(l, lift_f32(l, opd(l, SM70_R_A))));
	gen_cvt_as(g, to, T_F32, rnd, float_mods(l), b, lift_reg(l, lift_f32(l, opd(l, SM70_R_B))));
	gen(g, OP_PRMT, T_B32, b, b, a, imm(0x0040));
	gen(g, OP_PRMT, T_B32, lift_dst(l), b, c, imm(0x5410));
}

/* ---- floats in pairs ---- */

static unsigned packed_type(unsigned t)
{
	switch (t) {
	case T_F16: return T_F16X2;
	case T_BF16: return T_BF16X2;
	case T_E4M3: return T_E4M3X2;
	case T_E5M2: return T_E5M2X2;
	default: return t;
	}
}

/* F2FP: packs two singles (PACK_AB: a above b), or unpacks the lower halves of b (UNPACK_B);
 * MERGE_C: c gives the other half of the result. */
static void do_f2fp(struct lift *l)
{
	struct ngen *g = &l->g;
	unsigned to = type_of(mod(l, SM70_MOD_DT), T_F16),
		 from = type_of(mod(l, SM70_MOD_ST), T_F32);
	bool pack_ab = has(l, SM70_W_PACK_AB) || has(l, SM70_W_PACK_AB_MERGE_C);
	bool merge = has(l, SM70_W_MERGE_C) || has(l, SM70_W_PACK_AB_MERGE_C) ||
		     has(l, SM70_W_UNPACK_B_MERGE_C);
	unsigned mods = float_mods(l), rnd = lift_rounding(l);
	const struct sm70_operand *ao = opd(l, SM70_R_A), *bo = opd(l, SM70_R_B),
				  *co = opd(l, SM70_R_C);
	struct opnd r = gen_t(g), d = lift_dst(l);
	bo = bo ? bo : ao;
	struct inst in = {.op = OP_CVT, .stype = T_F32, .rnd = (uint8_t)rnd, .mods = mods, .nd = 1};
	if (to == T_TF32) {
		gen_cvt_as(g, T_TF32, T_F32, rnd, mods, d, lift_reg(l, lift_f32(l, bo)));
		return;
	}
	if (pack_ab) {
		in.type = (uint8_t)packed_type(to);
		gen_emit(g, in,
			 GEN_LIST(r, lift_reg(l, lift_f32(l, ao)), lift_reg(l, lift_f32(l, bo))));
	} else if (from == T_F32) { /* one single */
		gen_cvt_as(g, to, T_F32, rnd, mods, r, lift_reg(l, lift_f32(l, bo)));
	} else {
		struct sm70_operand o = *bo;
		struct opnd s = lift_reg(l, lift_raw(l, bo));
		if (o.part == SM70_W_H1 || o.part == SM70_W_H1_H1) {
			struct opnd t = gen_t(g);
			gen(g, OP_SHR, T_U32, t, s, imm(16));
			s = t;
		}
		in.stype = (uint8_t)packed_type(from);
		in.type = (uint8_t)packed_type(to);
		gen_emit(g, in, GEN_LIST(r, s));
	}
	if (merge && co && !(co->kind == SM70_K_GPR && co->reg == SM70_RZ))
		gen(g, OP_PRMT, T_B32, d, r, lift_reg(l, lift_raw(l, co)), imm(0x5410));
	else if (merge)
		gen(g, OP_AND, T_B32, d, r, imm(0xffff));
	else
		gen(g, OP_MOV, T_U32, d, r);
}

bool lift_convert(struct lift *l)
{
	switch (l->in->op) {
	case SM70_F2F: do_f2f(l); return true;
	case SM70_FRND: do_frnd(l); return true;
	case SM70_F2I:
	case SM70_UF2I: do_f2i(l); return true;
	case SM70_I2F:
	case SM70_UI2F: do_i2f(l, false); return true;
	case SM70_I2FP:
	case SM70_UI2FP: do_i2f(l, true); return true;
	case SM70_I2I: do_i2i(l); return true;
	case SM70_I2IP: do_i2ip(l); return true;
	case SM70_F2FP: do_f2fp(l); return true;
	case SM70_F2IP: do_f2ip(l); return true;
	default: return false;
	}
}
