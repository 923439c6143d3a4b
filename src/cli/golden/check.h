/* Runs golden variants on the simulator and judges their results. */
#ifndef GOLDEN_CHECK_H
#define GOLDEN_CHECK_H
#include <stdbool.h>
#include <stdint.h>
#include "cli/golden/operand.h"
#include "cli/golden/set.h"

/* How one half of a variant's elements compares. */
struct tally {
	uint32_t elements, differ; /* differ: from the recorded bits */
	uint32_t wrong;            /* of those, not acceptable */
	/* the first wrong one, or the first that differs if none is wrong: */
	uint32_t element;
	unsigned result;
	uint64_t got, recorded, operand[OPERANDS_MAX];
};

struct verdict {
	struct tally half[2];
	char *error; /* it could not be loaded or run: why */
};

/* Runs the variants selected (NULL: all) and fills a verdict for each. Modules are loaded once.
 * False: the folder is unusable; reported. */
bool golden_check(struct golden_set *s, const bool *selected, struct verdict *verdict);

#endif
