/* --check warn: accesses outside an allocation that hardware would perform, because a GPU checks
 * pages, not allocations. Such an access is recorded, once per place with a count, and continues
 * with the bytes there: the rest of the allocation's last page, zero until it is written. All other
 * accesses outside still fault. */
#ifndef EXEC_STRAYS_H
#define EXEC_STRAYS_H
#include "exec/memory/access.h"

struct stray {
	struct fault f; /* first fault at this place */
	uint64_t count;
};
struct strays {
	VEC(struct stray) at; /* accesses by pc, in the order of first occurrence */
};

/* Returns the bytes, if a page exists there. `tell` writes the message of the fault that the access
 * would otherwise cause; it is called for the first access at each place. */
typedef void stray_fn(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
		      enum access acc);
uint8_t *stray_bytes(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
		     enum access acc, stray_fn *tell);
void strays_free(struct strays *s);

#endif
