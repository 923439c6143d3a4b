/* Floating-point values by their bits: the rules of the simulated GPU that the host does not have
 * (one canonical NaN, flush to zero, tininess after rounding, round to odd) as branch-free
 * functions that the compiler can vectorise inside a lane loop. Nothing here depends on what the
 * host does with NaNs; everything assumes the host's default rounding, to nearest even, unless it
 * says so.
 *
 * Round to odd: a double that holds a value rounded to odd (the last bit is 1 whenever bits were
 * lost) may be rounded once more to any format of at most 51 bits, in any mode, with the same
 * result as one rounding of the exact value. Arithmetic on narrow types is done that way.       */
#ifndef EXEC_FLOAT_H
#define EXEC_FLOAT_H
#include <fenv.h>
#include <math.h>
#include "exec/lanes.h"

/* Functions for use inside a lane loop: a function that is not inlined keeps the loop scalar. */
#define LANE_FN static inline __attribute__((always_inline))

#define F32_NAN        0x7fffffffu
#define F32_INF        0x7f800000u
#define F32_SIGN       0x80000000u
#define F32_MIN_NORMAL 0x1p-126f
#define F16_NAN        0x7fffu
#define F16_INF        0x7c00u
#define BF16_INF       0x7f80u
#define F64_SIGN       (1ull << 63)
#define F64_INF        (0x7ffull << 52)
#define F64_QUIET      (1ull << 51)
#define F64_INVALID    0xfff8000000000000ull /* result of an invalid operation */

LANE_FN bool f32_is_nan(uint32_t x) { return (x & ~F32_SIGN) > F32_INF; }
LANE_FN bool f64_is_nan(uint64_t x) { return (x & ~F64_SIGN) > F64_INF; }
LANE_FN uint32_t f32_canon(float r) { return r == r ? f32_bits(r) : F32_NAN; }
/* Flushes a denormal to a zero of equal sign. */
LANE_FN uint32_t f32_flush(uint32_t x) { return x & (x & F32_INF ? ~0u : F32_SIGN); }
LANE_FN float f32_in(uint32_t x, bool ftz) { return as_f32(ftz ? f32_flush(x) : x); }
/* Saturates to [0, 1]; NaN and -0 become +0. */
LANE_FN uint32_t f32_sat(float r) { return r > 0.0f ? r < 1.0f ? f32_bits(r) : 0x3f800000u : 0; }
LANE_FN uint32_t f32_out(float r, bool sat) { return sat ? f32_sat(r) : f32_canon(r); }

/* The rounding error of s = a + b (Knuth's two-sum); NaN if an infinity is involved. */
LANE_FN double sum_error(double a, double b, double s)
{
	double t = s - a;
	return (a - (s - t)) + (b - t);
}

/* s plus its rounding error err, as a double rounded to odd. */
LANE_FN double to_odd(double s, double err)
{
	uint64_t x = f64_bits(s);
	uint64_t even = ~x & 1;
	/* step in magnitude that makes an even significand odd: -1 or +1; 0: it is odd */
	uint64_t away = (f64_bits(err) ^ x) >> 63 ? -even : even;
	return as_f64(((err < 0.0) | (err > 0.0)) ? x + away : x);
}
LANE_FN double add_odd(double a, double b)
{
	double s = a + b;
	return to_odd(s, sum_error(a, b, s));
}
/* a * b + c of floats or narrower: the product is exact in a double. */
LANE_FN double fma_odd(float a, float b, float c) { return add_odd((double)a * b, c); }

/* A double as a float rounded to odd, for types narrower than f32. */
LANE_FN float f32_odd(double s)
{
	float f = (float)s;
	uint32_t x = f32_bits(f);
	double err = s - (double)f;
	uint32_t even = ~x & 1;
	uint32_t away = (uint32_t)(f64_bits(err) >> 63) ^ x >> 31 ? -even : even;
	return as_f32(((err < 0.0) | (err > 0.0)) ? x + away : x);
}

/* a + b in f32 rounded to odd, for sums that stay inside f32's range. */
LANE_FN float f32_add_odd(float a, float b)
{
	float s = a + b, t = s - a, err = (a - (s - t)) + (b - t);
	uint32_t x = f32_bits(s), even = ~x & 1;
	uint32_t away = (f32_bits(err) ^ x) >> 31 ? -even : even;
	return as_f32(((err < 0.0f) | (err > 0.0f)) ? x + away : x);
}

/* clang does not define __FP_FAST_FMAF. */
#if defined __FP_FAST_FMAF || defined __ARM_FEATURE_FMA || defined __FMA__
#define F32_HOST_FMA
LANE_FN float f32_fma(float a, float b, float c) { return fmaf(a, b, c); }
#else
LANE_FN float f32_fma(float a, float b, float c) { return (float)fma_odd(a, b, c); }
#endif

/* f16 (low 16 bits) to f32, exact; NaN stays some NaN. The exponent is rebased by a multiplication,
 * which also normalises denormals. */
LANE_FN float f16_to_f32(uint32_t h)
{
	uint32_t m = (h & 0x7fff) << 13;
	uint32_t inf = (h & F16_INF) == F16_INF ? F32_INF : 0;
	return as_f32(f32_bits(as_f32(m) * 0x1p112f) | inf | (h & 0x8000) << 16);
}

/* f32 to f16, nearest even; NaN becomes the canonical one. The value may be rounded to odd. */
LANE_FN uint32_t f32_to_f16(float f)
{
	uint32_t x = f32_bits(f), m = x & ~F32_SIGN;
	uint32_t normal = (m + 0xfff + (m >> 13 & 1) - 0x38000000) >> 13;
	/* the adder aligns and rounds */
	uint32_t denormal = f32_bits(as_f32(m) + 0.5f) - 0x3f000000;
	uint32_t h = m < 0x38800000 ? denormal : m >= 0x47800000 ? F16_INF : normal;
	return m > F32_INF ? F16_NAN : h | (x >> 16 & 0x8000);
}

LANE_FN float bf16_to_f32(uint32_t h) { return as_f32(h << 16); }
LANE_FN uint32_t f32_to_bf16(float f)
{
	uint32_t x = f32_bits(f);
	return (x & ~F32_SIGN) > F32_INF ? F16_NAN : (x + 0x7fff + (x >> 16 & 1)) >> 16;
}

/* NaNs in the hardware's f64 units: the operand in `first` takes precedence, made quiet. */
LANE_FN uint64_t f64_nan2(uint64_t first, uint64_t second)
{
	return f64_is_nan(first)    ? first | F64_QUIET
	       : f64_is_nan(second) ? second | F64_QUIET
				    : F64_INVALID;
}
LANE_FN uint64_t f64_add_bits(uint64_t a, uint64_t b)
{
	double r = as_f64(a) + as_f64(b);
	return r == r ? f64_bits(r) : f64_nan2(b, a);
}
LANE_FN uint32_t f32_add_bits(uint32_t a, uint32_t b, bool ftz)
{
	uint32_t r = f32_canon(f32_in(a, ftz) + f32_in(b, ftz));
	return ftz ? f32_flush(r) : r;
}
LANE_FN uint32_t f16_add_bits(uint32_t a, uint32_t b)
{
	return f32_to_f16(f16_to_f32(a) + f16_to_f32(b)); /* 24 >= 2 * 11 + 1: no double rounding */
}
LANE_FN uint32_t bf16_add_bits(uint32_t a, uint32_t b)
{
	return f32_to_bf16(bf16_to_f32(a) + bf16_to_f32(b));
}
LANE_FN uint32_t f16x2_add_bits(uint32_t a, uint32_t b)
{
	return f16_add_bits(a, b) | f16_add_bits(a >> 16, b >> 16) << 16;
}
LANE_FN uint32_t bf16x2_add_bits(uint32_t a, uint32_t b)
{
	return bf16_add_bits(a & 0xffff, b & 0xffff) | bf16_add_bits(a >> 16, b >> 16) << 16;
}

/* The host's rounding mode. Arithmetic between round_set and round_reset must read its operands
 * from memory and write its results to memory that the fences name: this keeps the compiler from
 * moving the arithmetic out. (-frounding-math would too, but it stops vectorisation.) */
LANE_FN int round_host(unsigned rnd)
{
	return rnd == RND_RZ   ? FE_TOWARDZERO
	       : rnd == RND_RM ? FE_DOWNWARD
	       : rnd == RND_RP ? FE_UPWARD
			       : FE_TONEAREST;
}
LANE_FN void memory_fence(void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }
LANE_FN void round_set(unsigned rnd, void *rows)
{
	memory_fence(rows);
	if (rnd != RND_NONE && rnd != RND_RN)
		fesetround(round_host(rnd));
	memory_fence(rows);
}
LANE_FN void round_reset(unsigned rnd, void *rows)
{
	memory_fence(rows);
	if (rnd != RND_NONE && rnd != RND_RN)
		fesetround(FE_TONEAREST);
	memory_fence(rows);
}

/* The pair of functions of an operation written as NAME_lanes(w, u, mask). */
#define LANEWISE(name)                                                                             \
	static void name##_full(struct warp *w, const struct uop *u) { name##_lanes(w, u, ~0u); }  \
	static void name##_part(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		name##_lanes(w, u, w->mask);                                                       \
	}

/* u->aux of operations that examine rounding and modifiers when they run. */
enum { AUX_RND = 7, AUX_FTZ = 8, AUX_SAT = 16, AUX_RELU = 32 };
LANE_FN uint8_t aux_of(const struct inst *in)
{
	return (uint8_t)((in->rnd & AUX_RND) | (in->mods & M_FTZ ? AUX_FTZ : 0) |
			 (in->mods & M_SAT ? AUX_SAT : 0) | (in->mods & M_RELU ? AUX_RELU : 0));
}

#endif
