/* The CUDA runtime API, callable from C and C++. */
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

#ifndef CUDART_VERSION
#define CUDART_VERSION 11080
#endif
#define __CUDART_API_VERSION CUDART_VERSION

#include "builtin_types.h"
#include "host_defines.h"

#if defined(__cplusplus)
#define __dv(v) = v
extern "C" {
#else
#define __dv(v)
#endif

/*
 * The part of the runtime that device code may call too: definitions for the device are in
 * cuda_device_runtime_api.h.
 */
#define __HD_API extern cudaError_t CUDARTAPI

typedef void (CUDART_CB *cudaStreamCallback_t)(cudaStream_t __stream, cudaError_t __status,
	void *__userData);

/* Device management. */
__HD_API cudaDeviceReset(void);
__HD_API cudaDeviceSynchronize(void);
__HD_API cudaDeviceSetLimit(enum cudaLimit __limit, size_t __value);
__HD_API cudaDeviceGetLimit(size_t *__pValue, enum cudaLimit __limit);
__HD_API cudaDeviceGetTexture1DLinearMaxWidth(size_t *__maxWidthInElements,
	const struct cudaChannelFormatDesc *__fmtDesc, int __device);
__HD_API cudaDeviceGetCacheConfig(enum cudaFuncCache *__pCacheConfig);
__HD_API cudaDeviceSetCacheConfig(enum cudaFuncCache __cacheConfig);
__HD_API cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *__pConfig);
__HD_API cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig __config);
__HD_API cudaDeviceGetStreamPriorityRange(int *__leastPriority, int *__greatestPriority);
__HD_API cudaDeviceGetByPCIBusId(int *__device, const char *__pciBusId);
__HD_API cudaDeviceGetPCIBusId(char *__pciBusId, int __len, int __device);
__HD_API cudaIpcGetEventHandle(cudaIpcEventHandle_t *__handle, cudaEvent_t __event);
__HD_API cudaIpcOpenEventHandle(cudaEvent_t *__event, cudaIpcEventHandle_t __handle);
__HD_API cudaIpcGetMemHandle(cudaIpcMemHandle_t *__handle, void *__devPtr);
__HD_API cudaIpcOpenMemHandle(void **__devPtr, cudaIpcMemHandle_t __handle, unsigned int __flags);
__HD_API cudaIpcCloseMemHandle(void *__devPtr);
/* Resources of graphics libraries: these answer cudaErrorNotSupported. */
__HD_API cudaGraphicsUnregisterResource(cudaGraphicsResource_t __resource);
__HD_API cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t __resource, unsigned int __flags);
__HD_API cudaGraphicsMapResources(int __count, cudaGraphicsResource_t *__resources, cudaStream_t
	__stream __dv(0));
__HD_API cudaGraphicsUnmapResources(int __count, cudaGraphicsResource_t *__resources, cudaStream_t
	__stream __dv(0));
__HD_API cudaGraphicsResourceGetMappedPointer(void **__devPtr, size_t *__size,
	cudaGraphicsResource_t __resource);
__HD_API cudaGraphicsSubResourceGetMappedArray(cudaArray_t *__array, cudaGraphicsResource_t
	__resource, unsigned int __arrayIndex, unsigned int __mipLevel);
__HD_API cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t *__array,
	cudaGraphicsResource_t __resource);
__HD_API cudaGetDeviceCount(int *__count);
__HD_API cudaGetDeviceProperties(struct cudaDeviceProp *__prop, int __device);
__HD_API cudaDeviceGetAttribute(int *__value, enum cudaDeviceAttr __attr, int __device);
__HD_API cudaDeviceGetDefaultMemPool(cudaMemPool_t *__memPool, int __device);
__HD_API cudaDeviceSetMemPool(int __device, cudaMemPool_t __memPool);
__HD_API cudaDeviceGetMemPool(cudaMemPool_t *__memPool, int __device);
__HD_API cudaDeviceGetNvSciSyncAttributes(void *__nvSciSyncAttrList, int __device, int __flags);
__HD_API cudaDeviceGetP2PAttribute(int *__value, enum cudaDeviceP2PAttr __attr, int __srcDevice,
	int __dstDevice);
__HD_API cudaChooseDevice(int *__device, const struct cudaDeviceProp *__prop);
__HD_API cudaSetDevice(int __device);
__HD_API cudaGetDevice(int *__device);
__HD_API cudaSetValidDevices(int *__device_arr, int __len);
__HD_API cudaSetDeviceFlags(unsigned int __flags);
__HD_API cudaGetDeviceFlags(unsigned int *__flags);
__HD_API cudaDeviceCanAccessPeer(int *__canAccessPeer, int __device, int __peerDevice);
__HD_API cudaDeviceEnablePeerAccess(int __peerDevice, unsigned int __flags);
__HD_API cudaDeviceDisablePeerAccess(int __peerDevice);
__HD_API cudaCtxResetPersistingL2Cache(void);
__HD_API cudaThreadExit(void);
__HD_API cudaThreadSynchronize(void);
__HD_API cudaThreadSetLimit(enum cudaLimit __limit, size_t __value);
__HD_API cudaThreadGetLimit(size_t *__pValue, enum cudaLimit __limit);
__HD_API cudaThreadGetCacheConfig(enum cudaFuncCache *__pCacheConfig);
__HD_API cudaThreadSetCacheConfig(enum cudaFuncCache __cacheConfig);
__HD_API cudaDriverGetVersion(int *__driverVersion);
__HD_API cudaRuntimeGetVersion(int *__runtimeVersion);

/* Errors. */
__HD_API cudaGetLastError(void);
__HD_API cudaPeekAtLastError(void);
extern const char *CUDARTAPI cudaGetErrorName(cudaError_t __error);
extern const char *CUDARTAPI cudaGetErrorString(cudaError_t __error);

/* Streams and events. */
__HD_API cudaStreamCreate(cudaStream_t *__pStream);
__HD_API cudaStreamCreateWithFlags(cudaStream_t *__pStream, unsigned int __flags);
__HD_API cudaStreamCreateWithPriority(cudaStream_t *__pStream, unsigned int __flags, int __priority);
__HD_API cudaStreamGetPriority(cudaStream_t __hStream, int *__priority);
__HD_API cudaStreamGetFlags(cudaStream_t __hStream, unsigned int *__flags);
__HD_API cudaStreamCopyAttributes(cudaStream_t __dst, cudaStream_t __src);
__HD_API cudaStreamGetAttribute(cudaStream_t __hStream, enum cudaStreamAttrID __attr,
	union cudaStreamAttrValue *__value_out);
__HD_API cudaStreamSetAttribute(cudaStream_t __hStream, enum cudaStreamAttrID __attr,
	const union cudaStreamAttrValue *__value);
__HD_API cudaStreamDestroy(cudaStream_t __stream);
__HD_API cudaStreamWaitEvent(cudaStream_t __stream, cudaEvent_t __event,
	unsigned int __flags __dv(0));
__HD_API cudaStreamAddCallback(cudaStream_t __stream, cudaStreamCallback_t __callback,
	void *__userData, unsigned int __flags);
__HD_API cudaStreamSynchronize(cudaStream_t __stream);
__HD_API cudaStreamQuery(cudaStream_t __stream);
__HD_API cudaStreamAttachMemAsync(cudaStream_t __stream, void *__devPtr, size_t __length __dv(0),
	unsigned int __flags __dv(cudaMemAttachSingle));
__HD_API cudaStreamBeginCapture(cudaStream_t __stream, enum cudaStreamCaptureMode __mode);
__HD_API cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *__mode);
__HD_API cudaStreamEndCapture(cudaStream_t __stream, cudaGraph_t *__pGraph);
__HD_API cudaStreamIsCapturing(cudaStream_t __stream,
	enum cudaStreamCaptureStatus *__pCaptureStatus);
__HD_API cudaStreamGetCaptureInfo(cudaStream_t __stream,
	enum cudaStreamCaptureStatus *__pCaptureStatus, unsigned long long *__pId);
__HD_API cudaStreamGetCaptureInfo_v2(cudaStream_t __stream,
	enum cudaStreamCaptureStatus *__captureStatus_out, unsigned long long *__id_out __dv(0),
	cudaGraph_t *__graph_out __dv(0), const cudaGraphNode_t **__dependencies_out __dv(0),
	size_t *__numDependencies_out __dv(0));
__HD_API cudaStreamUpdateCaptureDependencies(cudaStream_t __stream, cudaGraphNode_t *__dependencies,
	size_t __numDependencies, unsigned int __flags __dv(0));
__HD_API cudaEventCreate(cudaEvent_t *__event);
__HD_API cudaEventCreateWithFlags(cudaEvent_t *__event, unsigned int __flags);
__HD_API cudaEventRecord(cudaEvent_t __event, cudaStream_t __stream __dv(0));
__HD_API cudaEventRecordWithFlags(cudaEvent_t __event, cudaStream_t __stream __dv(0),
	unsigned int __flags __dv(0));
__HD_API cudaEventQuery(cudaEvent_t __event);
__HD_API cudaEventSynchronize(cudaEvent_t __event);
__HD_API cudaEventDestroy(cudaEvent_t __event);
__HD_API cudaEventElapsedTime(float *__ms, cudaEvent_t __start, cudaEvent_t __end);

/* Execution. */
__HD_API cudaLaunchKernel(const void *__func, dim3 __gridDim, dim3 __blockDim, void **__args,
	size_t __sharedMem, cudaStream_t __stream);
__HD_API cudaLaunchKernelExC(const cudaLaunchConfig_t *__config, const void *__func, void **__args);
__HD_API cudaLaunchCooperativeKernel(const void *__func, dim3 __gridDim, dim3 __blockDim,
	void **__args, size_t __sharedMem, cudaStream_t __stream);
__HD_API cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *__launchParamsList,
	unsigned int __numDevices, unsigned int __flags __dv(0));
__HD_API cudaFuncSetCacheConfig(const void *__func, enum cudaFuncCache __cacheConfig);
__HD_API cudaFuncSetSharedMemConfig(const void *__func, enum cudaSharedMemConfig __config);
__HD_API cudaFuncGetAttributes(struct cudaFuncAttributes *__attr, const void *__func);
__HD_API cudaFuncSetAttribute(const void *__func, enum cudaFuncAttribute __attr, int __value);
__HD_API cudaSetDoubleForDevice(double *__d);
__HD_API cudaSetDoubleForHost(double *__d);
__HD_API cudaLaunchHostFunc(cudaStream_t __stream, cudaHostFn_t __fn, void *__userData);
__HD_API cudaOccupancyMaxActiveClusters(int *__clusters, const void *__func, const cudaLaunchConfig_t *__config);
__HD_API cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *__numBlocks, const void *__func,
	int __blockSize, size_t __dynamicSMemSize);
__HD_API cudaOccupancyAvailableDynamicSMemPerBlock(size_t *__dynamicSmemSize, const void *__func,
	int __numBlocks, int __blockSize);
__HD_API cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *__numBlocks,
	const void *__func, int __blockSize, size_t __dynamicSMemSize, unsigned int __flags);
__HD_API cudaConfigureCall(dim3 __gridDim, dim3 __blockDim, size_t __sharedMem __dv(0),
	cudaStream_t __stream __dv(0));
__HD_API cudaSetupArgument(const void *__arg, size_t __size, size_t __offset);
__HD_API cudaLaunch(const void *__func);

/* Memory. */
__HD_API cudaMallocManaged(void **__devPtr, size_t __size,
	unsigned int __flags __dv(cudaMemAttachGlobal));
__HD_API cudaMalloc(void **__devPtr, size_t __size);
__HD_API cudaMallocHost(void **__ptr, size_t __size);
__HD_API cudaMallocPitch(void **__devPtr, size_t *__pitch, size_t __width, size_t __height);
__HD_API cudaMallocArray(cudaArray_t *__array, const struct cudaChannelFormatDesc *__desc,
	size_t __width, size_t __height __dv(0), unsigned int __flags __dv(0));
__HD_API cudaFree(void *__devPtr);
__HD_API cudaFreeHost(void *__ptr);
__HD_API cudaFreeArray(cudaArray_t __array);
__HD_API cudaFreeMipmappedArray(cudaMipmappedArray_t __mipmappedArray);
__HD_API cudaHostAlloc(void **__pHost, size_t __size, unsigned int __flags);
__HD_API cudaHostRegister(void *__ptr, size_t __size, unsigned int __flags);
__HD_API cudaHostUnregister(void *__ptr);
__HD_API cudaHostGetDevicePointer(void **__pDevice, void *__pHost, unsigned int __flags);
__HD_API cudaHostGetFlags(unsigned int *__pFlags, void *__pHost);
__HD_API cudaMalloc3D(struct cudaPitchedPtr *__pitchedDevPtr, struct cudaExtent __extent);
__HD_API cudaMalloc3DArray(cudaArray_t *__array, const struct cudaChannelFormatDesc *__desc,
	struct cudaExtent __extent, unsigned int __flags __dv(0));
__HD_API cudaMallocMipmappedArray(cudaMipmappedArray_t *__mipmappedArray,
	const struct cudaChannelFormatDesc *__desc, struct cudaExtent __extent,
	unsigned int __numLevels, unsigned int __flags __dv(0));
__HD_API cudaGetMipmappedArrayLevel(cudaArray_t *__levelArray,
	cudaMipmappedArray_const_t __mipmappedArray, unsigned int __level);
__HD_API cudaMemcpy3D(const struct cudaMemcpy3DParms *__p);
__HD_API cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *__p);
__HD_API cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *__p, cudaStream_t __stream __dv(0));
__HD_API cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *__p,
	cudaStream_t __stream __dv(0));
__HD_API cudaMemGetInfo(size_t *__free, size_t *__total);
__HD_API cudaArrayGetInfo(struct cudaChannelFormatDesc *__desc, struct cudaExtent *__extent,
	unsigned int *__flags, cudaArray_t __array);
__HD_API cudaArrayGetPlane(cudaArray_t *__pPlaneArray, cudaArray_t __hArray,
	unsigned int __planeIdx);
__HD_API cudaMemcpy(void *__dst, const void *__src, size_t __count, enum cudaMemcpyKind __kind);
__HD_API cudaMemcpyPeer(void *__dst, int __dstDevice, const void *__src, int __srcDevice,
	size_t __count);
__HD_API cudaMemcpy2D(void *__dst, size_t __dpitch, const void *__src, size_t __spitch,
	size_t __width, size_t __height, enum cudaMemcpyKind __kind);
__HD_API cudaMemcpy2DToArray(cudaArray_t __dst, size_t __wOffset, size_t __hOffset,
	const void *__src, size_t __spitch, size_t __width, size_t __height,
	enum cudaMemcpyKind __kind);
__HD_API cudaMemcpy2DFromArray(void *__dst, size_t __dpitch, cudaArray_const_t __src,
	size_t __wOffset, size_t __hOffset, size_t __width, size_t __height,
	enum cudaMemcpyKind __kind);
__HD_API cudaMemcpy2DArrayToArray(cudaArray_t __dst, size_t __wOffsetDst, size_t __hOffsetDst,
	cudaArray_const_t __src, size_t __wOffsetSrc, size_t __hOffsetSrc, size_t __width,
	size_t __height, enum cudaMemcpyKind __kind __dv(cudaMemcpyDeviceToDevice));
__HD_API cudaMemcpyToSymbol(const void *__symbol, const void *__src, size_t __count,
	size_t __offset __dv(0), enum cudaMemcpyKind __kind __dv(cudaMemcpyHostToDevice));
__HD_API cudaMemcpyFromSymbol(void *__dst, const void *__symbol, size_t __count,
	size_t __offset __dv(0), enum cudaMemcpyKind __kind __dv(cudaMemcpyDeviceToHost));
__HD_API cudaMemcpyAsync(void *__dst, const void *__src, size_t __count,
	enum cudaMemcpyKind __kind, cudaStream_t __stream __dv(0));
__HD_API cudaMemcpyPeerAsync(void *__dst, int __dstDevice, const void *__src, int __srcDevice,
	size_t __count, cudaStream_t __stream __dv(0));
__HD_API cudaMemcpy2DAsync(void *__dst, size_t __dpitch, const void *__src, size_t __spitch,
	size_t __width, size_t __height, enum cudaMemcpyKind __kind, cudaStream_t __stream __dv(0));
__HD_API cudaMemcpy2DToArrayAsync(cudaArray_t __dst, size_t __wOffset, size_t __hOffset,
	const void *__src, size_t __spitch, size_t __width, size_t __height,
	enum cudaMemcpyKind __kind, cudaStream_t __stream __dv(0));
__HD_API cudaMemcpy2DFromArrayAsync(void *__dst, size_t __dpitch, cudaArray_const_t __src,
	size_t __wOffset, size_t __hOffset, size_t __width, size_t __height,
	enum cudaMemcpyKind __kind, cudaStream_t __stream __dv(0));
__HD_API cudaMemcpyToSymbolAsync(const void *__symbol, const void *__src, size_t __count,
	size_t __offset, enum cudaMemcpyKind __kind, cudaStream_t __stream __dv(0));
__HD_API cudaMemcpyFromSymbolAsync(void *__dst, const void *__symbol, size_t __count,
	size_t __offset, enum cudaMemcpyKind __kind, cudaStream_t __stream __dv(0));
__HD_API cudaMemset(void *__devPtr, int __value, size_t __count);
__HD_API cudaMemset2D(void *__devPtr, size_t __pitch, int __value, size_t __width,
	size_t __height);
__HD_API cudaMemset3D(struct cudaPitchedPtr __pitchedDevPtr, int __value,
	struct cudaExtent __extent);
__HD_API cudaMemsetAsync(void *__devPtr, int __value, size_t __count,
	cudaStream_t __stream __dv(0));
__HD_API cudaMemset2DAsync(void *__devPtr, size_t __pitch, int __value, size_t __width,
	size_t __height, cudaStream_t __stream __dv(0));
__HD_API cudaMemset3DAsync(struct cudaPitchedPtr __pitchedDevPtr, int __value,
	struct cudaExtent __extent, cudaStream_t __stream __dv(0));
__HD_API cudaGetSymbolAddress(void **__devPtr, const void *__symbol);
__HD_API cudaGetSymbolSize(size_t *__size, const void *__symbol);
__HD_API cudaMemPrefetchAsync(const void *__devPtr, size_t __count, int __dstDevice,
	cudaStream_t __stream __dv(0));
__HD_API cudaMemAdvise(const void *__devPtr, size_t __count, enum cudaMemoryAdvise __advice,
	int __device);
__HD_API cudaMemRangeGetAttribute(void *__data, size_t __dataSize,
	enum cudaMemRangeAttribute __attr, const void *__devPtr, size_t __count);
__HD_API cudaMemRangeGetAttributes(void **__data, size_t *__dataSizes,
	enum cudaMemRangeAttribute *__attributes, size_t __numAttributes, const void *__devPtr,
	size_t __count);
__HD_API cudaMemcpyToArray(cudaArray_t __dst, size_t __wOffset, size_t __hOffset,
	const void *__src, size_t __count, enum cudaMemcpyKind __kind);
__HD_API cudaMemcpyFromArray(void *__dst, cudaArray_const_t __src, size_t __wOffset,
	size_t __hOffset, size_t __count, enum cudaMemcpyKind __kind);
__HD_API cudaMemcpyArrayToArray(cudaArray_t __dst, size_t __wOffsetDst, size_t __hOffsetDst,
	cudaArray_const_t __src, size_t __wOffsetSrc, size_t __hOffsetSrc, size_t __count,
	enum cudaMemcpyKind __kind __dv(cudaMemcpyDeviceToDevice));
__HD_API cudaMemcpyToArrayAsync(cudaArray_t __dst, size_t __wOffset, size_t __hOffset,
	const void *__src, size_t __count, enum cudaMemcpyKind __kind,
	cudaStream_t __stream __dv(0));
__HD_API cudaMemcpyFromArrayAsync(void *__dst, cudaArray_const_t __src, size_t __wOffset,
	size_t __hOffset, size_t __count, enum cudaMemcpyKind __kind,
	cudaStream_t __stream __dv(0));
__HD_API cudaPointerGetAttributes(struct cudaPointerAttributes *__attributes, const void *__ptr);

/* Stream-ordered allocation and memory pools. */
__HD_API cudaMallocAsync(void **__devPtr, size_t __size, cudaStream_t __hStream);
__HD_API cudaFreeAsync(void *__devPtr, cudaStream_t __hStream);
__HD_API cudaMemPoolTrimTo(cudaMemPool_t __memPool, size_t __minBytesToKeep);
__HD_API cudaMemPoolSetAttribute(cudaMemPool_t __memPool, enum cudaMemPoolAttr __attr,
	void *__value);
__HD_API cudaMemPoolGetAttribute(cudaMemPool_t __memPool, enum cudaMemPoolAttr __attr,
	void *__value);
__HD_API cudaMemPoolSetAccess(cudaMemPool_t __memPool,
	const struct cudaMemAccessDesc *__descList, size_t __count);
__HD_API cudaMemPoolGetAccess(enum cudaMemAccessFlags *__flags, cudaMemPool_t __memPool,
	struct cudaMemLocation *__location);
__HD_API cudaMemPoolCreate(cudaMemPool_t *__memPool, const struct cudaMemPoolProps *__poolProps);
__HD_API cudaMemPoolDestroy(cudaMemPool_t __memPool);
__HD_API cudaMallocFromPoolAsync(void **__ptr, size_t __size, cudaMemPool_t __memPool,
	cudaStream_t __stream);
__HD_API cudaMemPoolExportToShareableHandle(void *__shareableHandle, cudaMemPool_t __memPool,
	enum cudaMemAllocationHandleType __handleType, unsigned int __flags);
__HD_API cudaMemPoolImportFromShareableHandle(cudaMemPool_t *__memPool, void *__shareableHandle,
	enum cudaMemAllocationHandleType __handleType, unsigned int __flags);
__HD_API cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *__exportData, void *__ptr);
__HD_API cudaMemPoolImportPointer(void **__ptr, cudaMemPool_t __memPool,
	struct cudaMemPoolPtrExportData *__exportData);

/* Textures and surfaces. */
__HD_API cudaGetChannelDesc(struct cudaChannelFormatDesc *__desc, cudaArray_const_t __array);
extern struct cudaChannelFormatDesc CUDARTAPI cudaCreateChannelDesc(int __x, int __y, int __z,
	int __w, enum cudaChannelFormatKind __f);
__HD_API cudaBindTexture(size_t *__offset, const struct textureReference *__texref,
	const void *__devPtr, const struct cudaChannelFormatDesc *__desc,
	size_t __size __dv(UINT_MAX));
__HD_API cudaBindTexture2D(size_t *__offset, const struct textureReference *__texref,
	const void *__devPtr, const struct cudaChannelFormatDesc *__desc, size_t __width,
	size_t __height, size_t __pitch);
__HD_API cudaBindTextureToArray(const struct textureReference *__texref,
	cudaArray_const_t __array, const struct cudaChannelFormatDesc *__desc);
__HD_API cudaBindTextureToMipmappedArray(const struct textureReference *__texref,
	cudaMipmappedArray_const_t __mipmappedArray, const struct cudaChannelFormatDesc *__desc);
__HD_API cudaUnbindTexture(const struct textureReference *__texref);
__HD_API cudaGetTextureAlignmentOffset(size_t *__offset, const struct textureReference *__texref);
__HD_API cudaGetTextureReference(const struct textureReference **__texref, const void *__symbol);
__HD_API cudaBindSurfaceToArray(const struct surfaceReference *__surfref,
	cudaArray_const_t __array, const struct cudaChannelFormatDesc *__desc);
__HD_API cudaGetSurfaceReference(const struct surfaceReference **__surfref, const void *__symbol);
__HD_API cudaCreateTextureObject(cudaTextureObject_t *__pTexObject,
	const struct cudaResourceDesc *__pResDesc, const struct cudaTextureDesc *__pTexDesc,
	const struct cudaResourceViewDesc *__pResViewDesc);
__HD_API cudaDestroyTextureObject(cudaTextureObject_t __texObject);
__HD_API cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *__pResDesc,
	cudaTextureObject_t __texObject);
__HD_API cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *__pTexDesc,
	cudaTextureObject_t __texObject);
__HD_API cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *__pResViewDesc,
	cudaTextureObject_t __texObject);
__HD_API cudaCreateSurfaceObject(cudaSurfaceObject_t *__pSurfObject,
	const struct cudaResourceDesc *__pResDesc);
__HD_API cudaDestroySurfaceObject(cudaSurfaceObject_t __surfObject);
__HD_API cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *__pResDesc,
	cudaSurfaceObject_t __surfObject);

/* Graphs. */
__HD_API cudaGraphCreate(cudaGraph_t *__pGraph, unsigned int __flags);
__HD_API cudaGraphAddKernelNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t __graph,
	const cudaGraphNode_t *__pDependencies, size_t __numDependencies,
	const struct cudaKernelNodeParams *__pNodeParams);
__HD_API cudaGraphKernelNodeGetParams(cudaGraphNode_t __node,
	struct cudaKernelNodeParams *__pNodeParams);
__HD_API cudaGraphKernelNodeSetParams(cudaGraphNode_t __node,
	const struct cudaKernelNodeParams *__pNodeParams);
__HD_API cudaGraphKernelNodeGetAttribute(cudaGraphNode_t __hNode, enum cudaKernelNodeAttrID __attr,
	union cudaKernelNodeAttrValue *__value_out);
__HD_API cudaGraphKernelNodeSetAttribute(cudaGraphNode_t __hNode, enum cudaKernelNodeAttrID __attr,
	const union cudaKernelNodeAttrValue *__value);
__HD_API cudaGraphAddMemcpyNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t __graph,
	const cudaGraphNode_t *__pDependencies, size_t __numDependencies,
	const struct cudaMemcpy3DParms *__pCopyParams);
__HD_API cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *__pGraphNode, cudaGraph_t __graph,
	const cudaGraphNode_t *__pDependencies, size_t __numDependencies, const void *__symbol,
	const void *__src, size_t __count, size_t __offset, enum cudaMemcpyKind __kind);
__HD_API cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *__pGraphNode, cudaGraph_t __graph,
	const cudaGraphNode_t *__pDependencies, size_t __numDependencies, void *__dst,
	const void *__symbol, size_t __count, size_t __offset, enum cudaMemcpyKind __kind);
__HD_API cudaGraphAddMemcpyNode1D(cudaGraphNode_t *__pGraphNode, cudaGraph_t __graph,
	const cudaGraphNode_t *__pDependencies, size_t __numDependencies, void *__dst,
	const void *__src, size_t __count, enum cudaMemcpyKind __kind);
__HD_API cudaGraphMemcpyNodeGetParams(cudaGraphNode_t __node,
	struct cudaMemcpy3DParms *__pNodeParams);
__HD_API cudaGraphMemcpyNodeSetParams(cudaGraphNode_t __node,
	const struct cudaMemcpy3DParms *__pNodeParams);
__HD_API cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t __node, void *__dst, const void *__src,
	size_t __count, enum cudaMemcpyKind __kind);
__HD_API cudaGraphAddMemsetNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t __graph,
	const cudaGraphNode_t *__pDependencies, size_t __numDependencies,
	const struct cudaMemsetParams *__pMemsetParams);
__HD_API cudaGraphMemsetNodeGetParams(cudaGraphNode_t __node,
	struct cudaMemsetParams *__pNodeParams);
__HD_API cudaGraphMemsetNodeSetParams(cudaGraphNode_t __node,
	const struct cudaMemsetParams *__pNodeParams);
__HD_API cudaGraphAddHostNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t __graph,
	const cudaGraphNode_t *__pDependencies, size_t __numDependencies,
	const struct cudaHostNodeParams *__pNodeParams);
__HD_API cudaGraphHostNodeGetParams(cudaGraphNode_t __node,
	struct cudaHostNodeParams *__pNodeParams);
__HD_API cudaGraphHostNodeSetParams(cudaGraphNode_t __node,
	const struct cudaHostNodeParams *__pNodeParams);
__HD_API cudaGraphAddChildGraphNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t __graph,
	const cudaGraphNode_t *__pDependencies, size_t __numDependencies, cudaGraph_t __childGraph);
__HD_API cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t __node, cudaGraph_t *__pGraph);
__HD_API cudaGraphAddEmptyNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t __graph,
	const cudaGraphNode_t *__pDependencies, size_t __numDependencies);
__HD_API cudaGraphAddEventRecordNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t __graph,
	const cudaGraphNode_t *__pDependencies, size_t __numDependencies, cudaEvent_t __event);
__HD_API cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t __node, cudaEvent_t *__event_out);
__HD_API cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t __node, cudaEvent_t __event);
__HD_API cudaGraphAddEventWaitNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t __graph,
	const cudaGraphNode_t *__pDependencies, size_t __numDependencies, cudaEvent_t __event);
__HD_API cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t __node, cudaEvent_t *__event_out);
__HD_API cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t __node, cudaEvent_t __event);
__HD_API cudaGraphAddMemAllocNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t __graph,
	const cudaGraphNode_t *__pDependencies, size_t __numDependencies,
	struct cudaMemAllocNodeParams *__nodeParams);
__HD_API cudaGraphMemAllocNodeGetParams(cudaGraphNode_t __node,
	struct cudaMemAllocNodeParams *__params_out);
__HD_API cudaGraphAddMemFreeNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t __graph,
	const cudaGraphNode_t *__pDependencies, size_t __numDependencies, void *__dptr);
__HD_API cudaGraphMemFreeNodeGetParams(cudaGraphNode_t __node, void *__dptr_out);
__HD_API cudaDeviceGraphMemTrim(int __device);
__HD_API cudaDeviceGetGraphMemAttribute(int __device, enum cudaGraphMemAttributeType __attr,
	void *__value);
__HD_API cudaDeviceSetGraphMemAttribute(int __device, enum cudaGraphMemAttributeType __attr,
	void *__value);
__HD_API cudaGraphClone(cudaGraph_t *__pGraphClone, cudaGraph_t __originalGraph);
__HD_API cudaGraphNodeFindInClone(cudaGraphNode_t *__pNode, cudaGraphNode_t __originalNode,
	cudaGraph_t __clonedGraph);
__HD_API cudaGraphNodeGetType(cudaGraphNode_t __node, enum cudaGraphNodeType *__pType);
__HD_API cudaGraphGetNodes(cudaGraph_t __graph, cudaGraphNode_t *__nodes, size_t *__numNodes);
__HD_API cudaGraphGetRootNodes(cudaGraph_t __graph, cudaGraphNode_t *__pRootNodes,
	size_t *__pNumRootNodes);
__HD_API cudaGraphGetEdges(cudaGraph_t __graph, cudaGraphNode_t *__from, cudaGraphNode_t *__to,
	size_t *__numEdges);
__HD_API cudaGraphNodeGetDependencies(cudaGraphNode_t __node, cudaGraphNode_t *__pDependencies,
	size_t *__pNumDependencies);
__HD_API cudaGraphNodeGetDependentNodes(cudaGraphNode_t __node, cudaGraphNode_t *__pDependentNodes,
	size_t *__pNumDependentNodes);
__HD_API cudaGraphAddDependencies(cudaGraph_t __graph, const cudaGraphNode_t *__from,
	const cudaGraphNode_t *__to, size_t __numDependencies);
__HD_API cudaGraphRemoveDependencies(cudaGraph_t __graph, const cudaGraphNode_t *__from,
	const cudaGraphNode_t *__to, size_t __numDependencies);
__HD_API cudaGraphDestroyNode(cudaGraphNode_t __node);
__HD_API cudaGraphInstantiate(cudaGraphExec_t *__pGraphExec, cudaGraph_t __graph,
	cudaGraphNode_t *__pErrorNode, char *__pLogBuffer, size_t __bufferSize);
__HD_API cudaGraphInstantiateWithFlags(cudaGraphExec_t *__pGraphExec, cudaGraph_t __graph,
	unsigned long long __flags __dv(0));
__HD_API cudaGraphExecKernelNodeSetParams(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __node,
	const struct cudaKernelNodeParams *__pNodeParams);
__HD_API cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __node,
	const struct cudaMemcpy3DParms *__pNodeParams);
__HD_API cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __node,
	void *__dst, const void *__src, size_t __count, enum cudaMemcpyKind __kind);
__HD_API cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __node,
	const struct cudaMemsetParams *__pNodeParams);
__HD_API cudaGraphExecHostNodeSetParams(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __node,
	const struct cudaHostNodeParams *__pNodeParams);
__HD_API cudaGraphExecUpdate(cudaGraphExec_t __hGraphExec, cudaGraph_t __hGraph,
	cudaGraphNode_t *__hErrorNode_out, enum cudaGraphExecUpdateResult *__updateResult_out);
__HD_API cudaGraphInstantiateWithParams(cudaGraphExec_t *__pGraphExec, cudaGraph_t __graph,
	cudaGraphInstantiateParams *__params);
__HD_API cudaGraphExecGetFlags(cudaGraphExec_t __graphExec, unsigned long long *__flags);
__HD_API cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __node,
	cudaGraph_t __childGraph);
__HD_API cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __hNode,
	cudaEvent_t __event);
__HD_API cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __hNode,
	cudaEvent_t __event);
__HD_API cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t __dst, cudaGraphNode_t __src);
__HD_API cudaGraphNodeSetEnabled(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __hNode,
	unsigned int __isEnabled);
__HD_API cudaGraphNodeGetEnabled(cudaGraphExec_t __hGraphExec, cudaGraphNode_t __hNode,
	unsigned int *__isEnabled);
__HD_API cudaStreamBeginCaptureToGraph(cudaStream_t __stream, cudaGraph_t __graph,
	const cudaGraphNode_t *__dependencies, const cudaGraphEdgeData *__dependencyData,
	size_t __numDependencies, enum cudaStreamCaptureMode __mode);
__HD_API cudaStreamGetId(cudaStream_t __stream, unsigned long long *__streamId);
__HD_API cudaStreamGetDevice(cudaStream_t __stream, int *__device);
__HD_API cudaInitDevice(int __device, unsigned int __deviceFlags, unsigned int __flags);
__HD_API cudaFuncGetName(const char **__name, const void *__func);
__HD_API cudaFuncGetParamInfo(const void *__func, size_t __paramIndex, size_t *__paramOffset,
	size_t *__paramSize);
__HD_API cudaGetDriverEntryPointByVersion(const char *__symbol, void **__funcPtr,
	unsigned int __cudaVersion, unsigned long long __flags,
	enum cudaDriverEntryPointQueryResult *__driverStatus);
__HD_API cudaGraphUpload(cudaGraphExec_t __graphExec, cudaStream_t __stream);
__HD_API cudaGraphLaunch(cudaGraphExec_t __graphExec, cudaStream_t __stream);
__HD_API cudaGraphExecDestroy(cudaGraphExec_t __graphExec);
__HD_API cudaGraphDestroy(cudaGraph_t __graph);
__HD_API cudaGraphDebugDotPrint(cudaGraph_t __graph, const char *__path, unsigned int __flags);
__HD_API cudaGraphAddNode(cudaGraphNode_t *__pGraphNode, cudaGraph_t __graph,
	const cudaGraphNode_t *__pDependencies, size_t __numDependencies,
	struct cudaGraphNodeParams *__nodeParams);
__HD_API cudaGraphNodeSetParams(cudaGraphNode_t __node, struct cudaGraphNodeParams *__nodeParams);
__HD_API cudaGraphExecNodeSetParams(cudaGraphExec_t __graphExec, cudaGraphNode_t __node,
	struct cudaGraphNodeParams *__nodeParams);
__HD_API cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *__pHandle_out,
	cudaGraph_t __graph, unsigned int __defaultLaunchValue __dv(0), unsigned int __flags __dv(0));
__HD_API cudaUserObjectCreate(cudaUserObject_t *__object_out, void *__ptr, cudaHostFn_t __destroy,
	unsigned int __initialRefcount, unsigned int __flags);
__HD_API cudaUserObjectRetain(cudaUserObject_t __object, unsigned int __count __dv(1));
__HD_API cudaUserObjectRelease(cudaUserObject_t __object, unsigned int __count __dv(1));
__HD_API cudaGraphRetainUserObject(cudaGraph_t __graph, cudaUserObject_t __object,
	unsigned int __count __dv(1), unsigned int __flags __dv(0));
__HD_API cudaGraphReleaseUserObject(cudaGraph_t __graph, cudaUserObject_t __object,
	unsigned int __count __dv(1));
__HD_API cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t __node, const void *__symbol,
	const void *__src, size_t __count, size_t __offset, enum cudaMemcpyKind __kind);
__HD_API cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t __node, void *__dst,
	const void *__symbol, size_t __count, size_t __offset, enum cudaMemcpyKind __kind);
__HD_API cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t __hGraphExec,
	cudaGraphNode_t __node, const void *__symbol, const void *__src, size_t __count,
	size_t __offset, enum cudaMemcpyKind __kind);
__HD_API cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t __hGraphExec,
	cudaGraphNode_t __node, void *__dst, const void *__symbol, size_t __count, size_t __offset,
	enum cudaMemcpyKind __kind);
__HD_API cudaGetDriverEntryPoint(const char *__symbol, void **__funcPtr,
	unsigned long long __flags);
__HD_API cudaGetFuncBySymbol(cudaFunction_t *__functionPtr, const void *__symbolPtr);

__HD_API cudaGetKernel(cudaKernel_t *__kernelPtr, const void *__entryFuncAddr);

__HD_API cudaMemGetDefaultMemPool(cudaMemPool_t *__memPool, struct cudaMemLocation *__location,
	enum cudaMemAllocationType __type);
__HD_API cudaMemGetMemPool(cudaMemPool_t *__memPool, struct cudaMemLocation *__location,
	enum cudaMemAllocationType __type);
__HD_API cudaMemSetMemPool(struct cudaMemLocation *__location, enum cudaMemAllocationType __type,
	cudaMemPool_t __memPool);

/* Libraries: programs loaded at run time. */
__HD_API cudaLibraryLoadData(cudaLibrary_t *__library, const void *__code,
	enum cudaJitOption *__jitOptions, void **__jitOptionsValues, unsigned int __numJitOptions,
	enum cudaLibraryOption *__libraryOptions, void **__libraryOptionValues,
	unsigned int __numLibraryOptions);
__HD_API cudaLibraryLoadFromFile(cudaLibrary_t *__library, const char *__fileName,
	enum cudaJitOption *__jitOptions, void **__jitOptionsValues, unsigned int __numJitOptions,
	enum cudaLibraryOption *__libraryOptions, void **__libraryOptionValues,
	unsigned int __numLibraryOptions);
__HD_API cudaLibraryUnload(cudaLibrary_t __library);
__HD_API cudaLibraryGetKernel(cudaKernel_t *__pKernel, cudaLibrary_t __library, const char *__name);
__HD_API cudaLibraryGetKernelCount(unsigned int *__count, cudaLibrary_t __lib);
__HD_API cudaLibraryEnumerateKernels(cudaKernel_t *__kernels, unsigned int __numKernels,
	cudaLibrary_t __lib);
__HD_API cudaLibraryGetGlobal(void **__dptr, size_t *__bytes, cudaLibrary_t __library,
	const char *__name);
__HD_API cudaLibraryGetManaged(void **__dptr, size_t *__bytes, cudaLibrary_t __library,
	const char *__name);
__HD_API cudaKernelSetAttributeForDevice(cudaKernel_t __kernel, enum cudaFuncAttribute __attr,
	int __value, int __device);

/* Profiler. */
__HD_API cudaProfilerStart(void);
__HD_API cudaProfilerStop(void);

/* Functions that compilers emit calls of. */
extern void **__cudaRegisterFatBinary(void *__fatCubin);
extern void __cudaRegisterFatBinaryEnd(void **__fatCubinHandle);
extern void __cudaUnregisterFatBinary(void **__fatCubinHandle);
extern unsigned __cudaPushCallConfiguration(dim3 __gridDim, dim3 __blockDim,
	size_t __sharedMem __dv(0), struct CUstream_st *__stream __dv(0));
extern cudaError_t __cudaPopCallConfiguration(dim3 *__gridDim, dim3 *__blockDim,
	size_t *__sharedMem, void *__stream);

#if defined(__cplusplus)
}
#endif
#undef __HD_API
#undef __dv

#endif
