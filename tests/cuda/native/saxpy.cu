// A kernel that a test may replace by machine code: b[i] = a[i] * scale[i % 4] + 1; hits counts its
// threads.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__constant__ float scale[4];
__device__ int hits;

__global__ void saxpy(const float *a, float *b, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	b[i] = a[i] * scale[i % 4] + 1.0f;
	atomicAdd(&hits, 1);
}

static void must(cudaError_t e)
{
	if (e != cudaSuccess) {
		printf("%s\n", cudaGetErrorName(e));
		exit(1);
	}
}

int main()
{
	enum { N = 100 };
	float x[N], y[N], s[4], *a, *b;
	for (int i = 0; i < N; i++)
		x[i] = (float)i;
	must(cudaMalloc(&a, sizeof x));
	must(cudaMalloc(&b, sizeof y));
	must(cudaMemcpy(a, x, sizeof x, cudaMemcpyHostToDevice));
	for (int round = 0; round < 3; round++) { // constants change between launches
		for (int k = 0; k < 4; k++)
			s[k] = (float)(k + 1 + round);
		must(cudaMemcpyToSymbol(scale, s, sizeof s));
		saxpy<<<4, 32>>>(a, b, N);
		must(cudaGetLastError());
		must(cudaMemcpy(y, b, sizeof y, cudaMemcpyDeviceToHost));
		for (int i = 0; i < N; i++)
			if (y[i] != x[i] * s[i % 4] + 1.0f) {
				printf("round %d: b[%d] = %g\n", round, i, y[i]);
				return 1;
			}
	}
	int n = 0;
	float back[4];
	must(cudaMemcpyFromSymbol(&n, hits, sizeof n));
	must(cudaMemcpyFromSymbol(back, scale, sizeof back));
	if (n != 3 * N || back[3] != 6.0f) {
		printf("hits %d, scale[3] %g\n", n, back[3]);
		return 1;
	}
	printf("passed\n");
	return 0;
}
