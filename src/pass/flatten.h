/* Native control flow with static targets: plain branches in place of the token stack.
 *
 * Seen by one thread the token stack is a stack of labels: SSY, PBK, PCNT, CAL and PRET push one,
 * `.S` goes to the top one, BRK, CONT and RET to the innermost of their kind. If every path to an
 * instruction brings the same labels, the target is known; if paths differ (a function called from
 * two places), the code is copied for each. An indirect branch becomes comparisons with every
 * possible target of its function, an indirect call with every function that is not active already.
 * So any reconvergence mechanism can run native code, except recursion: it is refused, or traps if
 * it goes through a pointer. */
#ifndef PASS_FLATTEN_H
#define PASS_FLATTEN_H
#include "ir/module.h"

/* A copy of f without OP_NATIVE control, in arena a. NULL, and the reason in d, if there is
 * none. */
struct func *native_flatten(const struct func *f, struct arena *a, struct diag *d);

#endif
