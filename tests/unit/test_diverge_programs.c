/* Programs under every mechanism that regroups threads: the same memory as in functional mode, no
 * deadlock, consistent figures, equal results with any number of host threads. */
#include "forms.h"

static void programs_on_all_machines(void **state)
{
	(void)state;
	for (unsigned m = 0; m < COUNT_OF(regroup_machine); m++) {
		run_mix(&regroup_machine[m]);
		run_locks(&regroup_machine[m]);
		run_crossed(&regroup_machine[m]);
		run_waits(&regroup_machine[m]);
		run_arms(&regroup_machine[m]);
		run_ended(&regroup_machine[m]);
		run_left_out(&regroup_machine[m]);
	}
}

static void the_same_with_two_threads(void **state)
{
	(void)state;
	for (unsigned m = 0; m < COUNT_OF(regroup_machine); m++)
		same_with_two_threads(&regroup_machine[m]);
}

/* Ninety-six threads, in small warps so that there are many, take a lock twice, each time in a
 * separate loop: the holder's own warp has polling paths beside it, and more warps poll than the
 * pipeline has room for. The holder must make progress, whichever group the scheduler prefers. */
static void a_lock_under_every_scheduler(void **state)
{
	static const char *const mechanism[] = {"pdom", "thread-frontiers", "tbc", "none", "dwf"};
	static const char *const scheduler[] = {
		"majority",         "minority",         "oldest",         "gto",
		"two-level-active", "two-level-groups", "program-counter"};
	static const char take[] =
		"atom.global.cas.b32 %r1, [%d1], 0, 1; setp.ne.u32 %p1, %r1, 0;\n";
	static const char give[] = "ld.volatile.global.u32 %r2, [%d1+4]; add.u32 %r2, %r2, 1; "
				   "st.volatile.global.u32 [%d1+4], %r2;\n"
				   "membar.gl; atom.global.exch.b32 %r3, [%d1], 0;\n";
	char text[2048], how[2][48];
	uint32_t out[2];
	(void)state;
	snprintf(
		text, sizeof text,
		HEAD
		".reg .u32 %%r<4>; .reg .u64 %%d<2>; .reg .pred %%p<2>;\nld.param.u64 %%d1, [pout];\n"
		"L1: %s@%%p1 bra L1;\n%sL2: %s@%%p1 bra L2;\n%sret;\n}\n",
		take, give, take, give);
	for (unsigned i = 0; i < 5; i++)
		for (unsigned k = 0; k < 6; k++) {
			snprintf(how[0], sizeof how[0], "sm.divergence=%s", mechanism[i]);
			snprintf(how[1], sizeof how[1], "sm.scheduler=%s", scheduler[k]);
			/* clang-format off */
			struct bench b = {.text = text, .kernel = "k", .block = {96}, .bytes = sizeof out, .out = out, .config = "hws",
			                  .set = {"gpu.sms=1", "gpu.warp_size=4", "sm.simd_width=4", "sm.max_warps=64", how[0], how[1]},
			                  .max_cycles = 20000000};
			/* clang-format on */
			struct timed t = bench_run(&b);
			assert_int_equal(out[1], 2 * 96);
			timed_free(&t);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_on_all_machines),
		cmocka_unit_test(the_same_with_two_threads),
		cmocka_unit_test(a_lock_under_every_scheduler),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
