/* Stream-ordered allocation and memory pools. An allocation has its address immediately; freed
 * memory returns in stream order. */
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"
#include "cuda/rt.h"
#include "cuda/process/site.h"

static bool is_pool(cudaMemPool_t pool)
{
	return pool == &process.memory.default_pool || own_has(OWN_POOL, HANDLE(pool));
}

RT(cudaMallocFromPoolAsync, (void **p, size_t size, cudaMemPool_t pool, cudaStream_t stream))
{
	uint64_t addr;
	if (!p || !is_pool(pool))
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(rt_open());
	struct CUstream_st *s = stream_of(stream);
	if (!s)
		return rt_error(cudaErrorInvalidResourceHandle);
	*p = NULL;
	if (!size)
		return cudaSuccess;
	RETURN_IF_ERROR(mem_alloc(size, &addr));
	*p = (void *)(uintptr_t)addr;
	if (!s->capture)
		pool_account(pool, addr, size);
	/* otherwise the memory was allocated with the call */
	if (!s->capture && !process.check.race)
		return cudaSuccess;
	struct work w = {.kind = WORK_ALLOC, .mem = {addr, size}};
	return rt_error(work_submit(s, &w));
}

RT(cudaMallocAsync, (void **p, size_t size, cudaStream_t s))
{
	return rt_cudaMallocFromPoolAsync(p, size, process.memory.pool, s);
}

RT(cudaFreeAsync, (void *p, cudaStream_t stream))
{
	RETURN_IF_ERROR(rt_open());
	struct CUstream_st *s = stream_of(stream);
	struct heddle_range r;
	if (!s)
		return rt_error(cudaErrorInvalidResourceHandle);
	if (!p)
		return cudaSuccess;
	uint64_t addr = (uint64_t)(uintptr_t)p;
	struct heddle *h = device_lock();
	bool ok = !heddle_range(h, addr, &r) && r.base == addr && r.kind == HEDDLE_MEM_DEVICE;
	device_unlock();
	if (!ok || (!s->capture && work_frees(addr)))
		return rt_error(cudaErrorInvalidValue);
	if (!s->capture) {
		pool_unaccount(addr);
		site_freeing(addr);
	}
	struct work w = {.kind = WORK_FREE, .mem = {addr, r.size}};
	return rt_error(work_submit(s, &w));
}
RT_PTSZ(cudaMallocAsync, (void **p, size_t n, cudaStream_t s), (p, n, s))
RT_PTSZ(cudaMallocFromPoolAsync, (void **p, size_t n, cudaMemPool_t m, cudaStream_t s),
	(p, n, m, s))
RT_PTSZ(cudaFreeAsync, (void *p, cudaStream_t s), (p, s))

/* ---- pools ---- */

RT(cudaMemPoolCreate, (cudaMemPool_t * out, const struct cudaMemPoolProps *props))
{
	RETURN_IF_ERROR(rt_open());
	if (!out || !props || props->allocType != cudaMemAllocationTypePinned || props->location.id)
		return rt_error(cudaErrorInvalidValue);
	/* a POSIX handle may be requested; the call that would export it reports that it cannot */
	if (props->handleTypes & ~cudaMemHandleTypePosixFileDescriptor)
		return rt_unsupported("a memory pool shared by other means than a file descriptor");
	*out = rt_alloc(sizeof **out);
	**out = (struct CUmemPoolHandle_st){.reuse = {0, 1, 1, 1}};
	own_add(OWN_POOL, HANDLE(*out));
	return cudaSuccess;
}

void pool_free(cudaMemPool_t pool)
{
	own_remove(OWN_POOL, HANDLE(pool));
	if (process.memory.pool == pool)
		process.memory.pool = &process.memory.default_pool;
	pthread_mutex_lock(&process.lock);
	for (struct pool_block *b = process.memory.pool_blocks; b;
	     b = b->next) /* allocations stay valid */
		if (b->pool == pool)
			b->pool = &process.memory.default_pool;
	pthread_mutex_unlock(&process.lock);
	free(pool);
}

RT(cudaMemPoolDestroy, (cudaMemPool_t pool))
{
	RETURN_IF_ERROR(rt_open());
	if (!own_has(OWN_POOL, HANDLE(pool)))
		return rt_error(cudaErrorInvalidValue);
	pool_free(pool);
	return cudaSuccess;
}

static cudaError_t give_pool(cudaMemPool_t *out, int device, cudaMemPool_t pool)
{
	RETURN_IF_ERROR(rt_open());
	if (!out || device)
		return rt_error(out ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	*out = pool;
	return cudaSuccess;
}
RT(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * out, int device))
{
	return give_pool(out, device, &process.memory.default_pool);
}
RT(cudaDeviceGetMemPool, (cudaMemPool_t * out, int device))
{
	return give_pool(out, device, process.memory.pool);
}
RT(cudaDeviceSetMemPool, (int device, cudaMemPool_t pool))
{
	RETURN_IF_ERROR(rt_open());
	if (device || !is_pool(pool))
		return rt_error(device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	process.memory.pool = pool;
	return cudaSuccess;
}
/* Checks the place that calls of CUDA 13 name: there are only pools of the device. */
static cudaError_t check_location(const struct cudaMemLocation *l, enum cudaMemAllocationType type)
{
	if (!l)
		return rt_error(cudaErrorInvalidValue);
	if (l->type != cudaMemLocationTypeDevice || type != cudaMemAllocationTypePinned)
		return rt_unsupported("a memory pool of the host");
	return cudaSuccess;
}
RT(cudaMemGetDefaultMemPool,
   (cudaMemPool_t * out, struct cudaMemLocation *l, enum cudaMemAllocationType type))
{
	RETURN_IF_ERROR(check_location(l, type));
	return rt_cudaDeviceGetDefaultMemPool(out, l->id);
}
RT(cudaMemGetMemPool,
   (cudaMemPool_t * out, struct cudaMemLocation *l, enum cudaMemAllocationType type))
{
	RETURN_IF_ERROR(check_location(l, type));
	return rt_cudaDeviceGetMemPool(out, l->id);
}
RT(cudaMemSetMemPool,
   (struct cudaMemLocation * l, enum cudaMemAllocationType type, cudaMemPool_t pool))
{
	RETURN_IF_ERROR(check_location(l, type));
	return rt_cudaDeviceSetMemPool(l->id, pool);
}

RT(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t keep))
{
	(void)keep; /* a pool keeps no free memory */
	return is_pool(pool) ? rt_error(rt_open()) : rt_error(cudaErrorInvalidValue);
}

RT(cudaMemPoolSetAttribute, (cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value))
{
	RETURN_IF_ERROR(rt_open());
	if (!is_pool(pool) || !value)
		return rt_error(cudaErrorInvalidValue);
	switch (attr) {
	case cudaMemPoolReuseFollowEventDependencies:
	case cudaMemPoolReuseAllowOpportunistic:
	case cudaMemPoolReuseAllowInternalDependencies:
		pool->reuse[attr] = *(int *)value;
		return cudaSuccess;
	case cudaMemPoolAttrReleaseThreshold:
		pool->threshold = *(uint64_t *)value;
		return cudaSuccess;
	case cudaMemPoolAttrReservedMemHigh:
	case cudaMemPoolAttrUsedMemHigh: /* can only be reset to 0 */
		if (*(uint64_t *)value)
			return rt_error(cudaErrorInvalidValue);
		pool->high = pool->used;
		return cudaSuccess;
	default: return rt_error(cudaErrorInvalidValue);
	}
}

RT(cudaMemPoolGetAttribute, (cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value))
{
	RETURN_IF_ERROR(rt_open());
	if (!is_pool(pool) || !value)
		return rt_error(cudaErrorInvalidValue);
	switch (attr) {
	case cudaMemPoolReuseFollowEventDependencies:
	case cudaMemPoolReuseAllowOpportunistic:
	case cudaMemPoolReuseAllowInternalDependencies:
		*(int *)value = pool->reuse[attr];
		return cudaSuccess;
	case cudaMemPoolAttrReleaseThreshold:
		*(uint64_t *)value = pool->threshold;
		return cudaSuccess;
	case cudaMemPoolAttrReservedMemCurrent:
	case cudaMemPoolAttrUsedMemCurrent: *(uint64_t *)value = pool->used; return cudaSuccess;
	case cudaMemPoolAttrReservedMemHigh:
	case cudaMemPoolAttrUsedMemHigh: *(uint64_t *)value = pool->high; return cudaSuccess;
	default: return rt_error(cudaErrorInvalidValue);
	}
}

RT(cudaMemPoolSetAccess, (cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t n))
{
	RETURN_IF_ERROR(rt_open());
	for (size_t i = 0; i < n; i++)
		if (!is_pool(pool) || list[i].location.id ||
		    list[i].flags != cudaMemAccessFlagsProtReadWrite)
			/* the device's access to its own pool cannot be revoked */
			return rt_error(cudaErrorInvalidValue);
	return cudaSuccess;
}
RT(cudaMemPoolGetAccess,
   (enum cudaMemAccessFlags * flags, cudaMemPool_t pool, struct cudaMemLocation *l))
{
	RETURN_IF_ERROR(rt_open());
	if (!flags || !is_pool(pool) || !l || l->id)
		return rt_error(cudaErrorInvalidValue);
	*flags = cudaMemAccessFlagsProtReadWrite;
	return cudaSuccess;
}
