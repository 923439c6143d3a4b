/* Graphs built by hand: nodes and their parameters. */
#include "cuda/graph/graph.h"
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"

#define NODE cudaGraphNode_t *out, cudaGraph_t g, const cudaGraphNode_t *dep, size_t n

static cudaError_t add_node(NODE, struct work *w, enum cudaGraphNodeType type)
{
	RETURN_IF_ERROR(rt_open());
	struct CUgraphNode_st *node = graph_known(g) && out ? graph_add(g, dep, n, w, type) : NULL;
	if (!node) {
		work_free(w);
		return rt_error(cudaErrorInvalidValue);
	}
	*out = node;
	return cudaSuccess;
}

/* Replaces a node's work by other work of the same kind. */
static cudaError_t replace_work(struct CUgraphNode_st *node, struct work *w)
{
	if (!node_known(node) || node->w.kind != w->kind) {
		work_free(w);
		return rt_error(cudaErrorInvalidValue);
	}
	work_free(&node->w);
	node->w = *w;
	return cudaSuccess;
}

struct CUgraphNode_st *exec_node(cudaGraphExec_t e, cudaGraphNode_t n)
{
	if (!exec_known(e) || !n)
		return NULL;
	if (e->g->refs > 1) { /* the graph is running, and the run must not see the change */
		struct CUgraph_st *c = graph_clone(e->g);
		for (size_t i = 0; i < c->n; i++)
			c->node[i]->origin = e->g->node[i]->origin;
		graph_release(e->g);
		e->g = c;
	}
	for (size_t i = 0; i < e->g->n; i++)
		if (e->g->node[i]->origin == n)
			return e->g->node[i];
	return NULL;
}

/* ---- kernels ---- */

static const void *extra_block(void **extra)
{
	const void *p = NULL;
	for (; extra && *extra; extra += 2)
		if (*extra == (void *)1)
			p = extra[1];
	return p;
}

static cudaError_t kernel_from(const struct cudaKernelNodeParams *p, struct work *w)
{
	struct kernel *k;
	if (!p)
		return cudaErrorInvalidValue;
	cudaError_t e = kernel_of(p->func, &k);
	struct launch_conf c = {p->gridDim, p->blockDim, p->sharedMemBytes, NULL, false};
	return e ? e
		 : kernel_work(k, &c, p->kernelParams,
			       p->kernelParams ? NULL : extra_block(p->extra), w);
}

RT(cudaGraphAddKernelNode, (NODE, const struct cudaKernelNodeParams *p))
{
	struct work w;
	RETURN_IF_ERROR(kernel_from(p, &w));
	return add_node(out, g, dep, n, &w, cudaGraphNodeTypeKernel);
}

RT(cudaGraphKernelNodeGetParams, (cudaGraphNode_t node, struct cudaKernelNodeParams *p))
{
	if (!node_known(node) || !p || node->w.kind != WORK_KERNEL)
		return rt_error(cudaErrorInvalidValue);
	const struct heddle_launch *l = &node->w.kernel.l;
	const struct kernel *k = node->w.kernel.k;
	node->args = rt_grow(node->args, (k->info.nparam + 1) * sizeof *node->args);
	for (unsigned i = 0; i < k->info.nparam; i++)
		node->args[i] = (char *)(uintptr_t)l->params + k->param[i].offset;
	*p = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)(k->host ? k->host : k),
					   .gridDim = {l->grid[0], l->grid[1], l->grid[2]},
					   .blockDim = {l->block[0], l->block[1], l->block[2]},
					   .sharedMemBytes = l->shared_bytes,
					   .kernelParams = node->args};
	return cudaSuccess;
}

RT(cudaGraphKernelNodeSetParams, (cudaGraphNode_t node, const struct cudaKernelNodeParams *p))
{
	struct work w;
	RETURN_IF_ERROR(kernel_from(p, &w));
	return replace_work(node, &w);
}
RT(cudaGraphExecKernelNodeSetParams,
   (cudaGraphExec_t e, cudaGraphNode_t node, const struct cudaKernelNodeParams *p))
{
	return rt_cudaGraphKernelNodeSetParams(exec_node(e, node), p);
}

RT(cudaGraphKernelNodeSetAttribute,
   (cudaGraphNode_t node, enum cudaKernelNodeAttrID id, const union cudaKernelNodeAttrValue *v))
{
	if (!node_known(node) || node->w.kind != WORK_KERNEL || !v)
		return rt_error(cudaErrorInvalidValue);
	if (id == cudaKernelNodeAttributeCooperative)
		node->w.kernel.l.cooperative = v->cooperative != 0;
	return cudaSuccess; /* other attributes are hints */
}
RT(cudaGraphKernelNodeGetAttribute,
   (cudaGraphNode_t node, enum cudaKernelNodeAttrID id, union cudaKernelNodeAttrValue *v))
{
	if (!node_known(node) || node->w.kind != WORK_KERNEL || !v)
		return rt_error(cudaErrorInvalidValue);
	memset(v, 0, sizeof *v);
	if (id == cudaKernelNodeAttributeCooperative)
		v->cooperative = node->w.kernel.l.cooperative;
	return cudaSuccess;
}
RT(cudaGraphKernelNodeCopyAttributes, (cudaGraphNode_t to, cudaGraphNode_t from))
{
	if (!node_known(to) || !node_known(from) || to->w.kind != WORK_KERNEL ||
	    from->w.kind != WORK_KERNEL)
		return rt_error(cudaErrorInvalidValue);
	to->w.kernel.l.cooperative = from->w.kernel.l.cooperative;
	return cudaSuccess;
}

/* ---- copies ---- */

static cudaError_t copy_from(const struct cudaMemcpy3DParms *p, struct work *w)
{
	*w = (struct work){.kind = WORK_COPY};
	cudaError_t e = copy_from_parms(&w->copy, p);
	return e ? e : copy_resolve(&w->copy, p->kind);
}

cudaError_t rt_cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
					    const struct cudaMemcpy3DParms *p);

static struct cudaMemcpy3DParms linear_parms(void *dst, const void *src, size_t n,
					     enum cudaMemcpyKind kind)
{
	return (struct cudaMemcpy3DParms){.srcPtr = {(void *)(uintptr_t)src, n, n, 1},
					  .dstPtr = {dst, n, n, 1},
					  .extent = {n, 1, 1},
					  .kind = kind};
}

RT(cudaGraphAddMemcpyNode, (NODE, const struct cudaMemcpy3DParms *p))
{
	struct work w;
	RETURN_IF_ERROR(rt_open());
	RETURN_IF_ERROR(copy_from(p, &w));
	RETURN_IF_ERROR(add_node(out, g, dep, n, &w, cudaGraphNodeTypeMemcpy));
	(*out)->copy = *p;
	return cudaSuccess;
}
RT(cudaGraphAddMemcpyNode1D,
   (NODE, void *dst, const void *src, size_t count, enum cudaMemcpyKind kind))
{
	struct cudaMemcpy3DParms p = linear_parms(dst, src, count, kind);
	return rt_cudaGraphAddMemcpyNode(out, g, dep, n, &p);
}

static cudaError_t symbol_at(const void *symbol, size_t n, size_t offset, void **p)
{
	struct symbol *s;
	RETURN_IF_ERROR(symbol_of(symbol, &s));
	if (offset > s->size || n > s->size - offset)
		return rt_error(cudaErrorInvalidValue);
	*p = (void *)(uintptr_t)(s->addr + offset);
	return cudaSuccess;
}
RT(cudaGraphAddMemcpyNodeToSymbol, (NODE, const void *symbol, const void *src, size_t count,
				    size_t offset, enum cudaMemcpyKind kind))
{
	void *p = NULL;
	RETURN_IF_ERROR(symbol_at(symbol, count, offset, &p));
	return rt_cudaGraphAddMemcpyNode1D(out, g, dep, n, p, src, count, kind);
}
RT(cudaGraphAddMemcpyNodeFromSymbol,
   (NODE, void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind))
{
	void *p = NULL;
	RETURN_IF_ERROR(symbol_at(symbol, count, offset, &p));
	return rt_cudaGraphAddMemcpyNode1D(out, g, dep, n, dst, p, count, kind);
}

/* Makes an existing node a copy to or from n bytes of a variable. */
static cudaError_t set_symbol(cudaGraphNode_t node, void *dst, const void *to, const void *src,
			      const void *from, size_t n, size_t offset, enum cudaMemcpyKind kind)
{
	void *p = NULL;
	RETURN_IF_ERROR(symbol_at(to ? to : from, n, offset, &p));
	struct cudaMemcpy3DParms parms = linear_parms(to ? p : dst, to ? src : p, n, kind);
	return rt_cudaGraphMemcpyNodeSetParams(node, &parms);
}
RT(cudaGraphMemcpyNodeSetParamsToSymbol, (cudaGraphNode_t node, const void *symbol, const void *src,
					  size_t n, size_t offset, enum cudaMemcpyKind kind))
{
	return set_symbol(node, NULL, symbol, src, NULL, n, offset, kind);
}
RT(cudaGraphMemcpyNodeSetParamsFromSymbol, (cudaGraphNode_t node, void *dst, const void *symbol,
					    size_t n, size_t offset, enum cudaMemcpyKind kind))
{
	return set_symbol(node, dst, NULL, NULL, symbol, n, offset, kind);
}
RT(cudaGraphExecMemcpyNodeSetParamsToSymbol,
   (cudaGraphExec_t e, cudaGraphNode_t node, const void *symbol, const void *src, size_t n,
    size_t offset, enum cudaMemcpyKind kind))
{
	return set_symbol(exec_node(e, node), NULL, symbol, src, NULL, n, offset, kind);
}
RT(cudaGraphExecMemcpyNodeSetParamsFromSymbol,
   (cudaGraphExec_t e, cudaGraphNode_t node, void *dst, const void *symbol, size_t n, size_t offset,
    enum cudaMemcpyKind kind))
{
	return set_symbol(exec_node(e, node), dst, NULL, NULL, symbol, n, offset, kind);
}

RT(cudaGraphMemcpyNodeGetParams, (cudaGraphNode_t node, struct cudaMemcpy3DParms *p))
{
	if (!node_known(node) || !p || node->w.kind != WORK_COPY)
		return rt_error(cudaErrorInvalidValue);
	*p = node->copy;
	if (!p->extent.width) { /* captured */
		const struct copy *c = &node->w.copy;
		*p = (struct cudaMemcpy3DParms){.srcPtr = {(void *)(uintptr_t)c->src.addr,
							   c->src.pitch, c->width, c->height},
						.dstPtr = {(void *)(uintptr_t)c->dst.addr,
							   c->dst.pitch, c->width, c->height},
						.extent = {c->width, c->height, c->depth},
						.kind = cudaMemcpyDefault};
	}
	return cudaSuccess;
}
RT(cudaGraphMemcpyNodeSetParams, (cudaGraphNode_t node, const struct cudaMemcpy3DParms *p))
{
	struct work w;
	RETURN_IF_ERROR(rt_open());
	RETURN_IF_ERROR(copy_from(p, &w));
	RETURN_IF_ERROR(replace_work(node, &w));
	node->copy = *p;
	return cudaSuccess;
}
RT(cudaGraphMemcpyNodeSetParams1D,
   (cudaGraphNode_t node, void *dst, const void *src, size_t n, enum cudaMemcpyKind kind))
{
	struct cudaMemcpy3DParms p = linear_parms(dst, src, n, kind);
	return rt_cudaGraphMemcpyNodeSetParams(node, &p);
}
RT(cudaGraphExecMemcpyNodeSetParams,
   (cudaGraphExec_t e, cudaGraphNode_t node, const struct cudaMemcpy3DParms *p))
{
	return rt_cudaGraphMemcpyNodeSetParams(exec_node(e, node), p);
}
RT(cudaGraphExecMemcpyNodeSetParams1D, (cudaGraphExec_t e, cudaGraphNode_t node, void *dst,
					const void *src, size_t n, enum cudaMemcpyKind kind))
{
	return rt_cudaGraphMemcpyNodeSetParams1D(exec_node(e, node), dst, src, n, kind);
}

/* ---- fills ---- */

static cudaError_t fill_from(const struct cudaMemsetParams *p, struct work *w)
{
	if (!p || !p->dst || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
		return cudaErrorInvalidValue;
	*w = (struct work){.kind = WORK_FILL,
			   .fill = {(uint64_t)(uintptr_t)p->dst, p->pitch, 0, p->width, p->height,
				    1, p->value, p->elementSize}};
	return cudaSuccess;
}
RT(cudaGraphAddMemsetNode, (NODE, const struct cudaMemsetParams *p))
{
	struct work w;
	RETURN_IF_ERROR(fill_from(p, &w));
	RETURN_IF_ERROR(add_node(out, g, dep, n, &w, cudaGraphNodeTypeMemset));
	(*out)->fill = *p;
	return cudaSuccess;
}
RT(cudaGraphMemsetNodeGetParams, (cudaGraphNode_t node, struct cudaMemsetParams *p))
{
	if (!node_known(node) || !p || node->w.kind != WORK_FILL)
		return rt_error(cudaErrorInvalidValue);
	*p = node->fill;
	return cudaSuccess;
}
RT(cudaGraphMemsetNodeSetParams, (cudaGraphNode_t node, const struct cudaMemsetParams *p))
{
	struct work w;
	RETURN_IF_ERROR(fill_from(p, &w));
	RETURN_IF_ERROR(replace_work(node, &w));
	node->fill = *p;
	return cudaSuccess;
}
RT(cudaGraphExecMemsetNodeSetParams,
   (cudaGraphExec_t e, cudaGraphNode_t node, const struct cudaMemsetParams *p))
{
	return rt_cudaGraphMemsetNodeSetParams(exec_node(e, node), p);
}

/* ---- host functions ---- */

RT(cudaGraphAddHostNode, (NODE, const struct cudaHostNodeParams *p))
{
	if (!p || !p->fn)
		return rt_error(cudaErrorInvalidValue);
	struct work w = {.kind = WORK_HOST, .host = {.fn = p->fn, .arg = p->userData}};
	return add_node(out, g, dep, n, &w, cudaGraphNodeTypeHost);
}
RT(cudaGraphHostNodeGetParams, (cudaGraphNode_t node, struct cudaHostNodeParams *p))
{
	if (!node_known(node) || !p || node->w.kind != WORK_HOST)
		return rt_error(cudaErrorInvalidValue);
	*p = (struct cudaHostNodeParams){node->w.host.fn, node->w.host.arg};
	return cudaSuccess;
}
RT(cudaGraphHostNodeSetParams, (cudaGraphNode_t node, const struct cudaHostNodeParams *p))
{
	if (!p || !p->fn)
		return rt_error(cudaErrorInvalidValue);
	struct work w = {.kind = WORK_HOST, .host = {.fn = p->fn, .arg = p->userData}};
	return replace_work(node, &w);
}
RT(cudaGraphExecHostNodeSetParams,
   (cudaGraphExec_t e, cudaGraphNode_t node, const struct cudaHostNodeParams *p))
{
	return rt_cudaGraphHostNodeSetParams(exec_node(e, node), p);
}

/* ---- other kinds ---- */

RT(cudaGraphAddEmptyNode, (NODE))
{
	struct work w = {.kind = WORK_EMPTY};
	return add_node(out, g, dep, n, &w, cudaGraphNodeTypeEmpty);
}
RT(cudaGraphAddChildGraphNode, (NODE, cudaGraph_t child))
{
	if (!graph_known(child))
		return rt_error(cudaErrorInvalidValue);
	struct work w = graph_work(graph_clone(child));
	return add_node(out, g, dep, n, &w, cudaGraphNodeTypeGraph);
}
RT(cudaGraphChildGraphNodeGetGraph, (cudaGraphNode_t node, cudaGraph_t *g))
{
	if (!node_known(node) || !g || node->w.kind != WORK_GRAPH)
		return rt_error(cudaErrorInvalidValue);
	*g = node->w.graph;
	return cudaSuccess;
}

static cudaError_t add_event(NODE, cudaEvent_t e, enum work_kind kind, enum cudaGraphNodeType type)
{
	if (!own_has(OWN_EVENT, HANDLE(e)))
		return rt_error(cudaErrorInvalidValue);
	struct work w = {.kind = kind, .event = {.event = e}};
	return add_node(out, g, dep, n, &w, type);
}
static cudaError_t get_event(cudaGraphNode_t node, cudaEvent_t *e, enum work_kind kind)
{
	if (!node_known(node) || !e || node->w.kind != kind)
		return rt_error(cudaErrorInvalidValue);
	*e = node->w.event.event;
	return cudaSuccess;
}
static cudaError_t set_event(cudaGraphNode_t node, cudaEvent_t e, enum work_kind kind)
{
	if (!node_known(node) || !own_has(OWN_EVENT, HANDLE(e)) || node->w.kind != kind)
		return rt_error(cudaErrorInvalidValue);
	node->w.event.event = e;
	return cudaSuccess;
}
RT(cudaGraphAddEventRecordNode, (NODE, cudaEvent_t e))
{
	return add_event(out, g, dep, n, e, WORK_RECORD, cudaGraphNodeTypeEventRecord);
}
RT(cudaGraphAddEventWaitNode, (NODE, cudaEvent_t e))
{
	return add_event(out, g, dep, n, e, WORK_WAIT, cudaGraphNodeTypeWaitEvent);
}
RT(cudaGraphEventRecordNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *e))
{
	return get_event(node, e, WORK_RECORD);
}
RT(cudaGraphEventRecordNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t e))
{
	return set_event(node, e, WORK_RECORD);
}
RT(cudaGraphEventWaitNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t *e))
{
	return get_event(node, e, WORK_WAIT);
}
RT(cudaGraphEventWaitNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t e))
{
	return set_event(node, e, WORK_WAIT);
}
RT(cudaGraphExecEventRecordNodeSetEvent, (cudaGraphExec_t x, cudaGraphNode_t node, cudaEvent_t e))
{
	return set_event(exec_node(x, node), e, WORK_RECORD);
}
RT(cudaGraphExecEventWaitNodeSetEvent, (cudaGraphExec_t x, cudaGraphNode_t node, cudaEvent_t e))
{
	return set_event(exec_node(x, node), e, WORK_WAIT);
}
RT(cudaGraphExecChildGraphNodeSetParams,
   (cudaGraphExec_t x, cudaGraphNode_t node, cudaGraph_t child))
{
	struct CUgraphNode_st *t = exec_node(x, node);
	if (!t || !graph_known(child) || t->w.kind != WORK_GRAPH || t->w.graph->n != child->n)
		return rt_error(cudaErrorInvalidValue);
	struct work w = graph_work(graph_clone(child));
	if (!graph_sort(w.graph)) {
		work_free(&w);
		return rt_error(cudaErrorInvalidValue);
	}
	return replace_work(t, &w);
}

RT(cudaGraphAddMemAllocNode, (NODE, struct cudaMemAllocNodeParams *p))
{
	uint64_t addr;
	RETURN_IF_ERROR(rt_open());
	if (!p || !p->bytesize)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(mem_alloc(p->bytesize, &addr));
	struct work w = {.kind = WORK_ALLOC, .mem = {addr, p->bytesize}};
	cudaError_t e = add_node(out, g, dep, n, &w, cudaGraphNodeTypeMemAlloc);
	if (e) {
		mem_free(addr);
		return e;
	}
	p->dptr = (void *)(uintptr_t)addr;
	(*out)->w.mem.addr = addr;
	(*out)->alloc = *p;
	return cudaSuccess;
}
RT(cudaGraphMemAllocNodeGetParams, (cudaGraphNode_t node, struct cudaMemAllocNodeParams *p))
{
	if (!node_known(node) || !p || node->type != cudaGraphNodeTypeMemAlloc)
		return rt_error(cudaErrorInvalidValue);
	*p = node->alloc;
	return cudaSuccess;
}
RT(cudaGraphAddMemFreeNode, (NODE, void *p))
{
	struct work w = {.kind = WORK_FREE, .mem = {(uint64_t)(uintptr_t)p, 0}};
	return p ? add_node(out, g, dep, n, &w, cudaGraphNodeTypeMemFree)
		 : rt_error(cudaErrorInvalidValue);
}
RT(cudaGraphMemFreeNodeGetParams, (cudaGraphNode_t node, void *p))
{
	if (!node_known(node) || !p || node->type != cudaGraphNodeTypeMemFree)
		return rt_error(cudaErrorInvalidValue);
	*(void **)p = (void *)(uintptr_t)node->w.mem.addr;
	return cudaSuccess;
}

RT(cudaGraphNodeSetEnabled, (cudaGraphExec_t e, cudaGraphNode_t node, unsigned on))
{
	struct CUgraphNode_st *t = exec_node(e, node);
	if (!t || (t->w.kind != WORK_KERNEL && t->w.kind != WORK_COPY && t->w.kind != WORK_FILL))
		return rt_error(cudaErrorInvalidValue);
	t->disabled = !on;
	return cudaSuccess;
}
RT(cudaGraphNodeGetEnabled, (cudaGraphExec_t e, cudaGraphNode_t node, unsigned *on))
{
	struct CUgraphNode_st *t = exec_node(e, node);
	if (!t || !on)
		return rt_error(cudaErrorInvalidValue);
	*on = !t->disabled;
	return cudaSuccess;
}
