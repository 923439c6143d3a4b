/* --check race: runs kernels of a graph that no edge orders together, so that they are checked
 * against each other. Each kernel gets a list of the copies and fills that no edge orders with it;
 * copies and fills are compared in pairs. Without checks, a graph's nodes run one after the
 * other. */
#include "cuda/check/beside.h"
#include "cuda/graph/graph.h"
#include "cuda/process/alloc.h"
#include "cuda/stream/queue.h"

struct run {
	struct CUgraph_st *g;
	struct batch *b;
	struct queued *e; /* per node: its launch in the form that the batch takes */
	int *member;      /* per node: its number in the batch; -1: not in it */
	uint64_t *after;  /* per node: launches of the batch that it waits for, one bit each */
	bool *before;     /* [i * n + k]: node k ends before node i begins */
};

static size_t index_of(const struct run *r, const struct CUgraphNode_st *n)
{
	size_t i = 0;
	while (r->g->node[i] != n)
		i++;
	return i;
}

/* Fills `before`. The nodes are in an order that fits their edges. */
static void find_order(struct run *r)
{
	size_t n = r->g->n;
	for (size_t i = 0; i < n; i++)
		for (size_t d = 0; d < r->g->node[i]->ndep; d++) {
			size_t k = index_of(r, r->g->node[i]->dep[d]);
			r->before[i * n + k] = true;
			for (size_t j = 0; j < k; j++)
				r->before[i * n + j] |= r->before[k * n + j];
		}
}

/* Collects copies and fills concurrent with a kernel of the graph, both in the graph and in
 * streams. */
static struct others find_beside(const struct run *r, size_t i)
{
	struct others o = {0};
	size_t n = r->g->n;
	const struct queued *q = queued_graph();
	if (q && q->nothers) {
		o.v = rt_copy(q->others, q->nothers * sizeof *o.v);
		o.n = q->nothers;
	}
	for (size_t k = 0; k < n; k++) {
		const struct CUgraphNode_st *x = r->g->node[k];
		if (work_changes_memory(&x->w) && !x->disabled && !r->before[i * n + k] &&
		    !r->before[k * n + i])
			others_add(&o, &x->w, &x->site);
	}
	return o;
}

/* Compares copies and fills of the graph that no edge orders. */
static void look_at_copies(const struct run *r)
{
	size_t n = r->g->n;
	struct others *place = rt_alloc(n * sizeof *place);
	pthread_mutex_lock(&process.lock);
	for (size_t i = 0; i < n; i++) {
		const struct CUgraphNode_st *a = r->g->node[i];
		if (!a->disabled)
			place[i] = beside_places(&a->w);
		for (size_t k = 0; k < i; k++)
			if (place[k].n && !r->before[i * n + k])
				beside_look(&place[k], &r->g->node[k]->site, &place[i], &a->site);
	}
	pthread_mutex_unlock(&process.lock);
	for (size_t i = 0; i < n; i++)
		free(place[i].v);
	free(place);
}

/* True if the node may join the batch: every node that it waits for has ended or is in the
 * batch. */
static bool fits_batch(struct run *r, size_t i)
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

/* Gives a launch the ticket of its graph: all launches of a graph have the graph's number in the
 * list of work. */
static void set_ticket(struct heddle_launch *l)
{
	const struct queued *q = queued_graph();
	l->ticket = q ? q->seq : 0;
	l->beside = q ? q->apart : NULL;
	l->nbeside = q ? q->napart : 0;
}

static cudaError_t run_together(struct run *r, size_t from)
{
	r->b = batch_new();
	for (size_t i = 0; i < r->g->n; i++)
		r->member[i] = -1;
	for (size_t i = from; i < r->g->n; i++) {
		if (!fits_batch(r, i))
			continue;
		struct others o = find_beside(r, i);
		r->e[i] = (struct queued){.w = r->g->node[i]->w};
		r->e[i].w.kernel.l.others = o.v;
		r->e[i].w.kernel.l.nothers = o.n;
		set_ticket(&r->e[i].w.kernel.l);
		r->member[i] = batch_add(r->b, &r->e[i], r->after[i]);
		if (r->member[i] < 0)
			break;
	}
	cudaError_t e = batch_run(r->b);
	batch_free(r->b);
	for (size_t i = from; i < r->g->n; i++) {
		r->g->node[i]->mark |= r->member[i] >= 0;
		free((void *)(uintptr_t)r->e[i].w.kernel.l.others);
		r->e[i] = (struct queued){0};
	}
	return e;
}

cudaError_t graph_run_together(struct CUgraph_st *g, cudaError_t (*alone)(struct CUgraphNode_st *))
{
	struct run r = {.g = g,
			.e = rt_alloc(g->n * sizeof *r.e),
			.member = rt_alloc(g->n * sizeof *r.member),
			.after = rt_alloc(g->n * sizeof *r.after),
			.before = rt_alloc(g->n * g->n)};
	cudaError_t e = cudaSuccess;
	find_order(&r);
	look_at_copies(&r);
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
	free(r.before);
	return e;
}
