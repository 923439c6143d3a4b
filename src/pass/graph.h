/* A directed graph in compressed rows: the successors of node v are
 * succ[succ_at[v] .. succ_at[v + 1] - 1], its predecessors likewise. Nothing recurses, so that large
 * generated kernels do not overflow the stack; everything is in the arena given. Users are pass/cfg.h
 * (flow graphs) and pass/dom.h. */
#ifndef PASS_GRAPH_H
#define PASS_GRAPH_H
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/vec.h"

enum { NO_NODE = 0xffffffff };

struct edge {
	uint32_t from, to;
};
typedef VEC(struct edge) edge_vec;

struct graph {
	uint32_t n;               /* nodes 0 .. n - 1 */
	uint32_t *succ_at, *succ; /* n + 1 offsets; edges in the order they were given */
	uint32_t *pred_at, *pred;
};

/* A depth-first walk from `root`; nodes not reached have index NO_NODE. */
struct order {
	uint32_t n;      /* nodes reached */
	uint32_t *node;  /* [i]: the i-th node of the walk */
	uint32_t *index; /* [v]: position of v in node[], or NO_NODE */
};

void graph_build(struct graph *g, struct arena *a, uint32_t n, const struct edge *e, size_t ne);
/* Reverse post-order: every node before its successors, except along retreating edges. */
void graph_rpo(struct order *o, struct arena *a, const struct graph *g, uint32_t root);
/* Pre-order; parent[v] is v's parent in the depth-first tree (NO_NODE: the root, unreached). */
void graph_preorder(struct order *o, uint32_t **parent, struct arena *a, const struct graph *g,
		    uint32_t root);

#define graph_each_succ(g, v, s)                                                                   \
	for (uint32_t i_##s = (g)->succ_at[v], s;                                                  \
	     i_##s < (g)->succ_at[(v) + 1] && ((s = (g)->succ[i_##s]), 1); i_##s++)
#define graph_each_pred(g, v, p)                                                                   \
	for (uint32_t i_##p = (g)->pred_at[v], p;                                                  \
	     i_##p < (g)->pred_at[(v) + 1] && ((p = (g)->pred[i_##p]), 1); i_##p++)

#endif
