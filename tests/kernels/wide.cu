#include "dev.h"
/* 64-bit integers: products, quotients, shifts, signed and unsigned. */
KERNEL(wide)
{
	u64 a = (u64)in[I] << 32 | in[(I + 1) % n], b = (u64)in[(I + 2) % n] * 2654435761u + 1;
	s64 s = (s64)a, q = s / (s64)(b >> 11 | 1), r = s % (s64)(b >> 23 | 1);
	u64 h = (a ^ a >> 29) * 0xbf58476d1ce4e5b9ull, d = a / (b >> 7 | 1), m = h % (b | 1);
	h ^= (u64)q + (u64)r + d * 3 + m + (u64)(s >> (a & 63)) + (a << (b & 63));
	out[I] = (u32)h ^ (u32)(h >> 32);
}
