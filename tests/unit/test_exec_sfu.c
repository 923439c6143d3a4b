/* Approximate operations: errors within the bounds of the PTX manual over many operands, and the
 * special values it lists. The reference is the host's libm in double. */
#include <math.h>
#include "exec_harness.h"

static uint32_t bits(float f) { return f32_bits(f); }

/* Runs a one- or two-source f32 operation on lane values. */
static void eval(unsigned op, uint32_t mods, const uint32_t *a, const uint32_t *b, uint32_t *out)
{
	static _Alignas(ROW) uint32_t rows[3][LANES];
	struct xop x;
	int32_t v[3] = {0, ROW, 2 * ROW};
	xop_make(&x, op, T_F32, 1, b ? 3 : 2, XT(T_F32, T_F32, T_F32));
	x.in.mods = mods;
	/* clang-format off */
	struct uop u = {.in = &x.in, .v = v, .d = v[0], .a = v[1], .b = v[2], .op = (uint16_t)op, .type = T_F32};
	/* clang-format on */
	struct warp w = {.base = {(uint8_t *)rows, NULL, NULL}, .mask = ~0u};
	memcpy(rows[1], a, ROW);
	if (b)
		memcpy(rows[2], b, ROW);
	assert_true(bind_sfu(&x.in, &u));
	u.full(&w, &u);
	memcpy(out, rows[0], ROW);
}
static uint32_t one(unsigned op, uint32_t mods, uint32_t a)
{
	uint32_t r[LANES], x[LANES];
	for (int i = 0; i < LANES; i++)
		x[i] = a;
	eval(op, mods, x, NULL, r);
	for (int i = 1; i < LANES; i++)
		assert_int_equal(r[i], r[0]);
	return r[0];
}
static uint32_t two(uint32_t mods, uint32_t a, uint32_t b)
{
	uint32_t r[LANES], x[LANES], y[LANES];
	for (int i = 0; i < LANES; i++)
		x[i] = a, y[i] = b;
	eval(OP_DIV, mods, x, y, r);
	return r[0];
}

/* Largest error of an operation over n random operands of [lo, hi]; relative, or absolute. */
static double worst(unsigned op, double (*ref)(double), double lo, double hi, bool relative)
{
	double w = 0;
	for (int n = 0; n < 2000; n++) {
		uint32_t a[LANES], r[LANES];
		for (int i = 0; i < LANES; i++)
			a[i] = bits((float)(lo + (hi - lo) * (double)(xrandom() >> 11) * 0x1p-53));
		eval(op, M_APPROX, a, NULL, r);
		for (int i = 0; i < LANES; i++) {
			double want = ref(as_f32(a[i])), e = fabs(as_f32(r[i]) - want);
			e = relative ? e / fabs(want) : e;
			w = e > w ? e : w;
		}
	}
	return w;
}
static double ref_rcp(double x) { return 1 / x; }
static double ref_rsqrt(double x) { return 1 / sqrt(x); }

static void bounds(void **state)
{
	(void)state;
	assert_true(worst(OP_RCP, ref_rcp, 1, 2, true) <= 0x1p-23);
	assert_true(worst(OP_RCP, ref_rcp, -1e30, 1e30, true) <= 0x1p-23);
	assert_true(worst(OP_SQRT, sqrt, 1e-30, 1e30, true) <= 0x1p-23);
	assert_true(worst(OP_RSQRT, ref_rsqrt, 1, 4, true) <= 0x1p-22);
	assert_true(worst(OP_SIN, sin, -M_PI, M_PI, false) <= 0x1p-20);
	assert_true(worst(OP_COS, cos, -M_PI, M_PI, false) <= 0x1p-20);
	assert_true(worst(OP_LG2, log2, 0.5, 2, false) <= 0x1p-22);
	assert_true(worst(OP_LG2, log2, 2, 1e30, true) <= 0x1p-22);
	assert_true(worst(OP_LG2, log2, 1e-30, 0.5, true) <= 0x1p-22);
	assert_true(worst(OP_EX2, exp2, -125, 127, true) <= 0x1p-22);
	assert_true(worst(OP_EX2, exp2, -1, 1, true) <= 0x1p-22);
	assert_true(worst(OP_TANH, tanh, -10, 10, true) <= 0x1p-11);
	assert_true(worst(OP_TANH, tanh, -0.2, 0.2, true) <= 0x1p-11);
}

#define INF  0x7f800000u
#define NEG  0x80000000u
#define QNAN 0x7fffffffu

static void specials(void **state)
{
	static const struct {
		unsigned op;
		uint32_t a, want, ftz; /* ftz: with .ftz */
				       /* clang-format off */
	} t[] = {
		{OP_RCP, 0, INF, INF}, {OP_RCP, NEG, INF | NEG, INF | NEG}, {OP_RCP, INF | NEG, NEG, NEG},
		{OP_RCP, 0x7f000000, 0x00400000, 0}, {OP_RCP, 0x80000001, INF | NEG, INF | NEG}, {OP_RCP, 0xffc01234, QNAN, QNAN},
		{OP_SQRT, NEG, NEG, NEG}, {OP_SQRT, 0xbf800000, QNAN, QNAN}, {OP_SQRT, 0x80000001, QNAN, NEG}, {OP_SQRT, INF, INF, INF},
		{OP_RSQRT, 0, INF, INF}, {OP_RSQRT, NEG, INF | NEG, INF | NEG}, {OP_RSQRT, INF, 0, 0}, {OP_RSQRT, 0xbf800000, QNAN, QNAN},
		{OP_SIN, NEG, NEG, NEG}, {OP_SIN, INF, QNAN, QNAN}, {OP_COS, NEG, 0x3f800000, 0x3f800000}, {OP_COS, INF | NEG, QNAN, QNAN},
		{OP_LG2, 0, INF | NEG, INF | NEG}, {OP_LG2, NEG, INF | NEG, INF | NEG}, {OP_LG2, 0xbf800000, QNAN, QNAN},
		{OP_LG2, INF, INF, INF}, {OP_LG2, 1, 0xc3150000, INF | NEG}, {OP_LG2, 0x3f800000, 0, 0},
		{OP_EX2, INF | NEG, 0, 0}, {OP_EX2, INF, INF, INF}, {OP_EX2, 0x43000000, INF, INF}, {OP_EX2, 0xc2fe0000, 0x003fffff, 0},
		{OP_EX2, 0xc4000000, 0, 0}, {OP_EX2, NEG, 0x3f800000, 0x3f800000}, {OP_EX2, 0x7fc00000, QNAN, QNAN},
	};
	/* clang-format on */
	(void)state;
	for (unsigned k = 0; k < sizeof t / sizeof *t; k++) {
		assert_int_equal(one(t[k].op, M_APPROX, t[k].a), t[k].want);
		assert_int_equal(one(t[k].op, M_APPROX | M_FTZ, t[k].a), t[k].ftz);
	}
	assert_int_equal(one(OP_TANH, M_APPROX, NEG), NEG);
	assert_int_equal(one(OP_TANH, M_APPROX, INF), 0x3f800000);
	assert_int_equal(one(OP_TANH, M_APPROX, INF | NEG), 0xbf800000);
	assert_int_equal(one(OP_TANH, M_APPROX, 0xff800001), QNAN);
}

/* A divisor above 2^126 gives 0, or NaN for an infinite dividend; div.full covers the whole
 * range. */
static void division(void **state)
{
	(void)state;
	assert_int_equal(two(M_APPROX, bits(6.0f), bits(3.0f)), bits(2.0f));
	assert_int_equal(two(M_APPROX, bits(0x1p127f), bits(0x1.8p126f)), 0);
	assert_int_equal(two(M_APPROX, bits(-1.0f), bits(0x1.8p126f)), NEG);
	assert_int_equal(two(M_APPROX, INF, bits(0x1.8p126f)), QNAN);
	assert_int_equal(two(M_APPROX, bits(0x1p127f), bits(0x1p126f)), bits(2.0f));
	assert_int_equal(two(M_FULL, bits(0x1p127f), bits(0x1p127f)), bits(1.0f));
	assert_int_equal(two(M_FULL, 0, 0), QNAN);
	assert_int_equal(two(M_FULL | M_FTZ, 1, 1), QNAN);
	assert_int_equal(two(M_FULL, bits(1.0f), 0), INF);
}

/* A quotient is the product with the reciprocal, rounded twice, as compilers emit it in machine
 * code. */
static void reciprocals(void **state)
{
	(void)state;
	unsigned twice = 0;
	assert_int_equal(two(M_APPROX, 0x3e0996c8, 0x43b7bba9), 0x39bfb4cf);
	assert_int_equal(two(M_FULL, 0x3e0996c8, 0x43b7bba9), 0x39bfb4cf);
	for (int n = 0; n < 4000; n++) {
		uint32_t a = bits(1.0f + (float)(xrandom() >> 40) * 0x1p-24f);
		uint32_t b = bits(1.0f + (float)(xrandom() >> 40) * 0x1p-24f);
		float r = as_f32(one(OP_RCP, M_APPROX | M_FTZ, b));
		assert_int_equal(two(M_APPROX, a, b), bits(as_f32(a) * r));
		assert_int_equal(two(M_FULL | M_FTZ, a, b), bits(as_f32(a) * r));
		twice += as_f32(a) * r != as_f32(a) / as_f32(b);
	}
	assert_true(twice > 400);
	/* Denormal operands: lg2 and rcp scale them, sin has a product of 0. */
	assert_int_equal(one(OP_LG2, M_APPROX, 0x1b02f4), 0xc3003e97);
	assert_int_equal(one(OP_RCP, M_APPROX, 0x7ec01e62), 0x005547d6);
	assert_int_equal(one(OP_SIN, M_APPROX, 0x00800000), 0);
	assert_int_equal(one(OP_SIN, M_APPROX, 0x80000001), NEG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds),
		cmocka_unit_test(specials),
		cmocka_unit_test(division),
		cmocka_unit_test(reciprocals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
