/* Driver API: graphs. The graphs are the runtime's; only the form of node parameters differs. */
#include "cuda/driver/driver.h"
#include "cuda/process/alloc.h"

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
RT_DECL(cudaGraphExecKernelNodeSetParams,
	(cudaGraphExec_t, cudaGraphNode_t, const struct cudaKernelNodeParams *));
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

CUresult cuGraphCreate(CUgraph *g, unsigned flags) { RETURN_DRIVER(rt_cudaGraphCreate(g, flags)); }
CUresult cuGraphClone(CUgraph *out, CUgraph g) { RETURN_DRIVER(rt_cudaGraphClone(out, g)); }
CUresult cuGraphInstantiateWithFlags(CUgraphExec *x, CUgraph g, unsigned long long flags)
{
	RETURN_DRIVER(rt_cudaGraphInstantiateWithFlags(x, g, flags));
}
/* CUDA 10 and 11 have parameters for the failing node and a message. */
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
CUresult cuGraphUpload(CUgraphExec x, CUstream s) { RETURN_DRIVER(rt_cudaGraphUpload(x, s)); }
CUresult cuGraphExecGetFlags(CUgraphExec x, cuuint64_t *flags)
{
	unsigned long long f = 0;
	CONTEXT_OR_RETURN();
	CUresult r = drv(rt_cudaGraphExecGetFlags(x, &f));
	if (flags)
		*flags = f;
	return r;
}
CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *out, size_t *n)
{
	RETURN_DRIVER(rt_cudaGraphGetNodes(g, out, n));
}
CUresult cuGraphGetRootNodes(CUgraph g, CUgraphNode *out, size_t *n)
{
	RETURN_DRIVER(rt_cudaGraphGetRootNodes(g, out, n));
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
	RETURN_DRIVER(rt_cudaGraphNodeGetType(node, (enum cudaGraphNodeType *)type));
}
CUresult cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode node, CUgraph clone)
{
	RETURN_DRIVER(rt_cudaGraphNodeFindInClone(out, node, clone));
}
CUresult cuGraphDestroyNode(CUgraphNode node) { RETURN_DRIVER(rt_cudaGraphDestroyNode(node)); }
CUresult cuGraphDebugDotPrint(CUgraph g, const char *path, unsigned flags)
{
	RETURN_DRIVER(rt_cudaGraphDebugDotPrint(g, path, flags));
}

/* ---- kernels ---- */

/* The last two fields, added by CUDA 12, are not read, so that the parameters of CUDA 10 and 11
 * work too. */
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
	RETURN_DRIVER(rt_cudaGraphAddKernelNode(ARGS, &k));
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	struct cudaKernelNodeParams k = kernel_params(p);
	RETURN_DRIVER(rt_cudaGraphKernelNodeSetParams(node, &k));
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec x, CUgraphNode node,
					const CUDA_KERNEL_NODE_PARAMS *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	struct cudaKernelNodeParams k = kernel_params(p);
	RETURN_DRIVER(rt_cudaGraphExecKernelNodeSetParams(x, node, &k));
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

CUresult cuGraphAddMemcpyNode(NODE, const CUDA_MEMCPY3D *c, CUcontext ctx)
{
	struct cudaMemcpy3DParms p;
	(void)ctx;
	if (!copy_params(c, &p))
		return CUDA_ERROR_INVALID_VALUE;
	RETURN_DRIVER(rt_cudaGraphAddMemcpyNode(ARGS, &p));
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
	RETURN_DRIVER(rt_cudaGraphAddMemsetNode(ARGS, &m));
}

/* ---- other nodes ---- */

CUresult cuGraphAddHostNode(NODE, const CUDA_HOST_NODE_PARAMS *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	struct cudaHostNodeParams h = {p->fn, p->userData};
	RETURN_DRIVER(rt_cudaGraphAddHostNode(ARGS, &h));
}
CUresult cuGraphAddChildGraphNode(NODE, CUgraph child)
{
	RETURN_DRIVER(rt_cudaGraphAddChildGraphNode(ARGS, child));
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *g)
{
	RETURN_DRIVER(rt_cudaGraphChildGraphNodeGetGraph(node, g));
}
CUresult cuGraphAddEmptyNode(NODE) { RETURN_DRIVER(rt_cudaGraphAddEmptyNode(ARGS)); }
CUresult cuGraphAddEventRecordNode(NODE, CUevent e)
{
	RETURN_DRIVER(rt_cudaGraphAddEventRecordNode(ARGS, e));
}
CUresult cuGraphAddEventWaitNode(NODE, CUevent e)
{
	RETURN_DRIVER(rt_cudaGraphAddEventWaitNode(ARGS, e));
}
CUresult cuGraphAddMemFreeNode(NODE, CUdeviceptr p)
{
	RETURN_DRIVER(rt_cudaGraphAddMemFreeNode(ARGS, PTR(p)));
}

/* ---- the driver's names of calls that the runtime implements ---- */

RT_DECL(cudaGraphExecChildGraphNodeSetParams, (cudaGraphExec_t, cudaGraphNode_t, cudaGraph_t));
RT_DECL(cudaGraphEventRecordNodeGetEvent, (cudaGraphNode_t, cudaEvent_t *));
RT_DECL(cudaGraphEventRecordNodeSetEvent, (cudaGraphNode_t, cudaEvent_t));
RT_DECL(cudaGraphEventWaitNodeGetEvent, (cudaGraphNode_t, cudaEvent_t *));
RT_DECL(cudaGraphEventWaitNodeSetEvent, (cudaGraphNode_t, cudaEvent_t));
RT_DECL(cudaGraphExecEventRecordNodeSetEvent, (cudaGraphExec_t, cudaGraphNode_t, cudaEvent_t));
RT_DECL(cudaGraphExecEventWaitNodeSetEvent, (cudaGraphExec_t, cudaGraphNode_t, cudaEvent_t));
RT_DECL(cudaGraphKernelNodeCopyAttributes, (cudaGraphNode_t, cudaGraphNode_t));
RT_DECL(cudaGraphKernelNodeGetAttribute,
	(cudaGraphNode_t, enum cudaKernelNodeAttrID, union cudaKernelNodeAttrValue *));
RT_DECL(cudaGraphKernelNodeSetAttribute,
	(cudaGraphNode_t, enum cudaKernelNodeAttrID, const union cudaKernelNodeAttrValue *));
RT_DECL(cudaGraphNodeGetEnabled, (cudaGraphExec_t, cudaGraphNode_t, unsigned *));
RT_DECL(cudaGraphNodeSetEnabled, (cudaGraphExec_t, cudaGraphNode_t, unsigned));
RT_DECL(cudaGraphInstantiateWithParams,
	(cudaGraphExec_t *, cudaGraph_t, cudaGraphInstantiateParams *));
RT_DECL(cudaGraphConditionalHandleCreate,
	(cudaGraphConditionalHandle *, cudaGraph_t, unsigned, unsigned));
RT_DECL(cudaDeviceGraphMemTrim, (int));
RT_DECL(cudaDeviceGetGraphMemAttribute, (int, enum cudaGraphMemAttributeType, void *));
RT_DECL(cudaDeviceSetGraphMemAttribute, (int, enum cudaGraphMemAttributeType, void *));
RT_DECL(cudaUserObjectCreate, (cudaUserObject_t *, void *, cudaHostFn_t, unsigned, unsigned));
RT_DECL(cudaUserObjectRetain, (cudaUserObject_t, unsigned));
RT_DECL(cudaUserObjectRelease, (cudaUserObject_t, unsigned));
RT_DECL(cudaGraphRetainUserObject, (cudaGraph_t, cudaUserObject_t, unsigned, unsigned));
RT_DECL(cudaGraphReleaseUserObject, (cudaGraph_t, cudaUserObject_t, unsigned));
cudaError_t rt11_update(cudaGraphExec_t, cudaGraph_t, cudaGraphNode_t *,
			enum cudaGraphExecUpdateResult *);
cudaError_t rt12_update(cudaGraphExec_t, cudaGraph_t, cudaGraphExecUpdateResultInfo *);

_Static_assert(sizeof(CUgraphExecUpdateResultInfo) == sizeof(cudaGraphExecUpdateResultInfo), "");
_Static_assert(sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS) == sizeof(cudaGraphInstantiateParams), "");

#define SAME(name, params, call)                                                                   \
	CUresult name params { RETURN_DRIVER(call); }
SAME(cuGraphExecChildGraphNodeSetParams, (CUgraphExec x, CUgraphNode node, CUgraph child),
     rt_cudaGraphExecChildGraphNodeSetParams(x, node, child))
SAME(cuGraphEventRecordNodeGetEvent, (CUgraphNode node, CUevent *e),
     rt_cudaGraphEventRecordNodeGetEvent(node, e))
SAME(cuGraphEventRecordNodeSetEvent, (CUgraphNode node, CUevent e),
     rt_cudaGraphEventRecordNodeSetEvent(node, e))
SAME(cuGraphEventWaitNodeGetEvent, (CUgraphNode node, CUevent *e),
     rt_cudaGraphEventWaitNodeGetEvent(node, e))
SAME(cuGraphEventWaitNodeSetEvent, (CUgraphNode node, CUevent e),
     rt_cudaGraphEventWaitNodeSetEvent(node, e))
SAME(cuGraphExecEventRecordNodeSetEvent, (CUgraphExec x, CUgraphNode node, CUevent e),
     rt_cudaGraphExecEventRecordNodeSetEvent(x, node, e))
SAME(cuGraphExecEventWaitNodeSetEvent, (CUgraphExec x, CUgraphNode node, CUevent e),
     rt_cudaGraphExecEventWaitNodeSetEvent(x, node, e))
SAME(cuGraphKernelNodeCopyAttributes, (CUgraphNode dst, CUgraphNode src),
     rt_cudaGraphKernelNodeCopyAttributes(dst, src))
SAME(cuGraphKernelNodeGetAttribute,
     (CUgraphNode node, CUlaunchAttributeID id, CUlaunchAttributeValue *v),
     rt_cudaGraphKernelNodeGetAttribute(node, (enum cudaKernelNodeAttrID)id,
					(union cudaKernelNodeAttrValue *)v))
SAME(cuGraphKernelNodeSetAttribute,
     (CUgraphNode node, CUlaunchAttributeID id, const CUlaunchAttributeValue *v),
     rt_cudaGraphKernelNodeSetAttribute(node, (enum cudaKernelNodeAttrID)id,
					(const union cudaKernelNodeAttrValue *)v))
SAME(cuGraphNodeGetEnabled, (CUgraphExec x, CUgraphNode node, unsigned *on),
     rt_cudaGraphNodeGetEnabled(x, node, on))
SAME(cuGraphNodeSetEnabled, (CUgraphExec x, CUgraphNode node, unsigned on),
     rt_cudaGraphNodeSetEnabled(x, node, on))
SAME(cuGraphExecUpdate_v2, (CUgraphExec x, CUgraph g, CUgraphExecUpdateResultInfo *info),
     rt12_update(x, g, (cudaGraphExecUpdateResultInfo *)info))
SAME(cuGraphExecUpdate,
     (CUgraphExec x, CUgraph g, CUgraphNode *bad, CUgraphExecUpdateResult *result),
     rt11_update(x, g, bad, (enum cudaGraphExecUpdateResult *)result))
SAME(cuGraphInstantiateWithParams, (CUgraphExec * x, CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS *p),
     p ? rt_cudaGraphInstantiateWithParams(x, g, (cudaGraphInstantiateParams *)p)
       : cudaErrorInvalidValue)
SAME(cuGraphConditionalHandleCreate,
     (CUgraphConditionalHandle * out, CUgraph g, CUcontext c, unsigned start, unsigned flags),
     ((void)c,
      rt_cudaGraphConditionalHandleCreate((cudaGraphConditionalHandle *)out, g, start, flags)))
SAME(cuDeviceGraphMemTrim, (CUdevice dev), rt_cudaDeviceGraphMemTrim(dev))
SAME(cuDeviceGetGraphMemAttribute, (CUdevice dev, CUgraphMem_attribute attr, void *v),
     rt_cudaDeviceGetGraphMemAttribute(dev, (enum cudaGraphMemAttributeType)attr, v))
SAME(cuDeviceSetGraphMemAttribute, (CUdevice dev, CUgraphMem_attribute attr, void *v),
     rt_cudaDeviceSetGraphMemAttribute(dev, (enum cudaGraphMemAttributeType)attr, v))
SAME(cuUserObjectCreate,
     (CUuserObject * out, void *p, CUhostFn destroy, unsigned refs, unsigned flags),
     rt_cudaUserObjectCreate(out, p, destroy, refs, flags))
SAME(cuUserObjectRetain, (CUuserObject o, unsigned n), rt_cudaUserObjectRetain(o, n))
SAME(cuUserObjectRelease, (CUuserObject o, unsigned n), rt_cudaUserObjectRelease(o, n))
SAME(cuGraphRetainUserObject, (CUgraph g, CUuserObject o, unsigned n, unsigned flags),
     rt_cudaGraphRetainUserObject(g, o, n, flags))
SAME(cuGraphReleaseUserObject, (CUgraph g, CUuserObject o, unsigned n),
     rt_cudaGraphReleaseUserObject(g, o, n))

/* ---- edges and captures: the second versions have parameters for data about edges ---- */

#define EDGES(name, params, params2, args)                                                         \
	cudaError_t rt11_cuda##name params;                                                        \
	SAME(cu##name, params, rt11_cuda##name args)                                               \
	CUresult cu##name##_v2 params2                                                             \
	{                                                                                          \
		(void)x;                                                                           \
		return cu##name args;                                                              \
	}
EDGES(GraphGetEdges, (CUgraph g, CUgraphNode *f, CUgraphNode *t, size_t *n),
      (CUgraph g, CUgraphNode *f, CUgraphNode *t, CUgraphEdgeData *x, size_t *n), (g, f, t, n))
EDGES(GraphNodeGetDependencies, (CUgraphNode d, CUgraphNode *o, size_t *n),
      (CUgraphNode d, CUgraphNode *o, CUgraphEdgeData *x, size_t *n), (d, o, n))
EDGES(GraphNodeGetDependentNodes, (CUgraphNode d, CUgraphNode *o, size_t *n),
      (CUgraphNode d, CUgraphNode *o, CUgraphEdgeData *x, size_t *n), (d, o, n))
EDGES(GraphAddDependencies, (CUgraph g, const CUgraphNode *f, const CUgraphNode *t, size_t n),
      (CUgraph g, const CUgraphNode *f, const CUgraphNode *t, const CUgraphEdgeData *x, size_t n),
      (g, f, t, n))
EDGES(GraphRemoveDependencies, (CUgraph g, const CUgraphNode *f, const CUgraphNode *t, size_t n),
      (CUgraph g, const CUgraphNode *f, const CUgraphNode *t, const CUgraphEdgeData *x, size_t n),
      (g, f, t, n))

RT_DECL(cudaStreamBeginCaptureToGraph,
	(cudaStream_t, cudaGraph_t, const cudaGraphNode_t *, const cudaGraphEdgeData *, size_t,
	 enum cudaStreamCaptureMode));
cudaError_t rt13_capture_info(cudaStream_t s, enum cudaStreamCaptureStatus *st,
			      unsigned long long *id, cudaGraph_t *g, const cudaGraphNode_t **d,
			      const void **e, size_t *n);
cudaError_t rt11_capture_update(cudaStream_t s, cudaGraphNode_t *d, size_t n, unsigned f);

SAME(cuStreamBeginCaptureToGraph,
     (CUstream s, CUgraph g, const CUgraphNode *d, const CUgraphEdgeData *x, size_t n,
      CUstreamCaptureMode mode),
     rt_cudaStreamBeginCaptureToGraph(s, g, d, (const cudaGraphEdgeData *)x, n,
				      (enum cudaStreamCaptureMode)mode))
SAME(cuStreamGetCaptureInfo_v3,
     (CUstream s, CUstreamCaptureStatus *st, cuuint64_t *id, CUgraph *g, const CUgraphNode **d,
      const CUgraphEdgeData **x, size_t *n),
     rt13_capture_info(s, (enum cudaStreamCaptureStatus *)st, (unsigned long long *)id, g, d,
		       (const void **)x, n))
CUresult cuStreamGetCaptureInfo_v2(CUstream s, CUstreamCaptureStatus *st, cuuint64_t *id,
				   CUgraph *g, const CUgraphNode **d, size_t *n)
{
	return cuStreamGetCaptureInfo_v3(s, st, id, g, d, NULL, n);
}
CUresult cuStreamGetCaptureInfo(CUstream s, CUstreamCaptureStatus *st, cuuint64_t *id)
{
	return cuStreamGetCaptureInfo_v3(s, st, id, NULL, NULL, NULL, NULL);
}
SAME(cuStreamUpdateCaptureDependencies, (CUstream s, CUgraphNode *d, size_t n, unsigned flags),
     rt11_capture_update(s, d, n, flags))
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream s, CUgraphNode *d, const CUgraphEdgeData *x,
					      size_t n, unsigned flags)
{
	(void)x;
	return cuStreamUpdateCaptureDependencies(s, d, n, flags);
}
