/* Integer arithmetic: add sub mul mad mul24 mad24 sad div rem abs neg min max.
 *
 * Where only the low bits of a result matter (add, sub, mul.lo) the 32-bit function also serves 16
 * bits. The 64-bit functions that address arithmetic uses work on halves, see lanes.h. Forms that
 * read or write the carry flag are in carry.c. */
#include "exec/alu/carry.h"
#include "exec/alu/int_type.h"

/* ---- add, sub ---- */
OP_D_AB(add_32, uint32_t, uint32_t, a + b)
OP_D_AB(sub_32, uint32_t, uint32_t, a - b)
/* clang-format off */
OP_LANES(add_64, PAIR_ROWS(a) PAIR_ROWS(b) LANE_LOOP {
	PAIR(a); PAIR(b);
	uint32_t lo = al + bl;
	PUT(0, lo);
	PUT(1, ah + bh + (lo < al));
})
OP_LANES(sub_64, PAIR_ROWS(a) PAIR_ROWS(b) LANE_LOOP {
	PAIR(a); PAIR(b);
	PUT(0, al - bl);
	PUT(1, ah - bh - (al < bl));
})
/* clang-format on */
OP_D_AB(add_x2, uint32_t, uint32_t, ((a & 0x7fff7fff) + (b & 0x7fff7fff)) ^ ((a ^ b) & 0x80008000))
OP_D_AB(sub_x2, uint32_t, uint32_t, ((a | 0x80008000) - (b & 0x7fff7fff)) ^ (~(a ^ b) & 0x80008000))

/* A result that overflows becomes the limit on the side of a's sign. */
static inline uint32_t sat_add_s32(uint32_t a, uint32_t b)
{
	uint32_t r = a + b;
	return lane_pick((~(a ^ b) & (a ^ r)) >> 31, 0x7fffffff + (a >> 31), r);
}
static inline uint32_t sat_sub_s32(uint32_t a, uint32_t b)
{
	uint32_t r = a - b;
	return lane_pick(((a ^ b) & (a ^ r)) >> 31, 0x7fffffff + (a >> 31), r);
}
OP_D_AB(add_sat, uint32_t, uint32_t, sat_add_s32(a, b))
OP_D_AB(sub_sat, uint32_t, uint32_t, sat_sub_s32(a, b))

static const struct fnpair add_fn[IT_COUNT] = {
	BOTH16(add_32),          BOTH32(add_32),          BOTH64(add_64),
	[IT_U16X2] = FN(add_x2), [IT_S16X2] = FN(add_x2),
};
static const struct fnpair sub_fn[IT_COUNT] = {
	BOTH16(sub_32),          BOTH32(sub_32),          BOTH64(sub_64),
	[IT_U16X2] = FN(sub_x2), [IT_S16X2] = FN(sub_x2),
};

/* ---- mul ---- */
static inline uint64_t mulhi_u64(uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned __int128)a * b >> 64);
}
static inline uint64_t mulhi_s64(uint64_t a, uint64_t b)
{
	return (uint64_t)((__int128)(int64_t)a * (int64_t)b >> 64);
}

/* clang-format off */
OP_D_AB(mul_32, uint32_t, uint32_t, a * b)
OP_D_AB(mul_hi_u16, uint32_t, uint32_t, U16(a) * U16(b) >> 16)
OP_D_AB(mul_hi_s16, uint32_t, uint32_t, S16(a) * S16(b) >> 16)
OP_D_AB(mul_hi_u32, uint32_t, uint32_t, (uint64_t)a * b >> 32)
OP_D_AB(mul_hi_s32, int32_t, int32_t, (int64_t)a * b >> 32)
OP_D_AB(mul_wide_u16, uint32_t, uint32_t, U16(a) * U16(b))
OP_D_AB(mul_wide_s16, uint32_t, uint32_t, S16(a) * S16(b))

#define OP_MUL_WIDE(name, T, TT)                                                                   \
	OP_LANES(name, {                                                                           \
		const T *pa = row_at(w, u->a), *pb = row_at(w, u->b);                              \
		LANE_LOOP {                                                                        \
			uint64_t p = (uint64_t)((TT)pa[i] * pb[i]);                                \
			PUT(0, (uint32_t)p);                                                       \
			PUT(1, (uint32_t)(p >> 32));                                               \
		}                                                                                  \
	})
OP_MUL_WIDE(mul_wide_u32, uint32_t, uint64_t)
OP_MUL_WIDE(mul_wide_s32, int32_t, int64_t)

OP_LANES(mul_64, PAIR_ROWS(a) PAIR_ROWS(b) LANE_LOOP {
	PAIR(a); PAIR(b);
	uint64_t p = (uint64_t)al * bl;
	PUT(0, (uint32_t)p);
	PUT(1, (uint32_t)(p >> 32) + al * bh + ah * bl);
})
/* clang-format on */
OP_Q_QQ(mul_hi_u64, uint64_t, uint64_t, mulhi_u64(a, b))
OP_Q_QQ(mul_hi_s64, uint64_t, uint64_t, mulhi_s64(a, b))

static const struct fnpair mul_lo_fn[IT_COUNT] = {BOTH16(mul_32), BOTH32(mul_32), BOTH64(mul_64)};
static const struct fnpair mul_hi_fn[IT_COUNT] = {
	[IT_U16] = FN(mul_hi_u16), [IT_S16] = FN(mul_hi_s16), [IT_U32] = FN(mul_hi_u32),
	[IT_S32] = FN(mul_hi_s32), [IT_U64] = FN(mul_hi_u64), [IT_S64] = FN(mul_hi_s64),
};
static const struct fnpair mul_wide_fn[IT_COUNT] = {
	[IT_U16] = FN(mul_wide_u16),
	[IT_S16] = FN(mul_wide_s16),
	[IT_U32] = FN(mul_wide_u32),
	[IT_S32] = FN(mul_wide_s32),
};

/* ---- mad ---- */
/* clang-format off */
OP_D_ABC(mad_32, uint32_t, uint32_t, uint32_t, a * b + c)
OP_D_ABC(mad_hi_u16, uint32_t, uint32_t, uint32_t, (U16(a) * U16(b) >> 16) + c)
OP_D_ABC(mad_hi_s16, uint32_t, uint32_t, uint32_t, (uint32_t)(S16(a) * S16(b) >> 16) + c)
OP_D_ABC(mad_hi_u32, uint32_t, uint32_t, uint32_t, (uint32_t)((uint64_t)a * b >> 32) + c)
OP_D_ABC(mad_hi_s32, int32_t, int32_t, uint32_t, (uint32_t)((int64_t)a * b >> 32) + c)
OP_D_ABC(mad_hi_sat, int32_t, int32_t, uint32_t, sat_add_s32((uint32_t)((int64_t)a * b >> 32), c))
OP_D_ABC(mad_wide_u16, uint32_t, uint32_t, uint32_t, U16(a) * U16(b) + c)
OP_D_ABC(mad_wide_s16, uint32_t, uint32_t, uint32_t, (uint32_t)(S16(a) * S16(b)) + c)

#define OP_MAD_WIDE(name, T, TT)                                                                   \
	OP_LANES(name, {                                                                           \
		const T *pa = row_at(w, u->a), *pb = row_at(w, u->b);                              \
		PAIR_ROWS(c)                                                                       \
		LANE_LOOP {                                                                        \
			PAIR(c);                                                                   \
			uint64_t p = (uint64_t)((TT)pa[i] * pb[i]);                                \
			uint32_t lo = (uint32_t)p + cl;                                            \
			PUT(0, lo);                                                                \
			PUT(1, (uint32_t)(p >> 32) + ch + (lo < cl));                              \
		}                                                                                  \
	})
OP_MAD_WIDE(mad_wide_u32, uint32_t, uint64_t)
OP_MAD_WIDE(mad_wide_s32, int32_t, int64_t)

OP_LANES(mad_64, PAIR_ROWS(a) PAIR_ROWS(b) PAIR_ROWS(c) LANE_LOOP {
	PAIR(a); PAIR(b); PAIR(c);
	uint64_t p = (uint64_t)al * bl;
	uint32_t lo = (uint32_t)p + cl;
	PUT(0, lo);
	PUT(1, (uint32_t)(p >> 32) + al * bh + ah * bl + ch + (lo < cl));
})
/* clang-format on */
OP_Q_QQQ(mad_hi_u64, uint64_t, mulhi_u64(a, b) + c)
OP_Q_QQQ(mad_hi_s64, uint64_t, mulhi_s64(a, b) + c)

static const struct fnpair mad_lo_fn[IT_COUNT] = {BOTH16(mad_32), BOTH32(mad_32), BOTH64(mad_64)};
static const struct fnpair mad_hi_fn[IT_COUNT] = {
	[IT_U16] = FN(mad_hi_u16), [IT_S16] = FN(mad_hi_s16), [IT_U32] = FN(mad_hi_u32),
	[IT_S32] = FN(mad_hi_s32), [IT_U64] = FN(mad_hi_u64), [IT_S64] = FN(mad_hi_s64),
};
static const struct fnpair mad_wide_fn[IT_COUNT] = {
	[IT_U16] = FN(mad_wide_u16),
	[IT_S16] = FN(mad_wide_s16),
	[IT_U32] = FN(mad_wide_u32),
	[IT_S32] = FN(mad_wide_s32),
};

/* ---- 24-bit products: .lo is bits 31..0 of the 48-bit product, .hi bits 47..16 ---- */
#define S24(x) ((int32_t)((uint32_t)(x) << 8) >> 8)
/* clang-format off */
#define U24(x) ((x) & 0xffffffu)
/* clang-format on */
#define P24S(a, b) ((uint64_t)((int64_t)S24(a) * S24(b)))
#define P24U(a, b) ((uint64_t)U24(a) * U24(b))
OP_D_AB(mul24_lo_u, uint32_t, uint32_t, U24(a) * U24(b))
OP_D_AB(mul24_lo_s, uint32_t, uint32_t, (uint32_t)S24(a) * (uint32_t)S24(b))
OP_D_AB(mul24_hi_u, uint32_t, uint32_t, P24U(a, b) >> 16)
OP_D_AB(mul24_hi_s, uint32_t, uint32_t, P24S(a, b) >> 16)
OP_D_ABC(mad24_lo_u, uint32_t, uint32_t, uint32_t, U24(a) * U24(b) + c)
OP_D_ABC(mad24_lo_s, uint32_t, uint32_t, uint32_t, (uint32_t)S24(a) * (uint32_t)S24(b) + c)
OP_D_ABC(mad24_hi_u, uint32_t, uint32_t, uint32_t, (uint32_t)(P24U(a, b) >> 16) + c)
OP_D_ABC(mad24_hi_s, uint32_t, uint32_t, uint32_t, (uint32_t)(P24S(a, b) >> 16) + c)
OP_D_ABC(mad24_hi_sat, uint32_t, uint32_t, uint32_t, sat_add_s32((uint32_t)(P24S(a, b) >> 16), c))

/* ---- sad: c + |a - b| ---- */
static inline uint32_t dist_s32(int32_t a, int32_t b)
{
	uint32_t d = (uint32_t)a - (uint32_t)b;
	return a < b ? 0 - d : d;
}
static inline uint32_t dist_u32(uint32_t a, uint32_t b) { return a < b ? b - a : a - b; }
static inline uint64_t dist_s64(int64_t a, int64_t b)
{
	uint64_t d = (uint64_t)a - (uint64_t)b;
	return a < b ? 0 - d : d;
}
OP_D_ABC(sad_u16, uint32_t, uint32_t, uint32_t, dist_u32(U16(a), U16(b)) + c)
OP_D_ABC(sad_s16, uint32_t, uint32_t, uint32_t, dist_s32(S16(a), S16(b)) + c)
OP_D_ABC(sad_u32, uint32_t, uint32_t, uint32_t, dist_u32(a, b) + c)
OP_D_ABC(sad_s32, int32_t, int32_t, uint32_t, dist_s32(a, b) + c)
OP_Q_QQQ(sad_u64, uint64_t, (a < b ? b - a : a - b) + c)
OP_Q_QQQ(sad_s64, uint64_t, dist_s64((int64_t)a, (int64_t)b) + c)
static const struct fnpair sad_fn[IT_COUNT] = {
	[IT_U16] = FN(sad_u16), [IT_S16] = FN(sad_s16), [IT_U32] = FN(sad_u32),
	[IT_S32] = FN(sad_s32), [IT_U64] = FN(sad_u64), [IT_S64] = FN(sad_s64),
};

/* ---- div, rem: by zero both give all ones; the least value by -1 wraps, remainder 0 ---- */
static inline int64_t div_s(int64_t a, int64_t b)
{
	return b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}
static inline int64_t rem_s(int64_t a, int64_t b) { return b == 0 ? -1 : b == -1 ? 0 : a % b; }
static inline uint64_t div_u(uint64_t a, uint64_t b) { return b ? a / b : ~(uint64_t)0; }
static inline uint64_t rem_u(uint64_t a, uint64_t b) { return b ? a % b : ~(uint64_t)0; }
/* 32-bit division takes half the time of 64-bit division. */
static inline uint32_t div_u32(uint32_t a, uint32_t b) { return b ? a / b : ~0u; }
static inline uint32_t rem_u32(uint32_t a, uint32_t b) { return b ? a % b : ~0u; }
static inline uint32_t div_s32(int32_t a, int32_t b)
{
	return b == 0 ? ~0u : b == -1 ? 0 - (uint32_t)a : (uint32_t)(a / b);
}
static inline uint32_t rem_s32(int32_t a, int32_t b)
{
	return b == 0 ? ~0u : b == -1 ? 0 : (uint32_t)(a % b);
}

#define OP_DIVIDE(name, CAST, f)                                                                   \
	OP_EACH(name, {                                                                            \
		const uint32_t *pa = row_u32(w, u->a), *pb = row_u32(w, u->b);                     \
		EACH_LANE                                                                          \
			SET(0, f(CAST(pa[i]), CAST(pb[i])));                                       \
	})
#define OP_DIVIDE64(name, T, f)                                                                    \
	OP_EACH(name, {                                                                            \
		const uint32_t *pa = row_u32(w, u->a), *pb = row_u32(w, u->b);                     \
		EACH_LANE {                                                                        \
			T a = (T)pair_get(pa, (int)i), b = (T)pair_get(pb, (int)i);                \
			uint64_t q = (uint64_t)f(a, b);                                            \
			SET(0, q);                                                                 \
			SET(1, q >> 32);                                                           \
		}                                                                                  \
	})
OP_DIVIDE(div_u16, U16, div_u32)
OP_DIVIDE(rem_u16, U16, rem_u32)
OP_DIVIDE(div_s16, S16, div_s32)
OP_DIVIDE(rem_s16, S16, rem_s32)
OP_DIVIDE(div_u, , div_u32)
OP_DIVIDE(rem_u, , rem_u32)
OP_DIVIDE(div_s, (int32_t), div_s32)
OP_DIVIDE(rem_s, (int32_t), rem_s32)
OP_DIVIDE64(div_u64, uint64_t, div_u)
OP_DIVIDE64(rem_u64, uint64_t, rem_u)
OP_DIVIDE64(div_s64, int64_t, div_s)
OP_DIVIDE64(rem_s64, int64_t, rem_s)
static const struct fnpair div_fn[IT_COUNT] = {
	[IT_U16] = FN(div_u16), [IT_S16] = FN(div_s16), [IT_U32] = FN(div_u),
	[IT_S32] = FN(div_s),   [IT_U64] = FN(div_u64), [IT_S64] = FN(div_s64),
};
static const struct fnpair rem_fn[IT_COUNT] = {
	[IT_U16] = FN(rem_u16), [IT_S16] = FN(rem_s16), [IT_U32] = FN(rem_u),
	[IT_S32] = FN(rem_s),   [IT_U64] = FN(rem_u64), [IT_S64] = FN(rem_s64),
};

/* ---- abs, neg ---- */
OP_D_A(neg_32, uint32_t, 0 - a)
/* clang-format off */
OP_LANES(neg_64, PAIR_ROWS(a) LANE_LOOP {
	PAIR(a);
	PUT(0, 0 - al);
	PUT(1, ~ah + (al == 0));
})
OP_D_A(abs_16, uint32_t, S16(a) < 0 ? 0 - a : a)
OP_D_A(abs_32, uint32_t, (int32_t)a < 0 ? 0 - a : a)
OP_LANES(abs_64, PAIR_ROWS(a) LANE_LOOP {
	PAIR(a);
	uint32_t m = (int32_t)ah < 0 ? ~0u : 0;
	PUT(0, (al ^ m) - m);
	PUT(1, (ah ^ m) + (m & (al == 0)));
})
/* clang-format on */
static const struct fnpair neg_fn[IT_COUNT] = {BOTH16(neg_32), BOTH32(neg_32), BOTH64(neg_64)};
static const struct fnpair abs_fn[IT_COUNT] = {
	[IT_S16] = FN(abs_16),
	[IT_S32] = FN(abs_32),
	[IT_S64] = FN(abs_64),
};

/* ---- min, max ---- */
#define MINOF(a, b) ((a) < (b) ? (a) : (b))
#define MAXOF(a, b) ((a) > (b) ? (a) : (b))
#define RELU(x)     MAXOF(x, 0)
/* clang-format off */
#define X2(lo, hi) (((uint32_t)(lo) & 0xffff) | (uint32_t)(hi) << 16)
/* clang-format on */
#define OP_MINMAX(M, name)                                                                         \
	OP_D_AB(name##_u16, uint32_t, uint32_t, M(U16(a), U16(b)))                                 \
	OP_D_AB(name##_s16, uint32_t, uint32_t, M(S16(a), S16(b)))                                 \
	OP_D_AB(name##_u32, uint32_t, uint32_t, M(a, b))                                           \
	OP_D_AB(name##_s32, int32_t, int32_t, M(a, b))                                             \
	OP_D_AB(name##_relu, int32_t, int32_t, RELU(M(a, b)))                                      \
	OP_D_AB(name##_u16x2, uint32_t, uint32_t, X2(M(U16(a), U16(b)), M(a >> 16, b >> 16)))      \
	OP_D_AB(name##_s16x2, int32_t, int32_t, X2(M(S16(a), S16(b)), M(a >> 16, b >> 16)))        \
	OP_D_AB(name##_relu_x2, int32_t, int32_t,                                                  \
		X2(RELU(M(S16(a), S16(b))), RELU(M(a >> 16, b >> 16))))
OP_MINMAX(MINOF, min)
OP_MINMAX(MAXOF, max)

/* TAKE_A: condition under which a is the result; `lt` in it means a < b. */
#define OP_MINMAX64(name, T, TAKE_A)                                                               \
	OP_LANES(                                                                                  \
		name, PAIR_ROWS(a) PAIR_ROWS(b) LANE_LOOP {                                        \
			PAIR(a);                                                                   \
			PAIR(b);                                                                   \
			bool lt = ((T)ah < (T)bh) | ((ah == bh) & (al < bl));                      \
			PUT(0, lane_pick(TAKE_A, al, bl));                                         \
			PUT(1, lane_pick(TAKE_A, ah, bh));                                         \
		})
OP_MINMAX64(min_u64, uint32_t, lt)
OP_MINMAX64(min_s64, int32_t, lt)
OP_MINMAX64(max_u64, uint32_t, !lt)
OP_MINMAX64(max_s64, int32_t, !lt)

#define MINMAX_TABLE(n)                                                                            \
	[IT_U16] = FN(n##_u16), [IT_S16] = FN(n##_s16), [IT_U32] = FN(n##_u32),                    \
	[IT_S32] = FN(n##_s32), [IT_U64] = FN(n##_u64), [IT_S64] = FN(n##_s64),                    \
	[IT_U16X2] = FN(n##_u16x2), [IT_S16X2] = FN(n##_s16x2)
static const struct fnpair minmax_fn[2][IT_COUNT] = {{MINMAX_TABLE(min)}, {MINMAX_TABLE(max)}};
static const struct fnpair relu_fn[2][IT_COUNT] = {
	{[IT_S32] = FN(min_relu), [IT_S16X2] = FN(min_relu_x2)},
	{[IT_S32] = FN(max_relu), [IT_S16X2] = FN(max_relu_x2)},
};

/* ---- binding ---- */
static bool bind_mulmode(const struct inst *in, struct uop *u, const struct fnpair *lo,
			 const struct fnpair *hi, const struct fnpair *wide)
{
	switch (in->mul) {
	case MUL_LO: return bind_by_type(u, lo, in->type);
	case MUL_HI: return bind_by_type(u, hi, in->type);
	default: return bind_by_type(u, wide, in->type);
	}
}

static bool bind_mul24(const struct inst *in, struct uop *u)
{
	bool s = in->type == T_S32, hi = in->mul == MUL_HI;
	if (in->op == OP_MUL24)
		return bind_pair(u, hi  ? s ? FN(mul24_hi_s) : FN(mul24_hi_u)
				     : s ? FN(mul24_lo_s)
					: FN(mul24_lo_u));
	if (in->mods & M_SAT)
		return bind_pair(u, FN(mad24_hi_sat));
	return bind_pair(u, hi  ? s ? FN(mad24_hi_s) : FN(mad24_hi_u)
			     : s ? FN(mad24_lo_s)
				: FN(mad24_lo_u));
}

bool bind_int(const struct inst *in, struct uop *u)
{
	if (int_type_of(in->type) == IT_NONE)
		return false;
	if (in->op == OP_ADDC || in->op == OP_SUBC || in->op == OP_MADC || in->mods & M_CC)
		return bind_carry(in, u);
	bool sat = in->mods & M_SAT;
	switch (in->op) {
	case OP_ADD: return sat ? bind_pair(u, FN(add_sat)) : bind_by_type(u, add_fn, in->type);
	case OP_SUB: return sat ? bind_pair(u, FN(sub_sat)) : bind_by_type(u, sub_fn, in->type);
	case OP_MUL: return bind_mulmode(in, u, mul_lo_fn, mul_hi_fn, mul_wide_fn);
	case OP_MAD:
		if (sat)
			return bind_pair(u, FN(mad_hi_sat));
		return bind_mulmode(in, u, mad_lo_fn, mad_hi_fn, mad_wide_fn);
	case OP_MUL24:
	case OP_MAD24: return bind_mul24(in, u);
	case OP_SAD: return bind_by_type(u, sad_fn, in->type);
	case OP_DIV: return bind_by_type(u, div_fn, in->type);
	case OP_REM: return bind_by_type(u, rem_fn, in->type);
	case OP_ABS: return bind_by_type(u, abs_fn, in->type);
	case OP_NEG: return bind_by_type(u, neg_fn, in->type);
	case OP_MIN:
	case OP_MAX:
		return bind_by_type(u, (in->mods & M_RELU ? relu_fn : minmax_fn)[in->op == OP_MAX],
				    in->type);
	}
	return false;
}
