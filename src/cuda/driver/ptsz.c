/* Driver API: entry points for programs compiled with one default stream per thread. Each is the
 * plain call in which stream 0 means the calling thread's own stream, as in the runtime
 * (export.h). */
#include "cuda/driver/driver.h"

#define OWN(name, suffix, params, args)                                                            \
	CUresult name##suffix params;                                                              \
	CUresult name##suffix params                                                               \
	{                                                                                          \
		thread.own_stream_depth++;                                                         \
		CUresult own_ = name args;                                                         \
		thread.own_stream_depth--;                                                         \
		return own_;                                                                       \
	}

OWN(cuEventRecord, _ptsz, (CUevent event, CUstream stream), (event, stream))
OWN(cuEventRecordWithFlags, _ptsz, (CUevent e, CUstream stream, unsigned flags), (e, stream, flags))
OWN(cuGraphInstantiateWithParams, _ptsz,
    (CUgraphExec * exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params),
    (exec, graph, params))
OWN(cuGraphLaunch, _ptsz, (CUgraphExec exec, CUstream stream), (exec, stream))
OWN(cuGraphUpload, _ptsz, (CUgraphExec exec, CUstream stream), (exec, stream))
OWN(cuLaunchCooperativeKernel, _ptsz,
    (CUfunction f, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
     unsigned blockZ, unsigned sharedBytes, CUstream stream, void **params),
    (f, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, params))
OWN(cuLaunchHostFunc, _ptsz, (CUstream stream, CUhostFn fn, void *userData), (stream, fn, userData))
OWN(cuLaunchKernel, _ptsz,
    (CUfunction f, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,
     unsigned blockZ, unsigned sharedBytes, CUstream stream, void **params, void **extra),
    (f, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, params, extra))
OWN(cuLaunchKernelEx, _ptsz,
    (const CUlaunchConfig *config, CUfunction f, void **params, void **extra),
    (config, f, params, extra))
OWN(cuMemAllocAsync, _ptsz, (CUdeviceptr * dptr, size_t bytes, CUstream stream),
    (dptr, bytes, stream))
OWN(cuMemAllocFromPoolAsync, _ptsz,
    (CUdeviceptr * ptr, size_t size, CUmemoryPool pool, CUstream stream), (ptr, size, pool, stream))
OWN(cuMemFreeAsync, _ptsz, (CUdeviceptr dptr, CUstream stream), (dptr, stream))
OWN(cuMemPrefetchAsync_v2, _ptsz,
    (CUdeviceptr ptr, size_t count, CUmemLocation location, unsigned flags, CUstream stream),
    (ptr, count, location, flags, stream))
OWN(cuMemcpy, _ptds, (CUdeviceptr dst, CUdeviceptr src, size_t bytes), (dst, src, bytes))
OWN(cuMemcpy2D_v2, _ptds, (const CUDA_MEMCPY2D *copy), (copy))
OWN(cuMemcpy2DAsync_v2, _ptsz, (const CUDA_MEMCPY2D *copy, CUstream stream), (copy, stream))
OWN(cuMemcpy2DUnaligned_v2, _ptds, (const CUDA_MEMCPY2D *copy), (copy))
OWN(cuMemcpy3D_v2, _ptds, (const CUDA_MEMCPY3D *copy), (copy))
OWN(cuMemcpy3DAsync_v2, _ptsz, (const CUDA_MEMCPY3D *copy, CUstream stream), (copy, stream))
OWN(cuMemcpyAsync, _ptsz, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream),
    (dst, src, bytes, stream))
OWN(cuMemcpyAtoA_v2, _ptds, (CUarray dst, size_t dstOff, CUarray src, size_t srcOff, size_t bytes),
    (dst, dstOff, src, srcOff, bytes))
OWN(cuMemcpyAtoD_v2, _ptds, (CUdeviceptr dst, CUarray src, size_t off, size_t bytes),
    (dst, src, off, bytes))
OWN(cuMemcpyAtoH_v2, _ptds, (void *dst, CUarray src, size_t off, size_t bytes),
    (dst, src, off, bytes))
OWN(cuMemcpyAtoHAsync_v2, _ptsz,
    (void *dst, CUarray src, size_t off, size_t bytes, CUstream stream),
    (dst, src, off, bytes, stream))
OWN(cuMemcpyDtoA_v2, _ptds, (CUarray dst, size_t off, CUdeviceptr src, size_t bytes),
    (dst, off, src, bytes))
OWN(cuMemcpyDtoD_v2, _ptds, (CUdeviceptr dst, CUdeviceptr src, size_t bytes), (dst, src, bytes))
OWN(cuMemcpyDtoDAsync_v2, _ptsz, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream),
    (dst, src, bytes, stream))
OWN(cuMemcpyDtoH_v2, _ptds, (void *dst, CUdeviceptr src, size_t bytes), (dst, src, bytes))
OWN(cuMemcpyDtoHAsync_v2, _ptsz, (void *dst, CUdeviceptr src, size_t bytes, CUstream stream),
    (dst, src, bytes, stream))
OWN(cuMemcpyHtoA_v2, _ptds, (CUarray dst, size_t off, const void *src, size_t bytes),
    (dst, off, src, bytes))
OWN(cuMemcpyHtoAAsync_v2, _ptsz,
    (CUarray dst, size_t off, const void *src, size_t bytes, CUstream stream),
    (dst, off, src, bytes, stream))
OWN(cuMemcpyHtoD_v2, _ptds, (CUdeviceptr dst, const void *src, size_t bytes), (dst, src, bytes))
OWN(cuMemcpyHtoDAsync_v2, _ptsz, (CUdeviceptr dst, const void *src, size_t bytes, CUstream stream),
    (dst, src, bytes, stream))
OWN(cuMemcpyPeer, _ptds,
    (CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext, size_t bytes),
    (dst, dstContext, src, srcContext, bytes))
OWN(cuMemcpyPeerAsync, _ptsz,
    (CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src, CUcontext srcContext, size_t bytes,
     CUstream stream),
    (dst, dstContext, src, srcContext, bytes, stream))
OWN(cuMemsetD16_v2, _ptds, (CUdeviceptr dst, unsigned short value, size_t n), (dst, value, n))
OWN(cuMemsetD16Async, _ptsz, (CUdeviceptr dst, unsigned short value, size_t n, CUstream stream),
    (dst, value, n, stream))
OWN(cuMemsetD2D16_v2, _ptds,
    (CUdeviceptr dst, size_t pitch, unsigned short value, size_t width, size_t height),
    (dst, pitch, value, width, height))
OWN(cuMemsetD2D16Async, _ptsz,
    (CUdeviceptr dst, size_t pitch, unsigned short us, size_t width, size_t height,
     CUstream stream),
    (dst, pitch, us, width, height, stream))
OWN(cuMemsetD2D32_v2, _ptds,
    (CUdeviceptr dst, size_t pitch, unsigned value, size_t width, size_t height),
    (dst, pitch, value, width, height))
OWN(cuMemsetD2D32Async, _ptsz,
    (CUdeviceptr dst, size_t pitch, unsigned ui, size_t width, size_t height, CUstream stream),
    (dst, pitch, ui, width, height, stream))
OWN(cuMemsetD2D8_v2, _ptds,
    (CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height),
    (dst, pitch, value, width, height))
OWN(cuMemsetD2D8Async, _ptsz,
    (CUdeviceptr dst, size_t pitch, unsigned char uc, size_t width, size_t height, CUstream stream),
    (dst, pitch, uc, width, height, stream))
OWN(cuMemsetD32_v2, _ptds, (CUdeviceptr dst, unsigned value, size_t n), (dst, value, n))
OWN(cuMemsetD32Async, _ptsz, (CUdeviceptr dst, unsigned value, size_t n, CUstream stream),
    (dst, value, n, stream))
OWN(cuMemsetD8_v2, _ptds, (CUdeviceptr dst, unsigned char value, size_t n), (dst, value, n))
OWN(cuMemsetD8Async, _ptsz, (CUdeviceptr dst, unsigned char value, size_t n, CUstream stream),
    (dst, value, n, stream))
OWN(cuStreamAddCallback, _ptsz,
    (CUstream stream, CUstreamCallback callback, void *userData, unsigned flags),
    (stream, callback, userData, flags))
OWN(cuStreamAttachMemAsync, _ptsz,
    (CUstream stream, CUdeviceptr dptr, size_t length, unsigned flags),
    (stream, dptr, length, flags))
OWN(cuStreamBeginCapture_v2, _ptsz, (CUstream stream, CUstreamCaptureMode mode), (stream, mode))
OWN(cuStreamBeginCaptureToGraph, _ptsz,
    (CUstream stream, CUgraph graph, const CUgraphNode *deps, const CUgraphEdgeData *edges,
     size_t n, CUstreamCaptureMode mode),
    (stream, graph, deps, edges, n, mode))
OWN(cuStreamEndCapture, _ptsz, (CUstream stream, CUgraph *graph), (stream, graph))
OWN(cuStreamGetCaptureInfo_v3, _ptsz,
    (CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
     const CUgraphNode **deps, const CUgraphEdgeData **edges, size_t *n),
    (stream, status, id, graph, deps, edges, n))
OWN(cuStreamGetCtx, _ptsz, (CUstream stream, CUcontext *ctx), (stream, ctx))
OWN(cuStreamGetDevice, _ptsz, (CUstream stream, CUdevice *dev), (stream, dev))
OWN(cuStreamGetFlags, _ptsz, (CUstream stream, unsigned *flags), (stream, flags))
OWN(cuStreamGetId, _ptsz, (CUstream stream, unsigned long long *id), (stream, id))
OWN(cuStreamGetPriority, _ptsz, (CUstream stream, int *priority), (stream, priority))
OWN(cuStreamIsCapturing, _ptsz, (CUstream stream, CUstreamCaptureStatus *status), (stream, status))
OWN(cuStreamQuery, _ptsz, (CUstream stream), (stream))
OWN(cuStreamSynchronize, _ptsz, (CUstream stream), (stream))
OWN(cuStreamUpdateCaptureDependencies_v2, _ptsz,
    (CUstream stream, CUgraphNode *deps, const CUgraphEdgeData *edges, size_t n, unsigned flags),
    (stream, deps, edges, n, flags))
OWN(cuStreamWaitEvent, _ptsz, (CUstream stream, CUevent event, unsigned flags),
    (stream, event, flags))
