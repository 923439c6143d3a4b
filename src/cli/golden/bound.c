/* Error bounds of the approximate instructions, from the PTX manual. The exact value is computed in
 * long double from the operands; bound.h has the interface. */
#include "cli/golden/bound.h"
#include <math.h>
#include <string.h>

typedef long double ld;

static ld f_div(ld a, ld b) { return a / b; }
static ld f_rcp(ld a, ld b)
{
	(void)b;
	return 1 / a;
}
static ld f_sqrt(ld a, ld b)
{
	(void)b;
	return sqrtl(a);
}
static ld f_rsqrt(ld a, ld b)
{
	(void)b;
	return 1 / sqrtl(a);
}
static ld f_sin(ld a, ld b)
{
	(void)b;
	return sinl(a);
}
static ld f_cos(ld a, ld b)
{
	(void)b;
	return cosl(a);
}
static ld f_lg2(ld a, ld b)
{
	(void)b;
	return log2l(a);
}
static ld f_ex2(ld a, ld b)
{
	(void)b;
	return exp2l(a);
}
static ld f_tanh(ld a, ld b)
{
	(void)b;
	return tanhl(a);
}

/* div.approx gives 0 for divisors above 2^126, and NaN if the dividend is infinite too. */
static ld f_div_big(ld a, ld b)
{
	return isinf(a) || isnan(a) ? (ld)NAN : copysignl(0, a) * copysignl(1, b);
}

#define PI 3.14159265358979323846

struct bound {
	const char *op, *type;
	ld (*exact)(ld a, ld b);
	double lo, hi;        /* magnitudes of the last operand for which the row is valid */
	double ulp, rel, abs; /* allowed errors, of which the largest counts */
};

/* The first row that fits is used. Without a row, the result must equal the GPU's bit for bit.
 * Sections are those of the PTX ISA manual, version 9. */
static const struct bound bounds[] = {
	/* 9.7.3.8 div: 2 ulp for |b| in [2^-126, 2^126], a zero above, full range for .full. For
	 * smaller |b| the manual says only that d = a * (1 / b); the bound of the middle range is
	 * applied. */
	{"div.approx", "f32", f_div, 0, 0x1p126, .ulp = 2},
	{"div.approx", "f32", f_div_big, 0x1p126, 0x1.fffffep127, .ulp = 0},
	{"div.approx", "f32", f_div, INFINITY, INFINITY, .ulp = 0},
	{"div.full", "f32", f_div, 0, INFINITY, .ulp = 2},
	/* 9.7.3.13 rcp, 9.7.3.15 sqrt, 9.7.3.16 rsqrt: full range */
	{"rcp.approx", "f32", f_rcp, 0, INFINITY, .ulp = 1},
	{"sqrt.approx", "f32", f_sqrt, 0, INFINITY, .rel = 0x1p-23},
	{"rsqrt.approx", "f32", f_rsqrt, 0, INFINITY, .rel = 0x1.125fbfp-23 /* 2^-22.9 */},
	/* 9.7.3.18 sin, 9.7.3.19 cos */
	{"sin.approx", "f32", f_sin, 0, 2 * PI, .abs = 0x1.6a09e6p-21 /* 2^-20.5 */},
	{"cos.approx", "f32", f_cos, 0, 2 * PI, .abs = 0x1.6a09e6p-21},
	{"sin.approx", "f32", f_sin, 0, 100 * PI, .abs = 0x1.3b2c48p-15 /* 2^-14.7 */},
	{"cos.approx", "f32", f_cos, 0, 100 * PI, .abs = 0x1.3b2c48p-15},
	/* beyond: "only best effort", so any value from -1 to 1 */
	{"sin.approx", "f32", f_sin, 0, 0x1.fffffep127, .abs = 2},
	{"cos.approx", "f32", f_cos, 0, 0x1.fffffep127, .abs = 2},
	{"sin.approx", "f32", f_sin, INFINITY, INFINITY, .abs = 0},
	{"cos.approx", "f32", f_cos, INFINITY, INFINITY, .abs = 0},
	/* 9.7.3.20 lg2, 9.7.3.21 ex2 (2 ulp from the correctly rounded result), 9.7.3.22 tanh */
	{"lg2.approx", "f32", f_lg2, 0.5, 2, .abs = 0x1p-22},
	{"lg2.approx", "f32", f_lg2, 0, INFINITY, .rel = 0x1p-22},
	{"ex2.approx", "f32", f_ex2, 0, INFINITY, .ulp = 2.5},
	{"tanh.approx", "f32", f_tanh, 0, INFINITY, .rel = 0x1p-11},
	/* 9.7.4.9 tanh, 9.7.4.10 ex2 of halves */
	{"ex2.approx", "f16", f_ex2, 0, INFINITY, .rel = 0x1.125fbfp-10 /* 2^-9.9 */},
	{"tanh.approx", "f16", f_tanh, 0, INFINITY, .abs = 0x1.025p-11 /* 2^-10.987 */},
	{"ex2.approx", "bf16", f_ex2, 0, INFINITY, .rel = 0x1p-7},
	{"tanh.approx", "bf16", f_tanh, 0, INFINITY, .abs = 0x1p-8},
	/* 9.7.3.14, 9.7.3.17: the .ftz forms read and give only the upper word, "1.11.20 format":
	 * one unit of its last place. 9.7.3.16 gives no figure for rsqrt.approx.f64, "emulated in
	 * software": the bound of two units is our choice; an H200's largest error is one. */
	{"rsqrt.approx", "f64", f_rsqrt, 0, INFINITY, .ulp = 2},
	{"rcp.approx.ftz", "f64hi", f_rcp, 0, INFINITY, .rel = 0x1p-20},
	{"rsqrt.approx.ftz", "f64hi", f_rsqrt, 0, INFINITY, .rel = 0x1p-20},
};

long double num_value(struct numformat f, uint64_t bits)
{
	uint64_t frac = bits & ((1ull << f.frac_bits) - 1);
	int max = (1 << f.exp_bits) - 1, ex = (int)(bits >> f.frac_bits) & max;
	int bias = max / 2, m = (int)f.frac_bits;
	ld v = ex == max ? (frac ? (ld)NAN : (ld)INFINITY)
	       : ex      ? ldexpl((ld)(frac | 1ull << m), ex - bias - m)
			 : ldexpl((ld)frac, 1 - bias - m);
	return bits >> (f.width - 1) & 1 ? -v : v;
}

static ld least_normal(struct numformat f) { return ldexpl(1, 2 - (1 << (f.exp_bits - 1))); }

static ld greatest(struct numformat f)
{
	return ldexpl(2 - ldexpl(1, -(int)f.frac_bits), (1 << (f.exp_bits - 1)) - 1);
}

static ld ulp_at(struct numformat f, ld x)
{
	x = fabsl(x);
	int e;
	if (x < least_normal(f))
		x = least_normal(f);
	frexpl(x, &e);
	return ldexpl(1, e - 1 - (int)f.frac_bits);
}

/* True if `got` is within the allowance of `want`. Infinity is allowed where rounding could
 * overflow; with flush to zero, a result below the least normal number may be a zero of its
 * sign. */
static bool is_near(struct numformat f, ld got, ld want, ld allowed, bool ftz)
{
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got);
	if (isinf(want))
		return got == want;
	if (isinf(got))
		return signbit(got) == signbit(want) && fabsl(want) + allowed > greatest(f);
	if (want == 0 && got == 0)
		return signbit(got) == signbit(want);
	if (ftz && got == 0)
		return fabsl(want) < least_normal(f) + allowed &&
		       (signbit(got) == signbit(want) || fabsl(want) <= allowed);
	if (ftz && fabsl(got) < least_normal(f))
		return false;
	return fabsl(got - want) <= allowed;
}

static bool row_fits(const struct bound *b, const char *name, struct numformat f, bool ftz, ld last)
{
	size_t n = strlen(b->op);
	const char *type = f.width == 64     ? (ftz ? "f64hi" : "f64")
			   : f.width == 32   ? "f32"
			   : f.exp_bits == 5 ? "f16"
					     : "bf16";
	return !strncmp(b->op, name, n) && (name[n] == '.' || !name[n]) && !strcmp(b->type, type) &&
	       ((fabsl(last) >= b->lo && fabsl(last) <= b->hi) || isnan(last));
}

static bool number_accepts(const char *name, struct numformat f, bool ftz, const uint64_t *operand,
			   unsigned operands, uint64_t got)
{
	ld x[2] = {0}, g = num_value(f, got);
	for (unsigned k = 0; k < operands && k < 2; k++) {
		uint64_t w = f.width == 64 && ftz ? operand[k] & ~0xffffffffull : operand[k];
		x[k] = num_value(f, w);
		if (ftz && fabsl(x[k]) < least_normal(f))
			x[k] = copysignl(0, x[k]);
	}
	ld last = x[operands > 1];
	for (unsigned i = 0; i < sizeof bounds / sizeof *bounds; i++) {
		const struct bound *b = &bounds[i];
		if (!row_fits(b, name, f, ftz, last))
			continue;
		ld want = b->exact(x[0], x[1]);
		if (fabsl(want) > 2 * greatest(f))
			want = copysignl((ld)INFINITY, want);
		/* rounding to the nearest number of the format is always allowed */
		ld ulp = ulp_at(f, want), half = isinf(want) || !want ? 0 : ulp / 2;
		ld allowed = fmaxl(fmaxl(b->ulp * ulp, b->rel * fabsl(want)), fmaxl(b->abs, half));
		if (isnan(want) || isinf(want))
			allowed = 0;
		return is_near(f, g, want, allowed, ftz);
	}
	return false;
}

/* Sums may be taken in any order and in any width above the accumulator's, so each addition may
 * lose one ulp of the largest partial sum. */
static bool mma_accepts(const struct variant *v, const struct operands *g, const uint64_t *words,
			uint32_t i, unsigned r, uint64_t got, uint64_t recorded)
{
	bool half = strstr(v->name, ".f16.f16.f16.f16") != NULL;
	struct numformat f =
		half ? (struct numformat){16, 5, 10, 2} : (struct numformat){32, 8, 23, 1};
	for (unsigned p = 0; p < f.parts; p++) {
		double exact, magnitude;
		uint64_t mask = (1ull << f.width) - 1, a = got >> (p * f.width) & mask,
			 b = recorded >> (p * f.width) & mask;
		if (a == b)
			continue;
		if (!mma_exact(v->name, g, words, i, r, p, &exact, &magnitude))
			return false;
		ld allowed = 16 * 0x1p-23 * magnitude + ulp_at(f, exact);
		if (!is_near(f, num_value(f, a), exact, allowed, false))
			return false;
	}
	return true;
}

bool bound_accepts(const struct variant *v, const struct operands *g, const uint64_t *words,
		   uint32_t i, unsigned r, uint64_t got, uint64_t recorded)
{
	if (got == recorded)
		return true;
	if (!strncmp(v->name, "mma.", 4) || !strncmp(v->name, "wmma.", 5))
		return mma_accepts(v, g, words, i, r, got, recorded);
	if (!g->count)
		return false;
	struct numformat f = operands_format(g, 0);
	if (!f.exp_bits || r)
		return false;
	bool ftz = strstr(v->name, ".ftz") != NULL;
	for (unsigned p = 0; p < f.parts; p++) {
		unsigned shift = p * f.width;
		uint64_t mask = f.width == 64 ? ~0ull : (1ull << f.width) - 1, x[OPERANDS_MAX];
		for (unsigned k = 0; k < g->count; k++)
			x[k] = words[OPERANDS_MAX * i + k] >> shift & mask;
		uint64_t a = got >> shift & mask, b = recorded >> shift & mask;
		if (a != b && !number_accepts(v->name, f, ftz, x, g->count, a))
			return false;
	}
	return true;
}
