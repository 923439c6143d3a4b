/* Extended-precision arithmetic: add.cc addc sub.cc subc mad.cc madc.
 *
 * All use one adder, x + (y or its complement) + carry: a - b - borrow is a + ~b + CF, since CF
 * holds the carry, that is, NOT borrow. A mad adds its product and c. PTX has only the carry flag;
 * the native ISAs also have zero, sign and overflow, so a .cc form writes all four. */
#include "exec/alu/carry.h"
#include "exec/alu/int_type.h"

/* Bits of u->aux. */
enum { AX_INV = 1, AX_IN = 2, AX_OUT = 4 };

struct sum {
	uint32_t row[2 * LANES];
	uint32_t carry, overflow; /* carry and overflow out of the upper row, a bit per lane */
};

/* One 32-bit row of the adder: s->carry is carry in and out. */
static inline void add_row(struct sum *s, uint32_t *t, const uint32_t *x, const uint32_t *y,
			   uint32_t inv)
{
	uint32_t in = s->carry, c = 0, v = 0;
	LANE_LOOP {
		uint32_t a = x[i], b = y[i] ^ inv;
		uint32_t r = a + b + lane_pick(in & lane_bit[i], 1, 0);
		uint32_t out = (a & b) | ((a | b) & ~r); /* the top bit's carry */
		t[i] = r;
		c += (0 - (out >> 31)) & lane_bit[i];
		v += (0 - (((a ^ r) & (b ^ r)) >> 31)) & lane_bit[i];
	}
	s->carry = c;
	s->overflow = v;
}

static inline void flags_write(struct warp *w, const struct sum *s, int rows, uint32_t mask)
{
	uint32_t nz[LANES], neg[LANES];
	for (int i = 0; i < LANES; i++) {
		nz[i] = s->row[i] | s->row[(rows - 1) * LANES + i];
		neg[i] = s->row[(rows - 1) * LANES + i] >> 31;
	}
	uint32_t f[4] = {[CC_Z] = ~row_to_mask(nz),
			 [CC_S] = row_to_mask(neg),
			 [CC_C] = s->carry,
			 [CC_O] = s->overflow};
	for (int k = 0; k < 4; k++)
		w->cc[k] = (w->cc[k] & ~mask) | (f[k] & mask);
}

static inline void adder(struct warp *w, const struct uop *u, int rows, const uint32_t *x,
			 const uint32_t *y, uint32_t mask)
{
	struct sum s;
	uint32_t inv = u->aux & AX_INV ? ~0u : 0;
	uint32_t *d = row_u32(w, u->d);

	s.carry = u->aux & AX_IN ? w->cc[CC_C] : inv;
	for (int r = 0; r < rows; r++)
		add_row(&s, s.row + r * LANES, x + r * LANES, y + r * LANES, inv);
	if (u->aux & AX_OUT)
		flags_write(w, &s, rows, mask);
	for (int r = 0; r < rows; r++)
		row_blend(d + r * LANES, s.row + r * LANES, mask);
}

#define OP_ADDER(name, rows)                                                                       \
	static inline void name##_run(struct warp *w, const struct uop *u, uint32_t mask)          \
	{                                                                                          \
		adder(w, u, rows, row_u32(w, u->a), row_u32(w, u->b), mask);                       \
	}                                                                                          \
	OP_RUN(name)
OP_ADDER(addc_32, 1)
OP_ADDER(addc_64, 2)

/* Multiplies lanes pa[i], pb[i] into rows p. */
#define OP_MADC(name, rows, PRODUCT)                                                               \
	static inline void name##_run(struct warp *w, const struct uop *u, uint32_t mask)          \
	{                                                                                          \
		uint32_t p[2 * LANES];                                                             \
		const uint32_t *pa = row_u32(w, u->a), *pb = row_u32(w, u->b);                     \
		for (int i = 0; i < LANES; i++) {                                                  \
			PRODUCT;                                                                   \
		}                                                                                  \
		adder(w, u, rows, p, row_u32(w, u->c), mask);                                      \
	}                                                                                          \
	OP_RUN(name)

OP_MADC(madc_lo_32, 1, p[i] = pa[i] * pb[i])
OP_MADC(madc_hi_u32, 1, p[i] = (uint32_t)((uint64_t)pa[i] * pb[i] >> 32))
OP_MADC(madc_hi_s32, 1, p[i] = (uint32_t)((int64_t)(int32_t)pa[i] * (int32_t)pb[i] >> 32))
OP_MADC(madc_lo_64, 2, pair_put(p, i, pair_get(pa, i) * pair_get(pb, i)))
OP_MADC(madc_hi_u64, 2,
	pair_put(p, i, (uint64_t)((unsigned __int128)pair_get(pa, i) * pair_get(pb, i) >> 64)))
/* clang-format off */
OP_MADC(madc_hi_s64, 2,
	__int128 a = (int64_t)pair_get(pa, i); int64_t b = (int64_t)pair_get(pb, i);
	pair_put(p, i, (uint64_t)(a * b >> 64)))
/* clang-format on */

static const struct fnpair addc_fn[IT_COUNT] = {BOTH32(addc_32), BOTH64(addc_64)};
static const struct fnpair madc_lo_fn[IT_COUNT] = {BOTH32(madc_lo_32), BOTH64(madc_lo_64)};
static const struct fnpair madc_hi_fn[IT_COUNT] = {
	[IT_U32] = FN(madc_hi_u32),
	[IT_S32] = FN(madc_hi_s32),
	[IT_U64] = FN(madc_hi_u64),
	[IT_S64] = FN(madc_hi_s64),
};

bool bind_carry(const struct inst *in, struct uop *u)
{
	u->aux = in->mods & M_CC ? AX_OUT : 0;
	switch (in->op) {
	case OP_ADDC: u->aux |= AX_IN; break;
	case OP_SUBC: u->aux |= AX_IN | AX_INV; break;
	case OP_SUB: u->aux |= AX_INV; break;
	case OP_ADD: break;
	case OP_MADC:
		u->aux |= AX_IN;
		/* fall through */
	case OP_MAD: return bind_by_type(u, in->mul == MUL_HI ? madc_hi_fn : madc_lo_fn, in->type);
	default: return false;
	}
	return bind_by_type(u, addc_fn, in->type);
}
