#include "dev.h"
/* Functions that are not inlined, take structures, recurse, and are called through pointers. */
struct pair {
	u32 a;
	s64 b;
	u16 c;
};
__device__ __noinline__ static struct pair mix(struct pair p, u32 k)
{
	struct pair r = {p.a * 31 + k, p.b - (s64)p.a, (u16)(p.c + k)};
	return r;
}
__device__ __noinline__ static u32 ackermann(u32 m, u32 k)
{
	if (m == 0)
		return k + 1;
	return k == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, k - 1));
}
__device__ __noinline__ static u32 twice(u32 x) { return 2 * x + 1; }
__device__ __noinline__ static u32 square(u32 x) { return x * x; }
__device__ __noinline__ static u32 flip(u32 x) { return ~x ^ x << 7; }
typedef u32 (*unary)(u32);
KERNEL(calls)
{
	struct pair p = {in[I], (s64)in[(I + 3) % n] - 1000, (u16)I};
	for (u32 i = 0; i < 3; i++)
		p = mix(p, i);
	const unary table[3] = {twice, square, flip};
	unary f = table[in[I] % 3], g = table[p.a % 3];
	out[I] = f(p.a) ^ g((u32)p.b) ^ p.c ^ ackermann(2, in[I] & 3) << 20;
}
