/* Driver API: address ranges and memory managed separately (cuMemAddressReserve, cuMemCreate,
 * cuMemMap). A handle counts as used memory, a range of addresses does not: programs reserve more
 * than there is, and map handles as they need them. The range has the host's memory behind it from
 * the start; a handle's contents move there when the handle is mapped and back when it is unmapped,
 * so that they survive a move to another range. */
#include "cuda/driver/driver.h"
#include "cuda/process/alloc.h"

enum { GRANULARITY = 2 << 20 };

struct physical {
	size_t size;
	CUmemAllocationProp prop;
	void *contents; /* contents while not mapped; NULL while mapped */
	CUdeviceptr at; /* address where mapped; 0: not mapped */
	/* number of the program's references; the object is freed when it is 0 and the object is
	 * not mapped */
	unsigned refs;
	struct physical *next;
};

CUresult cuMemAddressReserve(CUdeviceptr *out, size_t size, size_t align, CUdeviceptr want,
			     unsigned long long flags)
{
	(void)align, (void)want; /* the requested address is only a hint */
	INITIALISED_OR_RETURN();
	if (!out || !size || size % GRANULARITY || flags)
		return CUDA_ERROR_INVALID_VALUE;
	uint64_t addr;
	CUresult r = drv(mem_reserve(size, &addr));
	if (!r)
		*out = addr;
	return r;
}

CUresult cuMemAddressFree(CUdeviceptr p, size_t size)
{
	(void)size;
	INITIALISED_OR_RETURN();
	cudaError_t e = device_wait();
	return drv(e ? e : mem_free(p));
}

CUresult cuMemGetAllocationGranularity(size_t *n, const CUmemAllocationProp *prop,
				       CUmemAllocationGranularity_flags o)
{
	(void)prop, (void)o;
	INITIALISED_OR_RETURN();
	*n = GRANULARITY;
	return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t size,
		     const CUmemAllocationProp *prop, unsigned long long flags)
{
	INITIALISED_OR_RETURN();
	if (!out || !size || size % GRANULARITY || !prop || flags)
		return CUDA_ERROR_INVALID_VALUE;
	/* a POSIX handle may be requested; the call that would export it reports that it cannot */
	if (prop->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return drv(rt_unsupported(
			"memory shared by other means than a file descriptor (cuMemCreate)"));
	struct heddle *h = device_lock();
	cudaError_t e = rt_status(heddle_commit(h, size));
	device_unlock();
	if (e)
		return drv(e);
	struct physical *p = rt_alloc(sizeof *p);
	*p = (struct physical){
		.size = size, .prop = *prop, .refs = 1, .next = process.memory.physical};
	process.memory.physical = p;
	*out = (CUmemGenericAllocationHandle)(uintptr_t)p;
	return CUDA_SUCCESS;
}

static void drop_unused(struct physical *p)
{
	if (p->refs || p->at)
		return;
	for (struct physical **q = &process.memory.physical; *q; q = &(*q)->next)
		if (*q == p) {
			*q = p->next;
			break;
		}
	struct heddle *h = device_lock();
	heddle_decommit(h, p->size);
	device_unlock();
	free(p->contents);
	free(p);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	struct physical *p = PTR(handle);
	INITIALISED_OR_RETURN();
	if (!p || !p->refs)
		return CUDA_ERROR_INVALID_VALUE;
	p->refs--;
	drop_unused(p);
	return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out, void *addr)
{
	CUdeviceptr at = (CUdeviceptr)(uintptr_t)addr;
	INITIALISED_OR_RETURN();
	struct physical *p = process.memory.physical;
	while (p && (!p->at || at < p->at || at - p->at >= p->size))
		p = p->next;
	if (!p || !out)
		return CUDA_ERROR_INVALID_VALUE;
	p->refs++;
	*out = (CUmemGenericAllocationHandle)(uintptr_t)p;
	return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr at, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
		  unsigned long long flags)
{
	struct physical *p = PTR(handle);
	struct heddle_range r;
	INITIALISED_OR_RETURN();
	if (!p || offset || flags || size != p->size)
		return CUDA_ERROR_INVALID_VALUE;
	if (p->at)
		return drv(rt_unsupported("memory mapped at two addresses (cuMemMap)"));
	cudaError_t e = device_wait();
	struct heddle *h = device_lock();
	bool ok = !heddle_range(h, at, &r) && r.size - (at - r.base) >= size;
	if (ok && p->contents)
		heddle_write(h, at, p->contents, size);
	device_unlock();
	if (!ok)
		return CUDA_ERROR_INVALID_VALUE;
	p->at = at;
	free(p->contents);
	p->contents = NULL;
	return drv(e);
}

CUresult cuMemUnmap(CUdeviceptr at, size_t size)
{
	INITIALISED_OR_RETURN();
	cudaError_t e = device_wait();
	struct physical *p = process.memory.physical, *next;
	for (; p; p = next) {
		next = p->next;
		if (!p->at || p->at < at || p->at - at >= size)
			continue;
		struct heddle *h = device_lock();
		if (p->refs) {
			p->contents = rt_alloc(p->size);
			heddle_read(h, p->contents, p->at, p->size);
		}
		device_unlock();
		p->at = 0;
		drop_unused(p);
	}
	return drv(e);
}

CUresult cuMemSetAccess(CUdeviceptr p, size_t size, const CUmemAccessDesc *d, size_t n)
{
	(void)p, (void)size, (void)d, (void)n;
	INITIALISED_OR_RETURN();
	return CUDA_SUCCESS; /* the one device may access everything */
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *l, CUdeviceptr p)
{
	(void)l, (void)p;
	INITIALISED_OR_RETURN();
	*flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
						CUmemGenericAllocationHandle handle)
{
	INITIALISED_OR_RETURN();
	*prop = ((struct physical *)PTR(handle))->prop;
	return CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle(void *out, CUmemGenericAllocationHandle handle,
				      CUmemAllocationHandleType type, unsigned long long flags)
{
	(void)out, (void)handle, (void)type, (void)flags;
	return drv(rt_unsupported("cuMemExportToShareableHandle"));
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *out, void *os,
					CUmemAllocationHandleType type)
{
	(void)out, (void)os, (void)type;
	return drv(rt_unsupported("cuMemImportFromShareableHandle"));
}
