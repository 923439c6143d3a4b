#include "dev.h"
/* 64 bins in shared memory with atomics, then added to global memory. */
KERNEL(histogram)
{
	__shared__ u32 bin[64];
	if (TIDX < 64)
		bin[TIDX] = 0;
	SYNC();
	ADD(&bin[in[I] >> 26], 1u);
	ADD(&bin[in[I] & 63], 3u);
	SYNC();
	if (TIDX < 64)
		ADD(&out[TIDX], bin[TIDX]);
	if (TIDX >= 64)
		out[64 + BIDX * 64 + TIDX - 64] = bin[TIDX - 64];
}
