/* Matrix multiply-accumulate: tiles as plain arrays. mma.c knows fragments (which lane holds which
 * element), mma_dot.c knows the arithmetic. */
#ifndef EXEC_MMA_H
#define EXEC_MMA_H
#include "exec/uop.h"

enum { TILE_MN = 32, TILE_K = 64 }; /* b1 tiles count 32 bits as one element of k */

struct tile_shape {
	uint8_t m, n, k;
};

/* One tile product. Elements are raw bits, extended as their type says: a is row-major m x k, b is
 * column-major (each column's k elements together), c and d row-major m x n. */
struct tile {
	struct tile_shape s;
	uint8_t atype, btype, ctype, dtype, bop, rnd;
	bool satfinite;
	uint64_t a[16 * TILE_K], b[8 * TILE_K]; /* elements of a and b; shapes with larger m and
						 * n have a smaller k */
	uint64_t c[256], d[256];
};

/* Products of 8-bit floats (T_E4M3, T_E5M2). Hopper has no such mma: its assembler widens them to f16 and
 * makes two products: of the lower two elements of every register, then, added to that, of the upper two;
 * c is added last. */
uint32_t fp8_to_f16(uint32_t x, unsigned type);
uint32_t fp8_add_last(uint32_t c, uint32_t sum, unsigned type);
/* d = a * b + c. */
void tile_multiply(struct tile *t);

#endif
