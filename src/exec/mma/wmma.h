/* Fragments in registers. Fragments of wmma are opaque to programs, so their layout is Heddle's
 * own: a and c are taken row by row, b column by column, and a lane holds a run of consecutive
 * elements. */
#ifndef EXEC_WMMA_H
#define EXEC_WMMA_H
#include "exec/lanes.h"
#include "exec/mma/mma.h"

/* The index of the element, among the `count` of a matrix, that a lane holds as number i of its
 * `per` elements. A matrix smaller than a warp's fragments is held several times. */
static inline unsigned wmma_index(int lane, unsigned i, unsigned per, unsigned count)
{
	return ((unsigned)lane * per + i) % count;
}
/* The tile shape of an instruction, k in elements (b1: in words of 32 bits); false: the instruction
 * has no tile. */
bool mma_shape(const struct inst *in, struct tile_shape *s);

/* Bits of an element in registers: b1 is handled as words of 32 bits. */
static inline unsigned lane_bits(unsigned type) { return type == T_B1 ? 32 : type_bits(type); }
/* Elements of a fragment's register (f64: of its pair of rows). */
static inline unsigned per_register(unsigned type)
{
	unsigned bits = lane_bits(type);
	return bits >= 32 ? 1 : 32 / bits;
}

/* Reads element j of a lane's register, extended; element_set() writes it. */
static inline uint64_t element_get(const struct warp *w, int32_t reg, unsigned type, int lane,
				   unsigned j)
{
	const uint32_t *p = row_u32(w, reg);
	unsigned bits = lane_bits(type);
	if (bits >= 32)
		return bits == 64 ? pair_get(p, lane) : p[lane];
	uint32_t up = p[lane] << (32 - bits - j * bits);
	return type_is_signed(type) ? (uint64_t)(int64_t)((int32_t)up >> (32 - bits))
				    : up >> (32 - bits);
}
static inline void element_put(struct warp *w, int32_t reg, unsigned type, int lane, unsigned j,
			       uint64_t x)
{
	uint32_t *p = row_u32(w, reg);
	unsigned bits = lane_bits(type);
	if (bits == 64) {
		pair_put(p, lane, x);
	} else if (bits == 32) {
		p[lane] = (uint32_t)x;
	} else {
		uint32_t m = ((1u << bits) - 1) << (j * bits);
		p[lane] = (p[lane] & ~m) | ((uint32_t)x << (j * bits) & m);
	}
}

/* wmma.load, wmma.store, ldmatrix, stmatrix. */
bind_fn bind_matrix_mem;

#endif
