// long
// options: -rdc=true
/* Launches from kernels by macros and by __host__ __device__ functions, and addresses of kernels
 * that are one of several: the pointer's type says which. */
#include "check.h"

#define LAUNCH(kernel, blocks, threads, ...) kernel<<<blocks, threads>>>(__VA_ARGS__)
#define ADD_ONE(to)                          \
	do {                                 \
		if (threadIdx.x == 0)        \
			inner::add<<<1, 4>>>(to, 1); \
	} while (0)

namespace inner
{
__global__ void add(int *to, int x) { to[threadIdx.x] += x; }
__global__ void add(float *to, float x) { to[threadIdx.x] += x; }
}
template <class T> __global__ void scale(T *to, T x) { to[threadIdx.x] *= x; }
struct work {
	void (*run)(int *, int);
};
__device__ void call(void (*f)(float *, float), float *to, float x) { f<<<1, 4>>>(to, x); }
template <class T> __host__ __device__ void both(T *to, T x) { inner::add<<<1, 4>>>(to, x); }

__global__ void parent(int *i, float *f)
{
	ADD_ONE(i);
	LAUNCH(inner::add, 1, 4, f, 0.5f);
	if (threadIdx.x)
		return;
	work w = {&scale};
	w.run<<<1, 4>>>(i, 3);
	call(inner::add, f, 1.0f);
	auto last = static_cast<void (*)(float *, float)>(scale);
	LAUNCH(last, 1, 4, f, 4.0f);
	both(i, 10);
}

int main()
{
	int *i;
	float *f;
	CUDA(cudaMallocManaged(&i, 4 * sizeof *i));
	CUDA(cudaMallocManaged(&f, 4 * sizeof *f));
	for (int n = 0; n < 4; n++)
		f[n] = (float)(i[n] = n);
	LAUNCH(parent, 1, 1, i, f);
	CUDA(cudaDeviceSynchronize());
	both(f, 100.0f);
	CUDA(cudaDeviceSynchronize());
	for (int n = 0; n < 4; n++)
		CHECK(i[n] == (n + 1) * 3 + 10 && f[n] == (n + 1.5f) * 4 + 100);
	return failures != 0;
}
