/* Questions about locks in a kernel, for the passes locks.c and arms.c. */
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

/* lock_asks: true for an instruction that takes a lock or a ticket. Below: true for an instruction
 * that writes memory which other threads see. */
bool lock_asks(const struct inst *in);
bool lock_stores(const struct inst *in);
/* True if an instruction of the loop takes the lock that `in` writes. */
bool lock_asked_for(const struct graphs *g, uint32_t loop, const struct inst *in);

#endif
