/* Table from a pointer to a pointer, open addressing. The key must not be NULL. Callers lock. */
#ifndef CUDA_PTRMAP_H
#define CUDA_PTRMAP_H
#include <stddef.h>

struct ptrmap {
	struct ptrmap_slot {
		const void *key;
		void *value;
	} * slot;
	size_t n, cap; /* slots in use, removed ones included; all slots */
};
void *ptrmap_get(const struct ptrmap *m, const void *key);       /* NULL: no such key */
void ptrmap_put(struct ptrmap *m, const void *key, void *value); /* value NULL: removes the key */

#endif
