/* Driver API: parameters of graph nodes, in both directions, and cuGraphAddNode() for all kinds of
 * nodes. The nodes are the runtime's; only the form of the parameters differs. */
#include "cuda/driver/driver.h"
#include "cuda/graph/graph.h"
#include "cuda/process/alloc.h"

#define NODE CUgraphNode *out, CUgraph g, const CUgraphNode *dep, size_t n
#define ARGS out, g, dep, n
RT_DECL(cudaGraphMemcpyNodeGetParams, (cudaGraphNode_t, struct cudaMemcpy3DParms *));
RT_DECL(cudaGraphMemcpyNodeSetParams, (cudaGraphNode_t, const struct cudaMemcpy3DParms *));
RT_DECL(cudaGraphMemsetNodeGetParams, (cudaGraphNode_t, struct cudaMemsetParams *));
RT_DECL(cudaGraphMemsetNodeSetParams, (cudaGraphNode_t, const struct cudaMemsetParams *));
RT_DECL(cudaGraphHostNodeGetParams, (cudaGraphNode_t, struct cudaHostNodeParams *));
RT_DECL(cudaGraphHostNodeSetParams, (cudaGraphNode_t, const struct cudaHostNodeParams *));
RT_DECL(cudaGraphKernelNodeGetParams, (cudaGraphNode_t, struct cudaKernelNodeParams *));
RT_DECL(cudaGraphAddMemAllocNode, (NODE, struct cudaMemAllocNodeParams *));
RT_DECL(cudaGraphMemAllocNodeGetParams, (cudaGraphNode_t, struct cudaMemAllocNodeParams *));
RT_DECL(cudaGraphMemFreeNodeGetParams, (cudaGraphNode_t, void *));
RT_DECL(cudaGraphNodeSetParams, (cudaGraphNode_t, struct cudaGraphNodeParams *));
RT_DECL(cudaGraphExecNodeSetParams,
	(cudaGraphExec_t, cudaGraphNode_t, struct cudaGraphNodeParams *));
cudaError_t rt12_add_node(NODE, struct cudaGraphNodeParams *p);

_Static_assert(sizeof(CUgraphNodeParams) == sizeof(struct cudaGraphNodeParams), "one size");

/* ---- copies ---- */

/* Converts one side of a copy: the driver's offsets are bytes, the runtime counts elements if there
 * is an array. */
static bool copy_side(struct cudaPitchedPtr *ptr, cudaArray_t *array, struct cudaPos *pos,
		      CUmemorytype type, const void *host, CUdeviceptr device, CUarray a, size_t x,
		      size_t y, size_t z, size_t pitch, size_t height)
{
	if (type == CU_MEMORYTYPE_ARRAY) {
		*array = array_of(a);
		*pos = (struct cudaPos){array_known(*array) ? x / (*array)->elem : 0, y, z};
		return array_known(*array);
	}
	char *base = type == CU_MEMORYTYPE_HOST ? (char *)(uintptr_t)host : PTR(device);
	*ptr = (struct cudaPitchedPtr){base + x, pitch, pitch, height};
	*pos = (struct cudaPos){0, y, z};
	return base != NULL;
}

bool copy_params(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *p)
{
	*p = (struct cudaMemcpy3DParms){.kind = cudaMemcpyDefault};
	if (!c)
		return false;
	size_t spitch = c->srcPitch ? c->srcPitch : c->srcXInBytes + c->WidthInBytes;
	size_t dpitch = c->dstPitch ? c->dstPitch : c->dstXInBytes + c->WidthInBytes;
	if (!copy_side(&p->srcPtr, &p->srcArray, &p->srcPos, c->srcMemoryType, c->srcHost,
		       c->srcDevice, c->srcArray, c->srcXInBytes, c->srcY, c->srcZ, spitch,
		       c->srcHeight ? c->srcHeight : c->srcY + c->Height) ||
	    !copy_side(&p->dstPtr, &p->dstArray, &p->dstPos, c->dstMemoryType, c->dstHost,
		       c->dstDevice, c->dstArray, c->dstXInBytes, c->dstY, c->dstZ, dpitch,
		       c->dstHeight ? c->dstHeight : c->dstY + c->Height))
		return false;
	const struct cudaArray *a = p->srcArray ? p->srcArray : p->dstArray;
	p->extent = (struct cudaExtent){c->WidthInBytes / (a ? a->elem : 1), c->Height, c->Depth};
	return true;
}

static CUDA_MEMCPY3D copy_form(const struct cudaMemcpy3DParms *p, const struct copy *c)
{
	size_t s = p->srcArray ? p->srcArray->elem : 1, d = p->dstArray ? p->dstArray->elem : 1;
	CUDA_MEMCPY3D o = {.srcXInBytes = p->srcPos.x * s,
			   .srcY = p->srcPos.y,
			   .srcZ = p->srcPos.z,
			   .srcArray = (CUarray)p->srcArray,
			   .srcPitch = p->srcPtr.pitch,
			   .srcHeight = p->srcPtr.ysize,
			   .dstXInBytes = p->dstPos.x * d,
			   .dstY = p->dstPos.y,
			   .dstZ = p->dstPos.z,
			   .dstArray = (CUarray)p->dstArray,
			   .dstPitch = p->dstPtr.pitch,
			   .dstHeight = p->dstPtr.ysize,
			   .WidthInBytes = c->width,
			   .Height = c->height,
			   .Depth = c->depth};
	o.srcMemoryType = p->srcArray     ? CU_MEMORYTYPE_ARRAY
			  : c->src.device ? CU_MEMORYTYPE_DEVICE
					  : CU_MEMORYTYPE_HOST;
	o.dstMemoryType = p->dstArray     ? CU_MEMORYTYPE_ARRAY
			  : c->dst.device ? CU_MEMORYTYPE_DEVICE
					  : CU_MEMORYTYPE_HOST;
	if (c->src.device && !p->srcArray)
		o.srcDevice = (CUdeviceptr)(uintptr_t)p->srcPtr.ptr;
	else
		o.srcHost = p->srcPtr.ptr;
	if (c->dst.device && !p->dstArray)
		o.dstDevice = (CUdeviceptr)(uintptr_t)p->dstPtr.ptr;
	else
		o.dstHost = p->dstPtr.ptr;
	return o;
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *out)
{
	struct cudaMemcpy3DParms p;
	CONTEXT_OR_RETURN();
	CUresult r = drv(rt_cudaGraphMemcpyNodeGetParams(node, &p));
	if (!r && out)
		*out = copy_form(&p, &node->w.copy);
	return !r && !out ? CUDA_ERROR_INVALID_VALUE : r;
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *c)
{
	struct cudaMemcpy3DParms p;
	if (!copy_params(c, &p))
		return CUDA_ERROR_INVALID_VALUE;
	RETURN_DRIVER(rt_cudaGraphMemcpyNodeSetParams(node, &p));
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec x, CUgraphNode node, const CUDA_MEMCPY3D *c,
					CUcontext ctx)
{
	(void)ctx;
	return cuGraphMemcpyNodeSetParams(exec_node(x, node), c);
}

/* ---- fills, host functions, kernels, memory ---- */

static struct cudaMemsetParams fill_params(const CUDA_MEMSET_NODE_PARAMS *p)
{
	return (struct cudaMemsetParams){PTR(p->dst),    p->pitch, p->value,
					 p->elementSize, p->width, p->height};
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *out)
{
	struct cudaMemsetParams p;
	CONTEXT_OR_RETURN();
	CUresult r = drv(rt_cudaGraphMemsetNodeGetParams(node, &p));
	if (!r && out)
		*out = (CUDA_MEMSET_NODE_PARAMS){(CUdeviceptr)(uintptr_t)p.dst,
						 p.pitch,
						 p.value,
						 p.elementSize,
						 p.width,
						 p.height};
	return !r && !out ? CUDA_ERROR_INVALID_VALUE : r;
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	struct cudaMemsetParams m = fill_params(p);
	RETURN_DRIVER(rt_cudaGraphMemsetNodeSetParams(node, &m));
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec x, CUgraphNode node,
					const CUDA_MEMSET_NODE_PARAMS *p, CUcontext ctx)
{
	(void)ctx;
	return cuGraphMemsetNodeSetParams(exec_node(x, node), p);
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *out)
{
	struct cudaHostNodeParams p;
	CONTEXT_OR_RETURN();
	CUresult r = out ? drv(rt_cudaGraphHostNodeGetParams(node, &p)) : CUDA_ERROR_INVALID_VALUE;
	if (!r)
		*out = (CUDA_HOST_NODE_PARAMS){p.fn, p.userData};
	return r;
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p)
{
	struct cudaHostNodeParams h = {p ? p->fn : NULL, p ? p->userData : NULL};
	RETURN_DRIVER(rt_cudaGraphHostNodeSetParams(node, &h));
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec x, CUgraphNode node,
				      const CUDA_HOST_NODE_PARAMS *p)
{
	return cuGraphHostNodeSetParams(exec_node(x, node), p);
}

/* Returns the parameters in the form of CUDA 10 and 11, which lacks the last two fields. */
static CUresult kernel_form(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *out, size_t size)
{
	struct cudaKernelNodeParams p;
	CONTEXT_OR_RETURN();
	CUresult r =
		out ? drv(rt_cudaGraphKernelNodeGetParams(node, &p)) : CUDA_ERROR_INVALID_VALUE;
	if (r)
		return r;
	CUDA_KERNEL_NODE_PARAMS k = {.func = (CUfunction)node->w.kernel.k,
				     .gridDimX = p.gridDim.x,
				     .gridDimY = p.gridDim.y,
				     .gridDimZ = p.gridDim.z,
				     .blockDimX = p.blockDim.x,
				     .blockDimY = p.blockDim.y,
				     .blockDimZ = p.blockDim.z,
				     .sharedMemBytes = p.sharedMemBytes,
				     .kernelParams = p.kernelParams};
	memcpy(out, &k, size);
	return CUDA_SUCCESS;
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *out)
{
	return kernel_form(node, out, sizeof *out);
}
#undef cuGraphKernelNodeGetParams
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *out);
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *out)
{
	return kernel_form(node, out, offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
}

CUresult cuGraphAddMemAllocNode(NODE, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
	struct cudaMemAllocNodeParams a;
	CONTEXT_OR_RETURN();
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	_Static_assert(sizeof a == sizeof *p, "allocations have one form");
	memcpy(&a, p, sizeof a);
	CUresult r = drv(rt_cudaGraphAddMemAllocNode(ARGS, &a));
	if (!r)
		p->dptr = (CUdeviceptr)(uintptr_t)a.dptr;
	return r;
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *out)
{
	RETURN_DRIVER(
		rt_cudaGraphMemAllocNodeGetParams(node, (struct cudaMemAllocNodeParams *)out));
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *p)
{
	RETURN_DRIVER(rt_cudaGraphMemFreeNodeGetParams(node, p));
}

/* ---- all kinds ---- */

/* Converts the parameters of a node of any kind. Bytes are copied where the two APIs have one
 * form. */
static bool node_params(const CUgraphNodeParams *p, struct cudaGraphNodeParams *o)
{
	const CUDA_KERNEL_NODE_PARAMS *k = &p->kernel;
	memcpy(o, p, sizeof *o);
	switch ((int)p->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		o->kernel =
			(struct cudaKernelNodeParamsV2){k->func ? (void *)k->func : k->kern,
							{k->gridDimX, k->gridDimY, k->gridDimZ},
							{k->blockDimX, k->blockDimY, k->blockDimZ},
							k->sharedMemBytes,
							k->kernelParams,
							k->extra};
		return true;
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return copy_params(&p->memcpy.copyParams, &o->memcpy.copyParams);
	default: return true;
	}
}

#undef cuGraphAddNode
CUresult cuGraphAddNode(NODE, CUgraphNodeParams *p)
{
	struct cudaGraphNodeParams o;
	CONTEXT_OR_RETURN();
	if (!p || !node_params(p, &o))
		return CUDA_ERROR_INVALID_VALUE;
	CUresult r = drv(rt12_add_node(ARGS, &o));
	if (r)
		return r;
	if (p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
		p->conditional.phGraph_out = o.conditional.phGraph_out;
	if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
		p->alloc.dptr = (CUdeviceptr)(uintptr_t)o.alloc.dptr;
	return r;
}
CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph g, const CUgraphNode *dep,
			   const CUgraphEdgeData *edges, size_t n, CUgraphNodeParams *p)
{
	(void)edges;
	return cuGraphAddNode(ARGS, p);
}
CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *p)
{
	struct cudaGraphNodeParams o;
	if (!p || !node_params(p, &o))
		return CUDA_ERROR_INVALID_VALUE;
	RETURN_DRIVER(rt_cudaGraphNodeSetParams(node, &o));
}
CUresult cuGraphExecNodeSetParams(CUgraphExec x, CUgraphNode node, CUgraphNodeParams *p)
{
	struct cudaGraphNodeParams o;
	if (!p || !node_params(p, &o))
		return CUDA_ERROR_INVALID_VALUE;
	RETURN_DRIVER(rt_cudaGraphExecNodeSetParams(x, node, &o));
}
