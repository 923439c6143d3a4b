/* Selection: selp slct, and the sign and class of floats, which are bits: testp copysign. */
#include "exec/alu/float.h"
#include "exec/alu/select.h"

/* ---- selp ---- */
/* clang-format off */
OP_LANES(selp_32, {
	const uint32_t *pa = row_u32(w, u->a);
	const uint32_t *pb = row_u32(w, u->b);
	const uint32_t c = pred_read(w, u, u->c, 2);
	LANE_LOOP PUT(0, lane_pick(c & lane_bit[i], pa[i], pb[i]));
})
OP_LANES(selp_64, PAIR_ROWS(a) PAIR_ROWS(b) const uint32_t c = pred_read(w, u, u->c, 2); LANE_LOOP {
	PAIR(a); PAIR(b);
	PUT(0, lane_pick(c & lane_bit[i], al, bl));
	PUT(1, lane_pick(c & lane_bit[i], ah, bh));
})
/* clang-format on */

/* ---- slct: c >= 0 takes a. NaN is not, -0 is; with .ftz negative denormals are too ---- */
static inline bool ge0_s32(uint32_t c) { return (int32_t)c >= 0; }
static inline bool ge0_f32(uint32_t c) { return (c <= F32_INF) | (c == F32_SIGN); }
static inline bool ge0_f32z(uint32_t c) { return (c <= F32_INF) | ((c & ~F32_SIGN) < 0x800000); }
#define OP_SLCT(t)                                                                                 \
	OP_D_ABC(slct_32_##t, uint32_t, uint32_t, uint32_t, lane_pick(ge0_##t(c), a, b))           \
	OP_LANES(slct_64_##t, {                                                                    \
		PAIR_ROWS(a)                                                                       \
		PAIR_ROWS(b)                                                                       \
		const uint32_t *pc = row_u32(w, u->c);                                             \
		LANE_LOOP {                                                                        \
			PAIR(a);                                                                   \
			PAIR(b);                                                                   \
			uint32_t on = ge0_##t(pc[i]);                                              \
			PUT(0, lane_pick(on, al, bl));                                             \
			PUT(1, lane_pick(on, ah, bh));                                             \
		}                                                                                  \
	})
OP_SLCT(s32)
OP_SLCT(f32)
OP_SLCT(f32z)
static const struct fnpair slct_fn[3][2] = {
	{FN(slct_32_s32), FN(slct_64_s32)},
	{FN(slct_32_f32), FN(slct_64_f32)},
	{FN(slct_32_f32z), FN(slct_64_f32z)},
};

/* ---- testp ----
 * By exponent and whether there is a fraction; normal includes zeros, as the hardware has it. */
static inline bool test_class(unsigned test, bool top, bool zero, bool frac)
{
	switch (test) {
	case TESTP_FINITE: return !top;
	case TESTP_INFINITE: return top && !frac;
	case TESTP_NUMBER: return !(top && frac);
	case TESTP_NOTANUMBER: return top && frac;
	case TESTP_NORMAL: return !top && (!zero || !frac);
	default: /* TESTP_SUBNORMAL */ return zero && frac;
	}
}
static inline void testp_32_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	const uint32_t *pa = row_u32(w, u->a);
	uint32_t p = 0;
	for (int i = 0; i < LANES; i++) {
		uint32_t e = pa[i] & F32_INF, m = pa[i] & 0x7fffff;
		p += test_class(u->in->testp, e == F32_INF, e == 0, m != 0) ? lane_bit[i] : 0;
	}
	pred_write(w, u->d, p, mask);
}
static inline void testp_64_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	const uint32_t *pa = row_u32(w, u->a);
	uint32_t p = 0;
	for (int i = 0; i < LANES; i++) {
		uint32_t e = pa[i + LANES] & 0x7ff00000, m = (pa[i + LANES] & 0xfffff) | pa[i];
		p += test_class(u->in->testp, e == 0x7ff00000, e == 0, m != 0) ? lane_bit[i] : 0;
	}
	pred_write(w, u->d, p, mask);
}
OP_RUN(testp_32)
OP_RUN(testp_64)

/* ---- copysign: a's sign on b ---- */
OP_D_AB(copysign_32, uint32_t, uint32_t, (a & F32_SIGN) | (b & ~F32_SIGN))
/* clang-format off */
OP_LANES(copysign_64, PAIR_ROWS(a) PAIR_ROWS(b) LANE_LOOP {
	PAIR(a); PAIR(b);
	(void)al;
	PUT(0, bl);
	PUT(1, (ah & F32_SIGN) | (bh & ~F32_SIGN));
})
/* clang-format on */

bool bind_select(const struct inst *in, struct uop *u)
{
	bool wide = type_rows(in->type) == 2;
	unsigned kind;
	switch (in->op) {
	case OP_SELP: bind_preds(in, u); return bind_pair(u, wide ? FN(selp_64) : FN(selp_32));
	case OP_SLCT:
		kind = in->stype != T_F32 ? 0 : in->mods & M_FTZ ? 2 : 1;
		return bind_pair(u, slct_fn[kind][wide]);
	case OP_TESTP:
		if (in->testp > TESTP_SUBNORMAL)
			return false;
		return bind_pair(u, in->stype == T_F64 ? FN(testp_64) : FN(testp_32));
	case OP_COPYSIGN: return bind_pair(u, wide ? FN(copysign_64) : FN(copysign_32));
	}
	return false;
}
