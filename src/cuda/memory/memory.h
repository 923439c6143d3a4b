/* Memory of the device and host memory that the device sees: allocations, arrays, copies, fills.
 *
 * heap.c keeps allocations and counts pools and graphs; copy.c and fill.c move bytes immediately.
 * The entry points, which submit and wait, are in the files above them: memory.c, memcpy.c,
 * memset.c, array.c, pool.c, texture.c. */
#ifndef CUDA_MEMORY_H
#define CUDA_MEMORY_H
#include "cuda/process/process.h"
#include "cuda/stream/work.h"

struct cudaArray {
	struct cudaChannelFormatDesc desc;
	uint64_t width, height, depth; /* as requested; 0: the array lacks the dimension */
	unsigned flags;
	uint64_t addr, pitch, slice; /* pitch, slice: bytes per row and per layer or face */
	unsigned elem;               /* bytes of an element */
	struct cudaMipmappedArray *owner;
};
struct cudaMipmappedArray {
	struct cudaArray *level;
	unsigned levels;
	uint64_t addr;
};
cudaError_t array_new(struct cudaArray **out, const struct cudaChannelFormatDesc *d,
		      struct cudaExtent e, unsigned flags);
cudaError_t mipmap_new(struct cudaMipmappedArray **out, const struct cudaChannelFormatDesc *d,
		       struct cudaExtent e, unsigned levels, unsigned flags);
cudaError_t array_free(struct cudaArray *a);
cudaError_t mipmap_free(struct cudaMipmappedArray *m);
bool array_known(const struct cudaArray *a); /* true: the array (or level of a mipmap) exists */
bool mipmap_known(const struct cudaMipmappedArray *m);
/* frees a texture or surface object */
cudaError_t object_free(unsigned long long handle, bool surface);

/* ---- memory ---- */

/* Completes the two ends of a copy: determines which end is device memory, and refuses addresses
 * outside allocations. */
cudaError_t copy_resolve(struct copy *c, enum cudaMemcpyKind kind);
/* Completes the two ends of a copy as copy_resolve() does, and also determines which end is host
 * memory that the device sees. */
cudaError_t copy_resolve_pinned(struct copy *c, enum cudaMemcpyKind kind, bool *src_pinned,
				bool *dst_pinned);
cudaError_t copy_submit(struct copy *c, enum cudaMemcpyKind kind, cudaStream_t s, bool wait);
cudaError_t copy_run(const struct copy *c);
/* --check init: true if the copy would read device bytes that were never written. */
bool copy_is_unwritten(const struct copy *c);
cudaError_t copy_from_parms(struct copy *c, const struct cudaMemcpy3DParms *p);
cudaError_t fill_submit(const struct fill *f, cudaStream_t s);
cudaError_t fill_run(const struct fill *f);
cudaError_t mem_alloc(uint64_t size, uint64_t *addr);
/* Reserves and frees addresses for cuMemMap(), which do not count as used memory; mem_free()
 * returns them. */
cudaError_t mem_reserve(uint64_t size, uint64_t *addr);
cudaError_t mem_free(uint64_t addr);
cudaError_t host_alloc(size_t size, unsigned flags, bool managed, void **out);
cudaError_t host_free(void *p);
void host_forget(void *p); /* removes pinned, managed or registered memory whose context ends */
void pool_free(struct CUmemPoolHandle_st *pool);
struct CUmemPoolHandle_st *pool_of(uint64_t addr); /* pool of an allocation; NULL: none */
struct pool_block {                                /* an allocation of a pool */
	uint64_t addr, size;
	struct CUmemPoolHandle_st *pool;
	struct pool_block *next;
};
void pool_account(struct CUmemPoolHandle_st *pool, uint64_t addr, uint64_t size);
/* called when an allocation ends: updates its pool's counters if it belongs to a pool */
void pool_unaccount(uint64_t addr);
enum { PITCH_ALIGN = 512 };
struct host_info {
	void *p;
	size_t size;
	unsigned flags;
	bool managed, registered;
	struct host_info *next;
};
struct host_info *host_find(const void *p); /* call with process.lock */
void host_add(struct host_info info);
/* Removes the entry that begins at p; false: no entry begins there. */
bool host_take(void *p, bool registered);

#endif
