/* Quotients, reciprocals and roots of singles on sm_90, rounded to nearest: the
 *special unit's approximation and its remainders in single precision. Where
 *exponents are near the ends of the range, or an operand is no ordinary number,
 *the threads compute in double precision, whose rounding to single is correct.
 *The warp stays together: it skips that part if no thread needs it.
 *
 *	MUFU.RCP r, b;  FCHK p, a, b;             r' = r + r (1 - b r),  q = a
 *r',  q = q + r' (a - b q), twice
 *	@p BRA.U.ANY SLOW;  BRA OVER;
 *	SLOW: @p q = (float)((double)a / (double)b);
 *	OVER: */
#include "back/routines/routines.h"
#include "back/sm90/sm90.h"

struct quotient {
	struct inst plain; /* the instruction without its guard */
	const struct inst *was;
	uint32_t slow; /* predicate of the threads that need double precision */
	uint32_t q;    /* the result */
	uint32_t over;
};

static struct mi *put_fma(struct sel *s, struct mo d, struct mo a, struct mo b, struct mo c)
{
	return OP(s, "FFMA", 1, d, a, b, c);
}

static void begin_quotient(struct sel *s, struct quotient *x)
{
	*x = (struct quotient){.plain = *s->in, .was = s->in};
	x->plain.guard = NO_REG;
	x->slow = mval_new(&s->m, 0);
	x->q = mval_new(&s->m, 1);
	s->in = &x->plain;
}

static void put_branch(struct sel *s, uint32_t guard, uint32_t label)
{
	struct mo to = {.kind = MO_LABEL, .imm = label};
	struct mi *in = OP(s, guard == V_TRUE ? "BRA" : "BRA.U.ANY", 0, to);
	in->guard = guard;
	in->ends = true;
	in->label = label + 1;
}

/* Threads whose guard is false need no result: their operands may be anything. */
static void begin_slow(struct sel *s, struct quotient *x)
{
	uint32_t slow = sel_label(s);
	if (x->was->guard != NO_REG) {
		struct mo guard = mo_pred(s->value[x->was->guard]);
		uint32_t all = x->slow;
		guard.neg = x->was->guard_neg;
		x->slow = mval_new(&s->m, 0);
		OP(s, "PLOP3.LUT", 2, mo_pred(x->slow), PT, mo_pred(all), guard, PT, mo_imm(0x80),
		   mo_imm(0));
	}
	x->over = sel_label(s);
	put_branch(s, x->slow, slow);
	put_branch(s, V_TRUE, x->over);
	sel_place(s, slow);
}

static void end_quotient(struct sel *s, struct quotient *x)
{
	sel_place(s, x->over);
	s->in = x->was;
	sm90_mov(s, mo_reg(sel_dst(s, 0)), mo_reg(x->q));
}

/* ---- the slow part: every instruction has the guard ---- */

#define SLOW(x, name, nd, ...) OP(s, name, nd, __VA_ARGS__)->guard = (x)->slow

static struct mo to_double(struct sel *s, struct quotient *x, struct mo a)
{
	struct mo d = mo_wide(mval_new(&s->m, 2));
	SLOW(x, "F2F.F64.F32", 1, d, a);
	return d;
}

/* The special unit's function of the upper word. */
static struct mo put_special(struct sel *s, struct quotient *x, const char *name, struct mo a)
{
	uint32_t r = mval_new(&s->m, 2);
	struct mi *in = OP(s, "MOV", 1, mo_word(r, 0), ZERO);
	in->fresh = true;
	in->guard = x->slow;
	SLOW(x, name, 1, mo_word(r, 1), mo_word(a.v, 1));
	return mo_wide(r);
}

static struct mo put_fma64(struct sel *s, struct quotient *x, struct mo a, struct mo b, struct mo c)
{
	struct mo d = mo_wide(mval_new(&s->m, 2));
	SLOW(x, "DFMA", 1, d, a, b, c);
	return d;
}

static struct mo put_mul64(struct sel *s, struct quotient *x, struct mo a, struct mo b)
{
	struct mo d = mo_wide(mval_new(&s->m, 2));
	SLOW(x, "DMUL", 1, d, a, b);
	return d;
}

/* The result of a double, or the present one where `keeps` is true. The sum
 * with -0 turns any NaN into the machine's. */
static void put_single(struct sel *s, struct quotient *x, struct mo z, const struct mo *keeps,
		       struct mo old)
{
	struct mo t = mo_reg(mval_new(&s->m, 1)), u = mo_reg(mval_new(&s->m, 1));
	SLOW(x, "F2F.F32.F64", 1, t, z);
	if (keeps) {
		SLOW(x, "FSEL", 1, u, old, t, *keeps);
		t = u;
	}
	SLOW(x, "FADD", 1, mo_reg(x->q), t, mo_imm(0x80000000));
}

/* The remainder e of the quotient or root z; where it is 0 or a NaN, z is the
 * result, else better by as many bits as r has. */
static struct mo improve_result(struct sel *s, struct quotient *x, struct mo z, struct mo n,
				struct mo a, struct mo r, uint32_t *nonzero)
{
	struct mo e = put_fma64(s, x, n, z, a), y = put_fma64(s, x, e, r, z);
	if (*nonzero == V_NONE) {
		*nonzero = mval_new(&s->m, 0);
		SLOW(x, "DSETP.NE.AND", 2, mo_pred(*nonzero), PT, e, ZERO, PT);
	}
	uint32_t out = mval_new(&s->m, 2);
	for (unsigned w = 0; w < 2; w++) {
		struct mi *in = OP(s, "SEL", 1, mo_word(out, w), mo_word(y.v, w), mo_word(z.v, w),
				   mo_pred(*nonzero));
		in->guard = x->slow;
		in->fresh = !w;
	}
	return mo_wide(out);
}

static void divide_doubles(struct sel *s, struct quotient *x, struct mo a, struct mo b)
{
	uint32_t nonzero = V_NONE;
	struct mo p = to_double(s, x, a), q = to_double(s, x, b),
		  r = put_special(s, x, "MUFU.RCP64H", q), n = q;
	n.neg = true;
	struct mo z = put_mul64(s, x, p, r);
	z = improve_result(s, x, z, n, p, r, &nonzero);
	z = improve_result(s, x, z, n, p, r, &nonzero);
	put_single(s, x, z, NULL, ZERO);
}

/* ---- the operations ---- */

static bool is_ordinary(const struct inst *in)
{
	return in->type == T_F32 && !(in->mods & (M_APPROX | M_FULL | M_FTZ | M_SAT)) &&
	       (in->rnd == RND_RN || in->rnd == RND_NONE);
}

bool sm90_has_quotient(const struct inst *in)
{
	return (in->op == OP_DIV || in->op == OP_RCP || in->op == OP_SQRT) && is_ordinary(in);
}

void sm90_divide(struct sel *s)
{
	struct quotient x;
	struct mo one = mo_imm(0x3f800000), t[6];
	if (!is_ordinary(s->in)) {
		sel_refuse(s, "");
		return;
	}
	begin_quotient(s, &x);
	struct mo a = sm90_reg(s, 0, 0), b = sm90_reg(s, 1, 0);
	if (a.kind == MO_ZERO) {
		a = mo_reg(sel_temp(s, 1));
		sm90_mov(s, a, ZERO);
	}
	for (unsigned i = 0; i < 6; i++)
		t[i] = mo_reg(sel_temp(s, 1));
	OP(s, "MUFU.RCP", 1, t[0], b);
	OP(s, "FCHK", 1, mo_pred(x.slow), a, b);
	put_fma(s, t[1], mo_neg(b), t[0], one);
	put_fma(s, t[2], t[0], t[1], t[0]);
	put_fma(s, t[3], a, t[2], ZERO);
	put_fma(s, t[4], mo_neg(b), t[3], a);
	put_fma(s, t[5], t[2], t[4], t[3]);
	put_fma(s, t[1] = mo_reg(sel_temp(s, 1)), mo_neg(b), t[5], a);
	put_fma(s, mo_reg(x.q), t[2], t[1], t[5]);
	begin_slow(s, &x);
	divide_doubles(s, &x, a, b);
	end_quotient(s, &x);
}

void sm90_exact_reciprocal(struct sel *s)
{
	struct quotient x;
	struct mo t[4], one;
	begin_quotient(s, &x);
	struct mo b = sm90_reg(s, 0, 0);
	for (unsigned i = 0; i < 4; i++)
		t[i] = mo_reg(sel_temp(s, 1));
	OP(s, "MUFU.RCP", 1, t[0], b);
	OP(s, "IADD3", 1, t[1], b, mo_imm(0x1800000), ZERO);
	sm90_lut(s, t[2], t[1], mo_imm(0x7f800000), ZERO, LUT_AND);
	OP(s, "ISETP.LE.U32.AND", 2, mo_pred(x.slow), PT, t[2], mo_imm(0x1ffffff), PT);
	put_fma(s, t[3], mo_neg(b), t[0], mo_imm(0x3f800000));
	put_fma(s, mo_reg(x.q), t[0], t[3], t[0]);
	begin_slow(s, &x);
	one = mo_reg(mval_new(&s->m, 1));
	SLOW(&x, "MOV", 1, one, mo_imm(0x3f800000));
	divide_doubles(s, &x, one, b);
	end_quotient(s, &x);
}

void sm90_exact_root(struct sel *s)
{
	struct quotient x;
	struct mo t[5];
	begin_quotient(s, &x);
	struct mo a = sm90_reg(s, 0, 0);
	for (unsigned i = 0; i < 5; i++)
		t[i] = mo_reg(sel_temp(s, 1));
	OP(s, "MUFU.RSQ", 1, t[0], a);
	OP(s, "IADD3", 1, t[1], a, mo_imm((int64_t)(uint32_t)-0xd000000), ZERO);
	OP(s, "ISETP.GT.U32.AND", 2, mo_pred(x.slow), PT, t[1], mo_imm(0x727fffff), PT);
	OP(s, "FMUL.FTZ", 1, t[2], a, t[0]);
	OP(s, "FMUL.FTZ", 1, t[3], t[0], mo_imm(0x3f000000));
	put_fma(s, t[4], mo_neg(t[2]), t[2], a);
	put_fma(s, mo_reg(x.q), t[4], t[3], t[2]);
	begin_slow(s, &x);
	struct mo p = to_double(s, &x, a), r = put_special(s, &x, "MUFU.RSQ64H", p),
		  y = put_mul64(s, &x, p, r), half = mo_wide(mval_new(&s->m, 2)), h, n,
		  keeps = mo_pred(mval_new(&s->m, 0));
	struct mi *in = OP(s, "MOV", 1, mo_word(half.v, 0), ZERO);
	in->fresh = true;
	in->guard = x.slow;
	SLOW(&x, "MOV", 1, mo_word(half.v, 1), mo_imm(0x3fe00000));
	h = put_mul64(s, &x, r, half);
	for (unsigned i = 0; i < 2; i++) {
		n = y;
		n.neg = true;
		struct mo e = put_fma64(s, &x, n, y, p);
		y = put_fma64(s, &x, e, h, y);
	}
	/* 0, a NaN and infinity are their own roots */
	struct mo inf = mo_pred(mval_new(&s->m, 0));
	SLOW(&x, "FSETP.EQ.AND", 2, inf, PT, a, mo_imm(0x7f800000), PT);
	SLOW(&x, "FSETP.EQU.OR", 2, keeps, PT, a, ZERO, inf);
	put_single(s, &x, y, &keeps, a);
	end_quotient(s, &x);
}
