/* Driver API: graphs. They are the runtime's graphs; the parameters of nodes differ in form alone.
 */
#include "cuda/driver.h"
#include "cuda/mem.h"

#define NODE CUgraphNode *out, CUgraph g, const CUgraphNode *dep, size_t n
#define ARGS out, g, dep, n

RT_DECL(cudaGraphCreate, (cudaGraph_t *, unsigned));
RT_DECL(cudaGraphClone, (cudaGraph_t *, cudaGraph_t));
RT_DECL(cudaGraphInstantiateWithFlags, (cudaGraphExec_t *, cudaGraph_t, unsigned long long));
RT_DECL(cudaGraphUpload, (cudaGraphExec_t, cudaStream_t));
RT_DECL(cudaGraphExecGetFlags, (cudaGraphExec_t, unsigned long long *));
RT_DECL(cudaGraphGetNodes, (cudaGraph_t, cudaGraphNode_t *, size_t *));
RT_DECL(cudaGraphGetRootNodes, (cudaGraph_t, cudaGraphNode_t *, size_t *));
RT_DECL(cudaGraphNodeGetType, (cudaGraphNode_t, enum cudaGraphNodeType *));
RT_DECL(cudaGraphNodeFindInClone, (cudaGraphNode_t *, cudaGraphNode_t, cudaGraph_t));
RT_DECL(cudaGraphDestroyNode, (cudaGraphNode_t));
RT_DECL(cudaGraphDebugDotPrint, (cudaGraph_t, const char *, unsigned));
RT_DECL(cudaGraphAddKernelNode, (NODE, const struct cudaKernelNodeParams *));
RT_DECL(cudaGraphKernelNodeSetParams, (cudaGraphNode_t, const struct cudaKernelNodeParams *));
RT_DECL(cudaGraphExecKernelNodeSetParams, (cudaGraphExec_t, cudaGraphNode_t,
        const struct cudaKernelNodeParams *));
RT_DECL(cudaGraphAddMemcpyNode, (NODE, const struct cudaMemcpy3DParms *));
RT_DECL(cudaGraphAddMemsetNode, (NODE, const struct cudaMemsetParams *));
RT_DECL(cudaGraphAddHostNode, (NODE, const struct cudaHostNodeParams *));
RT_DECL(cudaGraphAddChildGraphNode, (NODE, cudaGraph_t));
RT_DECL(cudaGraphChildGraphNodeGetGraph, (cudaGraphNode_t, cudaGraph_t *));
RT_DECL(cudaGraphAddEmptyNode, (NODE));
RT_DECL(cudaGraphAddEventRecordNode, (NODE, cudaEvent_t));
RT_DECL(cudaGraphAddEventWaitNode, (NODE, cudaEvent_t));
RT_DECL(cudaGraphAddMemFreeNode, (NODE, void *));

/* ---- the graph ---- */

CUresult cuGraphCreate(CUgraph *g, unsigned flags) { WRAP(rt_cudaGraphCreate(g, flags)); }
CUresult cuGraphClone(CUgraph *out, CUgraph g) { WRAP(rt_cudaGraphClone(out, g)); }
CUresult cuGraphInstantiateWithFlags(CUgraphExec *x, CUgraph g, unsigned long long flags)
{
	WRAP(rt_cudaGraphInstantiateWithFlags(x, g, flags));
}
/* CUDA 10 and 11 have a place for the node that is wrong and for a message. */
CUresult cuGraphInstantiate_v2(CUgraphExec *x, CUgraph g, CUgraphNode *bad, char *log, size_t size);
CUresult cuGraphInstantiate_v2(CUgraphExec *x, CUgraph g, CUgraphNode *bad, char *log, size_t size)
{
	if (bad)
		*bad = NULL;
	if (log && size)
		*log = 0;
	return cuGraphInstantiateWithFlags(x, g, 0);
}
CUresult cuGraphInstantiate(CUgraphExec *x, CUgraph g, CUgraphNode *bad, char *log, size_t size);
CUresult cuGraphInstantiate(CUgraphExec *x, CUgraph g, CUgraphNode *bad, char *log, size_t size)
{
	return cuGraphInstantiate_v2(x, g, bad, log, size);
}
CUresult cuGraphUpload(CUgraphExec x, CUstream s) { WRAP(rt_cudaGraphUpload(x, s)); }
CUresult cuGraphExecGetFlags(CUgraphExec x, cuuint64_t *flags)
{
	unsigned long long f = 0;
	CONTEXT();
	CUresult r = drv(rt_cudaGraphExecGetFlags(x, &f));
	if (flags)
		*flags = f;
	return r;
}
CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *out, size_t *n)
{
	WRAP(rt_cudaGraphGetNodes(g, out, n));
}
CUresult cuGraphGetRootNodes(CUgraph g, CUgraphNode *out, size_t *n)
{
	WRAP(rt_cudaGraphGetRootNodes(g, out, n));
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
	WRAP(rt_cudaGraphNodeGetType(node, (enum cudaGraphNodeType *)type));
}
CUresult cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode node, CUgraph clone)
{
	WRAP(rt_cudaGraphNodeFindInClone(out, node, clone));
}
CUresult cuGraphDestroyNode(CUgraphNode node) { WRAP(rt_cudaGraphDestroyNode(node)); }
CUresult cuGraphDebugDotPrint(CUgraph g, const char *path, unsigned flags)
{
	WRAP(rt_cudaGraphDebugDotPrint(g, path, flags));
}

/* ---- kernels ---- */

/* The last two fields, of CUDA 12, are not looked at: the parameters of CUDA 10 and 11 serve too.
 */
static struct cudaKernelNodeParams kernel_params(const CUDA_KERNEL_NODE_PARAMS *p)
{
	return (struct cudaKernelNodeParams){(void *)p->func,
	                                     {p->gridDimX, p->gridDimY, p->gridDimZ},
	                                     {p->blockDimX, p->blockDimY, p->blockDimZ},
	                                     p->sharedMemBytes,
	                                     p->kernelParams,
	                                     p->extra};
}
CUresult cuGraphAddKernelNode(NODE, const CUDA_KERNEL_NODE_PARAMS *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	struct cudaKernelNodeParams k = kernel_params(p);
	WRAP(rt_cudaGraphAddKernelNode(ARGS, &k));
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	struct cudaKernelNodeParams k = kernel_params(p);
	WRAP(rt_cudaGraphKernelNodeSetParams(node, &k));
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec x, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	struct cudaKernelNodeParams k = kernel_params(p);
	WRAP(rt_cudaGraphExecKernelNodeSetParams(x, node, &k));
}
#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
CUresult cuGraphAddKernelNode(NODE, const CUDA_KERNEL_NODE_PARAMS *p);
CUresult cuGraphAddKernelNode(NODE, const CUDA_KERNEL_NODE_PARAMS *p)
{
	return cuGraphAddKernelNode_v2(ARGS, p);
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p);
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
	return cuGraphKernelNodeSetParams_v2(node, p);
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec x, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *p);
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec x, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *p)
{
	return cuGraphExecKernelNodeSetParams_v2(x, node, p);
}

/* ---- copies and fills ---- */

/* One side of a copy: offsets in bytes, which the runtime counts in elements where there is an
 * array. */
static bool side(struct cudaPitchedPtr *ptr, cudaArray_t *array, struct cudaPos *pos,
                 CUmemorytype type, const void *host, CUdeviceptr device, CUarray a, size_t x,
                 size_t y, size_t z, size_t pitch, size_t height)
{
	if (type == CU_MEMORYTYPE_ARRAY) {
		*array = array_of(a);
		*pos = (struct cudaPos){*array ? x / (*array)->elem : 0, y, z};
		return *array != NULL;
	}
	char *base = type == CU_MEMORYTYPE_HOST ? (char *)(uintptr_t)host : PTR(device);
	*ptr = (struct cudaPitchedPtr){base + x, pitch, pitch, height};
	*pos = (struct cudaPos){0, y, z};
	return base != NULL;
}

CUresult cuGraphAddMemcpyNode(NODE, const CUDA_MEMCPY3D *c, CUcontext ctx)
{
	struct cudaMemcpy3DParms p = {.kind = cudaMemcpyDefault};
	(void)ctx;
	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	size_t spitch = c->srcPitch ? c->srcPitch : c->srcXInBytes + c->WidthInBytes;
	size_t dpitch = c->dstPitch ? c->dstPitch : c->dstXInBytes + c->WidthInBytes;
	if (!side(&p.srcPtr, &p.srcArray, &p.srcPos, c->srcMemoryType, c->srcHost, c->srcDevice,
	          c->srcArray, c->srcXInBytes, c->srcY, c->srcZ, spitch,
	          c->srcHeight ? c->srcHeight : c->srcY + c->Height) ||
	    !side(&p.dstPtr, &p.dstArray, &p.dstPos, c->dstMemoryType, c->dstHost, c->dstDevice,
	          c->dstArray, c->dstXInBytes, c->dstY, c->dstZ, dpitch,
	          c->dstHeight ? c->dstHeight : c->dstY + c->Height))
		return CUDA_ERROR_INVALID_VALUE;
	const struct cudaArray *a = p.srcArray ? p.srcArray : p.dstArray;
	p.extent = (struct cudaExtent){c->WidthInBytes / (a ? a->elem : 1), c->Height, c->Depth};
	WRAP(rt_cudaGraphAddMemcpyNode(ARGS, &p));
}
CUresult cuGraphAddMemsetNode(NODE, const CUDA_MEMSET_NODE_PARAMS *p, CUcontext ctx)
{
	(void)ctx;
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	struct cudaMemsetParams m = {.dst = PTR(p->dst),
	                             .pitch = p->pitch,
	                             .value = p->value,
	                             .elementSize = p->elementSize,
	                             .width = p->width,
	                             .height = p->height};
	WRAP(rt_cudaGraphAddMemsetNode(ARGS, &m));
}

/* ---- the others ---- */

CUresult cuGraphAddHostNode(NODE, const CUDA_HOST_NODE_PARAMS *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	struct cudaHostNodeParams h = {p->fn, p->userData};
	WRAP(rt_cudaGraphAddHostNode(ARGS, &h));
}
CUresult cuGraphAddChildGraphNode(NODE, CUgraph child)
{
	WRAP(rt_cudaGraphAddChildGraphNode(ARGS, child));
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *g)
{
	WRAP(rt_cudaGraphChildGraphNodeGetGraph(node, g));
}
CUresult cuGraphAddEmptyNode(NODE) { WRAP(rt_cudaGraphAddEmptyNode(ARGS)); }
CUresult cuGraphAddEventRecordNode(NODE, CUevent e)
{
	WRAP(rt_cudaGraphAddEventRecordNode(ARGS, e));
}
CUresult cuGraphAddEventWaitNode(NODE, CUevent e) { WRAP(rt_cudaGraphAddEventWaitNode(ARGS, e)); }
CUresult cuGraphAddMemFreeNode(NODE, CUdeviceptr p)
{
	WRAP(rt_cudaGraphAddMemFreeNode(ARGS, PTR(p)));
}
