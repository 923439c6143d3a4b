/* The kernels of tests/kernels, as several compilers wrote them: each leaves the memory that its
 * source left on the host, on one host thread and on two, with shared rows and with a separate row
 * per register. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"

enum { WORDS = 1024, GRID = 8, BLOCK = 128, TESTS_MAX = 1000 };

static size_t read_file(const char *path, void *buf, size_t max)
{
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(buf, 1, max, f) : 0;
	if (f)
		fclose(f);
	return n;
}

static void check(struct heddle *h, enum heddle_status s)
{
	if (s)
		fail_msg("%s", heddle_message(h));
}

static void run(const char *path, unsigned threads, const uint32_t *in, uint32_t *out)
{
	static char text[1 << 20];
	char name[64];
	const char *base = strrchr(path, '/') + 1;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
	struct heddle *h;
	struct heddle_module *m;
	uint64_t buf[2];
	check(NULL, heddle_open(&h, &(struct heddle_options){.threads = threads,
							     .max_instructions = 50000000,
							     .check_scalar = true}));
	check(h,
	      heddle_load(h, &(struct heddle_text){base, text, read_file(path, text, sizeof text)},
			  1, &m));
	for (unsigned i = 0; i < 2; i++)
		check(h, heddle_malloc(h, 4 * WORDS, &buf[i]));
	check(h, heddle_write(h, buf[0], in, 4 * WORDS));
	check(h, heddle_fill(h, buf[1], 0, 4, WORDS));
	struct {
		uint64_t in, out;
		uint32_t n;
	} params = {buf[0], buf[1], WORDS};
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, name),
				  .grid = {GRID, 1, 1},
				  .block = {BLOCK, 1, 1},
				  .params = &params};
	assert_non_null(l.kernel);
	check(h, heddle_launch(h, &l));
	check(h, heddle_read(h, out, buf[1], 4 * WORDS));
	heddle_close(h);
}

static void kernel_matches_host(void **state)
{
	const char *path = *state;
	uint32_t in[WORDS], want[WORDS], got[WORDS];
	char expected[512];
	const char *base = strrchr(path, '/') + 1;
	snprintf(expected, sizeof expected, "tests/kernels/%.*s.out", (int)strcspn(base, "."),
		 base);
	assert_int_equal(read_file("tests/kernels/input.bin", in, sizeof in), sizeof in);
	assert_int_equal(read_file(expected, want, sizeof want), sizeof want);
	for (unsigned way = 0; way < 3; way++) {
		unsigned threads = way == 1 ? 2 : 1;
		setenv("HEDDLE_ROWS", way == 2 ? "own" : "shared", 1);
		run(path, threads, in, got);
		for (unsigned i = 0; i < WORDS; i++)
			if (got[i] != want[i])
				fail_msg("%s: word %u is %#x, expected %#x", path, i, got[i],
					 want[i]);
	}
}

int main(void)
{
	static struct CMUnitTest tests[TESTS_MAX];
	glob_t g;
	if (glob("tests/kernels/*.ptx", 0, NULL, &g) || g.gl_pathc > TESTS_MAX)
		return 1;
	for (size_t i = 0; i < g.gl_pathc; i++)
		tests[i] = (struct CMUnitTest){.name = g.gl_pathv[i],
					       .test_func = kernel_matches_host,
					       .initial_state = g.gl_pathv[i]};
	int failed = _cmocka_run_group_tests("kernels", tests, g.gl_pathc, NULL, NULL);
	globfree(&g);
	return failed;
}
