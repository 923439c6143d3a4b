/* The rule of lazy block scheduling, exported for its test. */
#ifndef GPU_DISPATCH_LCS_H
#define GPU_DISPATCH_LCS_H
#include "gpu/dispatch.h"

enum { LCS_BLOCKS = 1024 };

/* Number of blocks that an SM needs, from the instructions that each of its n blocks has issued
 * when the first of them ends. */
unsigned lcs_limit(const uint64_t *issued, unsigned n);

#endif
