// Code that was compiled in parts and linked: calls by relocations and through pointers, addresses of variables, the driver's
// functions. linked.cubin.xz: nvcc 13.0 -arch=sm_90 -rdc=true -dc -o x.o, then nvcc -arch=sm_90 -dlink -cubin x.o.
#include <cstdio>

__device__ int table[4] = {10, 20, 30, 40};
__constant__ int scale[2] = {3, 5};
typedef int (*function)(int);
static __device__ int next(int x) { return x + 1; }
static __device__ int twice(int x) { return 2 * x; }
__device__ function list[2] = {next, twice};

struct shape {
	__device__ virtual int area() const = 0;
};
struct square : shape {
	int a;
	__device__ int area() const override { return a * a; }
};
struct strip : shape {
	int a;
	__device__ int area() const override { return 7 * a; }
};

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void k(int *out)
{
	int i = threadIdx.x;
	int v = list[i & 1](table[i & 3] * scale[i & 1]);
	shape *s;
	if (i & 1) {
		square *q = new square;
		q->a = i;
		s = q;
	} else {
		strip *q = new strip;
		q->a = i;
		s = q;
	}
	v += 1000 * s->area();
	delete s;
	out[i] = v + 1000000 * fibonacci(i & 7);
	if (i == 5)
		printf("%s %d: %d %.2f\n", "thread", i, v, 0.25 * i);
}
