/* How to write a warp-wide operation: one scalar expression, from which the full-mask and the
 * partial-mask function come. Bodies are plain loops over 32 lanes that the compiler turns into
 * SIMD; results for switched-off lanes are computed and thrown away, so a body must be safe for any
 * operand bits (no division by zero trap, no shift by 32 or more, no signed overflow).
 *
 *   OP_D_AB(add_u32, uint32_t, uint32_t, a + b)        d, a, b are 32-bit rows
 *   OP_Q_QQ(mul_u64, uint64_t, uint64_t, a * b)        64-bit values in pairs of rows
 *   OP_LANES(name, ... LANE_LOOP { ... PUT(0, x); })   anything else, vectorised
 *   OP_EACH(name, ... EACH_LANE { ... SET(0, x); })    long scalar work: only the lanes that are on
 *
 * Each makes NAME_full and NAME_part; FN(NAME) gives the pair for bind_pair().
 *
 * A destination row may be any source's row, and pairs may overlap by one row: lane i of a row is
 * touched by iteration i alone, so a body is right if it reads all it needs into locals before its
 * first PUT. A body vectorises if it chooses with `lane_pick` or masks, not with ?: around memory.
 * 64-bit work is fastest on the two halves as 32-bit lanes: the compiler's zip of the two rows
 * into 64-bit lanes costs 64 cycles per addition, carry by compare 25. */
#ifndef EXEC_LANES_H
#define EXEC_LANES_H
#include <string.h>
#include "exec/warp.h"

/* The iterations are independent (see above): without this promise the compiler tests for overlap
 * and runs the scalar loop whenever d is also a source. clang unrolls 32 iterations before it tries
 * to vectorise them, unless told otherwise. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* a loop that stays scalar is not an error */
#define LANE_LOOP                                                                                  \
	_Pragma("clang loop vectorize(assume_safety) interleave_count(4) unroll(disable)") for (   \
		int i = 0; i < LANES; i++)
#else
#define LANE_LOOP _Pragma("GCC ivdep") for (int i = 0; i < LANES; i++)
#endif

/* For bodies with constant arguments that must become separate functions (full and partial
 * mask). */
#define ALWAYS_INLINE static inline __attribute__((always_inline))
/* For rare work whose variables would take the host's registers from the common case. */
#define NOINLINE __attribute__((noinline))
/* For large functions of rare cases: one copy, whatever constants callers pass. clang makes no
 * clones. */
#ifdef __clang__
#define NOCLONE NOINLINE
#else
#define NOCLONE __attribute__((noinline, noclone))
#endif
#ifdef __clang__
#define UNROLL_8 _Pragma("clang loop unroll_count(8)")
#else
#define UNROLL_8 _Pragma("GCC unroll 8")
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

/* on ? x : y without a branch. */
static inline uint32_t lane_pick(uint32_t on, uint32_t x, uint32_t y)
{
	uint32_t m = on ? ~0u : 0;
	return (x & m) | (y & ~m);
}

/* Bits of lanes whose word is not zero. */
static inline uint32_t row_to_mask(const uint32_t *t)
{
	uint32_t m = 0;
	for (int i = 0; i < LANES; i++)
		m += t[i] ? lane_bit[i] : 0; /* one across-vector add on aarch64 */
	return m;
}

static inline uint64_t pair_get(const uint32_t *p, int i)
{
	return p[i] | (uint64_t)p[i + LANES] << 32;
}
static inline void pair_put(uint32_t *p, int i, uint64_t x)
{
	p[i] = (uint32_t)x;
	p[i + LANES] = (uint32_t)(x >> 32);
}

static inline float as_f32(uint32_t x)
{
	float f;
	memcpy(&f, &x, 4);
	return f;
}
static inline uint32_t f32_bits(float f)
{
	uint32_t x;
	memcpy(&x, &f, 4);
	return x;
}
static inline double as_f64(uint64_t x)
{
	double f;
	memcpy(&f, &x, 8);
	return f;
}
static inline uint64_t f64_bits(double f)
{
	uint64_t x;
	memcpy(&x, &f, 8);
	return x;
}

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

/* Two functions from a body that is inlined in both ... */
#define OP_BOTH_FORMS(name)                                                                        \
	static void name##_full(struct warp *w, const struct uop *u) { name##_body(w, u, false); } \
	static void name##_part(struct warp *w, const struct uop *u) { name##_body(w, u, true); }
/* ... or one function for any mask under both names: rare operations compile in half the time. */
#define OP_ONE_FORM(name)                                                                          \
	static void name##_part(struct warp *w, const struct uop *u) { name##_body(w, u, true); }  \
	static exec_fn name##_full __attribute__((alias(#name "_part")));
/* Attribute of the operations below. A file defines it as OP_ONE_FORM before its rare operations. */
#define OP_FORMS OP_BOTH_FORMS

/* From NAME_run(w, u, mask), for operations that treat the mask themselves. */
#define OP_RUN(name)                                                                               \
	static void name##_full(struct warp *w, const struct uop *u) { name##_run(w, u, ~0u); }    \
	static void name##_part(struct warp *w, const struct uop *u) { name##_run(w, u, w->mask); }

/* The body loops with LANE_LOOP and writes row r of the destination's lane i with PUT(r, x). */
#define OP_LANES(name, ...)                                                                        \
	static inline __attribute__((always_inline)) void name##_body(                             \
		struct warp *w, const struct uop *u, const bool part)                              \
	{                                                                                          \
		uint32_t *const out = row_u32(w, u->d);                                            \
		const uint32_t mask = w->mask;                                                     \
		__VA_ARGS__                                                                        \
	}                                                                                          \
	OP_FORMS(name)
/* clang-format off */
#define PUT(r, x)                                                                                  \
	(out[(r) * LANES + i] =                                                                    \
		 part ? lane_pick(mask & lane_bit[i], (x), out[(r) * LANES + i]) : (uint32_t)(x))

/* OP_EACH is OP_LANES for bodies that do not vectorise: EACH_LANE visits only the active lanes. */
#define OP_EACH(name, ...)                                                                         \
	static inline __attribute__((always_inline)) void name##_body(                             \
		struct warp *w, const struct uop *u, const bool part)                              \
	{                                                                                          \
		uint32_t *const out = row_u32(w, u->d);                                            \
		const uint32_t mask = part ? w->mask : ~0u;                                        \
		__VA_ARGS__                                                                        \
	}                                                                                          \
	OP_FORMS(name)
#define EACH_LANE                                                                                  \
	for (uint32_t i, left = mask; left && (i = (uint32_t)__builtin_ctz(left), 1);              \
	     left &= left - 1)
#define SET(r, x) (out[(r) * LANES + i] = (uint32_t)(x))
/* clang-format on */

/* The body fills `nrows` rows at `out`, in any order: for work in several passes. It must not write
 * a row that it still reads, since `out` may be a source. The body is compiled once: a call costs little
 * beside several passes. */
#define OP_ROWS(name, nrows, ...)                                                                  \
	static __attribute__((noinline)) void name##_body(const struct warp *w,                    \
							  const struct uop *u, uint32_t *out)      \
	{                                                                                          \
		__VA_ARGS__                                                                        \
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

/* TA is the type as which sources are read from their rows; d is written as 32 bits. */
#define OP_D_A(name, TA, EXPR)                                                                     \
	OP_LANES(name, {                                                                           \
		const TA *pa = row_at(w, u->a);                                                    \
		LANE_LOOP {                                                                        \
			TA a = pa[i];                                                              \
			PUT(0, (uint32_t)(EXPR));                                                  \
		}                                                                                  \
	})
#define OP_D_AB(name, TA, TB, EXPR)                                                                \
	OP_LANES(name, {                                                                           \
		const TA *pa = row_at(w, u->a);                                                    \
		const TB *pb = row_at(w, u->b);                                                    \
		LANE_LOOP {                                                                        \
			TA a = pa[i];                                                              \
			TB b = pb[i];                                                              \
			PUT(0, (uint32_t)(EXPR));                                                  \
		}                                                                                  \
	})
#define OP_D_ABC(name, TA, TB, TC, EXPR)                                                           \
	OP_LANES(name, {                                                                           \
		const TA *pa = row_at(w, u->a);                                                    \
		const TB *pb = row_at(w, u->b);                                                    \
		const TC *pc = row_at(w, u->c);                                                    \
		LANE_LOOP {                                                                        \
			TA a = pa[i];                                                              \
			TB b = pb[i];                                                              \
			TC c = pc[i];                                                              \
			PUT(0, (uint32_t)(EXPR));                                                  \
		}                                                                                  \
	})

/* 64-bit forms: Q is a pair of rows; the expression sees a, b, c cast to the type given. */
#define OP_Q_Q(name, TA, EXPR)                                                                     \
	OP_LANES(name, {                                                                           \
		const uint32_t *pa = row_u32(w, u->a);                                             \
		LANE_LOOP {                                                                        \
			TA a = (TA)pair_get(pa, i);                                                \
			uint64_t r = (uint64_t)(EXPR);                                             \
			PUT(0, (uint32_t)r);                                                       \
			PUT(1, (uint32_t)(r >> 32));                                               \
		}                                                                                  \
	})
#define OP_Q_QQ(name, TA, TB, EXPR)                                                                \
	OP_LANES(name, {                                                                           \
		const uint32_t *pa = row_u32(w, u->a);                                             \
		const uint32_t *pb = row_u32(w, u->b);                                             \
		LANE_LOOP {                                                                        \
			TA a = (TA)pair_get(pa, i);                                                \
			TB b = (TB)pair_get(pb, i);                                                \
			uint64_t r = (uint64_t)(EXPR);                                             \
			PUT(0, (uint32_t)r);                                                       \
			PUT(1, (uint32_t)(r >> 32));                                               \
		}                                                                                  \
	})
#define OP_Q_QQQ(name, T, EXPR)                                                                    \
	OP_LANES(name, {                                                                           \
		const uint32_t *pa = row_u32(w, u->a);                                             \
		const uint32_t *pb = row_u32(w, u->b);                                             \
		const uint32_t *pc = row_u32(w, u->c);                                             \
		LANE_LOOP {                                                                        \
			T a = (T)pair_get(pa, i);                                                  \
			T b = (T)pair_get(pb, i);                                                  \
			T c = (T)pair_get(pc, i);                                                  \
			uint64_t r = (uint64_t)(EXPR);                                             \
			PUT(0, (uint32_t)r);                                                       \
			PUT(1, (uint32_t)(r >> 32));                                               \
		}                                                                                  \
	})

/* 64-bit sources by halves: PAIR_ROWS(a) before a LANE_LOOP, PAIR(a) in it gives al, ah. */
#define PAIR_ROWS(x) const uint32_t *const p##x = row_u32(w, u->x), *const q##x = p##x + LANES;
#define PAIR(x)      const uint32_t x##l = p##x[i], x##h = q##x[i]

/* Predicate sources. bind_preds records the operands of predicate type in u->aux: bit k: source k
 * is negated; bit 4 + k: it is a constant (false, unless negated). */
static inline void bind_preds(const struct inst *in, struct uop *u)
{
	for (unsigned k = 0; k < in->ns && k < 4; k++) {
		const struct opnd *o = inst_src(in, k);
		bool imm = o->kind == OPND_IMM;
		bool neg = (o->mod & OPND_NOT) != 0;
		if (imm && o->imm)
			neg = !neg;
		u->aux |= (uint8_t)(neg << k | imm << (4 + k));
	}
}
/* The word of predicate p, source k of u. */
static inline uint32_t pred_read(const struct warp *w, const struct uop *u, int32_t p, unsigned k)
{
	uint32_t x = u->aux & 16u << k ? 0 : w->pred[p];
	return u->aux & 1u << k ? ~x : x;
}

/* Writes predicate results; bits of inactive lanes are kept. */
static inline void pred_write(struct warp *w, int32_t p, uint32_t bits, uint32_t mask)
{
	if (p != SINK)
		w->pred[p] = (w->pred[p] & ~mask) | (bits & mask);
}

#endif
