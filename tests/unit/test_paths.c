/* `dual-path`, `multi-path` and `subwarps`: cycles counted by hand on the locked pipeline, meeting points, programs that wait, lock
 * and call. */
#include "forms.h"

#define DUAL     "sm.divergence=dual-path"
#define MULTI    "sm.divergence=multi-path"
#define SUBWARPS "sm.divergence=subwarps"

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

/* Both sides of the branch are chains of eight loads, each of which needs the one before it. A warp alone has nothing
 * else to do: a stack waits for sixteen loads, interleaved paths for eight. A subwarp lets the other one run while it
 * waits, but not where too few warps wait. */
static void waits_for_memory_overlap(void **state)
{
	(void)state;
#define LOAD  "ld.global.u32 %r5, [%d1]; cvt.u64.u32 %d2, %r5; add.u64 %d1, %d1, %d2;\n"
#define LOADS LOAD LOAD LOAD LOAD LOAD LOAD LOAD LOAD
	static const char text[] = HEAD REGS
		"mov.u32 %r1, %tid.x; ld.param.u64 %d1, [pin]; mul.wide.u32 %d2, %r1, 4;\n"
		"add.u64 %d1, %d1, %d2; setp.lt.u32 %p1, %r1, 16; @%p1 bra B;\n" LOADS
		"bra J;\nB:\n" LOADS "J: ret;\n}\n";
	static const char *const how[][2] = {{"sm.divergence=pdom"},
					     {DUAL},
					     {MULTI},
					     {SUBWARPS},
					     {SUBWARPS, "sm.pipeline=locked"}};
	static uint8_t in[32 * 4];
	uint64_t stack = 0;
	for (unsigned i = 0; i < COUNT_OF(how); i++) {
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {32},
				  .config = "gtx480",
				  .in = in,
				  .in_bytes = sizeof in,
				  .set = {"gpu.sms=1", "l1d.kind=off", how[i][0], how[i][1]}};
		struct timed t = bench_run(&b);
		if (!i)
			stack = t.cycles;
		else if (how[i][1] ? t.cycles > 1.1 * stack : t.cycles > 0.65 * stack)
			fail_msg("%s: %u cycles, a stack %u", how[i][0], (unsigned)t.cycles,
				 (unsigned)stack);
		if (i == 3)
			assert_in_range(figure(&t, "paths", "switches"), 8, 16);
		timed_free(&t);
	}
}

/* Threads take one lock several times in a row, so paths of one branch poll at different places while another has the
 * lock: it runs before those that poll. */
static void the_holder_of_a_lock_runs(void **state)
{
	(void)state;
#define SECTION(l)                                                                                           \
	l ": atom.global.cas.b32 %r5, [%d1], 0, 1; setp.ne.u32 %p1, %r5, 0;\n@%p1 bra " l ";\n"              \
	  "ld.volatile.global.u32 %r6, [%d1+4]; add.u32 %r6, %r6, 1; st.volatile.global.u32 [%d1+4], %r6;\n" \
	  "membar.gl; atom.global.exch.b32 %r5, [%d1], 0;\n"
	static const char text[] = HEAD REGS "ld.param.u64 %d1, [pout];\n" SECTION("L0")
		SECTION("L1") SECTION("L2") SECTION("L3") SECTION("L4") "ret;\n}\n";
	static const char *const how[] = {DUAL, MULTI, SUBWARPS};
	static const char *const order[] = {"sm.scheduler=lrr", "sm.scheduler=gto",
					    "sm.scheduler=two-level-groups"};
	for (unsigned i = 0; i < 9; i++) {
		uint32_t out[2] = {0, 0};
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {120},
				  .config = "gtx480",
				  .max_cycles = 5000000,
				  .out = out,
				  .bytes = sizeof out,
				  .set = {"gpu.sms=1", how[i / 3], order[i % 3], "sm.lanes=bcc"}};
		struct timed t = bench_run(&b);
		assert_int_equal(out[1], 5 * 120);
		timed_free(&t);
	}
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
		cmocka_unit_test(waits_for_memory_overlap),
		cmocka_unit_test(the_holder_of_a_lock_runs),
		cmocka_unit_test(programs_on_all_machines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
