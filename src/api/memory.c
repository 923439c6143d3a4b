/* Device memory as the host uses it: allocation, copies and fills. */
#include "api/api.h"

#include "devmem/shadow.h"
#include "gpu/gpu.h"

static struct alloc *range_of(struct heddle *h, uint64_t addr, uint64_t n)
{
	struct alloc *a = devmem_find(&h->mem, addr);
	return a && !a->freed && a->size - (addr - a->lo) >= n ? a : NULL;
}

static enum heddle_status bad_range(struct heddle *h, const char *what, uint64_t addr, uint64_t n)
{
	return api_fail(h, HEDDLE_INVALID,
			"%s of %llu bytes at device address 0x%llx: not inside one allocation",
			what, (unsigned long long)n, (unsigned long long)addr);
}

static enum heddle_status no_memory(struct heddle *h, uint64_t bytes)
{
	return api_fail(h, HEDDLE_NO_MEMORY,
			"out of device memory: %llu bytes wanted, %llu of %llu in use",
			(unsigned long long)bytes, (unsigned long long)h->mem.used,
			(unsigned long long)h->mem.limit);
}

enum heddle_status heddle_malloc(struct heddle *h, uint64_t bytes, uint64_t *addr)
{
	struct alloc *a = devmem_alloc(&h->mem, bytes, ALLOC_DEVICE, 256);
	if (!a)
		return no_memory(h, bytes);
	*addr = a->lo;
	return HEDDLE_OK;
}

enum heddle_status heddle_reserve(struct heddle *h, uint64_t bytes, uint64_t *addr)
{
	struct alloc *a = devmem_reserve(&h->mem, bytes);
	if (!a)
		return api_fail(h, HEDDLE_NO_MEMORY, "the host has no %llu addresses in a row",
				(unsigned long long)bytes);
	*addr = a->lo;
	return HEDDLE_OK;
}

enum heddle_status heddle_commit(struct heddle *h, uint64_t bytes)
{
	return devmem_commit(&h->mem, bytes) ? HEDDLE_OK : no_memory(h, bytes);
}

void heddle_decommit(struct heddle *h, uint64_t bytes) { devmem_decommit(&h->mem, bytes); }

enum heddle_status heddle_free(struct heddle *h, uint64_t addr)
{
	struct alloc *a = devmem_find(&h->mem, addr);
	if (a && (a->kind == ALLOC_SYMBOL || a->kind == ALLOC_CONST || a->kind == ALLOC_HEAP))
		a = NULL;
	/* An empty allocation contains no address: it is found by its start. */
	if ((!a && devmem_find(&h->mem, addr)) || !devmem_free(&h->mem, addr))
		return api_fail(h, HEDDLE_INVALID, "free of 0x%llx: not the start of an allocation",
				(unsigned long long)addr);
	return HEDDLE_OK;
}

/* Tells the memory system about copies of variables, which bypass the L2, unlike those of
 * allocations. */
static void copied_by_host(struct heddle *h, const struct alloc *a, uint64_t addr, uint64_t n)
{
	if (h->gpu && a->kind != ALLOC_SYMBOL && a->kind != ALLOC_CONST)
		gpu_host_copied(h->gpu, addr, n);
}

enum heddle_status heddle_write(struct heddle *h, uint64_t dst, const void *src, uint64_t n)
{
	struct alloc *a = range_of(h, dst, n);
	if (!n)
		return HEDDLE_OK;
	if (!a)
		return bad_range(h, "write", dst, n);
	memmove(a->host + (dst - a->lo), src, n);
	shadow_written(a->shadow, dst - a->lo, n);
	copied_by_host(h, a, dst, n);
	return HEDDLE_OK;
}

enum heddle_status heddle_read(struct heddle *h, void *dst, uint64_t src, uint64_t n)
{
	struct alloc *a = range_of(h, src, n);
	if (!n)
		return HEDDLE_OK;
	if (!a)
		return bad_range(h, "read", src, n);
	memmove(dst, a->host + (src - a->lo), n);
	copied_by_host(h, a, src, n);
	return HEDDLE_OK;
}

enum heddle_status heddle_copy(struct heddle *h, uint64_t dst, uint64_t src, uint64_t n)
{
	struct alloc *a = range_of(h, dst, n), *b = range_of(h, src, n);
	if (!n)
		return HEDDLE_OK;
	if (!a || !b)
		return bad_range(h, "copy", a ? src : dst, n);
	memmove(a->host + (dst - a->lo), b->host + (src - b->lo), n);
	/* the host's own stores to its memory are not seen */
	bool host = a->kind == ALLOC_HOST || a->kind == ALLOC_MAPPED;
	shadow_copied(a->shadow, dst - a->lo, host ? NULL : b->shadow, src - b->lo, n);
	return HEDDLE_OK;
}

bool heddle_written(struct heddle *h, uint64_t addr, uint64_t n)
{
	struct alloc *a = h->opt.check_init ? range_of(h, addr, n) : NULL;
	return !a || !n || shadow_any_written(a->shadow, addr - a->lo, n);
}

enum heddle_status heddle_fill(struct heddle *h, uint64_t dst, uint32_t value, unsigned width,
			       uint64_t count)
{
	uint64_t n = count * width;
	struct alloc *a = range_of(h, dst, n);
	if (!n)
		return HEDDLE_OK;
	if (!a || (width != 1 && width != 2 && width != 4) || count > a->size)
		return bad_range(h, "fill", dst, n);
	uint8_t *p = a->host + (dst - a->lo);
	if (width == 1)
		memset(p, (int)value, n);
	else
		for (uint64_t i = 0; i < count; i++)
			memcpy(p + i * width, &value, width);
	shadow_written(a->shadow, dst - a->lo, n);
	return HEDDLE_OK;
}

/* True if code with 32-bit addresses reaches this host memory only through an alias. */
static bool is_beyond_reach(const struct heddle *h, uint64_t at, uint64_t bytes)
{
	return h->opt.code != HEDDLE_CODE_PTX && h->opt.code != HEDDLE_CODE_SM90 && bytes &&
	       at + bytes - 1 > UINT32_MAX;
}

enum heddle_status heddle_malloc_host(struct heddle *h, uint64_t bytes, void **ptr)
{
	struct alloc *a = devmem_alloc(&h->mem, bytes, ALLOC_HOST, 4096);
	if (!a)
		return api_fail(h, HEDDLE_NO_MEMORY, "out of memory: %llu bytes wanted",
				(unsigned long long)bytes);
	*ptr = a->host;
	if (is_beyond_reach(h, a->lo, bytes))
		devmem_alias(&h->mem, a->host, bytes);
	return HEDDLE_OK;
}

enum heddle_status heddle_free_host(struct heddle *h, void *ptr)
{
	struct alloc *a = devmem_find(&h->mem, (uint64_t)(uintptr_t)ptr);
	uint64_t alias = heddle_device_address(h, ptr);
	if ((a && a->kind != ALLOC_HOST) || !devmem_free(&h->mem, (uint64_t)(uintptr_t)ptr))
		return api_fail(h, HEDDLE_INVALID,
				"free of host memory that was not allocated here");
	if (alias != (uint64_t)(uintptr_t)ptr)
		devmem_free(&h->mem, alias);
	return HEDDLE_OK;
}

enum heddle_status heddle_map_host(struct heddle *h, void *ptr, uint64_t bytes)
{
	uint64_t at = (uint64_t)(uintptr_t)ptr, last = at + bytes - 1;
	if (!bytes || devmem_find(&h->mem, at) || devmem_find(&h->mem, last) ||
	    devmem_aliased(&h->mem, at) || devmem_aliased(&h->mem, last))
		return api_fail(h, HEDDLE_INVALID,
				"host memory is empty or already known to the device");
	if (is_beyond_reach(h, at, bytes))
		devmem_alias(&h->mem, ptr, bytes);
	else
		devmem_map(&h->mem, ptr, bytes, ALLOC_MAPPED);
	return HEDDLE_OK;
}

uint64_t heddle_device_address(const struct heddle *h, const void *ptr)
{
	uint64_t at = (uint64_t)(uintptr_t)ptr;
	const struct alloc *a = devmem_aliased(&h->mem, at);
	return a ? a->lo + (at - (uint64_t)(uintptr_t)a->host) : at;
}

enum heddle_status heddle_unmap_host(struct heddle *h, void *ptr)
{
	uint64_t at = heddle_device_address(h, ptr);
	struct alloc *a = devmem_find(&h->mem, at);
	if (!a || a->kind != ALLOC_MAPPED || !devmem_free(&h->mem, at))
		return api_fail(h, HEDDLE_INVALID, "host memory is not mapped");
	return HEDDLE_OK;
}

enum heddle_status heddle_range(struct heddle *h, uint64_t addr, struct heddle_range *out)
{
	static const uint8_t kind[] = {
		[ALLOC_DEVICE] = HEDDLE_MEM_DEVICE, [ALLOC_HOST] = HEDDLE_MEM_HOST,
		[ALLOC_MAPPED] = HEDDLE_MEM_HOST,   [ALLOC_SYMBOL] = HEDDLE_MEM_SYMBOL,
		[ALLOC_CONST] = HEDDLE_MEM_CONST,   [ALLOC_HEAP] = HEDDLE_MEM_DEVICE,
	};
	struct alloc *a = devmem_find(&h->mem, addr);
	if (!a || a->freed)
		return HEDDLE_NOT_FOUND;
	*out = (struct heddle_range){a->lo, a->size, kind[a->kind], a->host};
	return HEDDLE_OK;
}

void heddle_memory_info(struct heddle *h, uint64_t *free_bytes, uint64_t *total_bytes)
{
	*free_bytes = h->mem.limit - h->mem.used;
	*total_bytes = h->mem.limit;
}
