/* --check race: kernels of a graph that no edge orders run together, so that they are checked
 * against each other. Without checks a graph's nodes run one after the other. */
#include "cuda/graph/graph.h"
#include "cuda/mem.h"
#include "cuda/queue.h"

struct run {
	struct CUgraph_st *g;
	struct batch *b;
	struct queued *e; /* of each node: the launch as the batch takes it */
	int *member;      /* of each node: its number in the batch, or -1 */
	uint64_t *after;  /* launches of the batch that it waits for, a bit each */
};

static size_t index_of(const struct run *r, const struct CUgraphNode_st *n)
{
	size_t i = 0;
	while (r->g->node[i] != n)
		i++;
	return i;
}

/* True if the node may be in the batch: everything it waits for has ended or is in it too. */
static bool fits(struct run *r, size_t i)
{
	const struct CUgraphNode_st *n = r->g->node[i];
	if (n->mark || n->disabled || n->w.kind != WORK_KERNEL || n->w.kernel.l.cooperative)
		return false;
	r->after[i] = 0;
	for (size_t d = 0; d < n->ndep; d++) {
		size_t k = index_of(r, n->dep[d]);
		if (r->member[k] >= 0)
			r->after[i] |= r->after[k] | 1ull << r->member[k];
		else if (!n->dep[d]->mark)
			return false;
	}
	return true;
}

static cudaError_t run_together(struct run *r, size_t from)
{
	r->b = batch_new();
	for (size_t i = 0; i < r->g->n; i++)
		r->member[i] = -1;
	for (size_t i = from; i < r->g->n; i++) {
		if (!fits(r, i))
			continue;
		r->e[i] = (struct queued){.w = r->g->node[i]->w};
		r->member[i] = batch_add(r->b, &r->e[i], r->after[i]);
		if (r->member[i] < 0)
			break;
	}
	cudaError_t e = batch_run(r->b);
	batch_free(r->b);
	for (size_t i = from; i < r->g->n; i++)
		r->g->node[i]->mark |= r->member[i] >= 0;
	return e;
}

cudaError_t graph_run_together(struct CUgraph_st *g, cudaError_t (*alone)(struct CUgraphNode_st *))
{
	struct run r = {.g = g,
			.e = rt_alloc(g->n * sizeof *r.e),
			.member = rt_alloc(g->n * sizeof *r.member),
			.after = rt_alloc(g->n * sizeof *r.after)};
	cudaError_t e = cudaSuccess;
	for (size_t i = 0; i < g->n; i++)
		g->node[i]->mark = false;
	for (size_t i = 0; i < g->n && !e; i++) {
		struct CUgraphNode_st *n = g->node[i];
		if (n->mark)
			continue;
		if (n->w.kind == WORK_KERNEL && !n->disabled && !n->w.kernel.l.cooperative) {
			e = run_together(&r, i);
		} else {
			e = alone(n);
			n->mark = true;
		}
	}
	free(r.e);
	free(r.member);
	free(r.after);
	return e;
}
