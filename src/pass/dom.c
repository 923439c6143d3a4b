/* Lengauer and Tarjan's dominators, with path compression by a loop: O(edges log nodes) for
 * every shape of graph, and no recursion. Users of the tree are named in pass/dom.h.
 *
 * Nodes are numbered in depth-first pre-order, and all arrays of this file are indexed by these
 * numbers. The semidominator of w is the least v that has a path v -> ... -> w whose inner nodes all
 * are > w; the immediate dominator follows from it either at once or through a node of the bucket. The
 * simpler iterative schemes are as fast on small graphs but quadratic on some large ones, and
 * generated kernels are large. */
#include "pass/dom.h"

struct lt {
	uint32_t *parent; /* parent in the depth-first tree */
	uint32_t *semi, *idom;
	uint32_t *anc, *label;   /* forest of the nodes processed so far */
	uint32_t *bucket, *next; /* lists of nodes by semidominator: first node, next node */
	uint32_t *path;
};

/* The node of least semidominator on v's path up the forest, below its root. */
static uint32_t find_least(struct lt *l, uint32_t v)
{
	if (l->anc[v] == NO_NODE)
		return v;
	uint32_t n = 0;
	for (uint32_t u = v; l->anc[l->anc[u]] != NO_NODE; u = l->anc[u])
		l->path[n++] = u;
	while (n--) {
		uint32_t u = l->path[n], up = l->anc[u];
		if (l->semi[l->label[up]] < l->semi[l->label[u]])
			l->label[u] = l->label[up];
		l->anc[u] = l->anc[up];
	}
	return l->label[v];
}

static void lt_init(struct lt *l, struct arena *a, const struct order *o, const uint32_t *parent)
{
	uint32_t n = o->n;
	l->parent = ARENA_ARRAY(a, uint32_t, n);
	l->semi = ARENA_ARRAY(a, uint32_t, n);
	l->idom = ARENA_ARRAY(a, uint32_t, n);
	l->anc = ARENA_ARRAY(a, uint32_t, n);
	l->label = ARENA_ARRAY(a, uint32_t, n);
	l->bucket = ARENA_ARRAY(a, uint32_t, n);
	l->next = ARENA_ARRAY(a, uint32_t, n);
	l->path = ARENA_ARRAY(a, uint32_t, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t p = parent[o->node[i]];
		l->parent[i] = p == NO_NODE ? NO_NODE : o->index[p];
		l->semi[i] = l->label[i] = i;
		l->anc[i] = l->bucket[i] = l->next[i] = NO_NODE;
	}
}

static void lt_run(struct lt *l, const struct graph *g, const struct order *o)
{
	for (uint32_t w = o->n; w-- > 1;) {
		graph_each_pred (g, o->node[w], pred) {
			uint32_t v = o->index[pred];
			if (v == NO_NODE)
				continue;
			uint32_t u = find_least(l, v);
			if (l->semi[u] < l->semi[w])
				l->semi[w] = l->semi[u];
		}
		l->next[w] = l->bucket[l->semi[w]];
		l->bucket[l->semi[w]] = w;
		uint32_t p = l->parent[w];
		l->anc[w] = p;
		for (uint32_t v = l->bucket[p]; v != NO_NODE; v = l->next[v]) {
			uint32_t u = find_least(l, v);
			l->idom[v] = l->semi[u] < l->semi[v] ? u : p;
		}
		l->bucket[p] = NO_NODE;
	}
	for (uint32_t w = 1; w < o->n; w++)
		if (l->idom[w] != l->semi[w])
			l->idom[w] = l->idom[l->idom[w]];
}

/* Numbers the tree's intervals: subtree sizes from the leaves up, then places from the root down. A
 * dominator comes before the node in pre-order, so one loop does each. */
static void number_tree(struct domtree *t, struct arena *a, const struct order *o)
{
	uint32_t *size = ARENA_ARRAY(a, uint32_t, o->n), *next = ARENA_ARRAY(a, uint32_t, o->n);
	for (uint32_t i = o->n; i-- > 0;) {
		size[i]++;
		if (i)
			size[o->index[t->idom[o->node[i]]]] += size[i];
	}
	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t v = o->node[i], in = 0;
		if (i) {
			uint32_t d = o->index[t->idom[v]];
			in = next[d];
			next[d] += size[i];
		}
		t->in[v] = in;
		t->out[v] = in + size[i];
		next[i] = in + 1;
	}
}

void dom_tree(struct domtree *t, struct arena *a, const struct graph *g, uint32_t root)
{
	struct arena tmp = {0};
	struct order o;
	struct lt l;
	uint32_t *parent;
	t->idom = ARENA_ARRAY(a, uint32_t, g->n);
	t->in = ARENA_ARRAY(a, uint32_t, g->n);
	t->out = ARENA_ARRAY(a, uint32_t, g->n);
	memset(t->idom, 0xff, g->n * sizeof *t->idom);
	memset(t->in, 0xff, g->n * sizeof *t->in);
	graph_preorder(&o, &parent, &tmp, g, root);
	lt_init(&l, &tmp, &o, parent);
	lt_run(&l, g, &o);
	for (uint32_t w = 1; w < o.n; w++)
		t->idom[o.node[w]] = o.node[l.idom[w]];
	number_tree(t, &tmp, &o);
	arena_free(&tmp);
}

void dom_build(struct domtree *t, const struct cfg *c) { dom_tree(t, c->arena, &c->g, 0); }
