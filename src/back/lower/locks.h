/* Questions about locks in a kernel, for the passes locks.c and arms.c. */
#ifndef BACK_LOWER_LOCKS_H
#define BACK_LOWER_LOCKS_H
#include "back/lower/lower.h"

struct graphs {
	const struct func *f;
	struct cfg *c;
	struct domtree dom, pdom;
	struct loops loops;
	/* shared memory through which lanes exchange words (struct lowering); NULL: none */
	const struct var *exchange;
};
void graphs_build(struct graphs *g, const struct func *f, struct arena *a);

/* lock_asks: true for an instruction that acquires a lock or takes a ticket. lock_stores: true for
 * an instruction that writes memory which other threads see. */
bool lock_asks(const struct inst *in);
bool lock_stores(const struct inst *in);
/* True if some instruction of the loop acquires the lock that instruction `in` writes. */
bool lock_asked_for(const struct graphs *g, uint32_t loop, const struct inst *in);

#endif
