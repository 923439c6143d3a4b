/* Fuzz target: a listing or PTXPlus (or anything that is not ELF) is read; what loads is printed in every
 * style, assembled, and the cubin must load again with the same code. So is its PTXPlus,
 * which is read or refused with a message: a listing's names may be none that PTXPlus can say. */
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
	if (!cubin && !message) /* with a cubin they are notes and warnings */
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
	/* One of the other listings, and the text or the cubin as a program, by the size of the input. */
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
