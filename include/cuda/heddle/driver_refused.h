/* Driver functions that exist and answer CUDA_ERROR_NOT_SUPPORTED, with their types: programs that offer sharing between
 * processes or external memory as one choice of several compile. */
#ifndef __HEDDLE_DRIVER_REFUSED_H
#define __HEDDLE_DRIVER_REFUSED_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sharing between processes. */
typedef struct CUmemPoolPtrExportData_st { unsigned char reserved[64]; } CUmemPoolPtrExportData;
CUresult CUDAAPI cuIpcGetEventHandle(CUipcEventHandle *__handle, CUevent __event);
CUresult CUDAAPI cuIpcOpenEventHandle(CUevent *__event, CUipcEventHandle __handle);
CUresult CUDAAPI cuMemPoolExportToShareableHandle(void *__handle, CUmemoryPool __pool,
	CUmemAllocationHandleType __type, unsigned long long __flags);
CUresult CUDAAPI cuMemPoolImportFromShareableHandle(CUmemoryPool *__pool, void *__handle,
	CUmemAllocationHandleType __type, unsigned long long __flags);
CUresult CUDAAPI cuMemPoolExportPointer(CUmemPoolPtrExportData *__data, CUdeviceptr __ptr);
CUresult CUDAAPI cuMemPoolImportPointer(CUdeviceptr *__ptr, CUmemoryPool __pool,
	CUmemPoolPtrExportData *__data);

/* Memory of several devices under one address. */
typedef struct CUmulticastObjectProp_st {
	unsigned int numDevices;
	size_t size;
	unsigned long long handleTypes, flags;
} CUmulticastObjectProp;
typedef enum CUmulticastGranularity_flags_enum {
	CU_MULTICAST_GRANULARITY_MINIMUM = 0, CU_MULTICAST_GRANULARITY_RECOMMENDED = 1
} CUmulticastGranularity_flags;
CUresult CUDAAPI cuMulticastCreate(CUmemGenericAllocationHandle *__object, const CUmulticastObjectProp *__prop);
CUresult CUDAAPI cuMulticastAddDevice(CUmemGenericAllocationHandle __object, CUdevice __dev);
CUresult CUDAAPI cuMulticastBindMem(CUmemGenericAllocationHandle __object, size_t __offset,
	CUmemGenericAllocationHandle __memory, size_t __at, size_t __size, unsigned long long __flags);
CUresult CUDAAPI cuMulticastBindAddr(CUmemGenericAllocationHandle __object, size_t __offset, CUdeviceptr __at,
	size_t __size, unsigned long long __flags);
CUresult CUDAAPI cuMulticastUnbind(CUmemGenericAllocationHandle __object, CUdevice __dev, size_t __offset,
	size_t __size);
CUresult CUDAAPI cuMulticastGetGranularity(size_t *__bytes, const CUmulticastObjectProp *__prop,
	CUmulticastGranularity_flags __option);

/* Resources of graphics libraries. */
typedef enum CUgraphicsRegisterFlags_enum {
	CU_GRAPHICS_REGISTER_FLAGS_NONE = 0, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY = 1,
	CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD = 2, CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST = 4,
	CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER = 8
} CUgraphicsRegisterFlags;
typedef enum CUgraphicsMapResourceFlags_enum {
	CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE = 0, CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY = 1,
	CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD = 2
} CUgraphicsMapResourceFlags;
#define cuGraphicsResourceGetMappedPointer cuGraphicsResourceGetMappedPointer_v2
#define cuGraphicsResourceSetMapFlags cuGraphicsResourceSetMapFlags_v2
CUresult CUDAAPI cuGraphicsUnregisterResource(CUgraphicsResource __resource);
CUresult CUDAAPI cuGraphicsMapResources(unsigned int __count, CUgraphicsResource *__resources,
	CUstream __stream);
CUresult CUDAAPI cuGraphicsUnmapResources(unsigned int __count, CUgraphicsResource *__resources,
	CUstream __stream);
CUresult CUDAAPI cuGraphicsResourceGetMappedPointer(CUdeviceptr *__ptr, size_t *__size,
	CUgraphicsResource __resource);
CUresult CUDAAPI cuGraphicsResourceSetMapFlags(CUgraphicsResource __resource, unsigned int __flags);
CUresult CUDAAPI cuGraphicsSubResourceGetMappedArray(CUarray *__array, CUgraphicsResource __resource,
	unsigned int __index, unsigned int __level);
CUresult CUDAAPI cuGraphicsResourceGetMappedMipmappedArray(CUmipmappedArray *__array,
	CUgraphicsResource __resource);

/* External memory. */
typedef struct CUexternalMemory_st *CUexternalMemory;
typedef enum CUexternalMemoryHandleType_enum {
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD = 1,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32 = 2,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT = 3,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP = 4,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE = 5,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE = 6,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT = 7,
	CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF = 8
} CUexternalMemoryHandleType;
#define CUDA_EXTERNAL_MEMORY_DEDICATED 0x1
typedef struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st {
	CUexternalMemoryHandleType type;
	union {
		int fd;
		struct { void *handle; const void *name; } win32;
		const void *nvSciBufObject;
	} handle;
	unsigned long long size;
	unsigned int flags;
	unsigned int reserved[16];
} CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
typedef struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st {
	unsigned long long offset, size;
	unsigned int flags;
	unsigned int reserved[16];
} CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
typedef struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st {
	unsigned long long offset;
	CUDA_ARRAY3D_DESCRIPTOR arrayDesc;
	unsigned int numLevels;
	unsigned int reserved[16];
} CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;
CUresult CUDAAPI cuImportExternalMemory(CUexternalMemory *__memory,
	const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *__desc);
CUresult CUDAAPI cuExternalMemoryGetMappedBuffer(CUdeviceptr *__ptr, CUexternalMemory __memory,
	const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *__desc);
CUresult CUDAAPI cuExternalMemoryGetMappedMipmappedArray(CUmipmappedArray *__mipmap,
	CUexternalMemory __memory, const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *__desc);
CUresult CUDAAPI cuDestroyExternalMemory(CUexternalMemory __memory);

/* External semaphores. */
typedef struct CUexternalSemaphore_st *CUexternalSemaphore;
typedef enum CUexternalSemaphoreHandleType_enum {
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD = 1,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32 = 2,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT = 3,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE = 4,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE = 5,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC = 6,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX = 7,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT = 8,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD = 9,
	CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32 = 10
} CUexternalSemaphoreHandleType;
typedef struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_st {
	CUexternalSemaphoreHandleType type;
	union {
		int fd;
		struct { void *handle; const void *name; } win32;
		const void *nvSciSyncObj;
	} handle;
	unsigned int flags;
	unsigned int reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
typedef struct CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_st {
	struct {
		struct { unsigned long long value; } fence;
		union { void *fence; unsigned long long reserved; } nvSciSync;
		struct { unsigned long long key; } keyedMutex;
		unsigned int reserved[12];
	} params;
	unsigned int flags;
	unsigned int reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
typedef struct CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_st {
	struct {
		struct { unsigned long long value; } fence;
		union { void *fence; unsigned long long reserved; } nvSciSync;
		struct { unsigned long long key; unsigned int timeoutMs; } keyedMutex;
		unsigned int reserved[10];
	} params;
	unsigned int flags;
	unsigned int reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;
typedef struct CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_st {
	CUexternalSemaphore *extSemArray;
	const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray;
	unsigned int numExtSems;
} CUDA_EXT_SEM_SIGNAL_NODE_PARAMS;
typedef struct CUDA_EXT_SEM_WAIT_NODE_PARAMS_st {
	CUexternalSemaphore *extSemArray;
	const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray;
	unsigned int numExtSems;
} CUDA_EXT_SEM_WAIT_NODE_PARAMS;
CUresult CUDAAPI cuImportExternalSemaphore(CUexternalSemaphore *__semaphore,
	const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *__desc);
CUresult CUDAAPI cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *__semaphores,
	const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *__params, unsigned int __n, CUstream __stream);
CUresult CUDAAPI cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *__semaphores,
	const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *__params, unsigned int __n, CUstream __stream);
CUresult CUDAAPI cuDestroyExternalSemaphore(CUexternalSemaphore __semaphore);
CUresult CUDAAPI cuGraphAddExternalSemaphoresSignalNode(CUgraphNode *__node, CUgraph __graph,
	const CUgraphNode *__deps, size_t __n, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode __node,
	CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode __node,
	const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphExecExternalSemaphoresSignalNodeSetParams(CUgraphExec __exec,
	CUgraphNode __node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphAddExternalSemaphoresWaitNode(CUgraphNode *__node, CUgraph __graph,
	const CUgraphNode *__deps, size_t __n, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode __node,
	CUDA_EXT_SEM_WAIT_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode __node,
	const CUDA_EXT_SEM_WAIT_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec __exec,
	CUgraphNode __node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *__params);

/* Batches of memory operations as graph nodes. */
typedef enum CUstreamMemoryBarrier_flags_enum {
	CU_STREAM_MEMORY_BARRIER_TYPE_SYS = 0, CU_STREAM_MEMORY_BARRIER_TYPE_GPU = 1
} CUstreamMemoryBarrier_flags;
typedef struct CUDA_BATCH_MEM_OP_NODE_PARAMS_st {
	CUcontext ctx;
	unsigned int count;
	CUstreamBatchMemOpParams *paramArray;
	unsigned int flags;
} CUDA_BATCH_MEM_OP_NODE_PARAMS;
CUresult CUDAAPI cuGraphAddBatchMemOpNode(CUgraphNode *__node, CUgraph __graph,
	const CUgraphNode *__deps, size_t __n, const CUDA_BATCH_MEM_OP_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphBatchMemOpNodeGetParams(CUgraphNode __node,
	CUDA_BATCH_MEM_OP_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphBatchMemOpNodeSetParams(CUgraphNode __node,
	const CUDA_BATCH_MEM_OP_NODE_PARAMS *__params);
CUresult CUDAAPI cuGraphExecBatchMemOpNodeSetParams(CUgraphExec __exec, CUgraphNode __node,
	const CUDA_BATCH_MEM_OP_NODE_PARAMS *__params);

/* Writes of other devices to this one's memory. */
typedef enum CUflushGPUDirectRDMAWritesScope_enum {
	CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER = 100,
	CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES = 200
} CUflushGPUDirectRDMAWritesScope;
typedef enum CUflushGPUDirectRDMAWritesTarget_enum {
	CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX = 0
} CUflushGPUDirectRDMAWritesTarget;
CUresult CUDAAPI cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget __target,
	CUflushGPUDirectRDMAWritesScope __scope);

/* Tensor maps, for copies of tiles by the machine (compute capability 9.0). */
typedef struct CUtensorMap_st {
#ifdef __cplusplus
	alignas(64)
#else
	_Alignas(64)
#endif
	cuuint64_t opaque[16];
} CUtensorMap;
typedef enum CUtensorMapDataType_enum {
	CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0, CU_TENSOR_MAP_DATA_TYPE_UINT16, CU_TENSOR_MAP_DATA_TYPE_UINT32,
	CU_TENSOR_MAP_DATA_TYPE_INT32, CU_TENSOR_MAP_DATA_TYPE_UINT64, CU_TENSOR_MAP_DATA_TYPE_INT64,
	CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
	CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
	CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ
} CUtensorMapDataType;
typedef enum CUtensorMapInterleave_enum {
	CU_TENSOR_MAP_INTERLEAVE_NONE = 0, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_INTERLEAVE_32B
} CUtensorMapInterleave;
typedef enum CUtensorMapSwizzle_enum {
	CU_TENSOR_MAP_SWIZZLE_NONE = 0, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B
} CUtensorMapSwizzle;
typedef enum CUtensorMapL2promotion_enum {
	CU_TENSOR_MAP_L2_PROMOTION_NONE = 0, CU_TENSOR_MAP_L2_PROMOTION_L2_64B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
	CU_TENSOR_MAP_L2_PROMOTION_L2_256B
} CUtensorMapL2promotion;
typedef enum CUtensorMapFloatOOBfill_enum {
	CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
} CUtensorMapFloatOOBfill;
CUresult CUDAAPI cuTensorMapEncodeTiled(CUtensorMap *__map, CUtensorMapDataType __type, cuuint32_t __rank, void *__at,
	const cuuint64_t *__sizes, const cuuint64_t *__strides, const cuuint32_t *__box, const cuuint32_t *__steps,
	CUtensorMapInterleave __interleave, CUtensorMapSwizzle __swizzle, CUtensorMapL2promotion __promotion,
	CUtensorMapFloatOOBfill __fill);
CUresult CUDAAPI cuTensorMapEncodeIm2col(CUtensorMap *__map, CUtensorMapDataType __type, cuuint32_t __rank, void *__at,
	const cuuint64_t *__sizes, const cuuint64_t *__strides, const int *__lower, const int *__upper, cuuint32_t __channels,
	cuuint32_t __pixels, const cuuint32_t *__steps, CUtensorMapInterleave __interleave, CUtensorMapSwizzle __swizzle,
	CUtensorMapL2promotion __promotion, CUtensorMapFloatOOBfill __fill);
CUresult CUDAAPI cuTensorMapReplaceAddress(CUtensorMap *__map, void *__at);

#ifdef __cplusplus
}
#endif
#endif
