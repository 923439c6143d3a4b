/* Brief registers: values that are written and read for the last time in one straight run of code.
 *
 * Requires: cfg, live, scalar. Provides: whether each register is brief.
 *
 *	 0  ld.global %a, [%x]      %a  brief
 *	 1  and.b32   %b, %a, 1     %b  brief
 *	 2  bar.sync  0             ---- lanes may wait: a run ends
 *	 3  add.s32   %c, %b, 1     %b  is not brief after all
 *	 4  bra       next          %c  is not, if it is read there
 *
 * A run ends where lanes of a warp may part, meet, wait or poll. In between the same lanes execute
 * all of it. So a lane outside the run stands at the end of some run, where no brief register is
 * live: its column of such a register's row may be overwritten. The executor then uses the form of an
 * operation for all lanes, which needs no mask, whichever lanes are active (exec/uop.h). */
#ifndef PASS_BRIEF_H
#define PASS_BRIEF_H
#include "pass/scalar.h"

/* True if a branch of the function may diverge. Otherwise additional rows cost more than masks
 * save. */
bool brief_helps(const struct func *f, const struct cfg *c, const struct scalar *s);
/* [register]: true: brief; in arena a. Predicates are never brief. */
bool *brief_find(struct arena *a, const struct func *f, const struct cfg *c, const struct live *l);
/* True if the operation computes each lane's integer from that lane's operands alone, in a time that does
 * not depend on them: garbage in other lanes is harmless. */
bool brief_op(const struct inst *in);

#endif
