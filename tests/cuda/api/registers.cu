// options: -maxrregcount=20
// -maxrregcount bounds the registers of kernels without launch bounds, and with them occupancy. nvcc
// embeds PTX without it, so that only programs of heddle cc show the bound.
#include "check.h"

/* Every value read is used twice, forwards and backwards: all are alive at once. */
static __device__ __forceinline__ float mix(volatile const float *in)
{
	float r[40], s = 0;
#pragma unroll
	for (int i = 0; i < 40; i++)
		r[i] = in[i * 32 + threadIdx.x];
#pragma unroll
	for (int i = 0; i < 40; i++)
		s = s * r[i] + r[39 - i];
	return s;
}
__global__ void any_size(float *out, const float *in) { out[threadIdx.x] = mix(in); }
__global__ void __launch_bounds__(128) bounded(float *out, const float *in) { out[threadIdx.x] = mix(in); }

int main()
{
	cudaFuncAttributes a, b;
	int blocks, more;
	OK(cudaFuncGetAttributes(&a, any_size));
	OK(cudaFuncGetAttributes(&b, bounded));
	CHECK(b.numRegs > 40);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 128, 0));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&more, any_size, 128, 0));
#if defined(__clang__)
	IS(a.numRegs, 20);
	CHECK(more > blocks);
#endif
	DONE();
}
