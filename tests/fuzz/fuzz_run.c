/* Fuzz target for passes, lowering and execution. Most mutated texts do not load, so the lines that
 * error messages name are blanked and the text is loaded again, a few times: many odd but legal
 * programs result. Each kernel runs two small blocks with pointers to a small buffer and a limit of
 * instructions; the size of the input selects checks and host threads. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "launch.h"

enum { TRIES = 12, KERNELS = 12, BUFFER = 1 << 14 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Overwrites line `n` of the text with blanks and keeps the line end. */
static void blank(char *text, size_t size, unsigned long n)
{
	char *end = text + size, *p = text;
	while (n > 1 && p && p < end) {
		p = memchr(p, '\n', (size_t)(end - p));
		p += p != NULL;
		n--;
	}
	for (; p && n == 1 && p < end && *p != '\n'; p++)
		*p = ' ';
}

/* Blanks the lines that the messages name; false: the messages name no line. */
static bool repair(char *text, size_t size, const char *message)
{
	static const char name[] = "fuzz.ptx:";
	bool any = false;
	for (const char *m = message; (m = strstr(m, name));) {
		m += sizeof name - 1;
		unsigned long n = strtoul(m, NULL, 10);
		if (n)
			blank(text, size, n);
		any |= n != 0;
	}
	return any;
}

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
	char *text = malloc(size + 1);
	memcpy(text, data, size);
	bool loaded = false;
	for (unsigned i = 0; i < TRIES && !loaded; i++) {
		loaded = !heddle_load(h, &(struct heddle_text){"fuzz.ptx", text, size}, 1, &m);
		if (!loaded && !repair(text, size, heddle_message(h)))
			break;
	}
	if (loaded && !heddle_malloc(h, BUFFER, &buffer)) {
		unsigned n = heddle_kernel_count(m);
		for (unsigned i = 0; i < n && i < KERNELS; i++)
			launch(h, heddle_kernel_at(m, i), buffer);
		if (size % 7 == 0)
			free(heddle_stats_json(h));
		heddle_unload(h, m);
	}
	heddle_close(h);
	free(text);
	return 0;
}
