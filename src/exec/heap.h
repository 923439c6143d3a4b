/* Device malloc and free: blocks inside one allocation of the heap's size (cudaLimitMallocHeapSize).
 * Calls come in block order (they are ordered operations), so addresses are deterministic.          */
#ifndef EXEC_HEAP_H
#define EXEC_HEAP_H
#include <pthread.h>
#include "exec/devmem.h"

struct heap_block {
	uint64_t off, size;
	bool used;
};

struct heap {
	struct alloc *region;
	VEC(struct heap_block) blocks; /* sorted by offset, covering the region */
	pthread_rwlock_t lock;
};

void heap_init(struct heap *h);
void heap_fini(struct heap *h);
/* Makes the region, once, before a kernel that calls malloc runs; false: no room in `mem`. */
bool heap_reserve(struct heap *h, struct devmem *mem, uint64_t bytes);
uint64_t heap_malloc(struct heap *h, uint64_t size); /* device address, 0: no room */
bool heap_free(struct heap *h, uint64_t addr); /* false: not an allocated block */
bool heap_owns(struct heap *h, uint64_t addr, uint64_t n); /* inside one allocated block */

#endif
