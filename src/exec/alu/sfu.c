/* Instructions that the special unit computes (mufu.c): .approx and .full operations of PTX and the
 * machine's own MUFU. The unit flushes subnormal numbers. Where PTX requires them (no .ftz),
 * compilers scale the unit's arguments and results, and so do the operations here. */
#include "exec/alu/float.h"
#include "exec/alu/mufu.h"

/* The unit's function applied to source a. */
#define OP_UNIT(name, function) OP_ROWS(name, 1, { function(row_u32(w, u->a), out); })
OP_UNIT(rcp_ftz, mufu_rcp)
OP_UNIT(rsqrt_ftz, mufu_rsq)
OP_UNIT(sqrt_ftz, mufu_sqrt)
OP_UNIT(ex2_ftz, mufu_ex2)
OP_UNIT(lg2_ftz, mufu_lg2)
OP_UNIT(sin_turns, mufu_sin)
OP_UNIT(cos_turns, mufu_cos)
OP_UNIT(tanh, mufu_tanh)

/* The unit's function between two expressions: IN makes its argument from lane a of source a, OUT the
 * result from a and the function's value r. */
#define OP_AROUND(name, function, IN, OUT)                                                         \
	OP_ROWS(name, 1, {                                                                         \
		const uint32_t *pa = row_u32(w, u->a);                                             \
		uint32_t t[LANES];                                                                 \
		LANE_LOOP {                                                                        \
			float a = as_f32(pa[i]);                                                   \
			t[i] = f32_bits(IN);                                                       \
		}                                                                                  \
		function(t, t);                                                                    \
		LANE_LOOP {                                                                        \
			float a = as_f32(pa[i]), r = as_f32(t[i]);                                 \
			(void)a;                                                                   \
			out[i] = f32_canon(OUT);                                                   \
		}                                                                                  \
	})

/* Returns yes where x is subnormal or zero, otherwise no. */
LANE_FN float if_small(float x, float yes, float no) { return fabsf(x) < 0x1p-126f ? yes : no; }
OP_AROUND(sqrt, mufu_sqrt, a *if_small(a, 0x1p24f, 1), r *if_small(a, 0x1p-12f, 1))
OP_AROUND(rsqrt, mufu_rsq, a *if_small(a, 0x1p24f, 1), r *if_small(a, 0x1p12f, 1))
OP_AROUND(lg2, mufu_lg2, a *if_small(a, 0x1p24f, 1), r - if_small(a, 24, 0))
/* Results below 2^-126 are computed as squares of the result for half the argument. */
OP_AROUND(ex2, mufu_ex2, a *(a < -126.0f ? 0.5f : 1.0f), r *(a < -126.0f ? r : 1.0f))

/* x / 2 pi, as a product with a float constant, truncated to a float. */
LANE_FN float turns(float x)
{
	double p = (double)x * (double)0x1.45f306p-3f;
	return (float)as_f64(f64_bits(p) & ~0x1fffffffull);
}
OP_AROUND(sin, mufu_sin, turns(a), r)
OP_AROUND(cos, mufu_cos, turns(a), r)

/* The factor by which a divisor and its reciprocal are scaled so that both stay normal. */
LANE_FN float rcp_scale(float x, bool ftz, bool full)
{
	float small = !ftz && fabsf(x) < 0x1p-126f ? 0x1p24f : 1.0f;
	return full && fabsf(x) > 0x1p126f ? 0.25f : small;
}
OP_AROUND(rcp, mufu_rcp, a *rcp_scale(a, false, true), r *rcp_scale(a, false, true))

/* a * (1 / b) in two roundings, as compilers emit it. Without `full`, a divisor above 2^126 has the
 * reciprocal 0. */
ALWAYS_INLINE void divide(const uint32_t *a, const uint32_t *b, uint32_t *out, bool ftz, bool full)
{
	uint32_t t[LANES];
	LANE_LOOP {
		float y = f32_in(b[i], ftz);
		t[i] = f32_bits(y * rcp_scale(y, ftz, full));
	}
	mufu_rcp(t, t);
	LANE_LOOP {
		float x = f32_in(a[i], ftz), y = f32_in(b[i], ftz);
		uint32_t r = f32_canon(as_f32(t[i]) * (x * rcp_scale(y, ftz, full)));
		out[i] = ftz ? f32_flush(r) : r;
	}
}
#define OP_DIVIDE(name, ftz, full)                                                                 \
	OP_ROWS(name, 1, { divide(row_u32(w, u->a), row_u32(w, u->b), out, ftz, full); })
OP_DIVIDE(div, false, false)
OP_DIVIDE(div_ftz, true, false)
OP_DIVIDE(div_full, false, true)
OP_DIVIDE(div_full_ftz, true, true)

/* ---- halves: the unit computes singles, whose upper bits are the result ---- */

LANE_FN uint32_t f32_cut_f16(uint32_t b)
{
	uint32_t sign = b >> 16 & 0x8000, mag = b & 0x7fffffff;
	uint32_t normal = (mag - 0x38000000) >> 13;
	uint32_t tiny = (uint32_t)(int32_t)(as_f32(mag < 0x38800000 ? mag : 0) * 0x1p24f);
	uint32_t r = mag < 0x38800000 /* 2^-14 */ ? tiny : normal;
	r = mag >= 0x47800000 /* 2^16 */ ? F16_INF : r;
	return mag > F32_INF ? F16_NAN : sign | r;
}
typedef void unit_fn(const uint32_t *a, uint32_t *d);

/* One half of each lane, the lower or the upper. */
ALWAYS_INLINE void compute_half(unit_fn *f, const uint32_t *a, uint32_t *out, bool bf, int shift)
{
	uint32_t t[LANES];
	LANE_LOOP {
		uint32_t h = a[i] >> shift & 0xffff;
		t[i] = f32_bits(bf ? bf16_to_f32(h) : f16_to_f32(h));
	}
	f(t, t);
	LANE_LOOP {
		uint32_t r = bf ? t[i] >> 16 : f32_cut_f16(t[i]);
		out[i] = shift ? out[i] | r << 16 : r;
	}
}
ALWAYS_INLINE void compute_pair(unit_fn *f, const uint32_t *a, uint32_t *out, bool bf)
{
	uint32_t both[LANES];
	memcpy(both, a, sizeof both);
	compute_half(f, both, out, bf, 0);
	compute_half(f, both, out, bf, 16);
}
#define OP_HALVES(name, function)                                                                  \
	OP_ROWS(name##_f16, 1, { compute_half(function, row_u32(w, u->a), out, false, 0); })       \
	OP_ROWS(name##_bf16, 1, { compute_half(function, row_u32(w, u->a), out, true, 0); })       \
	OP_ROWS(name##_f16x2, 1, { compute_pair(function, row_u32(w, u->a), out, false); })        \
	OP_ROWS(name##_bf16x2, 1, { compute_pair(function, row_u32(w, u->a), out, true); })
OP_HALVES(rcp, mufu_rcp)
OP_HALVES(rsqrt, mufu_rsq)
OP_HALVES(sqrt, mufu_sqrt)
OP_HALVES(ex2, mufu_ex2)
OP_HALVES(lg2, mufu_lg2)
OP_HALVES(sin, mufu_sin)
OP_HALVES(cos, mufu_cos)
OP_HALVES(tanh, mufu_tanh)

/* ---- f64: .ftz forms look at the upper word only and return a zero lower word ---- */

/* Writes the upper row first, because the lower destination row may be the source's upper row. */
ALWAYS_INLINE void compute_upper(unit_fn *f, const uint32_t *a, uint32_t *out)
{
	f(a + LANES, out + LANES);
	memset(out, 0, ROW);
}
OP_ROWS(rcp64_ftz, 2, { compute_upper(mufu_rcp64h, row_u32(w, u->a), out); })
OP_ROWS(rsqrt64_ftz, 2, { compute_upper(mufu_rsq64h, row_u32(w, u->a), out); })
/* Without .ftz: the unit's result and one iteration of third order, as compilers emit it. */
LANE_FN double refine_root(double x, double r)
{
	double e = fma(x, -(r * r), 1.0);
	return fma(fma(e, 0.375, 0.5), r * e, r);
}
OP_ROWS(rsqrt64, 2, {
	const uint32_t *pa = row_u32(w, u->a);
	uint32_t upper[LANES];
	LANE_LOOP {
		double a = as_f64(pair_get(pa, i));
		upper[i] = (uint32_t)(f64_bits(fabs(a) < 0x1p-1022 ? a * 0x1p54 : a) >> 32);
	}
	mufu_rsq64h(upper, upper);
	LANE_LOOP {
		uint64_t bits = pair_get(pa, i), first = (uint64_t)upper[i] << 32;
		double a = as_f64(bits);
		bool tiny = fabs(a)<0x1p-1022, number = a> 0 && a < INFINITY;
		double r = refine_root(tiny ? a * 0x1p54 : a, as_f64(first));
		uint64_t root = f64_bits(r * (tiny ? 0x1p27 : 1.0));
		/* for a NaN or a negative number; for zeros and infinity, the unit's result */
		uint64_t other = a == 0 || a == INFINITY ? first : f64_nan2(bits, bits);
		pair_put(out, i, number ? root : other);
	}
})

#define HALF(name)                                                                                 \
	(x2 ? bf ? FN(name##_bf16x2) : FN(name##_f16x2) : bf ? FN(name##_bf16) : FN(name##_f16))
static bool bind_sfu_half(const struct inst *in, struct uop *u, bool bf, bool x2)
{
	switch (in->op) {
	case OP_RCP: return bind_pair(u, HALF(rcp));
	case OP_RSQRT: return bind_pair(u, HALF(rsqrt));
	case OP_SQRT: return bind_pair(u, HALF(sqrt));
	case OP_EX2: return bind_pair(u, HALF(ex2));
	case OP_LG2: return bind_pair(u, HALF(lg2));
	case OP_SIN: return bind_pair(u, HALF(sin));
	case OP_COS: return bind_pair(u, HALF(cos));
	case OP_TANH: return bind_pair(u, HALF(tanh));
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
	case OP_SIN: return bind_pair(u, in->mods & M_FULL ? FN(sin_turns) : FN(sin));
	case OP_COS: return bind_pair(u, in->mods & M_FULL ? FN(cos_turns) : FN(cos));
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
	case T_BF16:
	case T_F16X2:
	case T_BF16X2:
		return bind_sfu_half(in, u, in->type == T_BF16 || in->type == T_BF16X2,
				     in->type == T_F16X2 || in->type == T_BF16X2);
	default: return false;
	}
}
