/* How to write a warp-wide operation: one scalar expression, from which the full-mask and the
 * partial-mask function come. Bodies are plain loops over 32 lanes that the compiler turns into
 * SIMD; results for switched-off lanes are computed and thrown away, so a body must be safe for any
 * operand bits (no division by zero trap, no shift by 32 or more, no signed overflow).
 *
 *   OP_D_AB(add_u32, uint32_t, uint32_t, a + b)        d, a, b are 32-bit rows
 *   OP_Q_QQ(mul_u64, uint64_t, uint64_t, a * b)        64-bit values in pairs of rows
 *
 * Each makes NAME_full and NAME_part; FN(NAME) gives the pair for BIND.                            */
#ifndef EXEC_LANES_H
#define EXEC_LANES_H
#include <string.h>
#include "exec/warp.h"

#ifdef __clang__
#define LANE_LOOP _Pragma("clang loop vectorize(enable)") for (int i = 0; i < LANES; i++)
#else
#define LANE_LOOP _Pragma("GCC ivdep") for (int i = 0; i < LANES; i++)
#endif

static const uint32_t lane_bit[LANES] = {
	1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
	1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
	1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
	1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

/* d = mask ? t : d, lane by lane. */
static inline void row_blend(uint32_t *restrict d, const uint32_t *restrict t, uint32_t mask)
{
	for (int i = 0; i < LANES; i++) {
		uint32_t m = (mask & lane_bit[i]) ? ~0u : 0;
		d[i] = (t[i] & m) | (d[i] & ~m);
	}
}

/* Bits of lanes whose word is not zero. */
static inline uint32_t row_to_mask(const uint32_t *t)
{
	uint32_t m = 0;
	for (int i = 0; i < LANES; i++)
		m |= t[i] ? lane_bit[i] : 0;
	return m;
}

static inline uint64_t pair_get(const uint32_t *p, int i) { return p[i] | (uint64_t)p[i + LANES] << 32; }
static inline void pair_put(uint32_t *p, int i, uint64_t x)
{
	p[i] = (uint32_t)x;
	p[i + LANES] = (uint32_t)(x >> 32);
}

static inline float as_f32(uint32_t x) { float f; memcpy(&f, &x, 4); return f; }
static inline uint32_t f32_bits(float f) { uint32_t x; memcpy(&x, &f, 4); return x; }
static inline double as_f64(uint64_t x) { double f; memcpy(&f, &x, 8); return f; }
static inline uint64_t f64_bits(double f) { uint64_t x; memcpy(&x, &f, 8); return x; }

/* The two functions of an operation, and setting them. */
struct fnpair {
	exec_fn *full, *part;
};
#define FN(name) ((struct fnpair){name##_full, name##_part})
static inline bool bind_pair(struct uop *u, struct fnpair f)
{
	u->full = f.full;
	u->part = f.part;
	return true;
}

/* BODY(out) is a statement that fills `out` rows from w and u for all lanes. */
#define OP_ROWS(name, nrows, BODY)                                                                 \
	static inline void name##_body(const struct warp *w, const struct uop *u, uint32_t *out)   \
	{                                                                                          \
		BODY                                                                               \
	}                                                                                          \
	static void name##_full(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		name##_body(w, u, row_u32(w, u->d));                                               \
	}                                                                                          \
	static void name##_part(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		uint32_t t[LANES * (nrows)];                                                       \
		uint32_t *d = row_u32(w, u->d);                                                    \
		name##_body(w, u, t);                                                              \
		for (int r = 0; r < (nrows); r++)                                                  \
			row_blend(d + r * LANES, t + r * LANES, w->mask);                          \
	}

/* TA is the type that sources are read as from their rows; d is written as 32 bits. */
#define OP_D_A(name, TA, EXPR)                                                                     \
	OP_ROWS(name, 1, {                                                                         \
		const TA *pa = row_at(w, u->a);                                                    \
		LANE_LOOP {                                                                        \
			TA a = pa[i];                                                              \
			out[i] = (uint32_t)(EXPR);                                                 \
		}                                                                                  \
	})
#define OP_D_AB(name, TA, TB, EXPR)                                                                \
	OP_ROWS(name, 1, {                                                                         \
		const TA *pa = row_at(w, u->a);                                                    \
		const TB *pb = row_at(w, u->b);                                                    \
		LANE_LOOP {                                                                        \
			TA a = pa[i];                                                              \
			TB b = pb[i];                                                              \
			out[i] = (uint32_t)(EXPR);                                                 \
		}                                                                                  \
	})
#define OP_D_ABC(name, TA, TB, TC, EXPR)                                                           \
	OP_ROWS(name, 1, {                                                                         \
		const TA *pa = row_at(w, u->a);                                                    \
		const TB *pb = row_at(w, u->b);                                                    \
		const TC *pc = row_at(w, u->c);                                                    \
		LANE_LOOP {                                                                        \
			TA a = pa[i];                                                              \
			TB b = pb[i];                                                              \
			TC c = pc[i];                                                              \
			out[i] = (uint32_t)(EXPR);                                                 \
		}                                                                                  \
	})

/* 64-bit forms: Q is a pair of rows; the expression sees uint64_t a, b, c cast to the type given. */
#define OP_Q_Q(name, TA, EXPR)                                                                     \
	OP_ROWS(name, 2, {                                                                         \
		const uint32_t *pa = row_u32(w, u->a);                                             \
		LANE_LOOP {                                                                        \
			TA a = (TA)pair_get(pa, i);                                                \
			uint64_t r = (uint64_t)(EXPR);                                             \
			pair_put(out, i, r);                                                       \
		}                                                                                  \
	})
#define OP_Q_QQ(name, TA, TB, EXPR)                                                                \
	OP_ROWS(name, 2, {                                                                         \
		const uint32_t *pa = row_u32(w, u->a);                                             \
		const uint32_t *pb = row_u32(w, u->b);                                             \
		LANE_LOOP {                                                                        \
			TA a = (TA)pair_get(pa, i);                                                \
			TB b = (TB)pair_get(pb, i);                                                \
			uint64_t r = (uint64_t)(EXPR);                                             \
			pair_put(out, i, r);                                                       \
		}                                                                                  \
	})
#define OP_Q_QQQ(name, T, EXPR)                                                                    \
	OP_ROWS(name, 2, {                                                                         \
		const uint32_t *pa = row_u32(w, u->a);                                             \
		const uint32_t *pb = row_u32(w, u->b);                                             \
		const uint32_t *pc = row_u32(w, u->c);                                             \
		LANE_LOOP {                                                                        \
			T a = (T)pair_get(pa, i);                                                  \
			T b = (T)pair_get(pb, i);                                                  \
			T c = (T)pair_get(pc, i);                                                  \
			uint64_t r = (uint64_t)(EXPR);                                             \
			pair_put(out, i, r);                                                       \
		}                                                                                  \
	})

/* Predicate results: EXPR is a condition; the word's bits of switched-off lanes are kept. */
static inline void pred_write(struct warp *w, int32_t p, uint32_t bits, uint32_t mask)
{
	if (p != SINK)
		w->pred[p] = (w->pred[p] & ~mask) | (bits & mask);
}

#endif
