#include "dev.h"
/* Prefix sums with shuffles, and ranks by ballot. */
KERNEL(warpscan)
{
	u32 v = in[I] & 0xffff, lane = TIDX & 31, sum = v;
	for (u32 d = 1; d < 32; d *= 2) {
		u32 o = SHFL_UP(sum, d);
		if (lane >= d)
			sum += o;
	}
	u32 odd = BALLOT(v & 1), total = SHFL_IDX(sum, 31);
	out[I] = sum * 7 + total + (u32)__builtin_popcount(odd & ((1u << lane) - 1)) * 1000003u;
}
