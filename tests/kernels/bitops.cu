#include "dev.h"
/* Counts, reversals, funnel shifts, saturating and high products as compilers make them. */
KERNEL(bitops)
{
	u32 v = in[I], w = in[(I + 17) % n];
	u32 a = (u32)__builtin_popcount(v) + (u32)__builtin_clz(v | 1) * 64 + (u32)__builtin_ctz(w | 0x80000000u) * 4096;
	u32 rev = __builtin_bitreverse32(v);
	u64 hi = (u64)v * w >> 32, f = ((u64)v << 32 | w) << (w & 31) >> 32;
	s32 shi = (s32)((s64)(s32)v * (s32)w >> 32), mx = (s32)v > (s32)w ? (s32)v : (s32)w;
	u32 sat = v + w < v ? ~0u : v + w;
	out[I] = a ^ rev ^ (u32)hi ^ (u32)f ^ (u32)shi ^ (u32)mx ^ sat;
}
