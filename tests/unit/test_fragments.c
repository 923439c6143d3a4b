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

/* Threads 0 and 1 take the arm; the tail is executed by each fragment. The two take turns at the
 * issue port, 4 cycles each, and wait 24 cycles for their own last instruction: both have 4 + 8 + 1
 * instructions after the branch, the second is 4 cycles behind. The post-dominator stack runs the
 * arms one after the other (4 and 5 instructions) and the tail once. */
static void fragments_run_to_their_end(void **state)
{
	(void)state;
	static const char text[] =
		HEAD REGS BIT IN(3) "@%p1 bra ARM;\n" ADD4 "bra TAIL;\n"
				    "ARM:\n" ADD4 "add.u32 %r8, %r8, 1;\nTAIL:\n" ADD4 ADD4
				    "ret;\n}\n";
	struct timed s = run_one(straight, NONE, 4), n = run_one(text, NONE, 4),
		     p = run_one(text, "sm.divergence=pdom", 4);
	uint64_t rest = s.cycles - 9 * 24; /* of a launch, besides its instructions */
	assert_int_equal(n.warp_instructions, 5 + 2 * (5 + 8 + 1));
	assert_int_equal(n.cycles, (5 + 5 + 8 + 1) * 24 + 4 + rest);
	assert_int_equal(p.warp_instructions, 5 + 2 * 5 + 8 + 1);
	assert_int_equal(p.cycles, (5 + 2 * 5 + 8 + 1) * 24 + rest);
	timed_free(&s);
	timed_free(&n);
	timed_free(&p);
}

/* A lane issues one of its threads each cycle and a thread one instruction every 24: up to 24
 * threads a lane an instruction of all takes 24 cycles, from then on one cycle a thread. */
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

/* Eight threads of one warp on eight lanes, each in an arm of its own: nobody waits for anybody. */
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
	refused(NONE, "sm.pipeline=scoreboard", NULL, "needs sm.pipeline = locked");
	refused(MIMD, "sm.pipeline=scoreboard", NULL, "needs sm.pipeline = locked");
	refused(MIMD, "sm.lanes=hws", NULL, "issues each thread alone");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fragments_run_to_their_end),
		cmocka_unit_test(a_lane_issues_a_thread_a_cycle),
		cmocka_unit_test(arms_cost_nothing),
		cmocka_unit_test(programs_on_all_machines),
		cmocka_unit_test(a_meeting_that_cannot_be_is_reported),
		cmocka_unit_test(combinations_without_sense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
