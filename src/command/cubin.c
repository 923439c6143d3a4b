/* Compiles PTX to a cubin in two steps of the library and prints the library's messages, for
 * `heddle ptxas` and `heddle cc -cubin`. */
#include "command/cubin.h"
#include <stdlib.h>
#include <string.h>
#include "command/command.h"

void *ptxas_cubin(const struct heddle_text *ptx, const struct heddle_compile *how, size_t *size,
		  bool verbose)
{
	char *message = NULL, *text = heddle_native_compile(ptx, 1, how, &message);
	void *cubin = NULL;
	if (message && (verbose || !text))
		cli_print(stderr, message);
	free(message);
	message = NULL;
	if (text) {
		struct heddle_text t = {ptx->name, text, strlen(text), "full"};
		cubin = heddle_native_assemble(&t, size, &message);
		if (!cubin)
			cli_print(stderr, message ? message : "");
	}
	free(message);
	free(text);
	return cubin;
}
