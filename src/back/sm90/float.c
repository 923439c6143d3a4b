/* Single and double precision on sm_90. */
#include "back/routines/routines.h"
#include "back/sm90/sm90.h"

static const char *ftz_modifier(const struct inst *in) { return in->mods & M_FTZ ? ".FTZ" : ""; }
static const char *sat_modifier(const struct inst *in) { return in->mods & M_SAT ? ".SAT" : ""; }
static const char *rounding_modifier(const struct inst *in) { return sm90_rounding(in->rnd); }

void sm90_single(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo d = mo_reg(sel_dst(s, 0)), a, b;
	switch (in->op) {
	case OP_ADD:
		sm90_two(s, 0, &a, &b);
		OP(s,
		   sel_text(s, "FADD%s%s%s", ftz_modifier(in), rounding_modifier(in),
			    sat_modifier(in)),
		   1, d, a, b);
		break;
	case OP_SUB:
		a = sm90_reg(s, 0, 0);
		b = sm90_src(s, 1, 0);
		if (b.kind == MO_IMM)
			b.imm ^= 0x80000000;
		else
			b = mo_neg(sm90_force(s, b));
		OP(s,
		   sel_text(s, "FADD%s%s%s", ftz_modifier(in), rounding_modifier(in),
			    sat_modifier(in)),
		   1, d, a, b);
		break;
	case OP_MUL:
		sm90_two(s, 0, &a, &b);
		OP(s,
		   sel_text(s, "FMUL%s%s%s", ftz_modifier(in), rounding_modifier(in),
			    sat_modifier(in)),
		   1, d, a, b);
		break;
	case OP_MAD:
		if (in->rnd == RND_NONE && s->f->module->target < 20) {
			sel_refuse(s, "its product is truncated, as on sm_1x");
			return;
		} /* fall through */
	case OP_FMA:
		sm90_two(s, 0, &a, &b);
		OP(s,
		   sel_text(s, "FFMA%s%s%s", ftz_modifier(in), rounding_modifier(in),
			    sat_modifier(in)),
		   1, d, a, b, b.kind == MO_IMM ? sm90_reg(s, 2, 0) : sm90_src(s, 2, 0));
		break;
	case OP_MIN:
	case OP_MAX:
		if (in->mods & M_RELU || in->ns != 2) {
			sel_refuse(s, "");
			return;
		}
		sm90_two(s, 0, &a, &b);
		if (in->mods & M_XORSIGN) {
			b = sm90_force(s, b);
			a.abs = b.abs = true;
		}
		OP(s,
		   sel_text(s, "FMNMX%s%s%s", ftz_modifier(in), in->mods & M_NAN ? ".NAN" : "",
			    in->mods & M_XORSIGN ? ".XORSIGN" : ""),
		   1, d, a, b, in->op == OP_MIN ? PT : PF);
		break;
	case OP_ABS:
	case OP_NEG:
		a = sm90_reg(s, 0, 0);
		a.abs = in->op == OP_ABS;
		a.neg = in->op == OP_NEG;
		OP(s, sel_text(s, "FADD%s", ftz_modifier(in)), 1, d, a,
		   mo_neg(ZERO)); /* -0: the sum keeps the sign of a zero */
		break;
	}
}

/* The minimum or maximum of doubles, selected by comparison; NaN only if both are NaN. */
static void extreme_double(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo a = sm90_pair(s, 0), b = sm90_pair(s, 1), p = mo_pred(sel_temp(s, 0)),
		  q = mo_pred(sel_temp(s, 0));
	uint32_t t = sel_temp(s, 2), quiet = sel_temp(s, 1);
	if (a.kind == MO_ZERO)
		a = sm90_pair_of(s, ZERO, ZERO);
	if (b.kind == MO_ZERO)
		b = sm90_pair_of(s, ZERO, ZERO);
	OP(s, in->op == OP_MIN ? "DSETP.MIN.AND" : "DSETP.MAX.AND", 2, p, q, a, b, PT);
	for (unsigned w = 0; w < 2; w++)
		OP(s, w ? "FSEL" : "SEL", 1, mo_word(t, w), mo_word(a.v, w), mo_word(b.v, w), p)
			->fresh = !w;
	sm90_lut(s, mo_reg(quiet), mo_word(b.v, 1), mo_imm(0x80000), ZERO, LUT_OR);
	OP(s, "SEL", 1, mo_word(t, 1), mo_reg(quiet), mo_word(t, 1), q);
	sel_move(s, sel_dst(s, 0), t);
}

void sm90_double(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo d = mo_wide(sel_dst(s, 0)), a, b;
	switch (in->op) {
	case OP_ADD:
		a = sm90_pair(s, 0);
		b = sm90_pair(s, 1);
		OP(s, sel_text(s, "DADD%s", rounding_modifier(in)), 1, d, a, b);
		break;
	case OP_SUB:
		a = sm90_pair(s, 0);
		b = sm90_pair(s, 1);
		OP(s, sel_text(s, "DADD%s", rounding_modifier(in)), 1, d, a, mo_neg(b));
		break;
	case OP_MUL:
		a = sm90_pair(s, 0);
		b = sm90_pair(s, 1);
		OP(s, sel_text(s, "DMUL%s", rounding_modifier(in)), 1, d, a, b);
		break;
	case OP_MAD:
	case OP_FMA:
		a = sm90_pair(s, 0);
		b = sm90_pair(s, 1);
		OP(s, sel_text(s, "DFMA%s", rounding_modifier(in)), 1, d, a, b, sm90_pair(s, 2));
		break;
	case OP_MIN:
	case OP_MAX: extreme_double(s); break;
	case OP_ABS:
	case OP_NEG:
		a = sm90_pair(s, 0);
		a.abs = in->op == OP_ABS;
		a.neg = in->op == OP_NEG;
		OP(s, "DADD", 1, d, a, mo_neg(ZERO));
		break;
	}
}

void sm90_set_float(struct sel *s)
{
	static const char *const bop[] = {"AND", "AND", "OR", "XOR"};
	const struct inst *in = s->in;
	bool wide = in->stype == T_F64, to_pred = in->op == OP_SETP;
	struct mo with = in->bop != BOP_NONE ? sel_predicate(s, 2) : PT, a, b;
	struct mo p = mo_pred(to_pred ? sel_dst(s, 0) : sel_temp(s, 0)),
		  q = to_pred && in->nd > 1 ? mo_pred(sel_dst(s, 1)) : PT;
	a = wide ? sm90_pair(s, 0) : sm90_reg(s, 0, 0);
	b = wide ? sm90_pair(s, 1) : sm90_src(s, 1, 0);
	OP(s,
	   sel_text(s, "%s.%s%s.%s", wide ? "DSETP" : "FSETP", sel_cmp(s, in->cmp, true),
		    wide ? "" : ftz_modifier(in), bop[in->bop & 3]),
	   2, p, q, a, b, with);
	p.neg = true;
	if (!to_pred)
		OP(s, "SEL", 1, mo_reg(sel_dst(s, 0)), ZERO, sm90_word(sel_truth(in->type)), p);
}

static void put_product(struct sel *s, struct mo d, struct mo a, uint32_t factor)
{
	OP(s, "FMUL", 1, d, a, mo_imm((int64_t)factor));
}

/* Sines and cosines are of turns. */
static void of_angle(struct sel *s, const char *fn)
{
	uint32_t t = sel_temp(s, 1);
	OP(s, s->in->mods & M_FTZ ? "FMUL.FTZ.RZ" : "FMUL.RZ", 1, mo_reg(t), sm90_reg(s, 0, 0),
	   mo_imm(0x3e22f983));
	OP(s, fn, 1, mo_reg(sel_dst(s, 0)), mo_reg(t));
}

static void put_under_guard(struct mi *in, struct mo p, bool neg)
{
	in->guard = p.v;
	in->guard_neg = neg;
}

/* The function of an instruction without a guard: argument and result are scaled under guards. */
static void scaled_function(struct sel *s, const char *fn, struct mo d, struct mo a)
{
	unsigned op = s->in->op;
	struct mo p = mo_pred(mval_new(&s->m, 0)), big = mo_pred(mval_new(&s->m, 0)),
		  x = mo_reg(mval_new(&s->m, 1)), r = mo_reg(mval_new(&s->m, 1)), m = a;
	bool halves = op == OP_EX2; /* 2^x below 2^-126 is the square of 2^(x/2) */
	m.abs = !halves;
	OP(s, "FSETP.GEU.AND", 2, p, PT, m, mo_imm(halves ? 0xc2fc0000 : 0x00800000), PT);
	if (op == OP_RCP) /* above 2^126 the result would be subnormal */
		OP(s, "FSETP.GT.AND", 2, big, PT, m, mo_imm(0x7e800000), PT);
	sm90_mov(s, x, a);
	put_under_guard(OP(s, "FMUL", 1, x, x, mo_imm(halves ? 0x3f000000 : 0x4b800000)), p, true);
	if (op == OP_RCP)
		put_under_guard(OP(s, "FMUL", 1, x, x, mo_imm(0x3e800000)), big, false);
	OP(s, fn, 1, r, x);
	if (halves)
		put_under_guard(OP(s, "FMUL", 1, r, r, r), p, true);
	else if (op == OP_LG2)
		put_under_guard(OP(s, "FADD", 1, r, r, mo_imm(0xc1c00000)), p, true);
	else
		put_under_guard(OP(s, "FMUL", 1, r, r,
				   mo_imm(op == OP_SQRT    ? 0x39800000
					  : op == OP_RSQRT ? 0x45800000
							   : 0x4b800000)),
				p, true);
	if (op == OP_RCP)
		put_under_guard(OP(s, "FMUL", 1, r, r, mo_imm(0x3e800000)), big, false);
	sm90_mov(s, d, r);
}

/* Functions of the special unit flush subnormals. If the instruction does not, small arguments and
 * their results are scaled by powers of two. */
void sm90_function(struct sel *s)
{
	const struct inst *in = s->in;
	bool flush = in->mods & M_FTZ;
	const char *fn = in->op == OP_RCP     ? "MUFU.RCP"
			 : in->op == OP_RSQRT ? "MUFU.RSQ"
			 : in->op == OP_SQRT  ? "MUFU.SQRT"
			 : in->op == OP_LG2   ? "MUFU.LG2"
			 : in->op == OP_EX2   ? "MUFU.EX2"
			 : in->op == OP_TANH  ? "MUFU.TANH"
			 : in->op == OP_SIN   ? "MUFU.SIN"
					      : "MUFU.COS";
	if (in->op == OP_SIN || in->op == OP_COS) {
		of_angle(s, fn);
		return;
	}
	struct mo d = mo_reg(sel_dst(s, 0)), a = sm90_reg(s, 0, 0);
	if (flush || in->op == OP_TANH) {
		OP(s, fn, 1, d, a);
		return;
	}
	if (in->guard == NO_REG) {
		scaled_function(s, fn, d, a);
		return;
	}
	struct mo p = mo_pred(sel_temp(s, 0)), x = mo_reg(sel_temp(s, 1)),
		  t = mo_reg(sel_temp(s, 1));
	if (in->op == OP_EX2) { /* 2^x below 2^-126 is the square of 2^(x/2) */
		OP(s, "FSETP.GEU.AND", 2, p, PT, a, mo_imm(0xc2fc0000), PT);
		put_product(s, x, a, 0x3f000000);
		OP(s, "FSEL", 1, x, a, x, p);
		OP(s, fn, 1, t, x);
		OP(s, "FMUL", 1, x, t, t);
		OP(s, "FSEL", 1, d, t, x, p);
		return;
	}
	/* below 2^-126: multiplied by 2^24 */
	struct mo m = a;
	m.abs = true;
	OP(s, "FSETP.GEU.AND", 2, p, PT, m, mo_imm(0x00800000), PT);
	put_product(s, x, a, 0x4b800000);
	OP(s, "FSEL", 1, x, a, x, p);
	if (in->op == OP_RCP) { /* above 2^126 the result would be subnormal: operand and result are
				 * divided by four */
		struct mo big = mo_pred(sel_temp(s, 0)), y = mo_reg(sel_temp(s, 1));
		OP(s, "FSETP.GT.AND", 2, big, PT, m, mo_imm(0x7e800000), PT);
		put_product(s, y, a, 0x3e800000);
		OP(s, "FSEL", 1, x, y, x, big);
		OP(s, fn, 1, t, x);
		put_product(s, y, t, 0x3e800000);
		put_product(s, x, t, 0x4b800000);
		OP(s, "FSEL", 1, y, y, t, big);
		OP(s, "FSEL", 1, d, y, x, p);
		return;
	}
	OP(s, fn, 1, t, x);
	if (in->op == OP_RSQRT || in->op == OP_SQRT)
		put_product(s, x, t, in->op == OP_SQRT ? 0x39800000 : 0x45800000);
	else
		OP(s, "FADD", 1, x, t, mo_imm(0xc1c00000));
	OP(s, "FSEL", 1, d, t, x, p);
}

/* The approximate reciprocals of doubles: the upper word's. */
static void select_special64(struct sel *s)
{
	uint32_t t = sel_temp(s, 2);
	struct mo hi = sm90_reg(s, 0, 1);
	sm90_mov(s, mo_word(t, 0), ZERO)->fresh = true;
	OP(s, s->in->op == OP_RCP ? "MUFU.RCP64H" : "MUFU.RSQ64H", 1, mo_word(t, 1), hi);
	sel_move(s, sel_dst(s, 0), t);
}

void sm90_reciprocal(struct sel *s)
{
	if (s->in->mods & M_APPROX)
		(s->in->type == T_F64 ? select_special64 : sm90_function)(s);
	else if (sm90_has_quotient(s->in))
		(s->in->op == OP_SQRT ? sm90_exact_root : sm90_exact_reciprocal)(s);
	else
		sel_refuse(s, "");
}

/* The magnitude of b with a's sign. */
void sm90_copysign(struct sel *s)
{
	unsigned n = s->in->type == T_F64 ? 2 : 1;
	uint32_t t = sel_temp(s, n);
	if (n == 2)
		sm90_mov(s, mo_word(t, 0), sm90_src(s, 1, 0))->fresh = true;
	sm90_lut(s, mo_word(t, n - 1), sm90_reg(s, 1, n - 1), mo_imm(0x7fffffff),
		 sm90_reg(s, 0, n - 1), (LUT_A & LUT_B) | (~LUT_B & LUT_C & 0xff));
	sel_move(s, sel_dst(s, 0), t);
}

void sm90_testp(struct sel *s)
{
	const struct inst *in = s->in;
	static const char *const name[] = {[TESTP_FINITE] = "FSETP.LT.AND",
					   [TESTP_INFINITE] = "FSETP.EQ.AND",
					   [TESTP_NUMBER] = "FSETP.NUM.AND",
					   [TESTP_NOTANUMBER] = "FSETP.NAN.AND"};
	struct mo p = mo_pred(sel_dst(s, 0));
	if (in->stype != T_F32 || in->mode > TESTP_NOTANUMBER) {
		sel_refuse(s, "");
		return;
	}
	struct mo a = sm90_reg(s, 0, 0), m = a;
	m.abs = true;
	if (in->mode == TESTP_FINITE || in->mode == TESTP_INFINITE)
		OP(s, name[in->mode], 2, p, PT, m, mo_imm(0x7f800000), PT);
	else
		OP(s, name[in->mode], 2, p, PT, a, a, PT);
}
