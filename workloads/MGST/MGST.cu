/*
 * MGST: merge sort of 32-bit keys with their values, stable.
 *
 * Used by: stsimt (Table II: four kernels, 256, 4, 4 and 2048 blocks of 512, 256, 256 and 128 threads).
 * Geometry: 262,144 pairs. sort_tiles sorts tiles of 1024 in shared memory (a block of 512 a tile);
 *   then every merge step makes runs twice as long: sample_ranks looks up every 128th key of a run in
 *   its neighbour (a thread a pair of samples, blocks of 256), merge_ranks merges the two lists of
 *   boundaries (the same threads), merge_intervals merges the pieces between two boundaries, none
 *   longer than 128 a side (a block of 128 a piece).
 * Memory: keys and values in global memory; tiles and pieces in shared memory (8 KB, 2 KB); binary
 *   searches, so that threads of a warp take different ways.
 * Input: synthetic. Keys random in 16 bits (many are equal, which shows that the sort is stable), values
 *   their places.
 * Check: keys and values against the C++ library's stable sort.
 */
#include <algorithm>
#include "../common/workload.h"

enum { TILE = 1024, STRIDE = 128, RANK_THREADS = 256 };

/* How many keys of a sorted run go before x: those less, and with `equal` those equal. */
static __device__ int keys_before(const uint32_t *run, int n, uint32_t x, bool equal)
{
	int lo = 0, hi = n;
	while (lo < hi) {
		int mid = (lo + hi) / 2;
		if (run[mid] < x || (equal && run[mid] == x))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Runs of length 1, 2, 4, ... merged pairwise: each thread finds the place of two elements. */
__global__ void sort_tiles(uint32_t *out_key, uint32_t *out_value, const uint32_t *key, const uint32_t *value)
{
	__shared__ uint32_t keys[TILE], values[TILE];
	int t = threadIdx.x, first = blockIdx.x * TILE;
	for (int i = t; i < TILE; i += TILE / 2) {
		keys[i] = key[first + i];
		values[i] = value[first + i];
	}
	for (int run = 1; run < TILE; run *= 2) {
		int in = t & (run - 1), base = 2 * (t - in);
		__syncthreads();
		uint32_t ka = keys[base + in], va = values[base + in];
		uint32_t kb = keys[base + run + in], vb = values[base + run + in];
		int pa = base + in + keys_before(keys + base + run, run, ka, false);
		int pb = base + in + keys_before(keys + base, run, kb, true);
		__syncthreads();
		keys[pa] = ka;
		values[pa] = va;
		keys[pb] = kb;
		values[pb] = vb;
	}
	__syncthreads();
	for (int i = t; i < TILE; i += TILE / 2) {
		out_key[first + i] = keys[i];
		out_value[first + i] = values[i];
	}
}

/* Thread t has a sample of the first and one of the second run of a pair. A sample's ranks are its
 * place in its own run and the number of keys of the other run before it. */
__global__ void sample_ranks(int *rank_a, int *rank_b, const uint32_t *key, int run, int pairs)
{
	int t = blockIdx.x * RANK_THREADS + threadIdx.x, per = run / STRIDE;
	if (t >= pairs)
		return;
	int in = t % per, base = t / per * 2 * run, at = in * STRIDE, slot = t / per * 2 * per + in;
	const uint32_t *a = key + base, *b = a + run;
	rank_a[slot] = at;
	rank_b[slot] = keys_before(b, run, a[at], false);
	rank_a[slot + per] = keys_before(a, run, b[at], true);
	rank_b[slot + per] = at;
}

/* Both lists of boundaries of a pair of runs ascend in both ranks: puts them in one order. */
__global__ void merge_ranks(int *limit_a, int *limit_b, const int *rank_a, const int *rank_b, int run,
                            int pairs)
{
	int t = blockIdx.x * RANK_THREADS + threadIdx.x, per = run / STRIDE;
	if (t >= pairs)
		return;
	int in = t % per, list = t / per * 2 * per;
	/* Samples of b that come before sample `in` of a are those at b ranks below its rank_b. */
	int a = list + in, b = list + per + in;
	int to_a = list + in + (rank_b[a] + STRIDE - 1) / STRIDE;
	int to_b = list + in + (rank_a[b] + STRIDE - 1) / STRIDE;
	limit_a[to_a] = rank_a[a];
	limit_b[to_a] = rank_b[a];
	limit_a[to_b] = rank_a[b];
	limit_b[to_b] = rank_b[b];
}

/* Merges what lies between one boundary and the next. */
__global__ void merge_intervals(uint32_t *out_key, uint32_t *out_value, const uint32_t *key,
                                const uint32_t *value, const int *limit_a, const int *limit_b, int run)
{
	__shared__ uint32_t keys[2 * STRIDE], values[2 * STRIDE];
	int per = 2 * run / STRIDE, piece = blockIdx.x, t = threadIdx.x;
	bool last = piece % per == per - 1;
	int base = piece / per * 2 * run, a0 = limit_a[piece], b0 = limit_b[piece];
	int na = (last ? run : limit_a[piece + 1]) - a0, nb = (last ? run : limit_b[piece + 1]) - b0;
	if (t < na) {
		keys[t] = key[base + a0 + t];
		values[t] = value[base + a0 + t];
	}
	if (t < nb) {
		keys[STRIDE + t] = key[base + run + b0 + t];
		values[STRIDE + t] = value[base + run + b0 + t];
	}
	__syncthreads();
	uint32_t ka = 0, va = 0, kb = 0, vb = 0;
	int pa = 0, pb = 0;
	if (t < na) {
		ka = keys[t];
		va = values[t];
		pa = t + keys_before(keys + STRIDE, nb, ka, false);
	}
	if (t < nb) {
		kb = keys[STRIDE + t];
		vb = values[STRIDE + t];
		pb = t + keys_before(keys, na, kb, true);
	}
	__syncthreads();
	if (t < na) {
		keys[pa] = ka;
		values[pa] = va;
	}
	if (t < nb) {
		keys[pb] = kb;
		values[pb] = vb;
	}
	__syncthreads();
	for (int i = t; i < na + nb; i += STRIDE) {
		out_key[base + a0 + b0 + i] = keys[i];
		out_value[base + a0 + b0 + i] = values[i];
	}
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("MGST", argc, argv);
	workload_options_end(&w);
	int n = workload_pick(&w, 16, 64, 256) * TILE;
	std::vector<uint32_t> key(n), value(n), order(n), want_key(n);
	for (int i = 0; i < n; i++) {
		key[i] = rng_u32(&w.rng) >> 16;
		value[i] = order[i] = (uint32_t)i;
	}
	uint32_t *ka = to_device(key), *va = to_device(value);
	uint32_t *kb = on_device<uint32_t>(n), *vb = on_device<uint32_t>(n);
	int pieces = n / STRIDE, pairs = pieces / 2, blocks = (pairs + RANK_THREADS - 1) / RANK_THREADS;
	int *ra = on_device<int>(pieces), *rb = on_device<int>(pieces);
	int *la = on_device<int>(pieces), *lb = on_device<int>(pieces);
	sort_tiles<<<n / TILE, TILE / 2>>>(kb, vb, ka, va);
	CUDA_LAUNCHED();
	for (int run = TILE; run < n; run *= 2) {
		std::swap(ka, kb);
		std::swap(va, vb);
		sample_ranks<<<blocks, RANK_THREADS>>>(ra, rb, ka, run, pairs);
		CUDA_LAUNCHED();
		merge_ranks<<<blocks, RANK_THREADS>>>(la, lb, ra, rb, run, pairs);
		CUDA_LAUNCHED();
		merge_intervals<<<pieces, STRIDE>>>(kb, vb, ka, va, la, lb, run);
		CUDA_LAUNCHED();
	}
	std::vector<uint32_t> got_key(n), got_value(n);
	from_device(got_key, kb);
	from_device(got_value, vb);
	std::stable_sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) { return key[x] < key[y]; });
	for (int i = 0; i < n; i++)
		want_key[i] = key[order[i]];
	check_equal(&w, "key", got_key, want_key);
	check_equal(&w, "value", got_value, order);
	return workload_finish(&w);
}
