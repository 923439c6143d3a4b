// What copies of the host leave in the L2: three launches read the first of n buffers of KB kilobytes. One process per case.
//
//   nvcc -arch=sm_90 -O3 -o copies copies.cu
//   ncu --clock-control none --cache-control none --metrics dram__bytes_read.sum,sm__cycles_active.max ./copies KB N SET
//
// copies.tsv has KB, N, SET, the launch, bytes read from DRAM and active cycles.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void read(const uint4 *a, size_t n, unsigned *o)
{
	uint4 s = {0, 0, 0, 0};
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x) {
		uint4 v = a[i];
		s.x ^= v.x ^ v.y ^ v.z ^ v.w;
	}
	if (s.x == 77)
		*o = 1;
}
int main(int argc, char **argv)
{
	size_t kb = atoi(argv[1]), n = atoi(argv[2]); // n buffers of kb KB are copied; the first is read
	int set = atoi(argv[3]);                       // 1: all memory was set before
	char *a[16], *h = (char *)calloc(1, 64 << 20), *big;
	unsigned *o;
	cudaMalloc(&o, 4);
	if (set) {
		cudaMalloc(&big, 256 << 20);
		cudaMemset(big, 0, 256 << 20);
	}
	for (size_t i = 0; i < n; i++) {
		cudaMalloc(&a[i], kb << 10);
		cudaMemcpy(a[i], h, kb << 10, cudaMemcpyHostToDevice);
	}
	for (int k = 0; k < 3; k++) {
		read<<<264, 512>>>((uint4 *)a[0], (kb << 10) / 16, o);
		cudaDeviceSynchronize();
	}
	return 0;
}
