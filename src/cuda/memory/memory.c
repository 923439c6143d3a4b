/* Entry points for device, pinned, registered and managed memory. heap.c keeps the allocations. */
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"
#include "cuda/rt.h"
#include "cuda/process/site.h"

/* ---- device memory ---- */

RT(cudaMalloc, (void **p, size_t size))
{
	uint64_t addr;
	if (!p)
		return rt_error(cudaErrorInvalidValue);
	*p = NULL;
	RETURN_IF_ERROR(rt_open());
	if (!size)
		return cudaSuccess;
	RETURN_IF_ERROR(mem_alloc(size, &addr));
	*p = (void *)(uintptr_t)addr;
	return cudaSuccess;
}

RT(cudaFree, (void *p))
{
	RETURN_IF_ERROR(rt_open());
	if (!p)
		return cudaSuccess;
	RETURN_IF_ERROR(device_wait());
	pthread_mutex_lock(&process.lock);
	struct host_info *i = host_find(p);
	bool managed = i && i->managed && i->p == p;
	pthread_mutex_unlock(&process.lock);
	return rt_error(managed ? host_free(p) : mem_free((uint64_t)(uintptr_t)p));
}

static uint64_t round_up(uint64_t x, uint64_t to) { return (x + to - 1) / to * to; }

RT(cudaMallocPitch, (void **p, size_t *pitch, size_t width, size_t height))
{
	if (!p || !pitch)
		return rt_error(cudaErrorInvalidValue);
	if (width > SIZE_MAX - PITCH_ALIGN ||
	    (height && round_up(width, PITCH_ALIGN) > SIZE_MAX / height))
		return rt_error(cudaErrorMemoryAllocation);
	*pitch = round_up(width, PITCH_ALIGN);
	return rt_cudaMalloc(p, *pitch * height);
}

RT(cudaMalloc3D, (struct cudaPitchedPtr * p, struct cudaExtent e))
{
	size_t pitch, rows;
	if (!p || __builtin_mul_overflow(e.height, e.depth, &rows))
		return rt_error(cudaErrorInvalidValue);
	void *at;
	RETURN_IF_ERROR(rt_cudaMallocPitch(&at, &pitch, e.width, rows));
	*p = (struct cudaPitchedPtr){at, pitch, e.width, e.height};
	return cudaSuccess;
}

RT(cudaMemGetInfo, (size_t * free_bytes, size_t *total))
{
	RETURN_IF_ERROR(rt_open());
	uint64_t f, t;
	struct heddle *h = device_lock();
	heddle_memory_info(h, &f, &t);
	device_unlock();
	if (free_bytes)
		*free_bytes = f;
	if (total)
		*total = t;
	return cudaSuccess;
}

/* ---- host memory that the device sees ---- */

RT(cudaHostAlloc, (void **p, size_t size, unsigned flags))
{
	if (!p || flags > 7)
		return rt_error(cudaErrorInvalidValue);
	*p = NULL;
	RETURN_IF_ERROR(rt_open());
	if (!size)
		return cudaSuccess;
	return rt_error(host_alloc(size, flags, false, p));
}

RT(cudaMallocHost, (void **p, size_t size))
{
	return rt_cudaHostAlloc(p, size, cudaHostAllocDefault);
}

RT(cudaFreeHost, (void *p))
{
	RETURN_IF_ERROR(rt_open());
	if (!p)
		return cudaSuccess;
	RETURN_IF_ERROR(device_wait());
	return rt_error(host_free(p));
}

RT(cudaMallocManaged, (void **p, size_t size, unsigned flags))
{
	if (!p || !size || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(rt_open());
	return rt_error(host_alloc(size, flags, true, p));
}

RT(cudaHostRegister, (void *p, size_t size, unsigned flags))
{
	if (!p || !size || flags > 15)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(rt_open());
	struct heddle *h = device_lock();
	process.device.host_memory = true;
	enum heddle_status st = heddle_map_host(h, p, size);
	device_unlock();
	if (st)
		return rt_error(cudaErrorHostMemoryAlreadyRegistered);
	host_add((struct host_info){.p = p, .size = size, .flags = flags, .registered = true});
	return cudaSuccess;
}

RT(cudaHostUnregister, (void *p))
{
	RETURN_IF_ERROR(rt_open());
	RETURN_IF_ERROR(device_wait());
	if (!host_take(p, true))
		return rt_error(cudaErrorHostMemoryNotRegistered);
	struct heddle *h = device_lock();
	heddle_unmap_host(h, p);
	device_unlock();
	return cudaSuccess;
}

RT(cudaHostGetDevicePointer, (void **device, void *host, unsigned flags))
{
	(void)flags;
	RETURN_IF_ERROR(rt_open());
	pthread_mutex_lock(&process.lock);
	bool known = host_find(host) != NULL;
	pthread_mutex_unlock(&process.lock);
	if (!device || !known)
		return rt_error(cudaErrorInvalidValue);
	struct heddle *h = device_lock();
	*device = (void *)(uintptr_t)heddle_device_address(h, host);
	device_unlock();
	return cudaSuccess;
}

RT(cudaHostGetFlags, (unsigned *flags, void *host))
{
	RETURN_IF_ERROR(rt_open());
	pthread_mutex_lock(&process.lock);
	struct host_info *i = host_find(host);
	if (i && flags)
		*flags = i->flags | cudaHostAllocMapped;
	pthread_mutex_unlock(&process.lock);
	return i && flags ? cudaSuccess : rt_error(cudaErrorInvalidValue);
}

/* ---- attributes of pointers ---- */

RT(cudaPointerGetAttributes, (struct cudaPointerAttributes * a, const void *p))
{
	struct heddle_range r;
	if (!a)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(rt_open());
	*a = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
					    .device = -2,
					    .hostPointer = (void *)(uintptr_t)p};
	struct heddle *h = device_lock();
	bool known = !heddle_range(h, (uint64_t)(uintptr_t)p, &r);
	device_unlock();
	if (!known)
		return cudaSuccess;
	pthread_mutex_lock(&process.lock);
	struct host_info *i = host_find(p);
	bool managed = i && i->managed;
	pthread_mutex_unlock(&process.lock);
	a->device = 0;
	a->devicePointer = (void *)(uintptr_t)p;
	a->type = r.kind != HEDDLE_MEM_HOST ? cudaMemoryTypeDevice
		  : managed || !i           ? cudaMemoryTypeManaged
					    : cudaMemoryTypeHost;
	if (r.kind != HEDDLE_MEM_HOST)
		a->hostPointer = NULL;
	return cudaSuccess;
}

/* ---- hints about managed memory: no effect, because there is one memory ---- */

static bool is_managed(const void *p)
{
	pthread_mutex_lock(&process.lock);
	struct host_info *i = host_find(p);
	bool yes = i && (i->managed || i->registered);
	pthread_mutex_unlock(&process.lock);
	if (!yes) {
		struct heddle_range r; /* range of a managed variable */
		struct heddle *h = device_lock();
		yes = !heddle_range(h, (uint64_t)(uintptr_t)p, &r) && r.kind == HEDDLE_MEM_HOST;
		device_unlock();
	}
	return yes;
}

static cudaError_t take_hint(const void *p, int device)
{
	RETURN_IF_ERROR(rt_open());
	if (!is_managed(p))
		return rt_error(cudaErrorInvalidValue);
	return device == 0 || device == cudaCpuDeviceId ? cudaSuccess
							: rt_error(cudaErrorInvalidDevice);
}

cudaError_t rt11_prefetch(const void *p, size_t n, int device, cudaStream_t s);
cudaError_t rt11_prefetch(const void *p, size_t n, int device, cudaStream_t s)
{
	(void)n;
	return stream_of(s) ? take_hint(p, device) : rt_error(cudaErrorInvalidResourceHandle);
}
EXPORT_11(rt11_prefetch, cudaMemPrefetchAsync)
EXPORT_12(rt11_prefetch, cudaMemPrefetchAsync)
EXPORT_11(rt11_prefetch, cudaMemPrefetchAsync_ptsz)
EXPORT_12(rt11_prefetch, cudaMemPrefetchAsync_ptsz)

/* CUDA 13 names the place by type and number; type 1 is a device, from 2 on the host. */
cudaError_t rt13_prefetch(const void *p, size_t n, struct cudaMemLocation l, unsigned flags,
			  cudaStream_t s);
cudaError_t rt13_prefetch(const void *p, size_t n, struct cudaMemLocation l, unsigned flags,
			  cudaStream_t s)
{
	(void)flags;
	return rt11_prefetch(p, n, l.type == cudaMemLocationTypeDevice ? l.id : cudaCpuDeviceId, s);
}
EXPORT_13(rt13_prefetch, cudaMemPrefetchAsync)
EXPORT_13(rt13_prefetch, cudaMemPrefetchAsync_ptsz)
EXPORT_12(rt13_prefetch, cudaMemPrefetchAsync_v2)

cudaError_t rt11_advise(const void *p, size_t n, enum cudaMemoryAdvise advice, int device);
cudaError_t rt11_advise(const void *p, size_t n, enum cudaMemoryAdvise advice, int device)
{
	(void)n;
	if ((unsigned)advice - 1 > 5)
		return rt_error(cudaErrorInvalidValue);
	return take_hint(p, advice <= cudaMemAdviseUnsetReadMostly ? 0 : device);
}
EXPORT_11(rt11_advise, cudaMemAdvise)
EXPORT_12(rt11_advise, cudaMemAdvise)

cudaError_t rt13_advise(const void *p, size_t n, enum cudaMemoryAdvise advice,
			struct cudaMemLocation l);
cudaError_t rt13_advise(const void *p, size_t n, enum cudaMemoryAdvise advice,
			struct cudaMemLocation l)
{
	return rt11_advise(p, n, advice,
			   l.type == cudaMemLocationTypeDevice ? l.id : cudaCpuDeviceId);
}
EXPORT_13(rt13_advise, cudaMemAdvise)
EXPORT_12(rt13_advise, cudaMemAdvise_v2)

RT(cudaMemRangeGetAttribute,
   (void *data, size_t size, enum cudaMemRangeAttribute attr, const void *p, size_t n))
{
	(void)n;
	if (!data || size < 4)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(take_hint(p, 0));
	int none = attr == cudaMemRangeAttributeReadMostly ? 0 : cudaInvalidDeviceId;
	for (size_t i = 0; i + 4 <= size; i += 4)
		memcpy((char *)data + i, &none, 4);
	return cudaSuccess;
}

RT(cudaMemRangeGetAttributes, (void **data, size_t *size, enum cudaMemRangeAttribute *attr,
			       size_t count, const void *p, size_t n))
{
	for (size_t i = 0; i < count; i++)
		RETURN_IF_ERROR(rt_cudaMemRangeGetAttribute(data[i], size[i], attr[i], p, n));
	return cudaSuccess;
}

RT(cudaStreamAttachMemAsync, (cudaStream_t s, void *p, size_t n, unsigned flags))
{
	(void)n, (void)flags;
	return stream_of(s) ? take_hint(p, 0) : rt_error(cudaErrorInvalidResourceHandle);
}
RT_PTSZ(cudaStreamAttachMemAsync, (cudaStream_t s, void *p, size_t n, unsigned f), (s, p, n, f))
