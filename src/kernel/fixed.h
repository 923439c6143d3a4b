/* Registers with one value for all threads of a launch: parameters and immediates that are written
 * once and read nowhere before.
 *
 *	ld.param.u64       %rd1, [p];      fixed: the parameter's constant rows
 *	cvta.to.global.u64 %rd2, %rd1;     fixed: the same rows
 *	mov.u32            %r1, 7;         fixed: the immediate's rows
 *	add.s64            %rd4, %rd2, %rd3;
 *
 * What reads such a register reads the constant rows, and what writes it does nothing. So it has its
 * value in all lanes, even those that have not been there: an address that is computed for all lanes
 * (pass/brief.h) is a good one in all. */
#ifndef KERNEL_FIXED_H
#define KERNEL_FIXED_H
#include "pass/pass.h"

/* Which registers of f are written once and not read before (what a guard leaves out is): in arena a. */
bool *fixed_candidates(struct arena *a, const struct func *f, const struct live *l);

#endif
