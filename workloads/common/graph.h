/* Random graphs in compressed rows for BFS and BWC, and breadth-first search with a queue. */
#ifndef GRAPH_H
#define GRAPH_H
#include "workload.h"

struct graph {
	int nodes, edges;
	std::vector<int> row;   /* nodes + 1 offsets into to[] */
	std::vector<int> to;
};

/* Every node has 2 to 4 random links, each an edge in both directions: degrees from 2 up, 6 in the
 * mean, as the published generator of the BFS inputs makes them. */
static inline struct graph graph_random(struct rng *r, int nodes)
{
	std::vector<int> a, b;
	for (int i = 0; i < nodes; i++) {
		for (uint32_t k = 2 + rng_below(r, 3); k > 0; k--) {
			a.push_back(i);
			b.push_back((int)rng_below(r, (uint32_t)nodes));
		}
	}
	struct graph g;
	g.nodes = nodes;
	g.edges = 2 * (int)a.size();
	g.row.assign((size_t)nodes + 1, 0);
	g.to.resize((size_t)g.edges);
	for (size_t e = 0; e < a.size(); e++) {
		g.row[(size_t)a[e] + 1]++;
		g.row[(size_t)b[e] + 1]++;
	}
	for (int i = 0; i < nodes; i++)
		g.row[(size_t)i + 1] += g.row[(size_t)i];
	std::vector<int> next(g.row.begin(), g.row.end() - 1);
	for (size_t e = 0; e < a.size(); e++) {
		g.to[(size_t)next[(size_t)a[e]]++] = b[e];
		g.to[(size_t)next[(size_t)b[e]]++] = a[e];
	}
	return g;
}

/* The number of edges from the source to every node, -1 for those out of reach. */
static inline std::vector<int> graph_bfs(const struct graph &g, int source)
{
	std::vector<int> level((size_t)g.nodes, -1), queue(1, source);
	level[(size_t)source] = 0;
	for (size_t head = 0; head < queue.size(); head++) {
		int u = queue[head];
		for (int e = g.row[(size_t)u]; e < g.row[(size_t)u + 1]; e++) {
			int v = g.to[(size_t)e];
			if (level[(size_t)v] < 0) {
				level[(size_t)v] = level[(size_t)u] + 1;
				queue.push_back(v);
			}
		}
	}
	return level;
}

#endif
