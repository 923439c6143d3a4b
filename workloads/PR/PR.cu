/*
 * PR: the sum of an array of integers by parallel reduction, in two kernels.
 *
 * Used by: stsimt (Table II: 64 blocks of 256 threads, then 1 block of 32; source NVIDIA 2011).
 * Geometry: `sum_256`: each of the 64 x 256 threads adds every 16,384th pair of elements, then the
 *   block adds up in shared memory, halving the threads at each barrier until one warp is left,
 *   which goes on without barriers. `sum_32`: one warp adds the 64 partial sums.
 * Memory: 1 KB of shared memory a block (sum_256), 256 bytes (sum_32); coalesced streaming loads.
 * Input: random numbers of 0 to 255. 2^24 of them at size paper, the size the published program
 *   uses.
 * Check: a 64-bit sum on the CPU, for the result and for each block's partial sum.
 */
#include "../common/workload.h"

enum { BLOCKS = 64, THREADS = 256 };

/* The last warp adds up s[0] to s[63] in lock step: each step reads before it writes, so no barrier
 * is needed. Lanes past the half add what nobody will read. */
static __device__ void last_warp(volatile int *s, int t)
{
	s[t] += s[t + 32];
	s[t] += s[t + 16];
	s[t] += s[t + 8];
	s[t] += s[t + 4];
	s[t] += s[t + 2];
	s[t] += s[t + 1];
}

/* Adds elements t of blocks of 2*N elements, a grid apart. */
template <int N>
static __device__ int strided_sum(const int *in, int n)
{
	int sum = 0, stride = 2 * N * gridDim.x;
	for (int i = blockIdx.x * 2 * N + threadIdx.x; i < n; i += stride) {
		sum += in[i];
		if (i + N < n)
			sum += in[i + N];
	}
	return sum;
}

__global__ void sum_256(const int *in, int *out, int n)
{
	__shared__ int s[THREADS];
	int t = threadIdx.x;
	s[t] = strided_sum<THREADS>(in, n);
	__syncthreads();
	for (int half = THREADS / 2; half > 32; half /= 2) {
		if (t < half)
			s[t] += s[t + half];
		__syncthreads();
	}
	if (t < 32)
		last_warp(s, t);
	if (t == 0)
		out[blockIdx.x] = s[0];
}

__global__ void sum_32(const int *in, int *out, int n)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	s[t] = strided_sum<32>(in, n);
	s[t + 32] = 0;
	last_warp(s, t);
	if (t == 0)
		out[blockIdx.x] = s[0];
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("PR", argc, argv);
	workload_options_end(&w);
	int n = workload_pick(&w, 1 << 17, 1 << 20, 1 << 24);
	std::vector<int> in(n), partial(BLOCKS), result(1);
	std::vector<int64_t> want_partial(BLOCKS), want_result(1);
	for (int i = 0; i < n; i++) {
		in[i] = (int)(rng_u32(&w.rng) >> 24);
		want_partial[i / (2 * THREADS) % BLOCKS] += in[i];
		want_result[0] += in[i];
	}
	int *din = to_device(in), *dpartial = on_device<int>(BLOCKS), *dresult = on_device<int>(1);
	sum_256<<<BLOCKS, THREADS>>>(din, dpartial, n);
	sum_32<<<1, 32>>>(dpartial, dresult, BLOCKS);
	CUDA_LAUNCHED();
	from_device(partial, dpartial);
	from_device(result, dresult);
	check_near(&w, "partial", partial, want_partial, 0);
	check_near(&w, "result", result, want_result, 0);
	return workload_finish(&w);
}
