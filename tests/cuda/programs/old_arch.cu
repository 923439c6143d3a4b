// options: -arch=sm_20
/* Votes and block-wide counts as programs of Fermi's time use them, compiled for it: clang has no
 * instruction of its own for the votes there. */
#include "check.h"

enum { THREADS = 96 };

__global__ void votes(const int *in, int *all, int *any, unsigned *ballot, int *count)
{
	int i = threadIdx.x;
	all[i] = __all(in[i] < 70);
	any[i] = __any(in[i] == 40);
	ballot[i] = __ballot(in[i] & 1);
	count[i] = __syncthreads_count(in[i] % 3 == 0);
}

int main()
{
	int *in, *all, *any, *count;
	unsigned *ballot;
	CUDA(cudaMallocManaged(&in, THREADS * sizeof *in));
	CUDA(cudaMallocManaged(&all, THREADS * sizeof *all));
	CUDA(cudaMallocManaged(&any, THREADS * sizeof *any));
	CUDA(cudaMallocManaged(&ballot, THREADS * sizeof *ballot));
	CUDA(cudaMallocManaged(&count, THREADS * sizeof *count));
	for (int i = 0; i < THREADS; i++)
		in[i] = i;
	votes<<<1, THREADS>>>(in, all, any, ballot, count);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < THREADS; i++) {
		CHECK(all[i] == (i < 64));
		CHECK(any[i] == (i / 32 == 1));
		CHECK(ballot[i] == 0xaaaaaaaau);
		CHECK(count[i] == THREADS / 3);
	}
	return failures != 0;
}
