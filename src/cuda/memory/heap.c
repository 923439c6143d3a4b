/* Allocations of device memory, and host memory that the device sees: their owners, and the pools
 * and graphs that count them. */
#include "cuda/memory/graph_memory.h"
#include "cuda/memory/memory.h"
#include "cuda/process/alloc.h"

static cudaError_t take_memory(uint64_t size, uint64_t *addr,
			       enum heddle_status (*take)(struct heddle *, uint64_t, uint64_t *))
{
	struct heddle *h = device_lock();
	cudaError_t e = rt_status(take(h, size, addr));
	device_unlock();
	if (!e) {
		own_add(OWN_MEMORY, *addr);
		site_keep(*addr);
	}
	return e;
}

cudaError_t mem_alloc(uint64_t size, uint64_t *addr)
{
	return take_memory(size, addr, heddle_malloc);
}

cudaError_t mem_reserve(uint64_t size, uint64_t *addr)
{
	return take_memory(size, addr, heddle_reserve);
}

cudaError_t mem_free(uint64_t addr)
{
	if (graph_mem_owns(addr))
		return cudaSuccess; /* a graph's memory stays until the graph is freed */
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

/* ---- pools ---- */

void pool_account(cudaMemPool_t pool, uint64_t addr, uint64_t size)
{
	struct pool_block *b = rt_alloc(sizeof *b);
	pthread_mutex_lock(&process.lock);
	*b = (struct pool_block){addr, size, pool, process.memory.pool_blocks};
	process.memory.pool_blocks = b;
	pool->used += size;
	if (pool->used > pool->high)
		pool->high = pool->used;
	pthread_mutex_unlock(&process.lock);
}

void pool_unaccount(uint64_t addr)
{
	pthread_mutex_lock(&process.lock);
	for (struct pool_block **p = &process.memory.pool_blocks; *p; p = &(*p)->next)
		if ((*p)->addr == addr) {
			struct pool_block *b = *p;
			*p = b->next;
			b->pool->used -= b->size;
			free(b);
			break;
		}
	pthread_mutex_unlock(&process.lock);
}

cudaMemPool_t pool_of(uint64_t addr)
{
	cudaMemPool_t pool = NULL;
	pthread_mutex_lock(&process.lock);
	for (const struct pool_block *b = process.memory.pool_blocks; b && !pool; b = b->next)
		if (b->addr == addr)
			pool = b->pool;
	pthread_mutex_unlock(&process.lock);
	return pool;
}

/* ---- host memory that the device sees ---- */

struct host_info *host_find(const void *p)
{
	for (struct host_info *i = process.memory.hosts; i; i = i->next)
		if ((const char *)p >= (char *)i->p &&
		    (const char *)p < (char *)i->p + (i->size ? i->size : 1))
			return i;
	return NULL;
}

void host_add(struct host_info info)
{
	struct host_info *i = rt_copy(&info, sizeof info);
	pthread_mutex_lock(&process.lock);
	i->next = process.memory.hosts;
	process.memory.hosts = i;
	pthread_mutex_unlock(&process.lock);
	own_add(OWN_HOST, HANDLE(info.p));
}

/* Removes the entry that begins at p; false: no entry does. */
bool host_take(void *p, bool registered)
{
	bool found = false;
	pthread_mutex_lock(&process.lock);
	for (struct host_info **at = &process.memory.hosts; *at && !found; at = &(*at)->next)
		if ((*at)->p == p && (*at)->registered == registered) {
			struct host_info *i = *at;
			*at = i->next;
			free(i);
			found = true;
			break;
		}
	pthread_mutex_unlock(&process.lock);
	if (found)
		own_remove(OWN_HOST, HANDLE(p));
	return found;
}

cudaError_t host_alloc(size_t size, unsigned flags, bool managed, void **out)
{
	struct heddle *h = device_lock();
	process.device.host_memory = true;
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
