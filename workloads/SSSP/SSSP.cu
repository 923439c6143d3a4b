/*
 * SSSP: shortest paths from one node of a weighted graph, in rounds of two kernels.
 *
 * Used by: the studies of irregular programs and of warp scheduling, which take it from the LonestarGPU suite.
 * Geometry: one thread a node, blocks of 256.
 * Memory: graph in compressed rows; a node whose distance has fallen offers its neighbours a way by an atomic minimum.
 *   Irregular loads; a thread's work is its node's degree.
 * Input: synthetic random graph (graph.h), whole weights 1 to 100.
 * Check: the distance of every node against Dijkstra's algorithm with a heap.
 */
#include <queue>
#include "../common/graph.h"

enum { THREADS = 256, FAR = 1 << 30 };

/* Nodes whose distance fell offer their neighbours a way. */
__global__ void relax(const int *row, const int *to, const int *weight, const uint8_t *fell, const int *distance,
                      int *offer, int nodes)
{
	int u = blockIdx.x * THREADS + threadIdx.x;
	if (u >= nodes || !fell[u])
		return;
	for (int e = row[u]; e < row[u + 1]; e++)
		atomicMin(&offer[to[e]], distance[u] + weight[e]);
}

/* Nodes take the best offer; any that does asks for another round. */
__global__ void settle(uint8_t *fell, int *distance, const int *offer, int *again, int nodes)
{
	int u = blockIdx.x * THREADS + threadIdx.x;
	if (u >= nodes)
		return;
	fell[u] = offer[u] < distance[u];
	if (offer[u] < distance[u]) {
		distance[u] = offer[u];
		*again = 1;
	}
}

static std::vector<int> dijkstra(const struct graph &g, const std::vector<int> &weight, int source)
{
	typedef std::pair<int, int> place;
	std::vector<int> distance((size_t)g.nodes, FAR);
	std::priority_queue<place, std::vector<place>, std::greater<place>> heap;
	distance[(size_t)source] = 0;
	heap.push(place(0, source));
	while (!heap.empty()) {
		place p = heap.top();
		heap.pop();
		if (p.first > distance[(size_t)p.second])
			continue;
		for (int e = g.row[(size_t)p.second]; e < g.row[(size_t)p.second + 1]; e++) {
			int v = g.to[(size_t)e], d = p.first + weight[(size_t)e];
			if (d < distance[(size_t)v]) {
				distance[(size_t)v] = d;
				heap.push(place(d, v));
			}
		}
	}
	return distance;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("SSSP", argc, argv);
	int nodes = (int)workload_number(&w, "--nodes", workload_pick(&w, 4000, 30000, 300000), 1, 1 << 24);
	workload_options_end(&w);
	struct graph g = graph_random(&w.rng, nodes);
	std::vector<int> weight((size_t)g.edges), distance((size_t)nodes, FAR), offer;
	for (int &x : weight)
		x = 1 + (int)rng_below(&w.rng, 100);
	int source = (int)rng_below(&w.rng, (uint32_t)nodes);
	std::vector<uint8_t> fell((size_t)nodes, 0);
	distance[(size_t)source] = 0;
	fell[(size_t)source] = 1;
	int *drow = to_device(g.row), *dto = to_device(g.to), *dweight = to_device(weight);
	int *ddistance = to_device(distance), *doffer = to_device(distance), *dagain = on_device<int>(1), again;
	uint8_t *dfell = to_device(fell);
	int blocks = (nodes + THREADS - 1) / THREADS;
	do {
		CUDA(cudaMemset(dagain, 0, sizeof again));
		relax<<<blocks, THREADS>>>(drow, dto, dweight, dfell, ddistance, doffer, nodes);
		CUDA_LAUNCHED();
		settle<<<blocks, THREADS>>>(dfell, ddistance, doffer, dagain, nodes);
		CUDA_LAUNCHED();
		CUDA(cudaMemcpy(&again, dagain, sizeof again, cudaMemcpyDeviceToHost));
	} while (again);
	from_device(distance, ddistance);
	check_equal(&w, "distance", distance, dijkstra(g, weight, source));
	return workload_finish(&w);
}
