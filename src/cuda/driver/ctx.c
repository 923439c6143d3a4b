/* Driver API: initialisation, the device, contexts, errors. */
#include <stdio.h>
#include "cuda/driver/driver.h"
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"
#include "cuda/device/props.h"

CUresult drv(cudaError_t e)
{
	if (e)
		rt_cudaGetLastError();
	switch ((int)e) {
	case cudaErrorInvalidDeviceFunction:
	case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
	case cudaErrorInvalidConfiguration:
	case cudaErrorInvalidPitchValue:
	case cudaErrorInvalidHostPointer:
	case cudaErrorInvalidDevicePointer:
	case cudaErrorInvalidMemcpyDirection:
	case cudaErrorInvalidChannelDescriptor:
	case cudaErrorInvalidTexture:
	case cudaErrorInvalidTextureBinding:
	case cudaErrorInvalidFilterSetting:
	case cudaErrorInvalidNormSetting:
	case cudaErrorInvalidSurface: return CUDA_ERROR_INVALID_VALUE;
	default: return (CUresult)e;
	}
}

CUresult drv_initialised(void)
{
	return process.contexts.initialised || process.contexts.bound ? drv(device_open())
								      : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult drv_context(void)
{
	if (!process.contexts.initialised && !process.contexts.bound)
		return CUDA_ERROR_NOT_INITIALIZED;
	const struct CUctx_st *c = context_current();
	if (!c || c->dead)
		return c ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
	return drv(rt_open());
}

/* ---- errors ---- */

CUresult cuGetErrorString(CUresult e, const char **s)
{
	*s = error_text((int)e);
	return *s ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult e, const char **s)
{
	*s = error_driver_name((int)e);
	return *s ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- the device ---- */

CUresult cuInit(unsigned flags)
{
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	process.contexts.initialised = true;
	return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *v)
{
	*v = 13000;
	return CUDA_SUCCESS;
}

#define DEVICE_OR_RETURN(dev)                                                                      \
	if (!process.contexts.initialised)                                                         \
		return CUDA_ERROR_NOT_INITIALIZED;                                                 \
	if (dev)                                                                                   \
		return CUDA_ERROR_INVALID_DEVICE;                                                  \
	if (device_open() == cudaErrorNoDevice)                                                    \
	return CUDA_ERROR_NO_DEVICE

CUresult cuDeviceGetCount(int *n)
{
	if (!process.contexts.initialised)
		return CUDA_ERROR_NOT_INITIALIZED;
	*n = device_open() != cudaErrorNoDevice;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *dev, int ordinal)
{
	DEVICE_OR_RETURN(ordinal);
	*dev = 0;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int n, CUdevice dev)
{
	DEVICE_OR_RETURN(dev);
	snprintf(name, n > 0 ? (size_t)n : 0, "%s", device_info()->name);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
	DEVICE_OR_RETURN(dev);
	*uuid = (CUuuid){{'H', 'e', 'd', 'd', 'l', 'e'}};
	return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev) { return cuDeviceGetUuid(uuid, dev); }

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice dev)
{
	DEVICE_OR_RETURN(dev);
	*bytes = device_info()->memory_bytes;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *v, CUdevice_attribute attr, CUdevice dev)
{
	DEVICE_OR_RETURN(dev);
	return device_attribute((int)attr, v) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetProperties(CUdevprop *p, CUdevice dev)
{
	DEVICE_OR_RETURN(dev);
	const struct heddle_device *d = device_info();
	*p = (CUdevprop){(int)d->threads_per_block,
			 {1024, 1024, 64},
			 {0x7fffffff, 65535, 65535},
			 (int)d->shared_per_block,
			 (int)d->const_bytes,
			 (int)d->warp_size,
			 0x7fffffff,
			 (int)d->registers_per_block,
			 (int)d->clock_khz,
			 512};
	return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
	DEVICE_OR_RETURN(dev);
	*major = (int)device_info()->major;
	*minor = (int)device_info()->minor;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *id, int n, CUdevice dev)
{
	DEVICE_OR_RETURN(dev);
	if (n < 13)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(id, (size_t)n, "0000:01:00.0");
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *id)
{
	DEVICE_OR_RETURN(0);
	return drv(device_by_bus_id(dev, id));
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice a, CUdevice b)
{
	DEVICE_OR_RETURN(a);
	DEVICE_OR_RETURN(b);
	*can = 0;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int *v, CUdevice_P2PAttribute attr, CUdevice a, CUdevice b)
{
	(void)v, (void)attr, (void)a, (void)b;
	return CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice dev)
{
	DEVICE_OR_RETURN(dev);
	return drv(rt_cudaDeviceGetDefaultMemPool((cudaMemPool_t *)pool, 0));
}

/* ---- contexts: several may exist, and all see one memory; objects end with their context ---- */

static CUresult push_context(struct CUctx_st *c)
{
	if (thread.contexts.n == 64)
		return CUDA_ERROR_INVALID_VALUE;
	if (c->dead)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	thread.contexts.ctx[thread.contexts.n++] = c;
	return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext *out, unsigned flags, CUdevice dev)
{
	DEVICE_OR_RETURN(dev);
	struct CUctx_st *c = rt_alloc(sizeof *c);
	c->flags = flags;
	*out = c;
	return push_context(c);
}
CUresult cuCtxCreate_v3(CUcontext *out, void *affinity, int n, unsigned flags, CUdevice dev);
CUresult cuCtxCreate_v3(CUcontext *out, void *affinity, int n, unsigned flags, CUdevice dev)
{
	(void)affinity;
	return n ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate(out, flags, dev);
}
CUresult cuCtxCreate_v4(CUcontext *out, CUctxCreateParams *params, unsigned flags, CUdevice dev)
{
	bool asks = params && (params->numExecAffinityParams || params->cigParams);
	return asks ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate(out, flags, dev);
}

CUresult cuCtxDestroy(CUcontext c)
{
	if (!c || c->dead || c == &process.contexts.primary)
		return !c || c->dead ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
	device_wait();
	process.device.sticky = process.device.async_error =
		cudaSuccess; /* a fault ends with its context */
	context_free(c);
	if (context_current() == c)
		thread.contexts.n--;
	c->dead = true;
	pthread_mutex_lock(&process.lock);
	c->next = process.contexts.destroyed;
	process.contexts.destroyed = c;
	pthread_mutex_unlock(&process.lock);
	return CUDA_SUCCESS;
}

CUresult cuCtxAttach(CUcontext *out, unsigned flags)
{
	(void)flags;
	return cuCtxGetCurrent(out);
}
CUresult cuCtxDetach(CUcontext c) { return cuCtxDestroy(c); }

CUresult cuCtxPushCurrent(CUcontext c) { return c ? push_context(c) : CUDA_ERROR_INVALID_CONTEXT; }

CUresult cuCtxPopCurrent(CUcontext *out)
{
	if (!thread.contexts.n)
		return CUDA_ERROR_INVALID_CONTEXT;
	thread.contexts.n--;
	if (out)
		*out = thread.contexts.ctx[thread.contexts.n];
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext c)
{
	if (!process.contexts.initialised && !process.contexts.bound)
		return CUDA_ERROR_NOT_INITIALIZED;
	if (c && c->dead)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	if (thread.contexts.n)
		thread.contexts.n--;
	return c ? push_context(c) : CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *out)
{
	if (!process.contexts.initialised && !process.contexts.bound)
		return CUDA_ERROR_NOT_INITIALIZED;
	*out = context_current();
	return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *dev)
{
	CONTEXT_OR_RETURN();
	*dev = 0;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned *flags)
{
	CONTEXT_OR_RETURN();
	*flags = context_current() == &process.contexts.primary ? process.device.flags
								: context_current()->flags;
	return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) { RETURN_DRIVER(device_wait()); }

/* Checks the context that calls of CUDA 13 name; NULL: the current context. */
static CUresult check_alive(CUcontext c)
{
	CUresult r = c ? CUDA_SUCCESS : drv_context();
	return r ? r : c && c->dead ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_SUCCESS;
}
CUresult cuCtxGetDevice_v2(CUdevice *dev, CUcontext c);
CUresult cuCtxGetDevice_v2(CUdevice *dev, CUcontext c)
{
	CUresult r = check_alive(c);
	if (!r)
		*dev = 0;
	return r;
}
CUresult cuCtxSynchronize_v2(CUcontext c);
CUresult cuCtxSynchronize_v2(CUcontext c)
{
	CUresult r = check_alive(c);
	return r ? r : drv(device_wait());
}
CUresult cuCtxSetLimit(CUlimit l, size_t v)
{
	RETURN_DRIVER(rt_cudaDeviceSetLimit((enum cudaLimit)l, v));
}
CUresult cuCtxGetLimit(size_t *v, CUlimit l)
{
	RETURN_DRIVER(rt_cudaDeviceGetLimit(v, (enum cudaLimit)l));
}
CUresult cuCtxGetStreamPriorityRange(int *a, int *b)
{
	RETURN_DRIVER(rt_cudaDeviceGetStreamPriorityRange(a, b));
}

CUresult cuCtxGetApiVersion(CUcontext c, unsigned *version)
{
	(void)c;
	*version = 3020;
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache c)
{
	CONTEXT_OR_RETURN();
	process.contexts.cache = (int)c;
	return CUDA_SUCCESS;
}
CUresult cuCtxGetCacheConfig(CUfunc_cache *c)
{
	CONTEXT_OR_RETURN();
	*c = (CUfunc_cache)process.contexts.cache;
	return CUDA_SUCCESS;
}
CUresult cuCtxSetSharedMemConfig(CUsharedconfig c)
{
	CONTEXT_OR_RETURN();
	process.contexts.banks = (int)c;
	return CUDA_SUCCESS;
}
CUresult cuCtxGetSharedMemConfig(CUsharedconfig *c)
{
	CONTEXT_OR_RETURN();
	*c = (CUsharedconfig)process.contexts.banks;
	return CUDA_SUCCESS;
}
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
	(void)peer, (void)flags;
	return CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
	(void)peer;
	return CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice dev)
{
	DEVICE_OR_RETURN(dev);
	process.contexts.primary_uses++;
	*out = &process.contexts.primary;
	return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice dev)
{
	DEVICE_OR_RETURN(dev);
	if (!process.contexts.primary_uses)
		return CUDA_ERROR_INVALID_CONTEXT;
	return !--process.contexts.primary_uses && !process.contexts.bound
		       ? drv(rt_cudaDeviceReset())
		       : CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxReset(CUdevice dev)
{
	DEVICE_OR_RETURN(dev);
	return drv(rt_cudaDeviceReset());
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned flags)
{
	DEVICE_OR_RETURN(dev);
	process.device.flags = flags;
	return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned *flags, int *active)
{
	DEVICE_OR_RETURN(dev);
	*flags = process.device.flags;
	*active = process.contexts.primary_uses || process.contexts.bound;
	return CUDA_SUCCESS;
}

/* ---- profiler ---- */

CUresult cuProfilerInitialize(const char *config, const char *out, CUoutput_mode mode)
{
	(void)config, (void)out, (void)mode;
	return CUDA_SUCCESS;
}
CUresult cuProfilerStart(void) { return CUDA_SUCCESS; }
CUresult cuProfilerStop(void) { return CUDA_SUCCESS; }

/* ---- first versions ---- */

FIRST_NAME(cuCtxCreate, _v2);
FIRST_NAME(cuDeviceTotalMem, _v2);
