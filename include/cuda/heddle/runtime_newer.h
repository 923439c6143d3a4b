/* Functions whose signatures CUDA 12 and 13 changed. The plain names have the form of
 * CUDA 11; the newer ones are overloads of them, so that older and newer programs compile. */
#ifndef HEDDLE_RUNTIME_NEWER_H
#define HEDDLE_RUNTIME_NEWER_H

#define __HD_NEW static inline __host__ cudaError_t

/* A location is a type and a number; before, only a number. */
static inline __host__ int __hd_place(struct cudaMemLocation __l)
{
	return __l.type == cudaMemLocationTypeDevice ? __l.id : cudaCpuDeviceId;
}
__HD_NEW cudaMemPrefetchAsync(const void *__p, size_t __n, struct cudaMemLocation __l,
	unsigned int __flags, cudaStream_t __s = 0)
{
	return __flags ? cudaErrorInvalidValue
	               : ::cudaMemPrefetchAsync(__p, __n, __hd_place(__l), __s);
}
__HD_NEW cudaMemAdvise(const void *__p, size_t __n, enum cudaMemoryAdvise __advice,
	struct cudaMemLocation __l)
{
	return ::cudaMemAdvise(__p, __n, __advice, __hd_place(__l));
}

/* Edges of graphs carry data, zero for ordinary edges; others are refused. */
static inline __host__ bool __hd_plain(const cudaGraphEdgeData *__d, size_t __n)
{
	for (size_t __i = 0; __d && __i < __n; __i++)
		if (__d[__i].from_port || __d[__i].to_port || __d[__i].type)
			return false;
	return true;
}
static inline __host__ void __hd_no_data(cudaGraphEdgeData *__d, const size_t *__n)
{
	for (size_t __i = 0; __d && __n && __i < *__n; __i++)
		__d[__i] = cudaGraphEdgeData();
}
__HD_NEW cudaGraphAddDependencies(cudaGraph_t __g, const cudaGraphNode_t *__from,
	const cudaGraphNode_t *__to, const cudaGraphEdgeData *__d, size_t __n)
{
	return __hd_plain(__d, __n) ? ::cudaGraphAddDependencies(__g, __from, __to, __n)
	                            : cudaErrorNotSupported;
}
__HD_NEW cudaGraphRemoveDependencies(cudaGraph_t __g, const cudaGraphNode_t *__from,
	const cudaGraphNode_t *__to, const cudaGraphEdgeData *__d, size_t __n)
{
	return __hd_plain(__d, __n) ? ::cudaGraphRemoveDependencies(__g, __from, __to, __n)
	                            : cudaErrorNotSupported;
}
__HD_NEW cudaGraphGetEdges(cudaGraph_t __g, cudaGraphNode_t *__from, cudaGraphNode_t *__to,
	cudaGraphEdgeData *__d, size_t *__n)
{
	cudaError_t __e = ::cudaGraphGetEdges(__g, __from, __to, __n);
	__hd_no_data(__d, __n);
	return __e;
}
__HD_NEW cudaGraphNodeGetDependencies(cudaGraphNode_t __node, cudaGraphNode_t *__out,
	cudaGraphEdgeData *__d, size_t *__n)
{
	cudaError_t __e = ::cudaGraphNodeGetDependencies(__node, __out, __n);
	__hd_no_data(__d, __n);
	return __e;
}
__HD_NEW cudaGraphNodeGetDependentNodes(cudaGraphNode_t __node, cudaGraphNode_t *__out,
	cudaGraphEdgeData *__d, size_t *__n)
{
	cudaError_t __e = ::cudaGraphNodeGetDependentNodes(__node, __out, __n);
	__hd_no_data(__d, __n);
	return __e;
}

__HD_NEW cudaGraphAddNode(cudaGraphNode_t *__out, cudaGraph_t __g, const cudaGraphNode_t *__deps,
	const cudaGraphEdgeData *__d, size_t __n, struct cudaGraphNodeParams *__p)
{
	return __hd_plain(__d, __n) ? ::cudaGraphAddNode(__out, __g, __deps, __n, __p)
	                            : cudaErrorNotSupported;
}

/* A condition's handle is the address of the word that its node reads. */
static inline __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle __handle,
	unsigned int __value)
{
	*(volatile unsigned int *)__handle = __value;
}

/* Captures. */
__HD_NEW cudaStreamGetCaptureInfo(cudaStream_t __s, enum cudaStreamCaptureStatus *__status,
	unsigned long long *__id, cudaGraph_t *__g, const cudaGraphNode_t **__deps = 0,
	size_t *__n = 0)
{
	return ::cudaStreamGetCaptureInfo_v2(__s, __status, __id, __g, __deps, __n);
}
__HD_NEW cudaStreamGetCaptureInfo(cudaStream_t __s, enum cudaStreamCaptureStatus *__status,
	unsigned long long *__id, cudaGraph_t *__g, const cudaGraphNode_t **__deps,
	const cudaGraphEdgeData **__d, size_t *__n)
{
	if (__d)
		*__d = 0;
	return ::cudaStreamGetCaptureInfo_v2(__s, __status, __id, __g, __deps, __n);
}
__HD_NEW cudaStreamUpdateCaptureDependencies(cudaStream_t __s, cudaGraphNode_t *__deps,
	const cudaGraphEdgeData *__d, size_t __n, unsigned int __flags = 0)
{
	if (!__hd_plain(__d, __n))
		return cudaErrorNotSupported;
	return ::cudaStreamUpdateCaptureDependencies(__s, __deps, __n, __flags);
}

/* The newer form reports a failed update in one structure. */
__HD_NEW cudaGraphExecUpdate(cudaGraphExec_t __x, cudaGraph_t __g,
	cudaGraphExecUpdateResultInfo *__info)
{
	__info->errorNode = __info->errorFromNode = 0;
	return ::cudaGraphExecUpdate(__x, __g, &__info->errorNode, &__info->result);
}
__HD_NEW cudaGetDriverEntryPoint(const char *__symbol, void **__out, unsigned long long __flags,
	enum cudaDriverEntryPointQueryResult *__status)
{
	return ::cudaGetDriverEntryPointByVersion(__symbol, __out, CUDART_VERSION, __flags,
		__status);
}
#undef __HD_NEW

#endif
