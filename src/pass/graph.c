#include "pass/graph.h"

/* Sorts the edges by one end (counting sort). */
static void rows_of(struct arena *a, uint32_t n, const struct edge *e, size_t ne, bool by_from,
		    uint32_t **at_out, uint32_t **to_out)
{
	uint32_t *at = ARENA_ARRAY(a, uint32_t, n + 1);
	uint32_t *to = ARENA_ARRAY(a, uint32_t, ne);
	for (size_t i = 0; i < ne; i++)
		at[by_from ? e[i].from : e[i].to]++;
	for (uint32_t v = 0, sum = 0; v <= n; v++) {
		sum += at[v];
		at[v] = sum;
	}
	for (size_t i = ne; i-- > 0;)
		if (by_from)
			to[--at[e[i].from]] = e[i].to;
		else
			to[--at[e[i].to]] = e[i].from;
	*at_out = at;
	*to_out = to;
}

void graph_build(struct graph *g, struct arena *a, uint32_t n, const struct edge *e, size_t ne)
{
	g->n = n;
	rows_of(a, n, e, ne, true, &g->succ_at, &g->succ);
	rows_of(a, n, e, ne, false, &g->pred_at, &g->pred);
}

static uint32_t *new_filled(struct arena *a, uint32_t n)
{
	uint32_t *p = ARENA_ARRAY(a, uint32_t, n + 1);
	memset(p, 0xff, (n + 1) * sizeof *p);
	return p;
}

/* Walks depth-first: `pre` lists nodes in order of discovery, `post` in order of completion. */
static uint32_t walk_depth_first(struct arena *a, const struct graph *g, uint32_t root,
				 uint32_t *pre, uint32_t *post, uint32_t *index, uint32_t *parent)
{
	uint32_t *stack = ARENA_ARRAY(a, uint32_t, g->n);
	uint32_t *next = ARENA_ARRAY(a, uint32_t, g->n); /* per node: edge to follow next */
	uint32_t depth = 0, npre = 0, npost = 0;
	memcpy(next, g->succ_at, g->n * sizeof *next);
	index[root] = npre;
	pre[npre++] = root;
	stack[depth++] = root;
	while (depth) {
		uint32_t v = stack[depth - 1];
		if (next[v] == g->succ_at[v + 1]) {
			post[npost++] = v;
			depth--;
			continue;
		}
		uint32_t s = g->succ[next[v]++];
		if (index[s] != NO_NODE)
			continue;
		index[s] = npre;
		pre[npre++] = s;
		parent[s] = v;
		stack[depth++] = s;
	}
	return npre;
}

void graph_preorder(struct order *o, uint32_t **parent, struct arena *a, const struct graph *g,
		    uint32_t root)
{
	o->node = ARENA_ARRAY(a, uint32_t, g->n);
	o->index = new_filled(a, g->n);
	*parent = new_filled(a, g->n);
	o->n = walk_depth_first(a, g, root, o->node, ARENA_ARRAY(a, uint32_t, g->n), o->index,
				*parent);
}

void graph_rpo(struct order *o, struct arena *a, const struct graph *g, uint32_t root)
{
	uint32_t *post = ARENA_ARRAY(a, uint32_t, g->n);
	uint32_t *parent = new_filled(a, g->n);
	o->node = ARENA_ARRAY(a, uint32_t, g->n);
	o->index = new_filled(a, g->n);
	o->n = walk_depth_first(a, g, root, o->node, post, o->index, parent);
	for (uint32_t i = 0; i < o->n; i++) {
		o->node[i] = post[o->n - 1 - i];
		o->index[o->node[i]] = i;
	}
}
