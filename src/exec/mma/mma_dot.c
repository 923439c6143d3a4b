/* The arithmetic of a tile product. Integers are exact and wrap or saturate at the end; f64 is a
 * chain of fused multiply-adds. Narrow floats follow the tensor core: the products of a group of k
 * and the accumulator are aligned to the largest exponent among them, truncated to a fixed number
 * of fraction bits, added as integers, and the sum is truncated to f32 (or rounded to f16). Groups
 * follow each other along k. */
#include <string.h>
#include "exec/alu/float.h"
#include "exec/mma/mma.h"
#include "exec/mma/tensor_core.h"

enum { ALIGN_FRAC = 25 }; /* fraction bits kept below the largest exponent: Hopper's */

/* A finite value: (-1)^neg * sig * 2^(exp - frac bits of its format). */
struct term {
	int32_t exp; /* exponent of the leading position; NO_EXP for zero */
	int32_t sig; /* signed significand, 24 bits at most */
	bool neg;    /* sign, also of a zero */
};
enum { NO_EXP = -100000 };
enum { TERM_NAN = 1, TERM_INF = 2 };

struct narrow {
	uint8_t ebits, mbits, shift; /* shift: bits below the fraction that the format ignores */
};
static struct narrow narrow_of(unsigned type)
{
	switch (type) {
	case T_F16: return (struct narrow){5, 10, 0};
	case T_BF16: return (struct narrow){8, 7, 0};
	case T_TF32: return (struct narrow){8, 10, 13};
	default: return (struct narrow){8, 23, 0};
	}
}

/* Decomposes bits; returns TERM_* for an infinity or NaN (sign in *t). */
static unsigned term_of(uint32_t bits, unsigned type, struct term *t)
{
	struct narrow f = narrow_of(type);
	uint32_t mag = bits >> f.shift & ((1u << (f.ebits + f.mbits)) - 1);
	uint32_t frac = mag & ((1u << f.mbits) - 1);
	int e = (int)(mag >> f.mbits), bias = (1 << (f.ebits - 1)) - 1;
	bool neg = bits >> (f.shift + f.ebits + f.mbits) & 1;
	t->exp = mag ? (e ? e : 1) - bias : NO_EXP;
	t->sig = (int32_t)(e ? frac | 1u << f.mbits : frac);
	t->sig = neg ? -t->sig : t->sig;
	t->neg = neg;
	if (e == (1 << f.ebits) - 1)
		return frac ? TERM_NAN : TERM_INF;
	return 0;
}

struct vec { /* a row of a or a column of b */
	int32_t exp[TILE_K], sig[TILE_K];
	uint8_t special[TILE_K];
	bool neg[TILE_K];
	unsigned any;
};
static void vec_of(struct vec *v, const uint64_t *bits, unsigned k, unsigned type)
{
	v->any = 0;
	for (unsigned i = 0; i < k; i++) {
		struct term t;
		v->any |= v->special[i] = (uint8_t)term_of((uint32_t)bits[i], type, &t);
		v->exp[i] = t.exp;
		v->sig[i] = t.sig;
		v->neg[i] = t.neg;
	}
}

/* sig, which has `from` fraction bits and the exponent exp, in units of 2^(max - ALIGN_FRAC),
 * truncated towards zero. Significands are below 2^(from + 2), so 27 bits hold them. */
static inline int32_t align(int32_t sig, int from, int exp, int max)
{
	uint32_t m = (sig < 0 ? -(uint32_t)sig : (uint32_t)sig) << (ALIGN_FRAC - from);
	uint32_t down = (uint32_t)(max - exp);
	m >>= down < 31 ? down : 31;
	return sig < 0 ? -(int32_t)m : (int32_t)m;
}

/* An f32 whose value is sum * 2^(max - ALIGN_FRAC), truncated to 24 bits. */
static uint32_t sum_to_f32(int64_t sum, int max)
{
	uint32_t sign = sum < 0 ? F32_SIGN : 0;
	uint64_t m = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
	if (!m)
		return 0;
	int top = 63 - __builtin_clzll(m), e = top + max - ALIGN_FRAC;
	if (e > 127)
		return sign | F32_INF;
	int drop = top - 23;
	if (e < -126)
		drop += -126 - e;
	m = drop >= 0 ? drop > 63 ? 0 : m >> drop : m << -drop;
	return sign | (e < -126 ? (uint32_t)m : (uint32_t)m + ((uint32_t)(e + 126) << 23));
}

/* The result for infinities and NaNs, or 0 if the sum is finite. */
static uint32_t special_sum(const struct vec *a, const struct vec *b, unsigned k, uint32_t c)
{
	bool plus = c == F32_INF, minus = c == (F32_INF | F32_SIGN);
	if (f32_is_nan(c))
		return F32_NAN;
	for (unsigned i = 0; i < k; i++) {
		unsigned s = a->special[i] | b->special[i];
		if (!s)
			continue;
		bool zero = (!a->special[i] && a->exp[i] == NO_EXP) ||
			    (!b->special[i] && b->exp[i] == NO_EXP);
		if (s & TERM_NAN || zero)
			return F32_NAN;
		bool neg = (a->sig[i] < 0) != (b->sig[i] < 0);
		minus |= neg;
		plus |= !neg;
	}
	return plus && minus ? F32_NAN : plus ? F32_INF : minus ? F32_INF | F32_SIGN : 0;
}

/* The sum of zeros: negative if all are negative. */
static uint32_t zero_sum(const struct vec *a, const struct vec *b, unsigned k, bool neg)
{
	for (unsigned i = 0; i < k; i++)
		neg &= a->neg[i] != b->neg[i];
	return neg ? F32_SIGN : 0;
}

/* c plus the products of k elements, one group. */
static uint32_t group_sum(const struct vec *a, const struct vec *b, unsigned k, unsigned mbits,
			  uint32_t c)
{
	const int32_t *ea = a->exp, *eb = b->exp, *sa = a->sig, *sb = b->sig;
	struct term ct;
	term_of(c, T_F32, &ct);
	int max = ct.exp;
	for (unsigned i = 0; i < k; i++)
		max = ea[i] + eb[i] > max ? ea[i] + eb[i] : max;
	if (max < -1000)
		return zero_sum(a, b, k, c & F32_SIGN);
	int64_t sum = align(ct.sig, 23, ct.exp, max);
	for (unsigned i = 0; i < k; i++)
		sum += align(sa[i] * sb[i], 2 * (int)mbits, ea[i] + eb[i], max);
	return sum_to_f32(sum, max);
}

static uint32_t dot_float(const struct vec *a, const struct vec *b, unsigned k, unsigned type,
			  uint32_t c)
{
	if (a->any | b->any || (c & F32_INF) == F32_INF) {
		uint32_t s = special_sum(a, b, k, c);
		if (s)
			return s;
	}
	return group_sum(a, b, k, narrow_of(type).mbits, c);
}

/* .satfinite: the largest finite number for an infinity, zero for NaN. */
static uint32_t saturate(uint32_t d, uint32_t inf, uint32_t sign)
{
	uint32_t mag = d & ~sign;
	return mag > inf ? 0 : mag == inf ? d - 1 : d;
}

/* A column of B as a row of the product's other side; `extra`: products of +0 after it. */
static void fill_column(const struct tile *t, unsigned n, unsigned extra, struct tc_row *r)
{
	unsigned k = t->s.k;
	r->stored = k + extra;
	for (unsigned i = 0; i < k + extra; i++) {
		r->bits[i] = i < k ? (uint32_t)t->b[n * k + i] : 0;
		r->place[i] = (uint8_t)i;
	}
	tc_row_decode(r, k + extra, t->btype);
}

/* The rows of A as columns of a strip; unused columns repeat the first. */
static void fill_strip(const struct tile *t, unsigned extra, struct tc_strip *s)
{
	unsigned k = t->s.k;
	for (unsigned i = 0; i < k + extra; i++)
		for (unsigned m = 0; m < TC_COLUMNS; m++)
			s->bits[i][m] = i < k ? (uint32_t)t->a[(m < t->s.m ? m : 0) * k + i] : 0;
	tc_strip_decode(s, k + extra, t->atype);
}

/* Multiplies as the tensor core does, with all of k in one block. tf32 of depth 4 is computed with
 * depth 8, padded with products of +0. D is computed column by column, which is allowed because the
 * operands of a product may be exchanged. */
static void multiply_float(struct tile *t)
{
	struct tc_strip a;
	struct tc_row b;
	unsigned extra = t->atype == T_TF32 && t->s.k == 4;
	struct tc_job j = {t->s.k + extra, t->btype, t->atype, t->dtype, false};
	bool half = t->dtype == T_F16;
	fill_strip(t, extra, &a);
	for (unsigned n = 0; n < t->s.n; n++) {
		uint32_t c[TC_COLUMNS];
		fill_column(t, n, extra, &b);
		for (unsigned m = 0; m < TC_COLUMNS; m++) {
			uint32_t x = (uint32_t)t->c[(m < t->s.m ? m : 0) * t->s.n + n];
			if (t->ctype != t->dtype) /* m8n8k4 alone */
				x = half ? f32_to_f16(as_f32(x)) : f32_bits(f16_to_f32(x));
			c[m] = x;
		}
		tc_multiply(&j, &b, &a, c, c);
		for (unsigned m = 0; m < t->s.m; m++) {
			uint32_t d = c[m];
			if (t->satfinite)
				d = half ? saturate(d, F16_INF, 0x8000)
					 : saturate(d, F32_INF, F32_SIGN);
			t->d[m * t->s.n + n] = d;
		}
	}
}

/* ---- 8-bit floats: Hopper has no such product. Its assembler widens them to f16 and makes two: of
 * the lower two elements of every register, then, added to that, of the upper two; c is added last.
 * ---- */

uint32_t fp8_to_f16(uint32_t x, unsigned type)
{
	uint32_t sign = (x & 0x80) << 8, mag = x & 0x7f;
	if (type == T_E5M2)
		return x << 8;
	if (mag == 0x7f)
		return 0x7fff;
	if (mag >= 8) /* normal: from bias 7 to bias 15 */
		return sign | ((mag << 7) + (8u << 10));
	if (!mag)
		return sign;
	unsigned top = 31 - (unsigned)__builtin_clz(mag); /* mag * 2^-9, normal as f16 */
	return sign | (top + 6) << 10 | (mag << (10 - top) & 0x3ff);
}

/* The widened elements of one product out of k: those with bit 1 of their number equal to
 * `upper`. */
static void vec_of_fp8(struct vec *v, const uint64_t *bits, unsigned k, unsigned type, bool upper)
{
	uint64_t wide[TILE_K];
	for (unsigned i = 0; i < k / 2; i++)
		wide[i] = fp8_to_f16((uint32_t)bits[i / 2 * 4 + upper * 2 + i % 2], type);
	vec_of(v, wide, k / 2, T_F16);
}

static uint32_t add_last(uint32_t c, uint32_t sum, bool half)
{
	if (half)
		return f32_to_f16(f16_to_f32(c) + f16_to_f32(sum));
	return f32_canon(as_f32(c) + as_f32(sum));
}

static void multiply_fp8(struct tile *t)
{
	struct vec a[2], b[TILE_MN][2];
	unsigned k = t->s.k;
	bool half = t->dtype == T_F16;
	for (unsigned n = 0; n < t->s.n; n++)
		for (unsigned up = 0; up < 2; up++)
			vec_of_fp8(&b[n][up], t->b + n * k, k, t->btype, up);
	for (unsigned m = 0; m < t->s.m; m++) {
		for (unsigned up = 0; up < 2; up++)
			vec_of_fp8(&a[up], t->a + m * k, k, t->atype, up);
		for (unsigned n = 0; n < t->s.n; n++) {
			uint32_t sum = 0;
			for (unsigned up = 0; up < 2; up++) {
				sum = dot_float(&a[up], &b[n][up], k / 2, T_F16, sum);
				sum = half ? f32_bits(f16_to_f32(f32_to_f16(as_f32(sum)))) : sum;
			}
			sum = half ? f32_to_f16(as_f32(sum)) : sum;
			t->d[m * t->s.n + n] = add_last((uint32_t)t->c[m * t->s.n + n], sum, half);
		}
	}
}

/* The rounding mode is the instruction's; the fences keep the chain inside it. */
static void multiply_f64(struct tile *t)
{
	round_set(t->rnd, t);
	for (unsigned m = 0; m < t->s.m; m++)
		for (unsigned n = 0; n < t->s.n; n++) {
			uint64_t acc = t->c[m * t->s.n + n];
			for (unsigned k = 0; k < t->s.k; k++) {
				uint64_t a = t->a[m * t->s.k + k], b = t->b[n * t->s.k + k];
				double r = fma(as_f64(a), as_f64(b), as_f64(acc));
				acc = r == r          ? f64_bits(r)
				      : f64_is_nan(b) ? b | F64_QUIET
						      : f64_nan2(acc, a);
			}
			t->d[m * t->s.n + n] = acc;
		}
	round_reset(t->rnd, t);
}

static int32_t dot_bits(const int32_t *a, const int32_t *b, unsigned k, unsigned bop)
{
	int32_t sum = 0;
	for (unsigned i = 0; i < k; i++)
		sum += __builtin_popcount((uint32_t)(bop == BOP_AND ? a[i] & b[i] : a[i] ^ b[i]));
	return sum;
}
static int32_t dot_int(const int32_t *a, const int32_t *b, unsigned k)
{
	int32_t sum = 0;
	for (unsigned i = 0; i < k; i++)
		sum += a[i] * b[i];
	return sum;
}

static void multiply_int(struct tile *t)
{
	int32_t a[16 * TILE_K], b[8 * TILE_K];
	unsigned k = t->s.k;
	for (unsigned i = 0; i < t->s.m * k; i++)
		a[i] = (int32_t)t->a[i];
	for (unsigned i = 0; i < t->s.n * k; i++)
		b[i] = (int32_t)t->b[i];
	for (unsigned m = 0; m < t->s.m; m++)
		for (unsigned n = 0; n < t->s.n; n++) {
			int32_t dot = t->atype == T_B1 ? dot_bits(a + m * k, b + n * k, k, t->bop)
						       : dot_int(a + m * k, b + n * k, k);
			int64_t d = (int64_t)(int32_t)t->c[m * t->s.n + n] + dot;
			if (t->satfinite)
				d = d > INT32_MAX ? INT32_MAX : d < INT32_MIN ? INT32_MIN : d;
			t->d[m * t->s.n + n] = (uint32_t)d;
		}
}

void tile_multiply(struct tile *t)
{
	if (!type_is_float(t->atype))
		multiply_int(t);
	else if (t->atype == T_F64)
		multiply_f64(t);
	else if (t->atype == T_E4M3 || t->atype == T_E5M2)
		multiply_fp8(t);
	else
		multiply_float(t);
}
