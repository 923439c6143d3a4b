/* The arithmetic of a tile product. Integers are exact and wrap or saturate at the end; f64 is a
 * chain of fused multiply-adds. Narrow floats follow the tensor core (tensor_core.h). */
#include <string.h>
#include "exec/alu/float.h"
#include "exec/mma/mma.h"
#include "exec/mma/tensor_core.h"

/* .satfinite: the largest finite number for an infinity, zero for NaN. */
static uint32_t saturate(uint32_t d, uint32_t inf, uint32_t sign)
{
	uint32_t mag = d & ~sign;
	return mag > inf ? 0 : mag == inf ? d - 1 : d;
}

/* A column of B as a row of the product's other side. */
static void fill_column(const uint32_t *b, unsigned depth, unsigned type, struct tc_row *r)
{
	r->stored = depth;
	for (unsigned i = 0; i < depth; i++) {
		r->bits[i] = b[i];
		r->place[i] = (uint8_t)i;
	}
	tc_row_decode(r, depth, type);
}

/* The rows of A as columns of a strip; unused columns repeat the first. */
static void fill_strip(const uint32_t *a, unsigned rows, unsigned depth, unsigned type,
		       struct tc_strip *s)
{
	for (unsigned i = 0; i < depth; i++)
		for (unsigned m = 0; m < TC_COLUMNS; m++)
			s->bits[i][m] = a[(m < rows ? m : 0) * depth + i];
	tc_strip_decode(s, depth, type);
}

/* d[n][m] = c[n][m] + a * b, as the tensor core multiplies, with all of k in one block. D is computed column
 * by column, which is allowed because the operands of a product may be exchanged. a has one row after
 * the other, b one column after the other. */
struct block {
	unsigned m, n;
	struct tc_job job; /* A's and B's types exchanged */
	uint32_t a[16 * TILE_K], b[8 * TILE_K], c[TILE_MN][TC_COLUMNS];
};

static void multiply_block(struct block *x)
{
	struct tc_strip a;
	struct tc_row b;
	unsigned depth = x->job.depth;
	fill_strip(x->a, x->m, depth, x->job.btype, &a);
	for (unsigned n = 0; n < x->n; n++) {
		fill_column(x->b + n * depth, depth, x->job.atype, &b);
		tc_multiply(&x->job, &b, &a, x->c[n], x->c[n]);
	}
}

/* The tile's addend in element m of column n, of the result's type. */
static uint32_t addend_of(const struct tile *t, unsigned m, unsigned n)
{
	uint32_t x = (uint32_t)t->c[(m < t->s.m ? m : 0) * t->s.n + n];
	if (t->ctype == t->dtype) /* m8n8k4 alone has two types */
		return x;
	return t->dtype == T_F16 ? f32_to_f16(as_f32(x)) : f32_bits(f16_to_f32(x));
}

/* tf32 of depth 4 is computed with depth 8, padded with products of +0. */
static void multiply_float(struct tile *t)
{
	unsigned k = t->s.k, depth = t->atype == T_TF32 && k == 4 ? 8 : k;
	struct block x = {t->s.m, t->s.n, {depth, t->btype, t->atype, t->dtype, false, t->s.m},
			  {0},    {0},    {{0}}};
	for (unsigned i = 0; i < k; i++) {
		for (unsigned m = 0; m < t->s.m; m++)
			x.a[m * depth + i] = (uint32_t)t->a[m * k + i];
		for (unsigned n = 0; n < t->s.n; n++)
			x.b[n * depth + i] = (uint32_t)t->b[n * k + i];
	}
	for (unsigned n = 0; n < t->s.n; n++)
		for (unsigned m = 0; m < TC_COLUMNS; m++)
			x.c[n][m] = addend_of(t, m, n);
	multiply_block(&x);
	for (unsigned n = 0; n < t->s.n; n++)
		for (unsigned m = 0; m < t->s.m; m++) {
			uint32_t d = x.c[n][m];
			if (t->satfinite)
				d = t->dtype == T_F16 ? saturate(d, F16_INF, 0x8000)
						      : saturate(d, F32_INF, F32_SIGN);
			t->d[m * t->s.n + n] = d;
		}
}

/* ---- 8-bit floats: see mma.h ---- */

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

uint32_t fp8_add_last(uint32_t c, uint32_t sum, unsigned type)
{
	if (type == T_F16)
		return f32_to_f16(f16_to_f32(c) + f16_to_f32(sum));
	return f32_canon(as_f32(c) + as_f32(sum));
}

/* The widened elements of one product out of k: those with bit 1 of their number equal to `upper`. */
static void widen(const uint64_t *bits, unsigned k, unsigned type, unsigned upper, uint32_t *to)
{
	for (unsigned i = 0; i < k / 2; i++)
		to[i] = fp8_to_f16((uint32_t)bits[i / 2 * 4 + upper * 2 + i % 2], type);
}

static void multiply_fp8(struct tile *t)
{
	unsigned k = t->s.k;
	struct block x = {t->s.m, t->s.n, {k / 2, T_F16, T_F16, t->dtype, false, t->s.m},
			  {0},    {0},    {{0}}};
	for (unsigned up = 0; up < 2; up++) {
		for (unsigned m = 0; m < t->s.m; m++)
			widen(t->a + m * k, k, t->atype, up, x.a + m * (k / 2));
		for (unsigned n = 0; n < t->s.n; n++)
			widen(t->b + n * k, k, t->btype, up, x.b + n * (k / 2));
		multiply_block(&x);
	}
	for (unsigned m = 0; m < t->s.m; m++)
		for (unsigned n = 0; n < t->s.n; n++)
			t->d[m * t->s.n + n] =
				fp8_add_last((uint32_t)t->c[m * t->s.n + n], x.c[n][m], t->dtype);
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
