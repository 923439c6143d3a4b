/* Device, pinned, registered and managed memory. */
#include "cuda/graph/mem.h"
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"
#include "cuda/rt.h"
#include "cuda/process/site.h"

/* ---- device memory ---- */

cudaError_t mem_alloc(uint64_t size, uint64_t *addr)
{
	struct heddle *h = device_lock();
	cudaError_t e = rt_status(heddle_malloc(h, size, addr));
	device_unlock();
	if (!e) {
		own_add(OWN_MEMORY, *addr);
		site_keep(*addr);
	}
	return e;
}

cudaError_t mem_free(uint64_t addr)
{
	if (graph_mem_owns(addr))
		return cudaSuccess; /* a graph's memory stays until the graph goes */
	struct heddle *h = device_lock();
	enum heddle_status st = heddle_free(h, addr);
	if (!st) {
		own_remove(OWN_MEMORY, addr);
		pool_unaccount(addr);
		site_forget(addr);
	}
	device_unlock();
	return st ? cudaErrorInvalidValue : cudaSuccess;
}

RT(cudaMalloc, (void **p, size_t size))
{
	uint64_t addr;
	if (!p)
		return rt_error(cudaErrorInvalidValue);
	*p = NULL;
	TRY(rt_open());
	if (!size)
		return cudaSuccess;
	TRY(mem_alloc(size, &addr));
	*p = (void *)(uintptr_t)addr;
	return cudaSuccess;
}

RT(cudaFree, (void *p))
{
	TRY(rt_open());
	if (!p)
		return cudaSuccess;
	TRY(device_wait());
	pthread_mutex_lock(&rt.lock);
	struct host_info *i = host_find(p);
	bool managed = i && i->managed && i->p == p;
	pthread_mutex_unlock(&rt.lock);
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
	TRY(rt_cudaMallocPitch(&at, &pitch, e.width, rows));
	*p = (struct cudaPitchedPtr){at, pitch, e.width, e.height};
	return cudaSuccess;
}

RT(cudaMemGetInfo, (size_t * free_bytes, size_t *total))
{
	TRY(rt_open());
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

static struct host_info *hosts;

struct host_info *host_find(const void *p)
{
	for (struct host_info *i = hosts; i; i = i->next)
		if ((const char *)p >= (char *)i->p &&
		    (const char *)p < (char *)i->p + (i->size ? i->size : 1))
			return i;
	return NULL;
}

static void host_add(struct host_info info)
{
	struct host_info *i = rt_copy(&info, sizeof info);
	pthread_mutex_lock(&rt.lock);
	i->next = hosts;
	hosts = i;
	pthread_mutex_unlock(&rt.lock);
	own_add(OWN_HOST, HANDLE(info.p));
}

/* Takes the entry that begins at p; false: there is none. */
static bool host_take(void *p, bool registered)
{
	bool found = false;
	pthread_mutex_lock(&rt.lock);
	for (struct host_info **at = &hosts; *at && !found; at = &(*at)->next)
		if ((*at)->p == p && (*at)->registered == registered) {
			struct host_info *i = *at;
			*at = i->next;
			free(i);
			found = true;
			break;
		}
	pthread_mutex_unlock(&rt.lock);
	if (found)
		own_remove(OWN_HOST, HANDLE(p));
	return found;
}

cudaError_t host_alloc(size_t size, unsigned flags, bool managed, void **out)
{
	struct heddle *h = device_lock();
	rt.host_memory = true;
	cudaError_t e = rt_status(heddle_malloc_host(h, size, out));
	device_unlock();
	if (!e) {
		host_add((struct host_info){
			.p = *out, .size = size, .flags = flags, .managed = managed});
		site_keep(HANDLE(*out));
	}
	return e;
}

cudaError_t host_free(void *p)
{
	if (!host_take(p, false))
		return cudaErrorInvalidValue;
	struct heddle *h = device_lock();
	enum heddle_status st = heddle_free_host(h, p);
	device_unlock();
	site_forget(HANDLE(p));
	return st ? cudaErrorInvalidValue : cudaSuccess;
}

void host_forget(void *p)
{
	if (!host_free(p) || !host_take(p, true))
		return;
	struct heddle *h = device_lock();
	heddle_unmap_host(h, p);
	device_unlock();
}

RT(cudaHostAlloc, (void **p, size_t size, unsigned flags))
{
	if (!p || flags > 7)
		return rt_error(cudaErrorInvalidValue);
	*p = NULL;
	TRY(rt_open());
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
	TRY(rt_open());
	if (!p)
		return cudaSuccess;
	TRY(device_wait());
	return rt_error(host_free(p));
}

RT(cudaMallocManaged, (void **p, size_t size, unsigned flags))
{
	if (!p || !size || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
		return rt_error(cudaErrorInvalidValue);
	TRY(rt_open());
	return rt_error(host_alloc(size, flags, true, p));
}

RT(cudaHostRegister, (void *p, size_t size, unsigned flags))
{
	if (!p || !size || flags > 15)
		return rt_error(cudaErrorInvalidValue);
	TRY(rt_open());
	struct heddle *h = device_lock();
	rt.host_memory = true;
	enum heddle_status st = heddle_map_host(h, p, size);
	device_unlock();
	if (st)
		return rt_error(cudaErrorHostMemoryAlreadyRegistered);
	host_add((struct host_info){.p = p, .size = size, .flags = flags, .registered = true});
	return cudaSuccess;
}

RT(cudaHostUnregister, (void *p))
{
	TRY(rt_open());
	TRY(device_wait());
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
	TRY(rt_open());
	pthread_mutex_lock(&rt.lock);
	bool known = host_find(host) != NULL;
	pthread_mutex_unlock(&rt.lock);
	if (!device || !known)
		return rt_error(cudaErrorInvalidValue);
	struct heddle *h = device_lock();
	*device = (void *)(uintptr_t)heddle_device_address(h, host);
	device_unlock();
	return cudaSuccess;
}

RT(cudaHostGetFlags, (unsigned *flags, void *host))
{
	TRY(rt_open());
	pthread_mutex_lock(&rt.lock);
	struct host_info *i = host_find(host);
	if (i && flags)
		*flags = i->flags | cudaHostAllocMapped;
	pthread_mutex_unlock(&rt.lock);
	return i && flags ? cudaSuccess : rt_error(cudaErrorInvalidValue);
}

/* ---- what is known about a pointer ---- */

RT(cudaPointerGetAttributes, (struct cudaPointerAttributes * a, const void *p))
{
	struct heddle_range r;
	if (!a)
		return rt_error(cudaErrorInvalidValue);
	TRY(rt_open());
	*a = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
					    .device = -2,
					    .hostPointer = (void *)(uintptr_t)p};
	struct heddle *h = device_lock();
	bool known = !heddle_range(h, (uint64_t)(uintptr_t)p, &r);
	device_unlock();
	if (!known)
		return cudaSuccess;
	pthread_mutex_lock(&rt.lock);
	struct host_info *i = host_find(p);
	bool managed = i && i->managed;
	pthread_mutex_unlock(&rt.lock);
	a->device = 0;
	a->devicePointer = (void *)(uintptr_t)p;
	a->type = r.kind != HEDDLE_MEM_HOST ? cudaMemoryTypeDevice
		  : managed || !i           ? cudaMemoryTypeManaged
					    : cudaMemoryTypeHost;
	if (r.kind != HEDDLE_MEM_HOST)
		a->hostPointer = NULL;
	return cudaSuccess;
}

/* ---- hints about managed memory: all memory is where it is needed ---- */

static bool is_managed(const void *p)
{
	pthread_mutex_lock(&rt.lock);
	struct host_info *i = host_find(p);
	bool yes = i && (i->managed || i->registered);
	pthread_mutex_unlock(&rt.lock);
	if (!yes) {
		struct heddle_range r; /* a managed variable */
		struct heddle *h = device_lock();
		yes = !heddle_range(h, (uint64_t)(uintptr_t)p, &r) && r.kind == HEDDLE_MEM_HOST;
		device_unlock();
	}
	return yes;
}

static cudaError_t hint(const void *p, int device)
{
	TRY(rt_open());
	if (!is_managed(p))
		return rt_error(cudaErrorInvalidValue);
	return device == 0 || device == cudaCpuDeviceId ? cudaSuccess
							: rt_error(cudaErrorInvalidDevice);
}

cudaError_t rt11_prefetch(const void *p, size_t n, int device, cudaStream_t s);
cudaError_t rt11_prefetch(const void *p, size_t n, int device, cudaStream_t s)
{
	(void)n;
	return stream_of(s) ? hint(p, device) : rt_error(cudaErrorInvalidResourceHandle);
}
EXPORT_11(rt11_prefetch, cudaMemPrefetchAsync)
EXPORT_12(rt11_prefetch, cudaMemPrefetchAsync)
EXPORT_11(rt11_prefetch, cudaMemPrefetchAsync_ptsz)
EXPORT_12(rt11_prefetch, cudaMemPrefetchAsync_ptsz)

/* CUDA 13 names the place by type and number: 1 a device, from 2 on the host. */
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
	return hint(p, advice <= cudaMemAdviseUnsetReadMostly ? 0 : device);
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
	TRY(hint(p, 0));
	int none = attr == cudaMemRangeAttributeReadMostly ? 0 : cudaInvalidDeviceId;
	for (size_t i = 0; i + 4 <= size; i += 4)
		memcpy((char *)data + i, &none, 4);
	return cudaSuccess;
}

RT(cudaMemRangeGetAttributes, (void **data, size_t *size, enum cudaMemRangeAttribute *attr,
			       size_t count, const void *p, size_t n))
{
	for (size_t i = 0; i < count; i++)
		TRY(rt_cudaMemRangeGetAttribute(data[i], size[i], attr[i], p, n));
	return cudaSuccess;
}

RT(cudaStreamAttachMemAsync, (cudaStream_t s, void *p, size_t n, unsigned flags))
{
	(void)n, (void)flags;
	return stream_of(s) ? hint(p, 0) : rt_error(cudaErrorInvalidResourceHandle);
}
RT_PTSZ(cudaStreamAttachMemAsync, (cudaStream_t s, void *p, size_t n, unsigned f), (s, p, n, f))
