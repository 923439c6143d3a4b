/* Compaction inside a warp (sm.lanes = bcc, scc): cycles of given masks, worked out by hand; cycles
 * on the locked pipeline; guards; refused combinations. */
#include "programs.h"
#include "sm/lanes/channels.h"

/* Warps of 16 channels on units of four. */
static void masks_take_the_cycles_of_the_rules(void **state)
{
	(void)state;
	static const struct {
		lanemask active;
		unsigned bcc, scc;
	} c[] = {
		{0xffff, 4, 4}, /* whole */
		{0xf0f0, 2, 2}, /* two aligned groups of four are empty, and both rules skip them */
		{0xaaaa, 4, 2}, /* every second channel: only a crossbar helps */
		{0x2209, 3, 1}, /* the picture of channels.h, channel 0 rightmost */
		{0x1111, 4, 1}, /* one channel in each four */
		{0x001f, 2, 2}, /* five channels need two cycles wherever they are */
		{0x8000, 1, 1}, {0, 1, 1},
	};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		assert_int_equal(channels_aligned(c[i].active, 16, 4), c[i].bcc);
		assert_int_equal(channels_packed(c[i].active, 4), c[i].scc);
	}
	assert_int_equal(channels_packed(~0ull, 1), 64);
}

static struct timed run(const char *text, const char *lanes)
{
	char set[32];
	snprintf(set, sizeof set, "sm.lanes=%s", lanes);
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {16},
			  .config = "hws",
			  .set = {"gpu.sms=1", "gpu.warp_size=16", "sm.simd_width=4", set}};
	return bench_run(&b);
}

static unsigned parts(const struct timed *t, unsigned n)
{
	json_t *h = json_object_get(json_object_get(json_object_get(t->launch, "timing"), "sm"),
				    "issued_parts");
	return (unsigned)json_integer_value(json_array_get(h, n));
}

/* The lanes of a mask add four times: `how` is a branch around the additions, or a guard on each. */
static char *additions(unsigned mask, bool branch)
{
	static char text[4096];
	char *s = text;
	s += sprintf(s,
		     "%smov.u32 %%r1, %%tid.x;\nshl.b32 %%r2, 1, %%r1;\nand.b32 %%r2, %%r2, %u;\n"
		     "setp.ne.u32 %%p1, %%r2, 0;\n%s",
		     HEAD REGS, mask, branch ? "@!%p1 bra E;\n" : "");
	for (unsigned i = 0; i < 4; i++)
		s += sprintf(s, "%sadd.u32 %%r8, %%r8, 1;\n", branch ? "" : "@%p1 ");
	sprintf(s, "E: ret;\n}\n");
	return text;
}

/* The additions under mask 0xaaaa occupy the issue port for 4, 4 and 2 cycles, whether a branch or
 * guards select the lanes. */
static void the_port_is_free_earlier(void **state)
{
	(void)state;
	for (unsigned branch = 0; branch < 2; branch++) {
		const char *text = additions(0xaaaa, branch);
		struct timed simt = run(text, "simt"), bcc = run(text, "bcc"),
			     scc = run(text, "scc");
		assert_int_equal(parts(&bcc, 4), parts(&simt, 4));
		assert_int_equal(parts(&scc, 2), 4);
		assert_int_equal(parts(&scc, 4), parts(&simt, 4) - 4);
		assert_int_equal(figure(&simt, "issue", "port") - figure(&scc, "issue", "port"),
				 4 * 2);
		assert_int_equal(figure(&bcc, "channels", "full"),
				 figure(&scc, "channels", "full"));
		assert_int_equal(figure(&bcc, "channels", "full") - figure(&bcc, "channels", "scc"),
				 4 * 2);
		assert_int_equal(figure(&bcc, "channels", "bcc"), figure(&bcc, "channels", "full"));
		timed_free(&simt);
		timed_free(&bcc);
		timed_free(&scc);
	}
	struct timed bcc = run(additions(0xf0f0, false), "bcc");
	assert_int_equal(parts(&bcc, 2), 4);
	timed_free(&bcc);
}

/* On the scoreboard pipeline a unit is busy for the cycles that the warp takes. */
static void units_are_free_earlier(void **state)
{
	(void)state;
	static const struct {
		const char *lanes;
		unsigned cycles; /* per addition of the many warps */
	} c[] = {{"simt", 4}, {"bcc", 4}, {"scc", 2}};
	for (size_t i = 0; i < 3; i++) {
		uint64_t took[2];
		for (unsigned k = 0; k < 2; k++) {
			char text[16384], *s = text, set[32];
			snprintf(set, sizeof set, "sm.lanes=%s", c[i].lanes);
			s += sprintf(s,
				     "%smov.u32 %%r1, %%laneid;\nand.b32 %%r2, %%r1, 1;\n"
				     "setp.ne.u32 %%p1, %%r2, 0;\n@!%%p1 bra E;\n",
				     HEAD REGS);
			for (unsigned n = 0; n < 40u << k; n++)
				s += sprintf(s, "add.u32 %%r%u, %%r1, 1;\n", 3 + n % 8);
			sprintf(s, "E: ret;\n}\n");
			struct bench b = {.text = text,
					  .kernel = "k",
					  .block = {16 * 16},
					  .config = "hws",
					  .set = {"gpu.sms=1", "gpu.warp_size=16",
						  "sm.simd_width=4", set, "sm.pipeline=scoreboard",
						  "gpu.perfect_memory=yes", "l1i.sets=64",
						  "sm.bank_conflicts=no", "sm.sp_units=1"}};
			struct timed t = bench_run(&b);
			took[k] = t.cycles;
			timed_free(&t);
		}
		double each = (double)(took[1] - took[0]) / 40 / 16;
		if (each < c[i].cycles * 0.9 || each > c[i].cycles * 1.1)
			fail_msg("%s: an addition of a warp takes %.2f cycles, expected %u",
				 c[i].lanes, each, c[i].cycles);
	}
}

static void lone_threads_are_refused(void **state)
{
	(void)state;
	static const char *const lanes[] = {"sm.lanes=bcc", "sm.lanes=scc"};
	for (unsigned i = 0; i < 2; i++) {
		struct heddle *h;
		struct heddle_options o = {
			.config = "hws",
			.set = (const char *[]){"sm.divergence=mimd", lanes[i], NULL},
			.timing = true};
		setenv("HEDDLE_CONF", "conf", 0);
		assert_int_not_equal(heddle_open(&h, &o), HEDDLE_OK);
		assert_non_null(strstr(heddle_message(h), "no warp to compact"));
		heddle_close(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masks_take_the_cycles_of_the_rules),
		cmocka_unit_test(the_port_is_free_earlier),
		cmocka_unit_test(units_are_free_earlier),
		cmocka_unit_test(lone_threads_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
