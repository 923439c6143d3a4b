/* f32 arithmetic, warp-wide. To nearest even runs on the host's own arithmetic; directed roundings
 * compute the exact result as a double rounded to odd and round that once in the wanted mode. */
#include "exec/alu/fp32.h"

/* The modifier combinations of an operation, in the order of their table index; .ftz alone is in
 * fp32_ftz.c. */
#define OPS_AB(op)                                                                                 \
	OP_D_AB(op, uint32_t, uint32_t, op##_f32(a, b, false, false))                              \
	OP_D_AB(op##_sat, uint32_t, uint32_t, op##_f32(a, b, false, true))                         \
	OP_D_AB(op##_ftz_sat, uint32_t, uint32_t, op##_f32(a, b, true, true))                      \
	static const struct fnpair op##_fn[4] = {FNI(op), {0}, FNI(op##_sat), FNI(op##_ftz_sat)};
#define FNI(name)                                                                                  \
	{                                                                                          \
		name##_full, name##_part                                                           \
	}
OPS_AB(add)
OPS_AB(sub)
OPS_AB(mul)
OP_D_ABC(fma, uint32_t, uint32_t, uint32_t, fma_f32(a, b, c, false, false))
OP_D_ABC(fma_sat, uint32_t, uint32_t, uint32_t, fma_f32(a, b, c, false, true))
OP_D_ABC(fma_ftz_sat, uint32_t, uint32_t, uint32_t, fma_f32(a, b, c, true, true))
static const struct fnpair fma_fn[4] = {FNI(fma), {0}, FNI(fma_sat), FNI(fma_ftz_sat)};

OP_D_AB(div, float, float, f32_canon(a / b))
OP_D_A(rcp, float, f32_canon(1.0f / a))
OP_D_A(sqrt, float, f32_canon(sqrtf(a)))
static const struct fnpair div_fn = FNI(div), rcp_fn = FNI(rcp), sqrt_fn = FNI(sqrt);

/* ---- directed roundings and other rare cases: through doubles rounded to odd ---- */

/* True below the largest magnitude under 2^-126 that still rounds (24 bits, unbounded exponent) up
 * to 2^-126. RM and RP round away from zero for one sign only. */
LANE_FN bool is_tiny(double s, unsigned rnd)
{
	double m = fabs(s);
	bool away = rnd == RND_RM ? s < 0 : s > 0;
	if (rnd == RND_RZ)
		return m < 0x1p-126;
	if (rnd == RND_RM || rnd == RND_RP)
		return away ? m <= 0x1p-126 - 0x1p-150 : m < 0x1p-126;
	return m < 0x1p-126 - 0x1p-151;
}

/* Rounds a row of results in the mode of `aux` to the f32 bits of `out`. */
static void round_row(uint32_t *out, const double *s, uint8_t aux)
{
	float r[LANES];
	unsigned rnd = aux & AUX_RND;
	memory_fence((void *)s);
	round_set(rnd, r);
	LANE_LOOP
		r[i] = (float)s[i];
	round_reset(rnd, r);
	if (aux & AUX_FTZ)
		for (int i = 0; i < LANES; i++)
			if (is_tiny(s[i], rnd))
				r[i] = as_f32(f32_bits(r[i]) & F32_SIGN);
	if (aux & AUX_SAT)
		LANE_LOOP
			out[i] = f32_sat(r[i]);
	else
		LANE_LOOP
			out[i] = f32_canon(r[i]);
}

/* An exact zero from terms of opposite sign is -0 when rounding down. */
LANE_FN double zero_down(double s, double a, double b, uint8_t aux)
{
	bool opposite = (f64_bits(a) ^ f64_bits(b)) >> 63;
	return (aux & AUX_RND) == RND_RM && s == 0.0 && opposite ? -0.0 : s;
}
LANE_FN double sum_dir(double a, double b, uint8_t aux)
{
	return zero_down(add_odd(a, b), a, b, aux);
}

/* EXPR is the lane's result as a double rounded to odd, from float a, b, c. Absent sources are SINK
 * and must not be read, so each form names the sources it has. */
#define DIR_ROW(name, READ, EXPR)                                                                  \
	OP_ROWS(name, 1, {                                                                         \
		double s[LANES];                                                                   \
		const uint8_t aux = u->aux;                                                        \
		const bool ftz = aux & AUX_FTZ;                                                    \
		(void)ftz;                                                                         \
		LANE_LOOP {                                                                        \
			READ s[i] = (EXPR);                                                        \
		}                                                                                  \
		round_row(out, s, aux);                                                            \
	})                                                                                         \
	static const struct fnpair name##_fn = FNI(name);
#define READ_A   float a = f32_in(row_u32(w, u->a)[i], ftz);
#define READ_AB  READ_A float b = f32_in(row_u32(w, u->b)[i], ftz);
#define READ_ABC READ_AB float c = f32_in(row_u32(w, u->c)[i], ftz);

DIR_ROW(add_dir, READ_AB, sum_dir(a, b, aux))
DIR_ROW(sub_dir, READ_AB, sum_dir(a, -(double)b, aux))
/* clang-format off */
DIR_ROW(mul_dir, READ_AB, (double)a * b)
DIR_ROW(fma_dir, READ_ABC, sum_dir((double)a * b, c, aux))
/* Quotients and roots of 24-bit numbers are never so close to a 25-bit number that the double's own
 * rounding matters. */
DIR_ROW(div_dir, READ_AB, (double)a / b)
DIR_ROW(rcp_dir, READ_A, 1.0 / (double)a)
DIR_ROW(sqrt_dir, READ_A, sqrt((double)a))

/* ---- f32x2: two floats in a pair of rows; both halves are read before either is written ---- */

#undef OP_FORMS
#define OP_FORMS OP_ONE_FORM

#define PAIR_ABC PAIR_ROWS(c) LANE_LOOP { PAIR(a); PAIR(b); PAIR(c);
#define PAIR_AB LANE_LOOP { PAIR(a); PAIR(b);
#define OP_X2(name, READ, LO, HI)                                                                  \
	OP_LANES(name, {                                                                           \
		PAIR_ROWS(a)                                                                       \
		PAIR_ROWS(b)                                                                       \
		READ                                                                               \
			uint32_t lo = (LO), hi = (HI);                                             \
			PUT(0, lo);                                                                \
			PUT(1, hi);                                                                \
		}                                                                                  \
	})
#define OPS_X2(op, ftz)                                                                            \
	OP_X2(op##_x2_##ftz, PAIR_AB, op##_f32(al, bl, ftz, false), op##_f32(ah, bh, ftz, false))
OPS_X2(add, false) OPS_X2(add, true)
OPS_X2(sub, false) OPS_X2(sub, true)
OPS_X2(mul, false) OPS_X2(mul, true)
OP_X2(fma_x2_false, PAIR_ABC, fma_f32(al, bl, cl, false, false), fma_f32(ah, bh, ch, false, false))
OP_X2(fma_x2_true, PAIR_ABC, fma_f32(al, bl, cl, true, false), fma_f32(ah, bh, ch, true, false))

/* The directed roundings of both halves, as DIR_ROW does for one. */
#define DIR_X2(name, READ, EXPR)                                                                   \
	OP_ROWS(name, 2, {                                                                         \
		double s[2][LANES];                                                                \
		const uint8_t aux = u->aux;                                                        \
		const bool ftz = aux & AUX_FTZ;                                                    \
		for (int h = 0; h < 2; h++)                                                        \
			for (int i = 0; i < LANES; i++) {                                          \
				READ                                                               \
				s[h][i] = (EXPR);                                                  \
			}                                                                          \
		round_row(out, s[0], aux);                                                         \
		round_row(out + LANES, s[1], aux);                                                 \
	})
#define X2_READ(x) float x = f32_in(row_u32(w, u->x)[h * LANES + i], ftz);
DIR_X2(add_x2_dir, X2_READ(a) X2_READ(b), sum_dir(a, b, aux))
DIR_X2(sub_x2_dir, X2_READ(a) X2_READ(b), sum_dir(a, -(double)b, aux))
DIR_X2(mul_x2_dir, X2_READ(a) X2_READ(b), (double)a * b)
DIR_X2(fma_x2_dir, X2_READ(a) X2_READ(b) X2_READ(c), sum_dir((double)a * b, c, aux))
/* clang-format on */

static bool bind_x2(const struct inst *in, struct uop *u)
{
	bool near = in->rnd == RND_NONE || in->rnd == RND_RN, ftz = in->mods & M_FTZ;
	u->aux = aux_of(in);
	switch (in->op) {
	case OP_ADD:
		return bind_pair(u, !near ? FN(add_x2_dir)
				    : ftz ? FN(add_x2_true)
					  : FN(add_x2_false));
	case OP_SUB:
		return bind_pair(u, !near ? FN(sub_x2_dir)
				    : ftz ? FN(sub_x2_true)
					  : FN(sub_x2_false));
	case OP_MUL:
		return bind_pair(u, !near ? FN(mul_x2_dir)
				    : ftz ? FN(mul_x2_true)
					  : FN(mul_x2_false));
	case OP_FMA:
		return bind_pair(u, !near ? FN(fma_x2_dir)
				    : ftz ? FN(fma_x2_true)
					  : FN(fma_x2_false));
	default: return false;
	}
}

/* ---- mixed precision: f16 or bf16 sources (atype) into an f32 sum, in any rounding ---- */

#define READ_MIX(x)                                                                                \
	float x = u->in->atype == T_BF16 ? bf16_to_f32(row_u32(w, u->x)[i] & 0xffff)               \
					 : f16_to_f32(row_u32(w, u->x)[i] & 0xffff);
#define READ_F32(x) float x = as_f32(row_u32(w, u->x)[i]);
DIR_ROW(add_mix, READ_MIX(a) READ_F32(b), sum_dir(a, b, aux))
DIR_ROW(sub_mix, READ_MIX(a) READ_F32(b), sum_dir(a, -(double)b, aux))
/* clang-format off */
DIR_ROW(fma_mix, READ_MIX(a) READ_MIX(b) READ_F32(c), sum_dir((double)a * b, c, aux))
/* clang-format on */

static bool bind_mixed(const struct inst *in, struct uop *u)
{
	u->aux = aux_of(in);
	return bind_pair(u, in->op == OP_ADD   ? add_mix_fn
			    : in->op == OP_SUB ? sub_mix_fn
					       : fma_mix_fn);
}

/* mad.f32 of compute capability 1.x: the product is truncated to 24 bits with unbounded exponent,
 * then added with one rounding; with c = 0 it is mul and add. Denormals are always flushed. */
LANE_FN double mad_cut(float a, float b, float c)
{
	double p = (double)a * b;
	double cut = as_f64(f64_bits(p) & ~0x1fffffffull);
	return c == 0.0f || p - p != 0.0 ? add_odd(p, c) : add_odd(cut, c);
}
DIR_ROW(mad_cut, READ_ABC, mad_cut(a, b, c))

/* ---- sign and selection ---- */

#undef OP_FORMS
#define OP_FORMS OP_BOTH_FORMS
LANE_FN uint32_t abs_f32(uint32_t a) { return f32_is_nan(a) ? F32_NAN : a & ~F32_SIGN; }
LANE_FN uint32_t neg_f32(uint32_t a) { return f32_is_nan(a) ? F32_NAN : a ^ F32_SIGN; }
OP_D_A(abs, uint32_t, abs_f32(a))
OP_D_A(abs_ftz, uint32_t, abs_f32(f32_flush(a)))
OP_D_A(neg, uint32_t, neg_f32(a))
OP_D_A(neg_ftz, uint32_t, neg_f32(f32_flush(a)))
static const struct fnpair abs_fn[2] = {FNI(abs), FNI(abs_ftz)};
static const struct fnpair neg_fn[2] = {FNI(neg), FNI(neg_ftz)};

enum { MM_FTZ = 1, MM_NAN = 2, MM_XOR = 4, MM_MAX = 8, MM_ABS = 4 }; /* ABS: three sources only */

/* Integers in the order of the floats they stand for, -0 before +0. */
LANE_FN int32_t order_f32(uint32_t x) { return (int32_t)(x ^ ((uint32_t)((int32_t)x >> 31) >> 1)); }

LANE_FN uint32_t minmax2(uint32_t a, uint32_t b, unsigned k)
{
	uint32_t sign = k & MM_XOR ? (a ^ b) & F32_SIGN : 0;
	a = k & MM_FTZ ? f32_flush(a) : a;
	b = k & MM_FTZ ? f32_flush(b) : b;
	a = k & MM_XOR ? a & ~F32_SIGN : a;
	b = k & MM_XOR ? b & ~F32_SIGN : b;
	bool na = f32_is_nan(a), nb = f32_is_nan(b);
	bool first = k & MM_MAX ? order_f32(a) > order_f32(b) : order_f32(a) < order_f32(b);
	uint32_t r = (first && !na) || nb ? a : b;
	bool nan = k & MM_NAN ? na || nb : na && nb;
	return nan ? F32_NAN : r | sign;
}
LANE_FN uint32_t minmax3(uint32_t a, uint32_t b, uint32_t c, unsigned k)
{
	uint32_t keep = k & MM_ABS ? ~F32_SIGN : ~0u;
	k &= ~(unsigned)MM_ABS;
	return minmax2(minmax2(a & keep, b & keep, k), c & keep, k);
}

#define MINMAX(k)                                                                                  \
	OP_D_AB(minmax2_##k, uint32_t, uint32_t, minmax2(a, b, k))                                 \
	OP_D_ABC(minmax3_##k, uint32_t, uint32_t, uint32_t, minmax3(a, b, c, k))
/* clang-format off */
MINMAX(0) MINMAX(1) MINMAX(8) MINMAX(9)
#undef OP_FORMS
#define OP_FORMS OP_ONE_FORM
MINMAX(2) MINMAX(3) MINMAX(4) MINMAX(5) MINMAX(6) MINMAX(7) MINMAX(10) MINMAX(11) MINMAX(12) MINMAX(13) MINMAX(14) MINMAX(15)
/* clang-format on */
#define MM(n, k) FNI(minmax##n##_##k)
static const struct fnpair minmax_fn[2][16] = {
	{MM(2, 0), MM(2, 1), MM(2, 2), MM(2, 3), MM(2, 4), MM(2, 5), MM(2, 6), MM(2, 7), MM(2, 8),
	 MM(2, 9), MM(2, 10), MM(2, 11), MM(2, 12), MM(2, 13), MM(2, 14), MM(2, 15)},
	{MM(3, 0), MM(3, 1), MM(3, 2), MM(3, 3), MM(3, 4), MM(3, 5), MM(3, 6), MM(3, 7), MM(3, 8),
	 MM(3, 9), MM(3, 10), MM(3, 11), MM(3, 12), MM(3, 13), MM(3, 14), MM(3, 15)},
};

static const struct fnpair *pick_minmax(const struct inst *in)
{
	unsigned k = (in->mods & M_FTZ ? MM_FTZ : 0) | (in->mods & M_NAN ? MM_NAN : 0) |
		     (in->mods & M_XORSIGN ? MM_XOR : 0) | (in->op == OP_MAX ? MM_MAX : 0) |
		     (in->ns == 3 && in->mods & M_ABS ? MM_ABS : 0);
	return &minmax_fn[in->ns == 3][k];
}

static const struct fnpair *pick_function(const struct inst *in, struct uop *u)
{
	bool near = in->rnd == RND_NONE || in->rnd == RND_RN;
	bool ftz = in->mods & M_FTZ;
	unsigned k = ftz | (in->mods & M_SAT ? 2 : 0);
	switch (in->op) {
	case OP_ADD: return near ? &add_fn[k] : &add_dir_fn;
	case OP_SUB: return near ? &sub_fn[k] : &sub_dir_fn;
	case OP_MUL: return near ? &mul_fn[k] : &mul_dir_fn;
	case OP_MAD:
		if (in->rnd == RND_NONE) {
			u->aux |= AUX_FTZ;
			return &mad_cut_fn;
		}
		return near ? &fma_fn[k] : &fma_dir_fn;
	case OP_FMA: return near ? &fma_fn[k] : &fma_dir_fn;
	case OP_DIV: return near && !k ? &div_fn : &div_dir_fn;
	case OP_RCP: return near && !k ? &rcp_fn : &rcp_dir_fn;
	case OP_SQRT: return near && !k ? &sqrt_fn : &sqrt_dir_fn;
	case OP_ABS: return &abs_fn[ftz];
	case OP_NEG: return &neg_fn[ftz];
	case OP_MIN:
	case OP_MAX: return pick_minmax(in);
	default: return NULL;
	}
}

bool bind_f32(const struct inst *in, struct uop *u)
{
	if (in->type == T_F32X2)
		return bind_x2(in, u);
	if (in->type != T_F32 || in->mods & (M_APPROX | M_FULL))
		return false;
	if (in->atype && (in->op == OP_ADD || in->op == OP_SUB || in->op == OP_FMA))
		return bind_mixed(in, u);
	if (f32_bind_ftz(in, u))
		return true;
	u->aux = aux_of(in);
	const struct fnpair *f = pick_function(in, u);
	return f && bind_pair(u, *f);
}
