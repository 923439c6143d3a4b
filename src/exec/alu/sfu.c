/* The special function unit: .approx and .full operations, within the error bounds of the PTX
 * manual. Everything is evaluated in double precision with only +, -, *, / and sqrt, in a fixed
 * order, so results are equal on every host; the hardware's treatment of special values and
 * denormals, and its reduction of sin and cos arguments to turns, is followed exactly. */
#include "exec/alu/float.h"

/* ---- elementary functions in double, relative error below 2^-36 ---- */

/* The nearest integer, ties to even; |x| < 2^51. */
LANE_FN double nearest(double x) { return (x + 0x1.8p52) - 0x1.8p52; }
/* 2^n for -1022 <= n <= 1023. */
LANE_FN double exp2_int(double n) { return as_f64((f64_bits(n + 0x1.8p52) + 1023) << 52); }

/* 2^x for |x| <= 1000: Taylor series of e^y on |y| <= ln(2)/2. */
LANE_FN double exp2_poly(double x)
{
	double n = nearest(x), y = (x - n) * 0x1.62e42fefa39efp-1;
	double p = 1.0 / 3628800;
	p = p * y + 1.0 / 362880;
	p = p * y + 1.0 / 40320;
	p = p * y + 1.0 / 5040;
	p = p * y + 1.0 / 720;
	p = p * y + 1.0 / 120;
	p = p * y + 1.0 / 24;
	p = p * y + 1.0 / 6;
	p = p * y + 0.5;
	p = p * y + 1.0;
	p = p * y + 1.0;
	return p * exp2_int(n);
}

/* log2 of a positive normal double: 2 artanh((m - 1) / (m + 1)) / ln 2, sqrt(1/2) <= m <
 * sqrt(2). */
LANE_FN double log2_poly(double x)
{
	uint64_t b = f64_bits(x) + (0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull);
	double e = (double)((int32_t)(b >> 52) - 1023);
	double m = as_f64((b & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull);
	double s = (m - 1.0) / (m + 1.0), z = s * s;
	double p = 1.0 / 15;
	p = p * z + 1.0 / 13;
	p = p * z + 1.0 / 11;
	p = p * z + 1.0 / 9;
	p = p * z + 1.0 / 7;
	p = p * z + 1.0 / 5;
	p = p * z + 1.0 / 3;
	p = p * z + 1.0;
	return e + s * p * 0x1.71547652b82fep+1; /* 2 / ln 2 */
}

/* sin and cos of y, |y| <= pi/4. */
LANE_FN double sin_poly(double y)
{
	double z = y * y, p = -1.0 / 39916800;
	p = p * z + 1.0 / 362880;
	p = p * z - 1.0 / 5040;
	p = p * z + 1.0 / 120;
	p = p * z - 1.0 / 6;
	return y + y * z * p;
}
LANE_FN double cos_poly(double y)
{
	double z = y * y, p = 1.0 / 479001600;
	p = p * z - 1.0 / 3628800;
	p = p * z + 1.0 / 40320;
	p = p * z - 1.0 / 720;
	p = p * z + 1.0 / 24;
	p = p * z - 0.5;
	return 1.0 + z * p;
}
/* sin(2 pi (t + quarter / 4)) for a finite t that is a float: from 2^24 on it is whole turns. */
LANE_FN double sin_turns(double t, int quarter)
{
	double frac = fabs(t) < 0x1p24 ? t - nearest(t) : 0.0;
	double q = nearest(frac * 4.0);
	double y = (frac - q * 0.25) * 0x1.921fb54442d18p+2;
	unsigned k = (unsigned)((int)q + quarter) & 3;
	double r = k & 1 ? cos_poly(y) : sin_poly(y);
	return k & 2 ? -r : r;
}

LANE_FN double tanh_poly(double x)
{
	double a = fabs(x) < 20.0 ? fabs(x) : 20.0;
	double z = a * a;
	double p = ((((62.0 / 2835) * z - 17.0 / 315) * z + 2.0 / 15) * z - 1.0 / 3) * z;
	double e = exp2_poly(a * 0x1.71547652b82fep+1); /* e^2a */
	double r = a < 0.125 ? a + a * p : (e - 1.0) / (e + 1.0);
	return x < 0 ? -r : r;
}

/* ---- f32 ---- */

LANE_FN uint32_t out_f32(double r, bool ftz)
{
	uint32_t x = f32_canon((float)r);
	return ftz ? f32_flush(x) : x;
}

/* The reciprocal of the hardware's unit, which has neither denormal arguments nor denormal results. */
LANE_FN float rcp_unit(float x)
{
	return as_f32(out_f32(1.0 / (double)as_f32(f32_flush(f32_bits(x))), true));
}
/* The factor that brings a divisor into the range in which its reciprocal is not denormal. */
LANE_FN float rcp_scale(float x, bool ftz, bool full)
{
	float small = !ftz && fabsf(x) < 0x1p-126f ? 0x1p24f : 1.0f;
	return full && fabsf(x) > 0x1p126f ? 0.25f : small;
}

LANE_FN uint32_t rcp_f32(uint32_t a, bool ftz)
{
	float x = f32_in(a, ftz), scale = rcp_scale(x, ftz, !ftz);
	return out_f32((double)rcp_unit(x * scale) * (double)scale, ftz);
}
LANE_FN uint32_t sqrt_f32(uint32_t a, bool ftz)
{
	return out_f32(sqrt((double)f32_in(a, ftz)), ftz);
}
LANE_FN uint32_t rsqrt_f32(uint32_t a, bool ftz)
{
	return out_f32(1.0 / sqrt((double)f32_in(a, ftz)), ftz);
}

/* a * (1 / b) in two roundings, as compilers for the hardware compute it. Without `full` a divisor
 * above 2^126 has the reciprocal 0. */
LANE_FN uint32_t quotient_f32(uint32_t a, uint32_t b, bool ftz, bool full)
{
	float x = f32_in(a, ftz), y = f32_in(b, ftz), scale = rcp_scale(y, ftz, full);
	return out_f32((double)rcp_unit(y * scale) * (double)(x * scale), ftz);
}
LANE_FN uint32_t div_f32(uint32_t a, uint32_t b, bool ftz)
{
	return quotient_f32(a, b, ftz, false);
}
LANE_FN uint32_t div_full_f32(uint32_t a, uint32_t b, bool ftz)
{
	return quotient_f32(a, b, ftz, true);
}

LANE_FN uint32_t ex2_f32(uint32_t a, bool ftz)
{
	double x = f32_in(a, ftz);
	double c = x > 200.0 ? 200.0 : x < -200.0 ? -200.0 : x; /* NaN stays */
	return out_f32(x == x ? exp2_poly(c) : x, ftz);
}
LANE_FN uint32_t lg2_f32(uint32_t a, bool ftz)
{
	double x = f32_in(a, ftz);
	double lift = x < 0x1p-126 ? 24.0 : 0.0; /* the unit has no denormal arguments */
	double r = log2_poly(x > 0 && x < INFINITY ? x * (lift ? 0x1p24 : 1.0) : 1.0);
	r = (double)as_f32(out_f32(r, ftz)) - lift;
	return out_f32(x == 0 ? -INFINITY : !(x > 0) ? NAN : x == INFINITY ? x : r, ftz);
}

/* x / 2 pi as the hardware computes it: times a float constant, cut to a float. */
LANE_FN double turns(float x)
{
	double p = (double)x * (double)0x1.45f306p-3f;
	return as_f64(f64_bits(p) & ~0x1fffffffull);
}
LANE_FN uint32_t sincos_f32(uint32_t a, bool ftz, int quarter)
{
	float x = f32_in(a, ftz);
	bool finite = (a & F32_INF) != F32_INF;
	double t = turns(finite ? x : 0.0f); /* the unit takes a denormal for 0 */
	double r = sin_turns(fabs(t) < 0x1p-126 ? 0.0 : t, quarter);
	uint32_t zero = quarter ? 0 : a & F32_SIGN; /* sin(-0) is -0 */
	return !finite ? F32_NAN : r == 0 ? zero : out_f32(r, ftz);
}
/* The unit's own function, whose argument is in turns. */
LANE_FN uint32_t sincos_turns_f32(uint32_t a, int quarter)
{
	float x = f32_in(a, true);
	bool finite = (a & F32_INF) != F32_INF;
	double r = sin_turns(finite ? (double)x : 0.0, quarter);
	uint32_t zero = quarter ? 0 : a & F32_SIGN;
	return !finite ? F32_NAN : r == 0 ? zero : out_f32(r, true);
}
LANE_FN uint32_t tanh_f32(uint32_t a)
{
	double x = as_f32(a);
	return f32_is_nan(a) ? F32_NAN : x == 0 ? a : out_f32(tanh_poly(x), false);
}

#define OPS_A(op)                                                                                  \
	OP_D_A(op, uint32_t, op##_f32(a, false))                                                   \
	OP_D_A(op##_ftz, uint32_t, op##_f32(a, true))
OPS_A(rcp)
OPS_A(sqrt)
OPS_A(rsqrt)
OPS_A(ex2)
OPS_A(lg2)
OP_D_A(sin, uint32_t, sincos_f32(a, false, 0))
OP_D_A(sin_ftz, uint32_t, sincos_f32(a, true, 0))
OP_D_A(cos, uint32_t, sincos_f32(a, false, 1))
OP_D_A(cos_ftz, uint32_t, sincos_f32(a, true, 1))
OP_D_A(sin_turns, uint32_t, sincos_turns_f32(a, 0))
OP_D_A(cos_turns, uint32_t, sincos_turns_f32(a, 1))
OP_D_A(tanh, uint32_t, tanh_f32(a))
OP_D_AB(div, uint32_t, uint32_t, div_f32(a, b, false))
OP_D_AB(div_ftz, uint32_t, uint32_t, div_f32(a, b, true))
OP_D_AB(div_full, uint32_t, uint32_t, div_full_f32(a, b, false))
OP_D_AB(div_full_ftz, uint32_t, uint32_t, div_full_f32(a, b, true))

/* ---- halves ---- */

/* Results of half precision are singles that are cut. */
LANE_FN uint32_t f32_cut_f16(float r)
{
	uint32_t b = f32_bits(r), sign = b >> 16 & 0x8000, mag = b & 0x7fffffff;
	if (mag > F32_INF)
		return F16_NAN;
	if (mag >= 0x47800000) /* 2^16 */
		return sign | F16_INF;
	if (mag >= 0x38800000) /* 2^-14 */
		return sign | ((mag - 0x38000000) >> 13);
	return sign | (uint32_t)(as_f32(mag) * 16777216.0f); /* 2^24 */
}
LANE_FN uint32_t cut_half(float r, bool bf)
{
	return bf ? (r == r ? f32_bits(r) >> 16 : 0x7fff) : f32_cut_f16(r);
}

LANE_FN uint32_t ex2_half(uint32_t h, bool bf, bool ftz)
{
	float x = bf ? bf16_to_f32(h & 0xffff) : f16_to_f32(h);
	x = fabsf(x) < 0x1p-23f ? 0 : x; /* below the last place of the unit's argument */
	return cut_half(as_f32(ex2_f32(f32_bits(x), ftz)), bf);
}

/* Halves, as f16, for which the GPU's hyperbolic tangent lies on the other side of a multiple of
 * the result's last place than the true value: first those where it lies above, then below. */
static const uint16_t tanh_above[] = {0x29c6, 0x2c95, 0x2c96, 0x2e39, 0x2e9d, 0x3064,
				      0x323f, 0x32ff, 0x355b, 0x372d, 0x3824, 0x399a,
				      0x3cc9, 0x3de3, 0x3ed6, 0x4080};
static const uint16_t tanh_below[] = {0x2d3f, 0x39f8, 0x3c8e, 0x3c9d,
				      0x3db8, 0x3e23, 0x3eab, 0x4429};

static uint32_t is_listed(const uint16_t *list, unsigned n, uint32_t h)
{
	for (unsigned i = 0; i < n; i++)
		if (list[i] == h)
			return 1;
	return 0;
}

/* tanh of 2^-8 + 2^-13 or less is the argument itself; from 8 on it is 1. */
LANE_FN uint32_t tanh_half(uint32_t h, bool bf)
{
	float x = bf ? bf16_to_f32(h & 0xffff) : f16_to_f32(h);
	uint32_t sign = h & 0x8000, own = h & 0x7fff, mag = f32_bits(x) & 0x7fffffff;
	if (mag > F32_INF)
		return 0x7fff;
	if (mag <= 0x3b80e000) /* f16: 0x1c07 */
		return sign | own;
	if (mag >= 0x41000000)
		return sign | (bf ? 0x3f80 : 0x3c00);
	uint32_t y = f32_cut_f16((float)tanh(as_f32(mag))), at = f32_cut_f16(as_f32(mag));
	y += is_listed(tanh_above, sizeof tanh_above / sizeof *tanh_above, at);
	y -= is_listed(tanh_below, sizeof tanh_below / sizeof *tanh_below, at);
	return sign | (bf ? f32_bits(f16_to_f32(y)) >> 16 : y);
}
OP_D_A(ex2_f16, uint32_t, ex2_half(a, false, false) | ex2_half(a >> 16, false, false) << 16)
OP_D_A(ex2_bf16, uint32_t, ex2_half(a, true, true) | ex2_half(a >> 16, true, true) << 16)
#define TANH(name, bf)                                                                             \
	OP_EACH(name, {                                                                            \
		const uint32_t *p = row_u32(w, u->a);                                              \
		EACH_LANE {                                                                        \
			uint32_t a = p[i];                                                         \
			SET(0, tanh_half(a, bf) | tanh_half(a >> 16, bf) << 16);                   \
		}                                                                                  \
	})
TANH(tanh_f16, false)
TANH(tanh_bf16, true)

/* ---- f64: .ftz forms look at the upper word only and return a zero lower word ---- */

#define UPPER 0xffffffff00000000ull
LANE_FN uint64_t flush_f64(uint64_t x) { return x & (x & F64_INF ? ~0ull : F64_SIGN); }
LANE_FN uint64_t upper_f64(double r)
{
	return r == r ? flush_f64(f64_bits(r)) & UPPER : 0x7fffffff00000000ull;
}
LANE_FN uint64_t rcp_f64_ftz(uint64_t a) { return upper_f64(1.0 / as_f64(flush_f64(a & UPPER))); }
LANE_FN uint64_t rsqrt_f64_ftz(uint64_t a)
{
	return upper_f64(1.0 / sqrt(as_f64(flush_f64(a & UPPER))));
}
LANE_FN uint64_t rsqrt_f64(uint64_t a)
{
	double r = 1.0 / sqrt(as_f64(a));
	return r == r ? f64_bits(r) : f64_nan2(a, a);
}
OP_Q_Q(rcp64_ftz, uint64_t, rcp_f64_ftz(a))
OP_Q_Q(rsqrt64_ftz, uint64_t, rsqrt_f64_ftz(a))
OP_Q_Q(rsqrt64, uint64_t, rsqrt_f64(a))

static bool bind_sfu_half(const struct inst *in, struct uop *u, bool bf)
{
	switch (in->op) {
	case OP_EX2: return bind_pair(u, bf ? FN(ex2_bf16) : FN(ex2_f16));
	case OP_TANH: return bind_pair(u, bf ? FN(tanh_bf16) : FN(tanh_f16));
	default: return false;
	}
}

static bool bind_sfu_f64(const struct inst *in, struct uop *u)
{
	bool ftz = in->mods & M_FTZ;
	switch (in->op) {
	case OP_RCP: return in->mods & M_APPROX && bind_pair(u, FN(rcp64_ftz));
	case OP_RSQRT: return bind_pair(u, ftz ? FN(rsqrt64_ftz) : FN(rsqrt64));
	default: return false;
	}
}

static bool bind_sfu_f32(const struct inst *in, struct uop *u)
{
	bool ftz = in->mods & M_FTZ, approx = in->mods & M_APPROX;
	switch (in->op) {
	case OP_DIV:
		if (in->mods & M_FULL)
			return bind_pair(u, ftz ? FN(div_full_ftz) : FN(div_full));
		return approx && bind_pair(u, ftz ? FN(div_ftz) : FN(div));
	case OP_RCP: return approx && bind_pair(u, ftz ? FN(rcp_ftz) : FN(rcp));
	case OP_SQRT: return approx && bind_pair(u, ftz ? FN(sqrt_ftz) : FN(sqrt));
	case OP_RSQRT: return bind_pair(u, ftz ? FN(rsqrt_ftz) : FN(rsqrt));
	case OP_SIN:
		return bind_pair(u, in->mods & M_FULL ? FN(sin_turns)
				    : ftz             ? FN(sin_ftz)
						      : FN(sin));
	case OP_COS:
		return bind_pair(u, in->mods & M_FULL ? FN(cos_turns)
				    : ftz             ? FN(cos_ftz)
						      : FN(cos));
	case OP_LG2: return bind_pair(u, ftz ? FN(lg2_ftz) : FN(lg2));
	case OP_EX2: return bind_pair(u, ftz ? FN(ex2_ftz) : FN(ex2));
	case OP_TANH: return bind_pair(u, FN(tanh));
	default: return false;
	}
}

bool bind_sfu(const struct inst *in, struct uop *u)
{
	switch (in->type) {
	case T_F32: return bind_sfu_f32(in, u);
	case T_F64: return bind_sfu_f64(in, u);
	case T_F16:
	case T_F16X2: return bind_sfu_half(in, u, false);
	case T_BF16:
	case T_BF16X2: return bind_sfu_half(in, u, true);
	default: return false;
	}
}
