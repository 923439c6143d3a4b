/* Prefix sums of a predicate by a vote of the lower lanes: each lane passes a mask without itself.
 * PTX leaves this undefined; hardware counts the lanes of the mask, and programs rely on it. */
#include "check.h"

enum { THREADS = 64 };

__global__ void lower_votes(const int *in, int *ballot, int *any)
{
	unsigned lane = threadIdx.x % 32, lower = (1u << lane) - 1;
	ballot[threadIdx.x] = __popc(__ballot_sync(lower, in[threadIdx.x]));
	any[threadIdx.x] = __any_sync(lower, in[threadIdx.x]);
}

int main()
{
	int *in, *ballot, *any;
	CUDA(cudaMallocManaged(&in, THREADS * sizeof *in));
	CUDA(cudaMallocManaged(&ballot, THREADS * sizeof *ballot));
	CUDA(cudaMallocManaged(&any, THREADS * sizeof *any));
	for (int i = 0; i < THREADS; i++)
		in[i] = i % 32 > 4 && i % 3 == 0;
	lower_votes<<<1, THREADS>>>(in, ballot, any);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0, sum = 0; i < THREADS; i++) {
		if (i % 32 == 0)
			sum = 0;
		CHECK(ballot[i] == sum);
		CHECK(any[i] == (sum > 0));
		sum += in[i];
	}
	return failures != 0;
}
