/* Entry points for whole graphs: making, walking, instantiating, launching and updating. */
#include "cuda/graph/graph.h"

#include <stdio.h>
#include "cuda/memory/graph_memory.h"
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"

RT(cudaGraphCreate, (cudaGraph_t * out, unsigned flags))
{
	RETURN_IF_ERROR(rt_open());
	if (!out || flags)
		return rt_error(cudaErrorInvalidValue);
	*out = graph_give(graph_new());
	return cudaSuccess;
}
RT(cudaGraphDestroy, (cudaGraph_t g))
{
	RETURN_IF_ERROR(rt_open());
	if (own_is_inner(OWN_GRAPH, HANDLE(g))) /* or the handle is unknown */
		return rt_error(cudaErrorInvalidValue);
	own_remove(OWN_GRAPH, HANDLE(g));
	graph_release(g);
	return cudaSuccess;
}
RT(cudaGraphClone, (cudaGraph_t * out, cudaGraph_t g))
{
	if (!out || !graph_known(g))
		return rt_error(cudaErrorInvalidValue);
	*out = graph_give(graph_clone(g));
	return cudaSuccess;
}
RT(cudaGraphNodeFindInClone, (cudaGraphNode_t * out, cudaGraphNode_t node, cudaGraph_t clone))
{
	for (size_t i = 0; graph_known(clone) && out && i < clone->n; i++)
		if (clone->node[i]->origin == node) {
			*out = clone->node[i];
			return cudaSuccess;
		}
	return rt_error(cudaErrorInvalidValue);
}
RT(cudaGraphNodeGetType, (cudaGraphNode_t node, enum cudaGraphNodeType *type))
{
	if (!node_known(node) || !type)
		return rt_error(cudaErrorInvalidValue);
	*type = node->type;
	return cudaSuccess;
}

/* ---- walking: each call returns a list, or the list's length if the program passes no buffer ---- */

static cudaError_t give_list(cudaGraphNode_t *out, size_t *n, cudaGraphNode_t *list, size_t count)
{
	if (!n)
		return rt_error(cudaErrorInvalidValue);
	if (out)
		for (size_t i = 0; i < *n; i++)
			out[i] = i < count ? list[i] : NULL;
	if (!out || *n > count)
		*n = count;
	return cudaSuccess;
}

RT(cudaGraphGetNodes, (cudaGraph_t g, cudaGraphNode_t *out, size_t *n))
{
	return graph_known(g) ? give_list(out, n, g->node, g->n) : rt_error(cudaErrorInvalidValue);
}
RT(cudaGraphGetRootNodes, (cudaGraph_t g, cudaGraphNode_t *out, size_t *n))
{
	if (!graph_known(g))
		return rt_error(cudaErrorInvalidValue);
	cudaGraphNode_t *list = rt_alloc(g->n * sizeof *list);
	size_t k = 0;
	for (size_t i = 0; i < g->n; i++)
		if (!g->node[i]->ndep)
			list[k++] = g->node[i];
	cudaError_t e = give_list(out, n, list, k);
	free(list);
	return e;
}

static cudaError_t list_edges(cudaGraph_t g, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n)
{
	size_t k = 0;
	if (!graph_known(g) || !n || !from != !to)
		return rt_error(cudaErrorInvalidValue);
	for (size_t i = 0; i < g->n; i++)
		for (size_t j = 0; j < g->node[i]->ndep; j++, k++)
			if (from && k < *n) {
				from[k] = g->node[i]->dep[j];
				to[k] = g->node[i];
			}
	if (!from || *n > k)
		*n = k;
	return cudaSuccess;
}
static cudaError_t list_dependents(cudaGraphNode_t node, cudaGraphNode_t *out, size_t *n)
{
	if (!node_known(node))
		return rt_error(cudaErrorInvalidValue);
	const struct CUgraph_st *g = node->graph;
	cudaGraphNode_t *list = rt_alloc(g->n * sizeof *list);
	size_t k = 0;
	for (size_t i = 0; i < g->n; i++)
		for (size_t j = 0; j < g->node[i]->ndep; j++)
			if (g->node[i]->dep[j] == node)
				list[k++] = g->node[i];
	cudaError_t e = give_list(out, n, list, k);
	free(list);
	return e;
}
static cudaError_t add_dependencies(cudaGraph_t g, const cudaGraphNode_t *from,
				    const cudaGraphNode_t *to, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct CUgraphNode_st *t = to ? to[i] : NULL;
		if (!graph_known(g) || !from || !node_known(from[i]) || !node_known(t) ||
		    from[i]->graph != g || t->graph != g)
			return rt_error(cudaErrorInvalidValue);
		for (size_t k = 0; k < t->ndep; k++)
			if (t->dep[k] == from[i])
				return rt_error(cudaErrorInvalidValue);
		t->dep = rt_grow(t->dep, (t->ndep + 1) * sizeof *t->dep);
		t->dep[t->ndep++] = from[i];
	}
	return cudaSuccess;
}
static void cut_edge(struct CUgraphNode_st *t, const struct CUgraphNode_st *from)
{
	for (size_t k = 0; k < t->ndep; k++)
		if (t->dep[k] == from) {
			t->dep[k] = t->dep[--t->ndep];
			return;
		}
}
static cudaError_t remove_dependencies(cudaGraph_t g, const cudaGraphNode_t *from,
				       const cudaGraphNode_t *to, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!graph_known(g) || !from || !to || !node_known(to[i]))
			return rt_error(cudaErrorInvalidValue);
		cut_edge(to[i], from[i]);
	}
	return cudaSuccess;
}

/* CUDA 13 added parameters for data about each edge. */
#define WITH_EDGES(name, fn, p11, p13, args)                                                       \
	cudaError_t rt11_##name p11;                                                               \
	cudaError_t rt13_##name p13;                                                               \
	cudaError_t rt11_##name p11 { return fn args; }                                            \
	cudaError_t rt13_##name p13                                                                \
	{                                                                                          \
		(void)x;                                                                           \
		return fn args;                                                                    \
	}                                                                                          \
	EXPORT_11(rt11_##name, name)                                                               \
	EXPORT_12(rt11_##name, name)                                                               \
	EXPORT_12(rt13_##name, name##_v2)                                                          \
	EXPORT_13(rt13_##name, name)

static cudaError_t list_dependencies(cudaGraphNode_t node, cudaGraphNode_t *out, size_t *n)
{
	return node_known(node) ? give_list(out, n, node->dep, node->ndep)
				: rt_error(cudaErrorInvalidValue);
}
WITH_EDGES(cudaGraphGetEdges, list_edges,
	   (cudaGraph_t g, cudaGraphNode_t *f, cudaGraphNode_t *t, size_t *n),
	   (cudaGraph_t g, cudaGraphNode_t *f, cudaGraphNode_t *t, void *x, size_t *n),
	   (g, f, t, n))
WITH_EDGES(cudaGraphNodeGetDependencies, list_dependencies,
	   (cudaGraphNode_t d, cudaGraphNode_t *o, size_t *n),
	   (cudaGraphNode_t d, cudaGraphNode_t *o, void *x, size_t *n), (d, o, n))
WITH_EDGES(cudaGraphNodeGetDependentNodes, list_dependents,
	   (cudaGraphNode_t d, cudaGraphNode_t *o, size_t *n),
	   (cudaGraphNode_t d, cudaGraphNode_t *o, void *x, size_t *n), (d, o, n))
WITH_EDGES(cudaGraphAddDependencies, add_dependencies,
	   (cudaGraph_t g, const cudaGraphNode_t *f, const cudaGraphNode_t *t, size_t n),
	   (cudaGraph_t g, const cudaGraphNode_t *f, const cudaGraphNode_t *t, const void *x,
	    size_t n),
	   (g, f, t, n))
WITH_EDGES(cudaGraphRemoveDependencies, remove_dependencies,
	   (cudaGraph_t g, const cudaGraphNode_t *f, const cudaGraphNode_t *t, size_t n),
	   (cudaGraph_t g, const cudaGraphNode_t *f, const cudaGraphNode_t *t, const void *x,
	    size_t n),
	   (g, f, t, n))

RT(cudaGraphDestroyNode, (cudaGraphNode_t node))
{
	if (!node_known(node))
		return rt_error(cudaErrorInvalidValue);
	struct CUgraph_st *g = node->graph;
	size_t k = 0;
	for (size_t i = 0; i < g->n; i++) {
		cut_edge(g->node[i], node);
		if (g->node[i] != node)
			g->node[k++] = g->node[i];
	}
	g->n = k;
	node_free(node);
	return cudaSuccess;
}

/* ---- running ---- */

static cudaError_t instantiate_graph(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags,
				     cudaGraphNode_t *bad)
{
	RETURN_IF_ERROR(rt_open());
	if (!out || !graph_known(g))
		return rt_error(cudaErrorInvalidValue);
	struct CUgraph_st *c = graph_clone(g);
	if (!graph_sort(c)) {
		graph_release(c);
		if (bad)
			*bad = g->n ? g->node[0] : NULL;
		return rt_error(cudaErrorInvalidValue);
	}
	*out = rt_alloc(sizeof **out);
	**out = (struct CUgraphExec_st){c, flags};
	own_add(OWN_EXEC, HANDLE(*out));
	return cudaSuccess;
}
cudaError_t rt11_instantiate(cudaGraphExec_t *out, cudaGraph_t g, cudaGraphNode_t *bad, char *log,
			     size_t n);
cudaError_t rt11_instantiate(cudaGraphExec_t *out, cudaGraph_t g, cudaGraphNode_t *bad, char *log,
			     size_t n)
{
	cudaError_t e = instantiate_graph(out, g, 0, bad);
	if (log && n)
		snprintf(log, n, "%s", e ? "the dependencies of the graph form a cycle" : "");
	return e;
}
EXPORT_11(rt11_instantiate, cudaGraphInstantiate)
RT(cudaGraphInstantiateWithFlags, (cudaGraphExec_t * out, cudaGraph_t g, unsigned long long flags))
{
	return instantiate_graph(out, g, flags, NULL);
}
EXPORT_12(rt_cudaGraphInstantiateWithFlags, cudaGraphInstantiate)
EXPORT_13(rt_cudaGraphInstantiateWithFlags, cudaGraphInstantiate)

RT(cudaGraphInstantiateWithParams,
   (cudaGraphExec_t * out, cudaGraph_t g, cudaGraphInstantiateParams *p))
{
	cudaError_t e = instantiate_graph(out, g, p->flags, &p->errNode_out);
	p->result_out = e ? cudaGraphInstantiateInvalidStructure : cudaGraphInstantiateSuccess;
	return e;
}
RT_PTSZ(cudaGraphInstantiateWithParams,
	(cudaGraphExec_t * o, cudaGraph_t g, cudaGraphInstantiateParams *p), (o, g, p))

RT(cudaGraphExecGetFlags, (cudaGraphExec_t x, unsigned long long *flags))
{
	if (!exec_known(x) || !flags)
		return rt_error(cudaErrorInvalidValue);
	*flags = x->flags;
	return cudaSuccess;
}

RT(cudaGraphLaunch, (cudaGraphExec_t x, cudaStream_t stream))
{
	RETURN_IF_ERROR(rt_open());
	struct CUstream_st *s = stream_of(stream);
	if (!exec_known(x) || !s)
		return rt_error(s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
	struct work w = graph_work(graph_retain(x->g));
	if (s->capture) /* the launch becomes a node of the captured graph */
		return rt_error(work_submit(s, &w));
	RETURN_IF_ERROR(graph_events(x->g, WORK_WAIT, s));
	RETURN_IF_ERROR(work_submit(s, &w));
	return rt_error(graph_events(x->g, WORK_RECORD, s));
}
RT(cudaGraphUpload, (cudaGraphExec_t x, cudaStream_t s))
{
	RETURN_IF_ERROR(rt_open());
	return exec_known(x) && stream_of(s) ? cudaSuccess : rt_error(cudaErrorInvalidValue);
}
RT_PTSZ(cudaGraphLaunch, (cudaGraphExec_t x, cudaStream_t s), (x, s))
RT_PTSZ(cudaGraphUpload, (cudaGraphExec_t x, cudaStream_t s), (x, s))

void exec_free(struct CUgraphExec_st *x)
{
	own_remove(OWN_EXEC, HANDLE(x));
	graph_release(x->g);
	free(x);
}

RT(cudaGraphExecDestroy, (cudaGraphExec_t x))
{
	RETURN_IF_ERROR(rt_open());
	if (!exec_known(x))
		return rt_error(cudaErrorInvalidValue);
	exec_free(x);
	return cudaSuccess;
}

/* ---- updating: an instantiated graph takes the parameters of another graph of its shape ---- */

static cudaError_t update_exec(cudaGraphExec_t x, cudaGraph_t g,
			       enum cudaGraphExecUpdateResult *result, cudaGraphNode_t *bad)
{
	cudaGraphNode_t none;
	if (!exec_known(x) || !graph_known(g))
		return rt_error(cudaErrorInvalidValue);
	struct CUgraph_st *c = graph_clone(g);
	enum cudaGraphExecUpdateResult r = graph_sort(c) ? graph_differs(x->g, c, bad ? bad : &none)
							 : cudaGraphExecUpdateError;
	if (bad && *bad)
		*bad = (cudaGraphNode_t)(uintptr_t)(*bad)->origin;
	if (result)
		*result = r;
	if (r) {
		graph_release(c);
		return rt_error(cudaErrorGraphExecUpdateFailure);
	}
	/* nodes of the first graph still point to their counterparts */
	for (size_t i = 0; i < c->n; i++)
		c->node[i]->origin = x->g->node[i]->origin;
	graph_release(x->g);
	x->g = c;
	return cudaSuccess;
}
cudaError_t rt11_update(cudaGraphExec_t x, cudaGraph_t g, cudaGraphNode_t *bad,
			enum cudaGraphExecUpdateResult *r);
cudaError_t rt11_update(cudaGraphExec_t x, cudaGraph_t g, cudaGraphNode_t *bad,
			enum cudaGraphExecUpdateResult *r)
{
	return update_exec(x, g, r, bad);
}
EXPORT_11(rt11_update, cudaGraphExecUpdate)

cudaError_t rt12_update(cudaGraphExec_t x, cudaGraph_t g, cudaGraphExecUpdateResultInfo *info);
cudaError_t rt12_update(cudaGraphExec_t x, cudaGraph_t g, cudaGraphExecUpdateResultInfo *info)
{
	if (info)
		*info = (cudaGraphExecUpdateResultInfo){0};
	return update_exec(x, g, info ? &info->result : NULL, info ? &info->errorNode : NULL);
}
EXPORT_12(rt12_update, cudaGraphExecUpdate)
EXPORT_13(rt12_update, cudaGraphExecUpdate)

/* ---- other calls ---- */

RT(cudaDeviceGraphMemTrim, (int device))
{
	RETURN_IF_ERROR(rt_open());
	return device ? rt_error(cudaErrorInvalidDevice) : cudaSuccess;
}

/* Memory of graph nodes exists as long as its graph. */
RT(cudaDeviceGetGraphMemAttribute, (int device, enum cudaGraphMemAttributeType attr, void *value))
{
	RETURN_IF_ERROR(rt_open());
	if (device || !value || (unsigned)attr > cudaGraphMemAttrReservedMemHigh)
		return rt_error(device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	*(uint64_t *)value = graph_mem_bytes(attr == cudaGraphMemAttrUsedMemHigh ||
					     attr == cudaGraphMemAttrReservedMemHigh);
	return cudaSuccess;
}
RT(cudaDeviceSetGraphMemAttribute, (int device, enum cudaGraphMemAttributeType attr, void *value))
{
	RETURN_IF_ERROR(rt_open());
	return device || !value || attr == cudaGraphMemAttrUsedMemCurrent ||
			       attr == cudaGraphMemAttrReservedMemCurrent
		       ? rt_error(cudaErrorInvalidValue)
		       : cudaSuccess;
}
