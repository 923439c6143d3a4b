/* Compiles PTX to machine code, for `heddle ptxas` and `heddle cc -cubin`. */
#ifndef COMMAND_CUBIN_H
#define COMMAND_CUBIN_H
#include <stdbool.h>
#include <stddef.h>
#include "heddle.h"

/* Returns a cubin for the machine that `how` names; malloc'ed. NULL: an error, printed on standard
 * error. verbose: also prints registers and memory of each kernel. */
void *ptxas_cubin(const struct heddle_text *ptx, const struct heddle_compile *how, size_t *size,
		  bool verbose);

#endif
