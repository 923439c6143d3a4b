/*
 * BFS: breadth-first search of a random graph, one level a step, two kernels a level, or one (--kernels 1).
 *
 * Used by: hws (thesis, section 5.2: 4096 nodes), stsimt (Table II: two kernels, 1954 blocks of 512).
 * Geometry: one thread a node, blocks of 512. A million nodes make 1954 blocks; row BFS.hws of the
 *   suite runs the 4096 nodes of the thesis (--nodes 4096). The thesis's suite has one kernel a level and
 *   blocks of 256: row BFS.one.
 * Memory: graph in compressed rows in global memory, one byte masks for frontier, next frontier and
 *   visited nodes; no shared memory. Irregular loads; a thread's work is its node's degree.
 * Input: synthetic random graph, degrees from 2 up with mean 6 (see graph.h).
 * Races: threads of one frontier that share a neighbour write the same cost and the same mark to it,
 *   and every thread that extends the search stores the same flag. All write the same value and
 *   nobody reads before the kernel has ended, so the result is the same in any order.
 * Check: the level of every node against a search with a queue.
 */
#include "../common/graph.h"

enum { THREADS = 512 };

/* Nodes of the frontier give their unvisited neighbours a cost. */
__global__ void bfs_expand(const int *row, const int *to, uint8_t *frontier, uint8_t *next,
                           const uint8_t *visited, int *cost, int nodes)
{
	int u = blockIdx.x * THREADS + threadIdx.x;
	if (u >= nodes || !frontier[u])
		return;
	frontier[u] = 0;
	for (int e = row[u]; e < row[u + 1]; e++) {
		int v = to[e];
		if (!visited[v]) {
			cost[v] = cost[u] + 1;
			next[v] = 1;
		}
	}
}

/* The nodes that were reached become the frontier; any of them asks for another step. */
__global__ void bfs_advance(uint8_t *frontier, uint8_t *next, uint8_t *visited, int *again, int nodes)
{
	int u = blockIdx.x * THREADS + threadIdx.x;
	if (u >= nodes || !next[u])
		return;
	frontier[u] = 1;
	visited[u] = 1;
	next[u] = 0;
	*again = 1;
}

enum { LEVEL_THREADS = 256 };

/* Both in one kernel: nodes of the frontier give their neighbours without a cost one, and a place in the next. */
__global__ void bfs_level(const int *row, const int *to, uint8_t *frontier, uint8_t *next, int *cost, int *again,
                          int nodes)
{
	int u = blockIdx.x * LEVEL_THREADS + threadIdx.x;
	if (u >= nodes || !frontier[u])
		return;
	frontier[u] = 0;
	for (int e = row[u]; e < row[u + 1]; e++) {
		int v = to[e];
		if (cost[v] < 0) {
			cost[v] = cost[u] + 1;
			next[v] = 1;
			*again = 1;
		}
	}
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("BFS", argc, argv);
	int nodes = (int)workload_number(&w, "--nodes", workload_pick(&w, 20000, 100000, 1000000), 1, 1 << 26);
	bool one = workload_number(&w, "--kernels", 2, 1, 2) == 1;
	workload_options_end(&w);
	struct graph g = graph_random(&w.rng, nodes);
	int source = (int)rng_below(&w.rng, (uint32_t)nodes);
	std::vector<int> cost((size_t)nodes, -1);
	std::vector<uint8_t> start((size_t)nodes, 0);
	cost[(size_t)source] = 0;
	start[(size_t)source] = 1;
	int *drow = to_device(g.row), *dto = to_device(g.to), *dcost = to_device(cost);
	uint8_t *frontier = to_device(start), *visited = to_device(start);
	uint8_t *next = zeroed_on_device<uint8_t>(nodes);
	int *dagain = on_device<int>(1), again, blocks = (nodes + THREADS - 1) / THREADS;
	do {
		CUDA(cudaMemset(dagain, 0, sizeof again));
		if (one) {
			bfs_level<<<(nodes + LEVEL_THREADS - 1) / LEVEL_THREADS, LEVEL_THREADS>>>(
				drow, dto, frontier, next, dcost, dagain, nodes);
			CUDA_LAUNCHED();
			std::swap(frontier, next);
			CUDA(cudaMemcpy(&again, dagain, sizeof again, cudaMemcpyDeviceToHost));
			continue;
		}
		bfs_expand<<<blocks, THREADS>>>(drow, dto, frontier, next, visited, dcost, nodes);
		CUDA_LAUNCHED();
		bfs_advance<<<blocks, THREADS>>>(frontier, next, visited, dagain, nodes);
		CUDA_LAUNCHED();
		CUDA(cudaMemcpy(&again, dagain, sizeof again, cudaMemcpyDeviceToHost));
	} while (again);
	from_device(cost, dcost);
	check_equal(&w, "level", cost, graph_bfs(g, source));
	return workload_finish(&w);
}
