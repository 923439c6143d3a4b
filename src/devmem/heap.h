/* Device malloc and free: blocks inside one allocation of the heap's size
 * (cudaLimitMallocHeapSize). Calls come in block order (they are ordered operations), so addresses
 * are deterministic.
 *
 * Every access of a kernel to the heap is checked: all its bytes must be inside one block. Two bits
 * per 16 bytes decide that without a lock: whether they are in use, and whether a block starts
 * there. Checked runs leave 16 more bytes after each block, and check every byte
 * (devmem/shadow.h). */
#ifndef DEVMEM_HEAP_H
#define DEVMEM_HEAP_H
#include <pthread.h>
#include <stdatomic.h>
#include "devmem/devmem.h"

struct heap_block {
	uint64_t off, size;
	uint64_t asked; /* bytes that the program requested; the block may be larger */
	bool used;
};

/* bytes per bit of the maps; bytes per 64-bit word of the maps */
enum { HEAP_GRANULE = 16, HEAP_CHUNK = 64 * HEAP_GRANULE };

struct heap {
	struct alloc *region;
	_Atomic uint64_t *used, *start; /* one bit per granule; start: also at free blocks */
	size_t first_free;              /* index; no block before it is free */
	VEC(struct heap_block) blocks;  /* sorted by offset; together they cover the region */
	pthread_rwlock_t lock;
};

void heap_init(struct heap *h);
void heap_fini(struct heap *h);
/* Allocates the region, once, before a kernel that calls malloc runs; false: `mem` is full. */
bool heap_reserve(struct heap *h, struct devmem *mem, uint64_t bytes);
/* returns a device address; 0: the heap is full */
uint64_t heap_malloc(struct heap *h, uint64_t size);
/* false: addr is not the start of an allocated block */
bool heap_free(struct heap *h, uint64_t addr);
/* true: the bytes are inside one allocated block */
bool heap_owns(struct heap *h, uint64_t addr, uint64_t n);

/* true: the address is in the region */
static inline bool heap_has(const struct heap *h, uint64_t addr)
{
	return h->region && addr - h->region->lo < h->region->size;
}
/* Returns the block that contains an address of the region; `off` is then a device address too. */
struct heap_block heap_block_at(struct heap *h, uint64_t addr);
/* Returns the bytes around addr, an address of the region, that are both in its block and in its
 * chunk; size 0: the block is free. */
struct window heap_window(const struct heap *h, uint64_t addr);

#endif
