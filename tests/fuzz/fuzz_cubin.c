/* Fuzz target: a cubin is read. What loads is printed, and its listing must load again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "heddle.h"
#include "load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct heddle_text t = {"fuzz.cubin", data, size};
	char *message = NULL;
	char *text = heddle_native_list(&t, HEDDLE_SASS_FULL, &message);
	if (!text != (message != NULL)) /* exactly one of them */
		abort();
	free(message);
	if (!text)
		return 0;
	for (int s = HEDDLE_SASS; s <= HEDDLE_SASS_PTXPLUS; s++) {
		free(heddle_native_list(&t, s, &message));
		free(message);
	}
	size_t n;
	void *again = heddle_native_assemble(&t, &n, &message);
	free(message);
	free(again);
	free(text);
	load(&t);
	return 0;
}
