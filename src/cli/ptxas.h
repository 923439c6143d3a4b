/* PTX as machine code, for `heddle ptxas` and `heddle cc -cubin`. */
#ifndef CLI_PTXAS_H
#define CLI_PTXAS_H
#include <stdbool.h>
#include <stddef.h>
#include "heddle.h"

/* A cubin of the machine that `how` names; malloc'ed. NULL: it is said on standard error why. verbose: registers and
 * memory of each kernel are said, too. */
void *ptxas_cubin(const struct heddle_text *ptx, const struct heddle_compile *how, size_t *size,
		  bool verbose);

#endif
