/* Thread frontiers: instructions counted by hand and compared with the post-dominator stack;
 * programs that wait for lanes that run later. */
#include <unistd.h>
#include "forms.h"

/* One warp on the locked pipeline: an instruction every 24 cycles. */
static struct timed run_one(const char *text, const char *mechanism, unsigned threads,
			    uint32_t *out, size_t bytes)
{
	char set[64];
	snprintf(set, sizeof set, "sm.divergence=%s", mechanism);
	/* clang-format off */
	struct bench b = {.text = text, .kernel = "k", .block = {threads}, .config = "hws", .bytes = bytes, .out = out,
	                  .max_cycles = 1000000, .set = {"gpu.sms=1", set}};
	/* clang-format on */
	return bench_run(&b);
}

static void assert_counts(const char *text, unsigned threads, unsigned pdom, unsigned frontiers)
{
	struct timed p = run_one(text, "pdom", threads, NULL, 0),
		     t = run_one(text, "thread-frontiers", threads, NULL, 0);
	assert_int_equal(p.warp_instructions, pdom);
	assert_int_equal(t.warp_instructions, frontiers);
	assert_int_equal(figure(&p, "sm", "thread_instructions"),
			 figure(&t, "sm", "thread_instructions"));
	assert_int_equal(p.cycles - t.cycles, 24 * (pdom - frontiers));
	timed_free(&p);
	timed_free(&t);
}

/* if ((a || b) && (c || d)) S, the example of Diamos et al., section 2. Four threads:
 *	T0: BB1 BB3 BB4 Exit                 T1: BB1 BB2 Exit
 *	T2: BB1 BB2 BB3 BB5 Exit             T3: BB1 BB2 BB3 BB4 BB5 Exit
 * All branches post-dominate at Exit alone, so the stack runs BB3 and BB4 for T0 and again for the
 *others and BB5 for T2 and again for T3; frontiers run every block once. */
static void a_condition_with_short_circuits(void **state)
{
	(void)state;
	static const char text[] = HEAD REGS BIT
		"BB1:\n" IN(1) "@%p1 bra BB3;\n"
			       "BB2:\n" IN(12) "@!%p1 bra EXIT;\n"
					       "BB3:\n" IN(4) "@%p1 bra BB5;\n"
							      "BB4:\n" IN(8) "@!%p1 bra EXIT;\n"
									     "BB5:\n" ADD4
									     "EXIT: ret;\n}\n";
	unsigned once = 2 + 4 * 3 + 4 + 1;
	assert_counts(text, 4, once + 3 + 3 + 4, once);
}

/* The flow graph above with its blocks in another order: priorities follow the control flow, not
 * the addresses. */
static void the_order_of_the_text_does_not_matter(void **state)
{
	(void)state;
	static const char text[] = HEAD REGS BIT "BB1:\n" IN(
		1) "@!%p1 bra BB2;\nbra BB3;\n"
		   "BB5:\n" ADD4 "bra EXIT;\n"
		   "BB4:\n" IN(8) "@!%p1 bra EXIT;\nbra BB5;\n"
				  "EXIT: ret;\n"
				  "BB3:\n" IN(4) "@%p1 bra BB5;\nbra BB4;\n"
						 "BB2:\n" IN(12) "@!%p1 bra EXIT;\nbra BB3;\n}\n";
	struct timed t = run_one(text, "thread-frontiers", 4, NULL, 0);
	assert_int_equal(t.warp_instructions, 2 + 3 + 1 + 4 + 4 + 4 + 5 + 1);
	timed_free(&t);
}

/* Thread t leaves the loop for FOUND in iteration t: threads at FOUND wait until all have left. */
static void ways_out_of_a_loop(void **state)
{
	(void)state;
	static const char text[] = HEAD REGS "mov.u32 %r1, %tid.x; mov.u32 %r3, 0;\n"
					     "L: setp.eq.u32 %p1, %r3, 9; @%p1 bra OUT; "
					     "setp.eq.u32 %p2, %r3, %r1; @%p2 bra FOUND;\n"
					     "add.u32 %r3, %r3, 1; bra L;\n"
					     "FOUND:\n" ADD4 "OUT: ret;\n}\n";
	unsigned loop = 2 + 3 * 6 + 4, end = 1;
	assert_counts(text, 4, loop + 4 * 4 + end, loop + 4 + end);
}

/* Two arms call one function; the code after the calls waits for both, wherever the function's code
 * lies. */
static void calls_have_the_place_of_their_caller(void **state)
{
	(void)state;
	static const char text[] =
		".version 6.4\n.target sm_70\n.address_size 64\n.func f()\n{\n.reg .u32 %r<10>; .reg .pred %p<2>;\n" BIT
			IN(5) "@%p1 bra SIDE;\n" ADD4 "SIDE:\n" ADD4 "ret;\n}\n"
			      ".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param .u32 n1)\n{\n" REGS
				      BIT IN(3) "@%p1 bra B;\ncall f, (); bra JOIN;\nB: call f, ();\nJOIN:\n" ADD4
					      ADD4 "ret;\n}\n";
	unsigned f = 2 + 2 + 1 + 4 + 4 + 1, n = 2 + 2 + 1 + (1 + f + 1) + (1 + f) + 8 + 1;
	assert_counts(text, 4, n, n);
}

/* Collects the pcs at which a run issues instructions of warp 0, in order, from its timeline. */
static unsigned issued(const char *text, unsigned threads, unsigned *pc, unsigned room)
{
	char name[] = "/tmp/heddle-frontiers-XXXXXX";
	int fd = mkstemp(name);
	unsigned n = 0;
	assert_true(fd >= 0);
	close(fd);
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {threads},
			  .config = "hws",
			  .max_cycles = 100000,
			  .set = {"gpu.sms=1", TF},
			  .watch = {.trace_file = name}};
	struct timed t = bench_run(&b);
	json_t *events = json_load_file(name, 0, NULL), *e;
	size_t i;
	json_array_foreach (events, i, e) {
		const char *cat = json_string_value(json_object_get(e, "cat"));
		if (cat && !strcmp(cat, "issue") && n < room)
			pc[n++] = (unsigned)json_integer_value(
				json_object_get(json_object_get(e, "args"), "pc"));
	}
	json_decref(events);
	unlink(name);
	timed_free(&t);
	return n;
}

/* Of a warp's paths, the path at the block with the highest priority runs, whichever way the branch
 * went: BB2 before BB3, although lanes arrived at BB3 first, and BB4 waits for both. The text has
 * the blocks in the order BB1 BB4 BB3 BB2; the flow is BB1 -> BB2 -> BB3 -> BB4. */
static void the_first_path_in_the_order_of_priorities_runs(void **state)
{
	(void)state;
	static const char text[] = HEAD REGS BIT
		"BB1:\n" IN(1) "@%p1 bra BB3;\nbra BB2;\n"                    /* 0 to 5 */
			       "BB4: add.u32 %r8, %r8, 1; ret;\n"             /* 6, 7 */
			       "BB3: add.u32 %r8, %r8, 2; bra BB4;\n"         /* 8, 9 */
			       "BB2:\n" IN(2) "@%p1 bra BB4;\nbra BB3;\n}\n"; /* 10 to 13 */
	static const unsigned want[] = {0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 8, 9, 6, 7};
	enum { N = sizeof want / sizeof *want };
	unsigned pc[2 * N], n = issued(text, 4, pc, 2 * N);
	assert_int_equal(n, N); /* once per block: all threads that pass a block pass it together */
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(pc[i], want[i]);
}

/* At a call, lanes that have yet to make it run before lanes that are in it. Lanes 16 to 31 wait in
 * f for lanes 0 to 15, which, before they call f, wait for a word that the others store there.
 * Lanes 0 to 15 then call f, meet the others where they wait, and the rest of f is executed
 * once. */
static void who_has_yet_to_call_comes_before_who_is_in_the_call(void **state)
{
	(void)state;
	static const char text[] =
		".version 6.4\n.target sm_70\n.address_size 64\n"
		".func f(.param .u64 a)\n{\n.reg .u32 %r<10>; .reg .u64 %d<2>; .reg .pred %p<2>;\n"
		"ld.param.u64 %d1, [a]; st.volatile.global.u32 [%d1], 1;\n"
		"W: ld.volatile.global.u32 %r1, [%d1+4]; setp.eq.u32 %p1, %r1, 0; @%p1 bra W;\n"
		"red.global.add.u32 [%d1+8], 1;\nret;\n}\n"
		".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param .u32 n1)\n{\n" REGS
		"mov.u32 %r1, %tid.x; ld.param.u64 %d1, [pout]; setp.ge.u32 %p1, %r1, 16;\n@%p1 bra CALL;\n"
		"W: ld.volatile.global.u32 %r2, [%d1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra W;\n"
		"st.volatile.global.u32 [%d1+4], 1;\n"
		"CALL: { .param .u64 i; st.param.u64 [i], %d1; call f, (i); }\nret;\n}\n";
	uint32_t out[3];
	struct timed t = run_one(text, "thread-frontiers", 32, out, sizeof out);
	json_t *in;
	size_t i;
	unsigned times = 0;
	json_array_foreach (t.profile, i, in)
		if (!strcmp(json_string_value(json_object_get(in, "text")), "red.global.add.u32"))
			times += (unsigned)json_integer_value(json_object_get(in, "issued"));
	assert_int_equal(times, 1);
	assert_int_equal(out[2], 32);
	timed_free(&t);
}

static void lanes_wait_for_lanes_behind_them(void **state)
{
	(void)state;
	for (unsigned m = 0; m < COUNT_OF(frontier_machine); m++)
		run_waits(&frontier_machine[m]);
}

static void barriers_and_sync_operations_in_arms(void **state)
{
	(void)state;
	for (unsigned m = 0; m < COUNT_OF(frontier_machine); m++)
		run_arms(&frontier_machine[m]);
}

static void programs_on_all_machines(void **state)
{
	(void)state;
	for (unsigned m = 0; m < COUNT_OF(frontier_machine); m++) {
		run_mix(&frontier_machine[m]);
		run_locks(&frontier_machine[m]);
		run_crossed(&frontier_machine[m]);
		same_with_two_threads(&frontier_machine[m]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_condition_with_short_circuits),
		cmocka_unit_test(the_order_of_the_text_does_not_matter),
		cmocka_unit_test(ways_out_of_a_loop),
		cmocka_unit_test(calls_have_the_place_of_their_caller),
		cmocka_unit_test(the_first_path_in_the_order_of_priorities_runs),
		cmocka_unit_test(who_has_yet_to_call_comes_before_who_is_in_the_call),
		cmocka_unit_test(lanes_wait_for_lanes_behind_them),
		cmocka_unit_test(barriers_and_sync_operations_in_arms),
		cmocka_unit_test(programs_on_all_machines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
