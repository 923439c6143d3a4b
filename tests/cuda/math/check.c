/*
 * check gen NAME f32|f64 FILE N   writes arguments
 * check cmp NAME f32|f64 IN OUT   prints the largest error, status 1 when over the bound
 * check list                      prints the names
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long double sinpi_ref(long double x) { x = fmodl(x, 2); return sinl(M_PIl * x); }
static long double cospi_ref(long double x) { return sinpi_ref(x + 0.5L); }
static long double erfcx_ref(long double x)
{
	if (x < 20)
		return expl(x * x) * erfcl(x);
	long double t = x;
	for (int k = 60; k > 0; k--)
		t = x + k / 2.0L / t;
	return 1 / (t * sqrtl(M_PIl));
}
static long double erfcinv_ref(long double y)
{
	long double lo = -7, hi = 7;
	for (int i = 0; i < 200; i++) {
		long double m = (lo + hi) / 2;
		if (erfcl(m) > y)
			lo = m;
		else
			hi = m;
	}
	return (lo + hi) / 2;
}
static long double erfinv_ref(long double y)
{
	long double lo = -7, hi = 7;
	for (int i = 0; i < 200; i++) {
		long double m = (lo + hi) / 2;
		if (erfl(m) < y)
			lo = m;
		else
			hi = m;
	}
	return (lo + hi) / 2;
}
static long double bessel_i_ref(int n, long double x)
{
	long double t = n ? x / 2 : 1, r = t;
	for (int k = 1; k < 400; k++) {
		t *= x * x / 4 / ((long double)k * (k + n));
		r += t;
	}
	return r;
}

struct fn { const char *name; double lo, hi, bound[2]; };
static const struct fn fns[] = {
#define F(n, lo, hi, uf, ud, ref) {#n, lo, hi, {uf, ud}},
#include "functions.def"
#undef F
};

static long double reference(unsigned i, long double x)
{
	unsigned k = 0;
#define F(n, lo, hi, uf, ud, ref) if (i == k++) return ref;
#include "functions.def"
#undef F
	return 0;
}

/* Error in units of the last place of the correctly rounded result. */
static double ulps(long double want, double got, int f64)
{
	if (isnan(got) != isnan(want))
		return INFINITY;
	if (got == want || isnan(got))
		return 0;
	int e;
	frexpl(want, &e);
	int digits = f64 ? DBL_MANT_DIG : FLT_MANT_DIG, least = f64 ? DBL_MIN_EXP : FLT_MIN_EXP;
	long double unit = ldexpl(1, (e < least ? least : e) - digits);
	return (double)(fabsl(want - got) / unit);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "list")) {
		for (unsigned i = 0; i < sizeof fns / sizeof *fns; i++)
			puts(fns[i].name);
		return 0;
	}
	if (argc < 6)
		return 2;
	unsigned i = 0;
	while (i < sizeof fns / sizeof *fns && strcmp(fns[i].name, argv[2]))
		i++;
	if (i == sizeof fns / sizeof *fns)
		return 2;
	const struct fn *f = &fns[i];
	int f64 = !strcmp(argv[3], "f64");
	if (!strcmp(argv[1], "gen")) {
		FILE *o = fopen(argv[4], "wb");
		uint64_t s = 88172645463325252ull;
		if (!o)
			return 2;
		for (int k = 0, n = atoi(argv[5]); k < n; k++) {
			s ^= s << 13, s ^= s >> 7, s ^= s << 17;
			double u = (double)(s >> 11) * 0x1p-53, x;
			/* logarithmically spaced if the range spans many exponents, otherwise
			 * evenly */
			x = f->lo > 0 && f->hi / f->lo > 1e12
			            ? exp(log(f->lo) + u * (log(f->hi) - log(f->lo)))
			            : f->lo + u * (f->hi - f->lo);
			float y = (float)x;
			fwrite(f64 ? (void *)&x : (void *)&y, f64 ? 8 : 4, 1, o);
		}
		return fclose(o) != 0;
	}
	FILE *a = fopen(argv[4], "rb"), *b = fopen(argv[5], "rb");
	double worst = 0, at = 0, x, y;
	float xf, yf;
	if (!a || !b)
		return 2;
	while (f64 ? fread(&x, 8, 1, a) && fread(&y, 8, 1, b)
	           : fread(&xf, 4, 1, a) && fread(&yf, 4, 1, b)) {
		if (!f64)
			x = xf, y = yf;
		double u = ulps(reference(i, x), y, f64);
		if (u > worst)
			worst = u, at = x;
	}
	/* a bound of n counts whole units between rounded results, n + 0.5 from the exact one */
	int bad = worst > f->bound[f64] + 0.5;
	printf("%s%-14s %s  %.2f ulp at %.17g, bound %g\n", bad ? "FAIL " : "", f->name, argv[3],
	       worst, at, f->bound[f64]);
	return bad;
}
