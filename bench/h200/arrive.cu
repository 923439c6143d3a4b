// Time of an arrival at an mbarrier and the wait behind it, by what stands between them, and of nanosleep. Columns: what, its parameters, cycles (slopes). nvcc -arch=sm_90 -O3 -std=c++17; arrive.tsv is the output on an H200.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
typedef unsigned long long u64;
typedef unsigned u32;
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("error %s line %d\n", cudaGetErrorString(e), __LINE__); exit(1); } } while (0)

// KIND 0: all threads arrive, 1: lane 0 (predicated), 2: a done phase without arrival. GAP: dependent adds between.
template <int KIND, int GAP, bool TEST>
__global__ void arrive(long long *out, int n, u32 one)
{
	__shared__ u64 bar;
	one += threadIdx.x >> 20;
	u32 at = (u32)__cvta_generic_to_shared(&bar), lane = threadIdx.x % 32, phase = 0, x = one, sum = 0;
	u32 count = KIND == 1 ? blockDim.x / 32 : blockDim.x;
	if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(count));
	__syncthreads();
	if (KIND == 2) {
		asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at));
		__syncthreads();
	}
	long long t0 = clock64();
	for (int i = 0; i < n; i++) {
#pragma unroll
		for (int k = 0; k < 4; k++) {
			if (KIND == 0) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at));
			if (KIND == 1) asm volatile("{.reg .pred p; setp.eq.u32 p, %1, 0; @p mbarrier.arrive.shared.b64 _, [%0];}" ::"r"(at), "r"(lane));
			u32 p = phase;
#pragma unroll
			for (int g = 0; g < GAP; g++) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(one));
			if (GAP) p = phase + (x & (one - 1));
			if (TEST)
				asm volatile("{.reg .pred q; W: mbarrier.test_wait.parity.shared.b64 q, [%0], %1; @!q bra W;}" ::"r"(at), "r"(p));
			else
				asm volatile("{.reg .pred q; W: mbarrier.try_wait.parity.shared.b64 q, [%0], %1; @!q bra W;}" ::"r"(at), "r"(p));
			if (KIND != 2) phase ^= 1;
		}
	}
	long long t1 = clock64();
	sum += x;
	if (threadIdx.x == 0) { out[0] = t0; out[1] = t1; out[2] = sum; }
}
// Two copies of arrivals of a thread in a row, then a wait; or a failing test.
template <int N>
__global__ void failing(long long *out, int n)
{
	__shared__ u64 bar;
	u32 at = (u32)__cvta_generic_to_shared(&bar), sum = 0;
	if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(1000));
	__syncthreads();
	long long t0 = clock64();
	for (int i = 0; i < n; i++)
#pragma unroll
		for (int k = 0; k < 8; k++) {
			u32 ok;
			asm volatile("{.reg .pred q; mbarrier.test_wait.parity.shared.b64 q, [%1], %2; selp.u32 %0, 1, 0, q;}" : "=r"(ok) : "r"(at), "r"(sum));
			sum = ok;
		}
	long long t1 = clock64();
	if (threadIdx.x == 0) { out[0] = t0; out[1] = t1; out[2] = sum; }
}
__global__ void sleeping(long long *out, int n, u32 ns)
{
	long long t0 = clock64();
	for (int i = 0; i < n; i++) asm volatile("nanosleep.u32 %0;" ::"r"(ns));
	long long t1 = clock64();
	if (threadIdx.x == 0) { out[0] = t0; out[1] = t1; }
}
static long long *d;
template <class F> static double slope(F run, int a, int b, double per)
{
	long long h[3]; double t[2];
	for (int k = -1; k < 2; k++) {
		run(k > 0 ? b : a);
		CHECK(cudaDeviceSynchronize());
		CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
		t[k > 0] = (double)(h[1] - h[0]);
	}
	return (t[1] - t[0]) / (b - a) / per;
}
template <int KIND, int GAP, bool TEST> static void go()
{
	for (int threads : {1, 32, 128, 256, 512, 1024}) {
		if (KIND == 1 && threads < 32) continue;
		printf("arrive\tkind %d\tgap %d\ttest %d\tthreads %d\t%.3f\n", KIND, GAP, (int)TEST, threads,
		       slope([=](int n) { arrive<KIND, GAP, TEST><<<1, threads>>>(d, n, 1); }, 32, 160, 4));
	}
}
int main()
{
	CHECK(cudaMalloc(&d, 1024));
	go<0, 0, false>(); go<0, 1, false>(); go<0, 2, false>(); go<0, 3, false>(); go<0, 4, false>(); go<0, 6, false>(); go<0, 8, false>(); go<0, 12, false>();
	go<1, 0, false>(); go<1, 1, false>(); go<1, 2, false>(); go<1, 3, false>(); go<1, 4, false>(); go<1, 8, false>(); go<1, 12, false>();
	go<0, 0, true>(); go<0, 2, true>(); go<0, 4, true>(); go<0, 8, true>(); go<1, 0, true>(); go<1, 4, true>();
	go<2, 0, false>(); go<2, 4, false>(); go<2, 0, true>();
	for (int threads : {1, 32, 128, 1024}) printf("failing test_wait\tthreads %d\t%.3f\n", threads, slope([=](int n) { failing<8><<<1, threads>>>(d, n); }, 32, 160, 8));
	for (u32 ns : {0u, 1u, 10u, 20u, 30u, 40u, 50u, 60u, 80u, 100u, 150u, 200u, 300u, 500u, 700u, 1000u, 1500u, 2000u, 3000u, 5000u, 7000u, 10000u, 20000u, 50000u, 100000u})
		for (int threads : {1, 1024})
			printf("nanosleep\t%u\tthreads %d\t%.2f\n", ns, threads, slope([=](int n) { sleeping<<<1, threads>>>(d, n, ns); }, 32, 160, 1));
	return 0;
}
