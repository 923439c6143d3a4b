/*
 * PF: PathFinder: the cheapest way from the bottom to the top row of a grid, one step straight or
 *   diagonal a row, by dynamic programming.
 *
 * Used by: warpman (Table 2: 8 warps and 2 KB of shared memory a block); the thesis on ISAs (the
 *   code of its tables 14 and 15).
 * Geometry: blocks of 256 threads. A launch advances 20 rows: a block starts with 256 columns in
 *   shared memory and loses one column at each side a row, so that it ends with 216 of its own; 463
 *   blocks for 100,000 columns, five launches for 100 rows.
 * Memory: two rows of 256 integers in shared memory, two barriers a row.
 * Input: costs of 0 to 9, uniform, 100 rows of 100,000 as in the Rodinia suite.
 * Check: the same recurrence row by row on the CPU.
 */
#include "../common/workload.h"
#include <algorithm>

enum { THREADS = 256, PYRAMID = 20, OWN = THREADS - 2 * PYRAMID };

static __device__ int smaller(int a, int b)
{
	return a < b ? a : b;
}

/* Rows first+1 to first+steps, from the costs `before` of reaching row `first`. */
__global__ void advance(const int *wall, const int *before, int *after, int cols, int first,
                        int steps)
{
	__shared__ int prev[THREADS], next[THREADS];
	int tx = threadIdx.x;
	int block_left = blockIdx.x * OWN - PYRAMID;
	int x = block_left + tx;
	/* The columns of this block that exist. */
	int lo = block_left < 0 ? -block_left : 0;
	int hi = block_left + THREADS > cols ? cols - 1 - block_left : THREADS - 1;
	int west = tx - 1 < lo ? lo : tx - 1, east = tx + 1 > hi ? hi : tx + 1;
	bool exists = tx >= lo && tx <= hi;

	if (exists)
		prev[tx] = before[x];
	__syncthreads();
	bool computed = false;
#pragma unroll 1
	for (int i = 0; i < steps; i++) {
		computed = false;
		if (exists && tx >= i + 1 && tx <= THREADS - i - 2) {
			computed = true;
			int best = smaller(smaller(prev[west], prev[tx]), prev[east]);
			next[tx] = best + wall[cols * (first + 1 + i) + x];
		}
		__syncthreads();
		if (i == steps - 1)
			break;
		if (computed)
			prev[tx] = next[tx];
		__syncthreads();
	}
	/* Of the columns that are right, those that no neighbour computes too. */
	if (computed && tx >= PYRAMID && tx < THREADS - PYRAMID)
		after[x] = next[tx];
}

static std::vector<int> reference(const std::vector<int> &wall, int rows, int cols)
{
	std::vector<int> cost(wall.begin(), wall.begin() + cols), last;
	for (int r = 1; r < rows; r++) {
		last = cost;
		for (int c = 0; c < cols; c++) {
			int best = last[c];
			if (c > 0)
				best = std::min(best, last[c - 1]);
			if (c + 1 < cols)
				best = std::min(best, last[c + 1]);
			cost[c] = best + wall[(size_t)r * cols + c];
		}
	}
	return cost;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("PF", argc, argv);
	workload_options_end(&w);
	int cols = workload_pick(&w, 2500, 20000, 100000), rows = workload_pick(&w, 50, 100, 100);
	std::vector<int> wall((size_t)rows * cols), got(cols);
	for (int &c : wall)
		c = (int)rng_below(&w.rng, 10);
	int *dwall = to_device(wall), *dcost[2] = {on_device<int>(cols), on_device<int>(cols)};
	CUDA(cudaMemcpy(dcost[0], wall.data(), cols * sizeof(int), cudaMemcpyHostToDevice));
	int from = 0;
	for (int r = 0; r < rows - 1; r += PYRAMID, from = 1 - from)
		advance<<<(cols + OWN - 1) / OWN, THREADS>>>(dwall, dcost[from], dcost[1 - from],
		                                             cols, r,
		                                             std::min<int>(PYRAMID, rows - 1 - r));
	CUDA_LAUNCHED();
	from_device(got, dcost[from]);
	check_equal(&w, "cost", got, reference(wall, rows, cols));
	return workload_finish(&w);
}
