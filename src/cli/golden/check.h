/* Runs golden variants on the simulator and judges their results. */
#ifndef GOLDEN_CHECK_H
#define GOLDEN_CHECK_H
#include <stdbool.h>
#include <stdint.h>
#include "cli/golden/operand.h"
#include "cli/golden/set.h"

/* Comparison of one half of a variant's elements with the recorded results. */
struct tally {
	uint32_t elements, differ; /* differ: elements whose bits differ */
	uint32_t wrong;            /* elements of `differ` that are not acceptable */
	/* The first wrong element, or the first that differs if none is wrong: */
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

/* Runs the selected variants (NULL: all) and fills a verdict for each. Modules are loaded once.
 * o gives the code that PTX runs as, and its kind of stack. False: the folder is unusable;
 * reported. */
struct heddle_options;
bool golden_check(struct golden_set *s, const struct heddle_options *o, const bool *selected,
		  struct verdict *verdict);

#endif
