// options: -rdc=true
/* Launches from kernels: templates, parameters of many sizes, waiting, recursion, and words that a block's other threads wrote. */
#include "check.h"

namespace inner {
template <int N> __global__ void fill(int *to, char c, double d, short s)
{
	to[blockIdx.x * blockDim.x + threadIdx.x] = N + c + (int)d + s;
}
}
struct three {
	int a, b, c;
};
static __global__ void add(int *to, three t) { atomicAdd(to, t.a + t.b * t.c); }

__global__ void parent(int *to)
{
	cudaStream_t s;
	if (threadIdx.x == 0) {
		inner::fill<100> <<< 2, dim3(2) >>> (to, 4, 20.5, 3);
		cudaDeviceSynchronize();
		to[4] = to[3];
		cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
		for (int i = 0; i < 3; i++)
			add<<<{2, 2}, 4, 0, s>>>(to + 5, three{1, 2, 3});
		cudaStreamDestroy(s);
	}
	if (cudaGetLastError() != cudaSuccess)
		to[6] = 1;
}

/* Without a barrier before the launch: as on a GPU, the other warps have finished before the child
 * runs. */
__global__ void halve(int *data, int n)
{
	int i = threadIdx.x;
	if (n == 0)
		return;
	if (i < n) {
		data[i] += data[i + n];
		if (i == 0)
			halve<<<1, n>>>(data, n / 2);
	}
}

__global__ void endless(int depth)
{
	endless<<<1, 1>>>(depth + 1);
}

__device__ void launches_one(int *to)
{
	add<<<1, 1>>>(to, three{7, 0, 0});
}
__global__ void by_function(int *to) { launches_one(to); }

int main()
{
	int *p;
	CUDA(cudaMallocManaged(&p, 1024 * sizeof *p));
	for (int i = 0; i < 1024; i++)
		p[i] = 0;
	parent<<<1, 64>>>(p);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < 5; i++)
		CHECK(p[i] == 127);
	CHECK(p[5] == 3 * 16 * 7);
	CHECK(p[6] == 0);
	for (int i = 0; i < 1024; i++)
		p[i] = i;
	halve<<<1, 512>>>(p, 512);
	CUDA(cudaDeviceSynchronize());
	CHECK(p[0] == 1023 * 512);
	p[0] = 0;
	by_function<<<3, 1>>>(p);
	CUDA(cudaDeviceSynchronize());
	CHECK(p[0] == 21);
	endless<<<1, 1>>>(0);
	CHECK(cudaDeviceSynchronize() != cudaSuccess);
	return failures != 0;
}
