/* Copies boxes of tensors row by row (copy.h). */
#include "exec/tma/copy.h"

#include <string.h>
#include "ir/inst.h"

/* ---- rules ---- */

unsigned tensor_reduce_type(const struct tensormap *t, unsigned op)
{
	static const uint8_t type[TENSOR_TYPES] = {
		[TENSOR_U32] = T_U32,     [TENSOR_S32] = T_S32, [TENSOR_U64] = T_U64,
		[TENSOR_S64] = T_S64,     [TENSOR_F16] = T_F16, [TENSOR_F32] = T_F32,
		[TENSOR_F32_FTZ] = T_F32, [TENSOR_F64] = T_F64, [TENSOR_BF16] = T_BF16};
	unsigned ty = type[t->type];
	bool half = ty == T_F16 || ty == T_BF16, single = ty == T_F32 || ty == T_F64;
	switch (op) {
	case ATOM_ADD: return ty == T_S64 ? 0 : ty;
	case ATOM_MIN:
	case ATOM_MAX: return single ? 0 : ty;
	case ATOM_INC:
	case ATOM_DEC: return ty == T_U32 ? ty : 0;
	default: return half || single || ty == T_S64 ? 0 : ty;
	}
}

/* im2col: the first of the rank - 2 dimensions along which pixels run. Dimension 0 has the channels of a plain
 * tensor; in an interleaved one that is dimension rank - 2, and a pixel has a slice of it. */
static unsigned first_of_pixels(const struct tensormap *t) { return t->interleave ? 0 : 1; }

/* Returns the rule of im2col copies that the box's pixels break; NULL: none. */
static const char *pixels_refusal(const struct tensor_box *b, bool writes)
{
	const struct tensormap *t = &b->map;
	unsigned first = first_of_pixels(t);
	for (unsigned i = 0; i + 2 < t->rank; i++) {
		int64_t end = (int64_t)t->dim[i + first] + t->upper[i], x = b->at[i + first];
		if (x < t->lower[i] || x >= end)
			return tensor_refuse("coordinate %lld of dimension %u is outside the map's "
					     "bounding box, from %d to %lld",
					     (long long)x, i + first, t->lower[i],
					     (long long)end - 1);
		if (writes && (t->lower[i] < 0 || t->upper[i] > 0))
			return tensor_refuse(
				"the bounding box reaches beyond dimension %u (corners %d "
				"and %d), which only loads may",
				i + first, t->lower[i], t->upper[i]);
	}
	return NULL;
}

static uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/* True if the box has more rows than any shared memory has bytes: a map that no encode call has made. */
static bool has_too_many_rows(const struct tensormap *t)
{
	uint64_t n = 1;
	for (unsigned i = t->interleave ? 0 : 1; !t->im2col && i < t->rank; i++)
		n *= t->interleave && i + 2u == t->rank ? 1
							: ceil_div(t->box[i], t->element_stride[i]);
	return n > 228 << 10;
}

const char *tensor_copy_refusal(const struct tensor_box *b, unsigned op)
{
	const struct tensormap *t = &b->map;
	bool writes = b->what == TENSOR_STORE || b->what == TENSOR_REDUCE;
	if (b->im2col != t->im2col)
		return t->im2col ? "the tensor map is one for im2col copies"
				 : "the tensor map is not an im2col map";
	if (has_too_many_rows(t))
		return "the box is larger than shared memory";
	if (!t->interleave && (int64_t)b->at[0] * t->stride[0] % 16)
		return tensor_refuse("coordinate %d of dimension 0 is at byte %lld of its row, not "
				     "on 16 bytes",
				     b->at[0], (long long)b->at[0] * (long long)t->stride[0]);
	for (unsigned i = 0; i < t->rank && writes; i++)
		if (b->at[i] < 0)
			return tensor_refuse("coordinate %d of dimension %u is negative, which "
					     "only loads may be",
					     b->at[i], i);
	if (b->what == TENSOR_REDUCE && !tensor_reduce_type(t, op))
		return "the tensor's elements have no such reduction";
	return b->im2col ? pixels_refusal(b, writes) : NULL;
}

/* ---- rows ---- */

static void start_tile(struct tensor_rows *r)
{
	const struct tensormap *t = &r->b->map;
	r->n = 1;
	for (unsigned i = 1; i < t->rank; i++) {
		r->count[i] = ceil_div(t->box[i], t->element_stride[i]);
		r->n *= r->count[i];
	}
	r->bytes = t->box[0] * (uint32_t)t->stride[0];
}

/* A row is a slice; dimension 0 counts slices along the tensor's rows. In dimension rank - 2, the
 * channels, a box has one slice whatever its box size there. */
static void start_slices(struct tensor_rows *r)
{
	const struct tensormap *t = &r->b->map;
	r->n = 1;
	for (unsigned i = 0; i < t->rank; i++) {
		r->count[i] = i + 2u == t->rank ? 1 : ceil_div(t->box[i], t->element_stride[i]);
		r->n *= r->count[i];
	}
	r->bytes = 16u * t->interleave;
}

static void start_pixels(struct tensor_rows *r)
{
	const struct tensormap *t = &r->b->map;
	r->n = t->pixels;
	r->bytes = t->interleave ? 16u * t->interleave : t->channels * (uint32_t)t->stride[0];
	for (unsigned i = 0; i + 2 < t->rank; i++)
		r->pos[i] = r->b->at[i + first_of_pixels(t)];
	r->image = r->b->at[t->rank - 1];
}

void tensor_rows_start(struct tensor_rows *r, const struct tensor_box *b)
{
	uint32_t span = b->map.swizzle ? 16u << b->map.swizzle : 0;
	*r = (struct tensor_rows){.b = b, .row = ~0u};
	if (b->im2col)
		start_pixels(r);
	else if (b->map.interleave)
		start_slices(r);
	else
		start_tile(r);
	r->pitch = r->bytes < span && !b->map.interleave ? span : r->bytes;
}

/* Bytes of the present row that lie in the tensor: elements from `first` on, if all other
 * coordinates are inside. */
static void clip_rows(struct tensor_rows *r, int64_t first, bool inside)
{
	const struct tensormap *t = &r->b->map;
	int64_t w = (int64_t)t->stride[0], lo = first < 0 ? -first * w : 0;
	int64_t hi = ((int64_t)t->dim[0] - first) * w;
	if (r->b->what != TENSOR_LOAD) /* stores end at a multiple of 16 bytes */
		hi = (hi + 15) / 16 * 16;
	r->lo = inside ? (uint32_t)(lo < r->bytes ? lo : r->bytes) : 0;
	r->hi = inside && hi > 0 ? (uint32_t)(hi < r->bytes ? hi : r->bytes) : 0;
	if (r->hi <= r->lo)
		r->lo = r->hi = 0;
}

/* Adds x * stride modulo 2^64: coordinates outside of the tensor may be too far for an address. */
static void add_offset(struct tensor_rows *r, int64_t x, uint64_t stride)
{
	r->from = (int64_t)((uint64_t)r->from + (uint64_t)x * stride);
}

static void place_tile(struct tensor_rows *r)
{
	const struct tensormap *t = &r->b->map;
	bool inside = true;
	r->from = (int64_t)r->b->at[0] * (int64_t)t->stride[0];
	for (unsigned i = 1; i < t->rank; i++) {
		int64_t x = r->b->at[i] + (int64_t)r->index[i] * t->element_stride[i];
		inside &= x >= 0 && x < (int64_t)t->dim[i];
		add_offset(r, x, t->stride[i]);
	}
	clip_rows(r, r->b->at[0], inside);
}

static void place_slice(struct tensor_rows *r)
{
	const struct tensormap *t = &r->b->map;
	bool inside = true;
	r->from = 0;
	for (unsigned i = 0; i < t->rank; i++) {
		int64_t x = r->b->at[i] + (int64_t)r->index[i] * t->element_stride[i];
		inside &= x >= 0 && x < (int64_t)t->dim[i];
		add_offset(r, x, i ? t->stride[i] : 16u * t->interleave);
	}
	r->lo = 0;
	r->hi = inside ? r->bytes : 0;
}

static void place_pixel(struct tensor_rows *r)
{
	const struct tensormap *t = &r->b->map;
	unsigned first = first_of_pixels(t), last = t->rank - 1u;
	bool inside = r->image >= 0 && r->image < (int64_t)t->dim[last];
	r->from = 0;
	add_offset(r, r->image, t->stride[last]);
	for (unsigned i = 0; i + 2 < t->rank; i++) {
		int64_t x = r->pos[i] + r->b->offset[i];
		inside &= x >= 0 && x < (int64_t)t->dim[i + first];
		add_offset(r, x, i + first ? t->stride[i + first] : 16u * t->interleave);
	}
	if (t->interleave) {
		int64_t x = r->b->at[last - 1];
		inside &= x >= 0 && x < (int64_t)t->dim[last - 1];
		add_offset(r, x, t->stride[last - 1]);
		r->lo = 0;
		r->hi = inside ? r->bytes : 0;
		return;
	}
	add_offset(r, r->b->at[0], t->stride[0]);
	clip_rows(r, r->b->at[0], inside);
}

/* Advances to the next pixel: from lower to size + upper - 1 in each dimension; then to the next
 * row, plane and image. */
static void step_pixel(struct tensor_rows *r)
{
	const struct tensormap *t = &r->b->map;
	unsigned first = first_of_pixels(t);
	for (unsigned i = 0; i + 2 < t->rank; i++) {
		r->pos[i] += t->element_stride[i + first];
		if (r->pos[i] < (int64_t)t->dim[i + first] + t->upper[i])
			return;
		r->pos[i] = t->lower[i];
	}
	r->image += t->element_stride[t->rank - 1];
}

static void step_index(struct tensor_rows *r)
{
	for (unsigned i = r->b->map.interleave ? 0 : 1; i < r->b->map.rank; i++) {
		if (++r->index[i] < r->count[i])
			return;
		r->index[i] = 0;
	}
}

bool tensor_rows_next(struct tensor_rows *r)
{
	bool first = r->row++ == ~0u;
	if (r->row >= r->n)
		return false;
	if (r->b->im2col) {
		if (!first)
			step_pixel(r);
		place_pixel(r);
	} else {
		if (!first)
			step_index(r);
		if (r->b->map.interleave)
			place_slice(r);
		else
			place_tile(r);
	}
	return true;
}

/* ---- elements ---- */

/* Rounds to nearest even at bit 13; NaN becomes the canonical one. */
static uint32_t to_tf32(uint32_t v)
{
	if ((v & 0x7f800000) != 0x7f800000)
		return (v + 0xfff + (v >> 13 & 1)) & ~0x1fffu;
	return v & 0x7fffff ? 0x7fffe000 : v;
}

void tensor_convert(const struct tensormap *t, uint8_t *bytes, uint32_t n)
{
	for (uint32_t i = 0; t->tf32 && i + 4 <= n; i += 4) {
		uint32_t v;
		memcpy(&v, bytes + i, 4);
		v = to_tf32(v);
		memcpy(bytes + i, &v, 4);
	}
}

void tensor_fill(const struct tensormap *t, uint8_t *bytes, uint32_t at, uint32_t n)
{
	static const uint8_t pattern[] = {0xf7, 0x7f};
	for (uint32_t i = 0; i < n; i++)
		bytes[i] = t->nan ? pattern[(at + i) % 2] : 0;
}
