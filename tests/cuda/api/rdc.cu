// options: -rdc=true
// Separate compilation: functions and variables of another file.
#include "check.h"

extern __device__ int shared_counter;
__device__ int triple(int x);
__device__ int (*const triple_of)(int) = triple; /* a value, not a definition */
cudaError_t other(int *p);

__global__ void use(int *p)
{
	*p = triple_of(7) + triple(7);
	atomicAdd(&shared_counter, 1);
}

int main()
{
	int *d, h;
	OK(cudaMalloc(&d, 4));
	OK(other(d)); /* kernels of both files see the one variable */
	use<<<1, 1>>>(d);
	OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
	IS(h, 42);
	OK(other(d));
	OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
	IS(h, 211);
	DONE();
}
