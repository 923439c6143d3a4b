/* Variables of unnamed types, of unnamed namespaces and static ones that device code only reads and
 * the host sets: the compiler must not take their initial values for constants. */
#include "check.h"

static __managed__ int own = 1;
namespace { __device__ __managed__ int hidden = 2; __managed__ int also_hidden = 3; }
__managed__ struct { int a, b; } pair = {4, 5};
__managed__ union { int i; float f; } either, several[2];
__device__ struct { int a; } first = {6}, array[2];
__constant__ struct { float x; int n; } params;
__device__ enum { RED, GREEN } colour;
static __constant__ struct { int n; } quiet;

__global__ void read(int *to)
{
	to[0] = own, to[1] = hidden, to[2] = also_hidden, to[3] = pair.b, to[4] = either.i, to[5] = several[1].i;
	to[6] = first.a, to[7] = array[1].a, to[8] = params.n, to[9] = colour, to[10] = quiet.n;
}

int main()
{
	int *d, h[11], n[2] = {70, 71};
	own = 10, hidden = 20, also_hidden = 30, pair.b = 40, either.i = 50, several[1].i = 60;
	CHECK(!cudaMemcpyToSymbol(first, n, 4));
	CHECK(!cudaMemcpyToSymbol(array, n, 8));
	CHECK(!cudaMemcpyToSymbol(params, n, 8));
	CHECK(!cudaMemcpyToSymbol(colour, n, 4));
	CHECK(!cudaMemcpyToSymbol(quiet, n, 4));
	cudaMalloc(&d, sizeof h);
	read<<<1, 1>>>(d);
	CHECK(!cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
	static const int want[11] = {10, 20, 30, 40, 50, 60, 70, 71, 71, 70, 70};
	for (int i = 0; i < 11; i++)
		CHECK(h[i] == want[i]);
	return failures != 0;
}
