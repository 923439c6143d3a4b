/* `dual-path` and `multi-path`: cycles counted by hand on the locked pipeline, meeting points, programs that wait, lock
 * and call. */
#include "forms.h"

#define DUAL  "sm.divergence=dual-path"
#define MULTI "sm.divergence=multi-path"

static const struct test_machine path_machine[] = {
	{"hws", {"gpu.sms=2", DUAL, NULL}, 1, 32},
	{"hws", {"gpu.sms=2", MULTI, "multi-path.early=yes", NULL}, 1, 32},
	{"gtx480", {"gpu.sms=2", DUAL, NULL}, 2, 32},
	{"gtx480", {"gpu.sms=2", MULTI, NULL}, 2, 32},
	{"gtx480", {"gpu.sms=2", MULTI, "multi-path.early=yes", "sm.scheduler=gto", NULL}, 2, 32},
	{"gtx480", {"gpu.sms=2", DUAL, "gpu.warp_size=64", "sm.simd_width=16", NULL}, 2, 64},
	{"hws",
	 {"gpu.sms=2", MULTI, "gpu.warp_size=8", "sm.simd_width=4", "sm.max_warps=128", NULL},
	 1,
	 8},
};

static struct timed run_one(const char *text, const char *mechanism, const char *more)
{
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {4},
			  .config = "hws",
			  .max_cycles = 1000000,
			  .set = {"gpu.sms=1", mechanism, more}};
	return bench_run(&b);
}

static const char straight[] = HEAD REGS ADD4 ADD4 "ret;\n}\n";

/* Threads 0 and 1 take the arm. A path issues an instruction per 24 cycles, in 4 cycles of the port: the arms of 5
 * instructions run together, the second 4 cycles later, and meet at the tail, which is issued once. */
static void two_arms_run_together(void **state)
{
	(void)state;
	static const char text[] =
		HEAD REGS BIT IN(3) "@%p1 bra ARM;\n" ADD4 "bra TAIL;\n"
				    "ARM:\n" ADD4 "add.u32 %r8, %r8, 1;\nTAIL:\n" ADD4 ADD4
				    "ret;\n}\n";
	struct timed s = run_one(straight, "sm.divergence=pdom", NULL),
		     p = run_one(text, "sm.divergence=pdom", NULL);
	uint64_t rest = s.cycles - 9 * 24;
	static const char *const both[] = {DUAL, MULTI};
	for (unsigned i = 0; i < 2; i++) {
		struct timed t = run_one(text, both[i], NULL);
		assert_int_equal(t.warp_instructions, 5 + 2 * 5 + 8 + 1);
		assert_int_equal(t.cycles, (5 + 5 + 8 + 1) * 24 + 4 + rest);
		assert_int_equal(figure(&t, "paths", "forks"), 1);
		assert_int_equal(figure(&t, "paths", "arrived"), 2);
		assert_int_equal(figure(&t, "paths", "early"), 0);
		timed_free(&t);
	}
	assert_int_equal(p.warp_instructions, 5 + 2 * 5 + 8 + 1);
	assert_int_equal(p.cycles, (5 + 2 * 5 + 8 + 1) * 24 + rest);
	timed_free(&s);
	timed_free(&p);
}

/* Each of four threads has an arm of 9 or 8 instructions: threads 2 and 3 part in one side, 0 and 1 in the other. With
 * dual-path two arms run at a time: the second side waits from the first one's branch to its meeting. With multi-path
 * all four run together. */
static void four_arms(void **state)
{
	(void)state;
	static const char text[] = HEAD REGS BIT IN(12) "@%p1 bra HIGH;\n" IN(
		1) "@%p1 bra L0;\n" ADD4 ADD4 "bra LOW;\n"
		   "L0:\n" ADD4 ADD4 "LOW: bra END;\n"
		   "HIGH:\n" IN(4) "@%p1 bra L2;\n" ADD4 ADD4 "bra UP;\n"
				   "L2:\n" ADD4 ADD4 "UP: bra END;\nEND: ret;\n}\n";
	struct timed s = run_one(straight, "sm.divergence=pdom", NULL),
		     p = run_one(text, "sm.divergence=pdom", NULL), d = run_one(text, DUAL, NULL),
		     m = run_one(text, MULTI, NULL);
	uint64_t rest = s.cycles - 9 * 24;
	assert_int_equal(p.warp_instructions, 5 + 2 * (3 + 9 + 8 + 1) + 1);
	assert_int_equal(d.warp_instructions, p.warp_instructions);
	assert_int_equal(m.warp_instructions, p.warp_instructions);
	assert_int_equal(p.cycles, p.warp_instructions * 24 + rest);
	/* 5, a side's 3 and 9 and 1, the end; the last of four paths is 12 cycles later than the first */
	assert_in_range(m.cycles, (5 + 3 + 9 + 1 + 1) * 24 + rest,
			(5 + 3 + 9 + 1 + 1) * 24 + 12 + rest);
	/* both sides begin together; one then waits while the other's arms run */
	assert_in_range(d.cycles, (5 + 3 + 9 + 9 + 1 + 1) * 24 + rest,
			(5 + 3 + 9 + 9 + 1 + 1) * 24 + 30 + rest);
	assert_int_equal(figure(&d, "paths", "forks"), 3);
	assert_int_equal(figure(&d, "paths", "arrived"), 6);
	assert_int_equal(figure(&m, "paths", "arrived"), 6);
	assert_true(figure(&m, "paths", "running") > figure(&d, "paths", "running"));
	timed_free(&s);
	timed_free(&p);
	timed_free(&d);
	timed_free(&m);
}

/* Both sides of the branch go to SAME in different ways, and both may leave it for OUT, which is their immediate
 * post-dominator. A path that waits at SAME for its load becomes one with the path that comes there. */
static void paths_meet_before_the_post_dominator(void **state)
{
	(void)state;
	static const char text[] =
		HEAD REGS ".shared .b32 s[4];\n" BIT "mov.u32 %r5, s;\n" IN(3) "@%p1 bra B;\n" IN(
			4) "ld.shared.u32 %r6, [%r5]; @%p1 bra OUT;\nbra SAME;\n"
			   "B:\n" IN(1) "ld.shared.u32 %r6, [%r5]; @%p1 bra OUT;\nbra SAME;\n"
					"SAME: add.u32 %r8, %r8, %r6;\n" ADD4 ADD4 "OUT: ret;\n}\n";
	struct timed t[2];
	for (unsigned i = 0; i < 2; i++) {
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {4},
				  .config = "gtx480",
				  .set = {"gpu.sms=1", MULTI, i ? "multi-path.early=yes" : NULL}};
		t[i] = bench_run(&b);
		assert_int_equal(figure(&t[i], "paths", "merged"), i);
	}
	assert_int_equal(t[0].warp_instructions - t[1].warp_instructions, 9);
	assert_int_equal(figure(&t[0], "sm", "thread_instructions"),
			 figure(&t[1], "sm", "thread_instructions"));
	timed_free(&t[0]);
	timed_free(&t[1]);
}

static void programs_on_all_machines(void **state)
{
	(void)state;
	run_programs(path_machine, COUNT_OF(path_machine));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_arms_run_together),
		cmocka_unit_test(four_arms),
		cmocka_unit_test(paths_meet_before_the_post_dominator),
		cmocka_unit_test(programs_on_all_machines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
