/* Fuzz target: a fat binary is walked and every entry unpacked; nothing is read outside it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/module/fatbin.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fatbin_entry e;
	/* a copy of the exact size, so that a read past its end is seen */
	uint8_t *copy = malloc(size ? size : 1);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	for (size_t at = 0, n; fatbin_next(copy, size, &at, &e);) {
		if (e.data < copy || e.size > size || (size_t)(e.data - copy) > size - e.size)
			abort();
		if (e.packing != FATBIN_PLAIN && e.unpacked > 1 << 20)
			continue; /* time, not memory safety */
		free(fatbin_unpack(&e, &n));
	}
	unsigned native;
	size_t n;
	if (size >= 16 && fatbin_length(copy) <= size)
		free(fatbin_program(copy, size, &n, &native));
	free(copy);
	return 0;
}
