/* Single and double precision on sm_13. Singles flush subnormal numbers and FMAD cuts its product:
 * PTX that requires otherwise is refused. */
#include "back/select/operations.h"
#include "back/tesla/tesla.h"

static const char *rounding_name(const struct inst *in)
{
	return in->rnd == RND_RM   ? ".FLOOR"
	       : in->rnd == RND_RP ? ".CEIL"
	       : in->rnd == RND_RZ ? ".TRUNC"
				   : "";
}

static const char *sat_name(const struct inst *in) { return in->mods & M_SAT ? ".SAT" : ""; }

/* An instruction of two operands. The second may be a number: that form has no guard and no
 * rounding. */
static void select_two(struct sel *s, const char *name, struct mo d, bool sub)
{
	const struct inst *in = s->in;
	int64_t k;
	unsigned i = 1;
	if (!sub && sel_is_imm(s, 0, &k))
		i = 0;
	struct mo a = t_reg(s, !i, 0);
	if (sel_is_imm(s, i, &k) && t_free(s, d) && a.kind == MO_REG && !*rounding_name(in)) {
		uint32_t w = (uint32_t)k ^ (sub ? 0x80000000u : 0);
		T(s, sel_text(s, "%s32I%s", name, sat_name(in)), 1, d, a, mo_imm((int64_t)w));
		return;
	}
	struct mo b = sel_src(s, i, 0);
	T(s, sel_text(s, "%s%s%s", name, sat_name(in), rounding_name(in)), 1, d, a,
	  sub ? mo_neg(b) : b);
}

static void select_mad(struct sel *s, struct mo d)
{
	const struct inst *in = s->in;
	struct mo a = t_reg(s, 0, 0), b = sel_src(s, 1, 0),
		  c = b.kind == MO_CONST ? t_reg(s, 2, 0) : sel_src(s, 2, 0);
	bool plain = !*rounding_name(in) || b.kind == MO_CONST || c.kind == MO_CONST;
	if (*rounding_name(in) && plain) { /* the rounding bits hold the constant's bank */
		b = t_reg(s, 1, 0);
		c = t_reg(s, 2, 0);
	}
	T(s, sel_text(s, "FMAD%s%s", sat_name(in), rounding_name(in)), 1, d, a, b, c);
}

/* d = |a| or -a by a conversion, which flushes subnormal singles. */
static void change_sign(struct sel *s, const char *name, struct mo d, struct mo a)
{
	a.abs = s->in->op == OP_ABS;
	a.neg = s->in->op == OP_NEG;
	T(s, name, 1, d, a);
}

void tesla_single(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo d = mo_reg(sel_dst(s, 0)), a;
	switch (in->op) {
	case OP_ADD: select_two(s, "FADD", d, false); break;
	case OP_SUB: select_two(s, "FADD", d, true); break;
	case OP_MUL: select_two(s, "FMUL", d, false); break;
	case OP_MAD:
	case OP_FMA: select_mad(s, d); break;
	case OP_MIN:
	case OP_MAX:
		if (in->mods & (M_NAN | M_XORSIGN | M_RELU) || in->ns != 2) {
			sel_refuse(s, "");
			return;
		}
		a = t_reg(s, 0, 0);
		T(s, in->op == OP_MIN ? "FMIN" : "FMAX", 1, d, a, sel_src(s, 1, 0));
		break;
	case OP_ABS:
	case OP_NEG:
		if (in->mods & M_FTZ)
			change_sign(s, "F2F.F32.F32", d, t_reg(s, 0, 0));
		else if (in->op == OP_ABS)
			t_logi(s, "AND", d, t_reg(s, 0, 0), 0x7fffffff);
		else
			t_logi(s, "XOR", d, t_reg(s, 0, 0), 0x80000000);
		break;
	}
}

void tesla_double(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo d = mo_wide(sel_dst(s, 0)), a = t_pair(s, 0), b = in->ns > 1 ? t_pair(s, 1) : a;
	switch (in->op) {
	case OP_ADD: T(s, sel_text(s, "DADD%s", rounding_name(in)), 1, d, a, b); break;
	case OP_SUB: T(s, sel_text(s, "DADD%s", rounding_name(in)), 1, d, a, mo_neg(b)); break;
	case OP_MUL: T(s, sel_text(s, "DMUL%s", rounding_name(in)), 1, d, a, b); break;
	case OP_MAD:
	case OP_FMA:
		T(s, sel_text(s, "DFMA%s", rounding_name(in)), 1, d, a, b, t_pair(s, 2));
		break;
	case OP_MIN: T(s, "DMIN", 1, d, a, b); break;
	case OP_MAX: T(s, "DMAX", 1, d, a, b); break;
	case OP_ABS:
	case OP_NEG: change_sign(s, "F2F.F64.F64", d, a); break;
	}
}

void tesla_set_float(struct sel *s)
{
	const struct inst *in = s->in;
	struct tpred c = t_pred_for(s);
	bool wide = in->stype == T_F64;
	struct mo a = wide ? t_pair(s, 0) : t_reg(s, 0, 0),
		  b = wide ? t_pair(s, 1) : sel_src(s, 1, 0);
	T(s, wide ? "DSET" : "FSET", 2, mo_reg(c.word), t_flag(c.flag), a, b,
	  mo_text(sel_cmp(s, in->cmp, true)));
	if (in->op == OP_SETP)
		t_pred_put(s, c);
	else
		t_set_from(s, c);
}

void tesla_function(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo d = mo_reg(sel_dst(s, 0)), a = t_reg(s, 0, 0);
	uint32_t t = sel_temp(s, 1);
	switch (in->op) {
	case OP_RCP: T(s, "RCP", 1, d, a); break;
	case OP_RSQRT: T(s, "RSQ", 1, d, a); break;
	case OP_LG2: T(s, "LG2", 1, d, a); break;
	case OP_EX2:
		T(s, "RRO", 1, mo_reg(t), a, mo_text("EX2"));
		T(s, "EX2", 1, d, mo_reg(t));
		break;
	default:
		T(s, "RRO", 1, mo_reg(t), a, mo_text("SIN"));
		T(s, in->op == OP_SIN ? "SIN" : "COS", 1, d, mo_reg(t));
		break;
	}
}

void tesla_copysign(struct sel *s)
{
	unsigned n = s->in->type == T_F64 ? 2 : 1;
	uint32_t t = sel_temp(s, n), x = sel_temp(s, 1), y = sel_temp(s, 1);
	if (n == 2)
		T(s, "MOV", 1, mo_word(t, 0), t_reg(s, 1, 0))->fresh = true;
	t_logi(s, "AND", mo_reg(x), t_reg(s, 1, n - 1), 0x7fffffff);
	t_logi(s, "AND", mo_reg(y), t_reg(s, 0, n - 1), 0x80000000);
	T(s, "LOP.OR", 1, mo_word(t, n - 1), mo_reg(x), mo_reg(y));
	sel_move(s, sel_dst(s, 0), t);
}

void tesla_testp(struct sel *s)
{
	const struct inst *in = s->in;
	struct tpred d = t_pred_dst(s, 0);
	uint32_t m = sel_temp(s, 1);
	if (in->stype != T_F32 || in->mode > TESTP_NOTANUMBER) {
		sel_refuse(s, "");
		return;
	}
	t_logi(s, "AND", mo_reg(m), t_reg(s, 0, 0), 0x7fffffff);
	T(s, "ISET", 2, mo_reg(d.word), t_flag(d.flag), mo_reg(m), t_lit(s, 0x7f800000),
	  mo_text(in->mode == TESTP_FINITE     ? "LT"
		  : in->mode == TESTP_INFINITE ? "EQ"
		  : in->mode == TESTP_NUMBER   ? "LE"
					       : "GT"));
}

void tesla_reciprocal(struct sel *s)
{
	if (s->in->mods & M_APPROX)
		tesla_function(s);
	else
		sel_refuse(s, "");
}
