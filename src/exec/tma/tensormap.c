/* Reads and writes tensor maps as bytes; tensormap.h describes the format. */
#include <stdarg.h>
#include <stdio.h>
#include "exec/tma/tensormap.h"

#include <string.h>

unsigned tensor_type_bytes(unsigned type)
{
	static const uint8_t bytes[TENSOR_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2};
	return type < TENSOR_TYPES ? bytes[type] : 0;
}

/* ---- bits ---- */

static uint64_t get_bits(const uint8_t *b, unsigned at, unsigned n)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)(b[(at + i) / 8] >> (at + i) % 8 & 1) << i;
	return v;
}

static void put_field(uint8_t *b, unsigned at, unsigned n, uint64_t v)
{
	for (unsigned i = 0; i < n; i++) {
		uint8_t bit = (uint8_t)(1u << (at + i) % 8);
		uint8_t *p = &b[(at + i) / 8];
		*p = v >> i & 1 ? *p | bit : (uint8_t)(*p & ~bit);
	}
}

/* Bits of a bounding-box corner's coordinate in a map of this rank. */
static unsigned corner_bits(unsigned rank)
{
	return rank == 3 ? 16 : rank == 4 ? 8 : rank == 5 ? 5 : 0;
}

static int32_t sign_extend(uint64_t v, unsigned n)
{
	return n ? (int32_t)((uint32_t)v << (32 - n)) >> (32 - n) : 0;
}

bool tensormap_read(const uint8_t b[TENSORMAP_BYTES], struct tensormap *t)
{
	*t = (struct tensormap){.addr = get_bits(b, 0, 64),
				.im2col = get_bits(b, 64, 1),
				.rank = (uint8_t)(get_bits(b, 68, 3) + 1),
				.type = (uint8_t)get_bits(b, 71, 4),
				.interleave = (uint8_t)get_bits(b, 75, 2),
				.swizzle = (uint8_t)get_bits(b, 77, 2),
				.nan = get_bits(b, 79, 1),
				.tf32 = get_bits(b, 80, 1),
				.l2 = (uint8_t)get_bits(b, 81, 2),
				.channels = (uint32_t)get_bits(b, 440, 8) + 1,
				.pixels = (uint32_t)get_bits(b, 480, 10) + 1};
	if (t->rank > TENSOR_DIMS || !tensor_type_bytes(t->type))
		return false;
	unsigned c = corner_bits(t->rank);
	for (unsigned i = 0; i < TENSOR_DIMS; i++) {
		t->dim[i] = get_bits(b, 256 + 32 * i, 32) + 1;
		t->element_stride[i] = (uint32_t)get_bits(b, 416 + 3 * i, 3) + 1;
		t->box[i] = (uint32_t)get_bits(b, 440 + 8 * i, 8) + 1;
		t->stride[i] =
			i ? (get_bits(b, 64 + 32 * i, 32) | get_bits(b, 220 + 4 * i, 4) << 32) << 4
			  : tensor_type_bytes(t->type);
	}
	for (unsigned i = 0; t->im2col && i + 2 < t->rank; i++) {
		t->lower[i] = sign_extend(get_bits(b, 448 + c * i, c), c);
		t->upper[i] = sign_extend(get_bits(b, 464 + c * i, c), c);
	}
	return true;
}

/* The size of a box that the driver stores. The copies do not use it: they take all of dimension 0,
 * and round up elsewhere. */
static uint64_t box_bytes(const struct tensormap *t)
{
	uint64_t n = tensor_type_bytes(t->type);
	if (t->im2col)
		return n * t->channels * t->pixels;
	for (unsigned i = 0; i < t->rank; i++)
		n *= t->box[i] / t->element_stride[i];
	return n;
}

void tensormap_write(const struct tensormap *t, uint8_t b[TENSORMAP_BYTES])
{
	static const uint16_t repeat[] = {16, 256, 512, 1024};
	unsigned c = corner_bits(t->rank);
	memset(b, 0, TENSORMAP_BYTES);
	put_field(b, 0, 64, t->addr);
	put_field(b, 64, 1, t->im2col);
	put_field(b, 68, 3, t->rank - 1u);
	put_field(b, 71, 4, t->type);
	put_field(b, 75, 2, t->interleave);
	put_field(b, 77, 2, t->swizzle);
	put_field(b, 79, 1, t->nan);
	put_field(b, 80, 1, t->tf32);
	put_field(b, 81, 2, t->l2);
	for (unsigned i = 0; i < t->rank; i++) {
		put_field(b, 256 + 32 * i, 32, t->dim[i] - 1);
		put_field(b, 416 + 3 * i, 3, t->element_stride[i] - 1);
		if (!t->im2col)
			put_field(b, 440 + 8 * i, 8, t->box[i] - 1);
		if (i) {
			put_field(b, 64 + 32 * i, 32, t->stride[i] >> 4);
			put_field(b, 220 + 4 * i, 4, t->stride[i] >> 36);
		}
	}
	if (t->im2col) {
		put_field(b, 440, 8, t->channels - 1);
		put_field(b, 480, 10, t->pixels - 1);
	}
	for (unsigned i = 0; t->im2col && i + 2 < t->rank; i++) {
		put_field(b, 448 + c * i, c, (uint32_t)t->lower[i]);
		put_field(b, 464 + c * i, c, (uint32_t)t->upper[i]);
	}
	put_field(b, 512, 64, box_bytes(t));
	put_field(b, 576, 16, repeat[t->swizzle]);
}

/* ---- rules of the encode calls ---- */

enum { ADDRESS_BITS = 57, BOX_BYTES = 228 << 10 }; /* BOX_BYTES: the shared memory of an SM */

static bool is_integer(const struct tensormap *t) { return t->type < TENSOR_F16; }

const char *tensor_refuse(const char *fmt, ...)
{
	static _Thread_local char text[200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return text;
}

static const char *tensor_refusal(const struct tensormap *t)
{
	unsigned unit = t->interleave == 2 ? 32 : 16;
	const char *with = t->interleave == 2 ? " (with the interleave of 32 bytes)" : "";
	if (t->addr >> ADDRESS_BITS)
		return tensor_refuse("the tensor's address 0x%llx is not below 2^%u",
				     (unsigned long long)t->addr, ADDRESS_BITS);
	if (t->addr % unit)
		return tensor_refuse("the tensor's address 0x%llx is not a multiple of %u%s",
				     (unsigned long long)t->addr, unit, with);
	for (unsigned i = 0; i < t->rank; i++) {
		unsigned long long n = t->dim[i], stride = t->stride[i];
		if (!n || n > 1ull << 32)
			return tensor_refuse(
				"dimension %u has %llu elements: 1 to 2^32 are possible", i, n);
		if (i && stride % unit)
			return tensor_refuse(
				"the stride of dimension %u, %llu bytes, is not a multiple of "
				"%u%s",
				i, stride, unit, with);
		if (i && stride >= 1ull << 40)
			return tensor_refuse(
				"the stride of dimension %u, %llu bytes, is not below 2^40", i,
				stride);
		if (!t->element_stride[i] || t->element_stride[i] > 8)
			return tensor_refuse(
				"the element stride of dimension %u is %u: 1 to 8 are possible", i,
				t->element_stride[i]);
	}
	if (t->nan && is_integer(t))
		return "the NaN fill is for floating-point elements";
	return NULL;
}

/* inner: bytes of a row of the box. */
static const char *row_refusal(const struct tensormap *t, uint64_t inner)
{
	uint64_t span = 16u << t->swizzle;
	if (t->interleave && t->rank < 3)
		return "interleaved tensors have three dimensions or more";
	if (inner % 16)
		return tensor_refuse(
			"the box's inner dimension, %llu bytes, is not a multiple of 16 bytes",
			(unsigned long long)inner);
	if (t->swizzle && !t->interleave && inner > span)
		return tensor_refuse(
			"the box's inner dimension, %llu bytes, is larger than the span of the "
			"swizzle, %llu bytes",
			(unsigned long long)inner, (unsigned long long)span);
	return NULL;
}

const char *tensormap_refusal(const struct tensormap *t)
{
	unsigned bytes = tensor_type_bytes(t->type);
	if (!bytes)
		return "there is no such element type";
	if (t->rank < (t->im2col ? 3 : 1) || t->rank > TENSOR_DIMS)
		return t->im2col ? "an im2col tensor has three to five dimensions"
				 : "a tensor has one to five dimensions";
	if (t->interleave > 2 || t->swizzle > 3 || t->l2 > 3)
		return "there is no such interleave, swizzle or promotion";
	const char *why = tensor_refusal(t);
	if (why)
		return why;
	if (t->im2col && (!t->channels || t->channels > 256 || !t->pixels || t->pixels > 1024))
		return tensor_refuse(
			"a column of %u channels and %u pixels: 1 to 256 channels and 1 to 1024 "
			"pixels are possible",
			t->channels, t->pixels);
	int32_t reach = 1 << (corner_bits(t->rank) ? corner_bits(t->rank) - 1 : 0);
	for (unsigned i = 0; t->im2col && i + 2 < t->rank; i++)
		if (t->lower[i] < -reach || t->lower[i] >= reach || t->upper[i] < -reach ||
		    t->upper[i] >= reach)
			return tensor_refuse(
				"the bounding box's corners in dimension %u are %d and %d: %d to "
				"%d are possible with %u dimensions",
				i + 1, t->lower[i], t->upper[i], -reach, reach - 1, t->rank);
	for (unsigned i = 0; t->im2col && i + 2 < t->rank; i++) {
		unsigned dim = t->interleave ? i : i + 1; /* interleaved tensors count from
							   * dimension 0, others from 1 */
		int32_t end = (int32_t)((uint32_t)t->dim[dim] +
					/* wraps at 32 bits, as in the driver */
					(uint32_t)t->upper[i]);
		if (end <= t->lower[i])
			return tensor_refuse(
				"the bounding box is empty in dimension %u: it goes from %d to "
				"%lld",
				dim, t->lower[i], (long long)end - 1);
	}
	for (unsigned i = 0; !t->im2col && i < t->rank; i++)
		if (!t->box[i] || t->box[i] > 256)
			return tensor_refuse(
				"the box has %u elements in dimension %u: 1 to 256 are possible",
				t->box[i], i);
	if (box_bytes(t) > BOX_BYTES)
		return tensor_refuse("a box of %llu bytes: at most %d are possible",
				     (unsigned long long)box_bytes(t), BOX_BYTES);
	return row_refusal(t, (uint64_t)bytes * (t->im2col ? t->channels : t->box[0]));
}

/* ---- tensormap.replace ---- */

void tensormap_replace(uint8_t b[TENSORMAP_BYTES], unsigned field, unsigned ord, uint64_t v)
{
	if (ord >= TENSOR_DIMS)
		return;
	switch (field) {
	case TMF_ADDRESS: put_field(b, 0, 64, v); break;
	case TMF_RANK: put_field(b, 68, 3, v); break;
	case TMF_BOX: put_field(b, 440 + 8 * ord, 8, v - 1); break;
	case TMF_DIM: put_field(b, 256 + 32 * ord, 32, v - 1); break;
	case TMF_STRIDE:
		if (ord + 1 == TENSOR_DIMS) /* a map has only four strides */
			break;
		put_field(b, 96 + 32 * ord, 32, v >> 4);
		put_field(b, 224 + 4 * ord, 4, v >> 36);
		break;
	case TMF_ELEMENT_STRIDE: put_field(b, 416 + 3 * ord, 3, v - 1); break;
	case TMF_TYPE: /* 11 and 12 are the tf32 types */
		put_field(b, 71, 4, v > 10 ? v - 4 : v);
		put_field(b, 80, 1, v > 10);
		break;
	case TMF_INTERLEAVE: put_field(b, 75, 2, v); break;
	case TMF_SWIZZLE: put_field(b, 77, 2, v); break;
	case TMF_FILL: put_field(b, 79, 1, v); break;
	}
}
