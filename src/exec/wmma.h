/* Fragments in registers. Those of wmma are opaque to programs, so their layout is ours: a and c are
 * taken row by row, b column by column, and a lane holds a run of consecutive elements.           */
#ifndef EXEC_WMMA_H
#define EXEC_WMMA_H
#include "exec/lanes.h"
#include "exec/mma.h"

/* Which element of a matrix of `count` lane `lane` holds as its i-th of `per`. Matrices that are
 * smaller than the fragments of a warp are held several times. */
static inline unsigned wmma_index(int lane, unsigned i, unsigned per, unsigned count)
{
	return ((unsigned)lane * per + i) % count;
}
/* The tile of an instruction, k in elements (b1: in words of 32); false if it has none. */
bool mma_shape(const struct inst *in, struct tile_shape *s);

/* A type as it lies in registers: b1 is handled as words of 32. */
static inline unsigned lane_bits(unsigned type) { return type == T_B1 ? 32 : type_bits(type); }
/* Elements of a fragment's register (f64: of its pair of rows). */
unsigned per_register(unsigned type);
/* Element j of a lane's register, extended; and writing it. */
uint64_t element_get(const struct warp *w, int32_t reg, unsigned type, int lane, unsigned j);
void element_put(struct warp *w, int32_t reg, unsigned type, int lane, unsigned j, uint64_t x);

/* wmma.load, wmma.store, ldmatrix, stmatrix. */
bind_fn bind_matrix_mem;

#endif
