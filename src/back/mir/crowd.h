/* Chooses values to spill before registers are allocated: the cheapest ones where more words or
 * predicates are live than a limit. */
#ifndef BACK_MIR_CROWD_H
#define BACK_MIR_CROWD_H
#include "back/mir/live.h"

typedef VEC(uint32_t) mvalue_list;

/* Marks values as spilled and adds them to out. cost[value]: cost of spilling the value. */
void mir_crowd(struct mfunc *m, const struct mlive *l, const float *cost, uint32_t words,
	       uint32_t predicates, mvalue_list *out);

/* True if the value may be spilled. */
static inline bool mval_may_go(const struct mval *x)
{
	return !x->piece && !x->pinned && !x->group && !x->spilled && !x->address;
}

#endif
