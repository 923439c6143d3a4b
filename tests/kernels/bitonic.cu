#include "dev.h"
/* Sorts a block's values. */
KERNEL(bitonic)
{
	__shared__ u32 a[128];
	u32 t = TIDX;
	a[t] = in[I];
	SYNC();
	for (u32 k = 2; k <= 128; k *= 2)
		for (u32 j = k / 2; j; j /= 2) {
			u32 p = t ^ j;
			if (p > t) {
				u32 x = a[t], y = a[p];
				if (((t & k) == 0) == (x > y)) {
					a[t] = y;
					a[p] = x;
				}
			}
			SYNC();
		}
	out[I] = a[t];
}
