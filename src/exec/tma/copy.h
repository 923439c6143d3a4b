/* The tensor copy engine: the rows of a box between a tensor in global memory and shared memory.
 *
 * A row is contiguous in both: in the tensor along dimension 0, in shared memory one pitch after
 * the previous row, with its chunks of 16 bytes exchanged by the swizzle. Three kinds of boxes have
 * rows: tiles, columns of pixels (im2col), slices of interleaved tensors. */
#ifndef EXEC_TMA_COPY_H
#define EXEC_TMA_COPY_H
#include "exec/tma/tensormap.h"

enum tensor_copy { TENSOR_LOAD, TENSOR_STORE, TENSOR_REDUCE, TENSOR_PREFETCH };

struct tensor_box {
	struct tensormap map;
	enum tensor_copy what;
	bool im2col;
	int32_t at[TENSOR_DIMS]; /* coordinates */
	uint16_t offset[3];      /* im2col loads: offsets added to dimensions 1 to rank - 2 of the
	                          * fetched elements */
};

/* The rule that the copy breaks, for which a GPU ends the kernel as for an illegal instruction; NULL: none.
 * op: enum atom of a reduction. */
const char *tensor_copy_refusal(const struct tensor_box *b, unsigned op);
/* Type of the elements (ir/type.h) by which a reduction adds or compares; 0: it has no such operation. */
unsigned tensor_reduce_type(const struct tensormap *t, unsigned op);

struct tensor_rows {
	const struct tensor_box *b;
	uint32_t n, bytes, pitch; /* rows; bytes of a row; distance of rows in shared memory,
				   * bytes */
	/* the present row: */
	uint32_t row;
	int64_t from; /* offset of the row's first byte from the tensor's address */
	uint32_t lo,
		hi; /* bytes [lo, hi) of the row lie inside the tensor; a store may extend hi to
		     * a multiple of 16 */
	/* position of the present row: */
	uint32_t index[TENSOR_DIMS], count[TENSOR_DIMS];
	int64_t pos[3], image;
};
void tensor_rows_start(struct tensor_rows *r, const struct tensor_box *b);
/* Advances to the next row (first: to the first one); false: there are no more. */
bool tensor_rows_next(struct tensor_rows *r);

/* Shared address of byte `at` (from the first row's start on) of a box that begins at address `base`. */
static inline uint32_t tensor_swizzle(const struct tensormap *t, uint32_t base, uint32_t at)
{
	static const uint8_t mask[] = {0, 1, 3, 7};
	uint32_t a = base + at;
	return a ^ (a >> 7 & mask[t->swizzle]) << 4;
}

/* Converts n loaded bytes: the tf32 types round to 10 fraction bits, other types stay. */
void tensor_convert(const struct tensormap *t, uint8_t *bytes, uint32_t n);
/* Writes the fill value to n bytes outside the tensor, from byte `at` of a row on. */
void tensor_fill(const struct tensormap *t, uint8_t *bytes, uint32_t at, uint32_t n);

#endif
