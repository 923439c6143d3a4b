/* Thrust called by kernels: one thread does all the work, or, with -rdc=true, launches kernels for it. */
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

__global__ void k(int *p, int n, int *sum)
{
	thrust::sort(thrust::device, p, p + n);
	*sum = thrust::reduce(thrust::device, p, p + n);
}

__global__ void scan(int *p, int n) { thrust::inclusive_scan(thrust::device, p, p + n, p); }

int main()
{
	enum { N = 3000 };
	int bad = 0, *p, *sum, want = 0;
	cudaMallocManaged(&p, N * sizeof *p);
	cudaMallocManaged(&sum, sizeof *sum);
	for (int i = 0; i < N; i++)
		want += p[i] = i * 7919 % 5003;
	k<<<1, 1>>>(p, N, sum);
	bad += cudaDeviceSynchronize() != cudaSuccess || *sum != want;
	for (int i = 1; i < N; i++)
		bad += p[i - 1] > p[i];
	scan<<<1, 1>>>(p, N);
	bad += cudaDeviceSynchronize() != cudaSuccess || p[N - 1] != want;
	puts(bad ? "wrong results" : "3 results");
	return bad != 0;
}
