/* Conversions between types and between address spaces on sm_20. */
#include "back/select/operations.h"

static const char *to_integral(unsigned rnd)
{
	return rnd == RND_RZI   ? ".TRUNC"
	       : rnd == RND_RMI ? ".FLOOR"
	       : rnd == RND_RPI ? ".CEIL"
				: "";
}

static const char *rounding_name(unsigned rnd)
{
	return rnd == RND_RM ? ".RM" : rnd == RND_RP ? ".RP" : rnd == RND_RZ ? ".RZ" : "";
}

static void int_to_int(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned db = type_bits(in->type), sb = type_bits(in->stype);
	bool ss = type_is_signed(in->stype), ds = type_is_signed(in->type);
	uint32_t t = sel_temp(s, 1);
	if (in->mods & M_SAT) {
		if (db == 64 || sb == 64) {
			sel_refuse(s, "");
			return;
		}
		struct mo a = sel_force(s, sel_ext(s, 0, in->stype));
		OP(s, sel_text(s, "I2I.%s.%s.SAT", sel_int_name(in->type), ss ? "S32" : "U32"), 1,
		   mo_reg(t), a);
		sel_put_word(s, mo_reg(t), ds);
		return;
	}
	if (db == 64 && sb == 64) {
		uint32_t d = sel_dst(s, 0);
		for (unsigned w = 0; w < s->m.val.v[d].words; w++)
			OP(s, "MOV", 1, mo_word(d, w), sel_src(s, 0, w))->fresh = !w;
		return;
	}
	if (db > sb) { /* extended as the source's type says */
		sel_put_word(s, sel_force(s, sel_ext(s, 0, in->stype)), ss);
		return;
	}
	sel_put_word(s, sel_force(s, sel_ext(s, 0, db < 32 ? in->type : T_U32)), ds);
}

static void float_to_int(struct sel *s)
{
	const struct inst *in = s->in;
	const char *z = in->mods & M_FTZ ? ".FTZ" : "";
	uint32_t d = sel_dst(s, 0);
	bool wide = type_bits(in->type) == 64;
	unsigned from = in->stype;
	struct mo a = from == T_F64 ? sel_double(s, 0) : sel_reg(s, 0, 0);
	uint32_t t = sel_temp(s, wide ? 2 : 1);
	if (wide && from == T_F16) {
		uint32_t f = sel_temp(s, 1);
		OP(s, "F2F.F32.F16", 1, mo_reg(f), a);
		a = mo_reg(f);
		from = T_F32;
	}
	OP(s,
	   sel_text(s, "F2I%s.%s.%s%s", z, sel_int_name(in->type), sel_float_name(from),
		    to_integral(in->rnd)),
	   1, mo_wide(t), a);
	if (wide || from == T_F64) { /* F2I turns NaN into 0, PTX into the lowest number */
		uint32_t nan = sel_temp(s, 0);
		unsigned top = wide ? 1 : 0;
		OP(s, from == T_F64 ? "DSETP.NAN.AND" : "FSETP.NAN.AND", 2, mo_pred(nan),
		   mo_pred(V_TRUE), a, a, mo_pred(V_TRUE));
		struct mo low = sel_force(s, sel_word(s, sel_lowest(in->type)));
		OP(s, "SEL", 1, mo_word(t, top), low, mo_word(t, top), mo_pred(nan));
	}
	if (wide)
		sel_move(s, d, t);
	else
		sel_put_word(s, mo_reg(t), type_is_signed(in->type));
}

/* Saturates an integer to 0 or 1, as a number of a type other than single. */
static void saturate_integer(struct sel *s, uint32_t d, struct mo a)
{
	const struct inst *in = s->in;
	bool wide = type_bits(in->stype) == 64, sg = type_is_signed(in->stype);
	uint32_t t = sel_temp(s, in->type == T_F64 ? 2 : 1), f = sel_temp(s, 1);
	OP(s,
	   sel_text(s, "I2F.F32.%s",
		    sel_int_name(wide ? in->stype
				 : sg ? T_S32
				      : T_U32)),
	   1, mo_reg(f), a);
	OP(s, "F2F.F32.F32.SAT", 1, mo_reg(f), mo_reg(f));
	OP(s, sel_text(s, "F2F.%s.F32", sel_float_name(in->type)), 1, mo_wide(t), mo_reg(f));
	sel_move(s, d, t);
}

static void int_to_float(struct sel *s)
{
	const struct inst *in = s->in;
	uint32_t d = sel_dst(s, 0), t = sel_temp(s, in->type == T_F64 ? 2 : 1);
	bool wide = type_bits(in->stype) == 64;
	struct mo a = wide ? sel_double(s, 0) : sel_force(s, sel_ext(s, 0, in->stype));
	if (in->mods & M_SAT && in->type != T_F32) { /* the result is 1 or 0: no integer lies
	                                              * between */
		saturate_integer(s, d, wide ? a : mo_reg(a.v));
		return;
	}
	unsigned st =
		type_bits(in->stype) < 32 ? (type_is_signed(in->stype) ? T_S32 : T_U32) : in->stype;
	OP(s,
	   sel_text(s, "I2F.%s.%s%s", sel_float_name(in->type), sel_int_name(st),
		    rounding_name(in->rnd)),
	   1, mo_wide(t), a);
	if (in->mods & M_SAT)
		OP(s, "F2F.F32.F32.SAT", 1, mo_reg(t), mo_reg(t));
	sel_move(s, d, t);
}

static void float_to_float(struct sel *s)
{
	const struct inst *in = s->in;
	/* every half is a normal single, so flushing would change nothing */
	const char *z = in->mods & M_FTZ && in->type != T_F16 ? ".FTZ" : "";
	bool same = in->type == in->stype, integral = in->rnd >= RND_RNI && in->rnd <= RND_RPI;
	const char *r = integral ? (in->rnd == RND_RNI ? ".ROUND" : to_integral(in->rnd))
				 : rounding_name(in->rnd);
	if (in->mods & (M_RELU | M_SATFINITE) || (in->type == T_F16 && in->mods & M_SAT)) {
		sel_refuse(s, "");
		return;
	}
	struct mo a = in->stype == T_F64 ? sel_double(s, 0) : sel_reg(s, 0, 0);
	if (same && in->type == T_F16 && !integral) { /* NaN becomes 0x7fff */
		uint32_t f = sel_temp(s, 1);
		OP(s, "F2F.F32.F16", 1, mo_reg(f), a);
		OP(s, "F2F.F16.F32", 1, mo_reg(sel_dst(s, 0)), mo_reg(f));
		return;
	}
	if (same && !integral && !(in->mods & (M_SAT | M_FTZ))) {
		uint32_t d = sel_dst(s, 0);
		for (unsigned w = 0; w < s->m.val.v[d].words; w++)
			OP(s, "MOV", 1, mo_word(d, w),
			   a.kind == MO_REG ? mo_word(a.v, w) : mo_zero())
				->fresh = !w;
		return;
	}
	OP(s,
	   sel_text(s, "F2F%s.%s.%s%s%s", z, sel_float_name(in->type), sel_float_name(in->stype), r,
		    in->mods & M_SAT ? ".SAT" : ""),
	   1, mo_wide(sel_dst(s, 0)), a);
}

/* Constants also lie in global memory: a variable's generic address is its offset in the bank plus
 * the bank's address. */
static void cvta_constant(struct sel *s, uint32_t d)
{
	uint32_t base = sel_temp(s, 2), t = sel_temp(s, 2);
	struct mo hi = s->m.val.v[d].words > 1 ? sel_reg(s, 0, 1) : mo_zero();
	OP(s, "MOV32I", 1, mo_word(base, 0), mo_text("32@lo(.nv.constant2)"))->fresh = true;
	OP(s, "MOV32I", 1, mo_word(base, 1), mo_text("32@hi(.nv.constant2)"));
	sel_add64(s, t, sel_reg(s, 0, 0), hi, mo_word(base, 0), mo_word(base, 1),
		  s->in->mods & M_TO);
	for (unsigned w = 0; w < s->m.val.v[d].words; w++)
		OP(s, "MOV", 1, mo_word(d, w), mo_word(t, w))->fresh = !w;
}

/* Shared and local memory are windows of the generic addresses, at c[0x0][0x0] and c[0x0][0x4]. */
void fermi_cvta(struct sel *s)
{
	const struct inst *in = s->in;
	uint32_t d = sel_dst(s, 0);
	if (in->space == SP_CONST) {
		cvta_constant(s, d);
		return;
	}
	if (in->space == SP_GLOBAL) {
		for (unsigned w = 0; w < s->m.val.v[d].words; w++)
			OP(s, "MOV", 1, mo_word(d, w), sel_src(s, 0, w))->fresh = !w;
		return;
	}
	if (in->space != SP_SHARED && in->space != SP_LOCAL) {
		sel_refuse(s, "generic addresses of this space");
		return;
	}
	struct mo base = mo_const(0, in->space == SP_SHARED ? 0 : 4);
	uint32_t t = sel_temp(s, 2);
	OP(s, "IADD", 1, mo_word(t, 0), sel_reg(s, 0, 0), in->mods & M_TO ? mo_neg(base) : base)
		->fresh = true;
	OP(s, "MOV", 1, mo_word(t, 1), mo_zero());
	for (unsigned w = 0; w < s->m.val.v[d].words; w++)
		OP(s, "MOV", 1, mo_word(d, w), mo_word(t, w))->fresh = !w;
}

void fermi_cvt(struct sel *s)
{
	sel_convert(s,
		    &(struct conversions){float_to_float, float_to_int, int_to_float, int_to_int});
}
