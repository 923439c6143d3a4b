/* Programs leave equal memory in timing mode and in functional mode on any machine; figures are
 * consistent and independent of the number of host threads. */
#include "forms.h"

static void mixed_program_on_all_machines(void **state)
{
	(void)state;
	for (unsigned m = 0; m < COUNT_OF(plain_machine); m++)
		run_mix(&plain_machine[m]);
}

static void lanes_and_blocks_wait_for_each_other(void **state)
{
	(void)state;
	for (unsigned m = 0; m < COUNT_OF(plain_machine); m++) {
		run_locks(&plain_machine[m]);
		run_crossed(&plain_machine[m]);
	}
}

static void the_same_with_two_threads(void **state)
{
	(void)state;
	for (unsigned m = 0; m < COUNT_OF(plain_machine); m++)
		same_with_two_threads(&plain_machine[m]);
}

static void limits_of_occupancy(void **state)
{
	(void)state;
	static const struct {
		const char *set;
		unsigned block, shared, want;
	} c[] = {
		{"sm.max_blocks=8", 32, 0, 8},     /* block slots */
		{"sm.max_blocks=16", 256, 0, 6},   /* 1536 threads */
		{"sm.max_warps=20", 128, 0, 5},    /* warps */
		{"sm.max_blocks=64", 32, 5000, 9}, /* 49152 bytes in units of 128: 5120 */
		{"sm.registers=4096", 64, 0, 8},
	};
	static const char text[] = HEAD ".reg .u32 %r<4>; mov.u32 %r1, %tid.x;\nret;\n}\n";
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		struct bench b = {.text = text,
				  .kernel = "k",
				  .grid = {4},
				  .block = {c[i].block},
				  .shared = c[i].shared,
				  .set = {c[i].set, "gpu.perfect_memory=yes"}};
		struct timed t = bench_run(&b);
		assert_int_equal(json_integer_value(json_object_get(t.launch, "blocks_per_sm")),
				 c[i].want);
		timed_free(&t);
	}
}

/* If registers belong to lanes, warps that fill them exactly fit: 32 times 32 registers are half of
 * a lane's 2048. heddle_fits() agrees before a launch. */
static void registers_to_the_last(void **state)
{
	(void)state;
	static const char text[] = HEAD ".reg .u32 %r<4>; mov.u32 %r1, %tid.x;\nret;\n}\n";
	static const struct {
		const char *config, *lanes;
		unsigned block, want;
	} c[] = {
		{"stsimt", "sm.lanes=tsimt", 32, 16},
		{"stsimt", "sm.lanes=tsimt", 64, 8},
		{"gtx480", "sm.lanes=simt", 64, 16},
	};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		struct bench b = {.text = text,
				  .kernel = "k",
				  .grid = {64},
				  .block = {c[i].block},
				  .config = c[i].config,
				  .set = {c[i].lanes, "gpu.sms=1", "sm.registers_per_thread=32",
					  "sm.max_blocks=32", "sm.max_warps=32"}};
		struct timed t = bench_run(&b);
		assert_int_equal(json_integer_value(json_object_get(t.launch, "blocks_per_sm")),
				 c[i].want);
		assert_int_equal(figure(&t, "block", "most_blocks"), c[i].want);
		timed_free(&t);
		struct heddle *h;
		struct heddle_options o = {.config = c[i].config, .set = b.set, .timing = true};
		assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
		assert_int_equal(heddle_occupancy(h, c[i].block, 32, 0), c[i].want);
		heddle_close(h);
	}
}

/* A call by address may reach every function whose address is taken, so a thread gets registers for
 * the largest of them. */
static void registers_of_a_call_by_address(void **state)
{
	(void)state;
	enum { VALUES = 48 };
	int64_t regs[2];
	for (unsigned by = 0; by < 2; by++) {
		static char text[16384];
		char *s = text;
		s += sprintf(s, ".version 6.4\n.target sm_70\n.address_size 64\n");
		for (unsigned f = 0; f < 3; f++) {
			unsigned n = f == 1 ? VALUES : 2;
			s += sprintf(
				s,
				".func (.param .u32 r) f%u(.param .u32 x)\n{\n.reg .u32 %%v<%u>;\n"
				"ld.param.u32 %%v0, [x];\n",
				f, VALUES + 1);
			for (unsigned i = 1; i <= n; i++)
				s += sprintf(s, "mul.lo.u32 %%v%u, %%v0, %u;\n", i, i + 2);
			for (unsigned i = n; i > 0; i--)
				s += sprintf(s, "xor.b32 %%v0, %%v0, %%v%u;\n", i);
			s += sprintf(s, "st.param.u32 [r], %%v0; ret;\n}\n");
		}
		sprintf(s,
			".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param .u32 n1)\n{\n"
			".reg .u32 %%r<4>; .reg .u64 %%d<6>; .param .u32 a; .param .u32 b;\n"
			"mov.u64 %%d1, f0; mov.u64 %%d2, f1; mov.u64 %%d3, f2; ld.param.u64 %%d4, [pin];\n"
			"P: .callprototype (.param .u32 _) _ (.param .u32 _);\n"
			"st.param.u32 [a], 5; call (b), %s; ld.param.u32 %%r1, [b];\n"
			"xor.b64 %%d1, %%d1, %%d2; xor.b64 %%d1, %%d1, %%d3; st.global.u64 [%%d4], %%d1;\n"
			"st.global.u32 [%%d4+8], %%r1; ret;\n}\n",
			by ? "%d2, (a), P" : "f1, (a)");
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {32},
				  .in_bytes = 64,
				  .set = {"gpu.sms=1"}};
		struct timed t = bench_run(&b);
		regs[by] = json_integer_value(json_object_get(t.launch, "registers"));
		timed_free(&t);
	}
	assert_true(regs[0] >= VALUES);
	assert_int_equal(regs[1], regs[0]);
}

static void what_cannot_run_is_said(void **state)
{
	(void)state;
	static const char spin[] = HEAD "L: bra L;\n}\n";
	struct bench b = {.text = spin,
			  .kernel = "k",
			  .max_cycles = 1000,
			  .want = HEDDLE_LIMIT,
			  .set = {"gpu.sms=1"}};
	struct timed t = bench_run(&b);
	assert_non_null(strstr(b.message, "1000 cycles"));
	timed_free(&t);
	struct bench big = {.text = spin,
			    .kernel = "k",
			    .block = {1024},
			    .want = HEDDLE_INVALID,
			    .set = {"sm.max_threads=512"}};
	t = bench_run(&big);
	assert_non_null(strstr(big.message, "512"));
	static const char fault[] = HEAD ".reg .u32 %r<3>; .reg .u64 %d<3>; mov.u64 %d1, 16; "
					 "ld.global.u32 %r1, [%d1];\nret;\n}\n";
	struct bench bad = {
		.text = fault, .kernel = "k", .want = HEDDLE_FAULT, .set = {"gpu.sms=1"}};
	t = bench_run(&bad);
	assert_non_null(strstr(bad.message, "outside any allocation"));
	timed_free(&t);
	static const char half[] = HEAD
		".reg .u32 %r<3>; .reg .pred %p; mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 32;\n"
		"@%p bra B; bar.sync 1; bra E;\nB: bar.sync 0;\nE: ret;\n}\n";
	struct bench bar = {.text = half,
			    .kernel = "k",
			    .block = {64},
			    .want = HEDDLE_FAULT,
			    .set = {"gpu.sms=1"}};
	t = bench_run(&bar);
	assert_non_null(strstr(bar.message, "can never fill"));
	timed_free(&t);
}

/* Successive launches on one GPU: each has figures of its own, and a failed launch leaves nothing
 * behind. */
static void launches_follow_each_other(void **state)
{
	(void)state;
	static const char text[] = HEAD ".reg .u32 %r<4>; .reg .u64 %d<4>; .reg .pred %p; "
					"ld.param.u64 %d1, [pout]; ld.param.u32 %r3, [n0];\n"
					"mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 "
					"%d2, %d1, %d2; ld.global.u32 %r2, [%d2];\n"
					"add.u32 %r2, %r2, 1; st.global.u32 [%d2], %r2; "
					"setp.ne.u32 %p, %r3, 0; @%p trap;\nret;\n}\n";
	struct heddle *h;
	struct heddle_module *m;
	uint32_t out[64];
	struct {
		uint64_t in, out;
		uint32_t n[2];
	} params = {0};
	setenv("HEDDLE_CONF", "conf", 0);
	assert_int_equal(
		heddle_open(&h, &(struct heddle_options){.config = "gtx480", .timing = true}),
		HEDDLE_OK);
	assert_int_equal(
		heddle_load(h, &(struct heddle_text){"t.ptx", text, sizeof text - 1}, 1, &m),
		HEDDLE_OK);
	assert_int_equal(heddle_malloc(h, sizeof out, &params.out), HEDDLE_OK);
	struct heddle_launch l = {.kernel = heddle_kernel_at(m, 0),
				  .grid = {1, 1, 1},
				  .block = {64, 1, 1},
				  .params = &params};
	for (unsigned i = 0; i < 4; i++) {
		params.n[0] = i == 1;
		assert_int_equal(heddle_launch(h, &l), i == 1 ? HEDDLE_FAULT : HEDDLE_OK);
	}
	assert_int_equal(heddle_read(h, out, params.out, sizeof out), HEDDLE_OK);
	for (unsigned i = 0; i < 64; i++)
		assert_in_range(out[i], 3, 4); /* the trapping thread may have come that far */
	assert_int_equal(heddle_stats_count(h), 4);
	/* The third launch starts with an empty machine, like the first; the fourth finds data in
	 * the L2. */
	assert_int_equal(heddle_stats_at(h, 0)->cycles, heddle_stats_at(h, 2)->cycles);
	assert_true(heddle_stats_at(h, 3)->cycles < heddle_stats_at(h, 2)->cycles);
	char *json = heddle_stats_json(h);
	json_t *all = json_loads(json, 0, NULL), *list = json_object_get(all, "launches");
	json_t *l2 = json_object_get(json_object_get(json_array_get(list, 3), "timing"), "l2");
	assert_int_equal(json_integer_value(json_object_get(l2, "read_misses")), 0);
	assert_true(json_integer_value(json_object_get(l2, "reads")) > 0);
	json_decref(all);
	free(json);
	heddle_close(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mixed_program_on_all_machines),
		cmocka_unit_test(lanes_and_blocks_wait_for_each_other),
		cmocka_unit_test(the_same_with_two_threads),
		cmocka_unit_test(limits_of_occupancy),
		cmocka_unit_test(registers_to_the_last),
		cmocka_unit_test(registers_of_a_call_by_address),
		cmocka_unit_test(what_cannot_run_is_said),
		cmocka_unit_test(launches_follow_each_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
