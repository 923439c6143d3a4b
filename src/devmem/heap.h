/* Device malloc and free: blocks inside one allocation of the heap's size
 * (cudaLimitMallocHeapSize). Calls come in block order (they are ordered operations), so addresses
 * are deterministic.
 *
 * Every access of a kernel to the heap asks whether its bytes are inside one block. Two bits for
 * each 16 bytes answer that without a lock: is it in use, and does a block start there. Checked
 * runs leave 16 bytes more behind each block, and look at every byte (devmem/shadow.h). */
#ifndef DEVMEM_HEAP_H
#define DEVMEM_HEAP_H
#include <pthread.h>
#include <stdatomic.h>
#include "devmem/devmem.h"

struct heap_block {
	uint64_t off, size;
	uint64_t asked; /* in use: of these bytes so many are the program's */
	bool used;
};

enum { HEAP_GRANULE = 16, HEAP_CHUNK = 64 * HEAP_GRANULE }; /* bytes of a bit, of a word of bits */

struct heap {
	struct alloc *region;
	_Atomic uint64_t *used, *start; /* a bit a granule; start: also of free blocks */
	size_t first_free;              /* no block before this one is free */
	VEC(struct heap_block) blocks;  /* sorted by offset, covering the region */
	pthread_rwlock_t lock;
};

void heap_init(struct heap *h);
void heap_fini(struct heap *h);
/* Makes the region, once, before a kernel that calls malloc runs; false: no room in `mem`. */
bool heap_reserve(struct heap *h, struct devmem *mem, uint64_t bytes);
uint64_t heap_malloc(struct heap *h, uint64_t size);       /* device address, 0: no room */
bool heap_free(struct heap *h, uint64_t addr);             /* false: not an allocated block */
bool heap_owns(struct heap *h, uint64_t addr, uint64_t n); /* inside one allocated block */

static inline bool heap_has(const struct heap *h, uint64_t addr) /* anywhere in the region */
{
	return h->region && addr - h->region->lo < h->region->size;
}
/* The block that an address of the region is in; off is an address too. */
struct heap_block heap_block_at(struct heap *h, uint64_t addr);
/* The bytes around addr, an address of the region, that are in its block and its chunk; size 0:
 * free. */
struct window heap_window(const struct heap *h, uint64_t addr);

#endif
