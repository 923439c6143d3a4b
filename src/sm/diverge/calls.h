/* The calls under way of a warp or a block, for divergence handlers whose threads are not on a
 * stack.
 *
 * A site stands for one list of return addresses: threads are in one site exactly if they came to
 * their function by the same calls, so pc and site together say where a thread is; the function's
 * frame belongs to the site. Sites form a tree with a root per owner; each counts its references
 * and is freed with the last. */
#ifndef SM_DIVERGE_CALLS_H
#define SM_DIVERGE_CALLS_H
#include <stdbool.h>
#include "base/vec.h"
#include "kernel/wstate.h"

enum { NO_SITE = -1 };

struct site {
	int32_t parent, child, next; /* the caller's site; first site called from this site; next
				      * site called from `parent` */
	uint32_t ret, uses;          /* ret: ret: pc to which the call returns; uses: references
				      * to the site */
	struct frame frame;          /* frame of the function */
};
struct calls {
	VEC(struct site) site; /* the roots come first */
	int32_t free;          /* free sites, linked by `next` */
};

void calls_init(struct calls *c, unsigned roots);
void calls_fini(struct calls *c);
/* Returns the site of a call in `parent` that returns to `ret`, with one reference more. */
int32_t calls_enter(struct calls *c, int32_t parent, uint32_t ret, const struct frame *callee);
void calls_hold(struct calls *c, int32_t site);
void calls_drop(struct calls *c, int32_t site);
/* True if neither the site nor any call from it has a thread. */
bool calls_left(const struct calls *c, int32_t site);

static inline const struct site *calls_at(const struct calls *c, int32_t site)
{
	return &c->site.v[site];
}

#endif
