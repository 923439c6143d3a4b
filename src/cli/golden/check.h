/* Runs golden variants on the simulator and judges their results. */
#ifndef GOLDEN_CHECK_H
#define GOLDEN_CHECK_H
#include <stdbool.h>
#include <stdint.h>
#include "cli/golden/operand.h"
#include "cli/golden/set.h"

/* Comparison of one half of a variant's elements with the recorded results. */
struct tally {
	/* elements: number compared; differ: elements whose bits differ */
	uint32_t elements, differ;
	uint32_t wrong; /* elements of `differ` that are not acceptable */
	/* The fields from here on describe the first wrong element; if none is wrong, the first
	 * that differs. */
	uint32_t element;
	unsigned result;
	uint64_t got, recorded, operand[OPERANDS_MAX];
};

struct verdict {
	struct tally half[2];
	char *error;  /* why the variant could not be loaded or run; NULL: it ran */
	bool refused; /* the generator's machine has no instruction for the variant */
	bool absent;  /* the module has no machine code */
};

/* Runs the selected variants (NULL: all) and fills a verdict for each. Modules are loaded once. o:
 * the code that PTX is compiled to, and the kind of divergence stack. False: the folder is
 * unusable; reported. */
struct heddle_options;
bool golden_check(struct golden_set *s, const struct heddle_options *o, const bool *selected,
		  struct verdict *verdict);

#endif
