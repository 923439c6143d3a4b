/* Registers of temporal lanes: slices, partly filled warps, spills, predicates. */
#include "temporal.h"

/* 16384 registers in 8 slices of 2048: a warp with 40 registers per thread needs 1280, so one fits
 * into a lane. An undivided file would hold 12. */
static void test_slices(void **state)
{
	(void)state;
	struct bench b = {.config = "stsimt",
			  .set = {"sm.lanes=tsimt", "gpu.sms=1", "sm.registers_per_thread=40"},
			  .text = arithmetic(),
			  .kernel = "k",
			  .grid = {24},
			  .block = {32},
			  .n = {32},
			  .bytes = 64};
	struct timed t = bench_run(&b);
	assert_int_equal(figure(&t, "block", "most_warps"), 8);
	timed_free(&t);
	b.set[0] = "sm.lanes=simt";
	t = bench_run(&b);
	assert_int_equal(figure(&t, "block", "most_warps"), 12);
	timed_free(&t);
}

/* Blocks of 48 threads with 32 registers each: 1024 for the whole warp, and for the half warp 1024
 * or 512. A lane has 2048. Two halves take the place of a whole warp: 10 + 5 places of 16; with
 * whole places, 8 + 8 fill all. */
static void test_half_warps(void **state)
{
	static const char *const dispatch[] = {"gpu.dispatch=block", "gpu.dispatch=warp-temporal"};
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct bench b = {.config = "stsimt",
				  .set = {"sm.lanes=tsimt", "gpu.sms=1",
					  "sm.registers_per_thread=32", dispatch[i],
					  "sm.register_grain=warp"},
				  .text = arithmetic(),
				  .kernel = "k",
				  .grid = {40},
				  .block = {48},
				  .n = {32},
				  .bytes = 64};
		struct timed t = bench_run(&b);
		if (!i) /* otherwise the halves, which end first, have made room */
			assert_int_equal(figure(&t, "block", "most_blocks"), 8);
		assert_int_equal(figure(&t, "lanes", "registers"), 40 * 2048);
		timed_free(&t);
		b.set[4] = "sm.register_grain=thread";
		t = bench_run(&b);
		if (!i)
			assert_int_equal(figure(&t, "block", "most_blocks"), 10);
		assert_int_equal(figure(&t, "lanes", "registers"), 40 * 1536);
		timed_free(&t);
	}
}

/* A block of two and a half warps with 4 registers per thread and 5 scalar registers per warp. */
static void test_scalars_of_half_warps(void **state)
{
	(void)state;
	static const char scalars[] = HEAD
		".reg .u32 %r<12>; .reg .u64 %d<4>;\nld.param.u64 %d1, [pout]; mov.u32 %r1, %ctaid.x;\n"
		"add.u32 %r2, %r1, 3; mul.lo.u32 %r3, %r2, %r1; mov.u32 %r4, %tid.x;\n"
		"mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d1, %d2; add.u32 %r5, %r3, %r4;\n"
		"add.u32 %r5, %r5, %r2; add.u32 %r5, %r5, %r1; st.global.u32 [%d3], %r5;\nret;\n}\n";
	struct bench b = {.config = "stsimt",
			  .set = {"sm.lanes=stsimt4", "gpu.sms=1", "sm.scalar=all",
				  "sm.allocation=allocated", "sm.register_grain=thread"},
			  .text = scalars,
			  .kernel = "k",
			  .block = {80},
			  .bytes = 4 * 80};
	struct timed t = bench_run(&b);
	uint64_t regs = 2 * (4 * 32 + 5) + 4 * 16 + 5;
	assert_int_equal(figure(&t, "lanes", "registers"), regs);
	assert_int_equal(figure(&t, "sm", "alloc_registers"), regs * (t.cycles - 1));
	timed_free(&t);
}

/* Blocks of two and a half warps with 24 registers per thread: a lane of 2048 has room for two
 * warps of 768 and a half warp of 384. Eight blocks fill eight lanes if no half warp takes a whole
 * warp's place. */
static void test_halves_beside_whole_warps(void **state)
{
	(void)state;
	struct bench b = {.config = "stsimt",
			  .set = {"sm.lanes=tsimt", "gpu.sms=1", "sm.registers_per_thread=24",
				  "sm.register_grain=thread"},
			  .text = arithmetic(),
			  .kernel = "k",
			  .grid = {16},
			  .block = {80},
			  .n = {32},
			  .bytes = 64};
	struct timed t = bench_run(&b);
	assert_int_equal(figure(&t, "lanes", "registers"), 16 * 1920);
	assert_int_equal(figure(&t, "block", "most_blocks"), 8);
	timed_free(&t);
}

/* 1280 registers per warp: one warp fits into each lane of 2048, and nine do not fit into eight
 * lanes, although 16384 registers would hold 12. */
static void test_too_many_warps(void **state)
{
	(void)state;
	struct bench b = {.config = "stsimt",
			  .set = {"sm.lanes=tsimt", "gpu.sms=1", "sm.registers_per_thread=40"},
			  .text = arithmetic(),
			  .kernel = "k",
			  .block = {9 * 32},
			  .n = {32},
			  .bytes = 64,
			  .want = HEDDLE_INVALID};
	struct timed t = bench_run(&b);
	if (!strstr(b.message, "9 warps with 1280 registers each; each of the 8 lanes of stsimt "
			       "has 2048 registers, so they hold 8 such warps"))
		fail_msg("%s", b.message);
	timed_free(&t);
	b.block[0] = 8 * 32; /* 320 registers are free in each lane */
	b.want = HEDDLE_OK;
	t = bench_run(&b);
	timed_free(&t);
}

/* 80 values live at once do not fit into 2048 / 32 registers: the code spills, and computes an
 * equal sum. */
static void test_spills(void **state)
{
	(void)state;
	char *s = text;
	uint32_t out[32], want = 0;
	s += sprintf(s,
		     HEAD ".reg .u32 %%r<100>; .reg .u64 %%d<4>;\n"
			  "mov.u32 %%r0, %%laneid; mov.u32 %%r99, 0; ld.param.u64 %%d1, [pout];\n");
	for (unsigned i = 1; i <= 80; i++)
		s += sprintf(s, "mad.lo.u32 %%r%u, %%r0, %u, %u;\n", i, i, i * i), want += i * i;
	for (unsigned i = 1; i <= 80; i++)
		s += sprintf(s, "mad.lo.u32 %%r99, %%r%u, %u, %%r99;\n", 81 - i, 1);
	sprintf(s,
		"mul.wide.u32 %%d2, %%r0, 4; add.u64 %%d2, %%d2, %%d1; st.global.u32 [%%d2], %%r99; ret;\n}\n");
	struct bench b = {.config = "stsimt",
			  .set = {"sm.lanes=tsimt", "gpu.sms=1", "sm.allocation=allocated"},
			  .text = text,
			  .kernel = "k",
			  .block = {32},
			  .out = out,
			  .bytes = sizeof out};
	struct timed t = bench_run(&b);
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(out[i], want + i * 80 * 81 / 2);
	assert_true(figure(&t, "sm", "warp_instructions") > 80 * 2 + 7);
	timed_free(&t);
}

/* Twelve predicates live at once, where a thread has four: the others are kept in registers by
 * additional moves, and none in memory. */
static void test_predicates(void **state)
{
	(void)state;
	char *s = text;
	uint32_t out[32];
	uint64_t free_instructions = 0;
	s += sprintf(s,
		     HEAD ".reg .u32 %%r<30>; .reg .pred %%p<12>; .reg .u64 %%d<4>;\n"
			  "mov.u32 %%r0, %%laneid; mov.u32 %%r1, 0; ld.param.u64 %%d1, [pout];\n");
	for (unsigned i = 0; i < 12; i++)
		s += sprintf(s, "setp.gt.u32 %%p%u, %%r0, %u;\n", i, 2 * i);
	for (unsigned i = 0; i < 12; i++)
		s += sprintf(s, "@%%p%u add.u32 %%r1, %%r1, %u;\n", i, 1u << i);
	sprintf(s,
		"mul.wide.u32 %%d2, %%r0, 4; add.u64 %%d2, %%d2, %%d1; st.global.u32 [%%d2], %%r1; ret;\n}\n");
	for (unsigned limit = 0; limit <= 4; limit += 4) {
		struct bench b = {.config = "stsimt",
				  .set = {"sm.lanes=tsimt", "gpu.sms=1", "sm.allocation=allocated",
					  limit ? "sm.predicates=4" : "sm.predicates=0"},
				  .text = text,
				  .kernel = "k",
				  .block = {32},
				  .out = out,
				  .bytes = sizeof out};
		struct timed t = bench_run(&b);
		uint64_t n = figure(&t, "sm", "warp_instructions");
		for (unsigned lane = 0; lane < 32; lane++) {
			uint32_t want = 0;
			for (unsigned i = 0; i < 12; i++)
				want += lane > 2 * i ? 1u << i : 0;
			assert_int_equal(out[lane], want);
		}
		/* at least eight of the twelve need one more write and one more read */
		if (limit && (n < free_instructions + 16 || n > free_instructions + 24))
			fail_msg("%llu instructions, without a limit %llu", (unsigned long long)n,
				 (unsigned long long)free_instructions);
		assert_int_equal(figure(&t, "sm", "mem_instructions"), 1);
		free_instructions = n;
		timed_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_half_warps),
		cmocka_unit_test(test_scalars_of_half_warps),
		cmocka_unit_test(test_halves_beside_whole_warps),
		cmocka_unit_test(test_too_many_warps),
		cmocka_unit_test(test_spills),
		cmocka_unit_test(test_predicates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
