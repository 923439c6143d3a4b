/* Fuzz target: reads a cubin and prints it if it loads. If the listing can be assembled (some names
 * have no textual form), the new cubin is read as well, and listing and cubin must reproduce each
 * other from then on. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "heddle.h"
#include "load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Assembles a listing to a cubin and returns the listing of that cubin; NULL: refused with a
 * message. */
static char *there_and_back(const char *text)
{
	size_t n;
	char *message = NULL;
	void *cubin = heddle_native_assemble(&(struct heddle_text){"fuzz.sass", text, strlen(text)},
					     &n, &message);
	if (!cubin && !message) /* beside a cubin, messages are notes and warnings */
		abort();
	free(message);
	if (!cubin)
		return NULL;
	char *again = heddle_native_list(&(struct heddle_text){"again.cubin", cubin, n},
					 HEDDLE_SASS_FULL, &message);
	if (!again)
		abort();
	free(cubin);
	return again;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct heddle_text t = {"fuzz.cubin", data, size};
	char *message = NULL;
	char *text = heddle_native_list(&t, HEDDLE_SASS_FULL, &message);
	if (!text && !message)
		abort();
	free(message);
	if (!text)
		return 0;
	for (int s = HEDDLE_SASS; s <= HEDDLE_SASS_PTXPLUS; s++) {
		free(heddle_native_list(&t, s, &message));
		free(message);
	}
	char *again = there_and_back(text), *third = again ? there_and_back(again) : NULL;
	if (again && (!third || strcmp(again, third)))
		abort();
	free(third);
	free(again);
	free(text);
	load(&t);
	return 0;
}
