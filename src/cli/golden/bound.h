/* Judges results of approximate instructions by the errors that the PTX manual allows. */
#ifndef GOLDEN_BOUND_H
#define GOLDEN_BOUND_H
#include <stdbool.h>
#include <stdint.h>
#include "cli/golden/operand.h"
#include "cli/golden/set.h"

/* Judges one result word of an approximate variant. It is right if it is within the allowed error
 * of the exact value, or equals the GPU's result bit for bit. `words` are the operands of all
 * elements. */
bool bound_accepts(const struct variant *v, const struct operands *g, const uint64_t *words,
		   uint32_t i, unsigned r, uint64_t got, uint64_t recorded);

/* Returns the value of a number of the given format. */
long double num_value(struct numformat f, uint64_t bits);

/* Computes matrix products (mma.c): the exact result of element i's result r, part p, and the sum
 * of the absolute products. False: an unknown shape. */
bool mma_exact(const char *name, const struct operands *g, const uint64_t *words, uint32_t i,
	       unsigned r, unsigned part, double *exact, double *magnitude);

/* Computes scalar video instructions as the manual defines them (video.c). False: not a video
 * instruction. */
bool video_exact(const char *name, const uint64_t *operand, uint32_t *result);

/* Machine code: true if the older machine's own arithmetic explains the result (machine.c). */
bool machine_accepts(bool tesla, const struct variant *v, const uint64_t *word, unsigned r,
		     uint64_t got, uint64_t recorded);

#endif
