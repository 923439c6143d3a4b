/*
 * HG: histogram of bytes in 64 bins, with counters of its own for each warp.
 *
 * Used by: warpman (Table 2: 16 warps, 4 KB of shared memory, 10240 registers a block).
 * Geometry: `count`: 240 blocks of 512 threads walk over the data in strides of the grid, four
 *   bytes a load; a byte's upper six bits choose the bin. The 16 warps' 64 counters of 4 bytes are
 *   the paper's 4 KB. `merge`: one block of 256 threads a bin adds up the blocks' counts.
 * Memory: shared-memory atomics with conflicts inside the warp where bytes fall into one bin.
 * Input: random bytes, uniform as in the published sample; 64 MB at size paper.
 * Check: a plain loop on the CPU, for the result and the sum of all bins.
 */
#include "../common/workload.h"

enum { BINS = 64, THREADS = 512, WARPS = THREADS / 32, BLOCKS = 240, MERGERS = 256 };

__global__ void count(unsigned *partial, const unsigned *data, unsigned words)
{
	__shared__ unsigned counter[WARPS][BINS];
	unsigned *mine = counter[threadIdx.x / 32];
	for (int i = threadIdx.x; i < WARPS * BINS; i += THREADS)
		counter[0][i] = 0;
	__syncthreads();
	for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < words; i += THREADS * gridDim.x) {
		unsigned v = data[i];
		atomicAdd(mine + (v >> 2 & 63), 1u);
		atomicAdd(mine + (v >> 10 & 63), 1u);
		atomicAdd(mine + (v >> 18 & 63), 1u);
		atomicAdd(mine + (v >> 26), 1u);
	}
	__syncthreads();
	for (int bin = threadIdx.x; bin < BINS; bin += THREADS) {
		unsigned sum = 0;
		for (int i = 0; i < WARPS; i++)
			sum += counter[i][bin];
		partial[blockIdx.x * BINS + bin] = sum;
	}
}

__global__ void merge(unsigned *histogram, const unsigned *partial, int blocks)
{
	__shared__ unsigned s[MERGERS];
	unsigned sum = 0;
	for (int i = threadIdx.x; i < blocks; i += MERGERS)
		sum += partial[blockIdx.x + i * BINS];
	s[threadIdx.x] = sum;
	for (int half = MERGERS / 2; half > 0; half >>= 1) {
		__syncthreads();
		if (threadIdx.x < half)
			s[threadIdx.x] += s[threadIdx.x + half];
	}
	if (threadIdx.x == 0)
		histogram[blockIdx.x] = s[0];
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("HG", argc, argv);
	workload_options_end(&w);
	unsigned words = workload_pick(&w, 1u << 15, 1u << 19, 1u << 24);
	int blocks = workload_pick<int>(&w, 8, BLOCKS, BLOCKS);
	std::vector<unsigned> data(words), got(BINS), want(BINS);
	for (unsigned &v : data)
		v = rng_u32(&w.rng);
	unsigned *dpartial = on_device<unsigned>((size_t)blocks * BINS),
	         *dgot = on_device<unsigned>(BINS);
	count<<<blocks, THREADS>>>(dpartial, to_device(data), words);
	merge<<<BINS, MERGERS>>>(dgot, dpartial, blocks);
	CUDA_LAUNCHED();
	from_device(got, dgot);
	const unsigned char *byte = (const unsigned char *)data.data();
	for (size_t i = 0; i < (size_t)words * 4; i++)
		want[byte[i] / 4]++;
	check_equal(&w, "bin", got, want);
	unsigned long long all = 0;
	for (unsigned c : got)
		all += c;
	check_true(&w, "every byte counted once", all == 4ull * words);
	return workload_finish(&w);
}
