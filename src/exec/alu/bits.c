/* Bit counts, bit fields and byte dot products: popc clz brev bfind fns bfe bfi bmsk szext dp4a
 * dp2a. */
#include "exec/alu/int_type.h"

/* ---- counts; popc sums bits in parallel, which every host can do in vectors ---- */
static inline uint32_t popc32(uint32_t x)
{
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	x = (x + (x >> 4)) & 0x0f0f0f0f;
	return x * 0x01010101 >> 24;
}
static inline uint32_t clz32(uint32_t x) { return x ? (uint32_t)__builtin_clz(x) : 32; }
static inline uint32_t clz64(uint32_t lo, uint32_t hi)
{
	return lane_pick(hi, clz32(hi), 32 + clz32(lo));
}
static inline uint32_t brev32(uint32_t x)
{
	x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
	x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
	x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
	x = (x & 0x00ff00ff) << 8 | (x >> 8 & 0x00ff00ff);
	return x << 16 | x >> 16;
}

#define OP_D_Q(name, EXPR)                                                                         \
	OP_LANES(                                                                                  \
		name, PAIR_ROWS(a) LANE_LOOP {                                                     \
			PAIR(a);                                                                   \
			PUT(0, EXPR);                                                              \
		})
OP_D_A(popc_32, uint32_t, popc32(a))
OP_D_Q(popc_64, popc32(al) + popc32(ah))
OP_D_A(clz_32, uint32_t, clz32(a))
OP_D_Q(clz_64, clz64(al, ah))
OP_D_A(brev_32, uint32_t, brev32(a))
/* clang-format off */
OP_LANES(brev_64, PAIR_ROWS(a) LANE_LOOP {
	PAIR(a);
	PUT(0, brev32(ah));
	PUT(1, brev32(al));
})
/* clang-format on */

/* ---- bfind ----
 * The most significant bit that is not the sign: its position, or with .shiftamt the shift that
 * brings it to the top. All ones if there is none. */
static inline uint32_t sign_mask(uint32_t x) { return (int32_t)x < 0 ? ~0u : 0; }
static inline uint32_t found(uint32_t lead, uint32_t width, bool amount)
{
	uint32_t r = amount ? lead : width - 1 - lead;
	return lane_pick(lead < width, r, ~0u);
}
#define OP_BFIND(sign, FLIP, amount)                                                               \
	OP_D_A(bfind_##sign##32_##amount, uint32_t, found(clz32(a ^ FLIP(a)), 32, amount))         \
	OP_D_Q(bfind_##sign##64_##amount, found(clz64(al ^ FLIP(ah), ah ^ FLIP(ah)), 64, amount))
#define NO_FLIP(x) 0
OP_BFIND(u, NO_FLIP, 0)
OP_BFIND(u, NO_FLIP, 1)
OP_BFIND(s, sign_mask, 0)
OP_BFIND(s, sign_mask, 1)
static const struct fnpair bfind_fn[2][IT_COUNT] = {
	{[IT_U32] = FN(bfind_u32_0),
	 [IT_S32] = FN(bfind_s32_0),
	 [IT_U64] = FN(bfind_u64_0),
	 [IT_S64] = FN(bfind_s64_0)},
	{[IT_U32] = FN(bfind_u32_1),
	 [IT_S32] = FN(bfind_s32_1),
	 [IT_U64] = FN(bfind_u64_1),
	 [IT_S64] = FN(bfind_s64_1)},
};

/* ---- fns ---- The n-th set bit (n = offset) from base upwards, or downwards if n is negative;
 * with n = 0 base itself. A base above 31 finds nothing, as in hardware. */
static uint32_t fns(uint32_t mask, uint32_t base, int32_t n)
{
	if (base > 31)
		return ~0u;
	if (n == 0)
		return mask >> base & 1 ? base : ~0u;
	if (n > 0) {
		for (uint32_t m = mask & ~0u << base; m; m &= m - 1)
			if (--n == 0)
				return (uint32_t)__builtin_ctz(m);
		return ~0u;
	}
	for (uint32_t m = mask & ~0u >> (31 - base); m;) {
		uint32_t top = 31 - (uint32_t)__builtin_clz(m);
		if (++n == 0)
			return top;
		m &= ~(1u << top);
	}
	return ~0u;
}
/* clang-format off */
OP_EACH(fns_32, {
	const uint32_t *pa = row_u32(w, u->a);
	const uint32_t *pb = row_u32(w, u->b);
	const uint32_t *pc = row_u32(w, u->c);
	EACH_LANE SET(0, fns(pa[i], pb[i], (int32_t)pc[i]));
})
/* clang-format on */

/* ---- bfe, bfi ----
 * Position and length: 32-bit forms use their low eight bits, 64-bit forms all. */
static inline uint32_t low_ones32(uint32_t n) { return n < 32 ? (1u << (n & 31)) - 1 : ~0u; }
static inline uint64_t low_ones64(uint32_t n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
}

static inline uint32_t bfe_u32(uint32_t a, uint32_t pos, uint32_t len)
{
	pos &= 0xff;
	return (pos < 32 ? a >> (pos & 31) : 0) & low_ones32(len & 0xff);
}
/* Bits beyond the top bit, or beyond the field, of a signed field equal its sign: bit min(pos + len
 * - 1, 31). */
static inline uint32_t bfe_s32(uint32_t a, uint32_t pos, uint32_t len)
{
	pos &= 0xff;
	len &= 0xff;
	uint32_t last = pos + len - 1 < 31 ? pos + len - 1 : 31;
	uint32_t sign = a >> (last & 31) & 1 ? ~0u : 0;
	uint32_t keep = low_ones32(len);
	uint32_t x = pos < 32 ? a >> (pos & 31) : 0;
	uint32_t valid = pos < 32 ? ~0u >> (pos & 31) : 0;
	x = (x & valid) | (sign & ~valid);
	return len == 0 ? 0 : (x & keep) | (sign & ~keep);
}
static inline uint64_t bfe_u64(uint64_t a, uint32_t pos, uint32_t len)
{
	return (pos < 64 ? a >> pos : 0) & low_ones64(len);
}
static inline uint64_t bfe_s64(uint64_t a, uint32_t pos, uint32_t len)
{
	uint64_t end = (uint64_t)pos + len - 1;
	uint64_t sign = a >> (end < 63 ? end : 63) & 1 ? ~UINT64_C(0) : 0;
	uint64_t keep = low_ones64(len);
	uint64_t x = pos < 64 ? a >> pos : 0;
	uint64_t valid = pos < 64 ? ~UINT64_C(0) >> pos : 0;
	x = (x & valid) | (sign & ~valid);
	return len == 0 ? 0 : (x & keep) | (sign & ~keep);
}
static inline uint32_t bfi32(uint32_t a, uint32_t b, uint32_t pos, uint32_t len)
{
	pos &= 0xff;
	uint32_t m = pos < 32 ? low_ones32(len & 0xff) << (pos & 31) : 0;
	return ((pos < 32 ? a << (pos & 31) : 0) & m) | (b & ~m);
}
static inline uint64_t bfi64(uint64_t a, uint64_t b, uint32_t pos, uint32_t len)
{
	uint64_t m = pos < 64 ? low_ones64(len) << pos : 0;
	return ((pos < 64 ? a << pos : 0) & m) | (b & ~m);
}

OP_D_ABC(bfe_u, uint32_t, uint32_t, uint32_t, bfe_u32(a, b, c))
OP_D_ABC(bfe_s, uint32_t, uint32_t, uint32_t, bfe_s32(a, b, c))
#define OP_BFE64(name, f)                                                                          \
	OP_EACH(name, {                                                                            \
		const uint32_t *pa = row_u32(w, u->a);                                             \
		const uint32_t *pb = row_u32(w, u->b);                                             \
		const uint32_t *pc = row_u32(w, u->c);                                             \
		EACH_LANE {                                                                        \
			uint64_t r = f(pair_get(pa, (int)i), pb[i], pc[i]);                        \
			SET(0, r);                                                                 \
			SET(1, r >> 32);                                                           \
		}                                                                                  \
	})
OP_BFE64(bfe_ul, bfe_u64)
OP_BFE64(bfe_sl, bfe_s64)
static const struct fnpair bfe_fn[IT_COUNT] = {
	[IT_U32] = FN(bfe_u),
	[IT_S32] = FN(bfe_s),
	[IT_U64] = FN(bfe_ul),
	[IT_S64] = FN(bfe_sl),
};

/* clang-format off */
OP_LANES(bfi_32, {
	const uint32_t *pa = row_u32(w, u->a);
	const uint32_t *pb = row_u32(w, u->b);
	const uint32_t *pc = row_u32(w, u->c);
	const uint32_t *pe = row_u32(w, u->v[4]);
	LANE_LOOP PUT(0, bfi32(pa[i], pb[i], pc[i], pe[i]));
})
/* clang-format on */
OP_EACH(bfi_64, {
	const uint32_t *pa = row_u32(w, u->a);
	const uint32_t *pb = row_u32(w, u->b);
	const uint32_t *pc = row_u32(w, u->c);
	const uint32_t *pe = row_u32(w, u->v[4]);
	EACH_LANE {
		uint64_t r = bfi64(pair_get(pa, (int)i), pair_get(pb, (int)i), pc[i], pe[i]);
		SET(0, r);
		SET(1, r >> 32);
	}
})

/* ---- bmsk: b bits from position a up. szext: the low b bits of a extended. ---- */
static inline uint32_t bmsk(uint32_t pos, uint32_t len)
{
	return pos < 32 ? low_ones32(len) << (pos & 31) : 0;
}
static inline uint32_t szext_u(uint32_t a, uint32_t n) { return a & low_ones32(n); }
static inline uint32_t szext_s(uint32_t a, uint32_t n)
{
	uint32_t keep = low_ones32(n);
	uint32_t top = a >> ((n - 1) & 31) & 1 ? ~0u : 0;
	return lane_pick(n == 0, 0, lane_pick(n > 31, a, (a & keep) | (top & ~keep)));
}
OP_D_AB(bmsk_clamp, uint32_t, uint32_t, bmsk(a, b))
OP_D_AB(bmsk_wrap, uint32_t, uint32_t, bmsk(a & 31, b & 31))
OP_D_AB(szext_u_clamp, uint32_t, uint32_t, szext_u(a, b))
OP_D_AB(szext_u_wrap, uint32_t, uint32_t, szext_u(a, b & 31))
OP_D_AB(szext_s_clamp, uint32_t, uint32_t, szext_s(a, b))
OP_D_AB(szext_s_wrap, uint32_t, uint32_t, szext_s(a, b & 31))

/* ---- dp4a, dp2a: a's elements times b's bytes, added to c ---- */
/* clang-format off */
#define U8AT(x, k)  ((x) >> 8 * (k) & 0xff)
#define S8AT(x, k)  ((uint32_t)((int32_t)((uint32_t)(x) << (24 - 8 * (k))) >> 24))
#define U16AT(x, k) ((x) >> 16 * (k) & 0xffff)
/* clang-format on */
#define S16AT(x, k) ((uint32_t)((int32_t)((uint32_t)(x) << (16 - 16 * (k))) >> 16))
#define OP_DOT(sa, sb, A8, A16, B8)                                                                \
	OP_D_ABC(dp4a_##sa##sb, uint32_t, uint32_t, uint32_t,                                      \
		 c + A8(a, 0) * B8(b, 0) + A8(a, 1) * B8(b, 1) + A8(a, 2) * B8(b, 2) +             \
			 A8(a, 3) * B8(b, 3))                                                      \
	OP_D_ABC(dp2a_lo_##sa##sb, uint32_t, uint32_t, uint32_t,                                   \
		 c + A16(a, 0) * B8(b, 0) + A16(a, 1) * B8(b, 1))                                  \
	OP_D_ABC(dp2a_hi_##sa##sb, uint32_t, uint32_t, uint32_t,                                   \
		 c + A16(a, 0) * B8(b, 2) + A16(a, 1) * B8(b, 3))
OP_DOT(u, u, U8AT, U16AT, U8AT)
OP_DOT(u, s, U8AT, U16AT, S8AT)
OP_DOT(s, u, S8AT, S16AT, U8AT)
OP_DOT(s, s, S8AT, S16AT, S8AT)
/* [dp4a, dp2a.lo, dp2a.hi][a signed][b signed] */
static const struct fnpair dot_fn[3][2][2] = {
	{{FN(dp4a_uu), FN(dp4a_us)}, {FN(dp4a_su), FN(dp4a_ss)}},
	{{FN(dp2a_lo_uu), FN(dp2a_lo_us)}, {FN(dp2a_lo_su), FN(dp2a_lo_ss)}},
	{{FN(dp2a_hi_uu), FN(dp2a_hi_us)}, {FN(dp2a_hi_su), FN(dp2a_hi_ss)}},
};

bool bind_bits(const struct inst *in, struct uop *u)
{
	bool wide = type_rows(in->type) == 2, wrap = in->wrap == WM_WRAP;
	bool sa = type_is_signed(in->atype), sb = type_is_signed(in->btype);
	switch (in->op) {
	case OP_POPC: return bind_pair(u, wide ? FN(popc_64) : FN(popc_32));
	case OP_CLZ: return bind_pair(u, wide ? FN(clz_64) : FN(clz_32));
	case OP_BREV: return bind_pair(u, wide ? FN(brev_64) : FN(brev_32));
	case OP_BFIND: return bind_by_type(u, bfind_fn[(in->mods & M_SHIFTAMT) != 0], in->type);
	case OP_FNS: return bind_pair(u, FN(fns_32));
	case OP_BFE: return bind_by_type(u, bfe_fn, in->type);
	case OP_BFI: return bind_pair(u, wide ? FN(bfi_64) : FN(bfi_32));
	case OP_BMSK: return bind_pair(u, wrap ? FN(bmsk_wrap) : FN(bmsk_clamp));
	case OP_SZEXT:
		if (type_is_signed(in->type))
			return bind_pair(u, wrap ? FN(szext_s_wrap) : FN(szext_s_clamp));
		return bind_pair(u, wrap ? FN(szext_u_wrap) : FN(szext_u_clamp));
	case OP_DP4A: return bind_pair(u, dot_fn[0][sa][sb]);
	case OP_DP2A: return bind_pair(u, dot_fn[in->mul == MUL_HI ? 2 : 1][sa][sb]);
	}
	return false;
}
