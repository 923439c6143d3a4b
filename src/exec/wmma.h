/* Fragments of wmma: opaque to programs, so their layout is ours. */
#ifndef EXEC_WMMA_H
#define EXEC_WMMA_H
#include "exec/mma.h"

/* Which element (row-major) of a matrix of `count` lane `lane` holds as its i-th of `per`. Matrices
 * that are smaller than the fragments of a warp are held several times. */
static inline unsigned wmma_index(int lane, unsigned i, unsigned per, unsigned count)
{
	return ((unsigned)lane * per + i) % count;
}
/* The tile of a (w)mma instruction; false if there is none of that shape. */
bool mma_shape(const struct inst *in, struct tile_shape *s);

#endif
