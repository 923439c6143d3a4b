/*
 * RS: stable radix sort of 32-bit keys with values, four bits a pass.
 *
 * Used by: warpman (Table 2: 16 warps, 4 KB of shared memory, 11776 registers a block).
 * Geometry: blocks of 512 threads, two keys a thread; a tile is 1024 keys. Each of the eight passes
 *   has four kernels: `sort_tiles` sorts a tile by the digit with four one-bit splits;
 *   `count_digits` finds where each digit begins in the sorted tile and how often it occurs; `scan`
 *   and `add_sums` turn the table of counts, digit by digit, into places in the output; `scatter`
 *   moves keys and values there.
 * Memory: 4 KB of shared memory in sort_tiles (one word a key of the tile, used in turn for
 *   scanning, exchanging keys and exchanging values) and in scan.
 * Input: uniform 32-bit keys, an eighth of them repeated; 1,048,576 at size paper. Values number
 *   them.
 * Check: std::stable_sort; the values show that equal keys keep their order.
 */
#include "../common/workload.h"
#include <algorithm>

enum { THREADS = 512, TILE = 2 * THREADS, BITS = 4, DIGITS = 1 << BITS };

/*
 * The sum of x over all threads before this one; s has 2 * THREADS words, each warp uses twice its
 * width, the lower half zero so that no lane needs a bound. The block's total goes to *total.
 */
static __device__ unsigned block_scan(volatile unsigned *s, unsigned x, unsigned *total)
{
	int t = threadIdx.x, lane = t & 31, warp = t >> 5;
	int at = 64 * warp + 32 + lane;
	unsigned sum = x;
	s[at - 32] = 0;
	s[at] = sum;
	for (int d = 1; d < 32; d <<= 1) {
		sum += s[at - d];
		s[at] = sum;
	}
	__syncthreads();
	unsigned warps = s[64 * (lane & 15) + 63];   /* the first warp scans the warps' sums */
	__syncthreads();
	if (warp == 0) {
		unsigned mine = lane < THREADS / 32 ? warps : 0, all = mine;
		s[lane] = 0;
		s[32 + lane] = all;
		for (int d = 1; d < 32; d <<= 1) {
			all += s[32 + lane - d];
			s[32 + lane] = all;
		}
		s[64 + lane] = all - mine;
	}
	__syncthreads();
	unsigned before = s[64 + warp];
	*total = s[63];
	__syncthreads();
	return before + sum - x;
}

/* Puts a and b, which belong to the places pa and pb, there, and takes this thread's two
 * elements. */
static __device__ void exchange(unsigned *s, unsigned pa, unsigned pb, unsigned &a, unsigned &b)
{
	s[pa] = a;
	s[pb] = b;
	__syncthreads();
	a = s[2 * threadIdx.x];
	b = s[2 * threadIdx.x + 1];
	__syncthreads();
}

__global__ void sort_tiles(unsigned *key, unsigned *value, const unsigned *from_key,
                           const unsigned *from_value, int shift)
{
	__shared__ unsigned s[TILE];
	int at = blockIdx.x * TILE + 2 * threadIdx.x;
	uint2 k = *(const uint2 *)(from_key + at), v = *(const uint2 *)(from_value + at);
#pragma unroll 1
	for (int bit = shift; bit < shift + BITS; bit++) {
		/* Zeros keep their order at the front, ones after them. */
		unsigned za = ~k.x >> bit & 1, zb = ~k.y >> bit & 1, zeros;
		unsigned before = block_scan(s, za + zb, &zeros);
		unsigned i = 2 * threadIdx.x;
		unsigned pa = za ? before : zeros + i - before;
		unsigned pb = zb ? before + za : zeros + i + 1 - before - za;
		exchange(s, pa, pb, k.x, k.y);
		exchange(s, pa, pb, v.x, v.y);
	}
	*(uint2 *)(key + at) = k;
	*(uint2 *)(value + at) = v;
}

/* For each tile and digit: where it begins in the tile, and in counts[digit][tile] how many there
 * are. */
__global__ void count_digits(const unsigned *key, unsigned *begin, unsigned *counts, int shift)
{
	__shared__ unsigned digit[TILE], first[DIGITS], end[DIGITS];
	int t = threadIdx.x;
	const unsigned *tile = key + blockIdx.x * TILE;
	digit[t] = tile[t] >> shift & (DIGITS - 1);
	digit[t + THREADS] = tile[t + THREADS] >> shift & (DIGITS - 1);
	if (t < DIGITS)
		first[t] = end[t] = 0;
	__syncthreads();
	for (int i = t; i < TILE; i += THREADS) {
		if (i == 0 || digit[i] != digit[i - 1])
			first[digit[i]] = i;
		if (i == TILE - 1 || digit[i] != digit[i + 1])
			end[digit[i]] = i + 1;
	}
	__syncthreads();
	if (t < DIGITS) {
		begin[blockIdx.x * DIGITS + t] = first[t];
		counts[t * gridDim.x + blockIdx.x] = end[t] - first[t];
	}
}

/* In each tile of n numbers, the sum of all before; the tiles' totals go to sums. */
__global__ void scan(unsigned *x, unsigned *sums, int n)
{
	__shared__ unsigned s[TILE];
	int i = blockIdx.x * TILE + 2 * threadIdx.x;
	unsigned a = i < n ? x[i] : 0, b = i + 1 < n ? x[i + 1] : 0, total;
	unsigned before = block_scan(s, a + b, &total);
	if (i < n)
		x[i] = before;
	if (i + 1 < n)
		x[i + 1] = before + a;
	if (threadIdx.x == 0)
		sums[blockIdx.x] = total;
}

__global__ void add_sums(unsigned *x, const unsigned *sums, int n)
{
	int i = blockIdx.x * TILE + threadIdx.x;
	unsigned before = sums[blockIdx.x];
	if (i < n)
		x[i] += before;
	if (i + THREADS < n)
		x[i + THREADS] += before;
}

__global__ void scatter(unsigned *key, unsigned *value, const unsigned *from_key,
                        const unsigned *from_value, const unsigned *begin, const unsigned *place,
                        int shift)
{
	__shared__ unsigned move[DIGITS];
	int t = threadIdx.x, base = blockIdx.x * TILE;
	if (t < DIGITS)
		move[t] = place[t * gridDim.x + blockIdx.x] - begin[blockIdx.x * DIGITS + t];
	__syncthreads();
	for (int i = t; i < TILE; i += THREADS) {
		unsigned k = from_key[base + i];
		unsigned to = i + move[k >> shift & (DIGITS - 1)];
		key[to] = k;
		value[to] = from_value[base + i];
	}
}

static int tiles_of(int n)
{
	return (n + TILE - 1) / TILE;
}

/* Scans any number of counters, level by level; sums[] has a buffer a level. */
static void scan_all(unsigned *x, int n, unsigned **sums)
{
	scan<<<tiles_of(n), THREADS>>>(x, sums[0], n);
	if (tiles_of(n) == 1)
		return;
	scan_all(sums[0], tiles_of(n), sums + 1);
	add_sums<<<tiles_of(n), THREADS>>>(x, sums[0], n);
}

static void radix_sort(unsigned *key, unsigned *value, int n)
{
	int tiles = n / TILE, counters = tiles * DIGITS;
	unsigned *sorted_key = on_device<unsigned>(n), *sorted_value = on_device<unsigned>(n);
	unsigned *begin = on_device<unsigned>(counters), *counts = on_device<unsigned>(counters);
	unsigned *sums[4];
	for (int level = 0, m = counters; level < 4; level++)
		sums[level] = on_device<unsigned>(m = tiles_of(m));
	for (int shift = 0; shift < 32; shift += BITS) {
		sort_tiles<<<tiles, THREADS>>>(sorted_key, sorted_value, key, value, shift);
		count_digits<<<tiles, THREADS>>>(sorted_key, begin, counts, shift);
		scan_all(counts, counters, sums);
		scatter<<<tiles, THREADS>>>(key, value, sorted_key, sorted_value, begin, counts,
		                            shift);
	}
	CUDA_LAUNCHED();
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("RS", argc, argv);
	workload_options_end(&w);
	int n = workload_pick(&w, 4 * TILE, 1 << 17, 1 << 20);
	std::vector<unsigned> key(n), value(n), order(n), want(n), got(n);
	for (int i = 0; i < n; i++) {
		/* An eighth of the keys repeat an earlier one: order must be kept. */
		bool again = i && rng_below(&w.rng, 8) == 0;
		key[i] = again ? key[rng_below(&w.rng, (uint32_t)i)] : rng_u32(&w.rng);
		value[i] = order[i] = (unsigned)i;
	}
	unsigned *dkey = to_device(key), *dvalue = to_device(value);
	radix_sort(dkey, dvalue, n);
	std::stable_sort(order.begin(), order.end(),
	                 [&](unsigned a, unsigned b) { return key[a] < key[b]; });
	for (int i = 0; i < n; i++)
		want[i] = key[order[i]];
	from_device(got, dkey);
	check_equal(&w, "key", got, want);
	from_device(got, dvalue);
	check_equal(&w, "value", got, order);
	return workload_finish(&w);
}
