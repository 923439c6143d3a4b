/* Matrices between memory and fragments: wmma.load and wmma.store, ldmatrix and stmatrix. */
#include "exec/memory/access.h"
#include "exec/places.h"
#include "exec/mma/wmma.h"

/* ---- wmma: a matrix of any leading dimension ---- */

/* How a fragment lies in memory: elements that follow each other in the fragment are `step`
 * elements apart, the next row (of a, c) or column (of b) `next` elements. */
struct placed {
	unsigned type, count, run; /* elements; length of a row of a, c or column of b */
	uint64_t step, next;
};

static struct placed placed_of(const struct inst *in, unsigned part, uint64_t stride,
			       bool has_stride)
{
	struct tile_shape s;
	mma_shape(in, &s);
	unsigned rows = part == MM_B ? s.k : s.m, cols = part == MM_A ? s.k : s.n;
	bool col = in->mods & (part == MM_A ? M_COL_A : part == MM_B ? M_COL_B : M_COL_D);
	bool along = part == MM_B ? col : !col; /* the fragment runs along memory */
	struct placed p = {
		.type = in->type, .count = rows * cols, .run = part == MM_B ? rows : cols};
	uint64_t unit = in->type == T_B1 ? 32 : 1;
	uint64_t ld = has_stride ? stride : (col ? rows : cols) * unit;
	p.step = along ? unit : ld;
	p.next = along ? ld : unit;
	return p;
}

/* Address of element x. */
static uint64_t element_addr(const struct placed *p, uint64_t base, unsigned x)
{
	return base + (x / p->run * p->next + x % p->run * p->step) * type_bits(p->type) / 8;
}

/* Elements from x on that lie in consecutive bytes, at most 32 bytes and n elements. */
static unsigned run_at(const struct placed *p, unsigned x, unsigned n)
{
	unsigned bits = lane_bits(p->type), left = p->run - x % p->run;
	if (p->step != (p->type == T_B1 ? 32 : 1))
		return 1;
	n = n < left ? n : left;
	return n < 256 / bits ? n : 256 / bits;
}

/* Moves one lane's fragment; false when it has stopped at a fault. Elements narrower than a byte
 * are always consecutive in memory and fill whole registers. */
static bool fragment_move(struct warp *w, const struct uop *u, const int32_t *reg,
			  const struct placed *p, int lane, unsigned per, bool store)
{
	unsigned e = per_register(p->type), bits = lane_bits(p->type);
	uint64_t base = lane_addr(w, u, lane);
	for (unsigned i = 0, n; i < per; i += n) {
		unsigned x = wmma_index(lane, i, per, p->count);
		uint8_t buf[32] = {0};
		n = run_at(p, x, per - i);
		uint32_t bytes = n * bits / 8, align = bits < 8 ? 1 : bits / 8;
		uint64_t a = element_addr(p, base, x);
		place_note(w, a, bytes);
		if (!store && !mem_load(w, u, (unsigned)lane, a, buf, bytes, align) && w->stop)
			return false;
		for (unsigned k = 0; k < n; k++) {
			unsigned at = k * bits;
			uint64_t v = 0;
			if (store)
				v = element_get(w, reg[(i + k) / e], p->type, lane, (i + k) % e);
			if (bits < 8) {
				uint8_t m = (uint8_t)((1u << bits) - 1);
				buf[at / 8] |= (uint8_t)(((unsigned)v & m) << at % 8);
				v = buf[at / 8] >> at % 8 & m;
			} else if (store) {
				memcpy(buf + at / 8, &v, bits / 8);
			} else {
				memcpy(&v, buf + at / 8, bits / 8);
			}
			if (!store)
				element_put(w, reg[(i + k) / e], p->type, lane, (i + k) % e, v);
		}
		if (store && !mem_store(w, u, (unsigned)lane, a, buf, bytes, align) && w->stop)
			return false;
	}
	return true;
}

static void wmma_move(struct warp *w, const struct uop *u, uint32_t mask, bool store)
{
	const struct inst *in = u->in;
	const int32_t *reg = store ? u->v + 1 : u->v;
	unsigned at = store ? 1u + in->grp[0] : in->nd + 1u;
	bool has_stride = at < (unsigned)in->nd + in->ns;
	unsigned per = in->grp[0] * per_register(in->type);
	for (; mask; mask &= mask - 1) {
		int l = __builtin_ctz(mask);
		uint64_t stride = has_stride ? row_u32(w, u->v[at])[l] : 0;
		struct placed p =
			placed_of(in, store ? MM_D : (unsigned)in->imm, stride, has_stride);
		if (!fragment_move(w, u, reg, &p, l, per, store))
			return;
	}
}
static void wmma_load_full(struct warp *w, const struct uop *u) { wmma_move(w, u, ~0u, false); }
static void wmma_load_part(struct warp *w, const struct uop *u) { wmma_move(w, u, w->mask, false); }
static void wmma_store_full(struct warp *w, const struct uop *u) { wmma_move(w, u, ~0u, true); }
static void wmma_store_part(struct warp *w, const struct uop *u) { wmma_move(w, u, w->mask, true); }

/* ---- ldmatrix, stmatrix: 8 x 8 matrices of b16; lane 8 m + r has the address of row r of matrix
 * m, register m of lane l holds elements 2 (l & 3) and the next of row l / 4 (.trans: of column l /
 * 4) ---- */

enum { MATRICES = 4 };

static unsigned matrix_place(unsigned lane, unsigned j, bool trans)
{
	unsigned major = lane / 4, minor = 2 * (lane & 3) + j;
	return trans ? minor * 8 + major : major * 8 + minor;
}

static void ldmatrix_lanes(struct warp *w, const struct uop *u, uint32_t mask)
{
	uint16_t m[MATRICES][64] = {0};
	bool trans = u->in->mods & M_TRANS;
	unsigned n = u->in->nd < MATRICES ? u->in->nd : MATRICES;
	for (unsigned l = 0; l < 8 * n; l++)
		if (mask & lane_bit[l] &&
		    !mem_load(w, u, l, lane_addr(w, u, (int)l), &m[l / 8][l % 8 * 8], 16, 16) &&
		    w->stop)
			return;
	for (unsigned k = 0; k < n; k++)
		for (unsigned l = 0; l < LANES; l++)
			if (mask & lane_bit[l])
				row_u32(w, u->v[k])[l] = m[k][matrix_place(l, 0, trans)] |
							 (uint32_t)m[k][matrix_place(l, 1, trans)]
								 << 16;
}

static void stmatrix_lanes(struct warp *w, const struct uop *u, uint32_t mask)
{
	uint16_t m[MATRICES][64] = {0};
	bool trans = u->in->mods & M_TRANS;
	unsigned n = u->in->ns - 1u < MATRICES ? u->in->ns - 1u : MATRICES;
	for (unsigned k = 0; k < n; k++)
		for (unsigned l = 0; l < LANES; l++) {
			uint32_t x = row_u32(w, u->v[1 + k])[l];
			m[k][matrix_place(l, 0, trans)] = (uint16_t)x;
			m[k][matrix_place(l, 1, trans)] = (uint16_t)(x >> 16);
		}
	for (unsigned l = 0; l < 8 * n; l++)
		if (mask & lane_bit[l] &&
		    !mem_store(w, u, l, lane_addr(w, u, (int)l), &m[l / 8][l % 8 * 8], 16, 16) &&
		    w->stop)
			return;
}

static void ldmatrix_full(struct warp *w, const struct uop *u) { ldmatrix_lanes(w, u, ~0u); }
static void ldmatrix_part(struct warp *w, const struct uop *u) { ldmatrix_lanes(w, u, w->mask); }
static void stmatrix_full(struct warp *w, const struct uop *u) { stmatrix_lanes(w, u, ~0u); }
static void stmatrix_part(struct warp *w, const struct uop *u) { stmatrix_lanes(w, u, w->mask); }

bool bind_matrix_mem(const struct inst *in, struct uop *u)
{
	struct tile_shape s;
	switch (in->op) {
	case OP_WMMA_LOAD: bind_pair(u, FN(wmma_load)); break;
	case OP_WMMA_STORE: bind_pair(u, FN(wmma_store)); break;
	case OP_LDMATRIX: bind_pair(u, FN(ldmatrix)); break;
	case OP_STMATRIX: bind_pair(u, FN(stmatrix)); break;
	default: return false;
	}
	u->flags |= UOP_FAULTS;
	return in->op == OP_LDMATRIX || in->op == OP_STMATRIX ? in->type == T_B16
							      : mma_shape(in, &s);
}
