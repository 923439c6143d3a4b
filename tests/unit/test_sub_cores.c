/* Sub-cores: a warp's units and registers are those of its scheduler, so that a sub-core's second
 * warp waits while another sub-core idles; refused combinations; the area of divided register
 * files. */
#include "timing.h"

enum { ROUNDS = 60, ADDS = 24 };

/* Independent additions: a single warp saturates a unit that accepts one in two cycles. */
static const char *additions(void)
{
	static char text[8192];
	char *s = text;
	s += sprintf(s, HEAD ".reg .u32 %%r<64>; .reg .pred %%p<4>;\nmov.u32 %%r60, %d;\nL:\n",
		     ROUNDS);
	for (unsigned i = 0; i < ADDS; i++)
		s += sprintf(s, "add.u32 %%r%u, %%r%u, %u;\n", 1 + i, 1 + i, i);
	sprintf(s, "sub.u32 %%r60, %%r60, 1; setp.ne.u32 %%p2, %%r60, 0; @%%p2 bra L;\nret;\n}\n");
	return text;
}

static struct bench machine(const char *lanes, unsigned grid, unsigned warps)
{
	return (struct bench){.config = "gtx480",
			      .set = {lanes, "gpu.sms=1", "gpu.perfect_memory=yes",
				      "sm.schedulers=4", "sm.sp_units=4", "sm.sfu_units=4",
				      "sm.dp_units=4", "sm.mma_units=4", "sm.simd_width=16",
				      "sm.collectors_sp=16", "sm.ports_sp=4", "sm.ports_mem=4",
				      "sm.ports_sfu=4"},
			      .text = additions(),
			      .kernel = "k",
			      .grid = {grid},
			      .block = {32 * warps},
			      .bytes = 64};
}

static double cycles(const char *lanes, unsigned warps)
{
	struct bench b = machine(lanes, 1, warps);
	struct timed t = bench_run(&b);
	double r = (double)t.cycles;
	timed_free(&t);
	return r;
}

static void near(double got, double want)
{
	if (got < want * 0.95 || got > want * 1.05)
		fail_msg("%.3f, expected %.3f", got, want);
}

/* Four warps occupy one sub-core each. A fifth shares a sub-core, and these two take as long as
 * eight warps, two per sub-core. */
static void a_warp_stays_in_its_sub_core(void **state)
{
	(void)state;
	double one = cycles("sm.lanes=sub-cores", 1);
	near(cycles("sm.lanes=sub-cores", 4), one);
	double five = cycles("sm.lanes=sub-cores", 5);
	assert_true(five > 1.4 * one);
	near(cycles("sm.lanes=sub-cores", 8), five);
	/* units that all schedulers share finish five warps sooner than eight */
	assert_true(cycles("sm.lanes=simt", 5) < 0.9 * cycles("sm.lanes=simt", 8));
}

/* A sub-core is as fast as an SM with one scheduler and a quarter of everything else. */
static void a_sub_core_is_a_small_sm(void **state)
{
	(void)state;
	static const char *const fourth[] = {
		"sm.schedulers=1", "sm.sp_units=1",  "sm.collectors_sp=4",  "sm.ports_sp=1",
		"sm.ports_mem=1",  "sm.ports_sfu=1", "sm.collectors_mem=1", "sm.collectors_sfu=1"};
	for (unsigned warps = 1; warps <= 2; warps++) {
		struct bench b = machine("sm.lanes=simt", 1, warps);
		for (size_t i = 0; i < sizeof fourth / sizeof *fourth; i++)
			b.set[13 + i] = fourth[i];
		struct timed t = bench_run(&b);
		near((double)t.cycles, cycles("sm.lanes=sub-cores", 4 * warps));
		timed_free(&t);
	}
}

static void instructions_by_sub_core(void **state)
{
	(void)state;
	struct bench b = machine("sm.lanes=sub-cores", 1, 6);
	struct timed t = bench_run(&b);
	const json_t *warps = json_object_get(
			     json_object_get(json_object_get(t.launch, "timing"), "subcores"),
			     "warps"),
		     *done = json_object_get(
			     json_object_get(json_object_get(t.launch, "timing"), "subcores"),
			     "instructions");
	int64_t each = json_integer_value(json_array_get(done, 2));
	assert_true(each > ROUNDS * ADDS);
	for (unsigned i = 0; i < 4; i++) {
		int64_t n = i < 2 ? 2 : 1;
		assert_int_equal(json_integer_value(json_array_get(warps, i)), n);
		assert_int_equal(json_integer_value(json_array_get(done, i)), n * each);
	}
	timed_free(&t);
}

/* 32768 registers in four files of 8192: six warps of 1280 fit into each file, 24 in all; an
 * undivided file has room for 25. */
static void registers_are_divided(void **state)
{
	static const struct {
		const char *lanes;
		unsigned warps;
	} want[] = {{"sm.lanes=sub-cores", 24}, {"sm.lanes=simt", 25}};
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct bench b = machine(want[i].lanes, 40, 1);
		b.set[13] = "sm.registers_per_thread=40";
		b.set[14] = "sm.max_blocks=32";
		struct timed t = bench_run(&b);
		assert_int_equal(figure(&t, "block", "most_warps"), want[i].warps);
		timed_free(&t);
	}
}

static void what_cannot_be_divided_is_refused(void **state)
{
	static const struct {
		const char *set, *says;
	} bad[] = {
		{"sm.sfu_units=3", "sm.sfu_units = 3 cannot be shared out equally"},
		{"sm.max_warps=46", "sm.max_warps = 46 cannot be shared out equally"},
		{"sm.divergence=mimd", "needs one for each lane"},
	};
	(void)state;
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct bench b = machine("sm.lanes=sub-cores", 1, 1);
		b.set[13] = bad[i].set;
		struct heddle *h;
		struct heddle_options o = {.config = b.config, .set = b.set, .timing = true};
		setenv("HEDDLE_CONF", "conf", 0);
		assert_int_not_equal(heddle_open(&h, &o), HEDDLE_OK);
		if (!strstr(heddle_message(h), bad[i].says))
			fail_msg("%s", heddle_message(h));
		heddle_close(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_warp_stays_in_its_sub_core),
		cmocka_unit_test(a_sub_core_is_a_small_sm),
		cmocka_unit_test(instructions_by_sub_core),
		cmocka_unit_test(registers_are_divided),
		cmocka_unit_test(what_cannot_be_divided_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
