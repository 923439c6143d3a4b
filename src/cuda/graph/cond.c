/* Conditional nodes: a word of device memory that kernels set decides whether, how often or which
 * of a node's own graphs runs. A handle is the word's address. The file also has the program's
 * objects that graphs hold: each is released with the last graph that holds it. */
#include "cuda/graph/graph.h"
#include "cuda/memory/graph_memory.h"
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"

/* ---- handles ---- */

RT(cudaGraphConditionalHandleCreate,
   (cudaGraphConditionalHandle * out, cudaGraph_t g, unsigned start, unsigned flags))
{
	uint64_t addr;
	RETURN_IF_ERROR(rt_open());
	if (!out || !graph_known(g) || flags > cudaGraphCondAssignDefault)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(mem_alloc(sizeof start, &addr));
	graph_mem_retain(addr, 0);
	g->condition = rt_grow(g->condition, (g->conditions + 1) * sizeof *g->condition);
	g->condition[g->conditions++] = (struct condition){addr, start, flags};
	struct heddle *h = device_lock();
	enum heddle_status st = heddle_write(h, addr, &start, sizeof start);
	device_unlock();
	*out = addr;
	return rt_error(rt_status(st));
}

static cudaError_t read_condition(uint64_t handle, uint32_t *value)
{
	struct heddle *h = device_lock();
	enum heddle_status st = heddle_read(h, value, handle, sizeof *value);
	device_unlock();
	return st ? cudaErrorIllegalAddress : cudaSuccess;
}

cudaError_t conditions_start(const struct CUgraph_st *g)
{
	for (size_t i = 0; i < g->conditions; i++) {
		const struct condition *c = &g->condition[i];
		struct heddle *h = device_lock();
		if (c->flags & cudaGraphCondAssignDefault)
			heddle_write(h, c->handle, &c->start, sizeof c->start);
		device_unlock();
	}
	cudaError_t e = cudaSuccess;
	for (size_t i = 0; i < g->n; i++) {
		const struct work *w = &g->node[i]->w;
		for (unsigned k = 0; w->kind == WORK_CONDITIONAL && k < w->cond.n && !e; k++)
			e = conditions_start(w->cond.body[k]);
	}
	return e;
}

/* ---- nodes ---- */

/* Chooses a graph. If: the first graph, or the second when the word is 0. Switch: the graph whose
 * number the word is. */
static const struct CUgraph_st *choose_graph(const struct work *w, uint32_t value)
{
	unsigned i = w->cond.type == cudaGraphCondTypeSwitch ? value : value ? 0 : 1;
	return i < w->cond.n ? w->cond.body[i] : NULL;
}

static cudaError_t run_conditional(struct work *w)
{
	uint32_t value = 0;
	cudaError_t e = read_condition(w->cond.handle, &value);
	if (w->cond.type != cudaGraphCondTypeWhile) {
		const struct CUgraph_st *g = e ? NULL : choose_graph(w, value);
		return g ? graph_run((struct CUgraph_st *)(uintptr_t)g) : e;
	}
	while (!e && value) {
		e = graph_run(w->cond.body[0]);
		if (!e)
			e = read_condition(w->cond.handle, &value);
	}
	return e;
}

static void clone_bodies(struct work *w)
{
	struct CUgraph_st **body = rt_copy(w->cond.body, w->cond.n * sizeof *body);
	for (unsigned k = 0; k < w->cond.n; k++)
		body[k] = graph_clone(body[k]);
	w->cond.body = body;
}

static void free_bodies(struct work *w)
{
	for (unsigned k = 0; k < w->cond.n; k++)
		graph_release(w->cond.body[k]);
	free(w->cond.body);
}

static const struct work_ops conditional_ops = {run_conditional, clone_bodies, free_bodies};

cudaError_t conditional_work(struct CUgraph_st *g, struct cudaConditionalNodeParams *p,
			     struct work *w)
{
	bool two = p->type == cudaGraphCondTypeIf;
	size_t i = 0;
	while (i < g->conditions && g->condition[i].handle != p->handle)
		i++;
	if (i == g->conditions || (unsigned)p->type > cudaGraphCondTypeSwitch || !p->size ||
	    (p->type != cudaGraphCondTypeSwitch && p->size > 1u + two))
		return cudaErrorInvalidValue;
	*w = (struct work){.kind = WORK_CONDITIONAL,
			   .cond = {p->handle, (unsigned)p->type, p->size, NULL},
			   .ops = &conditional_ops};
	w->cond.body = rt_alloc(p->size * sizeof *w->cond.body);
	for (unsigned k = 0; k < p->size; k++)
		w->cond.body[k] = graph_new();
	p->phGraph_out = w->cond.body;
	return cudaSuccess;
}

/* ---- objects of the program ---- */

struct CUuserObject_st {
	void *p;
	cudaHostFn_t destroy;
	unsigned refs;
};

static void object_retain(struct CUuserObject_st *o, unsigned n)
{
	__atomic_add_fetch(&o->refs, n, __ATOMIC_RELAXED);
}

static void object_release(struct CUuserObject_st *o, unsigned n)
{
	if (__atomic_sub_fetch(&o->refs, n, __ATOMIC_ACQ_REL))
		return;
	own_remove(OWN_OBJECT, HANDLE(o));
	o->destroy(o->p);
	free(o);
}

static bool object_known(const struct CUuserObject_st *o) { return own_has(OWN_OBJECT, HANDLE(o)); }

RT(cudaUserObjectCreate,
   (cudaUserObject_t * out, void *p, cudaHostFn_t destroy, unsigned refs, unsigned flags))
{
	RETURN_IF_ERROR(rt_open());
	if (!out || !destroy || !refs || flags != cudaUserObjectNoDestructorSync)
		return rt_error(cudaErrorInvalidValue);
	struct CUuserObject_st *o = rt_alloc(sizeof *o);
	*o = (struct CUuserObject_st){p, destroy, refs};
	own_add_inner(OWN_OBJECT, HANDLE(o));
	*out = o;
	return cudaSuccess;
}
RT(cudaUserObjectRetain, (cudaUserObject_t o, unsigned n))
{
	if (!object_known(o) || !n)
		return rt_error(cudaErrorInvalidValue);
	object_retain(o, n);
	return cudaSuccess;
}
RT(cudaUserObjectRelease, (cudaUserObject_t o, unsigned n))
{
	if (!object_known(o) || !n || n > o->refs)
		return rt_error(cudaErrorInvalidValue);
	object_release(o, n);
	return cudaSuccess;
}

static struct held *find_held(struct CUgraph_st *g, const struct CUuserObject_st *o)
{
	for (size_t i = 0; i < g->nheld; i++)
		if (g->held[i].object == o)
			return &g->held[i];
	return NULL;
}

RT(cudaGraphRetainUserObject, (cudaGraph_t g, cudaUserObject_t o, unsigned n, unsigned flags))
{
	if (!graph_known(g) || !object_known(o) || !n || flags > cudaGraphUserObjectMove)
		return rt_error(cudaErrorInvalidValue);
	/* without the flag, the caller keeps its references */
	if (flags != cudaGraphUserObjectMove)
		object_retain(o, n);
	struct held *had = find_held(g, o);
	if (had) {
		had->count += n;
		return cudaSuccess;
	}
	g->held = rt_grow(g->held, (g->nheld + 1) * sizeof *g->held);
	g->held[g->nheld++] = (struct held){o, n};
	return cudaSuccess;
}
RT(cudaGraphReleaseUserObject, (cudaGraph_t g, cudaUserObject_t o, unsigned n))
{
	struct held *had = graph_known(g) && object_known(o) ? find_held(g, o) : NULL;
	if (!had || !n || n > had->count)
		return rt_error(cudaErrorInvalidValue);
	had->count -= n;
	if (!had->count)
		*had = g->held[--g->nheld];
	object_release(o, n);
	return cudaSuccess;
}

/* ---- conditions and objects of a graph, when the graph is copied, started or freed ---- */

void graph_extras_clone(struct CUgraph_st *to, const struct CUgraph_st *from)
{
	to->condition = rt_copy(from->condition, from->conditions * sizeof *from->condition);
	to->conditions = from->conditions;
	for (size_t i = 0; i < to->conditions; i++)
		graph_mem_retain(to->condition[i].handle, 0);
	to->held = rt_copy(from->held, from->nheld * sizeof *from->held);
	to->nheld = from->nheld;
	for (size_t i = 0; i < to->nheld; i++)
		object_retain(to->held[i].object, to->held[i].count);
}

void graph_extras_free(struct CUgraph_st *g)
{
	for (size_t i = 0; i < g->conditions; i++)
		graph_mem_release(g->condition[i].handle);
	for (size_t i = 0; i < g->nheld; i++)
		object_release(g->held[i].object, g->held[i].count);
	free(g->condition);
	free(g->held);
}
