// What a kernel's first launch costs: kernels of three kinds that nothing has launched before, each launched three times.
//
//   nvcc -arch=sm_90 -O3 -o first first.cu
//   ncu --clock-control none --cache-control none --metrics sm__cycles_active.max ./first
//
// first.tsv has the active cycles of the launches.
#include <cstdio>
#include <cuda_runtime.h>
template <int id> __global__ void tiny(float *y) { y[blockIdx.x * blockDim.x + threadIdx.x] = id; }
template <int id> __global__ void reads(float *y, const float *x) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = x[i] + id; }
template <int id> __global__ void flops(float *y, float a, float b)
{
	float v = a;
#pragma unroll
	for (int i = 0; i < 512; i++)
		asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(v) : "f"(b));
	y[blockIdx.x * blockDim.x + threadIdx.x] = v + id;
}
static float *y;
template <int id> static void go(unsigned grid)
{
	for (int k = 0; k < 3; k++) { tiny<id><<<grid, 256>>>(y); cudaDeviceSynchronize(); }
	for (int k = 0; k < 3; k++) { reads<id><<<grid, 256>>>(y, y + (1 << 20)); cudaDeviceSynchronize(); }
	for (int k = 0; k < 3; k++) { flops<id><<<grid, 256>>>(y, 1, 2); cudaDeviceSynchronize(); }
}
int main()
{
	cudaMalloc(&y, 64 << 20);
	cudaMemset(y, 0, 64 << 20);
	for (int k = 0; k < 3; k++) { tiny<99><<<132, 256>>>(y); cudaDeviceSynchronize(); }
	go<0>(1); go<1>(1); go<2>(1); go<3>(1);
	go<4>(64); go<5>(64); go<6>(64); go<7>(64);
	go<8>(132); go<9>(132); go<10>(132); go<11>(132);
	go<12>(1024); go<13>(1024); go<14>(1024); go<15>(1024);
	return 0;
}
