/* Names defined by the program that also exist in early CUDA releases, or in standard headers that
 * nvcc does not include. */
#include <iostream>
using namespace std;
__device__ int count, rotate;
int search, all, any, merge;
__device__ float saturate(float x) { return x < 0 ? 7 : x; }
static __device__ int mul24(int a, int b) { return a + b; }
static __device__ void trap(void) { rotate++; }

__global__ void uses_own(void)
{
	count += (int)saturate(-1.f) + mul24(2, 30);
	trap();
	/* and CUDA's functions that the program does not redefine */
	count += mulhi(1 << 20, 1 << 20) + float_as_int(1.f);
}

int main()
{
	int c = 0, r = 0;
	uses_own<<<1, 1>>>();
	cudaMemcpyFromSymbol(&c, count, sizeof c);
	cudaMemcpyFromSymbol(&r, rotate, sizeof r);
	int want = 7 + 32 + 256 + 0x3f800000;
	if (c != want || r != 1)
		cout << "count " << c << " instead of " << want << ", rotate " << r << endl;
	return c != want || r != 1 || search || all || any || merge;
}
