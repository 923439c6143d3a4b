/* Sums, products and multiply-adds of singles with .ftz, and FMAD of compute capability 1.x. Rows
 * of ordinary numbers, nearly all rows, need no flushing: their exponents are tested while the host
 * computes the row, and if an exponent is out of range the row is computed again lane by lane.
 *
 * A range is 128 exponents, so that one bit decides: with K added to the exponent, bit 30 of the
 * word is set for 2^(1-K) <= |x| < 2^(129-K) and for no other value, be it zero, infinity or
 * NaN. */
#include "exec/alu/fp32.h"
#include "exec/piece.h"

#define FACTOR   (66u << 23) /* 2^-65 to 2^63: the other factor of an ordinary product is normal */
#define ORDINARY (64u << 23) /* 2^-63 to 2^65 */
#define IN_RANGE (1u << 30)

/* FAST is the lane's result from floats x, y, z; RANGES a word whose bit 30 is set if FAST is
 * right; SLOW the result from any words a[i], b[i], c[i]. Y: the word of y. The words of a row are
 * combined into `bad` by another operation than the one in RANGES: with a single operation the
 * compiler makes a chain in which each step waits for the previous one. */
#define FTZ_SLOW(name, SLOW)                                                                       \
	static __attribute__((noinline)) void name##_slow(uint32_t *out, const uint32_t *a,        \
							  const uint32_t *b, const uint32_t *c)    \
	{                                                                                          \
		(void)c;                                                                           \
		LANE_LOOP                                                                          \
			out[i] = (SLOW);                                                           \
	}
#define FTZ_ROW(name, Y, C, FAST, RANGES)                                                          \
	OP_LANES(name, {                                                                           \
		const uint32_t *a = row_u32(w, u->a);                                              \
		const uint32_t *b = row_u32(w, u->b);                                              \
		const uint32_t *c = (C);                                                           \
		const uint32_t literal = *b;                                                       \
		uint32_t bad = 0;                                                                  \
		uint32_t row[LANES];                                                               \
		LANE_LOOP {                                                                        \
			float x = as_f32(a[i]);                                                    \
			float y = as_f32(Y);                                                       \
			float z = as_f32(c[i]);                                                    \
			row[i] = f32_bits(FAST);                                                   \
			bad |= ~(RANGES);                                                          \
			(void)z;                                                                   \
			(void)literal;                                                             \
		}                                                                                  \
		if (bad & IN_RANGE) {                                                              \
			uint32_t t[LANES]; /* a copy, so that `row` can stay in registers */       \
			name##_slow(t, a, b, c);                                                   \
			LANE_LOOP                                                                  \
				PUT(0, t[i]);                                                      \
			return;                                                                    \
		}                                                                                  \
		UNROLL_8 for (int j = 0; j < LANES; j += PIECE)                                    \
			piece_put(out, j, *(const piece_at *)(row + j), !part, mask);              \
	})
#define RANGE(x, k) (f32_bits(x) + (k))

FTZ_SLOW(add_ftz, add_f32(a[i], b[i], true, false))
FTZ_SLOW(sub_ftz, sub_f32(a[i], b[i], true, false))
FTZ_SLOW(mul_ftz, mul_f32(a[i], b[i], true, false))
FTZ_SLOW(fma_ftz, fma_f32(a[i], b[i], c[i], true, false))

/* A denormal term does not change a sum in range; sums of zero are rare enough. */
FTZ_ROW(add_ftz, b[i], a, x + y, RANGE(x + y, ORDINARY))
FTZ_ROW(sub_ftz, b[i], a, x - y, RANGE(x - y, ORDINARY))
/* clang-format off */
FTZ_ROW(mul_ftz, b[i], a, x * y, RANGE(x, FACTOR) & RANGE(x * y, ORDINARY))
FTZ_ROW(fma_ftz, b[i], row_u32(w, u->c), f32_fma(x, y, z),
	RANGE(x, FACTOR) & RANGE(y, FACTOR) & RANGE(z, ORDINARY) & RANGE(f32_fma(x, y, z), ORDINARY))
/* clang-format on */

/* FMAD's addend is not zero here, so the product is truncated: the product minus nearly half a unit
 * in its last place is rounded to nearest. Nearly, because an exact product must stay: the amount
 * is the largest single below one half. At powers of two, where the next single towards zero is
 * half as far, half of that amount is used: the product times CUT has the amount's exponent, and
 * setting all fraction bits gives the amount. */
#ifdef F32_HOST_FMA
#define CUT  (0x1p-25f * (1.0f - 0x1p-24f))
#define ONES 0x007fffffu
LANE_FN float cut_add(float x, float y, float z, float near)
{
	float less = as_f32(f32_bits(near * CUT) | ONES);
	return z - f32_fma(-x, y, less);
}

/* Rows with zeros, as at the start of images and sums: a zero or tiny product leaves the addend,
 * and a product whose addend is zero is rounded. Other lanes are computed one by one. */
static __attribute__((noinline)) void fmad_slow(uint32_t *out, const uint32_t *a, const uint32_t *b,
						const uint32_t *c)
{
	uint32_t bad[LANES], any = 0;
	LANE_LOOP {
		float x = as_f32(a[i]), y = as_f32(b[i]), z = as_f32(c[i]), p = x * y;
		uint32_t zero = (p == 0 ? IN_RANGE : 0), first = (z == 0 ? IN_RANGE : 0);
		uint32_t ok = (zero | (RANGE(p, ORDINARY) & RANGE(y, FACTOR))) &
			      (first | RANGE(z, ORDINARY));
		out[i] = f32_bits(zero | first ? p + z : cut_add(x, y, z, p));
		bad[i] = ~ok & IN_RANGE;
		any |= bad[i];
	}
	for (int i = 0; any && i < LANES; i++)
		if (bad[i])
			out[i] = fmad_f32(a[i], b[i], c[i], false);
}
#define fmad_literal_slow fmad_slow
/* clang-format off */
#define FMAD(name, Y, OF_Y)                                                                        \
	FTZ_ROW(name, Y, row_u32(w, u->c), cut_add(x, y, z, x * y),                                \
		OF_Y & RANGE(x * y, ORDINARY) & RANGE(z, ORDINARY))
/* clang-format on */
FMAD(fmad, b[i], RANGE(y, FACTOR))
FMAD(fmad_literal, literal, IN_RANGE) /* bind_fmad has examined the literal */
#else
OP_D_ABC(fmad, uint32_t, uint32_t, uint32_t, fmad_f32(a, b, c, false))
#define fmad_literal_full fmad_full
#define fmad_literal_part fmad_part
#endif
OP_D_ABC(fmad_sat, uint32_t, uint32_t, uint32_t, fmad_f32(a, b, c, true))

static bool bind_fmad(const struct inst *in, struct uop *u)
{
	if (in->mods & M_SAT)
		return bind_pair(u, FN(fmad_sat));
	const struct opnd *y = inst_src(in, 1);
	bool literal = y->kind == OPND_IMM && ((uint32_t)y->imm + FACTOR) & IN_RANGE;
	return bind_pair(u, literal ? FN(fmad_literal) : FN(fmad));
}

bool f32_bind_ftz(const struct inst *in, struct uop *u)
{
	if (in->op == OP_MAD && in->mul == MAD_CUT && in->rnd != RND_NONE)
		return bind_fmad(in, u);
	if (!(in->mods & M_FTZ) || in->mods & M_SAT || (in->rnd != RND_NONE && in->rnd != RND_RN))
		return false;
	switch (in->op) {
	case OP_ADD: return bind_pair(u, FN(add_ftz));
	case OP_SUB: return bind_pair(u, FN(sub_ftz));
	case OP_MUL: return bind_pair(u, FN(mul_ftz));
	case OP_MAD:
		if (in->rnd == RND_NONE)
			return false; /* FMAD of compute capability 1.x */
				      /* fall through */
	case OP_FMA: return bind_pair(u, FN(fma_ftz));
	default: return false;
	}
}
