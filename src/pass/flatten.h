/* Native control flow with static targets: what the token stack does, as plain branches.
 *
 * Seen by one thread the token stack is a stack of labels: SSY, PBK, PCNT, CAL and PRET push one,
 * `.S` goes to the top one, BRK, CONT and RET to the innermost of their kind. Where every path to
 * an instruction brings the same labels the target is known; where paths differ (a function called
 * from two places) the code is copied for each. An indirect branch is compared with every address
 * behind a transfer of its function, where such targets are, and an indirect call with the
 * functions that are not at work already. So any reconvergence mechanism can run native code, but
 * for recursion, which is refused, or a trap if by a pointer. */
#ifndef PASS_FLATTEN_H
#define PASS_FLATTEN_H
#include "ir/module.h"

/* A copy of f without OP_NATIVE control, in arena a. NULL, and the reason in d, if there is
 * none. */
struct func *native_flatten(const struct func *f, struct arena *a, struct diag *d);

#endif
