#include "dev.h"
/* Vector types and 128-bit accesses. */
typedef u32 u32x4 __attribute__((vector_size(16)));
KERNEL(halves)
{
	u32x4 v = ((const u32x4 *)in)[I / 4], w = v;
	w[0] = v[3] * 3;
	w[1] += v[0] >> 5;
	w[2] ^= v[1];
	w[3] = w[0] + w[1] + w[2];
	if (I % 4 == 0)
		((u32x4 *)out)[I / 4] = w;
}
