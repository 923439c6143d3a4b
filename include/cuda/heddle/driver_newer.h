/*
 * Driver API, the part that came with CUDA 11.2 and later: libraries and kernels, graphs in full,
 * captures, objects of the program that graphs hold. Included by cuda.h, inside its extern "C".
 */
#ifndef HEDDLE_DRIVER_NEWER_H
#define HEDDLE_DRIVER_NEWER_H

/* Libraries. */
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef enum CUlibraryOption_enum {
	CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE = 0, CU_LIBRARY_BINARY_IS_PRESERVED = 1,
	CU_LIBRARY_NUM_OPTIONS
} CUlibraryOption;
CUresult CUDAAPI cuLibraryLoadData(CUlibrary *__library, const void *__code,
	CUjit_option *__options, void **__values, unsigned int __n,
	CUlibraryOption *__libraryOptions, void **__libraryValues,
	unsigned int __libraryN);
CUresult CUDAAPI cuLibraryLoadFromFile(CUlibrary *__library, const char *__path,
	CUjit_option *__options, void **__values, unsigned int __n, CUlibraryOption *__libraryOptions,
	void **__libraryValues, unsigned int __libraryN);
CUresult CUDAAPI cuLibraryUnload(CUlibrary __library);
CUresult CUDAAPI cuLibraryGetKernel(CUkernel *__kernel, CUlibrary __library, const char *__name);
CUresult CUDAAPI cuLibraryGetKernelCount(unsigned int *__count, CUlibrary __library);
CUresult CUDAAPI cuLibraryEnumerateKernels(CUkernel *__kernels, unsigned int __n,
	CUlibrary __library);
CUresult CUDAAPI cuLibraryGetModule(CUmodule *__module, CUlibrary __library);
CUresult CUDAAPI cuLibraryGetGlobal(CUdeviceptr *__ptr, size_t *__bytes, CUlibrary __library,
	const char *__name);
CUresult CUDAAPI cuLibraryGetManaged(CUdeviceptr *__ptr, size_t *__bytes, CUlibrary __library,
	const char *__name);
CUresult CUDAAPI cuKernelGetFunction(CUfunction *__f, CUkernel __kernel);
CUresult CUDAAPI cuKernelGetLibrary(CUlibrary *__library, CUkernel __kernel);
CUresult CUDAAPI cuKernelGetName(const char **__name, CUkernel __kernel);
CUresult CUDAAPI cuKernelGetParamInfo(CUkernel __kernel, size_t __i, size_t *__offset,
	size_t *__size);
CUresult CUDAAPI cuKernelGetAttribute(int *__value, CUfunction_attribute __attr, CUkernel __kernel,
	CUdevice __dev);
CUresult CUDAAPI cuKernelSetAttribute(CUfunction_attribute __attr, int __value, CUkernel __kernel,
	CUdevice __dev);
CUresult CUDAAPI cuKernelSetCacheConfig(CUkernel __kernel, CUfunc_cache __config, CUdevice __dev);
CUresult CUDAAPI cuModuleGetFunctionCount(unsigned int *__count, CUmodule __module);
CUresult CUDAAPI cuModuleEnumerateFunctions(CUfunction *__functions, unsigned int __n,
	CUmodule __module);

/* Graphs: nodes of all kinds by one structure. */
typedef struct CUgraphEdgeData_st {
	unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;
typedef cuuint64_t CUgraphConditionalHandle;
typedef enum CUgraphConditionalNodeType_enum {
	CU_GRAPH_COND_TYPE_IF = 0, CU_GRAPH_COND_TYPE_WHILE = 1, CU_GRAPH_COND_TYPE_SWITCH = 2
} CUgraphConditionalNodeType;
#define CU_GRAPH_COND_ASSIGN_DEFAULT 1
typedef enum CUgraphChildGraphNodeOwnership_enum {
	CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE = 0, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE = 1
} CUgraphChildGraphNodeOwnership;
typedef CUDA_KERNEL_NODE_PARAMS CUDA_KERNEL_NODE_PARAMS_v3;
typedef struct CUDA_MEMCPY_NODE_PARAMS_st {
	int flags, reserved;
	CUcontext copyCtx;
	CUDA_MEMCPY3D copyParams;
} CUDA_MEMCPY_NODE_PARAMS;
typedef struct CUDA_MEMSET_NODE_PARAMS_v2_st {
	CUdeviceptr dst;
	size_t pitch;
	unsigned int value, elementSize;
	size_t width, height;
	CUcontext ctx;
} CUDA_MEMSET_NODE_PARAMS_v2;
typedef CUDA_HOST_NODE_PARAMS CUDA_HOST_NODE_PARAMS_v2;
typedef struct CUDA_CHILD_GRAPH_NODE_PARAMS_st {
	CUgraph graph;
	CUgraphChildGraphNodeOwnership ownership;
} CUDA_CHILD_GRAPH_NODE_PARAMS;
typedef struct CUDA_EVENT_RECORD_NODE_PARAMS_st { CUevent event; } CUDA_EVENT_RECORD_NODE_PARAMS;
typedef struct CUDA_EVENT_WAIT_NODE_PARAMS_st { CUevent event; } CUDA_EVENT_WAIT_NODE_PARAMS;
typedef struct CUDA_MEM_ALLOC_NODE_PARAMS_st {
	CUmemPoolProps poolProps;
	const CUmemAccessDesc *accessDescs;
	size_t accessDescCount;
	size_t bytesize;
	CUdeviceptr dptr;
} CUDA_MEM_ALLOC_NODE_PARAMS;
typedef CUDA_MEM_ALLOC_NODE_PARAMS CUDA_MEM_ALLOC_NODE_PARAMS_v2;
typedef struct CUDA_MEM_FREE_NODE_PARAMS_st { CUdeviceptr dptr; } CUDA_MEM_FREE_NODE_PARAMS;
typedef struct CUDA_CONDITIONAL_NODE_PARAMS_st {
	CUgraphConditionalHandle handle;
	CUgraphConditionalNodeType type;
	unsigned int size;
	CUgraph *phGraph_out;
	CUcontext ctx;
} CUDA_CONDITIONAL_NODE_PARAMS;
typedef struct CUgraphNodeParams_st {
	CUgraphNodeType type;
	int reserved0[3];
	union {
		long long reserved1[29];
		CUDA_KERNEL_NODE_PARAMS_v3 kernel;
		CUDA_MEMCPY_NODE_PARAMS memcpy;
		CUDA_MEMSET_NODE_PARAMS_v2 memset;
		CUDA_HOST_NODE_PARAMS_v2 host;
		CUDA_CHILD_GRAPH_NODE_PARAMS graph;
		CUDA_EVENT_WAIT_NODE_PARAMS eventWait;
		CUDA_EVENT_RECORD_NODE_PARAMS eventRecord;
		CUDA_MEM_ALLOC_NODE_PARAMS_v2 alloc;
		CUDA_MEM_FREE_NODE_PARAMS free;
		CUDA_CONDITIONAL_NODE_PARAMS conditional;
	};
	long long reserved2;
} CUgraphNodeParams;
typedef enum CUgraphExecUpdateResult_enum {
	CU_GRAPH_EXEC_UPDATE_SUCCESS = 0, CU_GRAPH_EXEC_UPDATE_ERROR = 1,
	CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED = 2,
	CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED = 3,
	CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED = 4,
	CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED = 5,
	CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED = 6,
	CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE = 7,
	CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED = 8
} CUgraphExecUpdateResult;
typedef struct CUgraphExecUpdateResultInfo_st {
	CUgraphExecUpdateResult result;
	CUgraphNode errorNode;
	CUgraphNode errorFromNode;
} CUgraphExecUpdateResultInfo;
typedef enum CUgraphInstantiateResult_enum {
	CUDA_GRAPH_INSTANTIATE_SUCCESS = 0, CUDA_GRAPH_INSTANTIATE_ERROR = 1,
	CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE = 2,
	CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED = 3,
	CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED = 4
} CUgraphInstantiateResult;
typedef struct CUDA_GRAPH_INSTANTIATE_PARAMS_st {
	cuuint64_t flags;
	CUstream hUploadStream;
	CUgraphNode hErrNode_out;
	CUgraphInstantiateResult result_out;
} CUDA_GRAPH_INSTANTIATE_PARAMS;
typedef enum CUgraphMem_attribute_enum {
	CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT = 0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH = 1,
	CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT = 2, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH = 3
} CUgraphMem_attribute;
typedef struct CUuserObject_st *CUuserObject;
#define CU_USER_OBJECT_NO_DESTRUCTOR_SYNC 1
#define CU_GRAPH_USER_OBJECT_MOVE 1

#define cuGraphKernelNodeGetParams cuGraphKernelNodeGetParams_v2
#define __HD_NODE                                                                                  \
	CUgraphNode *__node, CUgraph __graph, const CUgraphNode *__deps, size_t __n
CUresult CUDAAPI cuGraphAddNode(__HD_NODE, CUgraphNodeParams *__params);
CUresult CUDAAPI cuGraphAddNode_v2(CUgraphNode *__node, CUgraph __graph, const CUgraphNode *__deps,
	const CUgraphEdgeData *__edges, size_t __n, CUgraphNodeParams *__params);
CUresult CUDAAPI cuGraphNodeSetParams(CUgraphNode __node, CUgraphNodeParams *__params);
CUresult CUDAAPI cuGraphExecNodeSetParams(CUgraphExec __exec, CUgraphNode __node,
	CUgraphNodeParams *__params);
CUresult CUDAAPI cuGraphConditionalHandleCreate(CUgraphConditionalHandle *__handle, CUgraph __graph,
	CUcontext __ctx, unsigned int __start, unsigned int __flags);
CUresult CUDAAPI cuGraphAddMemAllocNode(__HD_NODE, CUDA_MEM_ALLOC_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphMemAllocNodeGetParams(CUgraphNode __node,
	CUDA_MEM_ALLOC_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphMemFreeNodeGetParams(CUgraphNode __node, CUdeviceptr *__ptr);
CUresult CUDAAPI cuGraphKernelNodeGetParams(CUgraphNode __node, CUDA_KERNEL_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphMemcpyNodeGetParams(CUgraphNode __node, CUDA_MEMCPY3D *__params);
CUresult CUDAAPI cuGraphMemcpyNodeSetParams(CUgraphNode __node, const CUDA_MEMCPY3D *__params);
CUresult CUDAAPI cuGraphExecMemcpyNodeSetParams(CUgraphExec __exec, CUgraphNode __node,
	const CUDA_MEMCPY3D *__params, CUcontext __ctx);
CUresult CUDAAPI cuGraphMemsetNodeGetParams(CUgraphNode __node, CUDA_MEMSET_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphMemsetNodeSetParams(CUgraphNode __node,
	const CUDA_MEMSET_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphExecMemsetNodeSetParams(CUgraphExec __exec, CUgraphNode __node,
	const CUDA_MEMSET_NODE_PARAMS *__params, CUcontext __ctx);
CUresult CUDAAPI cuGraphHostNodeGetParams(CUgraphNode __node, CUDA_HOST_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphHostNodeSetParams(CUgraphNode __node,
	const CUDA_HOST_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphExecHostNodeSetParams(CUgraphExec __exec, CUgraphNode __node,
	const CUDA_HOST_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphExecChildGraphNodeSetParams(CUgraphExec __exec, CUgraphNode __node,
	CUgraph __child);
CUresult CUDAAPI cuGraphEventRecordNodeGetEvent(CUgraphNode __node, CUevent *__e);
CUresult CUDAAPI cuGraphEventRecordNodeSetEvent(CUgraphNode __node, CUevent __e);
CUresult CUDAAPI cuGraphEventWaitNodeGetEvent(CUgraphNode __node, CUevent *__e);
CUresult CUDAAPI cuGraphEventWaitNodeSetEvent(CUgraphNode __node, CUevent __e);
CUresult CUDAAPI cuGraphExecEventRecordNodeSetEvent(CUgraphExec __exec, CUgraphNode __node,
	CUevent __e);
CUresult CUDAAPI cuGraphExecEventWaitNodeSetEvent(CUgraphExec __exec, CUgraphNode __node,
	CUevent __e);
CUresult CUDAAPI cuGraphKernelNodeCopyAttributes(CUgraphNode __dst, CUgraphNode __src);
CUresult CUDAAPI cuGraphKernelNodeGetAttribute(CUgraphNode __node, CUlaunchAttributeID __attr,
	CUlaunchAttributeValue *__value);
CUresult CUDAAPI cuGraphKernelNodeSetAttribute(CUgraphNode __node, CUlaunchAttributeID __attr,
	const CUlaunchAttributeValue *__value);
CUresult CUDAAPI cuGraphNodeGetEnabled(CUgraphExec __exec, CUgraphNode __node, unsigned int *__on);
CUresult CUDAAPI cuGraphNodeSetEnabled(CUgraphExec __exec, CUgraphNode __node, unsigned int __on);
CUresult CUDAAPI cuGraphExecUpdate(CUgraphExec __exec, CUgraph __graph, CUgraphNode *__bad,
	CUgraphExecUpdateResult *__result);
CUresult CUDAAPI cuGraphExecUpdate_v2(CUgraphExec __exec, CUgraph __graph,
	CUgraphExecUpdateResultInfo *__info);
CUresult CUDAAPI cuGraphInstantiateWithParams(CUgraphExec *__exec, CUgraph __graph,
	CUDA_GRAPH_INSTANTIATE_PARAMS *__params);

/* Edges, with a place for data about each in the second versions. */
#define __HD_EDGES(name, ...) CUresult CUDAAPI name(__VA_ARGS__)
__HD_EDGES(cuGraphGetEdges, CUgraph __graph, CUgraphNode *__from, CUgraphNode *__to, size_t *__n);
__HD_EDGES(cuGraphGetEdges_v2, CUgraph __graph, CUgraphNode *__from, CUgraphNode *__to,
	CUgraphEdgeData *__edges, size_t *__n);
__HD_EDGES(cuGraphNodeGetDependencies, CUgraphNode __node, CUgraphNode *__deps, size_t *__n);
__HD_EDGES(cuGraphNodeGetDependencies_v2, CUgraphNode __node, CUgraphNode *__deps,
	CUgraphEdgeData *__edges, size_t *__n);
__HD_EDGES(cuGraphNodeGetDependentNodes, CUgraphNode __node, CUgraphNode *__deps, size_t *__n);
__HD_EDGES(cuGraphNodeGetDependentNodes_v2, CUgraphNode __node, CUgraphNode *__deps,
	CUgraphEdgeData *__edges, size_t *__n);
__HD_EDGES(cuGraphAddDependencies, CUgraph __graph, const CUgraphNode *__from,
	const CUgraphNode *__to, size_t __n);
__HD_EDGES(cuGraphAddDependencies_v2, CUgraph __graph, const CUgraphNode *__from,
	const CUgraphNode *__to, const CUgraphEdgeData *__edges, size_t __n);
__HD_EDGES(cuGraphRemoveDependencies, CUgraph __graph, const CUgraphNode *__from,
	const CUgraphNode *__to, size_t __n);
__HD_EDGES(cuGraphRemoveDependencies_v2, CUgraph __graph, const CUgraphNode *__from,
	const CUgraphNode *__to, const CUgraphEdgeData *__edges, size_t __n);
#undef __HD_EDGES
#undef __HD_NODE

CUresult CUDAAPI cuDeviceGraphMemTrim(CUdevice __dev);
CUresult CUDAAPI cuDeviceGetGraphMemAttribute(CUdevice __dev, CUgraphMem_attribute __attr,
	void *__value);
CUresult CUDAAPI cuDeviceSetGraphMemAttribute(CUdevice __dev, CUgraphMem_attribute __attr,
	void *__value);
CUresult CUDAAPI cuUserObjectCreate(CUuserObject *__object, void *__ptr, CUhostFn __destroy,
	unsigned int __refs, unsigned int __flags);
CUresult CUDAAPI cuUserObjectRetain(CUuserObject __object, unsigned int __count);
CUresult CUDAAPI cuUserObjectRelease(CUuserObject __object, unsigned int __count);
CUresult CUDAAPI cuGraphRetainUserObject(CUgraph __graph, CUuserObject __object,
	unsigned int __count, unsigned int __flags);
CUresult CUDAAPI cuGraphReleaseUserObject(CUgraph __graph, CUuserObject __object,
	unsigned int __count);

/* Streams, contexts, memory: attributes. */
typedef CUlaunchAttributeID CUstreamAttrID;
typedef CUlaunchAttributeValue CUstreamAttrValue;
typedef CUlaunchAttributeID CUkernelNodeAttrID;
typedef CUlaunchAttributeValue CUkernelNodeAttrValue;
CUresult CUDAAPI cuStreamCopyAttributes(CUstream __dst, CUstream __src);
CUresult CUDAAPI cuStreamGetAttribute(CUstream __stream, CUstreamAttrID __attr,
	CUstreamAttrValue *__value);
CUresult CUDAAPI cuStreamSetAttribute(CUstream __stream, CUstreamAttrID __attr,
	const CUstreamAttrValue *__value);
typedef enum CUstreamBatchMemOpType_enum {
	CU_STREAM_MEM_OP_WAIT_VALUE_32 = 1, CU_STREAM_MEM_OP_WRITE_VALUE_32 = 2,
	CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES = 3, CU_STREAM_MEM_OP_WAIT_VALUE_64 = 4,
	CU_STREAM_MEM_OP_WRITE_VALUE_64 = 5, CU_STREAM_MEM_OP_BARRIER = 6
} CUstreamBatchMemOpType;
typedef union CUstreamBatchMemOpParams_union {
	CUstreamBatchMemOpType operation;
	struct {
		CUstreamBatchMemOpType operation;
		CUdeviceptr address;
		union { cuuint32_t value; cuuint64_t value64; };
		unsigned int flags;
		CUdeviceptr alias;
	} waitValue, writeValue;
	struct { CUstreamBatchMemOpType operation; unsigned int flags; } flushRemoteWrites, memoryBarrier;
	cuuint64_t pad[6];
} CUstreamBatchMemOpParams;
CUresult CUDAAPI cuStreamBatchMemOp_v2(CUstream __stream, unsigned int __count,
	CUstreamBatchMemOpParams *__ops, unsigned int __flags);
#define cuStreamBatchMemOp cuStreamBatchMemOp_v2
CUresult CUDAAPI cuCtxSetFlags(unsigned int __flags);
CUresult CUDAAPI cuMemRangeGetAttribute(void *__data, size_t __size, CUmem_range_attribute __attr,
	CUdeviceptr __ptr, size_t __count);
CUresult CUDAAPI cuMemRangeGetAttributes(void **__data, size_t *__sizes,
	CUmem_range_attribute *__attrs, size_t __n, CUdeviceptr __ptr, size_t __count);
CUresult CUDAAPI cuPointerSetAttribute(const void *__value, CUpointer_attribute __attr,
	CUdeviceptr __ptr);
CUresult CUDAAPI cuMemGetDefaultMemPool(CUmemoryPool *__pool, CUmemLocation *__location,
	CUmemAllocationType __type);
CUresult CUDAAPI cuMemGetMemPool(CUmemoryPool *__pool, CUmemLocation *__location,
	CUmemAllocationType __type);
CUresult CUDAAPI cuMemSetMemPool(CUmemLocation *__location, CUmemAllocationType __type,
	CUmemoryPool __pool);
CUresult CUDAAPI cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *__handle, void *__addr);
CUresult CUDAAPI cuDeviceGetTexture1DLinearMaxWidth(size_t *__width, CUarray_format __format,
	unsigned int __channels, CUdevice __dev);
typedef struct CUDA_MEMCPY3D_PEER_st {
	size_t srcXInBytes, srcY, srcZ, srcLOD;
	CUmemorytype srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	CUcontext srcContext;
	size_t srcPitch, srcHeight;
	size_t dstXInBytes, dstY, dstZ, dstLOD;
	CUmemorytype dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	CUcontext dstContext;
	size_t dstPitch, dstHeight;
	size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D_PEER;
CUresult CUDAAPI cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *__copy);
CUresult CUDAAPI cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *__copy, CUstream __stream);
typedef struct CUDA_LAUNCH_PARAMS_st {
	CUfunction function;
	unsigned int gridDimX, gridDimY, gridDimZ;
	unsigned int blockDimX, blockDimY, blockDimZ;
	unsigned int sharedMemBytes;
	CUstream hStream;
	void **kernelParams;
} CUDA_LAUNCH_PARAMS;
CUresult CUDAAPI cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *__list, unsigned int __n,
	unsigned int __flags);

/* Textures and surfaces. */
CUresult CUDAAPI cuTexRefSetMipmappedArray(CUtexref __ref, CUmipmappedArray __array,
	unsigned int __flags);
CUresult CUDAAPI cuTexRefGetMipmappedArray(CUmipmappedArray *__array, CUtexref __ref);
CUresult CUDAAPI cuTexRefSetMipmapFilterMode(CUtexref __ref, CUfilter_mode __mode);
CUresult CUDAAPI cuTexRefGetMipmapFilterMode(CUfilter_mode *__mode, CUtexref __ref);
CUresult CUDAAPI cuTexRefSetMipmapLevelBias(CUtexref __ref, float __bias);
CUresult CUDAAPI cuTexRefGetMipmapLevelBias(float *__bias, CUtexref __ref);
CUresult CUDAAPI cuTexRefSetMipmapLevelClamp(CUtexref __ref, float __min, float __max);
CUresult CUDAAPI cuTexRefGetMipmapLevelClamp(float *__min, float *__max, CUtexref __ref);
CUresult CUDAAPI cuTexRefSetMaxAnisotropy(CUtexref __ref, unsigned int __n);
CUresult CUDAAPI cuTexRefGetMaxAnisotropy(int *__n, CUtexref __ref);
CUresult CUDAAPI cuTexRefSetBorderColor(CUtexref __ref, float *__color);
CUresult CUDAAPI cuTexRefGetBorderColor(float *__color, CUtexref __ref);
CUresult CUDAAPI cuSurfRefGetArray(CUarray *__array, CUsurfref __ref);
CUresult CUDAAPI cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *__desc, CUtexObject __tex);
CUresult CUDAAPI cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *__desc, CUtexObject __tex);
CUresult CUDAAPI cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *__desc, CUtexObject __tex);
CUresult CUDAAPI cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *__desc, CUsurfObject __surf);

/* Captures. */
CUresult CUDAAPI cuStreamBeginCaptureToGraph(CUstream __stream, CUgraph __graph,
	const CUgraphNode *__deps, const CUgraphEdgeData *__edges, size_t __n,
	CUstreamCaptureMode __mode);
CUresult CUDAAPI cuStreamGetCaptureInfo(CUstream __stream, CUstreamCaptureStatus *__status,
	cuuint64_t *__id);
CUresult CUDAAPI cuStreamGetCaptureInfo_v2(CUstream __stream, CUstreamCaptureStatus *__status,
	cuuint64_t *__id, CUgraph *__graph, const CUgraphNode **__deps, size_t *__n);
CUresult CUDAAPI cuStreamGetCaptureInfo_v3(CUstream __stream, CUstreamCaptureStatus *__status,
	cuuint64_t *__id, CUgraph *__graph, const CUgraphNode **__deps,
	const CUgraphEdgeData **__edges, size_t *__n);
CUresult CUDAAPI cuStreamUpdateCaptureDependencies(CUstream __stream, CUgraphNode *__deps,
	size_t __n, unsigned int __flags);
CUresult CUDAAPI cuStreamUpdateCaptureDependencies_v2(CUstream __stream, CUgraphNode *__deps,
	const CUgraphEdgeData *__edges, size_t __n, unsigned int __flags);

#endif
