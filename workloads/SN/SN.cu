/*
 * SN: keys with values sorted by two sorting networks, bitonic and odd-even merge sort.
 *
 * Used by: warpman (Table 2: 16 warps, 8 KB of shared memory, 8704 registers a block).
 * Geometry: a block of 512 threads holds 1024 keys and values in shared memory, 8 KB, and does
 *   every step of the network whose distance fits, with a barrier before each; steps of larger
 *   distance are launches of their own over global memory, one thread a comparator.
 * Memory: strided shared-memory accesses, keys and values in arrays of their own; coalesced global
 *   ones.
 * Input: uniform 32-bit keys (bitonic), keys of ten bits, many equal (odd-even); values number
 *   them.
 * Options: --keys N (power of two, from 1024).
 * Check: std::sort of the keys; every value must still belong to its key and occur once.
 */
#include "../common/workload.h"
#include <algorithm>

enum { TILE = 1024, THREADS = TILE / 2, COMPARERS = 256 };

static __device__ void exchange(unsigned &ka, unsigned &va, unsigned &kb, unsigned &vb, bool up)
{
	if ((ka > kb) == up) {
		unsigned t = ka;
		ka = kb;
		kb = t;
		t = va;
		va = vb;
		vb = t;
	}
}

struct tile {
	unsigned key[TILE], value[TILE];
};

static __device__ void tile_load(struct tile *s, const unsigned *key, const unsigned *value)
{
	int at = blockIdx.x * TILE + threadIdx.x, t = threadIdx.x;
	s->key[t] = key[at];
	s->value[t] = value[at];
	s->key[t + THREADS] = key[at + THREADS];
	s->value[t + THREADS] = value[at + THREADS];
}

static __device__ void tile_store(const struct tile *s, unsigned *key, unsigned *value)
{
	int at = blockIdx.x * TILE + threadIdx.x, t = threadIdx.x;
	key[at] = s->key[t];
	value[at] = s->value[t];
	key[at + THREADS] = s->key[t + THREADS];
	value[at + THREADS] = s->value[t + THREADS];
}

static __device__ void tile_compare(struct tile *s, int a, int b, bool up)
{
	exchange(s->key[a], s->value[a], s->key[b], s->value[b], up);
}

/* Merges bitonic runs of `size` inside the tile, from distance `stride` down. */
static __device__ void tile_merge(struct tile *s, int stride, bool up)
{
#pragma unroll 1
	for (; stride > 0; stride >>= 1) {
		__syncthreads();
		int at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
		tile_compare(s, at, at + stride, up);
	}
}

/* Sorts the tiles, alternately up and down; a single tile up. */
__global__ void bitonic_sort_tiles(unsigned *key, unsigned *value)
{
	__shared__ struct tile s;
	tile_load(&s, key, value);
#pragma unroll 1
	for (int size = 2; size < TILE; size <<= 1)
		tile_merge(&s, size / 2, (threadIdx.x & (size / 2)) == 0);
	tile_merge(&s, TILE / 2, (blockIdx.x & 1) == 0);
	__syncthreads();
	tile_store(&s, key, value);
}

/* One step of merging runs of `size` at a distance beyond a tile. */
__global__ void bitonic_merge_global(unsigned *key, unsigned *value, int size, int stride)
{
	int c = blockIdx.x * blockDim.x + threadIdx.x;
	bool up = (c & (size / 2)) == 0;
	int a = 2 * c - (c & (stride - 1)), b = a + stride;
	unsigned ka = key[a], va = value[a], kb = key[b], vb = value[b];
	exchange(ka, va, kb, vb, up);
	key[a] = ka;
	value[a] = va;
	key[b] = kb;
	value[b] = vb;
}

/* The remaining steps of a merge, which stay inside the tiles. */
__global__ void bitonic_merge_tiles(unsigned *key, unsigned *value, int size)
{
	__shared__ struct tile s;
	tile_load(&s, key, value);
	int c = blockIdx.x * THREADS + threadIdx.x;
	tile_merge(&s, TILE / 2, (c & (size / 2)) == 0);
	__syncthreads();
	tile_store(&s, key, value);
}

/* Batcher's odd-even merge sort of each tile, all upwards. */
__global__ void odd_even_sort_tiles(unsigned *key, unsigned *value)
{
	__shared__ struct tile s;
	tile_load(&s, key, value);
#pragma unroll 1
	for (int size = 2; size <= TILE; size <<= 1) {
		int stride = size / 2, offset = threadIdx.x & (stride - 1);
		__syncthreads();
		int at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
		tile_compare(&s, at, at + stride, true);
#pragma unroll 1
		for (stride >>= 1; stride > 0; stride >>= 1) {
			__syncthreads();
			at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
			if (offset >= stride)
				tile_compare(&s, at - stride, at, true);
		}
	}
	__syncthreads();
	tile_store(&s, key, value);
}

/* One step of merging runs of `size`, at any distance. */
__global__ void odd_even_merge_global(unsigned *key, unsigned *value, int size, int stride)
{
	int c = blockIdx.x * blockDim.x + threadIdx.x;
	int a = 2 * c - (c & (stride - 1)), b = a + stride;
	if (stride < size / 2) {                     /* every step but the first */
		if ((c & (size / 2 - 1)) < stride)
			return;
		a -= stride;
		b -= stride;
	}
	unsigned ka = key[a], va = value[a], kb = key[b], vb = value[b];
	exchange(ka, va, kb, vb, true);
	key[a] = ka;
	value[a] = va;
	key[b] = kb;
	value[b] = vb;
}

static void bitonic_sort(unsigned *key, unsigned *value, int n)
{
	bitonic_sort_tiles<<<n / TILE, THREADS>>>(key, value);
	for (int size = 2 * TILE; size <= n; size <<= 1) {
		for (int stride = size / 2; stride >= TILE; stride >>= 1)
			bitonic_merge_global<<<n / 2 / COMPARERS, COMPARERS>>>(key, value, size,
			                                                       stride);
		bitonic_merge_tiles<<<n / TILE, THREADS>>>(key, value, size);
	}
	CUDA_LAUNCHED();
}

static void odd_even_sort(unsigned *key, unsigned *value, int n)
{
	odd_even_sort_tiles<<<n / TILE, THREADS>>>(key, value);
	for (int size = 2 * TILE; size <= n; size <<= 1)
		for (int stride = size / 2; stride > 0; stride >>= 1)
			odd_even_merge_global<<<n / 2 / COMPARERS, COMPARERS>>>(key, value, size,
			                                                        stride);
	CUDA_LAUNCHED();
}

static void check_sorted(struct workload *w, const char *what, const std::vector<unsigned> &before,
                         const unsigned *dkey, const unsigned *dvalue)
{
	std::vector<unsigned> want = before, key(before.size()), value(before.size());
	std::sort(want.begin(), want.end());
	from_device(key, dkey);
	from_device(value, dvalue);
	check_equal(w, what, key, want);
	std::vector<bool> seen(before.size());
	bool whole = true;
	for (size_t i = 0; i < value.size(); i++) {
		whole = whole && value[i] < seen.size() && !seen[value[i]] &&
		        before[value[i]] == key[i];
		if (value[i] < seen.size())
			seen[value[i]] = true;
	}
	check_true(w, "values stay with their keys", whole);
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("SN", argc, argv);
	int n = (int)workload_number(&w, "--keys", workload_pick(&w, 4096, 1 << 16, 1 << 20), TILE,
	                             1 << 24);
	workload_options_end(&w);
	if (n & (n - 1)) {
		fprintf(stderr, "SN: --keys %d: expected a power of two\n", n);
		return 2;
	}
	std::vector<unsigned> key(n), few(n), value(n);
	for (int i = 0; i < n; i++) {
		key[i] = rng_u32(&w.rng);
		few[i] = key[i] >> 22;
		value[i] = i;
	}
	unsigned *k = to_device(key), *v = to_device(value);
	bitonic_sort(k, v, n);
	check_sorted(&w, "bitonic", key, k, v);
	k = to_device(few);
	v = to_device(value);
	odd_even_sort(k, v, n);
	check_sorted(&w, "odd-even", few, k, v);
	return workload_finish(&w);
}
