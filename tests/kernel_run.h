/* For tests of code generators and listings: a kernel of tests/kernels as any text, on the input that all of them take. */
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

/* Bytes read; 0: there is no such file. */
static inline size_t read_file(const char *path, char *buf, size_t max)
{
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(buf, 1, max, f) : 0;
	if (f)
		fclose(f);
	return n;
}

/* The machine that PTX was compiled for cannot execute the kernel: its launch says why. */
static inline bool known_refused(struct heddle_kernel *k)
{
	struct heddle_kernel_info info;
	heddle_kernel_info(k, &info);
	return info.refused;
}

/* Keeps the reason and closes the simulator; false. */
static inline bool refused(struct heddle *h, char *why, size_t nwhy)
{
	snprintf(why, nwhy, "%s", heddle_message(h));
	heddle_close(h);
	return false;
}

/* The kernel that path is named after, from `text`; out: WORDS words that it wrote. False: refused; what the message says is
 * in `why`. */
static inline bool kernel_run(const char *path, const void *text, size_t size,
			      struct heddle_options o, uint32_t *out, char *why, size_t nwhy)
{
	static uint32_t in[WORDS];
	char name[64];
	const char *base = strrchr(path, '/') + 1;
	struct heddle *h;
	struct heddle_module *m;
	uint64_t buf[2];
	snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
	assert_int_equal(read_file("tests/kernels/input.bin", (char *)in, sizeof in), sizeof in);
	o.max_instructions = 50000000;
	assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
	if (heddle_load(h, &(struct heddle_text){base, text, size}, 1, &m))
		return refused(h, why, nwhy);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(heddle_malloc(h, sizeof in, &buf[i]), HEDDLE_OK);
	assert_int_equal(heddle_write(h, buf[0], in, sizeof in), HEDDLE_OK);
	assert_int_equal(heddle_fill(h, buf[1], 0, 4, WORDS), HEDDLE_OK);
	struct {
		uint64_t in, out;
		uint32_t n;
	} params = {buf[0], buf[1], WORDS};
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, name),
				  .grid = {GRID, 1, 1},
				  .block = {BLOCK, 1, 1},
				  .params = &params};
	assert_non_null(l.kernel);
	if (heddle_launch(h, &l)) {
		if (!known_refused(l.kernel))
			fail_msg("%s: %s", path, heddle_message(h));
		return refused(h, why, nwhy);
	}
	assert_int_equal(heddle_read(h, out, buf[1], sizeof in), HEDDLE_OK);
	heddle_close(h);
	return true;
}

#endif
