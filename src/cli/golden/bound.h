/* What the PTX manual promises about approximate instructions, and how far a result may be off. */
#ifndef GOLDEN_BOUND_H
#define GOLDEN_BOUND_H
#include <stdbool.h>
#include <stdint.h>
#include "cli/golden/operand.h"
#include "cli/golden/set.h"

/* Judges one result word of an approximate variant: right if within the promised error of the exact
 * value, or what the GPU gave, bit for bit. `words` are the operands of all elements. */
bool bound_accepts(const struct variant *v, const struct operands *g, const uint64_t *words,
		   uint32_t i, unsigned r, uint64_t got, uint64_t recorded);

/* The value of a number of the given format. */
long double num_value(struct numformat f, uint64_t bits);

/* Matrix products, in mma.c: exact result of element i's result r, part p, and the sum of the
 * absolute products. False: not a shape that is known here. */
bool mma_exact(const char *name, const struct operands *g, const uint64_t *words, uint32_t i,
	       unsigned r, unsigned part, double *exact, double *magnitude);

/* Scalar video instructions, in video.c: what the manual says. False: not such an instruction. */
bool video_exact(const char *name, const uint64_t *operand, uint32_t *result);

/* Machine code: whether the older machine's own arithmetic explains the result (machine.c). */
bool machine_accepts(bool tesla, const struct variant *v, const uint64_t *word, unsigned r,
		     uint64_t got, uint64_t recorded);

#endif
