// long
// options: -rdc=true
/* Launches from kernels by every form of a kernel's name: in namespaces, with some or all template arguments, by
 * using-declarations; and by pointers in variables, tables, members, parameters of functions and templates. */
#include "check.h"

__device__ int out[32];
namespace a {
__global__ void put(int i, int x);
__global__ void put(int i, float x) { out[i] = (int)(x * 10); }
template <class T> __global__ void bytes(int i, T) { out[i] = (int)sizeof(T); }
template <class T, class U> __global__ void bytes(int i, T, U) { out[i] = 10 * (int)sizeof(T) + (int)sizeof(U); }
template <int N, class T> __global__ void scaled(int i, T x) { out[i] = (int)(N * x); }
template <int> __global__ void sized(int i) { out[i] = 5; }
namespace b {
template <class T> __global__ void bytes(int i, T) { out[i] = 100 + (int)sizeof(T); }
}
__global__ void one(int i) { out[i] = 1; }
__global__ void two(int i) { out[i] = 2; }
}
__global__ void a::put(int i, int x) { out[i] = x; }
namespace c {
using a::bytes;
using a::put;
}
namespace other {
struct put {};
}
using other::put;
using c::bytes;
namespace d = a::b;

__global__ void names()
{
	a::put<<<1, 1>>>(0, 3);
	::a::put<<<1, 1>>>(1, 2.5f);
	c::put<<<1, 1>>>(2, 3.5f);
	a::bytes<<<1, 1>>>(3, 1.0);
	a::b::bytes<<<1, 1>>>(4, 1.0);
	d::bytes<<<1, 1>>>(5, 1.0f);
	bytes<<<1, 1>>>(6, 1, 2.0);
	a::bytes<char><<<1, 1>>>(7, 7);
	c::bytes<char, short><<<1, 1>>>(8, 7, 8);
	a::scaled<3><<<1, 1>>>(9, 1.5f);
	a::scaled<3, int><<<1, 1>>>(10, 1.5f);
	a::sized<4><<<1, 1>>>(11);
	using namespace a;
	scaled<4><<<1, 1>>>(12, 1.5f);
	using a::put;
	put<<<1, 1>>>(13, 4.5f);
}

typedef void (*kernel)(int);
__device__ kernel table[2] = {a::one, a::two};
template <kernel F> __device__ void fixed(int i) { F<<<1, 1>>>(i); }
template <class K> __device__ void passed(K k, int i) { k<<<1, 1>>>(i); }
struct holder {
	kernel f;
	__device__ void go(int i) { f<<<1, 1>>>(i); }
};
__global__ void pointers(int which)
{
	table[1]<<<1, 1>>>(0);
	fixed<a::two>(1);
	kernel f = a::one, one = &a::two;
	f<<<1, 1>>>(2);
	one<<<1, 1>>>(3);
	passed(a::two, 4);
	auto g = &a::bytes<double>;
	g<<<1, 1>>>(5, 1.0);
	const kernel all[] = {a::one, a::two};
	all[which]<<<1, 1>>>(6);
	(*f)<<<1, 1>>>(7);
	holder h = {which ? a::two : a::one};
	h.f<<<1, 1>>>(8);
	h.go(9);
}

static void expect(const int *want, int n)
{
	int got[32];
	CUDA(cudaDeviceSynchronize());
	CUDA(cudaMemcpyFromSymbol(got, out, sizeof got));
	for (int i = 0; i < n; i++)
		if (got[i] != want[i])
			printf("%d: %d instead of %d\n", i, got[i], want[i]), failures++;
}

int main()
{
	const int by_name[] = {3, 25, 35, 8, 108, 104, 48, 1, 12, 4, 3, 5, 6, 45};
	const int by_pointer[] = {2, 2, 1, 2, 2, 8, 2, 1, 2, 2};
	names<<<1, 1>>>();
	expect(by_name, 14);
	pointers<<<1, 1>>>(1);
	expect(by_pointer, 10);
	return failures != 0;
}
