/*
 * BWC: breadth-first search with virtual warps: a group of 8 threads works on a node together.
 *
 * Used by: stsimt (Table II: one kernel, 977 blocks of 128 threads).
 * Geometry: a group of W threads (--group, default 8) takes a run of 8 W nodes, so a block of 128
 *   threads covers 1024 nodes: a million nodes make 977 blocks, one launch a level.
 * Memory: each group copies its nodes' levels and row offsets to shared memory together, then walks
 *   its nodes one after another, all its threads sharing the edges of one: neighbouring threads read
 *   neighbouring edges, and divergence is confined to a group.
 * Input: the random graph of BFS (see graph.h).
 * Races: two threads that reach the same node store the same level, and a thread may read a level
 *   while another stores it; either value means the same to the reader (not at the current level, and
 *   to be stored again or not with the same value). Threads that find a node store the same flag.
 * Check: the level of every node against a search with a queue.
 */
#include "../common/graph.h"

enum { THREADS = 128, RUN = 8, BLOCK_NODES = THREADS * RUN };

/* Levels are -1 until a node is reached. Nobody needs a barrier: a group's part of shared memory is
 * its own, and its threads are in one warp; __syncwarp() orders their accesses. */
template <int W>
__global__ void bfs_groups(const int *row, const int *to, int *level, int current, int *again, int nodes)
{
	__shared__ int levels[BLOCK_NODES], rows[BLOCK_NODES + THREADS / W];
	int lane = threadIdx.x % W, group = threadIdx.x / W, n = W * RUN;
	int first = blockIdx.x * BLOCK_NODES + group * n;
	int *my_level = levels + group * n, *my_row = rows + group * (n + 1);
	n = min(n, max(nodes - first, 0));
	for (int i = lane; i < n; i += W)
		my_level[i] = level[first + i];
	for (int i = lane; i <= n && n > 0; i += W)
		my_row[i] = row[first + i];
	__syncwarp();
	bool found = false;
	for (int i = 0; i < n; i++) {
		if (my_level[i] != current)
			continue;
		for (int e = my_row[i] + lane; e < my_row[i + 1]; e += W) {
			int v = to[e];
			if (level[v] < 0) {
				level[v] = current + 1;
				found = true;
			}
		}
	}
	if (found)
		*again = 1;
}

typedef void kernel(const int *, const int *, int *, int, int *, int);

static kernel *kernel_for(int group)
{
	return group == 4 ? bfs_groups<4> : group == 8 ? bfs_groups<8> : group == 16 ? bfs_groups<16>
	     : group == 32 ? bfs_groups<32> : NULL;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("BWC", argc, argv);
	int nodes = (int)workload_number(&w, "--nodes", workload_pick(&w, 20000, 100000, 1000000), 1, 1 << 26);
	kernel *search = kernel_for((int)workload_number(&w, "--group", 8, 4, 32));
	workload_options_end(&w);
	if (!search) {
		fprintf(stderr, "BWC: --group: expected 4, 8, 16 or 32\n");
		return 2;
	}
	struct graph g = graph_random(&w.rng, nodes);
	int source = (int)rng_below(&w.rng, (uint32_t)nodes);
	std::vector<int> level((size_t)nodes, -1);
	level[(size_t)source] = 0;
	int *drow = to_device(g.row), *dto = to_device(g.to), *dlevel = to_device(level);
	int *dagain = on_device<int>(1), again = 1, blocks = (nodes + BLOCK_NODES - 1) / BLOCK_NODES;
	for (int current = 0; again; current++) {
		CUDA(cudaMemset(dagain, 0, sizeof again));
		search<<<blocks, THREADS>>>(drow, dto, dlevel, current, dagain, nodes);
		CUDA_LAUNCHED();
		CUDA(cudaMemcpy(&again, dagain, sizeof again, cudaMemcpyDeviceToHost));
	}
	from_device(level, dlevel);
	check_equal(&w, "level", level, graph_bfs(g, source));
	return workload_finish(&w);
}
