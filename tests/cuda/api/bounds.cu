// Launch bounds limit a kernel's registers: a kernel whose bounds promise blocks of n threads can
// be launched with n threads on every machine that supports such blocks.
#include "check.h"

static __device__ __forceinline__ float mix(volatile const float *in)
{
	float r[40], s = 0;
#pragma unroll
	for (int i = 0; i < 40; i++)
		r[i] = in[i * 32 + threadIdx.x % 32];
#pragma unroll
	for (int i = 0; i < 40; i++)
		s = s * r[i] + r[39 - i];
	return s;
}
__global__ void any_size(float *out, const float *in) { out[threadIdx.x] = mix(in); }
__global__ void __launch_bounds__(512) one(float *out, const float *in) { out[threadIdx.x] = mix(in); }
__global__ void __launch_bounds__(256, 3) three(float *out, const float *in) { out[threadIdx.x] = mix(in); }

int main()
{
	cudaFuncAttributes a, b, c;
	cudaDeviceProp p;
	float *in, *out, first, last;
	int blocks;
	OK(cudaGetDeviceProperties(&p, 0));
	OK(cudaFuncGetAttributes(&a, any_size));
	OK(cudaFuncGetAttributes(&b, one));
	OK(cudaFuncGetAttributes(&c, three));
	CHECK(b.numRegs <= a.numRegs && b.numRegs * 512 <= p.regsPerMultiprocessor);
	CHECK(c.numRegs <= a.numRegs && c.numRegs * 256 * 3 <= p.regsPerMultiprocessor);
	if (p.maxThreadsPerMultiProcessor >= 768) {
		OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, three, 256, 0));
		CHECK(blocks >= 3);
	}
	OK(cudaMalloc(&in, 40 * 32 * sizeof *in));
	OK(cudaMemset(in, 0, 40 * 32 * sizeof *in));
	OK(cudaMalloc(&out, 512 * sizeof *out));
	OK(cudaMemset(out, 1, 512 * sizeof *out));
	one<<<1, 512>>>(out, in);
	OK(cudaGetLastError());
	OK(cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(&last, out + 511, sizeof last, cudaMemcpyDeviceToHost));
	CHECK(first == 0 && last == 0);
	DONE();
}
