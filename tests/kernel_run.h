/* Helpers of the tests of code generators and listings: runs a kernel of tests/kernels, given in
 * any program format, on the input that all these kernels take. */
#ifndef TESTS_KERNEL_RUN_H
#define TESTS_KERNEL_RUN_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"

enum { WORDS = 1024, GRID = 8, BLOCK = 128 };

/* Reads a file; returns its size, 0 if it does not exist. */
static inline size_t read_file(const char *path, char *buf, size_t max)
{
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(buf, 1, max, f) : 0;
	if (f)
		fclose(f);
	return n;
}

/* Loads a text and finds its kernel. NULL: refused; h is closed and `why` has the message. */
static inline struct heddle_kernel *kernel_load(struct heddle *h, struct heddle_text text,
						const char *name, char *why, size_t nwhy)
{
	struct heddle_module *m;
	struct heddle_kernel_info info = {.refused = true};
	struct heddle_kernel *k = NULL;
	if (!heddle_load(h, &text, 1, &m)) {
		k = heddle_kernel_find(m, name);
		assert_non_null(k);
		heddle_kernel_info(k, &info);
	}
	if (!info.refused)
		return k;
	snprintf(why, nwhy, "%s", heddle_message(h));
	heddle_close(h);
	return NULL;
}

/* Runs the kernel that is named after `path` from `text`; `out` receives the WORDS words that it
 * writes. False: refused; `why` has the message. */
static inline bool kernel_run(const char *path, const void *text, size_t size,
			      struct heddle_options o, uint32_t *out, char *why, size_t nwhy)
{
	static uint32_t in[WORDS];
	char name[64];
	const char *base = strrchr(path, '/') + 1;
	struct heddle *h;
	uint64_t buf[2];
	snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
	assert_int_equal(read_file("tests/kernels/input.bin", (char *)in, sizeof in), sizeof in);
	o.max_instructions = 50000000;
	assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
	struct heddle_kernel *k =
		kernel_load(h, (struct heddle_text){base, text, size}, name, why, nwhy);
	if (!k)
		return false;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(heddle_malloc(h, sizeof in, &buf[i]), HEDDLE_OK);
	assert_int_equal(heddle_write(h, buf[0], in, sizeof in), HEDDLE_OK);
	assert_int_equal(heddle_fill(h, buf[1], 0, 4, WORDS), HEDDLE_OK);
	struct {
		uint64_t in, out;
		uint32_t n;
	} params = {buf[0], buf[1], WORDS};
	struct heddle_launch l = {
		.kernel = k, .grid = {GRID, 1, 1}, .block = {BLOCK, 1, 1}, .params = &params};
	if (heddle_launch(h, &l))
		fail_msg("%s: %s", path, heddle_message(h));
	assert_int_equal(heddle_read(h, out, buf[1], sizeof in), HEDDLE_OK);
	heddle_close(h);
	return true;
}

#endif
