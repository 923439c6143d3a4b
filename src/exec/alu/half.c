/* f16, bf16 and their pairs, warp-wide. Every operation works on both halves of the row: for the
 * scalar types the upper half computes a meaningless result, which costs almost nothing and saves a
 * second set of functions.
 *
 * Sums of two f16 or bf16 in f32 suffer no double rounding (24 >= 2 * 11 + 1). Products of f16 are
 * exact in f32, and their fma is a sum rounded to odd there; bf16, which has f32's range, goes
 * through a double rounded to odd. */
#include "exec/alu/float.h"

enum { H_FTZ = 1, H_SAT = 2, H_RELU = 4, H_BF = 8, H_OOB = 16, H_KINDS = 32 };

/* .oob: the NaN that stands for an element outside a tensor, of either sign. */
LANE_FN bool out_of_bounds(uint32_t h) { return (h & 0x7fff) == 0x7ff7; }

LANE_FN float half_in(uint32_t h, unsigned k)
{
	if (k & H_BF)
		return bf16_to_f32(h & 0xffff);
	float f = f16_to_f32(h);
	return k & H_FTZ && fabsf(f) < 0x1p-14f ? as_f32(f32_bits(f) & F32_SIGN) : f;
}

/* Rounds f, exact or rounded to odd. Tiny under .ftz: below 2^-14 after rounding to 11 bits. */
LANE_FN uint32_t half_out(float f, unsigned k)
{
	if (k & H_FTZ)
		f = fabsf(f) < 0x1p-14f - 0x1p-26f ? as_f32(f32_bits(f) & F32_SIGN) : f;
	uint32_t h = k & H_BF ? f32_to_bf16(f) : f32_to_f16(f);
	uint32_t one = k & H_BF ? 0x3f80 : 0x3c00, inf = k & H_BF ? BF16_INF : F16_INF;
	if (k & H_SAT)
		return h > inf ? 0 : h > one ? one : h; /* negative numbers and NaN are above inf */
	if (k & H_RELU)
		return h & 0x8000 ? 0 : h; /* the canonical NaN is positive */
	return h;
}

LANE_FN uint32_t half_add(uint32_t a, uint32_t b, unsigned k)
{
	return half_out(half_in(a, k) + half_in(b, k), k);
}
LANE_FN uint32_t half_sub(uint32_t a, uint32_t b, unsigned k)
{
	return half_out(half_in(a, k) - half_in(b, k), k);
}
LANE_FN uint32_t half_mul(uint32_t a, uint32_t b, unsigned k)
{
	float x = half_in(a, k), y = half_in(b, k);
	return half_out(k & H_BF ? f32_odd((double)x * y) : x * y, k);
}
LANE_FN uint32_t half_fma(uint32_t a, uint32_t b, uint32_t c, unsigned k)
{
	float x = half_in(a, k), y = half_in(b, k), z = half_in(c, k);
	if (k & H_OOB && (out_of_bounds(a) || out_of_bounds(b)))
		return 0;
	return half_out(k & H_BF ? f32_odd(fma_odd(x, y, z)) : f32_add_odd(x * y, z), k);
}

#define HALF2(op, k) half_##op(a, b, k) | half_##op(a >> 16, b >> 16, k) << 16
#define HALF3(k)     half_fma(a, b, c, k) | half_fma(a >> 16, b >> 16, c >> 16, k) << 16
#define HALF_OPS(k)                                                                                \
	OP_D_AB(add_##k, uint32_t, uint32_t, HALF2(add, k))                                        \
	OP_D_AB(sub_##k, uint32_t, uint32_t, HALF2(sub, k))                                        \
	OP_D_AB(mul_##k, uint32_t, uint32_t, HALF2(mul, k))                                        \
	OP_D_ABC(fma_##k, uint32_t, uint32_t, uint32_t, HALF3(k))
/* clang-format off */
HALF_OPS(0) HALF_OPS(1) HALF_OPS(8)
#undef OP_FORMS
#define OP_FORMS OP_ONE_FORM
HALF_OPS(2) HALF_OPS(3) HALF_OPS(4) HALF_OPS(5) HALF_OPS(10) HALF_OPS(12)
#define HALF_FMA(k) OP_D_ABC(fma_##k, uint32_t, uint32_t, uint32_t, HALF3(k))
HALF_FMA(16) HALF_FMA(20) HALF_FMA(24) HALF_FMA(28)
#undef OP_FORMS
#define OP_FORMS OP_BOTH_FORMS
/* clang-format on */
#define HALF_FN(k)                                                                                 \
	[k] = {{add_##k##_full, add_##k##_part},                                                   \
	       {sub_##k##_full, sub_##k##_part},                                                   \
	       {mul_##k##_full, mul_##k##_part},                                                   \
	       {fma_##k##_full, fma_##k##_part}}
static const struct fnpair half_fn[H_KINDS][4] = {
	HALF_FN(0),
	HALF_FN(1),
	HALF_FN(2),
	HALF_FN(3),
	HALF_FN(4),
	HALF_FN(5),
	HALF_FN(8),
	HALF_FN(10),
	HALF_FN(12),
	[16][3] = {fma_16_full, fma_16_part},
	[20][3] = {fma_20_full, fma_20_part},
	[24][3] = {fma_24_full, fma_24_part},
	[28][3] = {fma_28_full, fma_28_part},
};

/* ---- sign and selection ---- */

enum { MM_FTZ = 1, MM_NAN = 2, MM_XOR = 4, MM_MAX = 8, MM_BF = 16, MM_KINDS = 32 };

LANE_FN uint32_t flush16(uint32_t h) { return h & (h & F16_INF ? 0xffff : 0x8000); }
LANE_FN bool nan16(uint32_t h, bool bf) { return (h & 0x7fff) > (bf ? BF16_INF : F16_INF); }

LANE_FN uint32_t sign16(uint32_t h, bool neg, bool bf, bool ftz)
{
	h &= 0xffff;
	h = ftz ? flush16(h) : h;
	return nan16(h, bf) ? F16_NAN : neg ? h ^ 0x8000 : h & 0x7fff;
}
#define SIGN16(neg, bf, ftz) sign16(a, neg, bf, ftz) | sign16(a >> 16, neg, bf, ftz) << 16
OP_D_A(abs_f16, uint32_t, SIGN16(false, false, false))
OP_D_A(abs_f16_ftz, uint32_t, SIGN16(false, false, true))
OP_D_A(abs_bf16, uint32_t, SIGN16(false, true, false))
OP_D_A(neg_f16, uint32_t, SIGN16(true, false, false))
OP_D_A(neg_f16_ftz, uint32_t, SIGN16(true, false, true))
OP_D_A(neg_bf16, uint32_t, SIGN16(true, true, false))

/* Integers in the order of the numbers they stand for, -0 before +0. */
LANE_FN int32_t order16(uint32_t h)
{
	return h & 0x8000 ? (int32_t)(0x7fff ^ h) - 0x10000 : (int32_t)h;
}

LANE_FN uint32_t minmax16(uint32_t a, uint32_t b, unsigned k)
{
	uint32_t sign = k & MM_XOR ? (a ^ b) & 0x8000 : 0;
	uint32_t keep = k & MM_XOR ? 0x7fff : 0xffff;
	a = (k & MM_FTZ ? flush16(a) : a) & keep;
	b = (k & MM_FTZ ? flush16(b) : b) & keep;
	bool na = nan16(a, k & MM_BF), nb = nan16(b, k & MM_BF);
	bool first = k & MM_MAX ? order16(a) > order16(b) : order16(a) < order16(b);
	uint32_t r = (first && !na) || nb ? a : b;
	bool nan = k & MM_NAN ? na || nb : na && nb;
	return nan ? F16_NAN : r | sign;
}
#define MINMAX(k)                                                                                  \
	OP_D_AB(minmax_##k, uint32_t, uint32_t,                                                    \
		minmax16(a & 0xffff, b & 0xffff, k) | minmax16(a >> 16, b >> 16, k) << 16)
/* clang-format off */
MINMAX(0) MINMAX(8) MINMAX(16) MINMAX(24)
#undef OP_FORMS
#define OP_FORMS OP_ONE_FORM
MINMAX(1) MINMAX(2) MINMAX(3) MINMAX(4) MINMAX(5) MINMAX(6) MINMAX(7)
MINMAX(9) MINMAX(10) MINMAX(11) MINMAX(12) MINMAX(13) MINMAX(14) MINMAX(15)
MINMAX(18) MINMAX(20) MINMAX(22) MINMAX(26) MINMAX(28) MINMAX(30)
/* clang-format on */
#define MM(k) [k] = {minmax_##k##_full, minmax_##k##_part}
static const struct fnpair minmax_fn[MM_KINDS] = {
	MM(0),  MM(1),  MM(2),  MM(3),  MM(4),  MM(5),  MM(6),  MM(7),
	MM(8),  MM(9),  MM(10), MM(11), MM(12), MM(13), MM(14), MM(15),
	MM(16), MM(18), MM(20), MM(22), MM(24), MM(26), MM(28), MM(30),
};

static bool bind_table(struct uop *u, const struct fnpair *f)
{
	return f->full && bind_pair(u, *f);
}

static bool bind_minmax(const struct inst *in, struct uop *u, bool bf)
{
	unsigned k = (in->mods & M_FTZ ? MM_FTZ : 0) | (in->mods & M_NAN ? MM_NAN : 0) |
		     (in->mods & M_XORSIGN ? MM_XOR : 0) | (in->op == OP_MAX ? MM_MAX : 0) |
		     (bf ? MM_BF : 0);
	return bind_table(u, &minmax_fn[k]);
}

bool bind_half(const struct inst *in, struct uop *u)
{
	bool bf = in->type == T_BF16 || in->type == T_BF16X2, ftz = in->mods & M_FTZ;
	if (!bf && in->type != T_F16 && in->type != T_F16X2)
		return false;
	unsigned k = (ftz && !bf ? H_FTZ : 0) | (in->mods & M_SAT ? H_SAT : 0) |
		     (in->mods & M_RELU ? H_RELU : 0) | (bf ? H_BF : 0) |
		     (in->mods & M_OOB ? H_OOB : 0);
	switch (in->op) {
	case OP_ADD: return bind_table(u, &half_fn[k][0]);
	case OP_SUB: return bind_table(u, &half_fn[k][1]);
	case OP_MUL: return bind_table(u, &half_fn[k][2]);
	case OP_MAD:
	case OP_FMA: return bind_table(u, &half_fn[k][3]);
	case OP_ABS: return bind_pair(u, bf ? FN(abs_bf16) : ftz ? FN(abs_f16_ftz) : FN(abs_f16));
	case OP_NEG: return bind_pair(u, bf ? FN(neg_bf16) : ftz ? FN(neg_f16_ftz) : FN(neg_f16));
	case OP_MIN:
	case OP_MAX: return bind_minmax(in, u, bf);
	default: return false;
	}
}
