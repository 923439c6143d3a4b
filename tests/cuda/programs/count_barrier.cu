/* Barriers between blocks by a count that is right only for a moment: a waiting block must read it before
 * the first block arrives at the next barrier and raises it. Three forms of real programs: a count that
 * must be equal to a goal, a counter that wraps to zero, a count read by an addition of zero. */
#include "check.h"

enum { BLOCKS = 9, THREADS = 64, STEPS = 5 };
__device__ int arrived;
__device__ unsigned wrapping;

struct equal_count {
	static __device__ void wait(int barrier)
	{
		atomicAdd(&arrived, 1);
		while (*(volatile int *)&arrived != barrier * BLOCKS)
			;
	}
};

struct wrap_to_zero {
	static __device__ void wait(int)
	{
		if (atomicInc(&wrapping, BLOCKS - 1) < BLOCKS - 1)
			while (*(volatile unsigned *)&wrapping)
				;
	}
};

struct read_by_adding {
	static __device__ void wait(int barrier)
	{
		atomicAdd(&arrived, 1);
		while (atomicAdd(&arrived, 0) != barrier * BLOCKS)
			;
	}
};

template <class B> __device__ void all_blocks(int barrier)
{
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		B::wait(barrier);
	__syncthreads();
}

/* In each step a number becomes its right neighbour plus one. */
template <class B> __global__ void shift(volatile int *d)
{
	int i = blockIdx.x * THREADS + threadIdx.x, n = BLOCKS * THREADS;
	for (int s = 0; s < STEPS; s++) {
		int v = d[(i + 1) % n];
		all_blocks<B>(2 * s + 1);
		d[i] = v + 1;
		all_blocks<B>(2 * s + 2);
	}
}

template <class B> static void run(void)
{
	int n = BLOCKS * THREADS, *d, zero = 0;
	CUDA(cudaMallocManaged(&d, n * sizeof *d));
	for (int i = 0; i < n; i++)
		d[i] = i;
	CUDA(cudaMemcpyToSymbol(arrived, &zero, sizeof zero));
	shift<B><<<BLOCKS, THREADS>>>(d);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++)
		CHECK(d[i] == (i + STEPS) % n + STEPS);
	CUDA(cudaFree(d));
}

int main()
{
	run<equal_count>();
	run<wrap_to_zero>();
	run<read_by_adding>();
	return failures != 0;
}
