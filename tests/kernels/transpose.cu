#include "dev.h"
/* 32 x 4 tiles through padded shared memory; bytes of a word reversed on the way. */
KERNEL(transpose)
{
	__shared__ u32 tile[32][5];
	u32 t = TIDX;
	tile[t % 32][t / 32] = in[I];
	SYNC();
	u32 v = tile[t / 4][t % 4];
	out[I] = v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
}
