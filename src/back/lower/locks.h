/* What locks.c and arms.c know of locks in a kernel's code. */
#ifndef BACK_LOWER_LOCKS_H
#define BACK_LOWER_LOCKS_H
#include "back/lower/lower.h"

struct graphs {
	const struct func *f;
	struct cfg *c;
	struct domtree dom, pdom;
	struct loops loops;
	const struct var *exchange; /* as struct lowering has it */
};
void graphs_build(struct graphs *g, const struct func *f, struct arena *a);

/* An instruction that asks for a lock or a ticket; one that writes memory that others see. */
bool lock_asks(const struct inst *in);
bool lock_stores(const struct inst *in);
/* Does the loop ask for the memory that `in` writes? */
bool lock_asked_for(const struct graphs *g, uint32_t loop, const struct inst *in);

#endif
