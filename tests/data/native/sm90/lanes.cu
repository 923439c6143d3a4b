// nvcc 13.0 -arch=sm_90 -cubin: what machine code of today asks of a simulator besides arithmetic.
#include <cassert>
#include <cstdio>

// Each lane of a warp waits for a lock that another one of them holds.
__device__ int held;
extern "C" __global__ void spin(int *sum)
{
	for (bool done = false; !done;) {
		if (!atomicCAS(&held, 0, 1)) {
			__threadfence();
			*(volatile int *)sum += threadIdx.x + 1;
			__threadfence();
			atomicExch(&held, 0);
			done = true;
		}
	}
}

__constant__ int factor[2] = {3, 5};
__device__ int offset = 7;
__device__ int *where = &offset;
__device__ __noinline__ int scale(int x) { return x * factor[x & 1]; }
__device__ __noinline__ int shift(int x) { return x + *where; }
typedef int (*function)(int);
__device__ function table[2] = {scale, shift};

// Calls through pointers, and of the system's functions.
extern "C" __global__ void calls(int *out)
{
	int i = threadIdx.x, *p = (int *)malloc(16);
	p[1] = table[i >> 2 & 1](i);
	assert(p[1] < 1000);
	if (i % 8 == 5)
		printf("lane %d has %d\n", i, p[1]);
	out[i] = p[1];
	free(p);
}

// Votes and shuffles in a branch, reductions, shared memory by generic addresses.
extern "C" __global__ void groups(unsigned *out)
{
	__shared__ unsigned s[64];
	extern __shared__ unsigned dyn[];
	unsigned i = threadIdx.x, v = i * 2654435761u;
	unsigned *p = i & 1 ? s : dyn;
	p[i] = v;
	__syncthreads();
	v = p[i ^ 2];
	if (i % 32 % 3 == 0)
		v += __reduce_add_sync(__activemask(), v >> 8) + __shfl_sync(0x49249249, v, 9);
	else
		v ^= __match_any_sync(0xb6db6db6, v & 3) + __ballot_sync(0xb6db6db6, v & 64);
	out[i] = v + __syncthreads_count(v & 1);
}

// Constants that bits choose.
#define FOUR(x) x, x * 3u + 1, x * 5u + 2, x * 7u + 3
__constant__ unsigned direction[32] = {FOUR(1u), FOUR(21u), FOUR(343u), FOUR(4567u), FOUR(56789u), FOUR(678901u), FOUR(7890123u), FOUR(89012345u)};
extern "C" __global__ void bits(unsigned *out)
{
	unsigned x = 0, at = (threadIdx.x + 1) * 2654435761u;
	for (int bit = 0; bit < 32; bit++, at >>= 1)
		if (at & 1)
			x ^= direction[bit];
	out[threadIdx.x] = x;
}
