#include "dev.h"
/* Five generations of a one-dimensional automaton with halos in shared memory. */
KERNEL(stencil)
{
	__shared__ u32 row[130];
	u32 t = TIDX;
	u32 v = in[I];
	for (int g = 0; g < 5; g++) {
		row[t + 1] = v;
		if (t == 0)
			row[0] = in[(I + n - 1) % n];
		if (t == 127)
			row[129] = in[(I + 1) % n];
		SYNC();
		u32 l = row[t], r = row[t + 2];
		v = (l << 1 | l >> 31) ^ (v | r) ^ (u32)g;
		SYNC();
	}
	out[I] = v;
}
