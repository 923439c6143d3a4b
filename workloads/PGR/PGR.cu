/*
 * PGR: PageRank, five steps, each node summing up its neighbours' shares.
 *
 * Used by: the studies of irregular programs and of caches, which take it from the Pannotia suite.
 * Geometry: one thread a node, blocks of 256; two kernels a step.
 * Memory: graph in compressed rows; a node gathers the shares of its neighbours from all over memory.
 * Input: synthetic random graph (graph.h).
 * Check: the rank of every node against the same steps in double precision.
 */
#include "../common/graph.h"

enum { THREADS = 256, STEPS = 5 };

/* What a node gives each of its neighbours. */
__global__ void shares(const int *row, const float *rank, float *share, int nodes)
{
	int u = blockIdx.x * THREADS + threadIdx.x;
	if (u < nodes)
		share[u] = row[u + 1] > row[u] ? rank[u] / (float)(row[u + 1] - row[u]) : 0;
}

__global__ void gather(const int *row, const int *to, const float *share, float *rank, float base, float damping,
                       int nodes)
{
	int u = blockIdx.x * THREADS + threadIdx.x;
	if (u >= nodes)
		return;
	float sum = 0;
	for (int e = row[u]; e < row[u + 1]; e++)
		sum += share[to[e]];
	rank[u] = base + damping * sum;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("PGR", argc, argv);
	int nodes = (int)workload_number(&w, "--nodes", workload_pick(&w, 4000, 30000, 300000), 1, 1 << 24);
	workload_options_end(&w);
	const float damping = 0.85f;
	struct graph g = graph_random(&w.rng, nodes);
	std::vector<float> rank((size_t)nodes, 1);
	int *drow = to_device(g.row), *dto = to_device(g.to), blocks = (nodes + THREADS - 1) / THREADS;
	float *drank = to_device(rank), *dshare = on_device<float>(nodes);
	std::vector<double> want((size_t)nodes, 1), share((size_t)nodes);
	for (int step = 0; step < STEPS; step++) {
		shares<<<blocks, THREADS>>>(drow, drank, dshare, nodes);
		CUDA_LAUNCHED();
		gather<<<blocks, THREADS>>>(drow, dto, dshare, drank, 1 - damping, damping, nodes);
		CUDA_LAUNCHED();
		for (size_t u = 0; u < share.size(); u++)
			share[u] = g.row[u + 1] > g.row[u] ? want[u] / (g.row[u + 1] - g.row[u]) : 0;
		for (size_t u = 0; u < want.size(); u++) {
			double sum = 0;
			for (int e = g.row[u]; e < g.row[u + 1]; e++)
				sum += share[(size_t)g.to[(size_t)e]];
			want[u] = 1 - (double)damping + (double)damping * sum;
		}
	}
	from_device(rank, drank);
	check_near(&w, "rank", rank, want, 1e-4);
	return workload_finish(&w);
}
