#include "dev.h"
/* Double precision and conversions both ways. */
KERNEL(doubles)
{
	double x = (double)in[I] / 4294967296.0 + 0.5, y = 1.0, s = 0;
	for (int i = 1; i < 20; i++) {
		y = y * x / (double)i;
		s += y;
	}
	float f = (float)s;
	s64 k = (s64)(s * 1e9) - (s64)(x * 1e12);
	out[I] = (u32)k ^ (u32)(k >> 32) ^ bits_of(f) ^ (u32)(s32)(-s * 1000.0) ^ (u32)(u64)(s * 3e9);
}
