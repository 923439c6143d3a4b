/* Fuzz target for machine code of Turing to Hopper: a mutated cubin. If it loads, each kernel is decoded,
 * translated and runs two small blocks with pointers to a small buffer and a limit of instructions; the size
 * of the input selects checks and host threads. A launch that is refused has a message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "launch.h"

enum { KERNELS = 6, BUFFER = 1 << 14 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void launch(struct heddle *h, struct heddle_kernel *k, uint64_t buffer)
{
	struct heddle_launch l = {.grid = {2, 1, 1}, .block = {48, 1, 1}, .shared_bytes = 512};
	struct heddle_kernel_info info;
	heddle_kernel_info(k, &info);
	for (unsigned d = 0; d < 3; d++)
		if (info.reqntid[d])
			l.block[d] = info.reqntid[d];
	launch_with(h, &l, k, buffer, 100);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct heddle *h = NULL;
	struct heddle_options o = {.max_instructions = 5000,
				   .output = discard,
				   .memory_bytes = 64 << 20,
				   .check_race = size & 1,
				   .check_init = size & 2,
				   .no_check = size & 4,
				   .threads = size & 8 ? 2 : 1};
	struct heddle_module *m = NULL;
	uint64_t buffer = 0;
	if (heddle_open(&h, &o))
		return 0;
	if (heddle_load(h, &(struct heddle_text){"fuzz.cubin", data, size}, 1, &m)) {
		if (!heddle_message(h)[0])
			abort();
	} else if (!heddle_malloc(h, BUFFER, &buffer)) {
		unsigned n = heddle_kernel_count(m);
		for (unsigned i = 0; i < n && i < KERNELS; i++)
			launch(h, heddle_kernel_at(m, i), buffer);
		if (size % 7 == 0)
			free(heddle_stats_json(h));
		heddle_unload(h, m);
	}
	heddle_close(h);
	return 0;
}
