/* Conversions between types and between address spaces on sm_13. */
#include "back/select/operations.h"
#include "back/tesla/tesla.h"

static const char *rounding_name(unsigned rnd)
{
	switch (rnd) {
	case RND_RM:
	case RND_RMI: return ".FLOOR";
	case RND_RP:
	case RND_RPI: return ".CEIL";
	case RND_RZ:
	case RND_RZI: return ".TRUNC";
	default: return "";
	}
}

/* Returns a word of type st, clamped to the range of dt. */
static struct mo limit_word(struct sel *s, struct mo w, unsigned dt, bool from_signed)
{
	bool sg = type_is_signed(dt);
	unsigned bits = type_bits(dt);
	uint32_t t = sel_temp(s, 1), u = sel_temp(s, 1);
	if (bits >= 32 && sg == from_signed)
		return w;
	uint32_t top = bits >= 32 ? (sg ? 0x7fffffff : 0xffffffff) : (1u << (bits - sg)) - 1;
	uint32_t bottom = sg ? ~top : 0;
	if (!from_signed) {
		T(s, "IMIN", 1, mo_reg(t), w, t_lit(s, top));
		return mo_reg(t);
	}
	T(s, "IMAX.S32", 1, mo_reg(t), w, t_lit(s, bottom));
	if (bits >= 32)
		return mo_reg(t);
	T(s, "IMIN.S32", 1, mo_reg(u), mo_reg(t), t_lit(s, top));
	return mo_reg(u);
}

static void int_to_int(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned db = type_bits(in->type), sb = type_bits(in->stype);
	bool ss = type_is_signed(in->stype), ds = type_is_signed(in->type);
	if (in->mods & M_SAT) {
		if (db == 64 || sb == 64) {
			sel_refuse(s, "");
			return;
		}
		sel_put_word(s, limit_word(s, t_ext(s, 0, in->stype), in->type, ss), ds);
		return;
	}
	if (db == 64 && sb == 64) {
		uint32_t d = sel_dst(s, 0);
		for (unsigned w = 0; w < s->m.val.v[d].words; w++)
			T(s, "MOV", 1, mo_word(d, w), t_reg(s, 0, w))->fresh = !w;
		return;
	}
	if (db > sb)
		sel_put_word(s, t_ext(s, 0, in->stype), ss);
	else
		sel_put_word(s, t_ext(s, 0, db < 32 ? in->type : T_U32), ds);
}

/* F2I turns NaN into 0, PTX into the lowest number. */
static struct mo lowest_of_nan(struct sel *s, struct mo a, struct mo r, uint32_t low)
{
	uint32_t d = t_value(s, 1);
	struct tpred p = t_pred_new(s);
	T(s, s->in->stype == T_F64 ? "DSET" : "FSET", 2, mo_reg(p.word), t_flag(p.flag), a, a,
	  mo_text("NAN"));
	struct mo n = t_num(s, low);
	t_choose(s, d, &n, &r, 1, p.flag, false);
	return mo_reg(d);
}

static void float_to_int(struct sel *s)
{
	const struct inst *in = s->in;
	bool wide = type_bits(in->type) == 64, sg = type_is_signed(in->type);
	struct mo a = in->stype == T_F64 ? t_pair(s, 0) : t_reg(s, 0, 0);
	unsigned to = wide ? in->type : sg ? T_S32 : T_U32;
	uint32_t t = sel_temp(s, wide ? 2 : 1);
	unsigned from = in->stype;
	if (from == T_F16)
		a = t_lo(a);
	if (from == T_F16 && wide) {
		uint32_t f = sel_temp(s, 1);
		T(s, "F2F.F32.F16", 1, mo_reg(f), a);
		a = mo_reg(f);
		from = T_F32;
	}
	T(s,
	  sel_text(s, "F2I.%s.%s%s", sel_int_name(to), sel_float_name(from),
		   rounding_name(in->rnd)),
	  1, wide ? mo_wide(t) : mo_reg(t), a);
	struct mo r = wide ? mo_word(t, 1) : limit_word(s, mo_reg(t), in->type, sg);
	if (wide || in->stype == T_F64)
		r = lowest_of_nan(s, a, r, sel_lowest(in->type));
	if (wide) {
		T(s, "MOV", 1, mo_word(t, 1), r);
		sel_move(s, sel_dst(s, 0), t);
	} else {
		sel_put_word(s, r, sg);
	}
}

static void int_to_float(struct sel *s)
{
	const struct inst *in = s->in;
	bool wide = type_bits(in->stype) == 64, big = in->type == T_F64;
	uint32_t t = sel_temp(s, big ? 2 : 1);
	struct mo a = wide ? t_pair(s, 0) : t_ext(s, 0, in->stype), d = big ? mo_wide(t)
									: in->type == T_F16
										? t_lo(mo_reg(t))
										: mo_reg(t);
	unsigned st = wide ? in->stype : type_is_signed(in->stype) ? T_S32 : T_U32;
	if (in->mods & M_SAT && in->type != T_F32) { /* the result is 1 or 0: no integer lies
	                                              * between */
		struct mo f = mo_reg(sel_temp(s, 1));
		T(s, sel_text(s, "I2F.F32.%s", sel_int_name(st)), 1, f, a);
		T(s, "F2F.F32.F32.SAT", 1, f, f);
		T(s, sel_text(s, "F2F.%s.F32", sel_float_name(in->type)), 1, d, f);
		sel_move(s, sel_dst(s, 0), t);
		return;
	}
	if (in->type == T_F16 && wide) {
		sel_refuse(s, "");
		return;
	}
	T(s,
	  sel_text(s, "I2F.%s.%s%s", sel_float_name(in->type), sel_int_name(st),
		   rounding_name(in->rnd)),
	  1, d, a);
	if (in->mods & M_SAT)
		T(s, "F2F.F32.F32.SAT", 1, mo_reg(t), mo_reg(t));
	sel_move(s, sel_dst(s, 0), t);
}

static void float_to_float(struct sel *s)
{
	const struct inst *in = s->in;
	bool same = in->type == in->stype, integral = in->rnd >= RND_RNI && in->rnd <= RND_RPI;
	uint32_t d = sel_dst(s, 0);
	if (in->mods & (M_RELU | M_SATFINITE) || (in->type == T_F16 && in->mods & M_SAT)) {
		sel_refuse(s, "");
		return;
	}
	if (same && in->type == T_F16 && !integral) { /* NaN becomes 0x7fff */
		struct mo f = mo_reg(sel_temp(s, 1));
		T(s, "F2F.F32.F16", 1, f, t_lo(t_reg(s, 0, 0)));
		T(s, "F2F.F16.F32", 1, t_lo(mo_reg(d)), f);
		return;
	}
	if (same && !integral && !(in->mods & (M_SAT | M_FTZ))) {
		for (unsigned w = 0; w < s->m.val.v[d].words; w++)
			T(s, "MOV", 1, mo_word(d, w), t_reg(s, 0, w))->fresh = !w;
		return;
	}
	struct mo a = in->stype == T_F64 ? t_pair(s, 0) : t_reg(s, 0, 0),
		  to = in->type == T_F64 ? mo_wide(d) : mo_reg(d);
	if (in->stype == T_F16)
		a = t_lo(a);
	if (in->type == T_F16)
		to = t_lo(to);
	if ((in->type == T_F16 && in->stype == T_F64) ||
	    (in->type == T_F64 && in->stype == T_F16)) {
		sel_refuse(s, "");
		return;
	}
	const char *r = integral ? (in->rnd == RND_RNI ? ".ROUND" : rounding_name(in->rnd))
				 : rounding_name(in->rnd);
	T(s,
	  sel_text(s, "F2F.%s.%s%s%s%s", sel_float_name(in->type), sel_float_name(in->stype), r,
		   integral ? ".INT" : "", in->mods & M_SAT ? ".SAT" : ""),
	  1, to, a);
}

/* Constants also lie in global memory; the word after those of the variables has their address. */
static void cvta_constant(struct sel *s, uint32_t d)
{
	uint32_t t = sel_temp(s, 1);
	struct mo base = mo_const(ADDRESS_BANK, 4 * (uint32_t)s->lay->global.n);
	T(s, "MVC", 1, mo_reg(t), base);
	base = mo_reg(t);
	base.neg = s->in->mods & M_TO;
	T(s, "IADD", 1, mo_word(d, 0), t_reg(s, 0, 0), base)->fresh = true;
	if (s->m.val.v[d].words > 1)
		t_set(s, mo_word(d, 1), 0);
}

/* Generic addresses: windows for shared and local memory below all global ones. An access uses the
 * lower 16 bits of an address in a window, so that conversion back changes nothing. */
void tesla_cvta(struct sel *s)
{
	const struct inst *in = s->in;
	uint32_t d = sel_dst(s, 0);
	if (in->space == SP_CONST) {
		cvta_constant(s, d);
		return;
	}
	if (in->space != SP_GLOBAL && in->space != SP_SHARED && in->space != SP_LOCAL) {
		sel_refuse(s, "generic addresses of this space");
		return;
	}
	uint32_t window = in->space == SP_SHARED ? WINDOW_SHARED : WINDOW_LOCAL;
	bool add = in->space != SP_GLOBAL && !(in->mods & M_TO);
	bool back = in->space != SP_GLOBAL && in->mods & M_TO;
	for (unsigned w = 0; w < s->m.val.v[d].words; w++) {
		struct mo a = t_reg(s, 0, w);
		if (add && !w)
			t_addi(s, mo_word(d, 0), a, window);
		else if (back && !w)
			t_logi(s, "AND", mo_word(d, 0), a, 0xffff);
		else
			T(s, "MOV", 1, mo_word(d, w), a);
		s->m.code.v[s->m.code.n - 1].fresh = !w;
	}
}

void tesla_cvt(struct sel *s)
{
	sel_convert(s,
		    &(struct conversions){float_to_float, float_to_int, int_to_float, int_to_int});
}
