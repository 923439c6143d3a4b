/* Instruction fetch of the machine that is compared with GPGPU-Sim, by closed form: the warps that
 * decode when a line of the instruction cache arrives, and the end of a fetch. */
#include "timing.h"

static struct timed run(const char *body, unsigned warps, const char *set)
{
	char text[8192];
	snprintf(text, sizeof text, "%s%s\n}\n", HEAD, body);
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {32 * warps},
			  .grid = {1},
			  .config = "gtx480-700",
			  .set = {"gpu.sms=1", set}};
	return bench_run(&b);
}

static uint64_t cycles(const char *body, unsigned warps, const char *set)
{
	struct timed t = run(body, warps, set);
	uint64_t c = t.cycles;
	timed_free(&t);
	return c;
}

/* Warps whose only instruction is in a line that all of them wait for: two schedulers issue two
 * instructions per cycle, if as many warps decode. */
static void who_waited_for_a_line_decodes_in_turn(void **state)
{
	(void)state;
	assert_int_equal(cycles("ret;", 32, "sm.quirks=-one-fill") -
				 cycles("ret;", 2, "sm.quirks=-one-fill"),
			 32 / 2 - 2 / 2);
	assert_int_equal(cycles("ret;", 32, "sm.quirks=+one-fill") -
				 cycles("ret;", 2, "sm.quirks=+one-fill"),
			 32 - 2);
	assert_int_equal(cycles("ret;", 32, NULL), cycles("ret;", 32, "sm.quirks=+one-fill"));
}

/* Instruction 0 jumps to 3; lines have 16 instructions. Fetches up to the end of the line: 0 1, 3 4
 * .. 13 14, 15, 16 17 .. 34 35; past it: 0 1, 3 4 .. 15 16, .. 33 34, 35. */
static void a_fetch_goes_on_past_a_line(void **state)
{
	(void)state;
	char body[2048] = ".reg .u32 %r<4>;\nbra L; mov.u32 %r1, 0; mov.u32 %r1, 0;\nL:\n";
	for (unsigned i = 3; i < 35; i++)
		strcat(body, "mov.u32 %r1, 0;\n");
	strcat(body, "ret;");
	static const struct {
		const char *set;
		unsigned fetches;
	} f[] = {{"sm.quirks=-fetch-past-line", 1 + 6 + 1 + 10},
		 {"sm.quirks=+fetch-past-line", 1 + 16 + 1}};
	for (unsigned i = 0; i < 2; i++) {
		struct timed t = run(body, 1, f[i].set);
		assert_int_equal(figure(&t, "sm", "fetches"), f[i].fetches);
		timed_free(&t);
	}
}

/* Without an instruction cache each fetch is a round trip to the L2. */
static void without_a_cache_each_line_comes_from_the_l2(void **state)
{
	(void)state;
	static const char body[] =
		".reg .u32 %r<4>;\nmov.u32 %r1, 0;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\nret;";
	struct timed with = run(body, 2, NULL), without = run(body, 2, "l1i.kind=off");
	assert_int_equal(without.warp_instructions, with.warp_instructions);
	assert_true(without.cycles > with.cycles);
	assert_true(figure(&without, "l2", "reads") > figure(&with, "l2", "reads"));
	timed_free(&with);
	timed_free(&without);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waited_for_a_line_decodes_in_turn),
		cmocka_unit_test(a_fetch_goes_on_past_a_line),
		cmocka_unit_test(without_a_cache_each_line_comes_from_the_l2),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
