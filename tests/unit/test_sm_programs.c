/* Programs leave the same memory in timing mode as in functional mode, on any machine; figures add up and
 * do not depend on the number of host threads. */
#include <glob.h>
#include "timing.h"

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = calloc(1, 1 << 20);
	if (f) {
		if (!fread(text, 1, (1 << 20) - 1, f))
			text[0] = 0;
		fclose(f);
	}
	return text;
}

/* Machines: schedulers, pipelines, warp sizes, widths, cache and network shapes. */
static const struct {
	const char *config, *set[8];
	unsigned schedulers, warp;
} machine[] = {
	{"gtx480", {"gpu.sms=3", NULL}, 2, 32},
	{"gtx480", {"gpu.sms=2", "sm.scheduler=gto", "sm.issue_width=2", "gpu.perfect_memory=yes", NULL}, 2, 32},
	{"gtx480", {"gpu.sms=2", "sm.scheduler=two-level", "sm.scheduler_active=3", "icnt.kind=ideal", NULL}, 2, 32},
	{"gtx480", {"gpu.sms=2", "sm.scheduler=oldest", "sm.schedulers=4", "l1d.kind=off", "l2.kind=off", NULL}, 4, 32},
	{"gtx480", {"gpu.sms=2", "gpu.warp_size=64", "sm.simd_width=16", NULL}, 2, 64},
	{"gtx480", {"gpu.sms=2", "gpu.warp_size=8", "sm.simd_width=4", "sm.max_warps=128", "sm.scheduler=majority", NULL}, 2, 8},
	{"gtx480", {"gpu.sms=2", "gpu.warp_size=33", "sm.simd_width=11", NULL}, 2, 33},
	{"gtx480", {"gpu.sms=1", "gpu.warp_size=1", "sm.simd_width=1", "sm.max_warps=128", NULL}, 2, 1},
	{"hws", {"gpu.sms=2", NULL}, 1, 32},
	{"hws", {"gpu.sms=2", "gpu.perfect_memory=no", NULL}, 1, 32},
	{"stsimt", {"gpu.sms=2", NULL}, 1, 32},
	{"quadro-fx5800", {"gpu.sms=2", NULL}, 1, 32},
	{"tesla-c2050", {"gpu.sms=2", "l1d.kind=wb", NULL}, 2, 32},
};
enum { MACHINES = sizeof machine / sizeof *machine };

static bool warp_wide(const char *text)
{
	static const char *const word[] = {"shfl", "vote", "match.", "activemask", "redux", "laneid", "lanemask", "WARP_SZ", "bar.warp"};
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		if (strstr(text, word[i]))
			return true;
	return false;
}

static void compare(struct bench *b, unsigned m, const char *what)
{
	uint8_t *want = malloc(b->bytes), *got = malloc(b->bytes);
	b->functional = true;
	b->out = want;
	struct timed f = bench_run(b);
	b->functional = false;
	b->config = machine[m].config;
	memcpy(b->set, machine[m].set, sizeof machine[m].set);
	b->out = got;
	struct timed t = bench_run(b);
	for (size_t i = 0; i < b->bytes; i++)
		if (want[i] != got[i])
			fail_msg("%s on machine %u (%s): byte %zu is %#x, functionally %#x", what, m, machine[m].config, i, got[i],
				 want[i]);
	assert_slots_add_up(&t, machine[m].schedulers);
	assert_true(t.cycles > 0);
	if (machine[m].warp == 32)
		assert_int_equal(figure(&t, "issue", "issued") > 0, 1);
	assert_int_equal(figure(&t, "sm", "warp_instructions"), t.warp_instructions);
	timed_free(&f);
	timed_free(&t);
	free(want);
	free(got);
}

static void kernels_of_the_compilers(void **state)
{
	(void)state;
	glob_t g;
	uint32_t in[1024];
	FILE *f = fopen("tests/kernels/input.bin", "rb");
	assert_non_null(f);
	assert_int_equal(fread(in, 4, 1024, f), 1024);
	fclose(f);
	assert_int_equal(glob("tests/kernels/*.ptx", 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		char name[64], *text = read_text(g.gl_pathv[i]);
		const char *base = strrchr(g.gl_pathv[i], '/') + 1;
		snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
		for (unsigned k = 0; k < 2; k++) { /* two machines each, in turn */
			unsigned m = (unsigned)(i * 2 + k) % MACHINES;
			if (machine[m].warp != 32 && machine[m].warp != 64 && warp_wide(text))
				continue;
			struct bench b = {.text = text, .kernel = name, .grid = {8}, .block = {128}, .in = in,
			                  .in_bytes = sizeof in, .bytes = sizeof in, .n = {1024}};
			compare(&b, m, g.gl_pathv[i]);
		}
		free(text);
	}
	globfree(&g);
}

/* Divergence in loops, barriers, shared memory, calls with recursion, global atomics with results. */
static const char mix[] =
	".version 6.4\n.target sm_70\n.address_size 64\n"
	".func (.param .u32 r) fib(.param .u32 a)\n{\n.reg .u32 %x<8>; .reg .pred %p;\n"
	"ld.param.u32 %x1, [a];\nsetp.lt.u32 %p, %x1, 2;\n@%p bra L1;\n"
	"sub.u32 %x2, %x1, 1;\n{.param .u32 i; .param .u32 o; st.param.u32 [i], %x2; call (o), fib, (i);"
	" ld.param.u32 %x3, [o];}\nsub.u32 %x2, %x1, 2;\n"
	"{.param .u32 i; .param .u32 o; st.param.u32 [i], %x2; call (o), fib, (i); ld.param.u32 %x4, [o];}\n"
	"add.u32 %x1, %x3, %x4;\nL1: st.param.u32 [r], %x1;\nret;\n}\n"
	".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param .u32 n1)\n{\n"
	".reg .u32 %r<20>; .reg .u64 %d<8>; .reg .pred %p<4>; .shared .b32 s[256];\n"
	"ld.param.u64 %d1, [pout];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
	"mad.lo.u32 %r4, %r2, %r3, %r1;\nmul.wide.u32 %d2, %r4, 4;\nadd.u64 %d2, %d1, %d2;\n"
	"mov.u32 %r5, s;\nshl.b32 %r6, %r1, 2;\nadd.u32 %r6, %r5, %r6;\n"
	/* a divergent loop: collatz steps */
	"add.u32 %r7, %r4, 1;\nmov.u32 %r8, 0;\n"
	"LOOP: setp.eq.u32 %p1, %r7, 1;\n@%p1 bra DONE;\nand.b32 %r9, %r7, 1;\nsetp.eq.u32 %p2, %r9, 0;\n@%p2 bra EVEN;\n"
	"mad.lo.u32 %r7, %r7, 3, 1;\nbra NEXT;\nEVEN: shr.u32 %r7, %r7, 1;\nNEXT: add.u32 %r8, %r8, 1;\nbra LOOP;\nDONE:\n"
	/* neighbours exchange through shared memory, guarded lanes leave early */
	"st.shared.u32 [%r6], %r8;\nbar.sync 0;\nxor.b32 %r10, %r1, 1;\nshl.b32 %r10, %r10, 2;\nadd.u32 %r10, %r5, %r10;\n"
	"ld.shared.u32 %r11, [%r10];\nbar.sync 0;\n"
	"rem.u32 %r12, %r4, 7;\n"
	"{.param .u32 i; .param .u32 o; st.param.u32 [i], %r12; call (o), fib, (i); ld.param.u32 %r13, [o];}\n"
	"mad.lo.u32 %r13, %r13, 1000, %r11;\nst.global.u32 [%d2], %r13;\n"
	/* a count of all threads, whose total every thread adds to; the sum of old values is n(n-1)/2 */
	"ld.param.u32 %r14, [n0];\nmul.wide.u32 %d3, %r14, 4;\nadd.u64 %d3, %d1, %d3;\n"
	"atom.global.add.u32 %r15, [%d3], 1;\nred.global.add.u32 [%d3+4], %r15;\n"
	"setp.gt.u32 %p3, %r12, 3;\n@%p3 exit;\n"
	"atom.global.max.u32 %r16, [%d3+8], %r4;\n"
	/* the ordered store of one's own word is seen by the load after it */
	"ld.volatile.global.u32 %r17, [%d2];\nadd.u32 %r17, %r17, 5;\nst.volatile.global.u32 [%d2], %r17;\n"
	"ld.global.u32 %r18, [%d2];\nadd.u32 %r18, %r18, 1;\nst.global.u32 [%d2], %r18;\nret;\n}\n";

static void mixed_program_on_all_machines(void **state)
{
	(void)state;
	for (unsigned m = 0; m < MACHINES; m++) {
		enum { N = 12 * 96 };
		struct bench b = {.text = mix, .kernel = "k", .grid = {12}, .block = {96}, .bytes = (N + 16) * 4, .n = {N}};
		if (machine[m].warp == 1)
			b.block[0] = 48; /* no more than 128 warps */
		b.n[0] = b.grid[0] * b.block[0];
		compare(&b, m, "mix");
	}
}

/* A spin lock that lanes of one warp fight for; a barrier through global memory between blocks. */
static const char locks[] =
	".version 6.4\n.target sm_70\n.address_size 64\n"
	".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param .u32 n1)\n{\n"
	".reg .u32 %r<20>; .reg .u64 %d<8>; .reg .pred %p<4>;\n"
	"ld.param.u64 %d1, [pout];\n"
	"AGAIN: atom.global.cas.b32 %r1, [%d1], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra AGAIN;\n"
	"ld.volatile.global.u32 %r2, [%d1+4];\nadd.u32 %r2, %r2, 1;\nst.volatile.global.u32 [%d1+4], %r2;\n"
	"membar.gl;\natom.global.exch.b32 %r3, [%d1], 0;\n"
	"mov.u32 %r4, %tid.x;\nsetp.ne.u32 %p2, %r4, 0;\nbar.sync 0;\n@%p2 bra END;\n"
	"atom.global.add.u32 %r5, [%d1+8], 1;\nmov.u32 %r6, %nctaid.x;\n"
	"WAIT: ld.volatile.global.u32 %r7, [%d1+8];\nsetp.lt.u32 %p3, %r7, %r6;\n@%p3 bra WAIT;\n"
	"red.global.add.u32 [%d1+12], 1;\nEND: ret;\n}\n";

static void lanes_and_blocks_wait_for_each_other(void **state)
{
	(void)state;
	for (unsigned m = 0; m < MACHINES; m++) {
		uint32_t out[4];
		struct bench b = {.text = locks, .kernel = "k", .grid = {3}, .block = {12}, .bytes = sizeof out, .out = out,
		                  .config = machine[m].config, .max_cycles = 20000000};
		memcpy(b.set, machine[m].set, sizeof machine[m].set);
		struct timed t = bench_run(&b);
		const uint32_t want[] = {0, 36, 3, 3};
		assert_memory_equal(out, want, sizeof out);
		timed_free(&t);
	}
}

static void the_same_with_two_threads(void **state)
{
	(void)state;
	for (unsigned m = 0; m < MACHINES; m++) {
		char *text[2];
		uint32_t out[2][12 * 48 + 16];
		for (unsigned k = 0; k < 2; k++) {
			struct bench b = {.text = mix, .kernel = "k", .grid = {12}, .block = {48}, .bytes = sizeof out[k], .out = out[k],
			                  .n = {12 * 48}, .threads = k + 1, .config = machine[m].config};
			memcpy(b.set, machine[m].set, sizeof machine[m].set);
			struct timed t = bench_run(&b);
			json_object_del(t.launch, "wall_seconds");
			text[k] = json_dumps(t.launch, JSON_SORT_KEYS);
			timed_free(&t);
		}
		assert_string_equal(text[0], text[1]);
		assert_memory_equal(out[0], out[1], sizeof out[0]);
		free(text[0]);
		free(text[1]);
	}
}

static void limits_of_occupancy(void **state)
{
	(void)state;
	static const struct {
		const char *set;
		unsigned block, shared, want;
	} c[] = {
		{"sm.max_blocks=8", 32, 0, 8},               /* block slots */
		{"sm.max_blocks=16", 256, 0, 6},             /* 1536 threads */
		{"sm.max_warps=20", 128, 0, 5},              /* warps */
		{"sm.max_blocks=64", 32, 5000, 9},           /* 49152 bytes in units of 128: 5120 */
		{"sm.registers=4096", 64, 0, 8},
	};
	static const char text[] = HEAD ".reg .u32 %r<4>; mov.u32 %r1, %tid.x;\nret;\n}\n";
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		struct bench b = {.text = text, .kernel = "k", .grid = {4}, .block = {c[i].block}, .shared = c[i].shared,
		                  .set = {c[i].set, "gpu.perfect_memory=yes"}};
		struct timed t = bench_run(&b);
		assert_int_equal(json_integer_value(json_object_get(t.launch, "blocks_per_sm")), c[i].want);
		timed_free(&t);
	}
}

static void what_cannot_run_is_said(void **state)
{
	(void)state;
	static const char spin[] = HEAD "L: bra L;\n}\n";
	struct bench b = {.text = spin, .kernel = "k", .max_cycles = 1000, .want = HEDDLE_LIMIT, .set = {"gpu.sms=1"}};
	struct timed t = bench_run(&b);
	assert_non_null(strstr(b.message, "1000 cycles"));
	timed_free(&t);
	struct bench big = {.text = spin, .kernel = "k", .block = {1024}, .want = HEDDLE_INVALID, .set = {"sm.max_threads=512"}};
	t = bench_run(&big);
	assert_non_null(strstr(big.message, "512"));
	static const char fault[] = HEAD ".reg .u32 %r<3>; .reg .u64 %d<3>; mov.u64 %d1, 16; ld.global.u32 %r1, [%d1];\nret;\n}\n";
	struct bench bad = {.text = fault, .kernel = "k", .want = HEDDLE_FAULT, .set = {"gpu.sms=1"}};
	t = bench_run(&bad);
	assert_non_null(strstr(bad.message, "outside any allocation"));
	timed_free(&t);
	static const char half[] = HEAD ".reg .u32 %r<3>; .reg .pred %p; mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 32;\n"
		"@%p bra B; bar.sync 1; bra E;\nB: bar.sync 0;\nE: ret;\n}\n";
	struct bench bar = {.text = half, .kernel = "k", .block = {64}, .want = HEDDLE_FAULT, .set = {"gpu.sms=1"}};
	t = bench_run(&bar);
	assert_non_null(strstr(bar.message, "can never fill"));
	timed_free(&t);
}

/* Launches of one GPU: each has figures of its own; one that fails leaves nothing behind. */
static void launches_follow_each_other(void **state)
{
	(void)state;
	static const char text[] = HEAD
		".reg .u32 %r<4>; .reg .u64 %d<4>; .reg .pred %p; ld.param.u64 %d1, [pout]; ld.param.u32 %r3, [n0];\n"
		"mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d1, %d2; ld.global.u32 %r2, [%d2];\n"
		"add.u32 %r2, %r2, 1; st.global.u32 [%d2], %r2; setp.ne.u32 %p, %r3, 0; @%p trap;\nret;\n}\n";
	struct heddle *h;
	struct heddle_module *m;
	uint32_t out[64];
	struct {
		uint64_t in, out;
		uint32_t n[2];
	} params = {0};
	setenv("HEDDLE_CONF", "conf", 0);
	assert_int_equal(heddle_open(&h, &(struct heddle_options){.config = "gtx480", .timing = true}), HEDDLE_OK);
	assert_int_equal(heddle_load(h, &(struct heddle_text){"t.ptx", text, sizeof text - 1}, 1, &m), HEDDLE_OK);
	assert_int_equal(heddle_malloc(h, sizeof out, &params.out), HEDDLE_OK);
	struct heddle_launch l = {.kernel = heddle_kernel_at(m, 0), .grid = {1, 1, 1}, .block = {64, 1, 1}, .params = &params};
	for (unsigned i = 0; i < 4; i++) {
		params.n[0] = i == 1;
		assert_int_equal(heddle_launch(h, &l), i == 1 ? HEDDLE_FAULT : HEDDLE_OK);
	}
	assert_int_equal(heddle_read(h, out, params.out, sizeof out), HEDDLE_OK);
	for (unsigned i = 0; i < 64; i++)
		assert_in_range(out[i], 3, 4); /* the one that trapped may have come that far */
	assert_int_equal(heddle_stats_count(h), 4);
	/* The third has an empty machine, as the first; the fourth finds data in the L2. */
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
		cmocka_unit_test(kernels_of_the_compilers),
		cmocka_unit_test(mixed_program_on_all_machines),
		cmocka_unit_test(lanes_and_blocks_wait_for_each_other),
		cmocka_unit_test(the_same_with_two_threads),
		cmocka_unit_test(limits_of_occupancy),
		cmocka_unit_test(what_cannot_run_is_said),
		cmocka_unit_test(launches_follow_each_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
