/* Moves: mov between registers and from constants, pack and unpack of vectors, createpolicy.
 *
 * A piece of a packed value is 8, 16, 32 or 64 bits wide. Pieces of 32 bits and more are whole rows
 * that are copied, smaller pieces are assembled in a row. All reads come before the first write: a
 * piece may live in the whole's rows. */
#include "exec/alu/int_type.h"

OP_D_A(mov_1, uint32_t, a)
/* clang-format off */
OP_LANES(mov_2, PAIR_ROWS(a) LANE_LOOP {
	PAIR(a);
	PUT(0, al);
	PUT(1, ah);
})
OP_LANES(mov_4, const uint32_t *pa = row_u32(w, u->a); LANE_LOOP {
	uint32_t x0 = pa[i], x1 = pa[i + LANES], x2 = pa[i + 2 * LANES], x3 = pa[i + 3 * LANES];
	PUT(0, x0);
	PUT(1, x1);
	PUT(2, x2);
	PUT(3, x3);
})
/* clang-format on */
static inline void mov_pred_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	pred_write(w, u->d, pred_read(w, u, u->a, 0), mask);
}
OP_RUN(mov_pred)

/* clang-format off */
OP_LANES(zero_2, LANE_LOOP {
	PUT(0, 0);
	PUT(1, 0);
})

/* The two pairs of PTX code: {b32, b32} and {b16, b16}. */
OP_LANES(pack_64, const uint32_t *pa = row_u32(w, u->a), *pb = row_u32(w, u->b); LANE_LOOP {
	uint32_t lo = pa[i], hi = pb[i];
	PUT(0, lo);
	PUT(1, hi);
})
/* clang-format on */
OP_D_AB(pack_32, uint32_t, uint32_t, U16(a) | b << 16)

/* The reverse of pack_64, into any rows. */
static inline void unpack_64_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	const uint32_t *pa = row_u32(w, u->a);
	uint32_t *x = row_u32(w, u->v[0]), *y = row_u32(w, u->v[1]);
	LANE_LOOP {
		uint32_t lo = pa[i], hi = pa[i + LANES];
		x[i] = lane_pick(mask & lane_bit[i], lo, x[i]);
		y[i] = lane_pick(mask & lane_bit[i], hi, y[i]);
	}
}
OP_RUN(unpack_64)

static void row_copy(uint32_t *d, const uint32_t *s) { memcpy(d, s, ROW); }

/* u->piece_bits is the number of bits of a piece. */
static inline void pack_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	const int32_t *s = u->v + u->in->nd;
	unsigned bits = (unsigned)u->piece_bits, ns = u->in->ns, rows = type_rows(u->in->type);
	uint32_t t[4 * LANES] = {0};

	for (unsigned k = 0; k < ns; k++) {
		const uint32_t *p = row_u32(w, s[k]);
		unsigned at = k * bits;
		if (bits >= 32) {
			memcpy(t + at / 32 * LANES, p, bits / 8 * LANES);
			continue;
		}
		for (int i = 0; i < LANES; i++)
			t[at / 32 * LANES + (unsigned)i] |= (p[i] & ((1u << bits) - 1)) << at % 32;
	}
	for (unsigned r = 0; r < rows; r++)
		row_blend(row_u32(w, u->d) + r * LANES, t + r * LANES, mask);
}
OP_RUN(pack)

static inline void unpack_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	unsigned bits = (unsigned)u->piece_bits, nd = u->in->nd;
	uint32_t t[4 * LANES];

	for (unsigned r = 0; r < type_rows(u->in->type); r++)
		row_copy(t + r * LANES, row_u32(w, u->a) + r * LANES);
	for (unsigned k = 0; k < nd; k++) {
		unsigned at = k * bits;
		uint32_t *x = t + at / 32 * LANES, y[LANES];
		if (u->v[k] == SINK)
			continue;
		if (bits < 32) {
			for (int i = 0; i < LANES; i++)
				y[i] = x[i] >> at % 32;
			x = y;
		}
		for (unsigned r = 0; r < (bits + 31) / 32; r++)
			row_blend(row_u32(w, u->v[k]) + r * LANES, x + r * LANES, mask);
	}
}
OP_RUN(unpack)

/* False for shapes that no ISA has: pieces must be of equal size and fill the whole. */
static bool shape_ok(unsigned whole, unsigned pieces, uint64_t *bits)
{
	if (pieces < 2 || whole < 16 || whole > 128 || whole % pieces)
		return false;
	*bits = whole / pieces;
	return *bits == 8 || *bits == 16 || *bits == 32 || *bits == 64;
}

static bool bind_pack(const struct inst *in, struct uop *u)
{
	if (!shape_ok(type_bits(in->type), in->ns, &u->piece_bits))
		return false;
	if (in->ns == 2 && u->piece_bits == 32)
		return bind_pair(u, FN(pack_64));
	if (in->ns == 2 && u->piece_bits == 16)
		return bind_pair(u, FN(pack_32));
	return bind_pair(u, FN(pack));
}

static bool bind_unpack(const struct inst *in, struct uop *u)
{
	if (!shape_ok(type_bits(in->type), in->nd, &u->piece_bits))
		return false;
	if (in->nd == 2 && u->piece_bits == 32 && u->v[0] != SINK && u->v[1] != SINK)
		return bind_pair(u, FN(unpack_64));
	return bind_pair(u, FN(unpack));
}

bool bind_mov(const struct inst *in, struct uop *u)
{
	switch (in->op) {
	case OP_MOV:
		if (in->type == T_PRED) {
			bind_preds(in, u);
			return bind_pair(u, FN(mov_pred));
		}
		switch (type_rows(in->type)) {
		case 1: return bind_pair(u, FN(mov_1));
		case 2: return bind_pair(u, FN(mov_2));
		case 4: return bind_pair(u, FN(mov_4));
		}
		return false;
	case OP_PACK: return bind_pack(in, u);
	case OP_UNPACK: return bind_unpack(in, u);
	case OP_CREATEPOLICY: return bind_pair(u, FN(zero_2));
	}
	return false;
}
