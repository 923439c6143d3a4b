/* Graphs as objects: nodes, order, running. */
#include "cuda/graph.h"

#include "cuda/graph_mem.h"
#include "cuda/mem.h"

/* ---- memory of graphs ---- */

static struct mem { uint64_t addr, size; unsigned refs; struct mem *next; } *mems;
static uint64_t mem_now, mem_most;
static pthread_mutex_t mem_lock = PTHREAD_MUTEX_INITIALIZER;

bool graph_mem_owns(uint64_t addr)
{
	pthread_mutex_lock(&mem_lock);
	const struct mem *m = mems;
	while (m && m->addr != addr)
		m = m->next;
	pthread_mutex_unlock(&mem_lock);
	return m != NULL;
}

uint64_t graph_mem_bytes(bool most)
{
	pthread_mutex_lock(&mem_lock);
	uint64_t n = most ? mem_most : mem_now;
	pthread_mutex_unlock(&mem_lock);
	return n;
}

static void mem_retain(uint64_t addr, uint64_t size)
{
	pthread_mutex_lock(&mem_lock);
	struct mem *m = mems;
	while (m && m->addr != addr)
		m = m->next;
	if (!m) {
		m = rt_alloc(sizeof *m);
		*m = (struct mem){addr, size, 0, mems};
		mems = m;
		mem_now += size;
		mem_most = mem_now > mem_most ? mem_now : mem_most;
	}
	m->refs++;
	pthread_mutex_unlock(&mem_lock);
}

static void mem_release(uint64_t addr)
{
	bool last = false;
	pthread_mutex_lock(&mem_lock);
	for (struct mem **p = &mems; *p; p = &(*p)->next)
		if ((*p)->addr == addr) {
			struct mem *m = *p;
			if ((last = !--m->refs)) {
				*p = m->next;
				mem_now -= m->size;
				free(m);
			}
			break;
		}
	pthread_mutex_unlock(&mem_lock);
	if (last)
		mem_free(addr);
}

/* ---- graphs ---- */

struct CUgraph_st *graph_new(void)
{
	struct CUgraph_st *g = rt_alloc(sizeof *g);
	g->refs = 1;
	return g;
}

struct CUgraph_st *graph_retain(struct CUgraph_st *g)
{
	__atomic_add_fetch(&g->refs, 1, __ATOMIC_RELAXED);
	return g;
}

void node_free(struct CUgraphNode_st *n)
{
	if (n->type == cudaGraphNodeTypeMemAlloc)
		mem_release(n->w.mem.addr);
	work_free(&n->w);
	free(n->dep);
	free(n->args);
	free(n);
}

void graph_release(struct CUgraph_st *g)
{
	if (__atomic_sub_fetch(&g->refs, 1, __ATOMIC_ACQ_REL))
		return;
	for (size_t i = 0; i < g->n; i++)
		node_free(g->node[i]);
	free(g->node);
	free(g);
}

static struct CUgraphNode_st *append(struct CUgraph_st *g, const struct work *w,
                                     enum cudaGraphNodeType type)
{
	struct CUgraphNode_st *n = rt_alloc(sizeof *n);
	n->graph = g;
	n->w = *w;
	n->type = type;
	if (type == cudaGraphNodeTypeMemAlloc)
		mem_retain(w->mem.addr, w->mem.size);
	g->node = rt_grow(g->node, (g->n + 1) * sizeof *g->node);
	g->node[g->n++] = n;
	return n;
}

struct CUgraphNode_st *graph_add(struct CUgraph_st *g, const cudaGraphNode_t *dep, size_t ndep,
                                 struct work *w, enum cudaGraphNodeType type)
{
	for (size_t i = 0; i < ndep; i++) {
		if (!dep || !dep[i] || dep[i]->graph != g)
			return NULL;
		for (size_t k = 0; k < i; k++)
			if (dep[k] == dep[i])
				return NULL;
	}
	struct CUgraphNode_st *n = append(g, w, type);
	n->dep = rt_copy(dep, ndep * sizeof *dep);
	n->ndep = ndep;
	w->kind = WORK_EMPTY;
	return n;
}

struct CUgraph_st *graph_clone(const struct CUgraph_st *g)
{
	struct CUgraph_st *c = graph_new();
	for (size_t i = 0; i < g->n; i++) {
		const struct CUgraphNode_st *o = g->node[i];
		struct work w = work_clone(&o->w);
		if (o->type == cudaGraphNodeTypeGraph) { /* by value */
			graph_release(w.graph);
			w.graph = graph_clone(o->w.graph);
		}
		struct CUgraphNode_st *n = append(c, &w, o->type);
		n->origin = o;
		n->disabled = o->disabled;
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

static bool ready(const struct CUgraphNode_st *n)
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
			if (!g->node[i]->mark && ready(g->node[i])) {
				g->node[i]->mark = more = true;
				order[n++] = g->node[i];
			}
	}
	bool ok = n == g->n;
	if (ok)
		memcpy(g->node, order, n * sizeof *order);
	free(order);
	for (size_t i = 0; i < g->n && ok; i++)
		if (g->node[i]->type == cudaGraphNodeTypeGraph)
			ok = graph_sort(g->node[i]->w.graph);
	return ok;
}

cudaError_t graph_run(struct CUgraph_st *g)
{
	cudaError_t e = cudaSuccess;
	for (size_t i = 0; i < g->n && !e; i++) {
		struct CUgraphNode_st *n = g->node[i];
		if (n->disabled || n->type == cudaGraphNodeTypeMemAlloc ||
		    n->type == cudaGraphNodeTypeMemFree)
			continue;
		e = work_run(&n->w);
	}
	return e;
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
	pthread_mutex_lock(&rt.lock);
	e->capture = s->capture;
	set_last(&e->last, &e->nlast, s->last, s->nlast);
	pthread_mutex_unlock(&rt.lock);
	return cudaSuccess;
}

/* The stream's next work comes after what the event marks; a stream outside joins the capture. */
cudaError_t capture_join(struct CUstream_st *s, struct CUevent_st *e)
{
	cudaError_t err = cudaSuccess;
	pthread_mutex_lock(&rt.lock);
	if (!stream_captures(e->capture)) {
		err = cudaErrorCapturedEvent; /* the capture has ended */
	} else if (!s->capture) {
		if (s == &stream_legacy) {
			err = cudaErrorStreamCaptureImplicit;
		} else {
			s->capture = e->capture;
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
	pthread_mutex_unlock(&rt.lock);
	return err;
}
