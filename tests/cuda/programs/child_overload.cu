// long
// options: -rdc=true
/* Launches from kernels of overloaded functions: the arguments select the kernel, as in a call. */
#include "check.h"

struct pair {
	int a, b;
};
__global__ void put(int *to, int x);
static __global__ void put(int *to, pair p, float scale);
__launch_bounds__(64) __global__ void put(int *to, int x) { to[threadIdx.x] = x; }
static __global__ void put(int *to,
			   pair p, // two numbers
			   float scale)
{
	to[threadIdx.x] = (int)(scale * (p.a + p.b));
}
template <class T, int N = 2>
__global__ void twice(T *to, const T *from)
{
	to[threadIdx.x] = N * from[threadIdx.x];
}
namespace inner {
template <typename T> __global__ void each(T *to, T x) { to[threadIdx.x] += x; }
__global__ void parent(double *to)
{
	each<<<1, 4>>>(to, 0.5);
	twice<<<1, 4>>>(to + 4, to);
}
}

__global__ void parent(int *to, unsigned char few)
{
	put<<<1, 4>>>(to, few); /* converted */
	put<<<1, 4>>>(to + 4,
		      pair{few, 2}, 1.5f);
	cudaDeviceSynchronize();
	twice<<<1, 8>>>(to + 8, (const int *)to);
}
/* A kernel that launches itself with other parameters. */
__global__ void count(int *to, int n, int step)
{
	*to += step;
	if (n > 1)
		count<<<1, 1>>>(to, n - 1, step);
}
__global__ void count(int *to, int n) { count<<<1, 1>>>(to, n, 10); }

int main()
{
	int *p;
	double *d;
	CUDA(cudaMallocManaged(&p, 16 * sizeof *p));
	CUDA(cudaMallocManaged(&d, 8 * sizeof *d));
	parent<<<1, 1>>>(p, 6);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < 4; i++)
		CHECK(p[i] == 6 && p[4 + i] == 12 && p[8 + i] == 12 && p[12 + i] == 24);
	*p = 0;
	count<<<1, 1>>>(p, 5);
	CUDA(cudaDeviceSynchronize());
	CHECK(*p == 50);
	for (int i = 0; i < 8; i++)
		d[i] = i;
	inner::parent<<<1, 1>>>(d);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < 4; i++)
		CHECK(d[i] == i + 0.5 && d[4 + i] == 2 * i + 1);
	return failures != 0;
}
