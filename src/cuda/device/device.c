/* Entry points about the device: choosing it, its attributes, limits and flags, waiting for it, and
 * resetting it. props.c has the properties. */
#include <stdio.h>
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"
#include "cuda/device/props.h"
#include "cuda/rt.h"

/* ---- choosing ---- */

RT(cudaGetDeviceCount, (int *n))
{
	if (!n)
		return rt_error(cudaErrorInvalidValue);
	cudaError_t e = rt_open();
	*n = e != cudaErrorNoDevice;
	return rt_error(e);
}

RT(cudaGetDevice, (int *device))
{
	if (!device)
		return rt_error(cudaErrorInvalidValue);
	*device = 0;
	return rt_error(rt_open());
}

static cudaError_t check_device(int device)
{
	RETURN_IF_ERROR(rt_open());
	return device ? rt_error(cudaErrorInvalidDevice) : cudaSuccess;
}

RT(cudaSetDevice, (int device))
{
	RETURN_IF_ERROR(check_device(device));
	context_choose();
	return cudaSuccess;
}
RT(cudaInitDevice, (int device, unsigned flags, unsigned more))
{
	(void)flags, (void)more;
	return check_device(device);
}
RT(cudaSetValidDevices, (int *list, int n))
{
	for (int i = 0; i < n; i++)
		RETURN_IF_ERROR(check_device(list[i]));
	return rt_open();
}
/* OpenGL interoperation has needed no separate call to choose a device since CUDA 5; programs
 * without a window call the function, too. */
RT(cudaGLSetGLDevice, (int device))
{
	return check_device(device);
}
RT(cudaChooseDevice, (int *device, const void *prop))
{
	(void)prop;
	return rt_cudaGetDevice(device);
}
RT(cudaSetDeviceFlags, (unsigned flags))
{
	if (flags & ~(unsigned)(cudaDeviceMask | cudaDeviceSyncMemops))
		return rt_error(cudaErrorInvalidValue);
	process.device.flags = flags;
	return cudaSuccess;
}
RT(cudaGetDeviceFlags, (unsigned *flags))
{
	if (!flags)
		return rt_error(cudaErrorInvalidValue);
	*flags = process.device.flags | cudaDeviceMapHost;
	return cudaSuccess;
}
RT(cudaDeviceGetPCIBusId, (char *id, int n, int device))
{
	RETURN_IF_ERROR(check_device(device));
	if (!id || n < 13)
		return rt_error(cudaErrorInvalidValue);
	snprintf(id, (size_t)n, "0000:01:00.0");
	return cudaSuccess;
}
cudaError_t device_by_bus_id(int *device, const char *id)
{
	unsigned domain = 0, bus = 0, slot = 0;
	if (!device || !id ||
	    (sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3 &&
	     (domain = 0, sscanf(id, "%x:%x", &bus, &slot) != 2)))
		return cudaErrorInvalidValue;
	if (domain || bus != 1 || slot)
		return cudaErrorInvalidDevice;
	*device = 0;
	return cudaSuccess;
}
RT(cudaDeviceGetByPCIBusId, (int *device, const char *id))
{
	RETURN_IF_ERROR(rt_open());
	return rt_error(device_by_bus_id(device, id));
}

/* ---- peers: there is one device ---- */

RT(cudaDeviceCanAccessPeer, (int *can, int a, int b))
{
	RETURN_IF_ERROR(check_device(a));
	RETURN_IF_ERROR(check_device(b));
	*can = 0; /* a device is not its own peer */
	return cudaSuccess;
}
RT(cudaDeviceEnablePeerAccess, (int peer, unsigned flags))
{
	(void)flags;
	RETURN_IF_ERROR(rt_open());
	(void)peer;
	return rt_error(cudaErrorInvalidDevice);
}
RT(cudaDeviceDisablePeerAccess, (int peer))
{
	RETURN_IF_ERROR(rt_open());
	(void)peer;
	return rt_error(cudaErrorInvalidDevice);
}
RT(cudaDeviceGetP2PAttribute, (int *value, enum cudaDeviceP2PAttr attr, int a, int b))
{
	(void)attr, (void)value, (void)a, (void)b;
	RETURN_IF_ERROR(rt_open());
	return rt_error(cudaErrorInvalidDevice);
}

/* ---- attributes ---- */

RT(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attr, int device))
{
	if (!value)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(check_device(device));
	return device_attribute((int)attr, value) ? cudaSuccess : rt_error(cudaErrorInvalidValue);
}

RT(cudaDeviceGetTexture1DLinearMaxWidth,
   (size_t * n, const struct cudaChannelFormatDesc *d, int device))
{
	RETURN_IF_ERROR(check_device(device));
	if (!n || !d || d->x <= 0)
		return rt_error(cudaErrorInvalidValue);
	*n = 1 << 28;
	return cudaSuccess;
}

/* ---- limits and preferences ---- */

static size_t *plain_limit(enum cudaLimit l)
{
	switch (l) {
	case cudaLimitPrintfFifoSize:
		/* reported and otherwise ignored: output is never dropped */
		return &process.device.printf_fifo;
	case cudaLimitDevRuntimeSyncDepth: return &process.device.sync_depth;
	case cudaLimitDevRuntimePendingLaunchCount: return &process.device.pending_launches;
	case cudaLimitMaxL2FetchGranularity: return &process.device.l2_granularity;
	case cudaLimitPersistingL2CacheSize: return &process.device.l2_persisting;
	default: return NULL;
	}
}

RT(cudaDeviceSetLimit, (enum cudaLimit l, size_t value))
{
	RETURN_IF_ERROR(rt_open());
	size_t *p = plain_limit(l);
	if (p) {
		*p = value;
		return cudaSuccess;
	}
	if (l != cudaLimitStackSize && l != cudaLimitMallocHeapSize)
		return rt_error(cudaErrorUnsupportedLimit);
	struct heddle *h = device_lock();
	enum heddle_status st = heddle_limit_set(
		h, l == cudaLimitStackSize ? HEDDLE_LIMIT_STACK : HEDDLE_LIMIT_HEAP, value);
	device_unlock();
	return rt_error(rt_status(st));
}

RT(cudaDeviceGetLimit, (size_t * value, enum cudaLimit l))
{
	RETURN_IF_ERROR(rt_open());
	size_t *p = plain_limit(l);
	if (!value || (!p && l != cudaLimitStackSize && l != cudaLimitMallocHeapSize))
		return rt_error(value ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
	if (p) {
		*value = *p;
		return cudaSuccess;
	}
	struct heddle *h = device_lock();
	*value = heddle_limit_get(h,
				  l == cudaLimitStackSize ? HEDDLE_LIMIT_STACK : HEDDLE_LIMIT_HEAP);
	device_unlock();
	return cudaSuccess;
}
RT(cudaThreadSetLimit, (enum cudaLimit l, size_t value))
{
	return rt_cudaDeviceSetLimit(l, value);
}
RT(cudaThreadGetLimit, (size_t * value, enum cudaLimit l))
{
	return rt_cudaDeviceGetLimit(value, l);
}

RT(cudaDeviceSetCacheConfig, (enum cudaFuncCache c))
{
	RETURN_IF_ERROR(rt_open());
	process.device.cache = c;
	return cudaSuccess;
}
RT(cudaDeviceGetCacheConfig, (enum cudaFuncCache * c))
{
	RETURN_IF_ERROR(rt_open());
	*c = process.device.cache;
	return cudaSuccess;
}
RT(cudaThreadSetCacheConfig, (enum cudaFuncCache c))
{
	return rt_cudaDeviceSetCacheConfig(c);
}
RT(cudaThreadGetCacheConfig, (enum cudaFuncCache * c))
{
	return rt_cudaDeviceGetCacheConfig(c);
}
RT(cudaDeviceSetSharedMemConfig, (enum cudaSharedMemConfig c))
{
	RETURN_IF_ERROR(rt_open());
	process.device.banks = c;
	return cudaSuccess;
}
RT(cudaDeviceGetSharedMemConfig, (enum cudaSharedMemConfig * c))
{
	RETURN_IF_ERROR(rt_open());
	*c = process.device.banks;
	return cudaSuccess;
}
RT(cudaCtxResetPersistingL2Cache, (void))
{
	return rt_error(rt_open());
}
RT(cudaDeviceFlushGPUDirectRDMAWrites, (int target, int scope))
{
	(void)target, (void)scope;
	return rt_error(rt_open());
}

/* ---- waiting, ending ---- */

RT(cudaDeviceSynchronize, (void))
{
	RETURN_IF_ERROR(rt_open());
	return rt_error(device_wait());
}
RT(cudaThreadSynchronize, (void))
{
	return rt_cudaDeviceSynchronize();
}

/* Frees everything that the program made, forgets errors, and lets variables start from their
 * initial values at their next use. Statistics are kept. */
RT(cudaDeviceReset, (void))
{
	if (!process.device.h)
		return cudaSuccess; /* the limit has no effect */
	device_wait();
	process.device.sticky = process.device.async_error = cudaSuccess;
	context_reset();
	modules_unload_all();
	return cudaSuccess;
}
RT(cudaThreadExit, (void))
{
	return rt_cudaDeviceReset();
}

/* ---- versions ---- */

enum { DRIVER_VERSION = 13000 };

RT(cudaDriverGetVersion, (int *v))
{
	if (!v)
		return rt_error(cudaErrorInvalidValue);
	*v = DRIVER_VERSION;
	return cudaSuccess;
}

static cudaError_t give_version(int *v, int is)
{
	if (!v)
		return rt_error(cudaErrorInvalidValue);
	*v = is;
	return cudaSuccess;
}
cudaError_t rt10_version(int *v), rt11_version(int *v), rt12_version(int *v), rt13_version(int *v);
cudaError_t rt10_version(int *v) { return give_version(v, 10020); }
cudaError_t rt11_version(int *v) { return give_version(v, 11080); }
cudaError_t rt12_version(int *v) { return give_version(v, 12090); }
cudaError_t rt13_version(int *v) { return give_version(v, 13000); }
EXPORT_10(rt10_version, cudaRuntimeGetVersion)
EXPORT_11_ALONE(rt11_version, cudaRuntimeGetVersion)
EXPORT_12(rt12_version, cudaRuntimeGetVersion)
EXPORT_13(rt13_version, cudaRuntimeGetVersion)

/* ---- profiler: statistics cover the whole run ---- */

RT(cudaProfilerStart, (void))
{
	return cudaSuccess;
}
RT(cudaProfilerStop, (void))
{
	return cudaSuccess;
}
RT(cudaProfilerInitialize, (const char *config, const char *out, int mode))
{
	(void)config, (void)out, (void)mode;
	return cudaSuccess;
}
