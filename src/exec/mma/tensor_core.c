/* The arithmetic of Hopper's tensor core; tensor_core.h has the rules. */
#include "exec/mma/tensor_core.h"

#include <string.h>
#include "exec/alu/float.h"
#include "exec/lanes.h"
#include "ir/type.h"

ALWAYS_INLINE struct tc_format format_of(unsigned type)
{
	switch (type) {
	case T_F16: return (struct tc_format){5, 10, 0, false, 25};
	case T_BF16: return (struct tc_format){8, 7, 0, false, 25};
	case T_TF32: return (struct tc_format){8, 10, 13, false, 25};
	case T_E4M3: return (struct tc_format){4, 3, 0, true, 13};
	case T_E5M2: return (struct tc_format){5, 2, 0, false, 13};
	default: return (struct tc_format){8, 23, 0, false, 25};
	}
}

/* ---- one number ---- */

enum kind { FINITE, INFINITE, NOT_A_NUMBER };

/* (-1)^neg * sig * 2^(exp - fraction bits of the format) */
struct number {
	enum kind kind;
	bool neg;
	uint32_t sig;
	int exp;
};

static struct number number_of(uint32_t bits, unsigned type)
{
	struct tc_format f = format_of(type);
	uint32_t w = bits >> f.ignored, frac = w & ((1u << f.mbits) - 1);
	int top = (1 << f.ebits) - 1, e = (int)(w >> f.mbits) & top, bias = top >> 1;
	struct number x = {FINITE, w >> (f.ebits + f.mbits) & 1, e ? frac | 1u << f.mbits : frac,
			   (e ? e : 1) - bias};
	if (f.no_inf)
		x.kind = e == top && frac == (1u << f.mbits) - 1 ? NOT_A_NUMBER : FINITE;
	else if (e == top)
		x.kind = frac ? NOT_A_NUMBER : INFINITE;
	return x;
}

/* ---- results ---- */

/* The sum times 2^q as f32, truncated. `significant`: bits that are kept below the leading one, 0:
 * all. */
static uint32_t cut_f32(int64_t sum, int q, unsigned significant)
{
	uint32_t sign = sum < 0 ? F32_SIGN : 0;
	uint64_t m = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
	if (!m)
		return 0;
	int top = 63 - __builtin_clzll(m), e = top + q, drop = top - 23;
	if (significant && top > (int)significant)
		m = m >> (top - (int)significant) << (top - (int)significant);
	if (e > 127)
		return sign | F32_INF;
	if (e < -126)
		drop += -126 - e;
	m = drop >= 0 ? drop > 63 ? 0 : m >> drop : m << -drop;
	return m ? sign | (e < -126 ? (uint32_t)m : (uint32_t)m + ((uint32_t)(e + 126) << 23)) : 0;
}

/* The sum times 2^q as f16, rounded to nearest even. */
static uint32_t round_f16(int64_t sum, int q)
{
	uint32_t sign = sum < 0 ? 0x8000 : 0;
	uint64_t m = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
	if (!m)
		return 0;
	int top = 63 - __builtin_clzll(m), e = top + q;
	if (e > 15)
		return sign | F16_INF;
	int lsb = (e < -14 ? -14 : e) - 10, drop = lsb - q; /* bits below the last one of f16 */
	uint64_t r = drop <= 0 ? m << -drop : drop > 62 ? 0 : m >> drop;
	if (drop > 0 && drop <= 62) {
		uint64_t rest = m & ((1ull << drop) - 1), half = 1ull << (drop - 1);
		r += rest > half || (rest == half && r & 1);
	}
	/* a carry into the next binade falls into place by itself */
	uint32_t x = e < -14 ? (uint32_t)r : (uint32_t)r + ((uint32_t)(e + 14) << 10);
	return x ? sign | (x > F16_INF ? F16_INF : x) : 0;
}

static uint32_t result_nan(unsigned dtype) { return dtype == T_F16 ? 0x7fff : F32_NAN; }
static uint32_t result_inf(unsigned dtype, bool neg)
{
	return dtype == T_F16 ? F16_INF | (neg ? 0x8000u : 0) : F32_INF | (neg ? F32_SIGN : 0);
}
static uint32_t result_of(const struct tc_job *j, int64_t sum, int max)
{
	struct tc_format f = format_of(j->atype);
	if (j->dtype == T_F16)
		return round_f16(sum, max - f.window);
	return cut_f32(sum, max - f.window, f.window == 13 ? 13 : 0);
}

/* ---- one element by integers ---- */

/* Computes an element whose operands include infinities or NaNs. */
struct specials {
	bool nan, plus, minus;
};

static void special_product(struct specials *s, const struct number *x, const struct number *y,
			    bool neg)
{
	bool zero = (x->kind == FINITE && !x->sig) || (y->kind == FINITE && !y->sig);
	if (x->kind == NOT_A_NUMBER || y->kind == NOT_A_NUMBER || zero)
		s->nan = true;
	else
		*(x->neg ^ y->neg ^ neg ? &s->minus : &s->plus) = true;
}

/* sig, with `fraction` bits after its point, at exponent exp: in units of 2^(max - window),
 * truncated. */
static int64_t cut_term(uint64_t sig, int fraction, int exp, int max, int window)
{
	int up = window - fraction - (max - exp);
	return up >= 0 ? (int64_t)(sig << up) : up < -63 ? 0 : (int64_t)(sig >> -up);
}

uint32_t tc_element(const struct tc_job *j, const struct tc_row *a, const struct tc_strip *b,
		    unsigned n, uint32_t c)
{
	struct tc_format fa = format_of(j->atype), fb = format_of(j->btype),
			 fc = format_of(j->dtype);
	struct number z = number_of(c, j->dtype);
	struct specials s = {z.kind == NOT_A_NUMBER, z.kind == INFINITE && !z.neg,
			     z.kind == INFINITE && z.neg};
	int max = z.sig ? z.exp : TC_NO_EXP;
	bool negative = z.neg;
	for (unsigned p = 0; p < a->stored; p++) {
		struct number x = number_of(a->bits[p], j->atype);
		struct number y = number_of(b->bits[a->place[p]][n], j->btype);
		negative &= x.neg ^ y.neg ^ j->negate;
		if (x.kind != FINITE || y.kind != FINITE)
			special_product(&s, &x, &y, j->negate);
		else if (x.sig && y.sig && x.exp + y.exp > max)
			max = x.exp + y.exp;
	}
	if (s.nan || (s.plus && s.minus))
		return result_nan(j->dtype);
	if (s.plus || s.minus)
		return result_inf(j->dtype, s.minus);
	if (max == TC_NO_EXP)
		return negative ? (j->dtype == T_F16 ? 0x8000 : F32_SIGN) : 0;
	int64_t sum = cut_term(z.sig, fc.mbits, z.exp, max, fa.window);
	sum = z.neg ? -sum : sum;
	for (unsigned p = 0; p < a->stored; p++) {
		struct number x = number_of(a->bits[p], j->atype);
		struct number y = number_of(b->bits[a->place[p]][n], j->btype);
		int64_t t = cut_term((uint64_t)x.sig * y.sig, fa.mbits + fb.mbits, x.exp + y.exp,
				     max, fa.window);
		sum += x.neg ^ y.neg ^ j->negate ? -t : t;
	}
	return result_of(j, sum, max);
}

/* ---- a strip by the host's vectors ----
 *
 * Products of narrow floats are exact in f32, and so is their multiple by a power of two; the conversion
 * to an integer cuts towards zero, as the tensor core does. */

/* Exponents of operands within which products and scales stay normal f32. */
enum { FAST_LOW = -50, FAST_HIGH = 50 };

/* Value, exponent of the format and whether the fast path cannot take it. */
static inline float decode_one(uint32_t bits, struct tc_format f, int16_t *exp, uint32_t *odd)
{
	uint32_t w = bits >> f.ignored, top = (1u << f.ebits) - 1;
	uint32_t mag = w & ((1u << (f.ebits + f.mbits)) - 1), e = mag >> f.mbits;
	uint32_t sign = (w >> (f.ebits + f.mbits) & 1) << 31;
	int bias = (int)(top >> 1), x = (int)(e ? e : 1) - bias;
	uint32_t sig = (mag & ((1u << f.mbits) - 1)) | (e ? 1u << f.mbits : 0);
	*exp = (int16_t)(mag ? x : TC_NO_EXP);
	*odd |= e == top && (!f.no_inf || mag == (1u << (f.ebits + f.mbits)) - 1);
	*odd |= mag && (x < FAST_LOW || x > FAST_HIGH);
	int scale = x - f.mbits + 127;
	float unit = as_f32((uint32_t)(scale < 1 ? 1 : scale > 254 ? 254 : scale) << 23);
	return as_f32(f32_bits((float)(int32_t)sig * unit) | sign);
}

ALWAYS_INLINE uint32_t decode_row(struct tc_row *r, struct tc_format f)
{
	bool met[TC_DEPTH] = {false};
	uint32_t odd = 0;
	for (unsigned p = 0; p < r->stored; p++) {
		unsigned k = r->place[p];
		r->value[k] = decode_one(r->bits[p], f, &r->exp[k], &odd);
		odd |= met[k];
		met[k] = true;
	}
	return odd;
}

ALWAYS_INLINE uint32_t decode_strip(struct tc_strip *s, unsigned depth, struct tc_format f)
{
	uint32_t odd[TC_COLUMNS] = {0}, any = 0;
	for (unsigned k = 0; k < depth; k++)
		LANE_LOOP
			s->value[k][i] = decode_one(s->bits[k][i], f, &s->exp[k][i], &odd[i]);
	for (unsigned i = 0; i < TC_COLUMNS; i++)
		any |= odd[i];
	return any;
}

/* The format is a constant of each copy of the decoder, which the host's vectors need. */
#define WITH_FORMAT(type, call)                                                                    \
	switch (type) {                                                                            \
	case T_F16: call(format_of(T_F16)); break;                                                 \
	case T_BF16: call(format_of(T_BF16)); break;                                               \
	case T_TF32: call(format_of(T_TF32)); break;                                               \
	case T_E4M3: call(format_of(T_E4M3)); break;                                               \
	case T_E5M2: call(format_of(T_E5M2)); break;                                               \
	default: call(format_of(type)); break;                                                     \
	}

void tc_row_decode(struct tc_row *r, unsigned depth, unsigned type)
{
	uint32_t odd = 0;
	for (unsigned k = 0; k < depth; k++) {
		r->value[k] = 0;
		r->exp[k] = TC_NO_EXP;
	}
#define DECODE(format) odd = decode_row(r, format)
	WITH_FORMAT(type, DECODE)
#undef DECODE
	r->special = odd;
}

void tc_strip_decode(struct tc_strip *s, unsigned depth, unsigned type)
{
	uint32_t odd = 0;
#define DECODE(format) odd = decode_strip(s, depth, format)
	WITH_FORMAT(type, DECODE)
#undef DECODE
	s->special = odd;
}

/* The addends of a strip as f32 with their exponents; false: some addend is not finite. */
static bool decode_addends(unsigned dtype, const uint32_t *c, float *value, int16_t *exp)
{
	uint32_t odd = 0;
	if (dtype == T_F16) {
		for (unsigned n = 0; n < TC_COLUMNS; n++)
			value[n] = decode_one(c[n] & 0xffff, format_of(T_F16), &exp[n], &odd);
		return !odd;
	}
	for (unsigned n = 0; n < TC_COLUMNS; n++) {
		uint32_t e = c[n] >> 23 & 0xff;
		value[n] = as_f32(c[n]);
		exp[n] = (int16_t)(c[n] << 1 ? (int)(e ? e : 1) - 127 : TC_NO_EXP);
		odd |= e == 0xff;
	}
	return !odd;
}

/* Sums of the truncated terms, in four parts: none reaches 2^31 with at most 16 nonzero products
 * below 2^27 (in four consecutive rows a sparse one has two). */
enum { PARTS = 4 };

static void sum_terms(unsigned depth, const struct tc_row *a, const struct tc_strip *b,
		      const float *scale, int32_t sum[PARTS][TC_COLUMNS])
{
	for (unsigned k = 0; k < depth; k++) {
		const float x = a->value[k], *y = b->value[k];
		int32_t *s = sum[k % PARTS];
		if (x == 0)
			continue;
		LANE_LOOP
			s[i] += (int32_t)(x * y[i] * scale[i]);
	}
}

/* Largest exponents of the products that are not zero. */
static void product_exponents(unsigned depth, const struct tc_row *a, const struct tc_strip *b,
			      int16_t *max)
{
	for (unsigned i = 0; i < TC_COLUMNS; i++)
		max[i] = 2 * TC_NO_EXP;
	for (unsigned k = 0; k < depth; k++) {
		const int16_t x = a->exp[k], *y = b->exp[k];
		if (x == TC_NO_EXP)
			continue;
		LANE_LOOP {
			int16_t e = (int16_t)(x + y[i]);
			max[i] = e > max[i] ? e : max[i];
		}
	}
}

/* The sum times 2^q as f32, truncated; the result is not denormal. */
static inline uint32_t fast_f32(double sum, int q, uint64_t keep)
{
	uint64_t x = f64_bits(sum) & keep;
	return f32_bits((float)(as_f64(x) * as_f64((uint64_t)(q + 1023) << 52)));
}

/* Turns completed sums into results. */
static void finish_sum(const struct tc_job *j, const double *sum, const int16_t *max, uint32_t *d)
{
	int window = format_of(j->atype).window;
	uint64_t keep = ~0ull << (window == 13 ? 39 : 29);
	if (j->dtype == T_F16)
		for (unsigned i = 0; i < TC_COLUMNS; i++)
			d[i] = round_f16((int64_t)sum[i], max[i] - window);
	else
		LANE_LOOP
			d[i] = fast_f32(sum[i], max[i] - window, keep);
}

/* Lanes whose products are all zero: their scale is that of 1, and their addend counts later. */
static uint32_t set_empty_aside(const int16_t *products, float *addend, int16_t *max)
{
	uint32_t empty = 0;
	for (unsigned i = 0; i < TC_COLUMNS; i++)
		if (products[i] < -1000) {
			empty |= 1u << i;
			addend[i] = max[i] = 0;
		}
	return empty;
}

static inline uint32_t any_empty(const int16_t *products)
{
	uint32_t empty = 0;
	for (unsigned i = 0; i < TC_COLUMNS; i++)
		empty |= products[i] < -1000;
	return empty;
}

/* True if the result of a lane with zero products is its addend. -0 depends on the products' signs, and
 * 8-bit floats cut the addend. */
static bool keeps_addend(const struct tc_job *j, uint32_t c)
{
	return c != (j->dtype == T_F16 ? 0x8000 : F32_SIGN) && format_of(j->atype).window == 25;
}

/* The largest exponents of the terms, from those of the addends, and the scales that follow. */
static inline void scale_terms(int window, const int16_t *products, int16_t *max, float *scale)
{
	LANE_LOOP {
		max[i] = products[i] > max[i] ? products[i] : max[i];
		scale[i] = as_f32((uint32_t)(window - max[i] + 127) << 23);
	}
}

static inline void add_terms(double sign, int32_t sum[PARTS][TC_COLUMNS], const float *addend,
			     const float *scale, double *total)
{
	LANE_LOOP {
		double products_sum = (double)sum[0][i] + (double)sum[1][i] + (double)sum[2][i] +
				      (double)sum[3][i];
		total[i] = sign * products_sum + (double)(int32_t)(addend[i] * scale[i]);
	}
}

void tc_multiply(const struct tc_job *j, const struct tc_row *a, const struct tc_strip *b,
		 const uint32_t *c, uint32_t *d)
{
	float addend[TC_COLUMNS], scale[TC_COLUMNS];
	double total[TC_COLUMNS];
	int16_t max[TC_COLUMNS], products[TC_COLUMNS];
	int32_t sum[PARTS][TC_COLUMNS] = {{0}};
	uint32_t empty = 0, before[TC_COLUMNS];
	memcpy(before, c, sizeof before);
	if (a->special || b->special || !decode_addends(j->dtype, c, addend, max)) {
		for (unsigned i = 0; i < (j->columns ? j->columns : TC_COLUMNS); i++)
			d[i] = tc_element(j, a, b, i, before[i]);
		return;
	}
	product_exponents(j->depth, a, b, products);
	if (any_empty(products))
		empty = set_empty_aside(products, addend, max);
	scale_terms(format_of(j->atype).window, products, max, scale);
	sum_terms(j->depth, a, b, scale, sum);
	add_terms(j->negate ? -1 : 1, sum, addend, scale, total);
	finish_sum(j, total, max, d);
	for (; empty; empty &= empty - 1) {
		unsigned i = (unsigned)__builtin_ctz(empty);
		d[i] = keeps_addend(j, before[i]) ? before[i] : tc_element(j, a, b, i, before[i]);
	}
}

/* ---- one element a lane ---- */

ALWAYS_INLINE uint32_t decode_lanes(const uint32_t *reg, unsigned shift, struct tc_format f,
				    float *value, int16_t *exp)
{
	uint32_t odd[TC_COLUMNS] = {0}, any = 0;
	LANE_LOOP
		value[i] = decode_one(reg[i] >> shift, f, &exp[i], &odd[i]);
	for (unsigned i = 0; i < TC_COLUMNS; i++)
		any |= odd[i];
	return any;
}

bool tc_lanes_decode(const uint32_t *reg, unsigned shift, unsigned type, float *value, int16_t *exp)
{
	uint32_t odd = 0;
#define DECODE(format) odd = decode_lanes(reg, shift, format, value, exp)
	WITH_FORMAT(type, DECODE)
#undef DECODE
	return odd;
}

bool tc_multiply_lanes(const struct tc_job *j, const struct tc_lanes *a, const struct tc_lanes *b,
		       const uint32_t *c, uint32_t *d)
{
	float addend[TC_COLUMNS], scale[TC_COLUMNS];
	double total[TC_COLUMNS];
	int16_t max[TC_COLUMNS], products[TC_COLUMNS];
	int32_t sum[PARTS][TC_COLUMNS] = {{0}};
	uint32_t empty = 0, before[TC_COLUMNS];
	memcpy(before, c, sizeof before);
	if (!decode_addends(j->dtype, c, addend, max))
		return false;
	for (unsigned i = 0; i < TC_COLUMNS; i++)
		products[i] = 2 * TC_NO_EXP;
	for (unsigned k = 0; k < j->depth; k++)
		LANE_LOOP {
			int16_t e = (int16_t)(a->exp[k][i] + b->exp[k][i]);
			products[i] = e > products[i] ? e : products[i];
		}
	if (any_empty(products))
		empty = set_empty_aside(products, addend, max);
	for (uint32_t m = empty; m; m &= m - 1)
		if (!keeps_addend(j, before[__builtin_ctz(m)]))
			return false;
	scale_terms(format_of(j->atype).window, products, max, scale);
	for (unsigned k = 0; k < j->depth; k++) {
		int32_t *s = sum[k % PARTS];
		LANE_LOOP
			s[i] += (int32_t)(a->value[k][i] * b->value[k][i] * scale[i]);
	}
	add_terms(1, sum, addend, scale, total);
	finish_sum(j, total, max, d);
	for (; empty; empty &= empty - 1)
		d[__builtin_ctz(empty)] = before[__builtin_ctz(empty)];
	return true;
}
