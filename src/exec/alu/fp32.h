/* Arithmetic on the single of one lane, with and without .ftz and .sat.
 *
 * .ftz: denormal sources count as zero, and a result is flushed if it is tiny after rounding to 24
 * bits with unbounded exponent. Sums of normal numbers that come out denormal are exact, so the
 * result itself is tested; products and fma are computed a second time scaled by 2^64, where the
 * denormal range cannot disturb the rounding. A factor that overflows by the scaling is so large
 * that the result is not tiny, and neither infinity nor NaN passes the test. */
#ifndef EXEC_FP32_H
#define EXEC_FP32_H
#include "exec/alu/float.h"

#define TINY_SCALED 0x1p-62f /* 2^-126 * 2^64 */

LANE_FN uint32_t add_f32(uint32_t a, uint32_t b, bool ftz, bool sat)
{
	float r = f32_in(a, ftz) + f32_in(b, ftz);
	return f32_out(ftz ? as_f32(f32_flush(f32_bits(r))) : r, sat);
}
LANE_FN uint32_t sub_f32(uint32_t a, uint32_t b, bool ftz, bool sat)
{
	float r = f32_in(a, ftz) - f32_in(b, ftz);
	return f32_out(ftz ? as_f32(f32_flush(f32_bits(r))) : r, sat);
}
/* Returns r, or a zero with the sign of r if `scaled`, the result times 2^64, is tiny. */
LANE_FN float flush_tiny(float r, float scaled)
{
	uint32_t sign = f32_bits(scaled) & F32_SIGN;
	return fabsf(scaled) < TINY_SCALED ? as_f32(sign) : r;
}
LANE_FN uint32_t mul_f32(uint32_t a, uint32_t b, bool ftz, bool sat)
{
	float x = f32_in(a, ftz), y = f32_in(b, ftz), r = x * y;
	return f32_out(ftz ? flush_tiny(r, x * (y * 0x1p64f)) : r, sat);
}
LANE_FN uint32_t fma_f32(uint32_t a, uint32_t b, uint32_t c, bool ftz, bool sat)
{
	float x = f32_in(a, ftz), y = f32_in(b, ftz), z = f32_in(c, ftz), r = f32_fma(x, y, z);
	if (!ftz)
		return f32_out(r, sat);
	return f32_out(flush_tiny(r, f32_fma(x, y * 0x1p64f, z * 0x1p64f)), sat);
}

/* FMAD of compute capability 1.x: the product is truncated to a single, or rounded if the addend is
 * zero. On hosts with fma, the fma gives the amount that rounding added: a product that rounding
 * made larger is replaced by the next single towards zero. Small products are computed times 2^64,
 * where the denormal range does not disturb them. Other hosts compute both from the double that
 * holds the product exactly. */
#ifdef F32_HOST_FMA
LANE_FN uint32_t fmad_f32(uint32_t a, uint32_t b, uint32_t c, bool sat)
{
	float x = f32_in(a, true), y = f32_in(b, true), z = f32_in(c, true), p = fabsf(x * y);
	float scale = (p < 0x1p-70f) & (p > 0.0f) ? 0x1p64f : 1.0f, f = y * scale, near = x * f,
	      more = f32_fma(x, f, -near);
	uint32_t bits = f32_bits(near), sign = bits & F32_SIGN;
	/* away, less: `more` and `near` have different signs, and neither is 0 or NaN */
	uint32_t away = (more < 0.0f) & (near > 0.0f), less = (more > 0.0f) & (near < 0.0f),
		 cut = bits - (z != 0.0f ? away | less : 0);
	uint32_t whole = cut - ((scale > 1.0f ? 64u : 0u) << 23);
	return add_f32(fabsf(as_f32(cut)) < 0x1p-126f * scale ? sign : whole, c, true, sat);
}
#else
LANE_FN uint32_t fmad_f32(uint32_t a, uint32_t b, uint32_t c, bool sat)
{
	double p = (double)f32_in(a, true) * f32_in(b, true), m = fabs(p);
	float z = f32_in(c, true), near = (float)p;
	uint32_t bits = f32_bits(near), sign = f64_bits(p) >> 32 & F32_SIGN;
	uint32_t cut = fabs((double)near) > m ? bits - 1 : bits;
	cut = m < 0x1p-126 ? sign : cut;
	bits = m < 0x1p-126 - 0x1p-151 ? sign : bits;
	return add_f32(z == 0.0f ? bits : cut, c, true, sat);
}
#endif

/* Binds FMAD, and operations with .ftz only that round to nearest even. */
bind_fn f32_bind_ftz;

#endif
