/* The CUDA driver API. The plain name of a function with a second version means that version. */
#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef CUDA_VERSION
#define CUDA_VERSION 11080
#endif
#define CUDAAPI
#define CUDA_CB

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef unsigned long long CUdeviceptr_v2;
typedef CUdeviceptr_v2 CUdeviceptr;
typedef int CUdevice_v1;
typedef CUdevice_v1 CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUtexref_st *CUtexref;
typedef struct CUsurfref_st *CUsurfref;
typedef struct CUevent_st *CUevent;
typedef struct CUstream_st *CUstream;
typedef struct CUgraphicsResource_st *CUgraphicsResource;
typedef unsigned long long CUtexObject_v1;
typedef CUtexObject_v1 CUtexObject;
typedef unsigned long long CUsurfObject_v1;
typedef CUsurfObject_v1 CUsurfObject;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUlinkState_st *CUlinkState;
typedef unsigned long long CUmemGenericAllocationHandle;
#ifndef CU_UUID_HAS_BEEN_DEFINED
#define CU_UUID_HAS_BEEN_DEFINED
typedef struct CUuuid_st { char bytes[16]; } CUuuid;
#endif
#define CU_IPC_HANDLE_SIZE 64
#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
#define CU_DEVICE_CPU ((CUdevice)-1)
#define CU_DEVICE_INVALID ((CUdevice)-2)
#define CU_MEMHOSTALLOC_PORTABLE 0x01
#define CU_MEMHOSTALLOC_DEVICEMAP 0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04
#define CU_MEMHOSTREGISTER_PORTABLE 0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP 0x02
#define CU_MEMHOSTREGISTER_IOMEMORY 0x04
#define CU_MEMHOSTREGISTER_READ_ONLY 0x08
#define CUDA_ARRAY3D_LAYERED 0x01
#define CUDA_ARRAY3D_2DARRAY 0x01
#define CUDA_ARRAY3D_SURFACE_LDST 0x02
#define CUDA_ARRAY3D_CUBEMAP 0x04
#define CUDA_ARRAY3D_TEXTURE_GATHER 0x08
#define CU_TRSA_OVERRIDE_FORMAT 0x01
#define CU_TRSF_READ_AS_INTEGER 0x01
#define CU_TRSF_NORMALIZED_COORDINATES 0x02
#define CU_TRSF_SRGB 0x10
#define CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION 0x20
#define CU_LAUNCH_PARAM_END_AS_INT 0x00
#define CU_LAUNCH_PARAM_END ((void *)CU_LAUNCH_PARAM_END_AS_INT)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)
#define CU_PARAM_TR_DEFAULT -1
#define CU_MEM_CREATE_USAGE_TILE_POOL 0x1

#include "heddle/driver_codes.h"
#include "heddle/driver_enums.h"

typedef struct CUdevprop_st {
	int maxThreadsPerBlock;
	int maxThreadsDim[3];
	int maxGridSize[3];
	int sharedMemPerBlock;
	int totalConstantMemory;
	int SIMDWidth;
	int memPitch;
	int regsPerBlock;
	int clockRate;
	int textureAlign;
} CUdevprop;
typedef struct CUDA_MEMCPY2D_st {
	size_t srcXInBytes;
	size_t srcY;
	CUmemorytype srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	size_t srcPitch;
	size_t dstXInBytes;
	size_t dstY;
	CUmemorytype dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	size_t dstPitch;
	size_t WidthInBytes;
	size_t Height;
} CUDA_MEMCPY2D;
typedef struct CUDA_MEMCPY3D_st {
	size_t srcXInBytes;
	size_t srcY;
	size_t srcZ;
	size_t srcLOD;
	CUmemorytype srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	void *reserved0;
	size_t srcPitch;
	size_t srcHeight;
	size_t dstXInBytes;
	size_t dstY;
	size_t dstZ;
	size_t dstLOD;
	CUmemorytype dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	void *reserved1;
	size_t dstPitch;
	size_t dstHeight;
	size_t WidthInBytes;
	size_t Height;
	size_t Depth;
} CUDA_MEMCPY3D;
typedef struct CUDA_ARRAY_DESCRIPTOR_st {
	size_t Width;
	size_t Height;
	CUarray_format Format;
	unsigned int NumChannels;
} CUDA_ARRAY_DESCRIPTOR;
typedef struct CUDA_ARRAY3D_DESCRIPTOR_st {
	size_t Width;
	size_t Height;
	size_t Depth;
	CUarray_format Format;
	unsigned int NumChannels;
	unsigned int Flags;
} CUDA_ARRAY3D_DESCRIPTOR;
typedef struct CUDA_RESOURCE_DESC_st {
	CUresourcetype resType;
	union {
		struct { CUarray hArray; } array;
		struct { CUmipmappedArray hMipmappedArray; } mipmap;
		struct {
			CUdeviceptr devPtr;
			CUarray_format format;
			unsigned int numChannels;
			size_t sizeInBytes;
		} linear;
		struct {
			CUdeviceptr devPtr;
			CUarray_format format;
			unsigned int numChannels;
			size_t width;
			size_t height;
			size_t pitchInBytes;
		} pitch2D;
		struct { int reserved[32]; } reserved;
	} res;
	unsigned int flags;
} CUDA_RESOURCE_DESC;
typedef struct CUDA_TEXTURE_DESC_st {
	CUaddress_mode addressMode[3];
	CUfilter_mode filterMode;
	unsigned int flags;
	unsigned int maxAnisotropy;
	CUfilter_mode mipmapFilterMode;
	float mipmapLevelBias;
	float minMipmapLevelClamp;
	float maxMipmapLevelClamp;
	float borderColor[4];
	int reserved[12];
} CUDA_TEXTURE_DESC;
typedef struct CUDA_RESOURCE_VIEW_DESC_st {
	CUresourceViewFormat format;
	size_t width;
	size_t height;
	size_t depth;
	unsigned int firstMipmapLevel;
	unsigned int lastMipmapLevel;
	unsigned int firstLayer;
	unsigned int lastLayer;
	unsigned int reserved[16];
} CUDA_RESOURCE_VIEW_DESC;
typedef struct CUipcEventHandle_st { char reserved[CU_IPC_HANDLE_SIZE]; } CUipcEventHandle;
typedef struct CUipcMemHandle_st { char reserved[CU_IPC_HANDLE_SIZE]; } CUipcMemHandle;
typedef void (CUDA_CB *CUstreamCallback)(CUstream __stream, CUresult __status, void *__userData);
typedef void (CUDA_CB *CUhostFn)(void *__userData);
typedef size_t (CUDA_CB *CUoccupancyB2DSize)(int __blockSize);

/* Virtual memory management. */
typedef enum CUmemAllocationHandleType_enum {
	CU_MEM_HANDLE_TYPE_NONE = 0, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
	CU_MEM_HANDLE_TYPE_WIN32 = 2, CU_MEM_HANDLE_TYPE_WIN32_KMT = 4
} CUmemAllocationHandleType;
typedef enum CUmemAccess_flags_enum {
	CU_MEM_ACCESS_FLAGS_PROT_NONE = 0, CU_MEM_ACCESS_FLAGS_PROT_READ = 1,
	CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3
} CUmemAccess_flags;
typedef enum CUmemLocationType_enum {
	CU_MEM_LOCATION_TYPE_INVALID = 0, CU_MEM_LOCATION_TYPE_NONE = 0,
	CU_MEM_LOCATION_TYPE_DEVICE = 1, CU_MEM_LOCATION_TYPE_HOST = 2,
	CU_MEM_LOCATION_TYPE_HOST_NUMA = 3, CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT = 4
} CUmemLocationType;
typedef enum CUmemAllocationType_enum {
	CU_MEM_ALLOCATION_TYPE_INVALID = 0, CU_MEM_ALLOCATION_TYPE_PINNED = 1, CU_MEM_ALLOCATION_TYPE_MANAGED = 2
} CUmemAllocationType;
typedef enum CUmemAllocationGranularity_flags_enum {
	CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1
} CUmemAllocationGranularity_flags;
typedef struct CUmemLocation_st { CUmemLocationType type; int id; } CUmemLocation;
typedef struct CUmemAllocationProp_st {
	CUmemAllocationType type;
	CUmemAllocationHandleType requestedHandleTypes;
	CUmemLocation location;
	void *win32HandleMetaData;
	struct {
		unsigned char compressionType;
		unsigned char gpuDirectRDMACapable;
		unsigned short usage;
		unsigned char reserved[4];
	} allocFlags;
} CUmemAllocationProp;
typedef struct CUmemAccessDesc_st { CUmemLocation location; CUmemAccess_flags flags; } CUmemAccessDesc;

/* Memory pools, launches with attributes, graphs. */
typedef enum CUmemPool_attribute_enum {
	CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
	CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC = 2,
	CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
	CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT = 5,
	CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH = 6, CU_MEMPOOL_ATTR_USED_MEM_CURRENT = 7,
	CU_MEMPOOL_ATTR_USED_MEM_HIGH = 8
} CUmemPool_attribute;
typedef struct CUmemPoolProps_st {
	CUmemAllocationType allocType;
	CUmemAllocationHandleType handleTypes;
	CUmemLocation location;
	void *win32SecurityAttributes;
	size_t maxSize;
	unsigned char reserved[56];
} CUmemPoolProps;
typedef enum CUstreamCaptureStatus_enum {
	CU_STREAM_CAPTURE_STATUS_NONE = 0, CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
	CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2
} CUstreamCaptureStatus;
typedef enum CUfunctionLoadingState_enum {
	CU_FUNCTION_LOADING_STATE_UNLOADED = 0, CU_FUNCTION_LOADING_STATE_LOADED = 1
} CUfunctionLoadingState;
typedef enum CUmoduleLoadingMode_enum {
	CU_MODULE_EAGER_LOADING = 1, CU_MODULE_LAZY_LOADING = 2
} CUmoduleLoadingMode;
typedef enum CUlaunchAttributeID_enum {
	CU_LAUNCH_ATTRIBUTE_IGNORE = 0, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
	CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY = 3,
	CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
	CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
	CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
	CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7, CU_LAUNCH_ATTRIBUTE_PRIORITY = 8,
	CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = 9, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN = 10,
	CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION = 11,
	CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT = 12,
	CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 14
} CUlaunchAttributeID;
#define CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW
#define CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY
#define CU_KERNEL_NODE_ATTRIBUTE_ACCESS_POLICY_WINDOW CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW
#define CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE CU_LAUNCH_ATTRIBUTE_COOPERATIVE
#define CU_KERNEL_NODE_ATTRIBUTE_CLUSTER_DIMENSION CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
#define CU_KERNEL_NODE_ATTRIBUTE_PRIORITY CU_LAUNCH_ATTRIBUTE_PRIORITY
typedef struct CUaccessPolicyWindow_st {
	void *base_ptr;
	size_t num_bytes;
	float hitRatio;
	CUaccessProperty hitProp, missProp;
} CUaccessPolicyWindow;
typedef enum CUlaunchMemSyncDomain_enum {
	CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT = 0, CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE = 1
} CUlaunchMemSyncDomain;
typedef struct CUlaunchMemSyncDomainMap_st {
	unsigned char default_, remote;
} CUlaunchMemSyncDomainMap;
typedef union CUlaunchAttributeValue_union {
	char pad[64];
	CUaccessPolicyWindow accessPolicyWindow;
	CUsynchronizationPolicy syncPolicy;
	int cooperative;
	struct { unsigned int x, y, z; } clusterDim;
	CUclusterSchedulingPolicy clusterSchedulingPolicyPreference;
	int programmaticStreamSerializationAllowed;
	struct { CUevent event; int flags; int triggerAtBlockStart; } programmaticEvent;
	int priority;
	CUlaunchMemSyncDomainMap memSyncDomainMap;
	CUlaunchMemSyncDomain memSyncDomain;
	struct { unsigned int x, y, z; } preferredClusterDim;
	struct { CUevent event; int flags; } launchCompletionEvent;
	unsigned int sharedMemCarveout;
} CUlaunchAttributeValue;
typedef struct CUlaunchAttribute_st {
	CUlaunchAttributeID id;
	char pad[4];
	CUlaunchAttributeValue value;
} CUlaunchAttribute;
typedef struct CUlaunchConfig_st {
	unsigned int gridDimX, gridDimY, gridDimZ;
	unsigned int blockDimX, blockDimY, blockDimZ;
	unsigned int sharedMemBytes;
	CUstream hStream;
	CUlaunchAttribute *attrs;
	unsigned int numAttrs;
} CUlaunchConfig;
typedef struct CUctxCreateParams_st {
	struct CUexecAffinityParam_st *execAffinityParams;
	int numExecAffinityParams;
	struct CUctxCigParam_st *cigParams;
} CUctxCreateParams;
typedef enum CUgraphNodeType_enum {
	CU_GRAPH_NODE_TYPE_KERNEL = 0, CU_GRAPH_NODE_TYPE_MEMCPY = 1, CU_GRAPH_NODE_TYPE_MEMSET = 2,
	CU_GRAPH_NODE_TYPE_HOST = 3, CU_GRAPH_NODE_TYPE_GRAPH = 4, CU_GRAPH_NODE_TYPE_EMPTY = 5,
	CU_GRAPH_NODE_TYPE_WAIT_EVENT = 6, CU_GRAPH_NODE_TYPE_EVENT_RECORD = 7,
	CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL = 8, CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT = 9,
	CU_GRAPH_NODE_TYPE_MEM_ALLOC = 10, CU_GRAPH_NODE_TYPE_MEM_FREE = 11,
	CU_GRAPH_NODE_TYPE_BATCH_MEM_OP = 12, CU_GRAPH_NODE_TYPE_CONDITIONAL = 13
} CUgraphNodeType;
typedef struct CUDA_KERNEL_NODE_PARAMS_st {
	CUfunction func;
	unsigned int gridDimX, gridDimY, gridDimZ;
	unsigned int blockDimX, blockDimY, blockDimZ;
	unsigned int sharedMemBytes;
	void **kernelParams;
	void **extra;
	void *kern;
	CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;
typedef struct CUDA_MEMSET_NODE_PARAMS_st {
	CUdeviceptr dst;
	size_t pitch;
	unsigned int value, elementSize;
	size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;
typedef struct CUDA_HOST_NODE_PARAMS_st {
	CUhostFn fn;
	void *userData;
} CUDA_HOST_NODE_PARAMS;

/* The plain names of functions that have a second version. */
#define cuGraphAddKernelNode cuGraphAddKernelNode_v2
#define cuGraphKernelNodeSetParams cuGraphKernelNodeSetParams_v2
#define cuGraphExecKernelNodeSetParams cuGraphExecKernelNodeSetParams_v2
#define cuDeviceTotalMem cuDeviceTotalMem_v2
#define cuCtxCreate cuCtxCreate_v2
#define cuCtxDestroy cuCtxDestroy_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuCtxPopCurrent cuCtxPopCurrent_v2
#define cuModuleGetGlobal cuModuleGetGlobal_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemAllocPitch cuMemAllocPitch_v2
#define cuMemFree cuMemFree_v2
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
#define cuMemHostRegister cuMemHostRegister_v2
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#define cuMemcpyDtoH cuMemcpyDtoH_v2
#define cuMemcpyDtoD cuMemcpyDtoD_v2
#define cuMemcpyDtoA cuMemcpyDtoA_v2
#define cuMemcpyAtoD cuMemcpyAtoD_v2
#define cuMemcpyHtoA cuMemcpyHtoA_v2
#define cuMemcpyAtoH cuMemcpyAtoH_v2
#define cuMemcpyAtoA cuMemcpyAtoA_v2
#define cuMemcpyHtoAAsync cuMemcpyHtoAAsync_v2
#define cuMemcpyAtoHAsync cuMemcpyAtoHAsync_v2
#define cuMemcpy2D cuMemcpy2D_v2
#define cuMemcpy2DUnaligned cuMemcpy2DUnaligned_v2
#define cuMemcpy3D cuMemcpy3D_v2
#define cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
#define cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2
#define cuMemcpy2DAsync cuMemcpy2DAsync_v2
#define cuMemcpy3DAsync cuMemcpy3DAsync_v2
#define cuMemsetD8 cuMemsetD8_v2
#define cuMemsetD16 cuMemsetD16_v2
#define cuMemsetD32 cuMemsetD32_v2
#define cuMemsetD2D8 cuMemsetD2D8_v2
#define cuMemsetD2D16 cuMemsetD2D16_v2
#define cuMemsetD2D32 cuMemsetD2D32_v2
#define cuArrayCreate cuArrayCreate_v2
#define cuArrayGetDescriptor cuArrayGetDescriptor_v2
#define cuArray3DCreate cuArray3DCreate_v2
#define cuArray3DGetDescriptor cuArray3DGetDescriptor_v2
#define cuTexRefSetAddress cuTexRefSetAddress_v2
#define cuTexRefGetAddress cuTexRefGetAddress_v2
#define cuStreamDestroy cuStreamDestroy_v2
#define cuEventDestroy cuEventDestroy_v2
#define cuLinkCreate cuLinkCreate_v2
#define cuLinkAddData cuLinkAddData_v2
#define cuLinkAddFile cuLinkAddFile_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
#define cuStreamBeginCapture cuStreamBeginCapture_v2
#define cuIpcOpenMemHandle cuIpcOpenMemHandle_v2
#define cuTexRefSetAddress2D cuTexRefSetAddress2D_v3

#if defined(__cplusplus)
extern "C" {
#endif
CUresult CUDAAPI cuGetErrorString(CUresult __e, const char **__s);
CUresult CUDAAPI cuGetErrorName(CUresult __e, const char **__s);
CUresult CUDAAPI cuInit(unsigned int __flags);
CUresult CUDAAPI cuDriverGetVersion(int *__version);
CUresult CUDAAPI cuDeviceGet(CUdevice *__dev, int __ordinal);
CUresult CUDAAPI cuDeviceGetCount(int *__count);
CUresult CUDAAPI cuDeviceGetName(char *__name, int __len, CUdevice __dev);
CUresult CUDAAPI cuDeviceGetUuid(CUuuid *__uuid, CUdevice __dev);
CUresult CUDAAPI cuDeviceGetUuid_v2(CUuuid *__uuid, CUdevice __dev);
CUresult CUDAAPI cuDeviceTotalMem(size_t *__bytes, CUdevice __dev);
CUresult CUDAAPI cuDeviceGetAttribute(int *__pi, CUdevice_attribute __attrib, CUdevice __dev);
CUresult CUDAAPI cuDeviceGetProperties(CUdevprop *__prop, CUdevice __dev);
CUresult CUDAAPI cuDeviceComputeCapability(int *__major, int *__minor, CUdevice __dev);
CUresult CUDAAPI cuDeviceGetByPCIBusId(CUdevice *__dev, const char *__id);
CUresult CUDAAPI cuDeviceGetPCIBusId(char *__id, int __len, CUdevice __dev);
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *__ctx, CUdevice __dev);
CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice __dev);
CUresult CUDAAPI cuDevicePrimaryCtxSetFlags(CUdevice __dev, unsigned int __flags);
CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice __dev, unsigned int *__flags, int
	*__active);
CUresult CUDAAPI cuDevicePrimaryCtxReset(CUdevice __dev);
CUresult CUDAAPI cuDeviceCanAccessPeer(int *__can, CUdevice __dev, CUdevice __peer);
CUresult CUDAAPI cuDeviceGetP2PAttribute(int *__value, CUdevice_P2PAttribute __attrib, CUdevice
	__src, CUdevice __dst);
CUresult CUDAAPI cuDeviceGetDefaultMemPool(CUmemoryPool *__pool, CUdevice __dev);
CUresult CUDAAPI cuCtxCreate(CUcontext *__ctx, unsigned int __flags, CUdevice __dev);
CUresult CUDAAPI cuCtxDestroy(CUcontext __ctx);
CUresult CUDAAPI cuCtxAttach(CUcontext *__ctx, unsigned int __flags);
CUresult CUDAAPI cuCtxDetach(CUcontext __ctx);
CUresult CUDAAPI cuCtxPushCurrent(CUcontext __ctx);
CUresult CUDAAPI cuCtxPopCurrent(CUcontext *__ctx);
CUresult CUDAAPI cuCtxSetCurrent(CUcontext __ctx);
CUresult CUDAAPI cuCtxGetCurrent(CUcontext *__ctx);
CUresult CUDAAPI cuCtxGetDevice(CUdevice *__dev);
CUresult CUDAAPI cuCtxGetFlags(unsigned int *__flags);
CUresult CUDAAPI cuCtxSynchronize(void);
CUresult CUDAAPI cuCtxSetLimit(CUlimit __limit, size_t __value);
CUresult CUDAAPI cuCtxGetLimit(size_t *__value, CUlimit __limit);
CUresult CUDAAPI cuCtxGetCacheConfig(CUfunc_cache *__config);
CUresult CUDAAPI cuCtxSetCacheConfig(CUfunc_cache __config);
CUresult CUDAAPI cuCtxGetSharedMemConfig(CUsharedconfig *__config);
CUresult CUDAAPI cuCtxSetSharedMemConfig(CUsharedconfig __config);
CUresult CUDAAPI cuCtxGetApiVersion(CUcontext __ctx, unsigned int *__version);
CUresult CUDAAPI cuCtxGetStreamPriorityRange(int *__least, int *__greatest);
CUresult CUDAAPI cuCtxEnablePeerAccess(CUcontext __peer, unsigned int __flags);
CUresult CUDAAPI cuCtxDisablePeerAccess(CUcontext __peer);
CUresult CUDAAPI cuModuleLoad(CUmodule *__module, const char *__fname);
CUresult CUDAAPI cuModuleLoadData(CUmodule *__module, const void *__image);
CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *__module, const void *__image, unsigned int __n,
	CUjit_option *__options, void **__values);
CUresult CUDAAPI cuModuleLoadFatBinary(CUmodule *__module, const void *__fatCubin);
CUresult CUDAAPI cuModuleUnload(CUmodule __module);
CUresult CUDAAPI cuModuleGetFunction(CUfunction *__func, CUmodule __module, const char *__name);
CUresult CUDAAPI cuModuleGetGlobal(CUdeviceptr *__dptr, size_t *__bytes, CUmodule __module,
	const char *__name);
CUresult CUDAAPI cuModuleGetTexRef(CUtexref *__ref, CUmodule __module, const char *__name);
CUresult CUDAAPI cuModuleGetSurfRef(CUsurfref *__ref, CUmodule __module, const char *__name);
CUresult CUDAAPI cuLinkCreate(unsigned int __n, CUjit_option *__options, void **__values,
	CUlinkState *__state);
CUresult CUDAAPI cuLinkAddData(CUlinkState __state, CUjitInputType __type, void *__data, size_t
	__size, const char *__name, unsigned int __n, CUjit_option *__options, void **__values);
CUresult CUDAAPI cuLinkAddFile(CUlinkState __state, CUjitInputType __type, const char *__path,
	unsigned int __n, CUjit_option *__options, void **__values);
CUresult CUDAAPI cuLinkComplete(CUlinkState __state, void **__cubin, size_t *__size);
CUresult CUDAAPI cuLinkDestroy(CUlinkState __state);
CUresult CUDAAPI cuMemGetInfo(size_t *__free_, size_t *__total);
CUresult CUDAAPI cuMemAlloc(CUdeviceptr *__dptr, size_t __bytes);
CUresult CUDAAPI cuMemAllocPitch(CUdeviceptr *__dptr, size_t *__pitch, size_t __width, size_t
	__height, unsigned int __elementSize);
CUresult CUDAAPI cuMemFree(CUdeviceptr __dptr);
CUresult CUDAAPI cuMemGetAddressRange(CUdeviceptr *__base, size_t *__size, CUdeviceptr __dptr);
CUresult CUDAAPI cuMemAllocHost(void **__pp, size_t __bytes);
CUresult CUDAAPI cuMemFreeHost(void *__p);
CUresult CUDAAPI cuMemHostAlloc(void **__pp, size_t __bytes, unsigned int __flags);
CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr *__dptr, void *__p, unsigned int
	__flags);
CUresult CUDAAPI cuMemHostGetFlags(unsigned int *__flags, void *__p);
CUresult CUDAAPI cuMemAllocManaged(CUdeviceptr *__dptr, size_t __bytes, unsigned int __flags);
CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr *__dptr, size_t __bytes, CUstream __stream);
CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr __dptr, CUstream __stream);
CUresult CUDAAPI cuMemHostRegister(void *__p, size_t __bytes, unsigned int __flags);
CUresult CUDAAPI cuMemHostUnregister(void *__p);
CUresult CUDAAPI cuMemcpy(CUdeviceptr __dst, CUdeviceptr __src, size_t __bytes);
CUresult CUDAAPI cuMemcpyAsync(CUdeviceptr __dst, CUdeviceptr __src, size_t __bytes, CUstream
	__stream);
CUresult CUDAAPI cuMemcpyPeer(CUdeviceptr __dst, CUcontext __dstContext, CUdeviceptr __src,
	CUcontext __srcContext, size_t __bytes);
CUresult CUDAAPI cuMemcpyPeerAsync(CUdeviceptr __dst, CUcontext __dstContext, CUdeviceptr __src,
	CUcontext __srcContext, size_t __bytes, CUstream __stream);
CUresult CUDAAPI cuMemcpyHtoD(CUdeviceptr __dst, const void *__src, size_t __bytes);
CUresult CUDAAPI cuMemcpyDtoH(void *__dst, CUdeviceptr __src, size_t __bytes);
CUresult CUDAAPI cuMemcpyDtoD(CUdeviceptr __dst, CUdeviceptr __src, size_t __bytes);
CUresult CUDAAPI cuMemcpyDtoA(CUarray __dst, size_t __off, CUdeviceptr __src, size_t __bytes);
CUresult CUDAAPI cuMemcpyAtoD(CUdeviceptr __dst, CUarray __src, size_t __off, size_t __bytes);
CUresult CUDAAPI cuMemcpyHtoA(CUarray __dst, size_t __off, const void *__src, size_t __bytes);
CUresult CUDAAPI cuMemcpyAtoH(void *__dst, CUarray __src, size_t __off, size_t __bytes);
CUresult CUDAAPI cuMemcpyAtoA(CUarray __dst, size_t __dstOff, CUarray __src, size_t __srcOff,
	size_t __bytes);
CUresult CUDAAPI cuMemcpyHtoAAsync(CUarray __dst, size_t __off, const void *__src, size_t
	__bytes, CUstream __stream);
CUresult CUDAAPI cuMemcpyAtoHAsync(void *__dst, CUarray __src, size_t __off, size_t __bytes,
	CUstream __stream);
CUresult CUDAAPI cuMemcpy2D(const CUDA_MEMCPY2D *__copy);
CUresult CUDAAPI cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *__copy);
CUresult CUDAAPI cuMemcpy3D(const CUDA_MEMCPY3D *__copy);
CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr __dst, const void *__src, size_t __bytes,
	CUstream __stream);
CUresult CUDAAPI cuMemcpyDtoHAsync(void *__dst, CUdeviceptr __src, size_t __bytes, CUstream
	__stream);
CUresult CUDAAPI cuMemcpyDtoDAsync(CUdeviceptr __dst, CUdeviceptr __src, size_t __bytes,
	CUstream __stream);
CUresult CUDAAPI cuMemcpy2DAsync(const CUDA_MEMCPY2D *__copy, CUstream __stream);
CUresult CUDAAPI cuMemcpy3DAsync(const CUDA_MEMCPY3D *__copy, CUstream __stream);
CUresult CUDAAPI cuMemsetD8(CUdeviceptr __dst, unsigned char __value, size_t __n);
CUresult CUDAAPI cuMemsetD16(CUdeviceptr __dst, unsigned short __value, size_t __n);
CUresult CUDAAPI cuMemsetD32(CUdeviceptr __dst, unsigned int __value, size_t __n);
CUresult CUDAAPI cuMemsetD2D8(CUdeviceptr __dst, size_t __pitch, unsigned char __value, size_t
	__width, size_t __height);
CUresult CUDAAPI cuMemsetD2D16(CUdeviceptr __dst, size_t __pitch, unsigned short __value, size_t
	__width, size_t __height);
CUresult CUDAAPI cuMemsetD2D32(CUdeviceptr __dst, size_t __pitch, unsigned int __value, size_t
	__width, size_t __height);
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr __dst, unsigned char __value, size_t __n, CUstream
	__stream);
CUresult CUDAAPI cuMemsetD16Async(CUdeviceptr __dst, unsigned short __value, size_t __n,
	CUstream __stream);
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr __dst, unsigned int __value, size_t __n, CUstream
	__stream);
CUresult CUDAAPI cuMemAdvise(CUdeviceptr __dptr, size_t __bytes, CUmem_advise __advice, CUdevice
	__dev);
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr __dptr, size_t __bytes, CUdevice __dev, CUstream
	__stream);
CUresult CUDAAPI cuPointerGetAttribute(void *__data, CUpointer_attribute __attrib, CUdeviceptr
	__ptr);
CUresult CUDAAPI cuIpcGetMemHandle(CUipcMemHandle *__handle, CUdeviceptr __dptr);
CUresult CUDAAPI cuIpcOpenMemHandle(CUdeviceptr *__dptr, CUipcMemHandle __handle, unsigned int
	__flags);
CUresult CUDAAPI cuIpcCloseMemHandle(CUdeviceptr __dptr);
CUresult CUDAAPI cuMemPeerRegister(void *__p, CUcontext __peer, size_t __bytes, unsigned int
	__flags);
CUresult CUDAAPI cuMemPeerUnregister(void *__p, CUcontext __peer);
CUresult CUDAAPI cuMemPeerGetDevicePointer(CUdeviceptr *__dptr, void *__p, CUcontext __peer,
	unsigned int __flags);
CUresult CUDAAPI cuMemAddressReserve(CUdeviceptr *__ptr, size_t __size, size_t __alignment,
	CUdeviceptr __addr, unsigned long long __flags);
CUresult CUDAAPI cuMemAddressFree(CUdeviceptr __ptr, size_t __size);
CUresult CUDAAPI cuMemCreate(CUmemGenericAllocationHandle *__handle, size_t __size, const
	CUmemAllocationProp *__prop, unsigned long long __flags);
CUresult CUDAAPI cuMemRelease(CUmemGenericAllocationHandle __handle);
CUresult CUDAAPI cuMemMap(CUdeviceptr __ptr, size_t __size, size_t __offset,
	CUmemGenericAllocationHandle __handle, unsigned long long __flags);
CUresult CUDAAPI cuMemUnmap(CUdeviceptr __ptr, size_t __size);
CUresult CUDAAPI cuMemSetAccess(CUdeviceptr __ptr, size_t __size, const CUmemAccessDesc *__desc,
	size_t __count);
CUresult CUDAAPI cuMemGetAccess(unsigned long long *__flags, const CUmemLocation *__location,
	CUdeviceptr __ptr);
CUresult CUDAAPI cuMemGetAllocationGranularity(size_t *__granularity, const CUmemAllocationProp
	*__prop, CUmemAllocationGranularity_flags __option);
CUresult CUDAAPI cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *__prop,
	CUmemGenericAllocationHandle __handle);
CUresult CUDAAPI cuMemExportToShareableHandle(void *__shareable, CUmemGenericAllocationHandle
	__handle, CUmemAllocationHandleType __type, unsigned long long __flags);
CUresult CUDAAPI cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *__handle, void
	*__osHandle, CUmemAllocationHandleType __type);
CUresult CUDAAPI cuArrayCreate(CUarray *__handle, const CUDA_ARRAY_DESCRIPTOR *__desc);
CUresult CUDAAPI cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *__desc, CUarray __array);
CUresult CUDAAPI cuArrayDestroy(CUarray __array);
CUresult CUDAAPI cuArray3DCreate(CUarray *__handle, const CUDA_ARRAY3D_DESCRIPTOR *__desc);
CUresult CUDAAPI cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *__desc, CUarray __array);
CUresult CUDAAPI cuMipmappedArrayCreate(CUmipmappedArray *__handle, const
	CUDA_ARRAY3D_DESCRIPTOR *__desc, unsigned int __levels);
CUresult CUDAAPI cuMipmappedArrayGetLevel(CUarray *__level, CUmipmappedArray __array, unsigned
	int __n);
CUresult CUDAAPI cuMipmappedArrayDestroy(CUmipmappedArray __array);
CUresult CUDAAPI cuStreamCreate(CUstream *__stream, unsigned int __flags);
CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *__stream, unsigned int __flags, int
	__priority);
CUresult CUDAAPI cuStreamGetPriority(CUstream __stream, int *__priority);
CUresult CUDAAPI cuStreamGetFlags(CUstream __stream, unsigned int *__flags);
CUresult CUDAAPI cuStreamGetCtx(CUstream __stream, CUcontext *__ctx);
CUresult CUDAAPI cuStreamWaitEvent(CUstream __stream, CUevent __event, unsigned int __flags);
CUresult CUDAAPI cuStreamAddCallback(CUstream __stream, CUstreamCallback __callback, void
	*__userData, unsigned int __flags);
CUresult CUDAAPI cuStreamAttachMemAsync(CUstream __stream, CUdeviceptr __dptr, size_t __length,
	unsigned int __flags);
CUresult CUDAAPI cuStreamQuery(CUstream __stream);
CUresult CUDAAPI cuStreamSynchronize(CUstream __stream);
CUresult CUDAAPI cuStreamDestroy(CUstream __stream);
CUresult CUDAAPI cuStreamBeginCapture(CUstream __stream, CUstreamCaptureMode __mode);
CUresult CUDAAPI cuStreamEndCapture(CUstream __stream, CUgraph *__graph);
CUresult CUDAAPI cuEventCreate(CUevent *__event, unsigned int __flags);
CUresult CUDAAPI cuEventRecord(CUevent __event, CUstream __stream);
CUresult CUDAAPI cuEventQuery(CUevent __event);
CUresult CUDAAPI cuEventSynchronize(CUevent __event);
CUresult CUDAAPI cuEventDestroy(CUevent __event);
CUresult CUDAAPI cuEventElapsedTime(float *__ms, CUevent __start, CUevent __end);
CUresult CUDAAPI cuFuncGetAttribute(int *__value, CUfunction_attribute __attrib, CUfunction
	__func);
CUresult CUDAAPI cuFuncSetAttribute(CUfunction __func, CUfunction_attribute __attrib, int
	__value);
CUresult CUDAAPI cuFuncSetCacheConfig(CUfunction __func, CUfunc_cache __config);
CUresult CUDAAPI cuFuncSetSharedMemConfig(CUfunction __func, CUsharedconfig __config);
CUresult CUDAAPI cuLaunchKernel(CUfunction __f, unsigned int __gridX, unsigned int __gridY,
	unsigned int __gridZ, unsigned int __blockX, unsigned int __blockY, unsigned int __blockZ,
	unsigned int __sharedBytes, CUstream __stream, void **__params, void **__extra);
CUresult CUDAAPI cuLaunchCooperativeKernel(CUfunction __f, unsigned int __gridX, unsigned int
	__gridY, unsigned int __gridZ, unsigned int __blockX, unsigned int __blockY, unsigned int
	__blockZ, unsigned int __sharedBytes, CUstream __stream, void **__params);
CUresult CUDAAPI cuLaunchHostFunc(CUstream __stream, CUhostFn __fn, void *__userData);
CUresult CUDAAPI cuFuncSetBlockShape(CUfunction __func, int __x, int __y, int __z);
CUresult CUDAAPI cuFuncSetSharedSize(CUfunction __func, unsigned int __bytes);
CUresult CUDAAPI cuParamSetSize(CUfunction __func, unsigned int __bytes);
CUresult CUDAAPI cuParamSeti(CUfunction __func, int __offset, unsigned int __value);
CUresult CUDAAPI cuParamSetf(CUfunction __func, int __offset, float __value);
CUresult CUDAAPI cuParamSetv(CUfunction __func, int __offset, void *__ptr, unsigned int
	__bytes);
CUresult CUDAAPI cuParamSetTexRef(CUfunction __func, int __texunit, CUtexref __ref);
CUresult CUDAAPI cuLaunch(CUfunction __f);
CUresult CUDAAPI cuLaunchGrid(CUfunction __f, int __width, int __height);
CUresult CUDAAPI cuLaunchGridAsync(CUfunction __f, int __width, int __height, CUstream
	__stream);
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int *__n, CUfunction __func, int
	__blockSize, size_t __smem);
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *__n, CUfunction
	__func, int __blockSize, size_t __smem, unsigned int __flags);
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSize(int *__grid, int *__block, CUfunction __func,
	CUoccupancyB2DSize __fn, size_t __smem, int __limit);
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSizeWithFlags(int *__grid, int *__block, CUfunction
	__func, CUoccupancyB2DSize __fn, size_t __smem, int __limit, unsigned int __flags);
CUresult CUDAAPI cuTexRefCreate(CUtexref *__ref);
CUresult CUDAAPI cuTexRefDestroy(CUtexref __ref);
CUresult CUDAAPI cuTexRefSetArray(CUtexref __ref, CUarray __array, unsigned int __flags);
CUresult CUDAAPI cuTexRefSetAddress(size_t *__offset, CUtexref __ref, CUdeviceptr __dptr, size_t
	__bytes);
CUresult CUDAAPI cuTexRefSetAddress2D(CUtexref __ref, const CUDA_ARRAY_DESCRIPTOR *__desc,
	CUdeviceptr __dptr, size_t __pitch);
CUresult CUDAAPI cuTexRefSetFormat(CUtexref __ref, CUarray_format __fmt, int __components);
CUresult CUDAAPI cuTexRefSetAddressMode(CUtexref __ref, int __dim, CUaddress_mode __am);
CUresult CUDAAPI cuTexRefSetFilterMode(CUtexref __ref, CUfilter_mode __fm);
CUresult CUDAAPI cuTexRefSetFlags(CUtexref __ref, unsigned int __flags);
CUresult CUDAAPI cuTexRefGetAddress(CUdeviceptr *__dptr, CUtexref __ref);
CUresult CUDAAPI cuTexRefGetArray(CUarray *__array, CUtexref __ref);
CUresult CUDAAPI cuTexRefGetAddressMode(CUaddress_mode *__am, CUtexref __ref, int __dim);
CUresult CUDAAPI cuTexRefGetFilterMode(CUfilter_mode *__fm, CUtexref __ref);
CUresult CUDAAPI cuTexRefGetFormat(CUarray_format *__fmt, int *__channels, CUtexref __ref);
CUresult CUDAAPI cuTexRefGetFlags(unsigned int *__flags, CUtexref __ref);
CUresult CUDAAPI cuSurfRefSetArray(CUsurfref __ref, CUarray __array, unsigned int __flags);
CUresult CUDAAPI cuTexObjectCreate(CUtexObject *__tex, const CUDA_RESOURCE_DESC *__res, const
	CUDA_TEXTURE_DESC *__desc, const CUDA_RESOURCE_VIEW_DESC *__view);
CUresult CUDAAPI cuTexObjectDestroy(CUtexObject __tex);
CUresult CUDAAPI cuSurfObjectCreate(CUsurfObject *__surf, const CUDA_RESOURCE_DESC *__res);
CUresult CUDAAPI cuSurfObjectDestroy(CUsurfObject __surf);
CUresult CUDAAPI cuEventRecordWithFlags(CUevent __e, CUstream __stream, unsigned int __flags);
CUresult CUDAAPI cuEventElapsedTime_v2(float *__ms, CUevent __start, CUevent __end);
CUresult CUDAAPI cuStreamWaitValue32(CUstream __stream, CUdeviceptr __ptr, cuuint32_t __value,
	unsigned int __flags);
CUresult CUDAAPI cuStreamWaitValue64(CUstream __stream, CUdeviceptr __ptr, cuuint64_t __value,
	unsigned int __flags);
CUresult CUDAAPI cuStreamWriteValue32(CUstream __stream, CUdeviceptr __ptr, cuuint32_t __value,
	unsigned int __flags);
CUresult CUDAAPI cuStreamWriteValue64(CUstream __stream, CUdeviceptr __ptr, cuuint64_t __value,
	unsigned int __flags);
CUresult CUDAAPI cuStreamIsCapturing(CUstream __stream, CUstreamCaptureStatus *__status);
CUresult CUDAAPI cuStreamGetId(CUstream __stream, unsigned long long *__id);
CUresult CUDAAPI cuStreamGetDevice(CUstream __stream, CUdevice *__dev);
CUresult CUDAAPI cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *__mode);
CUresult CUDAAPI cuCtxCreate_v4(CUcontext *__ctx, CUctxCreateParams *__params,
	unsigned int __flags, CUdevice __dev);
CUresult CUDAAPI cuCtxGetId(CUcontext __ctx, unsigned long long *__id);
CUresult CUDAAPI cuCtxResetPersistingL2Cache(void);
CUresult CUDAAPI cuMemAdvise_v2(CUdeviceptr __ptr, size_t __count, CUmem_advise __advice,
	CUmemLocation __location);
CUresult CUDAAPI cuMemPrefetchAsync_v2(CUdeviceptr __ptr, size_t __count,
	CUmemLocation __location, unsigned int __flags, CUstream __stream);
CUresult CUDAAPI cuMemsetD2D8Async(CUdeviceptr __dst, size_t __pitch, unsigned char __uc,
	size_t __width, size_t __height, CUstream __stream);
CUresult CUDAAPI cuMemsetD2D16Async(CUdeviceptr __dst, size_t __pitch, unsigned short __us,
	size_t __width, size_t __height, CUstream __stream);
CUresult CUDAAPI cuMemsetD2D32Async(CUdeviceptr __dst, size_t __pitch, unsigned int __ui,
	size_t __width, size_t __height, CUstream __stream);
CUresult CUDAAPI cuPointerGetAttributes(unsigned int __n, CUpointer_attribute *__attrs,
	void **__data, CUdeviceptr __ptr);
CUresult CUDAAPI cuDeviceGetMemPool(CUmemoryPool *__pool, CUdevice __dev);
CUresult CUDAAPI cuDeviceSetMemPool(CUdevice __dev, CUmemoryPool __pool);
CUresult CUDAAPI cuMemAllocFromPoolAsync(CUdeviceptr *__ptr, size_t __size, CUmemoryPool __pool,
	CUstream __stream);
CUresult CUDAAPI cuMemPoolCreate(CUmemoryPool *__pool, const CUmemPoolProps *__props);
CUresult CUDAAPI cuMemPoolDestroy(CUmemoryPool __pool);
CUresult CUDAAPI cuMemPoolTrimTo(CUmemoryPool __pool, size_t __keep);
CUresult CUDAAPI cuMemPoolSetAttribute(CUmemoryPool __pool, CUmemPool_attribute __attr,
	void *__value);
CUresult CUDAAPI cuMemPoolGetAttribute(CUmemoryPool __pool, CUmemPool_attribute __attr,
	void *__value);
CUresult CUDAAPI cuMemPoolSetAccess(CUmemoryPool __pool, const CUmemAccessDesc *__map,
	size_t __count);
CUresult CUDAAPI cuMemPoolGetAccess(CUmemAccess_flags *__flags, CUmemoryPool __pool,
	CUmemLocation *__location);
CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig *__config, CUfunction __f, void **__params,
	void **__extra);
CUresult CUDAAPI cuFuncGetName(const char **__name, CUfunction __f);
CUresult CUDAAPI cuFuncGetModule(CUmodule *__module, CUfunction __f);
CUresult CUDAAPI cuFuncGetParamInfo(CUfunction __f, size_t __index, size_t *__offset,
	size_t *__size);
CUresult CUDAAPI cuFuncIsLoaded(CUfunctionLoadingState *__state, CUfunction __f);
CUresult CUDAAPI cuFuncLoad(CUfunction __f);
CUresult CUDAAPI cuModuleGetLoadingMode(CUmoduleLoadingMode *__mode);
CUresult CUDAAPI cuOccupancyAvailableDynamicSMemPerBlock(size_t *__size, CUfunction __f,
	int __blocks, int __threads);
CUresult CUDAAPI cuGraphCreate(CUgraph *__graph, unsigned int __flags);
CUresult CUDAAPI cuGraphClone(CUgraph *__clone, CUgraph __graph);
CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec *__exec, CUgraph __graph,
	unsigned long long __flags);
CUresult CUDAAPI cuGraphUpload(CUgraphExec __exec, CUstream __stream);
CUresult CUDAAPI cuGraphExecGetFlags(CUgraphExec __exec, cuuint64_t *__flags);
CUresult CUDAAPI cuGraphGetNodes(CUgraph __graph, CUgraphNode *__nodes, size_t *__n);
CUresult CUDAAPI cuGraphGetRootNodes(CUgraph __graph, CUgraphNode *__nodes, size_t *__n);
CUresult CUDAAPI cuGraphNodeGetType(CUgraphNode __node, CUgraphNodeType *__type);
CUresult CUDAAPI cuGraphNodeFindInClone(CUgraphNode *__out, CUgraphNode __node, CUgraph __clone);
CUresult CUDAAPI cuGraphDestroyNode(CUgraphNode __node);
CUresult CUDAAPI cuGraphDebugDotPrint(CUgraph __graph, const char *__path, unsigned int __flags);
CUresult CUDAAPI cuGraphAddKernelNode(CUgraphNode *__node, CUgraph __graph,
	const CUgraphNode *__deps, size_t __n, const CUDA_KERNEL_NODE_PARAMS *__p);
CUresult CUDAAPI cuGraphKernelNodeSetParams(CUgraphNode __node, const CUDA_KERNEL_NODE_PARAMS *__p);
CUresult CUDAAPI cuGraphExecKernelNodeSetParams(CUgraphExec __exec, CUgraphNode __node,
	const CUDA_KERNEL_NODE_PARAMS *__p);
CUresult CUDAAPI cuGraphAddMemcpyNode(CUgraphNode *__node, CUgraph __graph,
	const CUgraphNode *__deps, size_t __n, const CUDA_MEMCPY3D *__p, CUcontext __ctx);
CUresult CUDAAPI cuGraphAddMemsetNode(CUgraphNode *__node, CUgraph __graph,
	const CUgraphNode *__deps, size_t __n, const CUDA_MEMSET_NODE_PARAMS *__p, CUcontext __ctx);
CUresult CUDAAPI cuGraphAddHostNode(CUgraphNode *__node, CUgraph __graph,
	const CUgraphNode *__deps, size_t __n, const CUDA_HOST_NODE_PARAMS *__p);
CUresult CUDAAPI cuGraphAddChildGraphNode(CUgraphNode *__node, CUgraph __graph,
	const CUgraphNode *__deps, size_t __n, CUgraph __child);
CUresult CUDAAPI cuGraphChildGraphNodeGetGraph(CUgraphNode __node, CUgraph *__graph);
CUresult CUDAAPI cuGraphAddEmptyNode(CUgraphNode *__node, CUgraph __graph,
	const CUgraphNode *__deps, size_t __n);
CUresult CUDAAPI cuGraphAddEventRecordNode(CUgraphNode *__node, CUgraph __graph,
	const CUgraphNode *__deps, size_t __n, CUevent __e);
CUresult CUDAAPI cuGraphAddEventWaitNode(CUgraphNode *__node, CUgraph __graph,
	const CUgraphNode *__deps, size_t __n, CUevent __e);
CUresult CUDAAPI cuGraphAddMemFreeNode(CUgraphNode *__node, CUgraph __graph,
	const CUgraphNode *__deps, size_t __n, CUdeviceptr __ptr);
CUresult CUDAAPI cuGraphLaunch(CUgraphExec __exec, CUstream __stream);
CUresult CUDAAPI cuGraphDestroy(CUgraph __graph);
CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec __exec);
CUresult CUDAAPI cuGetProcAddress(const char *__symbol, void **__pfn, int __version, cuuint64_t
	__flags);
CUresult CUDAAPI cuGetExportTable(const void **__table, const CUuuid *__id);
CUresult CUDAAPI cuProfilerInitialize(const char *__config, const char *__output, CUoutput_mode
	__mode);
CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);
#include "heddle/driver_newer.h"
#include "heddle/driver_refused.h"
#if defined(__cplusplus)
}

/* Newer forms of calls whose plain name has the form of CUDA 11 here. */
static inline CUresult cuCtxCreate(CUcontext *__ctx, CUctxCreateParams *__params,
	unsigned int __flags, CUdevice __dev)
{
	return cuCtxCreate_v4(__ctx, __params, __flags, __dev);
}
static inline CUresult cuMemAdvise(CUdeviceptr __ptr, size_t __count, CUmem_advise __advice,
	CUmemLocation __location)
{
	return cuMemAdvise_v2(__ptr, __count, __advice, __location);
}
static inline CUresult cuMemPrefetchAsync(CUdeviceptr __ptr, size_t __count,
	CUmemLocation __location, unsigned int __flags, CUstream __stream)
{
	return cuMemPrefetchAsync_v2(__ptr, __count, __location, __flags, __stream);
}
static inline CUresult cuGraphInstantiate(CUgraphExec *__exec, CUgraph __graph,
	unsigned long long __flags)
{
	return cuGraphInstantiateWithFlags(__exec, __graph, __flags);
}
static inline CUresult cuGraphInstantiate(CUgraphExec *__exec, CUgraph __graph, CUgraphNode *__bad,
	char *__log, size_t __size)
{
	if (__bad)
		*__bad = 0;
	if (__log && __size)
		*__log = 0;
	return cuGraphInstantiateWithFlags(__exec, __graph, 0);
}
#endif

#endif
