/* Programs shared by tests of the timing model: their final memory does not depend on the
 * machine. */
#ifndef TESTS_PROGRAMS_H
#define TESTS_PROGRAMS_H
#include <glob.h>
#include "timing.h"

struct test_machine {
	const char *config, *set[10];
	unsigned schedulers, warp;
};

static inline char *read_text(const char *path)
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

static inline bool warp_wide(const char *text)
{
	static const char *const word[] = {"shfl",   "vote",     "match.",  "activemask", "redux",
					   "laneid", "lanemask", "WARP_SZ", "bar.warp"};
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		if (strstr(text, word[i]))
			return true;
	return false;
}

/* Divergence in loops, barriers, shared memory, calls with recursion, global atomics with
 * results. */
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
	/* neighbours exchange values through shared memory; lanes whose guard is false leave
	 * early */
	"st.shared.u32 [%r6], %r8;\nbar.sync 0;\nxor.b32 %r10, %r1, 1;\nshl.b32 %r10, %r10, 2;\nadd.u32 %r10, %r5, %r10;\n"
	"ld.shared.u32 %r11, [%r10];\nbar.sync 0;\n"
	"rem.u32 %r12, %r4, 7;\n"
	"{.param .u32 i; .param .u32 o; st.param.u32 [i], %r12; call (o), fib, (i); ld.param.u32 %r13, [o];}\n"
	"mad.lo.u32 %r13, %r13, 1000, %r11;\nst.global.u32 [%d2], %r13;\n"
	/* a counter of all threads, whose total every thread adds to; the sum of the returned
	 * values is n(n-1)/2 */
	"ld.param.u32 %r14, [n0];\nmul.wide.u32 %d3, %r14, 4;\nadd.u64 %d3, %d1, %d3;\n"
	"atom.global.add.u32 %r15, [%d3], 1;\nred.global.add.u32 [%d3+4], %r15;\n"
	"setp.gt.u32 %p3, %r12, 3;\n@%p3 exit;\n"
	"atom.global.max.u32 %r16, [%d3+8], %r4;\n"
	/* a load sees the earlier ordered store of its thread */
	"ld.volatile.global.u32 %r17, [%d2];\nadd.u32 %r17, %r17, 5;\nst.volatile.global.u32 [%d2], %r17;\n"
	"ld.global.u32 %r18, [%d2];\nadd.u32 %r18, %r18, 1;\nst.global.u32 [%d2], %r18;\nret;\n}\n";

/* A spin lock contended by lanes of one warp; a barrier between blocks through global memory. */
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

static inline void on_machine(struct bench *b, const struct test_machine *m)
{
	b->config = m->config;
	memcpy(b->set, m->set, sizeof m->set);
}

/* Runs a launch: its final memory must equal that of functional mode, and its statistics must be
 * consistent. */
static inline void same_memory(struct bench *b, const struct test_machine *m, const char *what)
{
	uint8_t *want = malloc(b->bytes), *got = malloc(b->bytes);
	b->functional = true;
	b->out = want;
	struct timed f = bench_run(b);
	b->functional = false;
	on_machine(b, m);
	b->out = got;
	struct timed t = bench_run(b);
	for (size_t i = 0; i < b->bytes; i++)
		if (want[i] != got[i])
			fail_msg("%s on %s %s %s %s: byte %zu is %#x, functionally %#x", what,
				 m->config, m->set[0], m->set[1] ? m->set[1] : "",
				 m->set[1] && m->set[2] ? m->set[2] : "", i, got[i], want[i]);
	assert_slots_add_up(&t, m->schedulers);
	assert_true(t.cycles > 0);
	if (m->warp == 32)
		assert_true(figure(&t, "issue", "issued") > 0);
	assert_int_equal(figure(&t, "sm", "warp_instructions"), t.warp_instructions);
	timed_free(&f);
	timed_free(&t);
	free(want);
	free(got);
}

/* Pieces of small programs, each with its number of instructions. */
#define REGS ".reg .u32 %r<20>; .reg .u64 %d<8>; .reg .pred %p<4>;\n"
#define BIT  "mov.u32 %r1, %tid.x; shl.b32 %r9, 1, %r1;\n" /* 2: the thread's own bit */
/* 2 instructions: tests whether the thread's bit is in the set */
#define IN(set) "and.b32 %r2, %r9, " #set "; setp.ne.u32 %p1, %r2, 0;\n"
#define ADD4    "add.u32 %r8, %r8, 1; add.u32 %r8, %r8, 1; add.u32 %r8, %r8, 1; add.u32 %r8, %r8, 1;\n"

/* Lanes 0 to 15 wait in a loop for a word that lanes 16 to 31 store after the loop; then the
 * other way round. Two such pairs in one warp, through global and shared memory. */
static inline void run_waits(const struct test_machine *m)
{
	static const char text[] = HEAD REGS
		".shared .b32 s;\n"
		"mov.u32 %r1, %tid.x; ld.param.u64 %d1, [pout]; setp.ge.u32 %p1, %r1, 16;\n"
		"mov.u32 %r5, s; mov.u32 %r6, 0; st.volatile.shared.u32 [%r5], %r6; bar.sync 0;\n"
		"@%p1 bra LATE;\n"
		"W1: ld.volatile.global.u32 %r2, [%d1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra W1;\n"
		"st.volatile.shared.u32 [%r5], %r2; bra JOIN;\n"
		"LATE: setp.eq.u32 %p3, %r1, 31; @!%p3 bra W2;\nmov.u32 %r3, 7; st.volatile.global.u32 [%d1], %r3;\n"
		"W2: ld.volatile.shared.u32 %r2, [%r5]; setp.eq.u32 %p2, %r2, 0; @%p2 bra W2;\n"
		"JOIN: red.global.add.u32 [%d1+4], %r2;\nret;\n}\n";
	uint32_t out[2] = {0}, want[] = {7, 7 * 32};
	/* clang-format off */
	struct bench b = {.text = text, .kernel = "k", .block = {32}, .bytes = 8, .out = out, .max_cycles = 2000000};
	/* clang-format on */
	on_machine(&b, m);
	struct timed t = bench_run(&b);
	assert_memory_equal(out, want, 8);
	timed_free(&t);
}

/* Each arm of a branch executes a barrier instruction of its own, then a .sync operation of its own
 * lanes, then one of all lanes; a third of the threads has exited before. */
static inline void run_arms(const struct test_machine *m)
{
	static const char text[] = HEAD REGS
		".shared .b32 s[64];\n"
		"mov.u32 %r1, %tid.x; mov.u32 %r10, %ntid.x; ld.param.u64 %d1, [pout]; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;\n"
		"mov.u32 %r5, s; shl.b32 %r6, %r1, 2; add.u32 %r6, %r5, %r6; st.shared.u32 [%r6], %r1;\n"
		"and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra EVEN;\n"
		"bar.sync 0; shfl.sync.down.b32 %r7, %r1, 2, 31, 0xaaaaaaaa; bra JOIN;\n"
		"EVEN: bar.sync 0; shfl.sync.up.b32 %r7, %r1, 2, 0, 0x55555555;\n"
		"JOIN: sub.u32 %r8, %r10, 1; sub.u32 %r8, %r8, %r1; shl.b32 %r8, %r8, 2; add.u32 %r8, %r5, %r8; ld.shared.u32 %r8, [%r8];\n"
		"rem.u32 %r2, %r1, 3; setp.eq.u32 %p2, %r2, 1; @%p2 exit;\n"
		"vote.sync.ballot.b32 %r11, %p1, 0xffffffff; mad.lo.u32 %r7, %r7, 1000, %r8; add.u32 %r7, %r7, %r11;\n"
		"st.global.u32 [%d1], %r7; ret;\n}\n";
	struct bench b = {
		.text = text, .kernel = "k", .block = {64}, .bytes = 64 * 4, .max_cycles = 2000000};
	if (m->warp == 32)
		same_memory(&b, m, "arms");
}

/* Compares words that both modes write. Machines with warps of another size vote differently and
 * are left out. */
static inline void both_leave(struct bench b, const struct test_machine *m, const uint32_t *want)
{
	uint32_t out[64];
	assert_true(b.bytes <= sizeof out);
	on_machine(&b, m);
	b.out = out;
	for (unsigned functional = 0; functional < 2 && m->warp == 32; functional++) {
		b.functional = functional;
		struct timed t = bench_run(&b);
		assert_memory_equal(out, want, b.bytes);
		timed_free(&t);
	}
}

/* Lanes 0 to 7 and 8 to 15 reach a vote by paths that meet nowhere else, before lanes 16 to 31 have
 * ended; the vote names those too. The lanes that remain vote together. */
static inline void run_ended(const struct test_machine *m)
{
	static const char text[] = HEAD REGS
		"mov.u32 %r1, %tid.x; ld.param.u64 %d1, [pout]; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;\n"
		"setp.lt.u32 %p1, %r1, 8; setp.ge.u32 %p2, %r1, 16; setp.gt.u32 %p3, %r1, 99;\n@%p2 bra X;\n@%p1 bra A;\n"
		"add.u32 %r1, %r1, 200; @%p3 bra X; bra V;\nA: add.u32 %r1, %r1, 100; @%p3 bra X; bra V;\n"
		"X:\n" ADD4 ADD4 ADD4 "exit;\n"
		"V: setp.lt.u32 %p3, %r1, 300; vote.sync.ballot.b32 %r2, %p3, 0xffffffff; st.global.u32 [%d1], %r2; exit;\n}\n";
	struct bench b = {
		.text = text, .kernel = "k", .block = {32}, .bytes = 32 * 4, .max_cycles = 100000};
	uint32_t want[32];
	for (unsigned i = 0; i < 32; i++)
		want[i] = i < 16 ? 0xffff : 0;
	both_leave(b, m, want);
}

/* A vote names lanes 16 to 31, but their guard is false: they continue and end, and the remaining
 * lanes vote together. Lanes 0 to 7 and 8 to 15 of the other warp arrive by two paths. */
static inline void run_left_out(const struct test_machine *m)
{
	static const char text[] = HEAD REGS
		"mov.u32 %r1, %tid.x; ld.param.u64 %d1, [pout]; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;\n"
		"and.b32 %r3, %r1, 31; setp.lt.u32 %p1, %r3, 16; setp.lt.u32 %p2, %r1, 8; mov.u32 %r2, 5;\n"
		"@%p2 bra V;\n" ADD4
		"V: setp.ne.u32 %p3, %r1, 3;\n@%p1 vote.sync.ballot.b32 %r2, %p3, 0xffffffff;\n"
		"st.global.u32 [%d1], %r2; exit;\n}\n";
	struct bench b = {
		.text = text, .kernel = "k", .block = {64}, .bytes = 64 * 4, .max_cycles = 100000};
	uint32_t want[64];
	for (unsigned i = 0; i < 64; i++)
		want[i] = i % 32 >= 16 ? 5 : i < 32 ? 0xfff7 : 0xffff;
	both_leave(b, m, want);
}

/* Lanes that can never reach a .sync operation that names them are reported. */
static inline void run_no_meeting(const char *mechanism)
{
	static const char text[] =
		HEAD REGS "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 4; @%p1 bra A;\n"
			  "bar.sync 1, 64; bra END;\nA: bar.warp.sync 0xff;\nEND: ret;\n}\n";
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {8},
			  .config = "hws",
			  .want = HEDDLE_FAULT,
			  .set = {"gpu.sms=1", mechanism}};
	struct timed t = bench_run(&b);
	assert_non_null(strstr(b.message, "wait here for others"));
	timed_free(&t);
}

/* Sanitizer builds run few kernels, because faults do not depend on the kernel; the plain build
 * compares results. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { KERNEL_STEP = 5 };
#else
enum { KERNEL_STEP = 1 };
#endif

/* The quick tests take every third of these kernels; with LONG in the environment all run. */
enum { SHORT_STEP = 3 };

/* Runs every `step`-th kernel of tests/kernels, each on `each` of the n machines, in turn. */
static inline void run_kernels(const struct test_machine *m, size_t n, size_t each, size_t step)
{
	glob_t g;
	uint32_t in[1024];
	FILE *f = fopen("tests/kernels/input.bin", "rb");
	assert_non_null(f);
	assert_int_equal(fread(in, 4, 1024, f), 1024);
	fclose(f);
	assert_int_equal(glob("tests/kernels/*.ptx", 0, NULL, &g), 0);
	size_t by = KERNEL_STEP * step * (getenv("LONG") ? 1 : SHORT_STEP);
	for (size_t i = 0; i < g.gl_pathc; i += by) {
		char name[64], *text = read_text(g.gl_pathv[i]);
		const char *base = strrchr(g.gl_pathv[i], '/') + 1;
		snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
		for (size_t k = 0; k < each; k++) {
			const struct test_machine *on = &m[(i * each + k) % n];
			if (on->warp != 32 && on->warp != 64 && warp_wide(text))
				continue;
			/* clang-format off */
			struct bench b = {.text = text, .kernel = name, .grid = {8}, .block = {128}, .in = in,
			                  .in_bytes = sizeof in, .bytes = sizeof in, .n = {1024}};
			/* clang-format on */
			same_memory(&b, on, g.gl_pathv[i]);
		}
		free(text);
	}
	globfree(&g);
}

/* Lanes 0 to 15 wait in one function for a word that the other lanes store in another function;
 * those then wait for a word that the first lanes store. Each lane returns to its caller with its
 * result, in whatever order the lanes run. */
static inline void run_crossed(const struct test_machine *m)
{
	static const char text[] =
		".version 6.4\n"
		".target sm_70\n"
		".address_size 64\n"
		".func (.param .u32 r) f(.param .u64 a)\n"
		"{\n"
		".reg .u32 %r<4>; .reg .u64 %d<2>; .reg .pred %p<2>;\n"
		"ld.param.u64 %d1, [a];\n"
		"W: ld.volatile.global.u32 %r1, [%d1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra W;\n"
		"st.param.u32 [r], %r1;\n"
		"ret;\n"
		"}\n"
		".func (.param .u32 r) g(.param .u64 a)\n"
		"{\n"
		".reg .u32 %r<4>; .reg .u64 %d<2>; .reg .pred %p<2>;\n"
		"ld.param.u64 %d1, [a];\n"
		"mov.u32 %r2, 5; st.volatile.global.u32 [%d1], %r2;\n"
		"W: ld.volatile.global.u32 %r1, [%d1+4]; setp.eq.u32 %p1, %r1, 0; @%p1 bra W;\n"
		"st.param.u32 [r], %r1;\n"
		"ret;\n"
		"}\n"
		".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param .u32 n1)\n"
		"{\n"
		".reg .u32 %r<20>; .reg .u64 %d<8>; .reg .pred %p<4>;\n"
		"mov.u32 %r1, %tid.x; ld.param.u64 %d1, [pout]; mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d1, %d2;\n"
		"mov.u32 %r5, 1000; mov.u32 %r6, 2000;\n"
		"setp.ge.u32 %p1, %r1, 16; @%p1 bra B;\n"
		"{ .param .u64 i; .param .u32 o; st.param.u64 [i], %d1; call (o), f, (i); ld.param.u32 %r5, [o]; }\n"
		"mov.u32 %r7, 6; st.volatile.global.u32 [%d1+4], %r7;\n"
		"bra JOIN;\n"
		"B:\n"
		"{ .param .u64 i; .param .u32 pad0; .param .u32 pad1; .param .u32 o; st.param.u32 [pad0], 77; st.param.u32 [pad1], 78; st.param.u64 [i], %d1; call (o), g, (i); ld.param.u32 %r6, [o]; }\n"
		"JOIN: add.u32 %r8, %r5, %r6; st.global.u32 [%d2+8], %r8;\n"
		"ret;\n"
		"}\n";
	uint32_t out[34], functional[34];
	/* clang-format off */
	struct bench b = {.text = text, .kernel = "k", .block = {32}, .bytes = sizeof out, .out = functional,
	                  .max_cycles = 2000000, .functional = true};
	/* clang-format on */
	struct timed t = bench_run(&b);
	timed_free(&t);
	b.functional = false;
	b.out = out;
	on_machine(&b, m);
	t = bench_run(&b);
	timed_free(&t);
	for (unsigned i = 0; i < 32; i++) {
		assert_int_equal(functional[i + 2], i < 16 ? 2000 + 5 : 1000 + 6);
		assert_int_equal(out[i + 2], functional[i + 2]);
	}
}

static inline void run_mix(const struct test_machine *m)
{
	struct bench b = {
		.text = mix, .kernel = "k", .grid = {12}, .block = {m->warp == 1 ? 48 : 96}};
	b.n[0] = b.grid[0] * b.block[0]; /* 48: small enough for an SM with 128 warps */
	b.bytes = (b.n[0] + 16) * 4;
	same_memory(&b, m, "mix");
}

static inline void run_locks(const struct test_machine *m)
{
	uint32_t out[4];
	/* clang-format off */
	struct bench b = {.text = locks, .kernel = "k", .grid = {3}, .block = {12}, .bytes = sizeof out, .out = out,
	                  .max_cycles = 20000000};
	/* clang-format on */
	on_machine(&b, m);
	struct timed t = bench_run(&b);
	const uint32_t want[] = {0, 36, 3, 3};
	assert_memory_equal(out, want, sizeof out);
	timed_free(&t);
}

static inline void same_with_two_threads(const struct test_machine *m)
{
	char *text[2];
	uint32_t out[2][12 * 48 + 16];
	for (unsigned k = 0; k < 2; k++) {
		/* clang-format off */
		struct bench b = {.text = mix, .kernel = "k", .grid = {12}, .block = {48}, .bytes = sizeof out[k], .out = out[k],
		                  .n = {12 * 48}, .threads = k + 1};
		/* clang-format on */
		on_machine(&b, m);
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

/* Runs all programs on each machine with one and two host threads. */
static inline void run_programs(const struct test_machine *m, size_t n)
{
	for (; n--; m++) {
		run_mix(m);
		run_locks(m);
		run_crossed(m);
		run_waits(m);
		run_arms(m);
		run_ended(m);
		run_left_out(m);
		same_with_two_threads(m);
	}
}

#endif
