/* Scalar instructions, executed once for a warp, and the check that they may be.
 *
 * The uop's functions are wrapped: the operands of all threads that execute it are compared, one
 * thread computes, and its result is everybody's: of the threads that execute it, or, where
 * registers are allocated (pass/alloc.h) and a scalar one has one copy a warp, of all 32. An
 * instruction with different operands is a fault: the classification is wrong, not the program. */
#ifndef KERNEL_ONCE_H
#define KERNEL_ONCE_H
#include "kernel/image.h"

struct once { /* of one instruction */
	exec_fn *full, *part;
	const int32_t *row, *pred; /* row operands and predicates: sources, then destinations */
	uint8_t nsrc, ndst, npsrc, npdst;
	bool check, shared; /* compare; the result is for all lanes */
};

/* Wraps the instructions of f that img->scalar names; they are lowered. */
void once_wrap(struct image *img, const struct image_func *f, const struct image_opts *o);

/* For control flow, which the run loops execute: compares the operands and the guard of the lanes
 * `m` that execute u out of `active`. False after a fault. */
bool once_check(struct warp *w, const struct uop *u, uint32_t m, uint32_t active);

#endif
