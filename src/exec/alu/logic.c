/* Logic and shifts: and or xor not cnot lop3 shl shr shf prmt, and the logic of predicates.
 *
 * Shift counts clamp at the width. A count that is an immediate has functions of its own: one count
 * for all lanes is a vector shift on every host, a count per lane is not (SSE2). */
#include "exec/alu/int_type.h"

/* ---- and, or, xor, not ----
 * The native ISAs complement sources; _n complements b, _nn both (xor then needs nothing). */
#define OP_BITWISE(name, EXPR)                                                                     \
	static inline uint32_t name##_bits(uint32_t a, uint32_t b) { return EXPR; }                \
	OP_D_AB(name##_32, uint32_t, uint32_t, EXPR)                                               \
	OP_LANES(                                                                                  \
		name##_64, PAIR_ROWS(a) PAIR_ROWS(b) LANE_LOOP {                                   \
			PAIR(a);                                                                   \
			PAIR(b);                                                                   \
			PUT(0, name##_bits(al, bl));                                               \
			PUT(1, name##_bits(ah, bh));                                               \
		})                                                                                 \
	static inline void name##_pred_run(struct warp *w, const struct uop *u, uint32_t mask)     \
	{                                                                                          \
		uint32_t a = pred_read(w, u, u->a, 0), b = pred_read(w, u, u->b, 1);               \
		pred_write(w, u->d, EXPR, mask);                                                   \
	}                                                                                          \
	OP_RUN(name##_pred)
/* clang-format off */
OP_BITWISE(and, a & b)
OP_BITWISE(or, a | b)
OP_BITWISE(xor, a ^ b)
OP_D_AB(and_n, uint32_t, uint32_t, a & ~b)
OP_D_AB(or_n, uint32_t, uint32_t, a | ~b)
OP_D_AB(xor_n, uint32_t, uint32_t, a ^ ~b)
OP_D_AB(and_nn, uint32_t, uint32_t, ~(a | b))
OP_D_AB(or_nn, uint32_t, uint32_t, ~(a & b))

OP_D_A(not_32, uint32_t, ~a)
OP_LANES(not_64, PAIR_ROWS(a) LANE_LOOP {
	PAIR(a);
	PUT(0, ~al);
	PUT(1, ~ah);
})
/* clang-format on */
static inline void not_pred_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	pred_write(w, u->d, ~pred_read(w, u, u->a, 0), mask);
}
OP_RUN(not_pred)

OP_D_A(cnot_16, uint32_t, U16(a) == 0)
OP_D_A(cnot_32, uint32_t, a == 0)
/* clang-format off */
OP_LANES(cnot_64, PAIR_ROWS(a) LANE_LOOP {
	PAIR(a);
	PUT(0, (al | ah) == 0);
	PUT(1, 0);
})
/* clang-format on */

static const struct {
	struct fnpair w32, w64, pred, n, nn;
} bitwise_fn[3] = {
	{FN(and_32), FN(and_64), FN(and_pred), FN(and_n), FN(and_nn)},
	{FN(or_32), FN(or_64), FN(or_pred), FN(or_n), FN(or_nn)},
	{FN(xor_32), FN(xor_64), FN(xor_pred), FN(xor_n), FN(xor_32)},
};
static const struct fnpair not_fn[IT_COUNT] = {BOTH16(not_32), BOTH32(not_32), BOTH64(not_64)};
static const struct fnpair cnot_fn[IT_COUNT] = {BOTH16(cnot_16), BOTH32(cnot_32), BOTH64(cnot_64)};

static bool bind_bitwise(const struct inst *in, struct uop *u)
{
	unsigned k = in->op - OP_AND;
	if (in->type == T_PRED) {
		bind_preds(in, u);
		return bind_pair(u, bitwise_fn[k].pred);
	}
	bool na = inst_src(in, 0)->mod & OPND_NOT, nb = inst_src(in, 1)->mod & OPND_NOT;
	bool wide = type_rows(in->type) == 2;
	if (!na && !nb)
		return bind_pair(u, wide ? bitwise_fn[k].w64 : bitwise_fn[k].w32);
	if (wide)
		return false;
	if (na && !nb) {
		int32_t a = u->a;
		u->a = u->b;
		u->b = a;
	}
	return bind_pair(u, na && nb ? bitwise_fn[k].nn : bitwise_fn[k].n);
}

/* ---- lop3 ---- Bit (a << 2 | b << 1 | c) of the table is the result. The table's bits are spread
 * to masks; c selects between neighbouring masks, then b, then a. */
static inline uint32_t mux(uint32_t s, uint32_t one, uint32_t zero)
{
	return zero ^ (s & (one ^ zero));
}

struct lut {
	uint32_t m[8];
};
static inline struct lut lut_of(uint64_t table)
{
	struct lut l;
	for (int k = 0; k < 8; k++)
		l.m[k] = table >> k & 1 ? ~0u : 0;
	return l;
}
static inline uint32_t lut_eval(struct lut l, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t b0 = mux(b, mux(c, l.m[3], l.m[2]), mux(c, l.m[1], l.m[0]));
	uint32_t b1 = mux(b, mux(c, l.m[7], l.m[6]), mux(c, l.m[5], l.m[4]));
	return mux(a, b1, b0);
}

#define OP_LOP3(name, TABLE)                                                                       \
	OP_LANES(name, {                                                                           \
		const uint32_t *pa = row_u32(w, u->a);                                             \
		const uint32_t *pb = row_u32(w, u->b);                                             \
		const uint32_t *pc = row_u32(w, u->c);                                             \
		const struct lut l = lut_of(TABLE);                                                \
		LANE_LOOP                                                                          \
			PUT(0, lut_eval(l, pa[i], pb[i], pc[i]));                                  \
	})
OP_LOP3(lop3, u->lut)
/* Tables that compilers emit most: the constant folds to two or three operations. */
#define LOP3_COMMON(X)                                                                             \
	X(0x80) X(0xfe) X(0x96) X(0xe8) X(0xca) X(0xd8) X(0xf8) X(0xea) X(0x78) X(0x6a) X(0x1e)
#define X(t) OP_LOP3(lop3_##t, t)
LOP3_COMMON(X)
#undef X

static uint32_t bop_apply(unsigned bop, uint32_t t, uint32_t c)
{
	return bop == BOP_AND ? t & c : bop == BOP_OR ? t | c : bop == BOP_XOR ? t ^ c : t;
}

/* lop3.or, lop3.and: d | p = (d != 0) op q; d may be a sink. */
static inline void lop3_pred_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	const uint32_t *pa = row_u32(w, u->a), *pb = row_u32(w, u->b), *pc = row_u32(w, u->c);
	const struct lut l = lut_of(u->lut);
	uint32_t t[LANES];
	LANE_LOOP
		t[i] = lut_eval(l, pa[i], pb[i], pc[i]);
	uint32_t q = pred_read(w, u, u->v[u->in->nd + 3], 3);
	pred_write(w, u->v[1], bop_apply(u->in->bop, row_to_mask(t), q), mask);
	if (u->d != SINK)
		row_blend(row_u32(w, u->d), t, mask);
}
OP_RUN(lop3_pred)

static bool bind_lop3(const struct inst *in, struct uop *u)
{
	u->lut = in->lut & 0xff;
	if (in->nd == 2) {
		bind_preds(in, u);
		return bind_pair(u, FN(lop3_pred));
	}
	switch (u->lut) {
#define X(t)                                                                                       \
	case t: return bind_pair(u, FN(lop3_##t));
		LOP3_COMMON(X)
#undef X
	}
	return bind_pair(u, FN(lop3));
}

/* ---- shl, shr ---- */
static inline uint32_t shl32(uint32_t a, uint32_t n) { return n < 32 ? a << (n & 31) : 0; }
static inline uint32_t shr32(uint32_t a, uint32_t n) { return n < 32 ? a >> (n & 31) : 0; }
static inline uint32_t sar32(int32_t a, uint32_t n) { return (uint32_t)(a >> (n < 31 ? n : 31)); }
/* Upper word of hi:lo << n and lower word of hi:lo >> n, 0 <= n <= 31. */
static inline uint32_t funnel_l(uint32_t hi, uint32_t lo, uint32_t n)
{
	return hi << n | lo >> 1 >> (31 - n);
}
static inline uint32_t funnel_r(uint32_t hi, uint32_t lo, uint32_t n)
{
	return lo >> n | hi << 1 << (31 - n);
}

OP_D_AB(shl_32, uint32_t, uint32_t, shl32(a, b))
OP_D_AB(shr_u32, uint32_t, uint32_t, shr32(a, b))
OP_D_AB(shr_s32, int32_t, uint32_t, sar32(a, b))
OP_D_AB(shr_u16, uint32_t, uint32_t, shr32(U16(a), b))
OP_D_AB(shr_s16, uint32_t, uint32_t, sar32(S16(a), b))

#define OP_SHIFT64(name, ...)                                                                      \
	OP_LANES(                                                                                  \
		name, PAIR_ROWS(a) const uint32_t *pb = row_u32(w, u->b); LANE_LOOP {              \
			PAIR(a);                                                                   \
			uint32_t b = pb[i], n = b & 31, far = b & 32, lo, hi;                      \
			__VA_ARGS__                                                                \
			PUT(0, lo);                                                                \
			PUT(1, hi);                                                                \
		})
OP_SHIFT64(shl_64, {
	uint32_t in = b < 64 ? ~0u : 0, x = al << n & in, y = funnel_l(ah, al, n) & in;
	lo = lane_pick(far, 0, x);
	hi = lane_pick(far, x, y);
})
OP_SHIFT64(shr_u64, {
	uint32_t in = b < 64 ? ~0u : 0, x = ah >> n & in, y = funnel_r(ah, al, n) & in;
	lo = lane_pick(far, x, y);
	hi = lane_pick(far, 0, x);
})
OP_SHIFT64(shr_s64, {
	uint32_t sign = (int32_t)ah < 0 ? ~0u : 0, out_of = b >= 64;
	uint32_t x = (uint32_t)((int32_t)ah >> n), y = funnel_r(ah, al, n);
	lo = lane_pick(out_of, sign, lane_pick(far, x, y));
	hi = lane_pick(far | out_of, sign, x);
})

/* Shifts by an immediate in u->shift. 64 bits: near is 0..31, far is the count less 32, 0..31. */
#define OP_SHIFT_IMM(name, T, EXPR)                                                                \
	OP_LANES(name, {                                                                           \
		const T *pa = row_at(w, u->a);                                                     \
		const uint32_t n = (uint32_t)u->shift & 31;                                        \
		LANE_LOOP                                                                          \
			PUT(0, (uint32_t)(EXPR));                                                  \
	})
OP_SHIFT_IMM(shl_32i, uint32_t, pa[i] << n)
OP_SHIFT_IMM(shr_u32i, uint32_t, pa[i] >> n)
OP_SHIFT_IMM(shr_s32i, int32_t, pa[i] >> n)

#define OP_SHIFT64_IMM(name, LO, HI)                                                               \
	OP_LANES(                                                                                  \
		name, PAIR_ROWS(a) const uint32_t n = (uint32_t)u->shift & 31; LANE_LOOP {         \
			PAIR(a);                                                                   \
			(void)al;                                                                  \
			(void)ah;                                                                  \
			PUT(0, LO);                                                                \
			PUT(1, HI);                                                                \
		})
OP_SHIFT64_IMM(shl_64_near, al << n, funnel_l(ah, al, n))
OP_SHIFT64_IMM(shl_64_far, 0, al << n)
OP_SHIFT64_IMM(shr_u64_near, funnel_r(ah, al, n), ah >> n)
OP_SHIFT64_IMM(shr_u64_far, ah >> n, 0)
OP_SHIFT64_IMM(shr_s64_near, funnel_r(ah, al, n), (uint32_t)((int32_t)ah >> n))
OP_SHIFT64_IMM(shr_s64_far, (uint32_t)((int32_t)ah >> n), (int32_t)ah < 0 ? ~0u : 0)

static const struct fnpair shl_fn[IT_COUNT] = {BOTH16(shl_32), BOTH32(shl_32), BOTH64(shl_64)};
static const struct fnpair shr_fn[IT_COUNT] = {
	[IT_U16] = FN(shr_u16), [IT_S16] = FN(shr_s16), [IT_U32] = FN(shr_u32),
	[IT_S32] = FN(shr_s32), [IT_U64] = FN(shr_u64), [IT_S64] = FN(shr_s64),
};
/* Functions by count: [0] below 32, [1] 32 to 63. shl of 16 bits uses the 32-bit function. */
static const struct fnpair shl_imm_fn[2][IT_COUNT] = {
	{BOTH16(shl_32i), BOTH32(shl_32i), BOTH64(shl_64_near)},
	{BOTH64(shl_64_far)},
};
static const struct fnpair shr_imm_fn[2][IT_COUNT] = {
	{[IT_U32] = FN(shr_u32i),
	 [IT_S32] = FN(shr_s32i),
	 [IT_U64] = FN(shr_u64_near),
	 [IT_S64] = FN(shr_s64_near)},
	{[IT_U64] = FN(shr_u64_far), [IT_S64] = FN(shr_s64_far)},
};

static bool bind_shift(const struct inst *in, struct uop *u)
{
	const struct opnd *n = inst_src(in, 1);
	bool left = in->op == OP_SHL;
	if (n->kind == OPND_IMM && (uint32_t)n->imm < 64) {
		u->shift = (uint32_t)n->imm;
		if (bind_by_type(u, (left ? shl_imm_fn : shr_imm_fn)[u->shift >= 32], in->type))
			return true;
	}
	return bind_by_type(u, left ? shl_fn : shr_fn, in->type);
}

/* ---- shf: b is the upper word, a the lower ---- */
OP_D_ABC(shf_l_wrap, uint32_t, uint32_t, uint32_t, funnel_l(b, a, c & 31))
OP_D_ABC(shf_r_wrap, uint32_t, uint32_t, uint32_t, funnel_r(b, a, c & 31))
OP_D_ABC(shf_l_clamp, uint32_t, uint32_t, uint32_t, lane_pick(c > 31, a, funnel_l(b, a, c & 31)))
OP_D_ABC(shf_r_clamp, uint32_t, uint32_t, uint32_t, lane_pick(c > 31, b, funnel_r(b, a, c & 31)))
static const struct fnpair shf_fn[] = {
	[SHF_L_CLAMP] = FN(shf_l_clamp),
	[SHF_L_WRAP] = FN(shf_l_wrap),
	[SHF_R_CLAMP] = FN(shf_r_clamp),
	[SHF_R_WRAP] = FN(shf_r_wrap),
};

/* ---- prmt ----
 * A selector nibble picks one of the eight bytes of b:a; its top bit repeats that byte's sign. */
static inline uint32_t prmt_byte(uint32_t a, uint32_t b, uint32_t sel)
{
	uint32_t x = lane_pick(sel & 4, b, a) >> (8 * (sel & 3)) & 0xff;
	return lane_pick(sel & 8, x & 0x80 ? 0xff : 0, x);
}
static inline uint32_t prmt(uint32_t a, uint32_t b, uint32_t s)
{
	return prmt_byte(a, b, s) | prmt_byte(a, b, s >> 4) << 8 | prmt_byte(a, b, s >> 8) << 16 |
	       prmt_byte(a, b, s >> 12) << 24;
}
OP_D_ABC(prmt_index, uint32_t, uint32_t, uint32_t, prmt(a, b, c))

/* The other modes are four fixed selectors, chosen by the low two bits of c. */
static const uint16_t prmt_sel[][4] = {
	[PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543},
	[PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
	[PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333},
	[PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
	[PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210},
	[PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
};
/* clang-format off */
OP_EACH(prmt_mode, {
	const uint32_t *pa = row_u32(w, u->a), *pb = row_u32(w, u->b), *pc = row_u32(w, u->c);
	const uint16_t *sel = prmt_sel[u->in->prmt];
	EACH_LANE SET(0, prmt(pa[i], pb[i], sel[pc[i] & 3]));
})
/* clang-format on */

/* A constant selector without sign bits, the usual case: u->selector. The row and shift of byte k
 * are equal for all lanes. */
OP_LANES(prmt_const, {
	const uint32_t *const row[2] = {row_u32(w, u->a), row_u32(w, u->b)};
	const uint32_t s = (uint32_t)u->selector;
	const uint32_t *p0 = row[s >> 2 & 1];
	const uint32_t *p1 = row[s >> 6 & 1];
	const uint32_t *p2 = row[s >> 10 & 1];
	const uint32_t *p3 = row[s >> 14 & 1];
	const uint32_t n0 = (s & 3) * 8, n1 = (s >> 4 & 3) * 8;
	const uint32_t n2 = (s >> 8 & 3) * 8, n3 = (s >> 12 & 3) * 8;
	LANE_LOOP {
		uint32_t lo = (p0[i] >> n0 & 0xff) | (p1[i] >> n1 & 0xff) << 8;
		uint32_t hi = (p2[i] >> n2 & 0xff) << 16 | p3[i] >> n3 << 24;
		PUT(0, lo | hi);
	}
})

static bool bind_prmt(const struct inst *in, struct uop *u)
{
	const struct opnd *c = inst_src(in, 2);
	if (in->prmt > PRMT_RC16)
		return false;
	if (c->kind == OPND_IMM) {
		u->selector =
			in->prmt == PRMT_INDEX ? c->imm & 0xffff : prmt_sel[in->prmt][c->imm & 3];
		if (!(u->selector & 0x8888))
			return bind_pair(u, FN(prmt_const));
	}
	return bind_pair(u, in->prmt == PRMT_INDEX ? FN(prmt_index) : FN(prmt_mode));
}

bool bind_logic(const struct inst *in, struct uop *u)
{
	switch (in->op) {
	case OP_AND:
	case OP_OR:
	case OP_XOR: return bind_bitwise(in, u);
	case OP_NOT:
		if (in->type == T_PRED) {
			bind_preds(in, u);
			return bind_pair(u, FN(not_pred));
		}
		return bind_by_type(u, not_fn, in->type);
	case OP_CNOT: return bind_by_type(u, cnot_fn, in->type);
	case OP_LOP3: return bind_lop3(in, u);
	case OP_SHL:
	case OP_SHR: return bind_shift(in, u);
	case OP_SHF: return in->shf <= SHF_R_WRAP && bind_pair(u, shf_fn[in->shf]);
	case OP_PRMT: return bind_prmt(in, u);
	}
	return false;
}
