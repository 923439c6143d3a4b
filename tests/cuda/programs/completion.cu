/* A barrier's completion runs once per phase, after all threads arrived and before any continues; in shared memory for
 * a block, in global memory for blocks. */
#include <new>
#include <cuda/std/barrier>
#include "check.h"

enum { THREADS = 96, BLOCKS = 6, PHASES = 4 };

/* Adds up the values that the threads left, so that all can read the sum. */
struct add_up {
	volatile int *part, *sum;
	int n;
	__device__ void operator()()
	{
		int s = 0;
		for (int i = 0; i < n; i++)
			s += part[i];
		*sum = s;
	}
};

using block_barrier = cuda::barrier<cuda::thread_scope_block, add_up>;
using grid_barrier = cuda::std::barrier<add_up>;

__global__ void within(int *out)
{
	__shared__ block_barrier b;
	__shared__ int part[THREADS], sum;
	int t = threadIdx.x;
	if (t == 0)
		init(&b, THREADS, add_up{part, &sum, THREADS});
	__syncthreads();
	for (int p = 0; p < PHASES; p++) {
		part[t] = t + p;
		b.arrive_and_wait();
		out[p * THREADS + t] = *(volatile int *)&sum;
		b.arrive_and_wait();
	}
}

/* All blocks except block 0 leave after the first phase. */
__global__ void across(grid_barrier *b, int *part, int *sum, int *out)
{
	if (threadIdx.x)
		return;
	part[blockIdx.x] = 1;
	b->arrive_and_wait();
	out[blockIdx.x] = *(volatile int *)sum;
	part[blockIdx.x] = 10;
	if (blockIdx.x) {
		b->arrive_and_drop();
	} else {
		b->arrive_and_wait();
		out[BLOCKS] = *(volatile int *)sum;
		part[0] = 11;
		b->arrive_and_wait();
		out[BLOCKS + 1] = *(volatile int *)sum;
	}
}

__global__ void prepare(grid_barrier *b, int *part, int *sum)
{
	new (b) grid_barrier(BLOCKS, add_up{part, sum, BLOCKS});
}

static_assert(sizeof(cuda::barrier<cuda::thread_scope_block>) == 8, "an mbarrier");

int main()
{
	int *m;
	grid_barrier *b;
	CUDA(cudaMallocManaged(&m, PHASES * THREADS * sizeof *m));
	CUDA(cudaMallocManaged(&b, sizeof *b));
	within<<<1, THREADS>>>(m);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < PHASES * THREADS; i++)
		CHECK(m[i] == THREADS * (THREADS - 1) / 2 + i / THREADS * THREADS);
	prepare<<<1, 1>>>(b, m, m + BLOCKS);
	across<<<BLOCKS, 32>>>(b, m, m + BLOCKS, m + BLOCKS + 1);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < BLOCKS; i++)
		CHECK(m[BLOCKS + 1 + i] == BLOCKS);
	CHECK(m[2 * BLOCKS + 1] == 10 * BLOCKS && m[2 * BLOCKS + 2] == 10 * BLOCKS + 1);
	return failures != 0;
}
