// long
/* Host functions called by __host__ __device__ functions on paths that device code never takes:
 * nvcc warns at most. */
#include "check.h"
#include <cstdlib>
#include <string>
#include <vector>

static int tell(int x)
{
	std::vector<int> v(3, x); /* a comment with a brace { */
	return v[1] + (int)std::string("a\n}").size() - 2;
}
int later(int x, int y = 0);
int later(float x) { return (int)x; }
namespace far {
template <class T> T twice(T x) { return std::vector<T>(2, x)[0] + x; }
}
struct logged {
	std::string s;
	logged(const char *t) : s(t) {}
	~logged() { s.clear(); }
	int size() const;
	static int count(int x) { return x < 0 ? throw 1 : x; }
};
int logged::size() const { return (int)s.size(); }

#ifdef __CUDA_ARCH__
#define ON_HOST false
#else
#define ON_HOST true
#endif
__host__ __device__ int both(int x)
{
	if (ON_HOST) {
		if (getenv("HEDDLE_TEST_NEVER"))
			return later(x) + later(1.5f);
		return tell(x) + far::twice(x) - 2 * x + logged("abc").size() - 3 + logged::count(0);
	}
	return x + 1;
}
int later(int x, int y) { return x + y; }

template <class F> __host__ __device__ int call(F f, int x) { return ON_HOST ? f(x) : 7; }
struct add_host {
	int operator()(int x) const { return x + (int)std::string("xy").size(); }
};
struct add_device {
	__host__ __device__ int operator()(int x) const { return x + 2; }
};

__global__ void k(int *to)
{
	to[0] = both(to[0]);
	to[1] = call(add_host(), 5);
	to[2] = call(add_device(), 5);
}

int main()
{
	int *to;
	cudaMallocManaged(&to, 3 * sizeof *to);
	to[0] = 41;
	k<<<1, 1>>>(to);
	CHECK(cudaDeviceSynchronize() == cudaSuccess);
	CHECK(to[0] == 42 && to[1] == 7 && to[2] == 7);
	CHECK(both(41) == 42 && call(add_host(), 5) == 7 && call(add_device(), 5) == 7);
	return failures != 0;
}
