/* IEEE arithmetic in 128-bit integers, for any binary format and rounding mode: the reference that
 * floating-point operations are compared with. It shares nothing with the code under test: no host
 * floating point at all.
 *
 * A finite value is (-1)^neg * sig * 2^exp with bit 124 of sig set (zero: sig 0); bit 0 is sticky,
 * it stands for everything that was shifted out. */
#ifndef TESTS_SOFT_REF_H
#define TESTS_SOFT_REF_H
#include <stdbool.h>
#include <stdint.h>
#include "ir/type.h"

typedef unsigned __int128 soft_u128;
enum { SOFT_TOP = 124 };
enum soft_class { SOFT_FINITE, SOFT_INF, SOFT_NAN };

struct soft {
	enum soft_class cls;
	bool neg;
	int exp;
	soft_u128 sig;
};
struct soft_fmt {
	int ebits, mbits;
};

static inline struct soft_fmt soft_fmt(unsigned type)
{
	switch (type) {
	case T_F16:
	case T_F16X2: return (struct soft_fmt){5, 10};
	case T_BF16:
	case T_BF16X2: return (struct soft_fmt){8, 7};
	case T_F32: return (struct soft_fmt){8, 23};
	default: return (struct soft_fmt){11, 52};
	}
}

static inline soft_u128 soft_shr(soft_u128 x, int n)
{
	if (n <= 0)
		return x;
	if (n > 127)
		return x != 0;
	return x >> n | ((x & (((soft_u128)1 << n) - 1)) != 0);
}

static inline struct soft soft_norm(struct soft x)
{
	if (x.cls != SOFT_FINITE || !x.sig)
		return x;
	for (; !(x.sig >> SOFT_TOP); x.exp--)
		x.sig <<= 1;
	for (; x.sig >> (SOFT_TOP + 1); x.exp++)
		x.sig = soft_shr(x.sig, 1);
	return x;
}

static inline struct soft soft_get(uint64_t bits, struct soft_fmt f, bool ftz)
{
	uint64_t frac = bits & ((1ull << f.mbits) - 1);
	int e = (int)(bits >> f.mbits & ((1u << f.ebits) - 1)), bias = (1 << (f.ebits - 1)) - 1;
	struct soft x = {.neg = bits >> (f.ebits + f.mbits) & 1};
	if (e == (1 << f.ebits) - 1) {
		x.cls = frac ? SOFT_NAN : SOFT_INF;
	} else if (e || !ftz) {
		x.sig = e ? frac | 1ull << f.mbits : frac;
		x.exp = (e ? e : 1) - bias - f.mbits;
	}
	return soft_norm(x);
}

/* sig >> n rounded to an integer. */
static inline uint64_t soft_round(soft_u128 sig, int n, bool neg, unsigned rnd)
{
	soft_u128 low = n > 127 ? sig : sig & (((soft_u128)1 << n) - 1);
	soft_u128 half = n > 127 ? ~(soft_u128)0 : (soft_u128)1 << (n - 1);
	uint64_t q = n > 127 ? 0 : (uint64_t)(sig >> n);
	bool up = rnd == RND_RZ   ? false
		  : rnd == RND_RM ? neg && low
		  : rnd == RND_RP ? !neg && low
				  : low > half || (low == half && q & 1);
	return q + up;
}

/* Encodes x in a format; NaN becomes all ones except the sign. */
static inline uint64_t soft_put(struct soft x, struct soft_fmt f, unsigned rnd, bool ftz)
{
	uint64_t sign = (uint64_t)x.neg << (f.ebits + f.mbits);
	uint64_t inf = ((1ull << f.ebits) - 1) << f.mbits;
	int emin = 2 - (1 << (f.ebits - 1));
	if (x.cls == SOFT_NAN)
		return inf | ((1ull << f.mbits) - 1);
	if (x.cls == SOFT_INF)
		return sign | inf;
	if (!x.sig)
		return sign;
	int e = x.exp + SOFT_TOP; /* exponent of the leading bit */
	uint64_t q = soft_round(x.sig, SOFT_TOP - f.mbits, x.neg, rnd); /* unbounded exponent */
	bool tiny = e < emin && !(e == emin - 1 && q >> (f.mbits + 1));
	if (tiny && ftz)
		return sign;
	if (e < emin)
		return sign | soft_round(x.sig, SOFT_TOP - f.mbits + emin - e, x.neg, rnd);
	uint64_t mag = e > -emin + 1 ? inf : q + ((uint64_t)(e - emin) << f.mbits);
	bool to_inf = rnd == RND_RZ ? false : rnd == RND_RM ? x.neg : rnd == RND_RP ? !x.neg : true;
	return sign | (mag < inf ? mag : to_inf ? inf : inf - 1);
}

static const struct soft soft_nan = {.cls = SOFT_NAN};

static inline struct soft soft_mul(struct soft a, struct soft b)
{
	struct soft r = {.neg = a.neg != b.neg};
	if (a.cls == SOFT_NAN || b.cls == SOFT_NAN)
		return soft_nan;
	if (a.cls == SOFT_INF || b.cls == SOFT_INF) {
		r.cls = SOFT_INF;
		return (a.cls == SOFT_FINITE && !a.sig) || (b.cls == SOFT_FINITE && !b.sig)
			       ? soft_nan
			       : r;
	}
	/* Operands have at most 53 significant bits, so the low halves are empty. */
	r.sig = (a.sig >> 64) * (b.sig >> 64);
	r.exp = a.exp + b.exp + 128;
	return soft_norm(r);
}

static inline struct soft soft_add(struct soft a, struct soft b, unsigned rnd)
{
	if (a.cls == SOFT_NAN || b.cls == SOFT_NAN)
		return soft_nan;
	if (a.cls == SOFT_INF)
		return b.cls == SOFT_INF && a.neg != b.neg ? soft_nan : a;
	if (b.cls == SOFT_INF)
		return b;
	if (!a.sig && !b.sig) {
		a.neg = a.neg == b.neg ? a.neg : rnd == RND_RM;
		return a;
	}
	if (!a.sig || !b.sig)
		return a.sig ? a : b;
	if (a.exp < b.exp || (a.exp == b.exp && a.sig < b.sig)) {
		struct soft t = a;
		a = b;
		b = t;
	}
	b.sig = soft_shr(b.sig, a.exp - b.exp);
	a.sig = a.neg == b.neg ? a.sig + b.sig : a.sig - b.sig;
	if (!a.sig)
		a.neg = rnd == RND_RM;
	return soft_norm(a);
}

static inline struct soft soft_div(struct soft a, struct soft b)
{
	struct soft r = {.neg = a.neg != b.neg};
	bool za = a.cls == SOFT_FINITE && !a.sig, zb = b.cls == SOFT_FINITE && !b.sig;
	if (a.cls == SOFT_NAN || b.cls == SOFT_NAN || (za && zb) ||
	    (a.cls == SOFT_INF && b.cls == SOFT_INF))
		return soft_nan;
	if (a.cls == SOFT_INF || zb) {
		r.cls = SOFT_INF;
		return r;
	}
	if (za || b.cls == SOFT_INF)
		return r;
	soft_u128 rem = a.sig;
	r.exp = a.exp - b.exp;
	for (int i = 0; i < 70; i++, r.exp--) {
		r.sig <<= 1;
		if (rem >= b.sig) {
			rem -= b.sig;
			r.sig |= 1;
		}
		rem <<= 1;
	}
	r.sig = r.sig << 1 | (rem != 0);
	return soft_norm(r);
}

static inline struct soft soft_sqrt(struct soft a)
{
	if (a.cls == SOFT_NAN || (a.neg && (a.cls == SOFT_INF || a.sig)))
		return soft_nan;
	if (a.cls == SOFT_INF || !a.sig)
		return a;
	if (a.exp & 1) {
		a.sig <<= 1;
		a.exp--;
	}
	soft_u128 root = 0;
	for (int bit = 62; bit >= 0; bit--) {
		soft_u128 t = root | (soft_u128)1 << bit;
		if (t * t <= a.sig)
			root = t;
	}
	bool inexact = root * root != a.sig;
	a.sig = root << 1 | inexact;
	a.exp = a.exp / 2 - 1;
	return soft_norm(a);
}

#endif
