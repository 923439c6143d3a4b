/* mma, wmma.mma and movmatrix: which lane holds which element. The warp's fragments are gathered
 * into tiles, multiplied (mma_dot.c) and scattered. All lanes take part whatever the mask; only
 * active ones are written.
 *
 * mma fragments, lane = 4 g + t. A register holds e elements along k (e = 32 / bits; f64 is a pair
 * of rows with one element):
 *   a  register r: row g + 8 (r & 1) (only g for m8), k = (r >> 1) 4e + t e + j
 *   b  register r: column g, k = r 4e + t e + j
 *   c  element i: row g + 8 (i >> 1), column 2 t + (i & 1)
 * m8n8k4 of f16 is four products of quad pairs and has a layout of its own (mma_volta).
 *
 * wmma fragments are opaque to programs: wmma.h has their layout. */
#include "exec/alu/float.h"
#include "exec/mma/mma.h"
#include "exec/mma/tensor_core.h"
#include "exec/mma/wmma.h"

bool mma_shape(const struct inst *in, struct tile_shape *s)
{
	if (in->mode >= SHAPE_COUNT || !shape_dims[in->mode].m)
		return false;
	const struct shape_dims *d = &shape_dims[in->mode];
	*s = (struct tile_shape){d->m, d->n, (uint8_t)(d->k > TILE_K ? d->k / 32 : d->k)}; /* b1 */
	return true;
}

struct frags {
	const int32_t *d, *a, *b, *c;
};
static struct frags frags_of(const struct uop *u)
{
	const uint8_t *g = u->in->grp;
	return (struct frags){u->v, u->v + g[0], u->v + g[0] + g[1], u->v + g[0] + g[1] + g[2]};
}

static void tile_start(struct tile *t, const struct inst *in)
{
	mma_shape(in, &t->s);
	t->atype = in->atype;
	t->btype = in->btype;
	t->ctype = in->stype;
	t->dtype = in->type;
	t->bop = in->bop;
	t->satfinite = in->mods & M_SATFINITE;
	t->rnd = in->rnd;
}

/* The index in the tile of element i of a lane's c or d fragment. */
static unsigned acc_index(const struct tile *t, int lane, unsigned i)
{
	unsigned row = (unsigned)lane / 4 + 8 * (i >> 1), col = 2 * ((unsigned)lane & 3) + (i & 1);
	return row * t->s.n + col;
}

static void mma_gather(const struct warp *w, const struct uop *u, struct tile *t)
{
	struct frags f = frags_of(u);
	const uint8_t *regs = u->in->grp;
	unsigned ea = per_register(t->atype), eb = per_register(t->btype),
		 ec = per_register(t->ctype);
	for (int l = 0; l < LANES; l++) {
		unsigned g = (unsigned)l / 4, q = (unsigned)l & 3;
		for (unsigned r = 0; r < regs[1]; r++) {
			unsigned half = t->s.m == 16 ? r & 1 : 0, step = t->s.m == 16 ? r >> 1 : r;
			for (unsigned j = 0; j < ea; j++)
				t->a[(g + 8 * half) * t->s.k + step * 4 * ea + q * ea + j] =
					element_get(w, f.a[r], t->atype, l, j);
		}
		for (unsigned r = 0; r < regs[2]; r++)
			for (unsigned j = 0; j < eb; j++)
				t->b[g * t->s.k + r * 4 * eb + q * eb + j] =
					element_get(w, f.b[r], t->btype, l, j);
		for (unsigned i = 0; i < regs[3] * ec; i++)
			t->c[acc_index(t, l, i)] = element_get(w, f.c[i / ec], t->ctype, l, i % ec);
	}
}

/* ---- products of 16 rows by 8 columns of narrow floats, without tiles: the four elements of D that
 * a lane has are four products of tc_multiply_lanes(), by rows g and g + 8 and columns 2 t and 2 t + 1 ---- */

static bool is_fp8(unsigned type) { return type == T_E4M3 || type == T_E5M2; }

static bool has_lane_products(const struct inst *in)
{
	bool narrow = in->atype == T_F16 || in->atype == T_BF16 || in->atype == T_TF32;
	bool fp8 = is_fp8(in->atype);
	struct tile_shape s;
	return (narrow || fp8) && mma_shape(in, &s) && s.m == 16 && s.n == 8 &&
	       (fp8 ? s.k / 2 : s.k) <= TC_LANES_DEPTH && (fp8 || in->btype == in->atype) &&
	       in->stype == in->type && !(in->mods & M_SATFINITE);
}

/* A's elements in lane q of each quad, for all lanes of the quad. */
static void spread_row(struct tc_lanes *to, unsigned k, const float *value, const int16_t *exp,
		       unsigned q)
{
	for (unsigned g = 0; g < LANES; g += 4)
		for (unsigned t = 0; t < 4; t++) {
			to->value[k][g + t] = value[g + q];
			to->exp[k][g + t] = exp[g + q];
		}
}

/* B's elements of the columns 2 t + odd, which are in lane q of quad 2 t + odd, for lane t of every
 * quad. */
static void spread_column(struct tc_lanes *to, unsigned k, const float *value, const int16_t *exp,
			  unsigned q, unsigned odd)
{
	float v[4];
	int16_t e[4];
	for (unsigned t = 0; t < 4; t++) {
		v[t] = value[4 * (2 * t + odd) + q];
		e[t] = exp[4 * (2 * t + odd) + q];
	}
	for (unsigned g = 0; g < LANES; g += 4) {
		memcpy(&to->value[k][g], v, sizeof v);
		memcpy(&to->exp[k][g], e, sizeof e);
	}
}

/* Registers as the product takes them: 8-bit floats, of which product `half` has two of each register, as
 * f16. `room` is for these. */
static const uint32_t *lane_row(const struct warp *w, int32_t reg, unsigned type, unsigned half,
				uint32_t room[LANES])
{
	const uint32_t *p = row_u32(w, reg);
	for (unsigned l = 0; is_fp8(type) && l < LANES; l++) {
		uint32_t x = p[l] >> 16 * half;
		room[l] = fp8_to_f16(x & 0xff, type) | fp8_to_f16(x >> 8 & 0xff, type) << 16;
	}
	return is_fp8(type) ? room : p;
}

static unsigned product_type(unsigned type) { return is_fp8(type) ? T_F16 : type; }

/* Decodes operands. False: an operand is not finite, or too large or too small for the fast
 * product. */
static bool spread_operands(const struct warp *w, const struct uop *u, unsigned half,
			    struct tc_lanes a[2], struct tc_lanes b[2])
{
	const struct inst *in = u->in;
	struct frags f = frags_of(u);
	unsigned atype = product_type(in->atype), btype = product_type(in->btype),
		 each = per_register(atype);
	uint32_t room[LANES];
	bool odd = false;
	for (unsigned i = 0; i < each * in->grp[1]; i++) {
		float value[LANES];
		int16_t exp[LANES];
		unsigned r = i / each, j = i % each;
		const uint32_t *row = lane_row(w, f.a[r], in->atype, half, room);
		odd |= tc_lanes_decode(row, 16 * j, atype, value, exp);
		for (unsigned q = 0; q < 4; q++)
			spread_row(&a[r & 1], (r >> 1) * 4 * each + q * each + j, value, exp, q);
	}
	for (unsigned i = 0; i < each * in->grp[2]; i++) {
		float value[LANES];
		int16_t exp[LANES];
		unsigned r = i / each, j = i % each;
		const uint32_t *row = lane_row(w, f.b[r], in->btype, half, room);
		odd |= tc_lanes_decode(row, 16 * j, btype, value, exp);
		for (unsigned q = 0; q < 8; q++)
			spread_column(&b[q & 1], r * 4 * each + q / 2 * each + j, value, exp, q / 2,
				      q & 1);
	}
	return !odd;
}

/* Products of the operands, added to the elements d. False: some lanes need the product of single
 * elements. */
static bool multiply_spread(const struct warp *w, const struct uop *u, unsigned half,
			    uint32_t d[4][LANES])
{
	const struct inst *in = u->in;
	struct tc_lanes a[2], b[2];
	struct tile_shape s;
	mma_shape(in, &s);
	struct tc_job job = {is_fp8(in->atype) ? s.k / 2u : s.k,
			     product_type(in->atype),
			     product_type(in->btype),
			     in->type,
			     false,
			     0};
	if (!spread_operands(w, u, half, a, b))
		return false;
	for (unsigned i = 0; i < 4; i++)
		if (!tc_multiply_lanes(&job, &a[i >> 1], &b[i & 1], d[i], d[i]))
			return false;
	return true;
}

/* False, without a result: some lanes need the product of single elements. */
static bool multiply_lanes(struct warp *w, const struct uop *u, uint32_t mask)
{
	const struct inst *in = u->in;
	struct frags f = frags_of(u);
	uint32_t c[4][LANES], d[4][LANES];
	bool half = in->type == T_F16, fp8 = is_fp8(in->atype);
	for (unsigned i = 0; i < 4; i++) {
		const uint32_t *row = row_u32(w, f.c[half ? i / 2 : i]);
		for (unsigned l = 0; l < LANES; l++)
			c[i][l] = half ? row[l] >> 16 * (i & 1) & 0xffff : row[l];
	}
	if (fp8)
		memset(d, 0, sizeof d);
	else
		memcpy(d, c, sizeof d);
	if (!multiply_spread(w, u, 0, d) || (fp8 && !multiply_spread(w, u, 1, d)))
		return false;
	for (unsigned i = 0; i < 4 && fp8; i++)
		for (unsigned l = 0; l < LANES; l++)
			d[i][l] = fp8_add_last(c[i][l], d[i][l], in->type);
	for (unsigned i = 0; i < 4 && !half; i++)
		row_blend(row_u32(w, f.d[i]), d[i], mask);
	for (unsigned r = 0; r < 2 && half; r++) {
		for (unsigned l = 0; l < LANES; l++)
			d[2 * r][l] |= d[2 * r + 1][l] << 16;
		row_blend(row_u32(w, f.d[r]), d[2 * r], mask);
	}
	return true;
}

/* ---- products of integers, without tiles: each lane adds the products of the words of four lanes of A
 * by the words of four lanes of B ---- */

/* The bits [j * bits, (j + 1) * bits) of a word as a number. */
ALWAYS_INLINE int32_t element_of(uint32_t x, unsigned j, unsigned bits, bool is_signed)
{
	uint32_t up = x << (32 - bits - j * bits);
	return is_signed ? (int32_t)up >> (32 - bits) : (int32_t)(up >> (32 - bits));
}

ALWAYS_INLINE void add_words(int32_t *sum, const uint32_t *a, const uint32_t *b, unsigned bits,
			     bool a_signed, bool b_signed)
{
	LANE_LOOP {
		int32_t s = 0;
		for (unsigned j = 0; j < 32 / bits; j++)
			s += element_of(a[i], j, bits, a_signed) *
			     element_of(b[i], j, bits, b_signed);
		sum[i] += s;
	}
}

static void add_integers(const struct inst *in, int32_t *sum, const uint32_t *a, const uint32_t *b)
{
	bool as = type_is_signed(in->atype), bs = type_is_signed(in->btype);
	if (in->atype == T_B1)
		LANE_LOOP
			sum[i] +=
				__builtin_popcount(in->bop == BOP_AND ? a[i] & b[i] : a[i] ^ b[i]);
	else if (type_bits(in->atype) == 8 && as)
		bs ? add_words(sum, a, b, 8, true, true) : add_words(sum, a, b, 8, true, false);
	else if (type_bits(in->atype) == 8)
		bs ? add_words(sum, a, b, 8, false, true) : add_words(sum, a, b, 8, false, false);
	else if (as)
		bs ? add_words(sum, a, b, 4, true, true) : add_words(sum, a, b, 4, true, false);
	else
		bs ? add_words(sum, a, b, 4, false, true) : add_words(sum, a, b, 4, false, false);
}

static void multiply_integers(struct warp *w, const struct uop *u, uint32_t mask)
{
	const struct inst *in = u->in;
	struct frags f = frags_of(u);
	unsigned halves = in->grp[1] / in->grp[2]; /* 2: A has 16 rows */
	int32_t sum[4][LANES] = {{0}};
	for (unsigned r = 0; r < in->grp[2]; r++)
		for (unsigned q = 0; q < 4; q++) {
			uint32_t a[LANES], b[2][LANES];
			const uint32_t *col = row_u32(w, f.b[r]);
			for (unsigned l = 0; l < LANES; l++) {
				b[0][l] = col[8 * (l % 4) + q];
				b[1][l] = col[8 * (l % 4) + 4 + q];
			}
			for (unsigned h = 0; h < halves; h++) {
				const uint32_t *row = row_u32(w, f.a[halves * r + h]);
				for (unsigned l = 0; l < LANES; l++)
					a[l] = row[l / 4 * 4 + q];
				add_integers(in, sum[2 * h], a, b[0]);
				add_integers(in, sum[2 * h + 1], a, b[1]);
			}
		}
	for (unsigned i = 0; i < 2 * halves; i++) {
		const uint32_t *c = row_u32(w, f.c[i]);
		uint32_t d[LANES];
		for (unsigned l = 0; l < LANES; l++) {
			int64_t x = (int64_t)(int32_t)c[l] + sum[i][l];
			if (in->mods & M_SATFINITE)
				x = x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
			d[l] = (uint32_t)x;
		}
		row_blend(row_u32(w, f.d[i]), d, mask);
	}
}

static void mma_lanes(struct warp *w, const struct uop *u, uint32_t mask)
{
	if (!type_is_float(u->in->atype)) {
		multiply_integers(w, u, mask);
		return;
	}
	if (has_lane_products(u->in) && multiply_lanes(w, u, mask))
		return;
	struct tile t;
	struct frags f = frags_of(u);
	tile_start(&t, u->in);
	unsigned ed = per_register(t.dtype);
	mma_gather(w, u, &t);
	tile_multiply(&t);
	for (int l = 0; l < LANES; l++)
		for (unsigned i = 0; mask & lane_bit[l] && i < u->in->grp[0] * ed; i++)
			element_put(w, f.d[i / ed], t.dtype, l, i % ed, t.d[acc_index(&t, l, i)]);
}
LANEWISE(mma)

/* ---- m8n8k4 of f16: lanes 4p..4p+3 and 16+4p..16+4p+3 form pair p and share one product ---- */

static unsigned volta_index(const struct tile *t, unsigned type, int lane, unsigned i)
{
	unsigned low = (unsigned)lane & 3, up = lane >= 16 ? 4 : 0;
	if (type == T_F16)
		return (low + up) * t->s.n + i;
	unsigned row = (low & 1) + (i & 2) + up, col = (i & 4) + (low & 2) + (i & 1);
	return row * t->s.n + col;
}

static void volta_gather(const struct warp *w, const struct uop *u, struct tile *t, int pair)
{
	struct frags f = frags_of(u);
	bool col_a = u->in->mods & M_COL_A, col_b = u->in->mods & M_COL_B;
	unsigned ec = per_register(t->ctype);
	for (int l = 0; l < LANES; l++) {
		unsigned low = (unsigned)l & 3, up = l >= 16 ? 4 : 0;
		if ((l >> 2 & 3) != pair)
			continue;
		for (unsigned i = 0; i < 4; i++) {
			uint64_t a = element_get(w, f.a[i / 2], t->atype, l, i & 1);
			uint64_t b = element_get(w, f.b[i / 2], t->btype, l, i & 1);
			t->a[col_a ? (i + up) * 4 + low : (low + up) * 4 + i] = a;
			t->b[col_b ? (low + up) * 4 + i : (i + up) * 4 + low] = b;
		}
		for (unsigned i = 0; i < 8; i++)
			t->c[volta_index(t, t->ctype, l, i)] =
				element_get(w, f.c[i / ec], t->ctype, l, i % ec);
	}
}

static void mma_volta_lanes(struct warp *w, const struct uop *u, uint32_t mask)
{
	struct tile t;
	struct frags f = frags_of(u);
	unsigned ed = per_register(u->in->type);
	tile_start(&t, u->in);
	/* pairs share no lane, so one may be written before the next is read */
	for (int p = 0; p < 4; p++) {
		volta_gather(w, u, &t, p);
		tile_multiply(&t);
		for (int l = 0; l < LANES; l++)
			for (unsigned i = 0; (l >> 2 & 3) == p && mask & lane_bit[l] && i < 8; i++)
				element_put(w, f.d[i / ed], t.dtype, l, i % ed,
					    t.d[volta_index(&t, t.dtype, l, i)]);
	}
}
LANEWISE(mma_volta)

/* ---- wmma ---- */

/* Elements of a matrix, of which a lane has a run; of several copies the last is read. */
ALWAYS_INLINE void gather_runs(const struct warp *w, const int32_t *reg, unsigned type, unsigned e,
			       uint64_t *m, unsigned count, unsigned per)
{
	unsigned lanes = count / per < LANES ? count / per : LANES;
	for (unsigned i = 0; i < per; i++)
		for (unsigned l = 0; l < lanes; l++)
			m[l * per + i] =
				element_get(w, reg[i / e], type, (int)(LANES - lanes + l), i % e);
}

static void wmma_gather(const struct warp *w, const int32_t *reg, unsigned nregs, unsigned type,
			uint64_t *m, unsigned count)
{
	unsigned e = per_register(type), per = nregs * e;
	switch (type) { /* makes the type a constant in each copy of the code */
	case T_F16: gather_runs(w, reg, T_F16, 2, m, count, per); break;
	case T_F32: gather_runs(w, reg, T_F32, 1, m, count, per); break;
	default: gather_runs(w, reg, type, e, m, count, per); break;
	}
}

static void wmma_scatter(struct warp *w, const struct uop *u, const struct tile *t, uint32_t mask)
{
	struct frags f = frags_of(u);
	unsigned e = per_register(t->dtype), n = u->in->grp[0] * e, count = t->s.m * t->s.n;
	for (unsigned r = 0; r < u->in->grp[0] && lane_bits(t->dtype) <= 32; r++) {
		uint32_t d[LANES];
		for (unsigned l = 0; l < LANES; l++) {
			const uint64_t *x = &t->d[(l * n + r * e) & (count - 1)];
			d[l] = (uint32_t)(e == 2 ? x[0] | x[1] << 16 : x[0]);
		}
		row_blend(row_u32(w, f.d[r]), d, mask);
	}
	for (int l = 0; l < LANES && lane_bits(t->dtype) == 64; l++)
		for (unsigned i = 0; mask & lane_bit[l] && i < n; i++)
			element_put(w, f.d[i], t->dtype, l, 0, t->d[wmma_index(l, i, n, count)]);
}

static void wmma_lanes(struct warp *w, const struct uop *u, uint32_t mask)
{
	struct tile t;
	struct frags f = frags_of(u);
	const uint8_t *g = u->in->grp;
	tile_start(&t, u->in);
	wmma_gather(w, f.a, g[1], t.atype, t.a, (unsigned)t.s.m * t.s.k);
	wmma_gather(w, f.b, g[2], t.btype, t.b, (unsigned)t.s.k * t.s.n);
	wmma_gather(w, f.c, g[3], t.ctype, t.c, (unsigned)t.s.m * t.s.n);
	tile_multiply(&t);
	wmma_scatter(w, u, &t, mask);
}
LANEWISE(wmma)

/* ---- movmatrix: transposes an 8 x 8 matrix of b16, two elements per lane, rows of four lanes
 * ---- */

static void movmatrix_lanes(struct warp *w, const struct uop *u, uint32_t mask)
{
	uint32_t t[LANES];
	const uint32_t *a = row_u32(w, u->a);
	for (unsigned l = 0; l < LANES; l++) {
		unsigned row = l / 4, col = 2 * (l & 3), shift = row & 1 ? 16 : 0;
		uint32_t lo = a[col * 4 + row / 2] >> shift & 0xffff;
		uint32_t hi = a[(col + 1) * 4 + row / 2] >> shift & 0xffff;
		t[l] = lo | hi << 16;
	}
	row_blend(row_u32(w, u->d), t, mask);
}
LANEWISE(movmatrix)

bool bind_mma(const struct inst *in, struct uop *u)
{
	struct tile_shape s;
	switch (in->op) {
	case OP_MMA:
		if (!mma_shape(in, &s))
			return false;
		if (in->mode == SHAPE_M8N8K4 && in->atype == T_F16)
			return bind_pair(u, FN(mma_volta));
		return bind_pair(u, FN(mma));
	case OP_WMMA_MMA: return mma_shape(in, &s) && bind_pair(u, FN(wmma));
	case OP_MOVMATRIX: return bind_pair(u, FN(movmatrix));
	default: return bind_matrix_mem(in, u);
	}
}
