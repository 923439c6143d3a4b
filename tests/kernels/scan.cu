#include "dev.h"
/* Inclusive prefix sum of a block, Hillis-Steele in shared memory with two buffers. */
KERNEL(scan)
{
	__shared__ u32 buf[2][128];
	u32 t = TIDX, from = 0;
	buf[0][t] = in[I];
	SYNC();
	for (u32 d = 1; d < 128; d *= 2) {
		buf[1 - from][t] = buf[from][t] + (t >= d ? buf[from][t - d] : 0);
		from = 1 - from;
		SYNC();
	}
	out[I] = buf[from][t];
}
