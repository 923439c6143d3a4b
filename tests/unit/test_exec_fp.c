/* f32, f64, f16 and bf16 arithmetic in every rounding mode and with every modifier, against 128-bit
 * integer arithmetic. */
#include "exec_harness.h"
#include "soft_ref.h"

#define F64_QUIET (1ull << 51)
static bool nan64(uint64_t x) { return (x & INT64_MAX) > 0x7ff0000000000000ull; }

/* f64 NaNs carry payloads; `order` is the priority of the operands: "ba", "bca", ... */
static uint64_t nan_of(const struct xlane *x, const char *order)
{
	for (; *order; order++)
		if (nan64(x->s[*order - 'a']))
			return x->s[*order - 'a'] | F64_QUIET;
	return 0xfff8000000000000ull;
}

static uint64_t clamp01(struct soft r, uint64_t bits, struct soft_fmt f)
{
	uint64_t one = (uint64_t)((1 << (f.ebits - 1)) - 1) << f.mbits;
	return r.cls == SOFT_NAN || r.neg ? 0 : bits > one ? one : bits;
}

static const char *nan_order(unsigned op)
{
	return op == OP_FMA                    ? "bca"
	       : op == OP_DIV                  ? "ab"
	       : op == OP_RCP || op == OP_SQRT ? "a"
					       : "ba";
}

static struct soft soft_eval(unsigned op, const struct soft *s, unsigned rnd, struct soft_fmt f)
{
	struct soft t = s[1];
	uint64_t one = (uint64_t)((1 << (f.ebits - 1)) - 1) << f.mbits;
	switch (op) {
	case OP_ADD: return soft_add(s[0], s[1], rnd);
	case OP_SUB: t.neg = !t.neg; return soft_add(s[0], t, rnd);
	case OP_MUL: return soft_mul(s[0], s[1]);
	case OP_FMA: return soft_add(soft_mul(s[0], s[1]), s[2], rnd);
	case OP_DIV: return soft_div(s[0], s[1]);
	case OP_RCP: return soft_div(soft_get(one, f, false), s[0]);
	default: return soft_sqrt(s[0]);
	}
}

static uint64_t eval_bits(const struct inst *in, const uint64_t *bits, struct soft_fmt f)
{
	struct soft s[3];
	bool ftz = in->mods & M_FTZ;
	for (unsigned k = 0; k < in->ns; k++)
		s[k] = soft_get(bits[k], f, ftz);
	struct soft r = soft_eval(in->op, s, in->rnd, f);
	uint64_t d = soft_put(r, f, in->rnd, ftz);
	if (in->mods & M_SAT)
		return clamp01(r, d, f);
	if (in->mods & M_RELU && r.neg && r.cls != SOFT_NAN)
		return 0;
	return d;
}

static void ref_arith(struct xlane *x, const void *arg)
{
	struct soft_fmt f = soft_fmt(x->in->type);
	(void)arg;
	x->d[0] = eval_bits(x->in, x->s, f);
	if (x->in->type == T_F64 && nan64(x->d[0]))
		x->d[0] = nan_of(x, nan_order(x->in->op));
}

static void ref_pair(struct xlane *x, const void *arg)
{
	struct soft_fmt f = soft_fmt(x->in->type);
	uint64_t lo[3], hi[3];
	(void)arg;
	for (unsigned k = 0; k < x->in->ns; k++) {
		lo[k] = x->s[k] & 0xffff;
		hi[k] = x->s[k] >> 16;
	}
	x->d[0] = eval_bits(x->in, lo, f) | eval_bits(x->in, hi, f) << 16;
}

/* Random operands with exponents such that results fall inside and outside the format's limits. */
static uint64_t random_float(struct soft_fmt f)
{
	uint64_t r = xrandom(), frac = r & ((1ull << f.mbits) - 1);
	unsigned emax = (1u << f.ebits) - 1, bias = emax / 2;
	uint64_t e;
	switch (r >> 52 & 3) {
	case 0: e = bias - 2 + (r >> 56) % 5; break;
	case 1: e = (r >> 56) % 3; break;
	case 2: e = bias / 2 - 1 + (r >> 56) % 3; break; /* products and squares near the limits */
	default: e = r >> 40 & emax; break;
	}
	if (r >> 62 == 0)
		frac &= 7;
	else if (r >> 62 == 1)
		frac |= (1ull << f.mbits) - 8;
	return (xrandom() & 1) << (f.ebits + f.mbits) | e << f.mbits | frac;
}

static uint64_t random_value(unsigned type)
{
	struct soft_fmt f = soft_fmt(type);
	uint64_t x = random_float(f);
	if (type == T_F16X2 || type == T_BF16X2)
		x |= random_float(f) << 16;
	return x;
}

static void check(struct xop *x, bind_fn *bind, unsigned rnd, uint32_t mods)
{
	static uint64_t val[XOPS][LANES];
	unsigned t = x->in.type;
	xref_fn *ref = t == T_F16X2 || t == T_BF16X2 ? ref_pair : ref_arith;
	struct xvals v = xvals_of(t);
	struct xvals few = {v.v, v.n > 10 && x->in.ns == 3 ? 10 : v.n};
	x->in.rnd = (uint8_t)rnd;
	x->in.mods = mods;
	xop_check(x, bind, ref, NULL, few, few, few);
	for (int round = 0; round < 20; round++) {
		for (unsigned k = 0; k < x->in.ns; k++)
			for (int l = 0; l < LANES; l++)
				val[k][l] = random_value(t);
		xop_chunk(x, bind, ref, NULL, val);
	}
}

static const unsigned arith[] = {OP_ADD, OP_SUB, OP_MUL, OP_FMA};
static const unsigned sources[] = {2, 2, 2, 3};

static void make(struct xop *x, unsigned op, unsigned type, unsigned ns)
{
	uint8_t t = (uint8_t)type;
	xop_make(x, op, type, 1, ns + 1, XT(t, t, t, t));
}

static void f32_arithmetic(void **state)
{
	struct xop x;
	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		make(&x, arith[k], T_F32, sources[k]);
		for (unsigned rnd = RND_RN; rnd <= RND_RP; rnd++)
			for (unsigned m = 0; m < 4; m++)
				check(&x, bind_f32, rnd, (m & 1 ? M_FTZ : 0) | (m & 2 ? M_SAT : 0));
	}
}

static void division(unsigned type, bind_fn *bind, uint32_t ftz)
{
	static const unsigned ops[] = {OP_DIV, OP_RCP, OP_SQRT};
	struct xop x;
	for (unsigned k = 0; k < 3; k++) {
		make(&x, ops[k], type, k ? 1 : 2);
		for (unsigned rnd = RND_RN; rnd <= RND_RP; rnd++) {
			check(&x, bind, rnd, 0);
			if (ftz)
				check(&x, bind, rnd, ftz);
		}
	}
}
static void f32_division(void **state)
{
	/* Quotients around the smallest normal number, where .ftz must examine the unrounded
	 * value. */
	static const uint64_t a[] = {0x3f7fffff, 0xbf7fffff, 0x3f7ffffe,
				     0x3f800000, 0x3f800001, 0x3effffff};
	static const uint64_t b[] = {0x7e800000, 0x7e800001, 0xfe7fffff,
				     0x7e000000, 0x7f000000, 0x7f000001};
	struct xop x;
	(void)state;
	division(T_F32, bind_f32, M_FTZ);
	make(&x, OP_DIV, T_F32, 2);
	x.in.mods = M_FTZ;
	for (x.in.rnd = RND_RN; x.in.rnd <= RND_RP; x.in.rnd++)
		xop_check(&x, bind_f32, ref_arith, NULL, XVALS(a), XVALS(b));
}
static void f64_division(void **state)
{
	(void)state;
	division(T_F64, bind_f64, 0);
}

static void f64_arithmetic(void **state)
{
	struct xop x;
	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		make(&x, arith[k], T_F64, sources[k]);
		for (unsigned rnd = RND_RN; rnd <= RND_RP; rnd++)
			check(&x, bind_f64, rnd, 0);
	}
}

static void half_arithmetic(void **state)
{
	static const unsigned types[] = {T_F16, T_F16X2, T_BF16, T_BF16X2};
	static const uint32_t mods[] = {0, M_SAT, M_FTZ, M_FTZ | M_SAT, M_RELU, M_FTZ | M_RELU};
	struct xop x;
	(void)state;
	for (unsigned t = 0; t < 4; t++)
		for (unsigned k = 0; k < 4; k++) {
			make(&x, arith[k], types[t], sources[k]);
			for (unsigned m = 0; m < 6; m++) {
				if ((mods[m] & M_RELU && arith[k] != OP_FMA) ||
				    (mods[m] & ~M_RELU && t >= 2))
					continue;
				check(&x, bind_half, RND_RN, mods[m]);
			}
		}
}

/* Compute capability 1.x: the product is cut to 24 bits before the sum. */
static void ref_mad_cut(struct xlane *x, const void *arg)
{
	struct soft_fmt f = soft_fmt(T_F32);
	struct soft a = soft_get(x->s[0], f, true), b = soft_get(x->s[1], f, true);
	struct soft c = soft_get(x->s[2], f, true), p = soft_mul(a, b);
	(void)arg;
	if (p.cls == SOFT_FINITE && !(c.cls == SOFT_FINITE && !c.sig))
		p.sig = p.sig >> (SOFT_TOP - 23) << (SOFT_TOP - 23);
	struct soft r = soft_add(p, c, RND_RN);
	x->d[0] = soft_put(r, f, RND_RN, true);
	if (x->in->mods & M_SAT)
		x->d[0] = clamp01(r, x->d[0], f);
}
static void f32_mad_old(void **state)
{
	struct xop x;
	(void)state;
	make(&x, OP_MAD, T_F32, 3);
	struct xvals v = {xv_f32, 16};
	xop_check(&x, bind_f32, ref_mad_cut, NULL, v, v, v);
	x.in.mods = M_SAT;
	xop_check(&x, bind_f32, ref_mad_cut, NULL, v, v, v);
	/* products that rounding increases, which happens only if the addend is zero */
	static const uint64_t odd[] = {0x3fc00000, 0x3f800001, 0xbfc00003, 0x3f7fffff,
				       0,          0x80000000, 0x2b800000};
	x.in.mods = 0;
	xop_check(&x, bind_f32, ref_mad_cut, NULL, XVALS(odd), XVALS(odd), XVALS(odd));
}

/* FMAD: the product is truncated to a single, or rounded if a zero is added. */
static void ref_fmad(struct xlane *x, const void *arg)
{
	struct soft_fmt f = soft_fmt(T_F32);
	struct soft a = soft_get(x->s[0], f, true), b = soft_get(x->s[1], f, true);
	struct soft c = soft_get(x->s[2], f, true);
	unsigned rnd = c.cls == SOFT_FINITE && !c.sig ? RND_RN : RND_RZ;
	struct soft p = soft_get(soft_put(soft_mul(a, b), f, rnd, true), f, true);
	(void)arg;
	x->d[0] = soft_put(soft_add(p, c, RND_RN), f, RND_RN, true);
}

/* Operands as programs have them: fractions with all bits or few, all ones, powers of two, and
 * numbers whose products lie one unit in the last place above and below those. */
static uint64_t ordinary(void)
{
	static const uint32_t fractions[] = {0,        0,        1,        0x7fffff,
					     0x7ffffe, 0x400000, 0x3504f3, 0x3504f4};
	uint64_t r = xrandom(), e = 127 - 3 + (r >> 8) % 7;
	uint64_t frac = r & 128 ? fractions[r >> 32 & 7] : r >> 40 & 0x7fffff;
	return (r & 1) << 31 | e << 23 | frac;
}

/* A single lane with an unusual operand decides how its row is computed: exponents on both sides of
 * every limit, in one operand or in two. */
static void check_rows(struct xop *x, xref_fn *ref)
{
	static uint64_t val[XOPS][LANES];
	for (unsigned round = 0; round < 300; round++) {
		for (unsigned k = 0; k < x->in.ns; k++)
			for (int l = 0; l < LANES; l++)
				val[k][l] = ordinary();
		for (unsigned n = xrandom() % 3; n; n--) {
			uint64_t *odd = &val[xrandom() % x->in.ns][xrandom() % LANES];
			*odd = xrandom() & 7 ? (*odd & 0x807fffff) | (xrandom() & 255) << 23
					     : xv_f32[xrandom() % 16];
		}
		for (unsigned n = round % 3 ? 0 : xrandom() % 40; n; n--) /* zeros of both signs */
			val[xrandom() % x->in.ns][xrandom() % LANES] = (xrandom() & 1) << 31;
		if (round % 4 == 0) { /* a subnormal factor whose product would be normal */
			unsigned k = xrandom() & 1, l = xrandom() % LANES;
			val[k][l] = 0x00700000 | (xrandom() & 0x800fffff);
			val[!k][l] = (val[!k][l] & 0x807fffff) | (186 + xrandom() % 12) << 23;
		}
		xop_chunk(x, bind_f32, ref, NULL, val);
	}
}
static void f32_rows(void **state)
{
	static const uint32_t literals[] = {0x3f000000, 0x3f800001, 0xbfb504f3,
					    0x1f000000, 0x1effffff, 0x5effffff,
					    0x5f000000, 0,          0x7f800000};
	struct xop x;
	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		make(&x, arith[k], T_F32, sources[k]);
		x.in.mods = M_FTZ;
		check_rows(&x, ref_arith);
	}
	make(&x, OP_MAD, T_F32, 3);
	x.in.mods = M_FTZ;
	x.in.mode = MAD_CUT;
	x.in.rnd = RND_RN;
	check_rows(&x, ref_fmad);
	x.opnd[2].kind = OPND_IMM;
	for (unsigned k = 0; k < sizeof literals / sizeof *literals; k++) {
		x.opnd[2].imm = literals[k];
		check_rows(&x, ref_fmad);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(f32_arithmetic), cmocka_unit_test(f32_division),
		cmocka_unit_test(f32_mad_old),    cmocka_unit_test(f64_arithmetic),
		cmocka_unit_test(f64_division),   cmocka_unit_test(half_arithmetic),
		cmocka_unit_test(f32_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
