/* cvt: every conversion between integer and float types, through the exact arithmetic of fpnum.h.
 * bind_cvt first offers the instruction to cvt_fast.c, which has vectorised loops for the most
 * frequent conversions; both must give equal bits.
 *
 * A destination register may be wider than the result type: the result is extended to it. */
#include "exec/alu/cvt.h"
#include "exec/alu/float.h"
#include "exec/alu/fpnum.h"

/* The result for a NaN. Conversions to or from f64 keep sign and payload, made quiet; bf16 to f32
 * is a shift; the others give the canonical NaN. */
static uint64_t nan_to_float(struct num x, unsigned from, unsigned to, uint32_t mods)
{
	struct num_format f = num_format(to);
	uint64_t frac = 1ull << (f.mbits - 1) | x.sig >> (64 - f.mbits);
	uint64_t exp = ((1ull << f.ebits) - 1) << f.mbits;
	uint64_t ones = (1ull << f.mbits) - 1;
	if (mods & M_FTZ && to == T_F64)
		return exp | (ones & ~0ull << 29); /* the canonical f32 NaN, widened */
	if (from == T_F64 || to == T_F64)
		return (uint64_t)x.neg << (f.ebits + f.mbits) | exp | frac;
	if (from == T_BF16 && to == T_F32 && !(mods & M_FTZ))
		return (uint64_t)x.neg << 31 | exp | x.sig >> 41;
	return exp | ones;
}

static uint64_t one_bits(struct num_format f)
{
	return (uint64_t)((1 << (f.ebits - 1)) - 1) << f.mbits;
}

/* [0, 1] for .sat, which also turns NaN into +0. */
static uint64_t saturate01(uint64_t bits, struct num x, struct num_format f)
{
	uint64_t one = one_bits(f);
	if (x.cls == NUM_NAN || x.neg)
		return 0;
	return bits > one ? one : bits;
}

static bool is_int_rnd(unsigned rnd) { return rnd >= RND_RNI && rnd <= RND_RPI; }

/* Denormal f32 sources count as zero under .ftz, except in directed roundings to f16. */
static bool flushes_input(unsigned from, unsigned to, unsigned rnd)
{
	return from == T_F32 && !(to == T_F16 && (rnd == RND_RM || rnd == RND_RP));
}

static uint64_t to_float(struct num x, const struct inst *in, unsigned from, unsigned to)
{
	struct num_format f = num_format(to);
	unsigned rnd = in->rnd == RND_NONE || is_int_rnd(in->rnd) ? RND_RN : in->rnd;
	unsigned flags = (in->mods & M_FTZ && to == T_F32 ? NUM_FLUSH : 0) |
			 (in->mods & M_SATFINITE ? NUM_SATFINITE : 0);
	if (in->mods & M_FTZ && x.denormal && flushes_input(from, to, rnd))
		x.cls = NUM_ZERO;
	if (is_int_rnd(in->rnd))
		x = num_to_integral(x, in->rnd);
	uint64_t r = x.cls == NUM_NAN ? nan_to_float(x, from, to, in->mods)
				      : num_to_float(x, f, rnd, flags);
	if (in->mods & M_SAT)
		r = saturate01(r, x, f);
	if (in->mods & M_RELU && x.neg && x.cls != NUM_NAN)
		r = 0;
	return r;
}

static uint64_t to_int(struct num x, const struct inst *in, unsigned from, unsigned to)
{
	unsigned bits = type_bits(to);
	if (x.cls == NUM_NAN)
		return from == T_F64 || bits == 64 ? int_extend(1ull << (bits - 1), to) : 0;
	if (in->mods & M_FTZ && x.denormal && from == T_F32)
		return 0;
	return num_to_int(x, to, in->rnd == RND_NONE ? RND_RZI : in->rnd);
}

/* tf32 is an f32 register whose low 13 bits are zero. rna truncates a NaN as if it were a number,
 * and .satfinite subtracts one unit. */
static uint32_t to_tf32(uint32_t a, const struct inst *in)
{
	struct num x = num_from_float(a, num_format(T_F32));
	if (in->rnd == RND_RNA || in->rnd == RND_NONE) {
		bool satfinite = in->mods & M_SATFINITE;
		if (x.cls == NUM_NAN)
			return (a & ~0x1fffu) - (satfinite ? 0x2000 : 0);
		return (uint32_t)num_to_float(x, num_format(T_TF32), RND_RNA,
					      satfinite ? NUM_SATFINITE : 0)
		       << 13;
	}
	return (uint32_t)to_float(x, in, T_F32, T_TF32) << 13;
}

/* Elements of packed types; T_NONE for others. */
static unsigned element_of(unsigned type)
{
	switch (type) {
	case T_F16X2: return T_F16;
	case T_BF16X2: return T_BF16;
	case T_E4M3X2: return T_E4M3;
	case T_E5M2X2: return T_E5M2;
	default: return T_NONE;
	}
}

/* The result of a cvt with one scalar source, extended to 64 bits; exact and slow. */
static uint64_t cvt_value(const struct inst *in, uint64_t a)
{
	unsigned from = in->stype, to = in->type;
	if (to == T_TF32)
		return to_tf32((uint32_t)a, in);
	if (!type_is_float(from)) {
		if (!type_is_float(to))
			return in->mods & M_SAT ? int_saturate(a, from, to)
						: int_extend(int_extend(a, from), to);
		return to_float(num_from_int(a, from), in, from, to);
	}
	if (from == to && type_bits(to) >= 32 && in->rnd == RND_NONE &&
	    !(in->mods & (M_SAT | M_FTZ | M_RELU | M_SATFINITE)))
		return int_extend(a, from); /* a move: NaNs and their payloads survive */
	struct num x = num_from_float(a, num_format(from));
	return type_is_float(to) ? to_float(x, in, from, to) : to_int(x, in, from, to);
}

static uint64_t source(const struct warp *w, int32_t o, unsigned type, int i)
{
	const uint32_t *p = row_u32(w, o);
	return type_bits(type) == 64 ? pair_get(p, i) : p[i];
}

/* Writes result rows; `rows`: number of rows of the destination register. */
static void cvt_lanes(struct warp *w, const struct uop *u, uint32_t mask)
{
	uint32_t *d = row_u32(w, u->d);
	for (int i = 0; i < LANES; i++) {
		if (!(mask & lane_bit[i]))
			continue;
		uint64_t r = cvt_value(u->in, source(w, u->a, u->in->stype, i));
		d[i] = (uint32_t)r;
		if (u->aux == 2)
			d[i + LANES] = (uint32_t)(r >> 32);
	}
}

/* Two elements in one register: from two f32 (a is the upper one) or from a packed source. */
static void cvt_packed_lanes(struct warp *w, const struct uop *u, uint32_t mask)
{
	unsigned to = element_of(u->in->type), from = element_of(u->in->stype);
	unsigned width = type_bits(to), fwidth = type_bits(from);
	uint32_t *d = row_u32(w, u->d);
	const uint32_t *pa = row_u32(w, u->a), *pb = from ? pa : row_u32(w, u->b);
	struct num_format f = num_format(from ? from : T_F32);
	for (int i = 0; i < LANES; i++) {
		if (!(mask & lane_bit[i]))
			continue;
		uint64_t hi = from ? pa[i] >> fwidth : pa[i];
		uint64_t r = to_float(num_from_float(hi, f), u->in, from ? from : T_F32, to)
			     << width;
		d[i] = (uint32_t)(r | to_float(num_from_float(pb[i], f), u->in, from ? from : T_F32,
					       to));
	}
}

/* cvt.pack: two s32 saturated to narrow integers, a above b; with results below 16 bits, c is
 * shifted up and placed above them. */
static void cvt_pack_lanes(struct warp *w, const struct uop *u, uint32_t mask)
{
	unsigned to = u->in->type, n = type_bits(to);
	uint32_t low = (1u << n) - 1;
	uint32_t *d = row_u32(w, u->d);
	const uint32_t *pa = row_u32(w, u->a), *pb = row_u32(w, u->b);
	const uint32_t *pc = u->in->ns > 2 ? row_u32(w, u->c) : NULL;
	for (int i = 0; i < LANES; i++) {
		if (!(mask & lane_bit[i]))
			continue;
		uint32_t a = (uint32_t)int_saturate(pa[i], u->in->stype, to) & low;
		uint32_t b = (uint32_t)int_saturate(pb[i], u->in->stype, to) & low;
		d[i] = (pc ? pc[i] << (2 * n) : 0) | a << n | b;
	}
}

LANEWISE(cvt)
LANEWISE(cvt_packed)
LANEWISE(cvt_pack)

bool bind_cvt(const struct inst *in, struct uop *u)
{
	if (in->op == OP_CVT_PACK)
		return bind_pair(u, FN(cvt_pack));
	if (in->op != OP_CVT)
		return false;
	unsigned rows = type_rows(in->type), reg = type_rows(inst_dst(in, 0)->type);
	u->aux = (uint8_t)(rows > reg ? rows : reg);
	if (cvt_bind_fast(in, u))
		return true;
	return bind_pair(u, element_of(in->type) ? FN(cvt_packed) : FN(cvt));
}
