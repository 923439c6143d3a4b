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
	char *error;  /* it could not be loaded or run: why */
	bool refused; /* the machine whose code it runs as has no instruction for it */
	bool absent;  /* there is no machine code of its module */
};

/* Runs the selected variants (NULL: all) and fills a verdict for each. Modules are loaded once. o
 * tells which code PTX runs as, and by which stack. False: the folder is unusable; reported. */
struct heddle_options;
bool golden_check(struct golden_set *s, const struct heddle_options *o, const bool *selected,
		  struct verdict *verdict);

#endif
