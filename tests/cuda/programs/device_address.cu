// long
/* Host code that takes the address of a device function: the value is not NULL, and has no meaning on the device. */
#include "check.h"

typedef float (*unary)(float);
namespace a {
__device__ float twice(float x) { return 2 * x; }
template <class T> __device__ T same(T x) { return x; }
}
__device__ __noinline__ void step(int *p, int n) { p[threadIdx.x] += n; }
__global__ void kernel(int *p) { step(p, 3); }
static bool known(unary f) { return f != nullptr; }

int main()
{
	unary table[2] = {a::twice, &a::same<float>}, f = a::twice;
	CHECK(f && table[0] == f && table[1]);
	CHECK(known(a::twice));
	CHECK(cudaFuncSetCacheConfig(step, cudaFuncCachePreferShared) == cudaErrorInvalidDeviceFunction);
	CHECK(cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferShared) == cudaSuccess);
	cudaGetLastError();
	int *p;
	CUDA(cudaMallocManaged(&p, sizeof *p));
	*p = 4;
	kernel<<<1, 1>>>(p);
	CUDA(cudaDeviceSynchronize());
	CHECK(*p == 7);
	return failures != 0;
}
