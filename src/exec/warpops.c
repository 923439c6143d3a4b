/* Operations between the lanes of a warp: shuffle, vote, match, reduce, elect. Lanes take part in
 * groups: with a member mask, lanes that name the same mask; without one, all lanes that execute. A
 * converged warp may hold several groups at once (two half-warps with masks of their own), so each
 * operation visits all of them. */
#include "exec/context.h"
#include "exec/lanes.h"

/* The next group of lanes in *rest: executing lanes that hold one member mask. */
static uint32_t next_group(const struct warp *w, const uint32_t *members, uint32_t *rest)
{
	uint32_t g = *rest;
	(void)w;
	if (members) {
		uint32_t mm = members[__builtin_ctz(*rest)];
		g = 0;
		for (uint32_t m = *rest; m; m &= m - 1)
			if (members[__builtin_ctz(m)] == mm)
				g |= m & -m;
	}
	*rest &= ~g;
	return g;
}

#define EACH_GROUP(g, members)                                                                     \
	for (uint32_t rest_ = w->mask, g; rest_ && (g = next_group(w, members, &rest_));)

static uint32_t pred_bits(const struct warp *w, const struct uop *u, unsigned src)
{
	const struct opnd *o = inst_src(u->in, src);
	if (o->kind == OPND_IMM)
		return o->imm ? ~0u : 0;
	uint32_t p = w->pred[u->v[u->in->nd + src]];
	return o->mod & OPND_NOT ? ~p : p;
}

static void put_u32(struct warp *w, int32_t o, uint32_t lanes, uint32_t x)
{
	if (o == SINK)
		return;
	uint32_t *d = row_u32(w, o);
	for (uint32_t m = lanes; m; m &= m - 1)
		d[__builtin_ctz(m)] = x;
}

/* ---- shuffle ---- */

/* Source lanes and their validity, as in the PTX manual's pseudo-code; if the source is not valid
 * it is the lane itself. The loops go over all lanes without a branch, so that the compiler
 * vectorises them. */
#define SOURCES(source, test)                                                                      \
	for (int i = 0; i < LANES; i++) {                                                          \
		int bval = b[i] & 31, seg = c[i] >> 8 & 31, min = i & seg;                         \
		int max = min | (c[i] & 31 & ~seg), j = source;                                    \
		bool ok = test;                                                                    \
		valid[i] = ok;                                                                     \
		from[i] = ok ? j : i;                                                              \
	}
static void shfl_sources(unsigned mode, const uint32_t *b, const uint32_t *c, uint32_t *from,
			 uint32_t *valid)
{
	switch (mode) {
	case SHFL_UP: SOURCES(i - bval, j >= max) break;
	case SHFL_DOWN: SOURCES(i + bval, j <= max) break;
	case SHFL_BFLY: SOURCES(i ^ bval, j <= max) break;
	default: SOURCES(min | (bval & ~seg), j <= max) break;
	}
}
#undef SOURCES

static void shfl_part(struct warp *w, const struct uop *u)
{
	const struct inst *in = u->in;
	const int32_t *s = u->v + in->nd;
	uint32_t from[LANES], valid[LANES], r[LANES];
	const uint32_t *a = row_u32(w, s[0]);
	shfl_sources(in->shfl, row_u32(w, s[1]), row_u32(w, s[2]), from, valid);
	for (int i = 0; i < LANES; i++)
		r[i] = a[from[i]];
	if (in->ns > 3) {
		/* a lane outside the member mask gives 0, as in hardware */
		const uint32_t *mm = row_u32(w, s[3]);
		for (uint32_t i = 0; i < LANES; i++)
			r[i] = from[i] == i || (mm[i] & w->mask) >> from[i] & 1 ? r[i] : 0;
	}
	if (u->v[0] != SINK)
		row_blend(row_u32(w, u->v[0]), r, w->mask);
	if (in->nd > 1) {
		uint32_t p = 0;
		for (int i = 0; i < LANES; i++)
			p |= valid[i] << i;
		pred_write(w, u->v[1], p, w->mask);
	}
}

/* ---- vote ---- */

static void vote_part(struct warp *w, const struct uop *u)
{
	const struct inst *in = u->in;
	uint32_t p = pred_bits(w, u, 0), result = 0;
	const uint32_t *mm = in->ns > 1 ? row_u32(w, u->v[in->nd + 1]) : NULL;
	EACH_GROUP (g, mm) {
		/* The voters are the lanes that the mask names. That is g, unless lanes that
		 * execute together name different masks: PTX does not define this case, but
		 * programs compute prefix sums of a predicate with the mask of the lower lanes, and
		 * the hardware counts the lanes of that mask. */
		uint32_t voters = mm ? mm[__builtin_ctz(g)] & w->mask : g, t = p & voters;
		if (in->vote == VOTE_BALLOT) {
			put_u32(w, u->v[0], g, t);
			continue;
		}
		bool yes = in->vote == VOTE_ALL   ? t == voters
			   : in->vote == VOTE_ANY ? t != 0
						  : t == voters || !t;
		result |= yes ? g : 0;
	}
	if (in->vote != VOTE_BALLOT)
		pred_write(w, u->v[0], result, w->mask);
}

/* ---- match ---- */

static void match_part(struct warp *w, const struct uop *u)
{
	const struct inst *in = u->in;
	const uint32_t *a = row_u32(w, u->v[in->nd]), *mm = row_u32(w, u->v[in->nd + 1]);
	bool wide = type_bits(in->type) == 64;
	uint32_t r[LANES], all = 0;
	EACH_GROUP (g, mm) {
		for (uint32_t m = g; m; m &= m - 1) {
			int i = __builtin_ctz(m);
			uint32_t same = 0;
			for (uint32_t n = g; n; n &= n - 1) {
				int j = __builtin_ctz(n);
				if (a[i] == a[j] && (!wide || a[i + LANES] == a[j + LANES]))
					same |= 1u << j;
			}
			all |= same == g ? 1u << i : 0;
			r[i] = in->vote == VOTE_ANY ? same : same == g ? g : 0;
		}
	}
	if (u->v[0] != SINK)
		row_blend(row_u32(w, u->v[0]), r, w->mask);
	if (in->nd > 1)
		pred_write(w, u->v[1], all, w->mask);
}

/* ---- redux ---- */

static uint32_t redux_f32(const struct inst *in, uint32_t a, uint32_t b)
{
	bool na = (a & 0x7fffffff) > 0x7f800000, nb = (b & 0x7fffffff) > 0x7f800000;
	if (na || nb)
		return (in->mods & M_NAN) || (na && nb) ? 0x7fffffff : na ? b : a;
	int32_t ka = (int32_t)(a ^ ((uint32_t)((int32_t)a >> 31) >> 1));
	int32_t kb = (int32_t)(b ^ ((uint32_t)((int32_t)b >> 31) >> 1));
	return (kb < ka) == (in->atom == ATOM_MIN) ? b : a;
}

static uint32_t redux_step(const struct inst *in, uint32_t a, uint32_t b)
{
	if (in->type == T_F32)
		return redux_f32(in, a, b);
	uint32_t sign = in->type == T_S32
				? 1u << 31
				: 0; /* without sign the order is that of unsigned numbers */
	uint32_t x = a ^ sign, y = b ^ sign;
	switch (in->atom) {
	case ATOM_AND: return a & b;
	case ATOM_OR: return a | b;
	case ATOM_XOR: return a ^ b;
	case ATOM_ADD: return a + b;
	case ATOM_MIN: return (x < y ? x : y) ^ sign;
	default: return (x > y ? x : y) ^ sign;
	}
}

static void redux_part(struct warp *w, const struct uop *u)
{
	const struct inst *in = u->in;
	uint32_t a[LANES];
	memcpy(a, row_u32(w, u->v[in->nd]), sizeof a);
	const uint32_t *mm = row_u32(w, u->v[in->nd + 1]);
	uint32_t abs = (in->mods & M_ABS) ? 0x7fffffff : ~0u;
	uint32_t masks[LANES];
	memcpy(masks, mm, sizeof masks);
	EACH_GROUP (g, masks) {
		uint32_t x = a[__builtin_ctz(g)] & abs;
		for (uint32_t m = g & (g - 1); m; m &= m - 1)
			x = redux_step(in, x, a[__builtin_ctz(m)] & abs);
		if (in->type == T_F32 && (x & 0x7fffffff) > 0x7f800000)
			x = 0x7fffffff;
		put_u32(w, u->v[0], g, x);
	}
}

static void activemask_part(struct warp *w, const struct uop *u)
{
	put_u32(w, u->d, w->mask, w->mask);
}

static void elect_part(struct warp *w, const struct uop *u)
{
	uint32_t mm[LANES], leaders = 0;
	memcpy(mm, row_u32(w, u->v[u->in->nd]), sizeof mm);
	EACH_GROUP (g, mm) {
		uint32_t leader = (uint32_t)__builtin_ctz(g);
		put_u32(w, u->v[0], g, leader);
		leaders |= 1u << leader;
	}
	if (u->in->nd > 1)
		pred_write(w, u->v[1], leaders, w->mask);
}

static void movmatrix_part(struct warp *w, const struct uop *u)
{
	/* 8x8 halves, row r in lanes 4r .. 4r+3, two columns per lane: transposed */
	uint32_t a[LANES], r[LANES];
	memcpy(a, row_u32(w, u->a), sizeof a);
	for (int i = 0; i < LANES; i++) {
		int row = i / 4,
		    col = i % 4 * 2; /* element (row, col) of the result is (col, row) of a */
		uint32_t lo = a[col * 4 + row / 2] >> (row & 1) * 16 & 0xffff;
		uint32_t hi = a[(col + 1) * 4 + row / 2] >> (row & 1) * 16 & 0xffff;
		r[i] = lo | hi << 16;
	}
	row_blend(row_u32(w, u->d), r, w->mask);
}

#define FULL(name)                                                                                 \
	static void name##_full(struct warp *w, const struct uop *u)                               \
	{                                                                                          \
		w->mask = ~0u;                                                                     \
		name##_part(w, u);                                                                 \
	}
FULL(shfl)
FULL(vote)
FULL(match)
FULL(redux)
FULL(activemask)
FULL(elect)
FULL(movmatrix)

bool bind_warp(const struct inst *in, struct uop *u)
{
	u->flags |= UOP_CROSS;
	switch (in->op) {
	case OP_SHFL: return bind_pair(u, FN(shfl));
	case OP_VOTE: return bind_pair(u, FN(vote));
	case OP_MATCH: return bind_pair(u, FN(match));
	case OP_REDUX: return bind_pair(u, FN(redux));
	case OP_ACTIVEMASK: return bind_pair(u, FN(activemask));
	case OP_ELECT: return bind_pair(u, FN(elect));
	case OP_MOVMATRIX: return bind_pair(u, FN(movmatrix));
	}
	u->flags &= (uint8_t)~UOP_CROSS;
	return false;
}
