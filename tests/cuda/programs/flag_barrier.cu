/* Barriers between blocks. By flags: one block's lanes each wait for the flag of another block, so that several lanes of a
 * warp poll, and none can continue before the other blocks run. By an exact count: the last block must not raise it again
 * before all have seen it. By loads past the L1 cache and plain stores, as before there
 * were strong loads. */
#include "check.h"

enum { BLOCKS = 7, THREADS = 64, STEPS = 6 };
__device__ volatile int arrived[BLOCKS], released[BLOCKS];

__device__ int count;
__device__ void all_counted(int step)
{
	__syncthreads();
	if (threadIdx.x == 0) {
		atomicAdd(&count, 1);
		while (*(volatile int *)&count != step * BLOCKS)
			;
	}
	__syncthreads();
}

__device__ void all_blocks(int step)
{
	int t = threadIdx.x, b = blockIdx.x;
	if (t == 0)
		arrived[b] = step;
	if (b == 1) {
		if (t < BLOCKS)
			while (arrived[t] != step)
				;
		__syncthreads();
		if (t < BLOCKS)
			released[t] = step;
	}
	if (t == 0)
		while (released[b] != step)
			;
	__syncthreads();
}

__device__ int here[BLOCKS];
__device__ int past_l1(const int *p)
{
	int v;
	asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(v) : "l"(p));
	return v;
}
__device__ void all_flagged(int)
{
	int t = threadIdx.x, b = blockIdx.x;
	__threadfence();
	__syncthreads();
	if (b == 0) {
		for (int i = t + 1; i < BLOCKS; i += THREADS)
			while (past_l1(here + i) == 0)
				__threadfence_block();
		__syncthreads();
		for (int i = t; i < BLOCKS; i += THREADS)
			here[i] = 0;
	} else {
		if (t == 0) {
			here[b] = 1;
			while (past_l1(here + b) == 1)
				__threadfence_block();
		}
		__syncthreads();
	}
}

/* In each step a number becomes its right neighbour plus one. */
template <void barrier(int)>
__global__ void shift(int *d)
{
	int i = blockIdx.x * THREADS + threadIdx.x, n = BLOCKS * THREADS;
	for (int s = 1; s <= STEPS; s++) {
		int v = ((volatile int *)d)[(i + 1) % n];
		__threadfence();
		barrier(2 * s - 1);
		d[i] = v + 1;
		__threadfence();
		barrier(2 * s);
	}
}

int main()
{
	int n = BLOCKS * THREADS, *d;
	CUDA(cudaMallocManaged(&d, n * sizeof *d));
	for (void (*kernel)(int *) : {shift<all_blocks>, shift<all_counted>, shift<all_flagged>}) {
		for (int i = 0; i < n; i++)
			d[i] = i;
		kernel<<<BLOCKS, THREADS>>>(d);
		CUDA(cudaDeviceSynchronize());
		for (int i = 0; i < n; i++)
			CHECK(d[i] == (i + STEPS) % n + STEPS);
	}
	return failures != 0;
}
