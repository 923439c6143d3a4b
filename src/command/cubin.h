/* PTX as machine code, for `heddle ptxas` and `heddle cc -cubin`. */
#ifndef COMMAND_CUBIN_H
#define COMMAND_CUBIN_H
#include <stdbool.h>
#include <stddef.h>
#include "heddle.h"

/* A cubin of the machine that `how` names; malloc'ed. NULL: it is said on standard error why. verbose: registers and
 * memory of each kernel are said, too. */
void *ptxas_cubin(const struct heddle_text *ptx, const struct heddle_compile *how, size_t *size,
		  bool verbose);

#endif
