/* Temporal lanes: the closed forms of Lucas et al. 2015, section 5.2, lane imbalance, skipped
 * bundles, shared memory, scalar instructions, refused combinations, and results of random
 * kernels. */
#include <unistd.h>
#include "random_kernel.h"
#include "temporal.h"

static void test_simt(void **state)
{
	(void)state;
	near(ipc("simt", 16, 32, NULL), 8, 0.06);
	near(ipc("simt", 32, 8, NULL), 2, 0.06);
	near(ipc("simt", 4, 16, NULL), 4, 0.12);
}

static void test_tsimt(void **state)
{
	(void)state;
	near(ipc("tsimt", 32, 32, NULL), 8, 0.06);
	near(ipc("tsimt", 32, 16, NULL), 8, 0.06);
	near(ipc("tsimt", 32, 8, NULL), 8, 0.08);
	near(ipc("tsimt", 32, 4, NULL), 4, 0.06);
	near(ipc("tsimt", 32, 1, NULL), 1, 0.06);
	/* limited by the number of warps: some lanes have none */
	near(ipc("tsimt", 4, 32, NULL), 4, 0.06);
	near(ipc("tsimt", 1, 32, NULL), 1, 0.06);
	near(ipc("tsimt-free", 1, 32, NULL) > 1.2, 1, 0);
}

/* ---- chaining ---- */

/* Cycles per iteration of one warp: `adds` dependent additions, then three more loop instructions,
 * the last of which is a branch. */
static double round_cycles(const char *lanes, unsigned active, unsigned adds, const char *more)
{
	double cycles[2];
	char set[64];
	snprintf(set, sizeof set, "sm.lanes=%s", lanes);
	for (unsigned i = 0; i < 2; i++) {
		char *s = text;
		s += sprintf(
			s,
			HEAD
			".reg .u32 %%r<64>; .reg .pred %%p<4>;\n"
			"ld.param.u32 %%r60, [n0]; mov.u32 %%r61, %%laneid;\n"
			"setp.ge.u32 %%p1, %%r61, %%r60; @%%p1 bra E; mov.u32 %%r62, %u;\nL:\n",
			i ? 60 : 20);
		for (unsigned k = 0; k < adds; k++)
			s += sprintf(s, "add.u32 %%r1, %%r1, %u;\n", k);
		sprintf(s, "sub.u32 %%r62, %%r62, 1; setp.ne.u32 %%p2, %%r62, 0;\n"
			   "@%%p2 bra L;\nE: ret;\n}\n");
		struct bench b = {
			.config = "stsimt",
			.set = {set, "gpu.sms=1", "gpu.perfect_memory=yes", "l1i.sets=64", more},
			.text = text,
			.kernel = "k",
			.grid = {1},
			.block = {32},
			.n = {active},
			.bytes = 64};
		struct timed t = bench_run(&b);
		cycles[i] = (double)t.cycles;
		timed_free(&t);
	}
	return (cycles[1] - cycles[0]) / 40;
}

static double dependent(const char *lanes, unsigned active, const char *more)
{
	return (round_cycles(lanes, active, 20, more) - round_cycles(lanes, active, 4, more)) / 16;
}

/* With chaining, a thread waits only for its own result: a dependent addition starts when the lane
 * is free, or the pipeline's 16 cycles after the first. Otherwise it starts when the last thread
 * has its result. */
static void test_chaining(void **state)
{
	(void)state;
	near(dependent("simt", 32, NULL), 16, 0.001);
	near(dependent("tsimt", 32, NULL), 32, 0.001);
	near(dependent("tsimt", 20, NULL), 20, 0.001);
	near(dependent("tsimt", 8, NULL), 16, 0.001);
	near(dependent("stsimt2", 32, NULL), 16, 0.001);
	near(dependent("stsimt4", 32, NULL), 16, 0.001);
	near(dependent("simt", 32, "sm.chaining=no"), 16 + 3, 0.001);
	near(dependent("tsimt", 32, "sm.chaining=no"), 16 + 31, 0.001);
	near(dependent("stsimt4", 32, "sm.chaining=no"), 16 + 7, 0.001);
}

/* n pairs of an addition and a sine in one warp: cycles in which the units of its lane are busy. */
static uint64_t busy_with_pairs(unsigned n, unsigned active, const char *interval)
{
	uint64_t busy = 0;
	char *s = text;
	s += sprintf(s, HEAD ".reg .u32 %%r<64>; .reg .f32 %%f<32>; .reg .pred %%p;\n"
			     "ld.param.u32 %%r60, [n0]; mov.u32 %%r61, %%laneid;\n"
			     "setp.ge.u32 %%p, %%r61, %%r60; @%%p bra E;\n");
	for (unsigned i = 0; i < n; i++)
		s += sprintf(s, "add.u32 %%r%u, %%r61, %u; sin.approx.f32 %%f%u, %%f0;\n",
			     1 + i % 40, i, 1 + i % 20);
	sprintf(s, "E: ret;\n}\n");
	struct bench b = {.config = "stsimt",
			  .set = {"sm.lanes=tsimt", "gpu.sms=1", "gpu.perfect_memory=yes",
				  "l1i.sets=64", interval},
			  .text = text,
			  .kernel = "k",
			  .block = {32},
			  .n = {active},
			  .bytes = 64};
	struct timed t = bench_run(&b);
	const json_t *list = json_object_get(
		json_object_get(json_object_get(t.launch, "timing"), "lanes"), "busy");
	for (size_t i = 0; i < json_array_size(list); i++)
		busy += (uint64_t)json_integer_value(json_array_get(list, i));
	/* one warp: at most one lane could issue at any time */
	const json_t *conflicts = json_object_get(
		json_object_get(json_object_get(t.launch, "timing"), "lanes"), "conflicts");
	assert_int_equal(json_array_size(conflicts), 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(json_integer_value(json_array_get(conflicts, i)) > 0, i == 0);
	timed_free(&t);
	return busy;
}

/* Each lane has a column in a time series: warps of different lengths, one per lane. */
static void test_lanes_have_columns(void **state)
{
	(void)state;
	char path[] = "/tmp/heddle-lanes-XXXXXX.json";
	close(mkstemps(path, 5));
	struct bench b = {
		.config = "stsimt",
		.set = {"sm.lanes=tsimt", "gpu.sms=1", "gpu.perfect_memory=yes", "l1i.sets=64"},
		.text = HEAD
		".reg .u32 %r<4>; .reg .pred %p; mov.u32 %r1, %tid.x;\n"
		"shr.u32 %r2, %r1, 5; mul.lo.u32 %r2, %r2, 20; add.u32 %r2, %r2, 20;\n"
		"L: sub.u32 %r2, %r2, 1; setp.ne.u32 %p, %r2, 0; @%p bra L;\nret;\n}\n",
		.kernel = "k",
		.block = {128},
		.bytes = 64,
		.watch = {.sample = 50, .sample_file = path}};
	struct timed t = bench_run(&b);
	const json_t *all = json_object_get(
		json_object_get(json_object_get(t.launch, "timing"), "lanes"), "threads");
	json_t *rows = json_load_file(path, 0, NULL), *row;
	assert_true(json_array_size(all) >= 4);
	double least = 1e9, most = 0;
	for (size_t k = 0; k < json_array_size(all); k++) {
		double sum = 0, want = (double)json_integer_value(json_array_get(all, k));
		char name[32];
		size_t i;
		snprintf(name, sizeof name, "lane%zu_ipc", k);
		json_array_foreach (rows, i, row)
			if (json_is_string(json_object_get(row, "sm")) &&
			    json_object_get(row, name))
				sum += json_number_value(json_object_get(row, name)) *
				       (double)(json_integer_value(json_object_get(row, "to")) -
						json_integer_value(json_object_get(row, "from")));
		if (!(sum > want - 2 && sum < want + 2))
			fail_msg("lane %zu: %g in all rows, %g threads", k, sum, want);
		least = want < least ? want : least;
		most = want > most ? want : most;
	}
	assert_true(most > 2 * least); /* the counts differ */
	json_decref(rows);
	timed_free(&t);
	unlink(path);
}

/* The units of 8 lanes take a warp in four cycles; a unit that takes 8 cycles is half as fast. So
 * in a temporal lane this unit is busy for two cycles per thread, and an adder for one. */
static void test_a_slow_unit_is_slow_for_each_thread(void **state)
{
	(void)state;
	static const unsigned active[] = {32, 5};
	for (unsigned i = 0; i < 2; i++) {
		uint64_t few = busy_with_pairs(10, active[i], "sm.sfu_interval=8");
		assert_int_equal(busy_with_pairs(30, active[i], "sm.sfu_interval=8") - few,
				 20 * (active[i] + 2 * active[i]));
	}
}

/* A branch may change the active threads, so it waits for the last thread: it issues 47 cycles
 * after its comparison, not 32. The loop has four dependent additions, an independent subtraction,
 * a comparison and the branch. */
static void test_branch_waits_for_all(void **state)
{
	(void)state;
	near(round_cycles("tsimt", 32, 4, NULL), 3 * 32 + 32 + 32 + 47 + 32, 0.01);
	near(round_cycles("tsimt", 32, 4, "sm.chaining=no"), 3 * 47 + 32 + 47 + 47 + 32, 0.01);
}

/* An aligned bundle without threads is skipped, one with a single thread is not. */
static void test_bundles(void **state)
{
	(void)state;
	near(ipc("stsimt4", 32, 32, NULL), 8, 0.06);
	near(ipc("stsimt4", 32, 16, NULL), 8, 0.06);
	near(ipc("stsimt4", 32, 8, NULL), 8, 0.08);
	near(ipc("stsimt4", 32, 5, NULL), 5, 0.08);
	near(ipc("stsimt4", 32, 17, NULL), 17. / 20 * 8, 0.06);
	near(ipc("stsimt2", 32, 9, NULL), 9. / 10 * 8, 0.1);
	near(ipc("temporal", 32, 17, "temporal.width=4"), 17. / 20 * 8, 0.06);
	near(ipc("stsimt4", 2, 32, NULL), 8, 0.25); /* two warps fill two lanes */
}

/* Warp w runs in lane w mod 8: with 9 warps one lane has two, and takes twice as long. */
static void test_imbalance(void **state)
{
	(void)state;
	double even = ipc("tsimt", 8, 32, NULL), odd = ipc("tsimt", 9, 32, NULL);
	near(even, 8, 0.06);
	near(odd / even, 9. / 16, 0.06);
}

/* ---- the register for instructions ---- */

/* Runs `text` with one block of the given number of threads; returns thread instructions per cycle;
 * *cycles: the cycles. */
static double run_text(const char *lanes, unsigned threads, const char *more, double *cycles)
{
	struct bench b = {
		.config = "stsimt",
		.set = {lanes, "gpu.sms=1", "gpu.perfect_memory=yes", "l1i.sets=64", more},
		.text = text,
		.kernel = "k",
		.block = {threads},
		.bytes = 64};
	struct timed t = bench_run(&b);
	*cycles = (double)t.cycles;
	double r = (double)figure(&t, "sm", "thread_instructions") / *cycles;
	timed_free(&t);
	return r;
}

/* Equally many independent additions and loads of shared memory; each warp uses a separate bank. */
static double ipc_of_pairs(const char *lanes, const char *holds)
{
	double cycles;
	char *s = text;
	s += sprintf(s, HEAD
		     ".shared .u32 s[32]; .reg .u32 %%r<64>; .reg .pred %%p;\n"
		     "mov.u32 %%r61, %%tid.x; shr.u32 %%r61, %%r61, 5; shl.b32 %%r61, %%r61, 2;\n"
		     "mov.u32 %%r60, s; add.u32 %%r60, %%r60, %%r61; mov.u32 %%r62, 40;\nL:\n");
	for (unsigned i = 0; i < 16; i++)
		s += sprintf(s, "add.u32 %%r%u, %%r61, %u; ld.shared.u32 %%r%u, [%%r60];\n", 1 + i,
			     i, 21 + i);
	sprintf(s, "sub.u32 %%r62, %%r62, 1; setp.ne.u32 %%p, %%r62, 0; @%%p bra L; ret;\n}\n");
	return run_text(lanes, 16 * 32, holds, &cycles);
}

/* If each kind of unit has an input register, a lane takes one thread of each kind per cycle; with
 * one register per lane it takes one thread. */
static void test_one_register(void **state)
{
	static const char *const lanes[] = {"sm.lanes=tsimt", "sm.lanes=stsimt4",
					    "sm.lanes=tsimt-free"};
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		assert_true(ipc_of_pairs(lanes[i], "temporal.register=unit") > 11);
		near(ipc_of_pairs(lanes[i], "temporal.register=lane"), 8, 0.08);
	}
	near(ipc("tsimt", 32, 8, "temporal.register=lane"), 8, 0.08);
	near(ipc("stsimt4", 32, 17, "temporal.register=lane"), 17. / 20 * 8, 0.06);
}

/* ---- placement ---- */

/* Five blocks of one warp, two at a time in two lanes; the first is still resident when the last
 * ends. Returns the number of additions that the second lane executed. */
static uint64_t second_lane(const char *placement)
{
	struct bench b = {.config = "stsimt",
			  .set = {"sm.lanes=stsimt4", "gpu.sms=1", "sm.max_warps=2", "l1i.sets=64",
				  placement},
			  .text = HEAD
			  ".reg .u32 %r<9>; .reg .pred %p;\n"
			  "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p, %r1, 0;\n"
			  "selp.u32 %r2, 4000, 100, %p;\n"
			  "L: sub.u32 %r2, %r2, 1; setp.ne.u32 %p, %r2, 0; @%p bra L;\n"
			  "ret;\n}\n",
			  .kernel = "k",
			  .grid = {5},
			  .block = {32},
			  .bytes = 64};
	struct timed t = bench_run(&b);
	const json_t *list = json_object_get(
		json_object_get(json_object_get(t.launch, "timing"), "lanes"), "instructions");
	uint64_t n = (uint64_t)json_integer_value(json_array_get(list, 1)) / 300;
	timed_free(&t);
	return n;
}

/* The short blocks follow each other in the free lane, or alternate between both. */
static void test_placement(void **state)
{
	(void)state;
	assert_int_equal(second_lane("temporal.placement=room"), 4);
	assert_int_equal(second_lane("temporal.placement=next"), 2);
}

/* ---- scalar instructions ---- */

static void test_scalar(void **state)
{
	(void)state;
	/* no thread-specific value: all of the loop is scalar */
	near(ipc("tsimt", 32, 32, "sm.scalar=all"), 32, 0.06);
	near(ipc("simt-scalar", 32, 32, "sm.scalar=all"), 32, 0.06);
}

/* Share of scalar instructions in the kernel: a branch on the thread's number is vector, the code
 * under it scalar. */
static void test_static_share(void **state)
{
	(void)state;
	struct bench b = {.config = "stsimt",
			  .set = {"sm.lanes=stsimt4", "sm.scalar=all", "gpu.sms=1"},
			  .text = HEAD
			  ".reg .u32 %r<9>; .reg .u64 %d<4>; .reg .pred %p<4>;\n"
			  "ld.param.u64 %d1, [pout]; mov.u32 %r1, %tid.x;\n" /* scalar; */
			  "mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;\n"
			  "mov.u32 %r2, %ctaid.x; add.u32 %r3, %r2, 7;\n" /* both; */
			  "st.global.u32 [%d3], %r3; ret;\n}\n",
			  .kernel = "k",
			  .block = {32},
			  .bytes = 256};
	struct timed t = bench_run(&b);
	assert_int_equal(figure(&t, "code", "instructions"), 8);
	assert_in_range(figure(&t, "code", "scalar"), 3,
			4); /* the end of all threads is scalar too */
	timed_free(&t);
	b.set[1] = "sm.scalar=no";
	t = bench_run(&b);
	assert_int_equal(figure(&t, "code", "scalar"), 0);
	timed_free(&t);
}

/* ---- lanes that can issue ---- */

/* Four warps of arithmetic: four lanes have one each, and it never waits for long. Warps that wait
 * for each of their loads are resident equally long, and seldom able to issue. */
static void test_usable(void **state)
{
	(void)state;
	struct bench b = {
		.config = "stsimt",
		.set = {"sm.lanes=tsimt", "gpu.sms=1", "gpu.perfect_memory=yes", "l1i.sets=64"},
		.text = arithmetic(),
		.kernel = "k",
		.grid = {4},
		.block = {32},
		.n = {32},
		.bytes = 64};
	struct timed t = bench_run(&b);
	near((double)figure(&t, "lanes", "with_warps") / (double)t.cycles, 4, 0.03);
	near((double)figure(&t, "lanes", "usable") / (double)t.cycles, 4, 0.03);
	timed_free(&t);
	b.text = HEAD ".reg .u32 %r<9>; .reg .u64 %d<4>; .reg .pred %p<4>;\n"
		      "ld.param.u64 %d1, [pin]; mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
		      "L: ld.volatile.global.u32 %r3, [%d1]; add.u32 %r2, %r2, %r3;\n"
		      "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 100; @%p1 bra L;\nret;\n}\n";
	b.set[2] = NULL;
	b.in_bytes = 64;
	t = bench_run(&b);
	near((double)figure(&t, "lanes", "with_warps") / (double)t.cycles, 4, 0.1);
	double usable = (double)figure(&t, "lanes", "usable") / (double)t.cycles;
	if (usable < 0.2 || usable > 2)
		fail_msg("%.3f lanes of warps that wait for memory", usable);
	timed_free(&t);
}

/* ---- shared memory ---- */

/* Each thread of two warps reads a word of its own, all in one bank: a lane reads one per cycle, so
 * there is no conflict within a warp. If both warps use one bank, each cycle in which both read
 * costs one. */
static uint64_t shared_conflicts(unsigned bank, uint64_t *cycles)
{
	struct bench b = {
		.config = "stsimt",
		.set = {"sm.lanes=tsimt", "gpu.sms=1"},
		.text = HEAD
		".shared .u32 s[4096]; .reg .u32 %r<16>; .reg .u64 %d<4>; .reg .pred %p<4>;\n"
		"mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 31; shr.u32 %r2, %r0, 5; ld.param.u32 %r3, [n0];\n"
		"mul.lo.u32 %r2, %r2, %r3; mad.lo.u32 %r1, %r1, 64, %r2; shl.b32 %r1, %r1, 2;\n"
		"mov.u32 %r4, s; add.u32 %r1, %r1, %r4; mov.u32 %r5, 0;\n"
		"L: ld.shared.u32 %r6, [%r1]; ld.shared.u32 %r7, [%r1]; ld.shared.u32 %r8, [%r1];\n"
		"ld.shared.u32 %r9, [%r1]; ld.shared.u32 %r10, [%r1]; ld.shared.u32 %r11, [%r1];\n"
		"ld.shared.u32 %r12, [%r1]; ld.shared.u32 %r13, [%r1]; ld.shared.u32 %r14, [%r1];\n"
		"add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 50; @%p1 bra L;\n"
		/* all values are live until here, in separate registers */
		"add.u32 %r6, %r6, %r7; add.u32 %r8, %r8, %r9; add.u32 %r10, %r10, %r11; add.u32 %r12, %r12, %r13;\n"
		"add.u32 %r6, %r6, %r8; add.u32 %r10, %r10, %r12; add.u32 %r6, %r6, %r10; add.u32 %r6, %r6, %r14;\n"
		"ld.param.u64 %d1, [pout]; st.global.u32 [%d1], %r6; ret;\n}\n",
		.kernel = "k",
		.block = {64},
		.n = {bank},
		.bytes = 64};
	struct timed t = bench_run(&b);
	uint64_t n = figure(&t, "lanes", "shared_conflicts");
	*cycles = t.cycles;
	timed_free(&t);
	return n;
}

static void test_shared_between_lanes(void **state)
{
	uint64_t apart, together;
	(void)state;
	assert_int_equal(shared_conflicts(1, &apart), 0);
	uint64_t n = shared_conflicts(2048, &together);
	/* 2 x 50 x 9 loads of 32 words: 28800 cycles of one bank; a lane is busy for 50 x 12 x 32 =
	 * 19200 */
	if (n < 5000 || together < 28800 || apart > 24000)
		fail_msg("%llu conflicts, %llu cycles in place of %llu", (unsigned long long)n,
			 (unsigned long long)together, (unsigned long long)apart);
}

/* Cycles per iteration of 10 warps with 26 additions and 6 loads of shared memory each. All threads
 * of a warp read words of one bank, each warp of another bank. */
static double conflict_round(const char *lanes, const char *more)
{
	double cycles[2];
	for (unsigned i = 0; i < 2; i++) {
		char *s = text;
		s += sprintf(s,
			     HEAD
			     ".shared .u32 s[1024]; .reg .u32 %%r<64>; .reg .pred %%p;\n"
			     "mov.u32 %%r61, %%tid.x; and.b32 %%r60, %%r61, 31; shr.u32 %%r61, "
			     "%%r61, 5;\n"
			     "shl.b32 %%r60, %%r60, 5; add.u32 %%r60, %%r60, %%r61; shl.b32 "
			     "%%r60, %%r60, 2;\n"
			     "mov.u32 %%r61, s; add.u32 %%r60, %%r60, %%r61; mov.u32 %%r62, "
			     "%u;\nL:\n",
			     i ? 60 : 20);
		for (unsigned k = 0; k < 29; k++)
			s += k % 5 == 4 || k == 0
				     ? sprintf(s, "ld.shared.u32 %%r%u, [%%r60];\n", 31 + k % 29)
				     : sprintf(s, "add.u32 %%r%u, %%r61, %u;\n", 1 + k, k);
		sprintf(s, "sub.u32 %%r62, %%r62, 1; setp.ne.u32 %%p, %%r62, 0;\n"
			   "@%%p bra L; ret;\n}\n");
		run_text(lanes, 10 * 32, more, &cycles[i]);
	}
	return (cycles[1] - cycles[0]) / 40;
}

/* SIMT then reads one word per cycle: 10 x 6 x 32 cycles per iteration, which hide the additions.
 * Two lanes of four units read two words of different warps; each has five of the warps, whose
 * additions take 5 x 26 x 8 cycles. Lanes of one unit each have no conflicts; the two lanes with
 * two warps take 2 x 26 x 32, or 2 x 32 x 32 with one input register for all instructions. */
static void test_conflicts_within_a_warp(void **state)
{
	(void)state;
	near(conflict_round("sm.lanes=simt", NULL), 10 * 6 * 32, 0.01);
	near(conflict_round("sm.lanes=stsimt4", NULL), 5 * 26 * 8, 0.01);
	near(conflict_round("sm.lanes=tsimt", NULL), 2 * 26 * 32, 0.01);
	near(conflict_round("sm.lanes=tsimt", "temporal.register=lane"), 2 * 32 * 32, 0.06);
}

/* ---- refused options ---- */

static void refused(const char *const *set, const char *why)
{
	struct heddle *h;
	setenv("HEDDLE_CONF", "conf", 0);
	assert_int_equal(heddle_open(&h, &(struct heddle_options){.config = "stsimt",
								  .set = set,
								  .timing = true}),
			 HEDDLE_BAD_INPUT);
	if (!strstr(heddle_message(h), why))
		fail_msg("%s", heddle_message(h));
	heddle_close(h);
}
#define REFUSED(why, ...) refused((const char *const[]){__VA_ARGS__, NULL}, why)

static void test_refused(void **state)
{
	(void)state;
	REFUSED("each thread alone", "sm.lanes=tsimt", "sm.scalar=all", "sm.divergence=mimd");
	REFUSED("executes nothing once", "sm.scalar=all");
	REFUSED("no values of registers", "sm.lanes=tsimt", "sm.scalar=all",
		"sm.divergence=replay");
	REFUSED("a whole warp at a time", "sm.register_grain=thread");
	REFUSED("do not divide", "sm.lanes=temporal", "temporal.width=3");
	REFUSED("has no temporal lanes", "sm.lanes=simt", "temporal.register=lane");
	REFUSED("has no temporal lanes", "sm.lanes=simt-scalar", "temporal.placement=next");
	REFUSED("binds no warps", "sm.lanes=tsimt-free", "temporal.placement=next");
	REFUSED("binds no warps", "sm.lanes=temporal", "temporal.bind=no",
		"temporal.placement=next");
	REFUSED("cost least room", "sm.lanes=tsimt", "temporal.placement=next",
		"sm.register_grain=thread");
}

/* ---- the same results ---- */

static void test_random(void **state)
{
	static const char *const lanes[] = {"sm.lanes=tsimt", "sm.lanes=stsimt4",
					    "sm.lanes=tsimt-free", "sm.lanes=simt-scalar",
					    "sm.lanes=stsimt2"};
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct random_kernel k = {.warp_ops = seed & 1, .barriers = true, .size = 12};
		random_kernel_make(&k, seed);
		uint8_t *want = malloc(k.bytes), *got = malloc(k.bytes);
		struct bench b = {.text = k.text,
				  .kernel = "k",
				  .n = {k.grid[0]},
				  .bytes = k.bytes,
				  .out = want,
				  .functional = true};
		memcpy(b.grid, k.grid, sizeof b.grid);
		memcpy(b.block, k.block, sizeof b.block);
		struct timed t = bench_run(&b);
		timed_free(&t);
		b.functional = false;
		b.config = "stsimt";
		b.set[0] = lanes[seed % 5];
		b.set[1] = "gpu.sms=2";
		b.set[2] = "sm.registers=65536";
		b.set[3] = seed % 3 ? "sm.allocation=allocated" : "sm.allocation=virtual";
		b.set[4] = seed % 4 ? "sm.scalar=all" : "sm.scalar=no";
		if (seed % 5 != 3 && seed & 4) /* 3: no temporal lanes */
			b.set[5] = "temporal.register=lane";
		b.out = got;
		t = bench_run(&b);
		timed_free(&t);
		if (memcmp(want, got, k.bytes))
			fail_msg("seed %llu: memory differs", (unsigned long long)seed);
		free(want);
		free(got);
		free(k.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simt),
		cmocka_unit_test(test_tsimt),
		cmocka_unit_test(test_chaining),
		cmocka_unit_test(test_branch_waits_for_all),
		cmocka_unit_test(test_bundles),
		cmocka_unit_test(test_imbalance),
		cmocka_unit_test(test_one_register),
		cmocka_unit_test(test_placement),
		cmocka_unit_test(test_a_slow_unit_is_slow_for_each_thread),
		cmocka_unit_test(test_usable),
		cmocka_unit_test(test_shared_between_lanes),
		cmocka_unit_test(test_conflicts_within_a_warp),
		cmocka_unit_test(test_static_share),
		cmocka_unit_test(test_scalar),
		cmocka_unit_test(test_lanes_have_columns),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
