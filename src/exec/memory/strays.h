/* --check warn: accesses outside an allocation that the hardware would answer, because a GPU checks
 * pages, not allocations. Such an access is recorded, once per place with a count, and goes on with
 * the bytes that lie there: the rest of the allocation's last page, zero until it is written. All
 * other accesses outside still fault. */
#ifndef EXEC_STRAYS_H
#define EXEC_STRAYS_H
#include "exec/memory/access.h"

struct stray {
	struct fault f; /* the first one there */
	uint64_t count;
};
struct strays {
	VEC(struct stray) at; /* by place, in the order in which they were found */
};

/* The bytes, if a page answers. `tell` writes the fault that it would otherwise be; it is called
 * for the first access of a place. */
typedef void stray_fn(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
		      enum access acc);
uint8_t *stray_bytes(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
		     enum access acc, stray_fn *tell);
void strays_free(struct strays *s);

#endif
