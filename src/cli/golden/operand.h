/* The operands of golden vectors: regenerated from a variant's name, never stored. An operand's
 * value depends only on the name, the number of elements, the operand kinds, the element and the
 * number of the operand. */
#ifndef GOLDEN_OPERAND_H
#define GOLDEN_OPERAND_H
#include <stdbool.h>
#include <stdint.h>

enum { OPERANDS_MAX = 4 };

struct operands {
	uint64_t seed;
	uint32_t n; /* number of elements in the full set */
	unsigned count;
	const struct kind *kind[OPERANDS_MAX];
};

/* Prepares the operands of a variant. `kinds`: names separated by commas. False: unknown name, or
 * too many names. */
bool operands_init(struct operands *g, const char *name, uint32_t n, const char *kinds);
/* Writes all operands: element i's operand k at out[4 * i + k]; absent operands are 0. */
void operands_fill(const struct operands *g, uint64_t *out);
/* Returns the check value that the index records. */
uint64_t operands_hash(const struct operands *g, const uint64_t *words);

/* Numeric format of a word: format of one part, and number of parts. */
struct numformat {
	unsigned width, exp_bits, frac_bits, parts;
};
struct numformat operands_format(const struct operands *g, unsigned k);

#endif
