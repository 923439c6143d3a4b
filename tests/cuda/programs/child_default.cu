// options: -rdc=true
/* Kernels named in default arguments of device functions, constructors and members, and in initial values of members. */
#include "check.h"

typedef void (*kernel)(int);
__device__ int out[16];
__global__ void plain(int i) { out[i] = 1; }
namespace a {
__global__ void inner(int i) { out[i] = 2; }
template <class T> __global__ void sized(int i) { out[i] = (int)sizeof(T); }
__global__ void several(int i) { out[i] = 3; }
__global__ void several(float) {}
}
#define USUAL plain

__device__ void first(int i, kernel k = plain) { k<<<1, 1>>>(i); }
__device__ void second(int i, kernel k = a::inner);
__device__ void second(int i, kernel k) { k<<<1, 1>>>(i); }
template <class T> __device__ void third(T i, kernel k = &a::sized<double>) { k<<<1, 1>>>(i); }
__device__ void fourth(int i, void (*k)(int) = a::several) { k<<<1, 1>>>(i); }
__device__ void fifth(int i, kernel k = USUAL) { k<<<1, 1>>>(i); }
__host__ __device__ inline void sixth(int i, kernel k = plain) { k<<<1, 1>>>(i); }
struct starter {
	kernel f, g = plain;
	__device__ starter(kernel k = a::inner) : f(k) {}
	__device__ void go(int i, kernel k = a::sized<char>)
	{
		f<<<1, 1>>>(i);
		g<<<1, 1>>>(i + 1);
		k<<<1, 1>>>(i + 2);
	}
};

__global__ void parent()
{
	first(0);
	first(1, a::inner);
	second(2);
	third(3);
	fourth(4);
	fifth(5);
	sixth(6);
	starter().go(7);
}

int main()
{
	parent<<<1, 1>>>();
	sixth(10);
	cudaDeviceSynchronize();
	int host[16], expected[] = {1, 2, 2, 8, 3, 1, 1, 2, 1, 1, 1};
	cudaMemcpyFromSymbol(host, out, sizeof host);
	for (int i = 0; i < 11; i++)
		CHECK(host[i] == expected[i]);
	return failures != 0;
}
