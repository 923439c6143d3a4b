/* Static and dynamic shared memory of sm_90: a block may have 227 KB of its own; the system's 1 KB is not counted as
 * static. */
// options: -arch=sm_90
#include "check.h"

__global__ void fixed(int *out)
{
	__shared__ int s[64];
	s[threadIdx.x] = out[threadIdx.x];
	__syncthreads();
	out[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void sized(int *out, int n)
{
	extern __shared__ int s[];
	s[n / 4 - 64 + threadIdx.x] = (int)threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = s[n / 4 - 1 - threadIdx.x];
}

int main()
{
	const int most = 227 * 1024;
	int *d, blocks;
	cudaFuncAttributes a, b;
	CUDA(cudaMallocManaged(&d, 64 * sizeof *d));
	CUDA(cudaFuncGetAttributes(&a, fixed));
	CUDA(cudaFuncGetAttributes(&b, sized));
	CHECK(a.sharedSizeBytes == 256 && b.sharedSizeBytes == 0);
	CHECK(cudaFuncSetAttribute(sized, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1) == cudaErrorInvalidValue);
	CHECK(cudaFuncSetAttribute(fixed, cudaFuncAttributeMaxDynamicSharedMemorySize, most - 255) == cudaErrorInvalidValue);
	cudaGetLastError();
	CUDA(cudaFuncSetAttribute(fixed, cudaFuncAttributeMaxDynamicSharedMemorySize, most - 256));
	CUDA(cudaFuncSetAttribute(sized, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
	sized<<<1, 64, most>>>(d, most);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < 64; i++)
		CHECK(d[i] == 63 - i);
	/* an SM has 228 KB, of which each block gives 1 KB to the system */
	CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sized, 64, 113 * 1024));
	CHECK(blocks == 2);
	CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sized, 64, most));
	CHECK(blocks == 1);
	CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sized, 64, most + 1));
	CHECK(blocks == 0);
	return failures != 0;
}
