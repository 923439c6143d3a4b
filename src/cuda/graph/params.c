/* Nodes of all kinds by one structure that names the kind: cudaGraphAddNode() and related calls,
 * implemented by the calls for each kind. */
#include "cuda/graph/graph.h"
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"

#define NODE               cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n
#define ARGS               out, g, dep, n
#define RT_DECL(name, ...) cudaError_t rt_##name __VA_ARGS__
RT_DECL(cudaGraphAddKernelNode, (NODE, const struct cudaKernelNodeParams *));
RT_DECL(cudaGraphAddMemcpyNode, (NODE, const struct cudaMemcpy3DParms *));
RT_DECL(cudaGraphAddMemsetNode, (NODE, const struct cudaMemsetParams *));
RT_DECL(cudaGraphAddHostNode, (NODE, const struct cudaHostNodeParams *));
RT_DECL(cudaGraphAddChildGraphNode, (NODE, cudaGraph_t));
RT_DECL(cudaGraphAddEmptyNode, (NODE));
RT_DECL(cudaGraphAddEventRecordNode, (NODE, cudaEvent_t));
RT_DECL(cudaGraphAddEventWaitNode, (NODE, cudaEvent_t));
RT_DECL(cudaGraphAddMemAllocNode, (NODE, struct cudaMemAllocNodeParams *));
RT_DECL(cudaGraphAddMemFreeNode, (NODE, void *));
RT_DECL(cudaGraphKernelNodeSetParams, (cudaGraphNode_t, const struct cudaKernelNodeParams *));
RT_DECL(cudaGraphMemcpyNodeSetParams, (cudaGraphNode_t, const struct cudaMemcpy3DParms *));
RT_DECL(cudaGraphMemsetNodeSetParams, (cudaGraphNode_t, const struct cudaMemsetParams *));
RT_DECL(cudaGraphHostNodeSetParams, (cudaGraphNode_t, const struct cudaHostNodeParams *));
RT_DECL(cudaGraphEventRecordNodeSetEvent, (cudaGraphNode_t, cudaEvent_t));
RT_DECL(cudaGraphEventWaitNodeSetEvent, (cudaGraphNode_t, cudaEvent_t));
RT_DECL(cudaGraphExecChildGraphNodeSetParams, (cudaGraphExec_t, cudaGraphNode_t, cudaGraph_t));

_Static_assert(sizeof(struct cudaGraphNodeParams) == 256, "as in CUDA 12 and 13");
_Static_assert(sizeof(struct cudaMemAllocNodeParamsV2) == sizeof(struct cudaMemAllocNodeParams),
	       "allocations have one form");

static struct cudaKernelNodeParams kernel(const struct cudaKernelNodeParamsV2 *k)
{
	return (struct cudaKernelNodeParams){k->func,           k->gridDim,      k->blockDim,
					     k->sharedMemBytes, k->kernelParams, k->extra};
}
static struct cudaMemsetParams fill_params(const struct cudaMemsetParamsV2 *m)
{
	return (struct cudaMemsetParams){m->dst,         m->pitch, m->value,
					 m->elementSize, m->width, m->height};
}
static struct cudaHostNodeParams host(const struct cudaHostNodeParamsV2 *h)
{
	return (struct cudaHostNodeParams){h->fn, h->userData};
}

static cudaError_t add_child(NODE, const struct cudaChildGraphNodeParams *p)
{
	if (p->ownership != cudaGraphChildGraphOwnershipMove)
		return rt_cudaGraphAddChildGraphNode(ARGS, p->graph);
	struct work w = graph_work(p->graph);
	if (!graph_known(g) || !out || own_is_inner(OWN_GRAPH, HANDLE(p->graph)) ||
	    !(*out = graph_add(g, dep, n, &w, cudaGraphNodeTypeGraph)))
		return rt_error(cudaErrorInvalidValue);
	own_remove(OWN_GRAPH, HANDLE(p->graph)); /* from now on the parent graph's */
	own_add_inner(OWN_GRAPH, HANDLE(p->graph));
	return cudaSuccess;
}

static cudaError_t add_conditional(NODE, struct cudaConditionalNodeParams *p)
{
	struct work w;
	RETURN_IF_ERROR(rt_open());
	if (!graph_known(g) || !out)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(conditional_work(g, p, &w));
	struct CUgraphNode_st *node = graph_add(g, dep, n, &w, cudaGraphNodeTypeConditional);
	if (!node) {
		work_free(&w);
		return rt_error(cudaErrorInvalidValue);
	}
	*out = node;
	return cudaSuccess;
}

static cudaError_t add_alloc(NODE, struct cudaMemAllocNodeParamsV2 *p)
{
	struct cudaMemAllocNodeParams a;
	memcpy(&a, p, sizeof a);
	cudaError_t e = rt_cudaGraphAddMemAllocNode(ARGS, &a);
	p->dptr = a.dptr;
	return e;
}

static cudaError_t add_node(NODE, struct cudaGraphNodeParams *p)
{
	if (!p)
		return rt_error(cudaErrorInvalidValue);
	struct cudaKernelNodeParams k = kernel(&p->kernel);
	struct cudaMemsetParams m = fill_params(&p->memset);
	struct cudaHostNodeParams h = host(&p->host);
	switch ((int)p->type) {
	case cudaGraphNodeTypeKernel: return rt_cudaGraphAddKernelNode(ARGS, &k);
	case cudaGraphNodeTypeMemcpy: return rt_cudaGraphAddMemcpyNode(ARGS, &p->memcpy.copyParams);
	case cudaGraphNodeTypeMemset: return rt_cudaGraphAddMemsetNode(ARGS, &m);
	case cudaGraphNodeTypeHost: return rt_cudaGraphAddHostNode(ARGS, &h);
	case cudaGraphNodeTypeGraph: return add_child(ARGS, &p->graph);
	case cudaGraphNodeTypeEmpty: return rt_cudaGraphAddEmptyNode(ARGS);
	case cudaGraphNodeTypeWaitEvent:
		return rt_cudaGraphAddEventWaitNode(ARGS, p->eventWait.event);
	case cudaGraphNodeTypeEventRecord:
		return rt_cudaGraphAddEventRecordNode(ARGS, p->eventRecord.event);
	case cudaGraphNodeTypeMemAlloc: return add_alloc(ARGS, &p->alloc);
	case cudaGraphNodeTypeMemFree: return rt_cudaGraphAddMemFreeNode(ARGS, p->free.dptr);
	case cudaGraphNodeTypeConditional: return add_conditional(ARGS, &p->conditional);
	case cudaGraphNodeTypeExtSemaphoreSignal:
	case cudaGraphNodeTypeExtSemaphoreWait:
		return rt_unsupported("a graph node for a semaphore of another library");
	default: return rt_error(cudaErrorInvalidValue);
	}
}

/* CUDA 12.3 added a second form, with data about each edge; CUDA 13 has only that form. */
cudaError_t rt12_add_node(NODE, struct cudaGraphNodeParams *p);
cudaError_t rt13_add_node(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep,
			  const cudaGraphEdgeData *edges, size_t n, struct cudaGraphNodeParams *p);
cudaError_t rt12_add_node(NODE, struct cudaGraphNodeParams *p) { return add_node(ARGS, p); }
cudaError_t rt13_add_node(cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep,
			  const cudaGraphEdgeData *edges, size_t n, struct cudaGraphNodeParams *p)
{
	(void)edges;
	return add_node(out, g, dep, n, p);
}
EXPORT_11(rt12_add_node, cudaGraphAddNode)
EXPORT_12(rt12_add_node, cudaGraphAddNode)
EXPORT_12(rt13_add_node, cudaGraphAddNode_v2)
EXPORT_13(rt13_add_node, cudaGraphAddNode)

/* ---- changing the parameters of an existing node ---- */

static cudaError_t set_params(struct CUgraphNode_st *node, const struct cudaGraphNodeParams *p)
{
	if (!p || !node_known(node) || node->type != p->type)
		return rt_error(cudaErrorInvalidValue);
	struct cudaKernelNodeParams k = kernel(&p->kernel);
	struct cudaMemsetParams m = fill_params(&p->memset);
	struct cudaHostNodeParams h = host(&p->host);
	switch (p->type) {
	case cudaGraphNodeTypeKernel: return rt_cudaGraphKernelNodeSetParams(node, &k);
	case cudaGraphNodeTypeMemcpy:
		return rt_cudaGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
	case cudaGraphNodeTypeMemset: return rt_cudaGraphMemsetNodeSetParams(node, &m);
	case cudaGraphNodeTypeHost: return rt_cudaGraphHostNodeSetParams(node, &h);
	case cudaGraphNodeTypeWaitEvent:
		return rt_cudaGraphEventWaitNodeSetEvent(node, p->eventWait.event);
	case cudaGraphNodeTypeEventRecord:
		return rt_cudaGraphEventRecordNodeSetEvent(node, p->eventRecord.event);
	/* nodes of these kinds cannot be changed */
	default: return rt_error(cudaErrorInvalidValue);
	}
}

RT(cudaGraphNodeSetParams, (cudaGraphNode_t node, struct cudaGraphNodeParams *p))
{
	return set_params(node, p);
}
RT(cudaGraphExecNodeSetParams,
   (cudaGraphExec_t x, cudaGraphNode_t node, struct cudaGraphNodeParams *p))
{
	if (p && p->type == cudaGraphNodeTypeGraph)
		return rt_cudaGraphExecChildGraphNodeSetParams(x, node, p->graph.graph);
	return set_params(exec_node(x, node), p);
}
