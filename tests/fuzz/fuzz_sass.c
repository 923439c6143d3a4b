/* Fuzz target: reads a listing or PTXPlus (anything that is not ELF). What loads is printed in
 * every style and assembled, and the cubin must load again with equal code. Its PTXPlus is either
 * read or refused with a message, because a listing may contain names that PTXPlus cannot
 * express. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "heddle.h"
#include "load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void plus_again(const struct heddle_text *t)
{
	char *message = NULL, *first = heddle_native_list(t, HEDDLE_SASS_PTXPLUS, &message);
	free(message);
	message = NULL;
	struct heddle_text again = {"fuzz.ptxplus", first, first ? strlen(first) : 0};
	char *second = first ? heddle_native_list(&again, HEDDLE_SASS_PTXPLUS, &message) : NULL;
	if (!first || (!second && !message))
		abort();
	free(message);
	free(first);
	free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct heddle_text t = {"fuzz.sass", data, size};
	size_t n;
	char *message = NULL, *first;
	void *cubin = heddle_native_assemble(&t, &n, &message);
	if (!cubin && !message) /* beside a cubin, messages are notes and warnings */
		abort();
	free(message);
	if (!cubin)
		return 0;
	first = heddle_native_list(&t, HEDDLE_SASS_CUDA4, &message);
	free(message);
	struct heddle_text again = {"fuzz.cubin", cubin, n};
	char *second = heddle_native_list(&again, HEDDLE_SASS_CUDA4, &message);
	if (!first || !second || strcmp(first, second))
		abort();
	free(first);
	free(second);
	/* Prints the program in a style that the size of the input selects, then loads the text or
	 * the cubin. */
	int s = HEDDLE_SASS_CUDA5 + (int)(size % (HEDDLE_SASS_PTXPLUS - HEDDLE_SASS_CUDA5 + 1));
	if (s == HEDDLE_SASS_PTXPLUS) {
		plus_again(&again);
	} else {
		free(heddle_native_list(&again, s, &message));
		free(message);
	}
	load(size & 4 ? &t : &again);
	free(cubin);
	return 0;
}
