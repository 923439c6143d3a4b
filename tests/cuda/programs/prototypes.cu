// options: -std=c++17
/* Functions whose prototype and definition have different execution space specifiers: nvcc takes
 * the two for one function. Overloads and functions of other namespaces stay as they are. */
#include "check.h"

int both(int);
__device__ int late(const int *p, unsigned n);
int early(int a, int b);
__device__ float widened(float x);
__host__ __device__ int narrowed(int = 3);
extern "C" int plain_c(int);
template <class T> T generic(T a);
static int other(int);
int other(float);

namespace one {
int f(int);
__host__ __device__ int g(int a);
}
namespace two { namespace inner {
__device__ int f(int);
} }

__global__ void kernel(int *out)
{
	out[0] = both(1);
	out[1] = late(out, 1);
	out[2] = early(2, 3);
	out[3] = (int)widened(2);
	out[4] = narrowed();
	out[5] = plain_c(5);
	out[6] = generic(6);
	out[7] = two::inner::f(1);
	out[8] = one::g(8);
}

__host__ __device__ int both(int a) { return a + 10; }
int late(const int *p, unsigned n) { return p[0] + n + threadIdx.x; }
__device__ int early(int a, int b) { return a * b + threadIdx.x; }
__host__ __device__ float widened(float value) { return value * 2; }
__device__ int narrowed(int x) { return x + 1; }
extern "C" __host__ __device__ int plain_c(int x) { return x * x; }
template <class T> __host__ __device__ T generic(T a) { return a + 1; }
static int other(int) { return 1; }
int other(float) { return 2; }
#if defined(NEVER)
namespace one {
#else
namespace one {
#endif
int f(int) { return 100; }
int g(int a) { return a; }
}
namespace two::inner {
int f(int a) { return a + 200 + threadIdx.x; }
}

int main()
{
	int *out;
	static const int want[] = {11, 12, 6, 4, 4, 25, 7, 201, 8};
	CUDA(cudaMallocManaged(&out, 9 * sizeof *out));
	kernel<<<1, 1>>>(out);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < 9; i++)
		CHECK(out[i] == want[i]);
	CHECK(both(1) == 11 && widened(2) == 4 && narrowed() == 4 && plain_c(5) == 25 && generic(6) == 7);
	CHECK(one::f(1) == 100 && one::g(8) == 8 && other(1) == 1 && other(1.0f) == 2);
	return failures != 0;
}
