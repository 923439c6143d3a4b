/* The calls under way of a warp or a block, for divergence handlers whose threads are not on a
 * stack.
 *
 * A site is one list of return addresses: threads of a warp are in the same site if they came to
 * their function by the same calls, so "same pc, same site" is the whole of where a thread is; its
 * frame follows. Sites are a tree with a root for each owner; each counts who is in it and is gone
 * with the last. */
#ifndef SM_DIVERGE_CALLS_H
#define SM_DIVERGE_CALLS_H
#include <stdbool.h>
#include "base/vec.h"
#include "kernel/wstate.h"

enum { NO_SITE = -1 };

struct site {
	int32_t parent, child, next; /* the one it was called in; those called in it, a list */
	uint32_t ret, uses;          /* ret: the pc it returns to */
	struct frame frame;          /* of the functions called here */
};
struct calls {
	VEC(struct site) site; /* the first are the roots */
	int32_t free;          /* a list by `next` */
};

void calls_init(struct calls *c, unsigned roots);
void calls_fini(struct calls *c);
/* The site of a call in `parent` that returns to `ret`, held once more. */
int32_t calls_enter(struct calls *c, int32_t parent, uint32_t ret, const struct frame *callee);
void calls_hold(struct calls *c, int32_t site);
void calls_drop(struct calls *c, int32_t site);
/* Nobody is in it, nor in a call from it. */
bool calls_left(const struct calls *c, int32_t site);

static inline const struct site *calls_at(const struct calls *c, int32_t site)
{
	return &c->site.v[site];
}

#endif
