/* Addresses of local memory and code, the order of a warp's accesses, and what a launch leaves in
 * an SM's caches: the rules of gtx480-700 compared with those of other machines, by counts of
 * hits. */
#include "timing.h"

static struct timed run(const char *text, uint32_t threads, const char *const *set)
{
	static const uint32_t zeros[512];
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {threads},
			  .config = "gtx480-700",
			  .in = zeros,
			  .in_bytes = sizeof zeros};
	for (unsigned i = 0; set[i]; i++)
		b.set[i] = set[i];
	return bench_run(&b);
}

/* Two lanes, two lines, a cache of one line: the line read last stays. The following load reads
 * lane 0's line, the lower one. */
static void accesses_go_from_the_highest_address_down(void **state)
{
	(void)state;
	static const char text[] = HEAD
		".reg .u32 %r<4>; .reg .u64 %d<4>; ld.param.u64 %d1, [pin]; mov.u32 %r1, %tid.x;\n"
		"mul.wide.u32 %d2, %r1, 128; add.u64 %d2, %d1, %d2; ld.global.u32 %r2, [%d2]; cvt.u64.u32 %d3, %r2;\n"
		"add.u64 %d1, %d1, %d3; ld.global.u32 %r3, [%d1];\nret;\n}\n";
	for (unsigned down = 0; down < 2; down++) {
		const char *set[] = {"gpu.sms=1",
				     "l1d.sets=1",
				     "l1d.ways=1",
				     "l1d.hash=linear",
				     down ? "sm.quirks=+accesses-down" : "sm.quirks=-accesses-down",
				     NULL};
		struct timed t = run(text, 2, set);
		assert_int_equal(figure(&t, "l1d", "accesses"), 3);
		assert_int_equal(figure(&t, "l1d", "hits"), down);
		timed_free(&t);
	}
}

/* A block of one warp, one SM with one block. In block order a thread's words are 32 words apart
 * (one line), so words 0 and 1 fall into the two sets of this cache, also if warps of the SM are
 * granted to a single block. In thread order they are 48 lines apart and share a set; likewise if
 * blocks arrive warp by warp, because parts of two blocks may then be resident. */
static void words_of_local_memory_lie_by_blocks(void **state)
{
	(void)state;
	static const char text[] = HEAD
		".local .align 4 .b8 a[64]; .reg .u32 %r<8>; .reg .u64 %d<4>; ld.local.u32 %r1, [a]; and.b32 %r1, %r1, 0;\n"
		"cvt.u64.u32 %d1, %r1; mov.u64 %d2, a; add.u64 %d1, %d1, %d2; ld.local.u32 %r2, [%d1 + 4];\n"
		"and.b32 %r2, %r2, 0; cvt.u64.u32 %d3, %r2; add.u64 %d1, %d1, %d3; ld.local.u32 %r3, [%d1];\nret;\n}\n";
	static const struct {
		const char *layout, *room, *dispatch;
		unsigned hits;
	} line[] = {
		{"sm.quirks=-local-by-block", "sm.max_blocks=1", "gpu.dispatch=block", 0},
		{"sm.quirks=+local-by-block", "sm.max_blocks=1", "gpu.dispatch=block", 1},
		{"sm.quirks=+local-by-block", "sm.max_warps=1", "gpu.dispatch=block", 1},
		{"sm.quirks=+local-by-block", "sm.max_blocks=2", "gpu.dispatch=warp", 0},
	};
	for (unsigned i = 0; i < sizeof line / sizeof *line; i++) {
		/* clang-format off */
		const char *set[] = {"gpu.sms=1", line[i].room, "l1d.sets=2", "l1d.ways=1", "l1d.hash=linear",
		                     line[i].layout, line[i].dispatch, NULL};
		/* clang-format on */
		struct timed t = run(text, 32, set);
		assert_int_equal(figure(&t, "l1d", "accesses"), 3);
		assert_int_equal(figure(&t, "l1d", "hits"), line[i].hits);
		timed_free(&t);
	}
}

/* Runs the kernels `a` and `b` of a text, one warp each; returns the figures of the second launch,
 * which the caller frees. */
static struct timed after_another(const char *text, const char *const *set, json_t **all)
{
	struct heddle *h;
	struct heddle_module *m;
	setenv("HEDDLE_CONF", "conf", 0);
	assert_int_equal(heddle_open(&h, &(struct heddle_options){.config = "gtx480-700",
								  .set = set,
								  .timing = true}),
			 HEDDLE_OK);
	if (heddle_load(h, &(struct heddle_text){"t.ptx", text, strlen(text)}, 1, &m))
		fail_msg("%s", heddle_message(h));
	uint64_t n;
	assert_int_equal(heddle_malloc(h, 4096, &n), HEDDLE_OK);
	for (unsigned k = 0; k < 2; k++) {
		struct heddle_launch l = {.kernel = heddle_kernel_find(m, k ? "b" : "a"),
					  .grid = {1, 1, 1},
					  .block = {32, 1, 1},
					  .params = &n};
		if (heddle_launch(h, &l))
			fail_msg("%s", heddle_message(h));
	}
	char *stats = heddle_stats_json(h);
	*all = json_loads(stats, 0, NULL);
	free(stats);
	heddle_close(h);
	return (struct timed){.launch = json_array_get(json_object_get(*all, "launches"), 1)};
}

/* Two kernels with one parameter and two instructions each, `a` first: cache misses of the second
 * launch. */
static void second_launch(const char *const *set, uint64_t *l1c_misses, uint64_t *l1i_misses)
{
	static const char text[] =
		".version 6.4\n.target sm_70\n.address_size 64\n"
		".visible .entry a(.param .u64 n)\n{\n.reg .u64 %r<2>; ld.param.u64 %r1, [n]; ret;\n}\n"
		".visible .entry b(.param .u64 n)\n{\n.reg .u64 %r<2>; ld.param.u64 %r1, [n]; ret;\n}\n";
	json_t *all;
	struct timed t = after_another(text, set, &all);
	*l1c_misses = figure(&t, "l1c", "misses");
	*l1i_misses = figure(&t, "l1i", "misses");
	json_decref(all);
}

static void a_launch_drops_the_l1d_alone(void **state)
{
	(void)state;
	for (unsigned l1d = 0; l1d < 2; l1d++) {
		const char *set[] = {"gpu.sms=1",
				     l1d ? "sm.quirks=+launch-keeps-caches"
					 : "sm.quirks=-launch-keeps-caches",
				     NULL};
		uint64_t c, i;
		second_launch(set, &c, &i);
		assert_int_equal(c,
				 !l1d); /* parameters lie at the addresses of the first launch's */
	}
}

static void kernels_of_a_module_share_lines_of_code(void **state)
{
	(void)state;
	for (unsigned module = 0; module < 2; module++) {
		const char *set[] = {"gpu.sms=1",
				     module ? "sm.quirks=+module-code" : "sm.quirks=-module-code",
				     NULL};
		uint64_t c, i;
		second_launch(set, &c, &i);
		assert_int_equal(i,
				 !module); /* four instructions of eight bytes: one line of 128 */
	}
}

/* A write-back cache of one line: the second store evicts the first store's line after the kernel's
 * warps have ended. The line leaves before the next launch, in whichever cycle of a window that
 * happens. */
static void victims_leave_before_the_next_launch(void **state)
{
	(void)state;
	static const char *const set[] = {"gpu.sms=1",  "l1d.kind=wb",     "l1d.sets=1",
					  "l1d.ways=1", "l1d.hash=linear", "l1d.latency=0",
					  NULL};
	for (unsigned delay = 0; delay < 32; delay++) {
		char text[4096], wait[1024] = "";
		for (unsigned i = 0; i < delay; i++)
			strcat(wait, "add.u32 %r1, %r2, 1;\n");
		snprintf(
			text, sizeof text,
			".version 6.4\n.target sm_70\n.address_size 64\n"
			".visible .entry a(.param .u64 n)\n{\n.reg .u64 %%d; .reg .u32 %%r<3>; ld.param.u64 %%d, [n];\n"
			"%sst.global.u32 [%%d], 1; st.global.u32 [%%d+1024], 1; ret;\n}\n"
			".visible .entry b(.param .u64 n)\n{\n.reg .u32 %%r; .reg .pred %%p; mov.u32 %%r, 100;\n"
			"L: sub.u32 %%r, %%r, 1; setp.ne.u32 %%p, %%r, 0; @%%p bra L; ret;\n}\n",
			wait);
		json_t *all;
		struct timed b = after_another(text, set, &all),
			     a = {.launch = json_array_get(json_object_get(all, "launches"), 0)};
		assert_int_equal(figure(&a, "l1d", "write_backs"), 1);
		assert_int_equal(figure(&b, "l2", "writes"), 0);
		json_decref(all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_go_from_the_highest_address_down),
		cmocka_unit_test(words_of_local_memory_lie_by_blocks),
		cmocka_unit_test(a_launch_drops_the_l1d_alone),
		cmocka_unit_test(victims_leave_before_the_next_launch),
		cmocka_unit_test(kernels_of_a_module_share_lines_of_code),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
