#include "dev.h"
/* An array indexed by data lives in local memory: each thread does an insertion sort. */
KERNEL(locals)
{
	u32 a[16];
	for (u32 i = 0; i < 16; i++)
		a[i] = in[(I * 7 + i * 13) % n];
	for (u32 i = 1; i < 16; i++) {
		u32 v = a[i], j = i;
		for (; j && a[j - 1] > v; j--)
			a[j] = a[j - 1];
		a[j] = v;
	}
	out[I] = a[in[I] & 15] + 31 * a[7];
}
