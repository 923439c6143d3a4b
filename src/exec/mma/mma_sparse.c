/* mma.sp: A has half of the elements of each row, and metadata says which ones. Metadata of row g +
 * 8 h of a warp comes from the threads of quad g that the selector names, 16 bits of a thread's
 * word per row, two threads for 32; rows of 8-bit elements have whole words, of thread h and, for
 * depth 64, of thread h + 2. Two bits are a position in a group of four; for tf32 four bits (4: the
 * first of a pair, 14: the second); for 4-bit elements two bits are the position of a pair among
 * four pairs. */
#include "exec/alu/float.h"
#include "exec/mma/tensor_core.h"
#include "exec/mma/wmma.h"

enum { ROWS = 16, DEPTH = 128 };

struct sparse {
	unsigned depth, stored; /* rows of B; elements in a row of A */
	uint32_t a[ROWS][DEPTH / 2], b[8][DEPTH], c[ROWS][8], d[ROWS][8];
	uint8_t place[ROWS][DEPTH / 2];
};

struct frags {
	const int32_t *d, *a, *b, *c, *meta;
};
static struct frags frags_of(const struct uop *u)
{
	const uint8_t *g = u->in->grp;
	const int32_t *c = u->v + g[0] + g[1] + g[2];
	return (struct frags){u->v, u->v + g[0], u->v + g[0] + g[1], c, c + g[3]};
}

static uint64_t row_metadata(const uint32_t *quad, unsigned half, unsigned bits, bool words,
			     unsigned sel)
{
	if (bits == 64)
		return quad[half] | (uint64_t)quad[half + 2] << 32;
	if (words)
		return quad[2 * sel + half];
	uint64_t low = quad[bits == 32 ? 2 * sel : sel] >> 16 * half & 0xffff;
	return bits == 32 ? low | (uint64_t)(quad[2 * sel + 1] >> 16 * half & 0xffff) << 16 : low;
}

static unsigned place_of(uint64_t v, unsigned e, unsigned bits)
{
	switch (bits) {
	case 32: return 2 * e + ((v >> 4 * e & 15) == 14);
	case 4: return e / 4 * 8 + 2 * (unsigned)(v >> e / 2 * 2 & 3) + e % 2;
	default: return e / 2 * 4 + (unsigned)(v >> 2 * e & 3);
	}
}

static void read_places(const struct warp *w, const struct uop *u, struct sparse *s)
{
	const uint32_t *meta = row_u32(w, frags_of(u).meta[0]);
	unsigned bits = type_bits(u->in->atype);
	unsigned row_bits = s->stored * (bits == 32 ? 4 : bits == 4 ? 1 : 2);
	for (unsigned r = 0; r < ROWS; r++) {
		uint64_t v = row_metadata(meta + r % 8 * 4, r / 8, row_bits, bits <= 8,
					  (unsigned)u->in->imm);
		for (unsigned e = 0; e < s->stored; e++)
			s->place[r][e] = (uint8_t)place_of(v, e, bits);
	}
}

/* Fragments are those of the dense instruction with A's stored depth, and with B's whole depth. */
static void gather_row(const struct warp *w, const struct uop *u, struct sparse *s)
{
	struct frags f = frags_of(u);
	const struct inst *in = u->in;
	unsigned ea = per_register(in->atype), eb = per_register(in->btype),
		 ec = per_register(in->stype);
	for (int l = 0; l < LANES; l++) {
		unsigned g = (unsigned)l / 4, q = (unsigned)l & 3;
		for (unsigned r = 0; r < in->grp[1]; r++)
			for (unsigned j = 0; j < ea; j++)
				s->a[g + 8 * (r & 1)][(r >> 1) * 4 * ea + q * ea + j] =
					(uint32_t)element_get(w, f.a[r], in->atype, l, j);
		for (unsigned r = 0; r < in->grp[2]; r++)
			for (unsigned j = 0; j < eb; j++)
				s->b[g][r * 4 * eb + q * eb + j] =
					(uint32_t)element_get(w, f.b[r], in->btype, l, j);
		for (unsigned i = 0; i < in->grp[3] * ec; i++)
			s->c[g + 8 * (i >> 1)][2 * q + (i & 1)] =
				(uint32_t)element_get(w, f.c[i / ec], in->stype, l, i % ec);
	}
}

static uint32_t dot_integers(const struct sparse *s, unsigned r, unsigned n, bool saturate)
{
	int64_t sum = (int32_t)s->c[r][n];
	for (unsigned e = 0; e < s->stored; e++)
		sum += (int64_t)(int32_t)s->a[r][e] * (int32_t)s->b[n][s->place[r][e]];
	if (saturate)
		sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
	return (uint32_t)sum;
}

/* d = c + a * b in one block, as the tensor core multiplies. Rows of A have `stored` elements, those with bit 1
 * of their number equal to `half`, or (half 2) all. The bits of b are filled in. */
static void multiply_block(const struct tc_job *j, const struct sparse *s, unsigned half,
			   struct tc_strip *b, uint32_t c[ROWS][8])
{
	tc_strip_decode(b, j->depth, j->btype);
	for (unsigned r = 0; r < ROWS; r++) {
		struct tc_row a;
		uint32_t d[TC_COLUMNS];
		a.stored = 0;
		for (unsigned e = 0; e < s->stored; e++)
			if (half == 2 || e / 2 % 2 == half) {
				a.bits[a.stored] = s->a[r][e];
				a.place[a.stored++] = s->place[r][e];
			}
		tc_row_decode(&a, j->depth, j->atype);
		for (unsigned n = 0; n < TC_COLUMNS; n++)
			d[n] = c[r][n % 8];
		tc_multiply(j, &a, b, d, d);
		memcpy(c[r], d, sizeof c[r]);
	}
}

static void fill_strip(const struct sparse *s, struct tc_strip *b)
{
	for (unsigned k = 0; k < s->depth; k++)
		for (unsigned n = 0; n < TC_COLUMNS; n++)
			b->bits[k][n] = s->b[n % 8][k];
}

/* 8-bit floats are f16 here, in two halves of the depth, as in the dense instruction: see mma.h. */
static void multiply_fp8(struct sparse *s, const struct inst *in)
{
	struct tc_strip b;
	struct tc_job j = {s->depth, T_F16, T_F16, in->type, false, 8};
	for (unsigned r = 0; r < ROWS; r++)
		for (unsigned e = 0; e < s->stored; e++)
			s->a[r][e] = fp8_to_f16(s->a[r][e], in->atype);
	for (unsigned n = 0; n < 8; n++)
		for (unsigned k = 0; k < s->depth; k++)
			s->b[n][k] = fp8_to_f16(s->b[n][k], in->btype);
	fill_strip(s, &b);
	memset(s->d, 0, sizeof s->d);
	multiply_block(&j, s, 0, &b, s->d);
	multiply_block(&j, s, 1, &b, s->d);
	for (unsigned r = 0; r < ROWS; r++)
		for (unsigned n = 0; n < 8; n++)
			s->d[r][n] = fp8_add_last(s->c[r][n], s->d[r][n], in->type);
}

static void multiply_floats(struct sparse *s, const struct inst *in)
{
	struct tc_strip b;
	struct tc_job j = {s->depth, in->atype, in->btype, in->type, false, 8};
	fill_strip(s, &b);
	memcpy(s->d, s->c, sizeof s->d);
	multiply_block(&j, s, 2, &b, s->d);
}

static void multiply_sparse(struct sparse *s, const struct inst *in)
{
	bool fp8 = in->atype == T_E4M3 || in->atype == T_E5M2;
	if (fp8)
		multiply_fp8(s, in);
	else if (type_is_float(in->atype))
		multiply_floats(s, in);
	for (unsigned r = 0; r < ROWS && !type_is_float(in->atype); r++)
		for (unsigned n = 0; n < 8; n++)
			s->d[r][n] = dot_integers(s, r, n, in->mods & M_SATFINITE);
}

static void mma_sp_part(struct warp *w, const struct uop *u)
{
	struct sparse s = {.depth = shape_dims[u->in->mode].k,
			   .stored = shape_dims[u->in->mode].k / 2};
	struct frags f = frags_of(u);
	unsigned ed = per_register(u->in->type);
	gather_row(w, u, &s);
	read_places(w, u, &s);
	multiply_sparse(&s, u->in);
	for (int l = 0; l < LANES; l++)
		for (unsigned i = 0; w->mask & lane_bit[l] && i < u->in->grp[0] * ed; i++)
			element_put(w, f.d[i / ed], u->in->type, l, i % ed,
				    s.d[l / 4 + 8 * (i >> 1)][2 * ((unsigned)l & 3) + (i & 1)]);
}

static void mma_sp_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	mma_sp_part(w, u);
}

bool bind_mma_sp(const struct inst *in, struct uop *u)
{
	return in->op == OP_MMA_SP && bind_pair(u, FN(mma_sp));
}
