/* `none` and `mimd`: cycles counted by hand on the locked pipeline; programs that wait, lock and
 * call (test_form_kernels and test_random_kernels have more of both). */
#include "forms.h"

static struct timed run_one(const char *text, const char *mechanism, unsigned threads)
{
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {threads},
			  .config = "hws",
			  .max_cycles = 1000000,
			  .set = {"gpu.sms=1", "sm.max_threads=1024", mechanism}};
	return bench_run(&b);
}

static const char straight[] = HEAD REGS ADD4 ADD4 "ret;\n}\n";

/* Threads 0 and 1 take the arm; both fragments execute the tail. The fragments alternate at the
 * issue port, 4 cycles each, and each waits 24 cycles for its own last instruction: both execute 4
 * + 8 + 1 instructions after the branch, the second 4 cycles later. The post-dominator stack runs
 * the arms one after the other (4 and 5 instructions) and the tail once. */
static void fragments_run_to_their_end(void **state)
{
	(void)state;
	static const char text[] =
		HEAD REGS BIT IN(3) "@%p1 bra ARM;\n" ADD4 "bra TAIL;\n"
				    "ARM:\n" ADD4 "add.u32 %r8, %r8, 1;\nTAIL:\n" ADD4 ADD4
				    "ret;\n}\n";
	struct timed s = run_one(straight, NONE, 4), n = run_one(text, NONE, 4),
		     p = run_one(text, "sm.divergence=pdom", 4);
	uint64_t rest =
		s.cycles - 9 * 24; /* cycles of a launch that do not depend on its instructions */
	assert_int_equal(n.warp_instructions, 5 + 2 * (5 + 8 + 1));
	assert_int_equal(n.cycles, (5 + 5 + 8 + 1) * 24 + 4 + rest);
	assert_int_equal(p.warp_instructions, 5 + 2 * 5 + 8 + 1);
	assert_int_equal(p.cycles, (5 + 2 * 5 + 8 + 1) * 24 + rest);
	timed_free(&s);
	timed_free(&n);
	timed_free(&p);
}

/* A lane issues one of its threads each cycle, and a thread issues one instruction per 24 cycles:
 * with up to 24 threads per lane, one instruction of all threads takes 24 cycles; with more, one
 * cycle per thread. */
static void a_lane_issues_a_thread_a_cycle(void **state)
{
	(void)state;
	static const char twice[] = HEAD REGS ADD4 ADD4 ADD4 ADD4 "ret;\n}\n";
	static const unsigned threads[] = {1, 8, 9, 32, 192, 200, 256, 1024};
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
		unsigned a_lane = (threads[i] + 7) / 8;
		struct timed s = run_one(straight, MIMD, threads[i] > 512 ? 512 : threads[i]);
		struct timed t = run_one(twice, MIMD, threads[i] > 512 ? 512 : threads[i]);
		a_lane = threads[i] > 512 ? 64 : a_lane;
		assert_int_equal(t.cycles - s.cycles, 8 * (a_lane < 24 ? 24 : a_lane));
		assert_int_equal(figure(&t, "sm", "thread_instructions"), t.warp_instructions);
		timed_free(&s);
		timed_free(&t);
	}
}

/* Eight threads of one warp on eight lanes, each in a separate arm: no thread waits for another. */
static void arms_cost_nothing(void **state)
{
	(void)state;
	static const char text[] =
		HEAD REGS BIT IN(1) "@%p1 bra L1;\n" IN(2) "@%p1 bra L2;\n" ADD4 ADD4 "bra END;\n"
							   "L1:\n" ADD4 ADD4
							   "bra END;\nL2:\n" ADD4 ADD4
							   "bra END;\nEND: ret;\n}\n";
	struct timed s = run_one(straight, MIMD, 8), m = run_one(text, MIMD, 8),
		     p = run_one(text, "sm.divergence=pdom", 8);
	assert_int_equal(m.cycles - s.cycles, (2 + 3 + 3 + 8 + 2) * 24 - 9 * 24);
	assert_int_equal(p.cycles - s.cycles, (2 + 3 + 3 + 3 * 9 + 1) * 24 - 9 * 24 + 0);
	timed_free(&s);
	timed_free(&m);
	timed_free(&p);
}

static struct timed run_scoreboard(const char *text, const char *mechanism)
{
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {32},
			  .bytes = 512,
			  .config = "hws",
			  .max_cycles = 1000000,
			  .set = {"gpu.sms=1", "sm.pipeline=scoreboard", "l1d.kind=we",
				  "l1d.latency=400", mechanism}};
	return bench_run(&b);
}

/* If no warp diverges there is nothing to regroup: every mechanism takes the cycles of the
 * stack. */
static void a_warp_alone_as_on_the_stack(void **state)
{
	(void)state;
	static const char *const mechanism[] = {NONE, "sm.divergence=dwf", "sm.divergence=en-dwf",
						"sm.divergence=tbc"};
	struct timed p = run_scoreboard(straight, "sm.divergence=pdom");
	for (unsigned i = 0; i < COUNT_OF(mechanism); i++) {
		struct timed t = run_scoreboard(straight, mechanism[i]);
		assert_int_equal(t.cycles, p.cycles);
		timed_free(&t);
	}
	timed_free(&p);
}

/* A load before a branch is still in flight when the warp has diverged. The arm that needs its
 * result waits; the other arm's additions issue meanwhile, so that lengthening it costs nothing. */
static void a_split_leaves_its_results_to_both(void **state)
{
	(void)state;
#define SUM4 "add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1;\n"
#define PARTS(other, waits)                                                                        \
	HEAD REGS BIT IN(65535) "ld.param.u64 %d1, [pout];\nld.global.u32 %r8, [%d1];\n"           \
				"@%p1 bra ARM;\n" other "bra END;\nARM:\n" waits "END: ret;\n}\n"
	static const char brief[] = PARTS(SUM4, "st.global.u32 [%d1+4], %r8;\n");
	static const char full[] = PARTS(SUM4 SUM4 SUM4 SUM4, "st.global.u32 [%d1+4], %r8;\n");
	static const char idle[] = PARTS(SUM4, "");
	static const char *const mechanism[] = {NONE, "sm.divergence=dwf", MIMD};
	for (unsigned i = 0; i < COUNT_OF(mechanism); i++) {
		struct timed b = run_scoreboard(brief, mechanism[i]),
			     f = run_scoreboard(full, mechanism[i]),
			     n = run_scoreboard(idle, mechanism[i]);
		assert_int_equal(f.cycles, b.cycles);
		/* the store passes through the pipeline after the load's result has arrived */
		assert_true(n.cycles > 400 && b.cycles > n.cycles + 4);
		timed_free(&b);
		timed_free(&f);
		timed_free(&n);
	}
}

/* ---- scalar execution by value ---- */

static struct timed run_scalar(const char *text, const char *mechanism)
{
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {32},
			  .bytes = 512,
			  .config = "hws",
			  .max_cycles = 1000000,
			  .set = {"gpu.sms=1", "sm.pipeline=scoreboard", "sm.lanes=tsimt",
				  "sm.scalar=all", mechanism}};
	return bench_run(&b);
}

/* Two instructions on r3 before the branch, two in the arm that reads it, one in the other arm, and
 * the end have equal values in all threads that execute them. The compiler proves this where
 * threads reconverge at the post-dominator; elsewhere the values are compared. Without
 * reconvergence the end is executed twice. */
static void equal_values_are_found(void **state)
{
	(void)state;
	static const char *const mechanism[] = {NONE, TF, "sm.divergence=dwf", TBC};
	static const char text[] =
		HEAD REGS BIT IN(65535) "mov.u32 %r3, 5; add.u32 %r3, %r3, 1;\n"
					"@%p1 bra ARM;\n"
					"add.u32 %r5, %r3, 1; add.u32 %r5, %r5, 1; bra END;\n"
					"ARM: mov.u32 %r6, 7; add.u32 %r6, %r1, 1;\n"
					"END: add.u32 %r7, %r1, 1;\nret;\n}\n";
	for (unsigned i = 0; i < COUNT_OF(mechanism); i++) {
		struct timed t = run_scalar(text, mechanism[i]);
		struct timed p = run_scalar(text, "sm.divergence=pdom");
		assert_int_equal(figure(&p, "lanes", "scalar"), 6);
		assert_int_equal(figure(&t, "lanes", "scalar"), i ? 6 : 7);
		assert_int_equal(figure(&t, "equal", "scalars"), i ? 6 : 7);
		timed_free(&t);
		timed_free(&p);
	}
}

static void programs_on_all_machines(void **state)
{
	(void)state;
	run_programs(fragment_machine, COUNT_OF(fragment_machine));
}

static void a_meeting_that_cannot_be_is_reported(void **state)
{
	(void)state;
	run_no_meeting(NONE);
	run_no_meeting(MIMD);
}

static void refused(const char *a, const char *b, const char *c, const char *why)
{
	struct heddle *h;
	const char *set[] = {a, b, c, NULL};
	setenv("HEDDLE_CONF", "conf", 0);
	assert_int_not_equal(
		heddle_open(&h,
			    &(struct heddle_options){.config = "hws", .set = set, .timing = true}),
		HEDDLE_OK);
	assert_non_null(strstr(heddle_message(h), why));
	heddle_close(h);
}

static void combinations_without_sense(void **state)
{
	(void)state;
	refused(MIMD, "sm.pipeline=volta", "sm.lanes=sub-cores", "needs one for each lane");
	refused(NONE, "sm.pipeline=scoreboard", "sm.chaining=yes", "sm.chaining = yes");
	refused(MIMD, "sm.lanes=hws", NULL, "issues each thread alone");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_warp_alone_as_on_the_stack),
		cmocka_unit_test(a_split_leaves_its_results_to_both),
		cmocka_unit_test(equal_values_are_found),
		cmocka_unit_test(fragments_run_to_their_end),
		cmocka_unit_test(a_lane_issues_a_thread_a_cycle),
		cmocka_unit_test(arms_cost_nothing),
		cmocka_unit_test(programs_on_all_machines),
		cmocka_unit_test(a_meeting_that_cannot_be_is_reported),
		cmocka_unit_test(combinations_without_sense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
