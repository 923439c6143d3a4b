/* Scalar instructions (pass/scalar.h), executed once per warp, and the check that they are scalar.
 *
 * The uop's functions are wrapped: the operands of all threads that execute it are compared, one
 * thread computes, and all threads get its result: those that execute it, or, where registers are
 * allocated (pass/alloc.h) and scalar registers have one copy per warp, all 32. An
 * instruction with different operands is a fault: the classification is wrong, not the program. */
#ifndef KERNEL_ONCE_H
#define KERNEL_ONCE_H
#include "kernel/image.h"

struct once { /* the wrapper's data for one instruction */
	exec_fn *full, *part;
	const int32_t *row, *pred; /* row operands and predicates: sources, then destinations */
	uint8_t nsrc, ndst, npsrc, npdst;
	bool check, shared; /* check: operands are compared; shared: all 32 lanes get the result */
};

/* Wraps the instructions of f that img->scalar names; call it after lowering. */
void once_wrap(struct image *img, const struct image_func *f, const struct image_opts *o);

/* Compares the operands and the guard of the lanes `m` that execute u, out of `active`. For control flow,
 * which the run loops execute. False: a fault. */
bool once_check(struct warp *w, const struct uop *u, uint32_t m, uint32_t active);
/* Copies the result of u from the lowest lane of m, the lanes that executed u, to all lanes that
 * share the result. */
void once_copy(struct warp *w, const struct uop *u, uint32_t m);

#endif
