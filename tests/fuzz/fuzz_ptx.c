/* Fuzz target: a PTX text is loaded, and if it loads, each kernel runs one small block with a
 * parameter block of zeros and pattern bytes. No text may crash or hang the library.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "launch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void launch(struct heddle *h, struct heddle_kernel *k, uint64_t buffer)
{
	struct heddle_launch l = {.grid = {2, 1, 1}, .block = {40, 1, 1}, .shared_bytes = 256};
	launch_with(h, &l, k, buffer, 16);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct heddle *h = NULL;
	struct heddle_options o = {.max_instructions = 20000,
				   .output = discard,
				   .memory_bytes = 64 << 20,
				   .check_race = size & 1,
				   .check_init = size & 2};
	struct heddle_module *m;
	uint64_t buffer = 0;
	if (!heddle_open(&h, &o) &&
	    !heddle_load(h, &(struct heddle_text){"fuzz.ptx", data, size}, 1, &m)) {
		heddle_malloc(h, 1 << 16, &buffer);
		unsigned n = heddle_kernel_count(m);
		for (unsigned i = 0; i < n && i < 4; i++)
			launch(h, heddle_kernel_at(m, i), buffer);
		if (size % 7 == 0)
			free(heddle_stats_json(h));
		heddle_unload(h, m);
	}
	if (h)
		heddle_close(h);
	return 0;
}
