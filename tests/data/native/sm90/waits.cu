#include <cuda_pipeline.h>
__device__ int data[128], flag;
extern "C" __global__ void pipeline(int *in)
{
	__shared__ int s[2][128];
	int t = threadIdx.x, sum = 0;
	__pipeline_memcpy_async(&s[0][t], in + t, 4);
	__pipeline_commit();
	for (int k = 0; k < 3; k++) {
		__pipeline_memcpy_async(&s[(k + 1) & 1][t], in + t, 4);
		__pipeline_commit();
		__pipeline_wait_prior(1);
		__syncthreads();
		sum += s[k & 1][(t + 1) & 127];
		__syncthreads();
	}
	in[t + 128] = sum;
}
extern "C" __global__ void too_early(int *in)
{
	__shared__ int s[128];
	int t = threadIdx.x;
	__pipeline_memcpy_async(&s[t], in + t, 4);
	__pipeline_commit();
	__syncthreads();
	in[t + 128] = s[(t + 1) & 127];
	__pipeline_wait_prior(0);
}
extern "C" __global__ void acquire(int *out)
{
	if (blockIdx.x == 0) {
		data[threadIdx.x] = 7;
		__syncthreads();
		if (threadIdx.x == 0)
			asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(&flag) : "memory");
	} else {
		int x;
		if (threadIdx.x == 0)
			do
				asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(x) : "l"(&flag) : "memory");
			while (!x);
		__syncthreads();
		out[threadIdx.x] = data[threadIdx.x];
	}
}
extern "C" __global__ void polls(int *out)
{
	__shared__ volatile int go;
	if (threadIdx.x == 0)
		go = 0;
	__syncthreads();
	if (threadIdx.x < 32) {
		__syncthreads();
		go = 1;
	} else {
		while (!go)
			;
		__syncthreads();
	}
	out[threadIdx.x] = 1;
}
