/* A barrier between blocks by flags: one block's lanes each wait for the flag of another block, so that
 * several lanes of a warp poll, none of which can go on before the other blocks run. */
#include "check.h"

enum { BLOCKS = 7, THREADS = 64, STEPS = 6 };
__device__ volatile int arrived[BLOCKS], released[BLOCKS];

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

/* Every step each number becomes its right neighbour's, plus one. */
__global__ void shift(int *d)
{
	int i = blockIdx.x * THREADS + threadIdx.x, n = BLOCKS * THREADS;
	for (int s = 1; s <= STEPS; s++) {
		int v = ((volatile int *)d)[(i + 1) % n];
		__threadfence();
		all_blocks(2 * s - 1);
		d[i] = v + 1;
		__threadfence();
		all_blocks(2 * s);
	}
}

int main()
{
	int n = BLOCKS * THREADS, *d;
	CUDA(cudaMallocManaged(&d, n * sizeof *d));
	for (int i = 0; i < n; i++)
		d[i] = i;
	shift<<<BLOCKS, THREADS>>>(d);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++)
		CHECK(d[i] == (i + STEPS) % n + STEPS);
	return failures != 0;
}
