/* Graphs as objects: their nodes and the order of nodes, running graphs, and capturing streams into
 * graphs. graph.h has the structures. */
#include "cuda/graph/graph.h"
#include "cuda/memory/graph_memory.h"

#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"
#include "cuda/stream/queue.h"

void graph_mem_release(uint64_t addr)
{
	if (graph_mem_drop(addr))
		mem_free(addr);
}

/* ---- graphs ---- */

struct CUgraph_st *graph_new(void)
{
	struct CUgraph_st *g = rt_alloc(sizeof *g);
	g->refs = 1;
	own_add_inner(OWN_GRAPH, HANDLE(g));
	return g;
}

struct CUgraph_st *graph_give(struct CUgraph_st *g)
{
	own_remove(OWN_GRAPH, HANDLE(g));
	own_add(OWN_GRAPH, HANDLE(g));
	return g;
}

bool graph_known(const struct CUgraph_st *g) { return own_has(OWN_GRAPH, HANDLE(g)); }
bool node_known(const struct CUgraphNode_st *n) { return own_has(OWN_NODE, HANDLE(n)); }
bool exec_known(const struct CUgraphExec_st *x) { return own_has(OWN_EXEC, HANDLE(x)); }

struct CUgraph_st *graph_retain(struct CUgraph_st *g)
{
	__atomic_add_fetch(&g->refs, 1, __ATOMIC_RELAXED);
	return g;
}

void node_free(struct CUgraphNode_st *n)
{
	own_remove(OWN_NODE, HANDLE(n));
	if (n->type == cudaGraphNodeTypeMemAlloc)
		graph_mem_release(n->w.mem.addr);
	work_free(&n->w);
	free(n->dep);
	free(n->args);
	free(n);
}

void graph_release(struct CUgraph_st *g)
{
	if (__atomic_sub_fetch(&g->refs, 1, __ATOMIC_ACQ_REL))
		return;
	own_remove(OWN_GRAPH, HANDLE(g));
	for (size_t i = 0; i < g->n; i++)
		node_free(g->node[i]);
	graph_extras_free(g);
	free(g->node);
	free(g);
}

static struct CUgraphNode_st *append_node(struct CUgraph_st *g, const struct work *w,
					  enum cudaGraphNodeType type)
{
	struct CUgraphNode_st *n = rt_alloc(sizeof *n);
	n->graph = g;
	n->w = *w;
	n->type = type;
	own_add_inner(OWN_NODE, HANDLE(n));
	if (type == cudaGraphNodeTypeMemAlloc)
		graph_mem_retain(w->mem.addr, w->mem.size);
	g->node = rt_grow(g->node, (g->n + 1) * sizeof *g->node);
	g->node[g->n++] = n;
	return n;
}

struct CUgraphNode_st *graph_add(struct CUgraph_st *g, const cudaGraphNode_t *dep, size_t ndep,
				 struct work *w, enum cudaGraphNodeType type)
{
	for (size_t i = 0; i < ndep; i++) {
		if (!dep || !node_known(dep[i]) || dep[i]->graph != g)
			return NULL;
		for (size_t k = 0; k < i; k++)
			if (dep[k] == dep[i])
				return NULL;
	}
	struct CUgraphNode_st *n = append_node(g, w, type);
	n->dep = rt_copy(dep, ndep * sizeof *dep);
	n->ndep = ndep;
	if (process.check.race && work_changes_memory(&n->w))
		n->site = site_here();
	w->kind = WORK_EMPTY;
	return n;
}

struct CUgraph_st *graph_clone(const struct CUgraph_st *g)
{
	struct CUgraph_st *c = graph_new();
	graph_extras_clone(c, g);
	for (size_t i = 0; i < g->n; i++) {
		const struct CUgraphNode_st *o = g->node[i];
		struct work w = work_clone(&o->w);
		if (o->type == cudaGraphNodeTypeGraph) { /* the child graph is copied */
			graph_release(w.graph);
			w.graph = graph_clone(o->w.graph);
		}
		struct CUgraphNode_st *n = append_node(c, &w, o->type);
		n->origin = o;
		n->disabled = o->disabled;
		n->site = o->site;
		n->copy = o->copy;
		n->fill = o->fill;
		n->alloc = o->alloc;
	}
	for (size_t i = 0; i < g->n; i++) {
		const struct CUgraphNode_st *o = g->node[i];
		c->node[i]->ndep = o->ndep;
		c->node[i]->dep = rt_alloc(o->ndep * sizeof *o->dep);
		for (size_t k = 0; k < o->ndep; k++)
			for (size_t j = 0; j < g->n; j++)
				if (g->node[j] == o->dep[k])
					c->node[i]->dep[k] = c->node[j];
	}
	return c;
}

static bool is_ready(const struct CUgraphNode_st *n)
{
	for (size_t i = 0; i < n->ndep; i++)
		if (!n->dep[i]->mark)
			return false;
	return true;
}

bool graph_sort(struct CUgraph_st *g)
{
	struct CUgraphNode_st **order = rt_alloc(g->n * sizeof *order);
	size_t n = 0;
	for (size_t i = 0; i < g->n; i++)
		g->node[i]->mark = false;
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < g->n; i++)
			if (!g->node[i]->mark && is_ready(g->node[i])) {
				g->node[i]->mark = more = true;
				order[n++] = g->node[i];
			}
	}
	bool ok = n == g->n;
	if (ok && n)
		memcpy(g->node, order, n * sizeof *order);
	free(order);
	for (size_t i = 0; i < g->n && ok; i++) {
		const struct work *w = &g->node[i]->w;
		if (w->kind == WORK_GRAPH)
			ok = graph_sort(w->graph);
		for (unsigned k = 0; w->kind == WORK_CONDITIONAL && k < w->cond.n && ok; k++)
			ok = graph_sort(w->cond.body[k]);
	}
	return ok;
}

static size_t position_of(const struct CUgraph_st *g, const struct CUgraphNode_st *n)
{
	size_t i = 0;
	while (i < g->n && g->node[i] != n)
		i++;
	return i;
}

static enum cudaGraphExecUpdateResult
node_differs(const struct CUgraph_st *a, const struct CUgraphNode_st *x, const struct CUgraph_st *b,
	     const struct CUgraphNode_st *y, struct CUgraphNode_st **bad)
{
	if (x->type != y->type)
		return cudaGraphExecUpdateErrorNodeTypeChanged;
	if (x->ndep != y->ndep)
		return cudaGraphExecUpdateErrorTopologyChanged;
	for (size_t k = 0; k < x->ndep; k++)
		if (position_of(a, x->dep[k]) != position_of(b, y->dep[k]))
			return cudaGraphExecUpdateErrorTopologyChanged;
	if (x->w.kind == WORK_GRAPH)
		return graph_differs(x->w.graph, y->w.graph, bad);
	if (x->w.kind != WORK_CONDITIONAL)
		return cudaGraphExecUpdateSuccess;
	if (x->w.cond.type != y->w.cond.type || x->w.cond.n != y->w.cond.n)
		return cudaGraphExecUpdateErrorParametersChanged;
	enum cudaGraphExecUpdateResult r = cudaGraphExecUpdateSuccess;
	for (unsigned k = 0; k < x->w.cond.n && !r; k++)
		r = graph_differs(x->w.cond.body[k], y->w.cond.body[k], bad);
	return r;
}

enum cudaGraphExecUpdateResult graph_differs(const struct CUgraph_st *a, const struct CUgraph_st *b,
					     struct CUgraphNode_st **bad)
{
	if (a->n != b->n)
		return cudaGraphExecUpdateErrorTopologyChanged;
	for (size_t i = 0; i < a->n; i++) {
		*bad = b->node[i];
		enum cudaGraphExecUpdateResult r = node_differs(a, a->node[i], b, b->node[i], bad);
		if (r)
			return r;
	}
	*bad = NULL;
	return cudaGraphExecUpdateSuccess;
}

/* True if the node names a destroyed event. */
static bool is_gone(const struct CUgraphNode_st *n)
{
	return (n->w.kind == WORK_RECORD || n->w.kind == WORK_WAIT) &&
	       !own_has(OWN_EVENT, HANDLE(n->w.event.event));
}

static cudaError_t node_run(struct CUgraphNode_st *n)
{
	if (n->disabled || n->type == cudaGraphNodeTypeMemAlloc ||
	    n->type == cudaGraphNodeTypeMemFree || is_gone(n))
		return cudaSuccess;
	return work_run(&n->w);
}

cudaError_t graph_run(struct CUgraph_st *g)
{
	cudaError_t e = cudaSuccess;
	if (process.check.race)
		return graph_run_together(g, node_run);
	for (size_t i = 0; i < g->n && !e; i++)
		e = node_run(g->node[i]);
	return e;
}

cudaError_t graph_start(struct CUgraph_st *g)
{
	cudaError_t e = conditions_start(g);
	return e ? e : graph_run(g);
}

cudaError_t graph_events(const struct CUgraph_st *g, enum work_kind kind, struct CUstream_st *s)
{
	cudaError_t e = cudaSuccess;
	for (size_t i = 0; i < g->n && !e; i++) {
		const struct work *w = &g->node[i]->w;
		for (unsigned k = 0; w->kind == WORK_CONDITIONAL && k < w->cond.n && !e; k++)
			e = graph_events(w->cond.body[k], kind, s);
		if (w->kind == WORK_GRAPH) {
			e = graph_events(w->graph, kind, s);
		} else if (w->kind == kind && !is_gone(g->node[i])) {
			struct work x = {.kind = kind, .event = {w->event.event, 1}};
			e = work_submit(s, &x);
		}
	}
	return e;
}

static cudaError_t run_graph(struct work *w) { return graph_start(w->graph); }
static void retain_graph(struct work *w) { graph_retain(w->graph); }
static void release_graph(struct work *w) { graph_release(w->graph); }
static const struct work_ops graph_ops = {run_graph, retain_graph, release_graph};

struct work graph_work(struct CUgraph_st *g)
{
	return (struct work){.kind = WORK_GRAPH, .graph = g, .ops = &graph_ops};
}

/* ---- capture ---- */

static void set_last(struct CUgraphNode_st ***last, size_t *n, struct CUgraphNode_st *const *to,
		     size_t count)
{
	struct CUgraphNode_st **copy = rt_copy(to, count * sizeof *to);
	free(*last);
	*last = copy;
	*n = count;
}

static enum cudaGraphNodeType type_of(enum work_kind k)
{
	switch (k) {
	case WORK_KERNEL: return cudaGraphNodeTypeKernel;
	case WORK_COPY: return cudaGraphNodeTypeMemcpy;
	case WORK_FILL: return cudaGraphNodeTypeMemset;
	case WORK_HOST: return cudaGraphNodeTypeHost;
	case WORK_RECORD: return cudaGraphNodeTypeEventRecord;
	case WORK_WAIT: return cudaGraphNodeTypeWaitEvent;
	case WORK_ALLOC: return cudaGraphNodeTypeMemAlloc;
	case WORK_FREE: return cudaGraphNodeTypeMemFree;
	case WORK_GRAPH: return cudaGraphNodeTypeGraph;
	case WORK_CONDITIONAL: return cudaGraphNodeTypeConditional;
	default: return cudaGraphNodeTypeEmpty;
	}
}

cudaError_t capture_add(struct CUstream_st *s, struct work *w)
{
	if (s->capture_broken)
		return cudaErrorStreamCaptureInvalidated;
	struct CUgraphNode_st *n = graph_add(s->capture, s->last, s->nlast, w, type_of(w->kind));
	if (!n)
		return cudaErrorStreamCaptureInvalidated;
	if (n->w.kind == WORK_FILL)
		n->fill = (struct cudaMemsetParams){(void *)(uintptr_t)n->w.fill.addr,
						    n->w.fill.pitch,
						    n->w.fill.value,
						    n->w.fill.size,
						    n->w.fill.width,
						    n->w.fill.height};
	set_last(&s->last, &s->nlast, &n, 1);
	return cudaSuccess;
}

cudaError_t capture_mark(struct CUstream_st *s, struct CUevent_st *e)
{
	pthread_mutex_lock(&process.lock);
	e->capture = s->capture;
	set_last(&e->last, &e->nlast, s->last, s->nlast);
	pthread_mutex_unlock(&process.lock);
	return cudaSuccess;
}

/* Makes the stream's next work depend on the work that the event marks; a stream that is not being
 * captured joins the capture. */
cudaError_t capture_join(struct CUstream_st *s, struct CUevent_st *e)
{
	cudaError_t err = cudaSuccess;
	pthread_mutex_lock(&process.lock);
	if (!stream_captures(e->capture)) {
		err = cudaErrorCapturedEvent; /* the event's capture has ended */
	} else if (!s->capture) {
		if (s == &process.streams.legacy) {
			err = cudaErrorStreamCaptureImplicit;
		} else {
			s->capture = e->capture;
			s->capture_add = capture_add;
			s->capture_origin = s->capture_broken = false;
			set_last(&s->last, &s->nlast, e->last, e->nlast);
		}
	} else if (s->capture != e->capture) {
		err = cudaErrorStreamCaptureMerge;
	} else {
		for (size_t i = 0; i < e->nlast; i++) {
			size_t k = 0;
			while (k < s->nlast && s->last[k] != e->last[i])
				k++;
			if (k < s->nlast)
				continue;
			s->last = rt_grow(s->last, (s->nlast + 1) * sizeof *s->last);
			s->last[s->nlast++] = e->last[i];
		}
	}
	pthread_mutex_unlock(&process.lock);
	return err;
}
