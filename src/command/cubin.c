/* Compiles PTX to a cubin in two steps of the library and prints the library's messages, for
 * `heddle ptxas` and `heddle cc -cubin`. */
#include "command/cubin.h"
#include <stdlib.h>
#include "command/command.h"

void *ptxas_cubin(const struct heddle_text *ptx, const struct heddle_compile *how, size_t *size,
		  bool verbose)
{
	char *message = NULL;
	void *cubin = heddle_cubin_compile(ptx, 1, how, size, &message);
	if (message && (verbose || !cubin))
		cli_print(stderr, message);
	free(message);
	return cubin;
}
