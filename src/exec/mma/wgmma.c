/* wgmma.mma_async: a warp group's product of a 64 x K by a K x N matrix. A warp computes its 16
 * rows when it executes the instruction; wgmma.wait_group, a barrier, brings the four warps
 * together.
 *
 * Fragments, lane = 4 g + t of warp w, e = 32 / bits of the type:
 *   a  register r: row 16 w + g + 8 (r & 1), k = (r >> 1) 4e + t e + j
 *   d  f32, s32: register r: row 16 w + g + 8 (r / 2 & 1), column 8 (r / 4) + 2 t + (r & 1)
 *      f16: register r: row 16 w + g + 8 (r & 1), columns 8 (r / 2) + 2 t and the next */
#include "exec/memory/access.h"
#include "exec/observer.h"
#include "exec/mma/descriptor.h"
#include "exec/mma/tensor_core.h"
#include "exec/mma/wmma.h"

enum { ROWS = 16, CHUNK = 16, COLUMNS_MAX = 256, BIT_WORDS = 8 };

/* The properties of an instruction's operands. */
struct product {
	const struct inst *in;
	const int32_t *acc, *a, *b, *meta, *scale;
	unsigned n, depth, row_elements; /* columns; rows of B; elements of a row of A */
	unsigned abits, bbits;
};

static struct product product_of(const struct uop *u)
{
	const struct inst *in = u->in;
	bool sparse = in->imm & WG_SPARSE;
	struct product p = {.in = in, .acc = u->v + in->nd, .n = in->mode * 8u};
	p.abits = p.bbits = type_bits(in->atype);
	p.row_elements = 256 / p.abits;
	p.depth = p.row_elements << sparse;
	p.a = p.acc + in->grp[0];
	p.b = p.a + (in->grp[1] ? in->grp[1] : 1);
	p.meta = sparse ? p.b + 1 : NULL;
	p.scale = p.b + 1 + sparse;
	return p;
}

/* Descriptors are equal in all lanes: the lowest lane's is used. */
static struct descriptor read_descriptor(const struct warp *w, int32_t row, uint32_t mask)
{
	return descriptor_of(pair_get(row_u32(w, row), __builtin_ctz(mask)));
}

/* ---- operands from shared memory ---- */

struct reader {
	struct warp *w;
	const struct uop *u;
	struct descriptor d;
	char which;
};

/* 16 bytes of the block's shared memory; zeros after a fault. */
static void read_chunk(const struct reader *r, uint32_t addr, void *out)
{
	const struct cta *b = r->w->cta;
	if (addr + CHUNK <= b->l->shared_bytes) {
		if (b->l->observer)
			b->l->observer->async_read(r->w, r->u, (unsigned)__builtin_ctz(r->w->mask),
						   addr, CHUNK);
		memcpy(out, b->shared + addr, CHUNK);
		return;
	}
	memset(out, 0, CHUNK);
	exec_fault(
		r->w, r->u, (unsigned)__builtin_ctz(r->w->active), HEDDLE_FAULT_BOUNDS, addr, CHUNK,
		"the descriptor of matrix %c reaches shared address 0x%x: the block has %u bytes of it",
		r->which, addr, b->l->shared_bytes);
}

/* Rows [from, from + n) along K, `bytes` of each, one after the other. */
static void read_along_k(const struct reader *r, unsigned from, unsigned n, unsigned bytes,
			 uint8_t *out)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned c = 0; c < bytes / CHUNK; c++)
			read_chunk(r, descriptor_along_k(&r->d, from + i, c),
				   out + i * bytes + c * CHUNK);
}

/* Reads rows of a matrix that lies along M or N; its elements have 16 bits. */
static void read_across(const struct reader *r, unsigned from, unsigned n, unsigned depth,
			uint8_t *out)
{
	uint16_t *rows = (uint16_t *)out;
	for (unsigned k = 0; k < depth; k++)
		for (unsigned c = 0; c < n / 8; c++) {
			uint16_t x[8];
			read_chunk(r, descriptor_across(&r->d, from / 8 + c, k), x);
			for (unsigned i = 0; i < 8; i++)
				rows[(c * 8 + i) * depth + k] = x[i];
		}
}

/* Elements of a warp's 16 rows of A as they lie in memory, row after row. */
static void read_a(struct warp *w, const struct uop *u, const struct product *p, uint8_t *out)
{
	unsigned bytes = p->row_elements * p->abits / 8, first = w->id % 4 * ROWS;
	if (!p->in->grp[1]) {
		struct reader r = {w, u, read_descriptor(w, p->a[0], w->mask), 'a'};
		if (p->in->imm & WG_TRANS_A)
			read_across(&r, first, ROWS, p->row_elements, out);
		else
			read_along_k(&r, first, ROWS, bytes, out);
		return;
	}
	for (unsigned q = 0; q < 4; q++) {
		const uint32_t *reg = row_u32(w, p->a[q]);
		for (unsigned l = 0; l < LANES; l++)
			memcpy(out + (l / 4 + 8 * (q & 1)) * bytes + (q >> 1) * 16 + l % 4 * 4,
			       &reg[l], 4);
	}
}

static void read_b(struct warp *w, const struct uop *u, const struct product *p, unsigned from,
		   unsigned n, uint8_t *out)
{
	struct reader r = {w, u, read_descriptor(w, p->b[0], w->mask), 'b'};
	if (p->in->imm & WG_TRANS_B)
		read_across(&r, from, n, p->depth, out);
	else
		read_along_k(&r, from, n, p->depth * p->bbits / 8, out);
}

static uint32_t element_at(const uint8_t *row, unsigned bits, unsigned k)
{
	uint32_t x;
	uint16_t h;
	switch (bits) {
	case 8: return row[k];
	case 16: memcpy(&h, row + 2 * k, 2); return h;
	default: memcpy(&x, row + 4 * k, 4); return x;
	}
}

/* ---- sparse rows ---- */

/* Positions of a row's stored elements among the rows of B. 16 and 32 bits: two threads of the
 * row's quad, given by the selector, hold a half-word each; 8 bits: two words. Two bits are a
 * position in a group of four; for tf32 four bits, 4 the first of a pair and 14 the second. */
static void sparse_places(const struct warp *w, const struct product *p, unsigned row,
			  uint8_t *place)
{
	const uint32_t *meta = row_u32(w, p->meta[0]) + row % 8 * 4;
	unsigned half = row / 8, sel = (unsigned)(p->in->imm >> WG_SELECTOR & 1);
	uint64_t v = p->abits == 8
			     ? meta[half] | (uint64_t)meta[half + 2] << 32
			     : (meta[2 * sel] >> 16 * half & 0xffff) |
				       (uint64_t)(meta[2 * sel + 1] >> 16 * half & 0xffff) << 16;
	for (unsigned e = 0; e < p->row_elements; e++)
		place[e] = p->abits == 32 ? (uint8_t)(2 * e + ((v >> 4 * e & 15) == 14))
					  : (uint8_t)(e / 2 * 4 + (v >> 2 * e & 3));
}

static void places_of(const struct warp *w, const struct product *p, unsigned row, uint8_t *place)
{
	if (p->meta)
		sparse_places(w, p, row, place);
	else
		for (unsigned e = 0; e < p->row_elements; e++)
			place[e] = (uint8_t)e;
}

/* ---- accumulators ---- */

/* The word of an s32 element. */
static uint32_t *acc_word(const struct warp *w, const int32_t *acc, unsigned row, unsigned n)
{
	unsigned reg = n / 8 * 4 + row / 8 * 2 + n % 2;
	return row_u32(w, acc[reg]) + row % 8 * 4 + n % 8 / 2;
}

/* True if scale-d leaves the accumulator out. */
static bool starts_from_zero(const struct warp *w, const struct product *p, uint32_t mask)
{
	const struct opnd *o = inst_src(p->in, p->in->ns - 1u);
	if (o->kind == OPND_IMM)
		return !o->imm;
	bool on = w->pred[*p->scale] >> __builtin_ctz(mask) & 1;
	return on == !!(o->mod & OPND_NOT);
}

/* ---- narrow floats ---- */

static void fill_rows(const struct warp *w, const struct product *p, const uint8_t *a,
		      struct tc_row *row)
{
	for (unsigned r = 0; r < ROWS; r++) {
		row[r].stored = p->row_elements;
		places_of(w, p, r, row[r].place);
		for (unsigned e = 0; e < p->row_elements; e++)
			row[r].bits[e] =
				element_at(a + r * p->row_elements * p->abits / 8, p->abits, e);
		tc_row_decode(&row[r], p->depth, p->in->atype);
	}
}

/* Converts elements of n columns, stored one after the other, to rows of a strip. */
static void transpose_strip(const uint8_t *raw, unsigned n, unsigned depth, unsigned bits,
			    uint32_t (*out)[TC_COLUMNS])
{
	for (unsigned i = 0; i < TC_COLUMNS; i++) {
		const uint8_t *column = raw + (i < n ? i : 0) * depth * bits / 8;
		if (bits == 16)
			for (unsigned k = 0; k < depth; k++)
				out[k][i] = element_at(column, 16, k);
		else
			for (unsigned k = 0; k < depth; k++)
				out[k][i] = element_at(column, bits, k);
	}
}

/* A strip with the bytes that it was decoded from. */
struct known_strip {
	unsigned columns, depth, type; /* columns 0: nothing is known */
	uint8_t raw[TC_COLUMNS * TC_DEPTH * 4];
	struct tc_strip strip;
};
enum { STRIPS = COLUMNS_MAX / TC_COLUMNS };

/* Columns [from, from + n) of B; unused columns of the strip repeat the first. The four warps of a
 * group read one matrix one after the other, so a strip is decoded only if its bytes have
 * changed. */
static const struct tc_strip *find_strip(struct warp *w, const struct uop *u,
					 const struct product *p, unsigned from, unsigned n)
{
	static _Thread_local struct known_strip known[STRIPS];
	struct known_strip *s = &known[from / TC_COLUMNS];
	uint8_t raw[TC_COLUMNS * TC_DEPTH * 4];
	unsigned bytes = p->depth * p->bbits / 8;
	read_b(w, u, p, from, n, raw);
	if (s->columns == n && s->depth == p->depth && s->type == p->in->btype &&
	    !memcmp(s->raw, raw, n * bytes))
		return &s->strip;
	s->columns = n;
	s->depth = p->depth;
	s->type = p->in->btype;
	memcpy(s->raw, raw, n * bytes);
	transpose_strip(raw, n, p->depth, p->bbits, s->strip.bits);
	tc_strip_decode(&s->strip, p->depth, p->in->btype);
	return &s->strip;
}

/* Accumulators of 16 rows by the columns [from, from + n), row after row. */
typedef uint32_t acc_tile[ROWS][TC_COLUMNS];

static void load_tile(const struct warp *w, const struct product *p, unsigned from, unsigned n,
		      acc_tile c)
{
	bool half = p->in->type == T_F16;
	for (unsigned r = 0; r < (half ? n / 4 : n / 2); r++) {
		const uint32_t *x = row_u32(w, p->acc[(half ? from / 4 : from / 2) + r]);
		if (half)
			for (unsigned g = 0; g < 8; g++)
				for (unsigned t = 0; t < 4; t++) {
					uint32_t *to = &c[r % 2 * 8 + g][r / 2 * 8 + t * 2];
					to[0] = x[g * 4 + t] & 0xffff;
					to[1] = x[g * 4 + t] >> 16;
				}
		else
			for (unsigned g = 0; g < 8; g++) {
				uint32_t *to = &c[r / 2 % 2 * 8 + g][r / 4 * 8 + r % 2];
				to[0] = x[g * 4];
				to[2] = x[g * 4 + 1];
				to[4] = x[g * 4 + 2];
				to[6] = x[g * 4 + 3];
			}
	}
	for (unsigned r = 0; r < ROWS && n < TC_COLUMNS; r++)
		for (unsigned i = n; i < TC_COLUMNS; i++)
			c[r][i] = c[r][0];
}

static void store_tile(const struct warp *w, const struct uop *u, unsigned from, unsigned n,
		       acc_tile c)
{
	bool half = u->in->type == T_F16;
	for (unsigned r = 0; r < (half ? n / 4 : n / 2); r++) {
		uint32_t *x = row_u32(w, u->v[(half ? from / 4 : from / 2) + r]);
		if (half)
			for (unsigned g = 0; g < 8; g++)
				for (unsigned t = 0; t < 4; t++) {
					const uint32_t *d = &c[r % 2 * 8 + g][r / 2 * 8 + t * 2];
					x[g * 4 + t] = d[0] | d[1] << 16;
				}
		else
			for (unsigned g = 0; g < 8; g++) {
				const uint32_t *d = &c[r / 2 % 2 * 8 + g][r / 4 * 8 + r % 2];
				x[g * 4] = d[0];
				x[g * 4 + 1] = d[2];
				x[g * 4 + 2] = d[4];
				x[g * 4 + 3] = d[6];
			}
	}
}

static void multiply_floats(struct warp *w, const struct uop *u, const struct product *p)
{
	struct tc_row row[ROWS];
	uint8_t a[ROWS * TC_DEPTH * 4];
	acc_tile c;
	bool fresh = starts_from_zero(w, p, w->mask);
	struct tc_job j = {p->depth,    p->in->atype,           p->in->btype,
			   p->in->type, p->in->imm & WG_NEGATE, 0};
	read_a(w, u, p, a);
	fill_rows(w, p, a, row);
	for (unsigned from = 0; from < p->n && !w->stop; from += TC_COLUMNS) {
		unsigned n = p->n - from < TC_COLUMNS ? p->n - from : TC_COLUMNS;
		j.columns = n;
		const struct tc_strip *strip = find_strip(w, u, p, from, n);
		if (fresh)
			memset(c, 0, sizeof c);
		else
			load_tile(w, p, from, n, c);
		for (unsigned r = 0; r < ROWS; r++)
			tc_multiply(&j, &row[r], strip, c[r], c[r]);
		store_tile(w, u, from, n, c);
	}
}

/* ---- integers ---- */

static int16_t widen(uint8_t x, unsigned type) { return type == T_S8 ? (int8_t)x : x; }

static int32_t dot_bytes(const int16_t *a, const int16_t *b, unsigned n)
{
	int32_t sum = 0;
	for (unsigned k = 0; k < n; k++)
		sum += a[k] * b[k];
	return sum;
}

static int32_t dot_bits(const uint8_t *a, const uint8_t *b)
{
	int32_t sum = 0;
	for (unsigned k = 0; k < BIT_WORDS; k++) {
		uint32_t x, y;
		memcpy(&x, a + 4 * k, 4);
		memcpy(&y, b + 4 * k, 4);
		sum += __builtin_popcount(x & y);
	}
	return sum;
}

static uint32_t add_dot(const struct product *p, uint32_t c, int32_t dot)
{
	int64_t d = (int64_t)(int32_t)c + dot;
	if (p->in->mods & M_SATFINITE)
		d = d > INT32_MAX ? INT32_MAX : d < INT32_MIN ? INT32_MIN : d;
	return (uint32_t)d;
}

/* Multiplies rows of A by rows of B; missing elements of a sparse row are zeros. */
static void widen_rows(const struct warp *w, const struct product *p, const uint8_t *a,
		       int16_t *out)
{
	uint8_t place[TC_DEPTH];
	memset(out, 0, ROWS * p->depth * sizeof *out);
	for (unsigned r = 0; r < ROWS; r++) {
		places_of(w, p, r, place);
		for (unsigned e = 0; e < p->row_elements; e++)
			out[r * p->depth + place[e]] =
				(int16_t)(out[r * p->depth + place[e]] +
					  widen(a[r * p->row_elements + e], p->in->atype));
	}
}

static void multiply_integers(struct warp *w, const struct uop *u, const struct product *p)
{
	bool bits = p->in->atype == T_B1, fresh = starts_from_zero(w, p, w->mask);
	uint8_t a[ROWS * TC_DEPTH], b[8 * TC_DEPTH];
	int16_t wide_a[ROWS * TC_DEPTH], wide_b[8 * TC_DEPTH];
	read_a(w, u, p, a);
	if (!bits)
		widen_rows(w, p, a, wide_a);
	for (unsigned from = 0; from < p->n && !w->stop; from += 8) {
		read_b(w, u, p, from, 8, b);
		for (unsigned i = 0; i < 8 * p->depth && !bits; i++)
			wide_b[i] = widen(b[i], p->in->btype);
		for (unsigned r = 0; r < ROWS; r++)
			for (unsigned i = 0; i < 8; i++) {
				int32_t dot = bits ? dot_bits(a + r * 32, b + i * 32)
						   : dot_bytes(wide_a + r * p->depth,
							       wide_b + i * p->depth, p->depth);
				uint32_t c = fresh ? 0 : *acc_word(w, p->acc, r, from + i);
				*acc_word(w, u->v, r, from + i) = add_dot(p, c, dot);
			}
	}
}

static void wgmma_part(struct warp *w, const struct uop *u)
{
	struct product p = product_of(u);
	if (type_is_float(p.in->atype))
		multiply_floats(w, u, &p);
	else
		multiply_integers(w, u, &p);
}

static void wgmma_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	wgmma_part(w, u);
}

bool bind_wgmma(const struct inst *in, struct uop *u)
{
	if (in->op != OP_WGMMA)
		return false;
	u->flags |= UOP_FAULTS;
	return bind_pair(u, FN(wgmma));
}
