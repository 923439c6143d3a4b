/* The code generator for sm_90: kernels run as its machine code leave the memory that they leave as PTX. The kernels of tests/kernels as
 * compiled by several compilers, with all registers and with few; random kernels; the control bits of one sequence. */
#include <glob.h>
#include "back_run.h"

static void run_as(const char *path, const char *text, size_t n, enum heddle_code code,
		   uint32_t *out)
{
	char why[400];
	if (!kernel_run(path, text, n, (struct heddle_options){.code = code}, out, why, sizeof why))
		fail_msg("%s: %s", path, why);
}

static void test_kernels(void **state)
{
	static char text[1 << 20];
	uint32_t want[WORDS], out[WORDS];
	glob_t g;
	(void)state;
	assert_int_equal(glob("tests/kernels/*.ptx", 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		const char *p = g.gl_pathv[i];
		size_t n = read_file(p, text, sizeof text);
		run_as(p, text, n, HEDDLE_CODE_PTX, want);
		run_as(p, text, n, HEDDLE_CODE_SM90, out);
		if (memcmp(out, want, sizeof out))
			fail_msg("%s: another result as sm_90 code", p);
	}
	assert_true(g.gl_pathc >= 70);
	globfree(&g);
}

/* With few registers values are spilled to the thread's frame. */
static void test_spills(void **state)
{
	static const char *const name[] = {"nbody", "transpose", "doubles", "histogram", "wide"};
	static char text[1 << 20];
	uint32_t want[WORDS], out[WORDS];
	char path[128];
	(void)state;
	for (unsigned i = 0; i < sizeof name / sizeof *name; i++) {
		struct heddle_compile c = {.max_registers = 16, .sm = 90};
		char *message = NULL;
		size_t size;
		snprintf(path, sizeof path, "tests/kernels/%s.clang14-O2.ptx", name[i]);
		size_t n = read_file(path, text, sizeof text);
		run_as(path, text, n, HEDDLE_CODE_PTX, want);
		void *cubin = heddle_cubin_compile(&(struct heddle_text){path, text, n}, 1, &c,
						   &size, &message);
		if (!cubin)
			fail_msg("%s: %s", path, message);
		free(message);
		run_as(path, cubin, size, HEDDLE_CODE_PTX, out);
		if (memcmp(out, want, sizeof out))
			fail_msg("%s: another result with 16 registers", path);
		free(cubin);
	}
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct random_kernel k = {
			.size = 4 + seed % 13, .barriers = seed % 2, .exits = seed % 3 == 0};
		k.warp_ops = seed % 5 == 0;
		char why[400] = "";
		random_kernel_make(&k, seed);
		uint8_t *want = malloc(k.bytes), *out = malloc(k.bytes);
		assert_true(want && out);
		if (!run_random(&k, (struct heddle_options){0}, want, why, sizeof why) ||
		    !run_random(&k, (struct heddle_options){.code = HEDDLE_CODE_SM90}, out, why,
				sizeof why))
			fail_msg("seed %u: %s", (unsigned)seed, why);
		if (memcmp(out, want, k.bytes))
			fail_msg("seed %u: another result as sm_90 code", (unsigned)seed);
		free(want);
		free(out);
		free(k.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_spills),
		cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
