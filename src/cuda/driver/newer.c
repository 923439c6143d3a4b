/* Driver API: additions of CUDA 11.2 and later for memory, streams and launches. Pools, events and
 * streams are the runtime's own; a place (CUmemLocation) has the runtime's layout. */
#include "cuda/driver/driver.h"
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"

RT_DECL(cudaEventRecordWithFlags, (cudaEvent_t, cudaStream_t, unsigned));
RT_DECL(cudaStreamIsCapturing, (cudaStream_t, enum cudaStreamCaptureStatus *));
RT_DECL(cudaStreamGetId, (cudaStream_t, unsigned long long *));
RT_DECL(cudaStreamGetDevice, (cudaStream_t, int *));
RT_DECL(cudaThreadExchangeStreamCaptureMode, (enum cudaStreamCaptureMode *));
RT_DECL(cudaDeviceGetMemPool, (cudaMemPool_t *, int));
RT_DECL(cudaDeviceSetMemPool, (int, cudaMemPool_t));
RT_DECL(cudaMallocFromPoolAsync, (void **, size_t, cudaMemPool_t, cudaStream_t));
RT_DECL(cudaMemPoolDestroy, (cudaMemPool_t));
RT_DECL(cudaMemPoolTrimTo, (cudaMemPool_t, size_t));
RT_DECL(cudaMemPoolSetAttribute, (cudaMemPool_t, enum cudaMemPoolAttr, void *));
RT_DECL(cudaMemPoolGetAttribute, (cudaMemPool_t, enum cudaMemPoolAttr, void *));
RT_DECL(cudaMemPoolSetAccess, (cudaMemPool_t, const struct cudaMemAccessDesc *, size_t));
RT_DECL(cudaMemPoolGetAccess, (enum cudaMemAccessFlags *, cudaMemPool_t, struct cudaMemLocation *));
RT_DECL(cudaFuncGetName, (const char **, const void *));
RT_DECL(cudaFuncGetParamInfo, (const void *, size_t, size_t *, size_t *));
RT_DECL(cudaOccupancyAvailableDynamicSMemPerBlock, (size_t *, const void *, int, int));
cudaError_t rt13_prefetch(const void *p, size_t n, struct cudaMemLocation l, unsigned flags,
			  cudaStream_t s);
cudaError_t rt13_advise(const void *p, size_t n, enum cudaMemoryAdvise advice,
			struct cudaMemLocation l);

_Static_assert(sizeof(CUmemPoolProps) == sizeof(struct cudaMemPoolProps), "pools");
_Static_assert(sizeof(CUmemAccessDesc) == sizeof(struct cudaMemAccessDesc), "access to pools");

static struct cudaMemLocation runtime_place(CUmemLocation l)
{
	return (struct cudaMemLocation){(enum cudaMemLocationType)l.type, l.id};
}

/* ---- events, streams, contexts ---- */

CUresult cuEventRecordWithFlags(CUevent e, CUstream s, unsigned flags)
{
	RETURN_OF(OWN_EVENT, e, rt_cudaEventRecordWithFlags(e, s, flags));
}
CUresult cuEventElapsedTime_v2(float *ms, CUevent a, CUevent b)
{
	RETURN_OF(OWN_EVENT, a, rt_cudaEventElapsedTime(ms, a, b));
}
CUresult cuStreamIsCapturing(CUstream s, CUstreamCaptureStatus *status)
{
	RETURN_ON(s, rt_cudaStreamIsCapturing(s, (enum cudaStreamCaptureStatus *)status));
}
CUresult cuStreamGetId(CUstream s, unsigned long long *id)
{
	RETURN_ON(s, rt_cudaStreamGetId(s, id));
}
CUresult cuStreamGetDevice(CUstream s, CUdevice *dev)
{
	RETURN_ON(s, rt_cudaStreamGetDevice(s, dev));
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	return drv(rt_cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)mode));
}
CUresult cuCtxGetId(CUcontext c, unsigned long long *id)
{
	CONTEXT_OR_RETURN();
	if (!id)
		return CUDA_ERROR_INVALID_VALUE;
	CUcontext now = c;
	CUresult r = now ? CUDA_SUCCESS : cuCtxGetCurrent(&now);
	*id = (unsigned long long)(uintptr_t)now;
	return r;
}
/* No-op: the L2 reserves no lines. */
CUresult cuCtxResetPersistingL2Cache(void)
{
	CONTEXT_OR_RETURN();
	return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned flags)
{
	CONTEXT_OR_RETURN();
	process.device.flags = flags; /* flags say how the host waits: hints */
	return CUDA_SUCCESS;
}

/* ---- memory ---- */

RT_DECL(cudaMemRangeGetAttribute,
	(void *, size_t, enum cudaMemRangeAttribute, const void *, size_t));
CUresult cuMemRangeGetAttribute(void *data, size_t size, CUmem_range_attribute attr, CUdeviceptr p,
				size_t n)
{
	RETURN_DRIVER(rt_cudaMemRangeGetAttribute(data, size, (enum cudaMemRangeAttribute)attr,
						  PTR(p), n));
}
CUresult cuMemRangeGetAttributes(void **data, size_t *size, CUmem_range_attribute *attr,
				 size_t count, CUdeviceptr p, size_t n)
{
	CUresult r = data && size && attr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count && !r; i++)
		r = cuMemRangeGetAttribute(data[i], size[i], attr[i], p, n);
	return r;
}
CUresult cuPointerSetAttribute(const void *v, CUpointer_attribute attr, CUdeviceptr p)
{
	CUdeviceptr base;
	size_t size;
	if (!v || attr != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
		return CUDA_ERROR_INVALID_VALUE;
	return cuMemGetAddressRange(&base, &size, p); /* copies always wait for the work that they
	                                               * depend on */
}
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *n, CUarray_format format, unsigned channels,
					    CUdevice dev)
{
	struct cudaChannelFormatDesc d;
	if (!n || dev || !channel_desc(format, channels, &d))
		return dev ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	*n = 1 << 28;
	return CUDA_SUCCESS;
}
/* All contexts see one memory; this form only adds the contexts' names. */
_Static_assert(sizeof(CUDA_MEMCPY3D_PEER) == sizeof(CUDA_MEMCPY3D), "contexts in reserved places");
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *c, CUstream s)
{
	CUDA_MEMCPY3D same;
	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&same, c, sizeof same);
	return cuMemcpy3DAsync(&same, s);
}
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *c)
{
	CUDA_MEMCPY3D same;
	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&same, c, sizeof same);
	return cuMemcpy3D(&same);
}

CUresult cuMemAdvise_v2(CUdeviceptr p, size_t n, CUmem_advise advice, CUmemLocation l)
{
	RETURN_DRIVER(rt13_advise(PTR(p), n, (enum cudaMemoryAdvise)advice, runtime_place(l)));
}
CUresult cuMemPrefetchAsync_v2(CUdeviceptr p, size_t n, CUmemLocation l, unsigned flags, CUstream s)
{
	RETURN_ON(s, rt13_prefetch(PTR(p), n, runtime_place(l), flags, s));
}

static CUresult fill_memory(CUdeviceptr p, size_t pitch, unsigned v, unsigned size, size_t w,
			    size_t h, CUstream s)
{
	RETURN_ON(s, fill_submit(&(struct fill){p, pitch, 0, w, h, 1, v, size}, s));
}
CUresult cuMemsetD2D8Async(CUdeviceptr p, size_t pitch, unsigned char v, size_t w, size_t h,
			   CUstream s)
{
	return fill_memory(p, pitch, v, 1, w, h, s);
}
CUresult cuMemsetD2D16Async(CUdeviceptr p, size_t pitch, unsigned short v, size_t w, size_t h,
			    CUstream s)
{
	return fill_memory(p, pitch, v, 2, w, h, s);
}
CUresult cuMemsetD2D32Async(CUdeviceptr p, size_t pitch, unsigned v, size_t w, size_t h, CUstream s)
{
	return fill_memory(p, pitch, v, 4, w, h, s);
}

/* Clears an attribute of an unknown address, or an unknown attribute. Only this call returns such
 * zeros. */
static void no_attribute(void *data, CUpointer_attribute attr)
{
	switch ((int)attr) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
	case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
	case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
	case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID: memset(data, 0, 8); break;
	case CU_POINTER_ATTRIBUTE_MAPPED: memset(data, 0, 1); break;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = -2; break;
	default: memset(data, 0, 4);
	}
}

CUresult cuPointerGetAttributes(unsigned n, CUpointer_attribute *attr, void **data, CUdeviceptr p)
{
	CONTEXT_OR_RETURN();
	if (n && (!attr || !data))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < n; i++)
		if (cuPointerGetAttribute(data[i], attr[i], p))
			no_attribute(data[i], attr[i]);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
	RETURN_NAMED(rt_cudaDeviceGetMemPool(pool, dev));
}
CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
	RETURN_NAMED(rt_cudaDeviceSetMemPool(dev, pool));
}
RT_DECL(cudaMemGetDefaultMemPool,
	(cudaMemPool_t *, struct cudaMemLocation *, enum cudaMemAllocationType));
RT_DECL(cudaMemGetMemPool, (cudaMemPool_t *, struct cudaMemLocation *, enum cudaMemAllocationType));
RT_DECL(cudaMemSetMemPool, (struct cudaMemLocation *, enum cudaMemAllocationType, cudaMemPool_t));
CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *l, CUmemAllocationType type)
{
	RETURN_NAMED(rt_cudaMemGetDefaultMemPool(pool, (struct cudaMemLocation *)l,
						 (enum cudaMemAllocationType)type));
}
CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *l, CUmemAllocationType type)
{
	RETURN_NAMED(rt_cudaMemGetMemPool(pool, (struct cudaMemLocation *)l,
					  (enum cudaMemAllocationType)type));
}
CUresult cuMemSetMemPool(CUmemLocation *l, CUmemAllocationType type, CUmemoryPool pool)
{
	RETURN_NAMED(rt_cudaMemSetMemPool((struct cudaMemLocation *)l,
					  (enum cudaMemAllocationType)type, pool));
}
static cudaError_t alloc_from(CUdeviceptr *out, size_t n, CUmemoryPool pool, CUstream s)
{
	void *p = NULL;
	cudaError_t e = out ? rt_cudaMallocFromPoolAsync(&p, n, pool, s) : cudaErrorInvalidValue;
	if (!e)
		*out = (CUdeviceptr)(uintptr_t)p;
	return e;
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t n, CUmemoryPool pool, CUstream s)
{
	RETURN_ON(s, alloc_from(out, n, pool, s));
}
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
	struct cudaMemPoolProps p;
	if (!props)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&p, props, sizeof p);
	RETURN_NAMED(rt_cudaMemPoolCreate(pool, &p));
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) { RETURN_NAMED(rt_cudaMemPoolDestroy(pool)); }
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	RETURN_NAMED(rt_cudaMemPoolTrimTo(pool, keep));
}
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
	RETURN_NAMED(rt_cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attr, value));
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
	RETURN_NAMED(rt_cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attr, value));
}
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t n)
{
	RETURN_NAMED(rt_cudaMemPoolSetAccess(pool, (const struct cudaMemAccessDesc *)map, n));
}
CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *l)
{
	struct cudaMemLocation where;
	if (!l)
		return CUDA_ERROR_INVALID_VALUE;
	where = runtime_place(*l);
	RETURN_NAMED(rt_cudaMemPoolGetAccess((enum cudaMemAccessFlags *)flags, pool, &where));
}

/* ---- functions and launches ---- */

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **params, void **extra)
{
	bool together = false;
	dim3 cluster = {0, 0, 0};
	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < c->numAttrs; i++) {
		const CUlaunchAttributeValue *v = &c->attrs[i].value;
		if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
			together = v->cooperative != 0;
		if (c->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
			cluster = (dim3){v->clusterDim.x, v->clusterDim.y, v->clusterDim.z};
	}
	if (cluster.x)
		return drv_launch(
			f,
			&(struct launch_conf){.grid = {c->gridDimX, c->gridDimY, c->gridDimZ},
					      .block = {c->blockDimX, c->blockDimY, c->blockDimZ},
					      .shared = c->sharedMemBytes,
					      .stream = c->hStream,
					      .cooperative = together,
					      .cluster = cluster},
			params, extra);
	if (together)
		return cuLaunchCooperativeKernel(f, c->gridDimX, c->gridDimY, c->gridDimZ,
						 c->blockDimX, c->blockDimY, c->blockDimZ,
						 c->sharedMemBytes, c->hStream, params);
	return cuLaunchKernel(f, c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX, c->blockDimY,
			      c->blockDimZ, c->sharedMemBytes, c->hStream, params, extra);
}

CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *p, unsigned n, unsigned flags)
{
	(void)flags;
	if (n != 1 || !p)
		return n > 1 ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	return cuLaunchCooperativeKernel(p->function, p->gridDimX, p->gridDimY, p->gridDimZ,
					 p->blockDimX, p->blockDimY, p->blockDimZ,
					 p->sharedMemBytes, p->hStream, p->kernelParams);
}

CUresult cuFuncGetName(const char **name, CUfunction f)
{
	CONTEXT_OR_RETURN();
	return f && name ? drv(rt_cudaFuncGetName(name, f)) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuFuncGetModule(CUmodule *m, CUfunction f)
{
	KERNEL_OR_RETURN(k, f);
	if (!m)
		return CUDA_ERROR_INVALID_VALUE;
	*m = (CUmodule)k->m;
	return CUDA_SUCCESS;
}
CUresult cuFuncGetParamInfo(CUfunction f, size_t i, size_t *offset, size_t *size)
{
	CONTEXT_OR_RETURN();
	return f && offset ? drv(rt_cudaFuncGetParamInfo(f, i, offset, size))
			   : CUDA_ERROR_INVALID_VALUE;
}
/* A function whose handle a program holds is loaded. */
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction f)
{
	CONTEXT_OR_RETURN();
	if (!f || !state)
		return CUDA_ERROR_INVALID_VALUE;
	*state = CU_FUNCTION_LOADING_STATE_LOADED;
	return CUDA_SUCCESS;
}
CUresult cuFuncLoad(CUfunction f)
{
	CONTEXT_OR_RETURN();
	return f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = CU_MODULE_LAZY_LOADING;
	return CUDA_SUCCESS;
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction f, int blocks,
						 int threads)
{
	RETURN_DRIVER(rt_cudaOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, threads));
}
