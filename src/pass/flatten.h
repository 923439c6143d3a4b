/* Native control flow with static targets: plain branches in place of the token stack. Any
 * reconvergence mechanism can therefore run native code. Recursion is refused, or traps if it goes
 * through a pointer. The token stack itself is in kernel/token_flow.h.
 *
 * Seen by one thread the token stack is a stack of labels: SSY, PBK, PCNT, CAL and PRET push one,
 * `.S` goes to the top one, BRK, CONT and RET to the innermost of their kind. If every path to an
 * instruction has the same labels, the target is known; if paths differ (a function called from
 * two places), the code is copied per label stack. An indirect branch becomes comparisons with every
 * possible target of its function, an indirect call with every function that is not active already. */
#ifndef PASS_FLATTEN_H
#define PASS_FLATTEN_H
#include "ir/module.h"

/* A copy of f without native control flow, in arena a. NULL, and the reason in d, if no copy
 * is possible. */
struct func *native_flatten(const struct func *f, struct arena *a, struct diag *d);

#endif
