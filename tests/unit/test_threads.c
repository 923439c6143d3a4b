/* Results do not depend on the number of host threads: kernels whose results depend on the order in
 * which blocks communicate (tests/ptx/order.cu) leave equal memory, output and figures on one host
 * thread and on several, and with separate or shared rows for registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"

enum { GRID = 23, BLOCK = 96, WORDS = GRID * BLOCK, STATE = 256, TEXT = 1 << 16 };

struct outcome {
	uint32_t out[WORDS], state[STATE];
	char text[TEXT];
	size_t ntext;
	struct heddle_stats stats;
};

static void keep_text(void *arg, const char *text, size_t n)
{
	struct outcome *o = arg;
	assert_true(o->ntext + n < TEXT);
	memcpy(o->text + o->ntext, text, n);
	o->ntext += n;
}

static void check(struct heddle *h, enum heddle_status s)
{
	if (s)
		fail_msg("%s", heddle_message(h));
}

static char source[1 << 18];
static size_t source_n;

static void run(const char *kernel, unsigned threads, struct outcome *o)
{
	struct heddle *h;
	struct heddle_module *m;
	uint64_t params[2];
	memset(o, 0, sizeof *o);
	check(NULL, heddle_open(&h, &(struct heddle_options){.threads = threads,
							     .output = keep_text,
							     .arg = o,
							     .max_instructions = 20000000}));
	check(h, heddle_load(h, &(struct heddle_text){"order.ptx", source, source_n}, 1, &m));
	check(h, heddle_malloc(h, sizeof o->out, &params[0]));
	check(h, heddle_malloc(h, sizeof o->state, &params[1]));
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, kernel),
				  .grid = {GRID, 1, 1},
				  .block = {BLOCK, 1, 1},
				  .params = params};
	assert_non_null(l.kernel);
	check(h, heddle_launch(h, &l));
	check(h, heddle_read(h, o->out, params[0], sizeof o->out));
	check(h, heddle_read(h, o->state, params[1], sizeof o->state));
	o->stats = *heddle_stats_at(h, 0);
	o->stats.seconds = 0;
	heddle_close(h);
}

static void same(const char *kernel, const char *how, const struct outcome *a,
		 const struct outcome *b)
{
	for (unsigned i = 0; i < WORDS; i++)
		if (a->out[i] != b->out[i])
			fail_msg("%s, %s: out[%u] is %#x, not %#x", kernel, how, i, b->out[i],
				 a->out[i]);
	for (unsigned i = 0; i < STATE; i++)
		if (a->state[i] != b->state[i])
			fail_msg("%s, %s: state[%u] is %#x, not %#x", kernel, how, i, b->state[i],
				 a->state[i]);
	if (a->ntext != b->ntext || memcmp(a->text, b->text, a->ntext))
		fail_msg("%s, %s: the output differs", kernel, how);
	if (memcmp(&a->stats, &b->stats, sizeof a->stats))
		fail_msg("%s, %s: the figures differ: %llu and %llu warp instructions", kernel, how,
			 (unsigned long long)a->stats.warp_instructions,
			 (unsigned long long)b->stats.warp_instructions);
}

static void one_result(void **state)
{
	static struct outcome one, other;
	const char *kernel = *state;
	run(kernel, 1, &one);
	bool any = one.ntext != 0;
	for (unsigned i = 0; i < WORDS; i++)
		any |= one.out[i] != 0;
	assert_true(any);
	for (unsigned threads = 2; threads <= 8; threads *= 2) {
		char how[32];
		snprintf(how, sizeof how, "%u threads", threads);
		run(kernel, threads, &other);
		same(kernel, how, &one, &other);
	}
	setenv("HEDDLE_ROWS", "own", 1);
	run(kernel, 2, &other);
	unsetenv("HEDDLE_ROWS");
	same(kernel, "rows of their own", &one, &other);
}

/* The kernels' results that follow from one order. */
static void answers(void **state)
{
	static struct outcome o;
	(void)state;
	run("tickets", 4, &o);
	assert_int_equal(o.state[0], WORDS);
	run("lastblock", 4, &o);
	uint32_t sum = 0;
	for (uint32_t b = 0; b < GRID; b++) {
		uint32_t n = b * 7 + 3;
		for (uint32_t i = 0; i < b % 5; i++)
			n = n * 1664525u + 1013904223u;
		sum = sum * 31 + n;
	}
	assert_int_equal(o.out[0], sum);
	assert_int_equal(o.out[1], GRID - 1);
	run("exact", 4, &o);
	assert_int_equal(o.state[0], 5 * GRID);
	run("print", 4, &o);
	assert_memory_equal(o.text, "block 0 thread 0: ", 18);
	run("lock", 4, &o);
	uint32_t v = 0;
	for (uint32_t b = 0; b < GRID; b++)
		for (uint32_t t = 0; t < BLOCK; t += 32) {
			v = v * 5 + b + t;
			assert_int_equal(o.out[b * BLOCK + t], v);
		}
}

int main(void)
{
	FILE *f = fopen("tests/ptx/order.ptx", "rb");
	if (!f)
		return 1;
	source_n = fread(source, 1, sizeof source, f);
	fclose(f);
	static char *const kernel[] = {"tickets", "floats", "lastblock", "spin",       "lock",
				       "slices",  "exact",  "print",     "reductions", "mallocs"};
	enum { N = sizeof kernel / sizeof *kernel };
	struct CMUnitTest tests[N + 1] = {cmocka_unit_test(answers)};
	for (unsigned i = 0; i < N; i++)
		tests[i + 1] = (struct CMUnitTest){
			.name = kernel[i], .test_func = one_result, .initial_state = kernel[i]};
	return _cmocka_run_group_tests("threads", tests, N + 1, NULL, NULL);
}
