/* Registers with one value for all threads of a launch: parameters and immediates that are written
 * once and never read before that.
 *
 *	ld.param.u64       %rd1, [p];      fixed: the parameter's constant rows
 *	cvta.to.global.u64 %rd2, %rd1;     fixed: the same rows
 *	mov.u32            %r1, 7;         fixed: the immediate's rows
 *	add.s64            %rd4, %rd2, %rd3;
 *
 * Reads of such a register read the constant rows, and its write does nothing. So it has its value in all
 * lanes, even in lanes that never executed the write: an address that is computed for all lanes
 * (pass/brief.h) is valid in all. */
#ifndef KERNEL_FIXED_H
#define KERNEL_FIXED_H
#include "pass/pass.h"

/* [register], in arena a: true for registers of f that are written once and not read before, not
 * even by lanes that the write's guard excludes. */
bool *fixed_candidates(struct arena *a, const struct func *f, const struct live *l);

#endif
