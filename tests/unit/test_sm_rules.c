/* The machine that is compared with GPGPU-Sim: the cycles of PTX instructions, by closed form
 * (docs/evidence/gpgpu-sim.md has the rules). One warp alone goes through a loop; loops of
 * different length and number are compared, so that the start, the end and the loop itself do not
 * count. */
#include "timing.h"

static const char regs[] =
	".reg .u32 %r<40>; .reg .u64 %d<40>; .reg .f32 %f<40>; .reg .f64 %g<40>; .reg .pred "
	"%p<8>;\n"
	".shared .align 128 .b8 s[4096]; .const .align 128 .b8 t[4096];\n"
	"ld.param.u64 %d10, [pin]; ld.param.u64 %d11, [pout]; mov.u32 %r21, %laneid; mov.u32 %r22, "
	"s;\n"
	"mov.u64 %d12, t; mul.wide.u32 %d13, %r21, 4; add.u64 %d14, %d12, %d13; mov.u32 %r20, 0;\n";

static double cycles(const char *before, const char *piece, unsigned copies, unsigned loops,
		     unsigned warps)
{
	static const uint32_t zero[16384];
	char *text = malloc(8192 + copies * (strlen(piece) + 2)), *p = text;
	p += sprintf(p, "%s%s%s\nmov.u32 %%r30, %u;\nL:\n", HEAD, regs, before, loops);
	for (unsigned i = 0; i < copies; i++)
		p += sprintf(p, "%s\n", piece);
	strcpy(p, "sub.u32 %r30, %r30, 1; setp.ne.u32 %p7, %r30, 0; @%p7 bra L;\nret;\n}\n");
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {32 * warps},
			  .grid = {1},
			  .config = "gtx480-700",
			  .in = zero,
			  .in_bytes = sizeof zero,
			  .bytes = sizeof zero,
			  .set = {"gpu.sms=1"}};
	struct timed t = bench_run(&b);
	double c = (double)t.cycles;
	timed_free(&t);
	free(text);
	return c;
}

/* Cycles of each further copy. */
static double each(const char *before, const char *piece, unsigned warps)
{
	enum { COPIES = 8, LOOPS = 8 };
	double c[2];
	for (unsigned k = 0; k < 2; k++)
		c[k] = cycles(before, piece, COPIES << k, 2 * LOOPS, warps) -
		       cycles(before, piece, COPIES << k, LOOPS, warps);
	return (c[1] - c[0]) / (COPIES * LOOPS);
}

struct form {
	const char *before, *piece;
	double cycles;
};

static void expect(const struct form *f, size_t n, unsigned warps, double slack)
{
	for (size_t i = 0; i < n; i++) {
		double c = each(f[i].before, f[i].piece, warps);
		if (c < f[i].cycles - slack || c > f[i].cycles + slack)
			fail_msg("%s %s: %g cycles, expected %g", f[i].before, f[i].piece, c,
				 f[i].cycles);
	}
}

#define EXPECT(f, warps, slack) expect(f, sizeof f / sizeof *f, warps, slack)

/* Latency + 6: one cycle each for the register before the collectors, the collector, the register
 * behind it, the unit's input, the register before write-back, and write-back. */
static void a_dependent_waits_for_its_class(void **state)
{
	(void)state;
	static const struct form f[] = {
		{"", "add.s32 %r1, %r1, %r2;", 4 + 6},
		{"", "add.s64 %d1, %d1, %d2;", 4 + 6},
		{"", "mul.lo.s32 %r1, %r1, %r2;", 4 + 6},
		{"", "mad.lo.s32 %r1, %r1, %r2, %r3;", 5 + 6},
		{"", "mul24.lo.s32 %r1, %r1, %r2;", 5 + 6},
		{"", "mad24.lo.s32 %r1, %r1, %r2, %r3;", 6 + 6},
		{"", "sad.u32 %r1, %r1, %r2, %r3;", 1 + 6},
		{"", "min.s32 %r1, %r1, %r2;", 13 + 6},
		{"", "max.f32 %f1, %f1, %f2;", 13 + 6},
		{"", "rem.u32 %r1, %r1, %r2;", 145 + 6},
		{"", "xor.b32 %r1, %r1, %r2;", 1 + 6},
		{"", "popc.b32 %r1, %r1;", 1 + 6},
		{"", "rsqrt.approx.f32 %f1, %f1;", 8 + 6},
		{"", "div.rn.f32 %f1, %f1, %f2;", 39 + 6},
		{"", "add.f64 %g1, %g1, %g2;", 8 + 6},
		{"", "fma.rn.f64 %g1, %g1, %g2, %g3;", 8 + 6},
		{"", "min.f64 %g1, %g1, %g2;", 19 + 6},
		{"", "div.rn.f64 %g1, %g1, %g2;", 330 + 6},
		{"", "sqrt.rn.f64 %g1, %g1;", 8 + 6},
		{"", "rcp.rn.f64 %g1, %g1;", 8 + 6},
		{"", "neg.f64 %g1, %g1;", 1 + 6},
		{"", "cvt.f64.f32 %g1, %f1; cvt.rn.f32.f64 %f1, %g1;", 2 * (1 + 6)},
		{"", "selp.f64 %g1, %g1, %g2, %p1; setp.lt.f64 %p1, %g1, %g2;", 2 * (1 + 6)},
	};
	EXPECT(f, 1, 0.01);
}

/* Messages to the L2 per warp instruction. */
static void stores_carry_their_segments(void **state)
{
	(void)state;
	static const struct {
		const char *address, *store;
		unsigned accesses, bytes;
	} f[] = {
		/* Adjacent words: one line. Every second word: two lines; every eighth: eight. */
		{"mul.wide.u32 %d1, %r21, 4;", "st.global.u32 [%d2], %r1;", 1, 128},
		{"mul.wide.u32 %d1, %r21, 8;", "st.global.u32 [%d2], %r1;", 2, 2 * 128},
		{"mul.wide.u32 %d1, %r21, 32;", "st.global.u32 [%d2], %r1;", 8, 8 * 128},
		/* A line each, of which one piece is written. */
		{"mul.wide.u32 %d1, %r21, 128;", "st.global.u32 [%d2], %r1;", 32, 32 * 32},
		/* All lanes in one word, in words 8 apart twice: the second half of the line. */
		{"mov.u64 %d1, 100;", "st.global.u32 [%d2], %r1;", 1, 32},
		{"and.b32 %r2, %r21, 1; mad.lo.u32 %r2, %r2, 32, 64; cvt.u64.u32 %d1, %r2;",
		 "st.global.u32 [%d2], %r1;", 1, 64},
		/* Bytes by segments of 32, halves by segments of 64. */
		{"mul.wide.u32 %d1, %r21, 2;", "st.global.u8 [%d2], %r1;", 2, 2 * 32},
		{"mul.wide.u32 %d1, %r21, 4;", "st.global.u16 [%d2], %h1;", 2, 2 * 64},
		/* Past the L1, of which atomics are one kind: by segments of 32. */
		{"mul.wide.u32 %d1, %r21, 4;", "atom.global.add.u32 %r1, [%d2], 1;", 4, 4 * 32},
	};
	for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
		char text[2048];
		snprintf(text, sizeof text,
			 "%s%s.reg .u16 %%h1;\n%s add.u64 %%d2, %%d1, %%d11; %s\nret;\n}\n", HEAD,
			 regs, f[i].address, f[i].store);
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {32},
				  .grid = {1},
				  .config = "gtx480-700",
				  .bytes = 8192,
				  .set = {"gpu.sms=1"}};
		struct timed t = bench_run(&b);
		uint64_t n = figure(&t, "sm", "transactions"),
			 bytes = figure(&t, "slice", "write_bytes");
		if (n != f[i].accesses || bytes != f[i].bytes)
			fail_msg("%s %s: %u accesses, %u bytes; expected %u, %u", f[i].address,
				 f[i].store, (unsigned)n, (unsigned)bytes, f[i].accesses,
				 f[i].bytes);
		timed_free(&t);
	}
}

/* A constant that hits leaves the unit without the write-back stage: one cycle each for the
 * register before the collectors, the collector, the unit's input and the cache; one less without a
 * register operand. */
static void constants_that_hit(void **state)
{
	(void)state;
	static const struct form f[] = {
		{"",
		 "ld.const.u32 %r20, [%d12]; and.b32 %r20, %r20, 0; cvt.u64.u32 %d12, %r20; "
		 "mov.u64 %d12, t;",
		 4 + 7 + 7 + 6},
		{"", "ld.param.u32 %r1, [n0]; add.u32 %r1, %r1, 1;", 3 + 10},
	};
	EXPECT(f, 1, 0.01);
}

/* The cycles in which the load/store unit is taken by one instruction. */
static void passes_of_the_load_store_unit(void **state)
{
	(void)state;
	static const struct {
		const char *code;
		const char *figure;
		unsigned cycles;
	} f[] = {
		/* 32 neighbours of 4 bytes: two lines of 64. 32 lanes 64 bytes apart: 32. */
		{"ld.const.u32 %r1, [%d14];", "const_cycles", 2},
		{"mul.wide.u32 %d1, %r21, 64; add.u64 %d1, %d1, %d12; ld.const.u32 %r1, [%d1];",
		 "const_cycles", 32},
		/* The first words of adjacent 8-byte and 16-byte accesses share banks in twos and
		 * fours; those of one address do not. */
		{"mad.lo.u32 %r1, %r21, 8, %r22; ld.shared.u64 %d1, [%r1];", "shared_cycles", 2},
		{"mad.lo.u32 %r1, %r21, 16, %r22; ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%r1];",
		 "shared_cycles", 4},
		{"ld.shared.u64 %d1, [%r22];", "shared_cycles", 1},
		{"ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%r22];", "shared_cycles", 1},
		{"atom.shared.add.u32 %r1, [%r22], 1;", "shared_cycles", 1},
		{"mad.lo.u32 %r1, %r21, 128, %r22; atom.shared.add.u32 %r1, [%r1], 1;",
		 "shared_cycles", 32},
	};
	for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
		char text[2048];
		snprintf(text, sizeof text, "%s%s%s\nret;\n}\n", HEAD, regs, f[i].code);
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {32},
				  .grid = {1},
				  .config = "gtx480-700",
				  .set = {"gpu.sms=1"}};
		struct timed t = bench_run(&b);
		unsigned params = strcmp(f[i].figure, "const_cycles") ? 0 : 2,
			 n = (unsigned)figure(&t, "sm", f[i].figure);
		if (n != f[i].cycles + params)
			fail_msg("%s: %u cycles, expected %u", f[i].code, n - params, f[i].cycles);
		timed_free(&t);
	}
}

/* A fence waits for loads, not for stores: an instruction after a store and a fence issues at
 * once. */
static void a_fence_waits_for_results(void **state)
{
	(void)state;
	static const char store[] = "st.global.u32 [%d11], %r1; membar.gl;",
			  none[] = "st.global.u32 [%d11], %r1;",
			  load[] = "ld.global.cg.u32 %r1, [%d11]; membar.gl;",
			  use[] = "ld.global.cg.u32 %r1, [%d11]; mov.b32 %r2, %r1;";
	assert_true(each("", store, 1) <= each("", none, 1) + 2);
	assert_true(each("", load, 1) >= each("", use, 1) - 8);
	/* The L1 is invalidated: the next load goes to the L2 again. */
	double kept = each("", "ld.global.u32 %r1, [%d11]; mov.b32 %r2, %r1;", 1);
	double dropped = each("", "ld.global.u32 %r1, [%d11]; mov.b32 %r2, %r1; membar.gl;", 1);
	if (kept > 50 || dropped < kept + 120)
		fail_msg("%g cycles without a fence, %g with one", kept, dropped);
}

/* An instruction after cp.async.wait_all issues when the copies have arrived; an instruction after
 * a commit does not wait for them. */
static void a_wait_waits_for_copies(void **state)
{
	(void)state;
	static const uint32_t zeros[32];
	uint64_t cycles[2];
	for (unsigned waits = 0; waits < 2; waits++) {
		char text[8192], *p = text;
		p += sprintf(
			p,
			".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 pin, .param .u64 pout, "
			".param .u32 n0, .param .u32 n1)\n{\n.reg .u32 %%r1; .reg .u64 %%d1; .shared .align 16 .b8 s[16];\n"
			"ld.param.u64 %%d1, [pin]; cp.async.ca.shared.global [s], [%%d1], 4; %s;\n",
			waits ? "cp.async.wait_all" : "cp.async.commit_group");
		for (unsigned i = 0; i < 100; i++)
			p += sprintf(p, "add.u32 %%r1, %%r1, 1;\n");
		strcpy(p, "ret;\n}\n");
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {1},
				  .config = "gtx480",
				  .in = zeros,
				  .in_bytes = sizeof zeros,
				  .set = {"gpu.sms=1"}};
		struct timed t = bench_run(&b);
		cycles[waits] = t.cycles;
		timed_free(&t);
	}
	assert_true(cycles[1] >= cycles[0] + 100);
}

/* 16 banks, selected by the number in a register's name plus the warp's, whatever the register's
 * width. */
static void names_choose_banks(void **state)
{
	(void)state;
	static const struct form f[] = {
		{"", "add.s32 %r1, %r1, %r2;", 10},
		{"", "add.s32 %r1, %r1, %r17;", 10 + 1},
		{"", "add.s64 %d1, %d1, %d2;", 10},
		{"", "add.s64 %d1, %d1, %d17;", 10 + 1},
		{"", "mad.lo.s32 %r1, %r1, %r17, %r33;", 11 + 2},
		{"", "mad.lo.s32 %r1, %r1, %r17, %r17;", 11 + 1}, /* one register is read once */
		{"", "selp.s32 %r1, %r1, %r2, %p1;", 7}, /* %p1 has the number of %r1 and is read
							  * with it */
		{"", "selp.s32 %r17, %r17, %r2, %p1;", 7 + 1},
	};
	EXPECT(f, 1, 0.01);
}

/* Loads of local memory after stores to it: the line is fetched once and stays dirty. */
static void local_stores_stay(void **state)
{
	(void)state;
	static const struct form f[] = {
		{".local .b32 l; mov.u32 %r1, 0;",
		 "st.local.u32 [l], %r1; ld.local.u32 %r1, [l]; xor.b32 %r1, %r1, 1;", 1 + 38 + 7},
	};
	EXPECT(f, 1, 1.01);
}

static unsigned registers(const char *body, const char *estimate)
{
	char text[2048];
	struct heddle *h;
	struct heddle_module *m = NULL;
	struct heddle_kernel_info k;
	const char *set[] = {estimate, NULL};
	snprintf(text, sizeof text, "%s%s%s\nret;\n}\n", HEAD,
		 ".reg .u32 %r<20>; .reg .u64 %d<8>; .reg .pred %p; .shared .b32 s[8];\n"
		 "ld.param.u64 %d1, [pin]; ld.param.u64 %d2, [pout];\n",
		 body);
	struct heddle_options o = {.config = "gtx480-700", .set = set, .timing = true};
	setenv("HEDDLE_CONF", "conf", 0);
	if (heddle_open(&h, &o) ||
	    heddle_load(h, &(struct heddle_text){"test.ptx", text, strlen(text)}, 1, &m))
		fail_msg("%s", heddle_message(h));
	heddle_kernel_info(heddle_kernel_find(m, "k"), &k);
	heddle_close(h);
	return k.registers;
}

/* Registers: the maximum live at once if loads go first, the stack pointer, and for sm_70 and
 * later, as in HEAD, the thread's state. Parameters need no registers. */
static void registers_of_scheduled_code(void **state)
{
	(void)state;
	enum { STATE = 2 };
	static const struct {
		const char *body;
		unsigned live, scheduled;
	} f[] = {
		/* Four independent loads; in the text two pointers, a sum and a load. */
		{"ld.global.u32 %r1, [%d1]; add.u32 %r5, %r1, 1; ld.global.u32 %r2, [%d1+4]; "
		 "add.u32 %r6, %r5, %r2;\n"
		 "ld.global.u32 %r3, [%d1+8]; add.u32 %r7, %r6, %r3; ld.global.u32 %r4, [%d1+12]; "
		 "add.u32 %r8, %r7, %r4;\n"
		 "st.global.u32 [%d2], %r8;",
		 4 + 2 + 1, 4 + 1},
		/* A store between the loads may change what they read, unless it goes to other
		 * memory. */
		{"ld.global.u32 %r1, [%d1]; st.global.u32 [%d2], %r1; ld.global.u32 %r2, [%d1+4]; "
		 "st.global.u32 [%d2], %r2;",
		 4 + 1 + 1, 1 + 1},
		{"ld.shared.u32 %r1, [s]; st.global.u32 [%d2], %r1; ld.shared.u32 %r2, [s+4]; "
		 "st.global.u32 [%d2], %r2;",
		 2 + 1 + 1, 2 + 1},
		{"ld.shared.u32 %r1, [s]; st.global.u32 [%d2], %r1; bar.sync 0; ld.shared.u32 %r2, "
		 "[s+4]; st.global.u32 [%d2], %r2;",
		 2 + 1 + 1, 1 + 1},
		/* Four iterations of a loop scheduled together: three loads, the pointers of the
		 * third and the fourth, which is computed before the third dies; the sum and the
		 * counter. */
		{"mov.u64 %d3, %d1; mov.u32 %r2, %tid.x; mov.u32 %r3, %ntid.x;\n"
		 "L: ld.global.u32 %r1, [%d3]; add.u32 %r2, %r2, %r1; add.u64 %d3, %d3, 4; sub.u32 "
		 "%r3, %r3, 1;\n"
		 "setp.ne.u32 %p, %r3, 0; @%p bra L; st.global.u32 [%d2], %r2;",
		 2 + 2 + 3 + 1, 3 + 2 * 2 + 1 + 1 + 1},
		/* A shared address, and the values it is computed from, take one register; a global
		 * address takes two. */
		{"mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %d3, 64; ld.shared.u32 %r2, [%d3]; "
		 "ld.shared.u32 %r3, [%d3+4]; add.u32 %r2, %r2, %r3; st.global.u32 [%d2], %r2;",
		 2 + 2 + 1 + 1, 1 + 1 + 1},
		{"mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %d3, %d1; ld.global.u32 %r2, [%d3]; "
		 "ld.global.u32 %r3, [%d3+4]; add.u32 %r2, %r2, %r3; st.global.u32 [%d2], %r2;",
		 2 + 2 + 2 + 1, 2 + 1 + 1},
	};
	for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
		unsigned live = registers(f[i].body, "sm.register_estimate=live"),
			 n = registers(f[i].body, NULL);
		if (live != f[i].live || n != f[i].scheduled + STATE)
			fail_msg("%s: %u and %u registers, expected %u and %u", f[i].body, live, n,
				 f[i].live, f[i].scheduled + STATE);
	}
}

/* Both sides of a branch store to one word: the second store stays. */
static void who_takes_a_branch_goes_first(void **state)
{
	(void)state;
	static const char *const set[] = {"pdom.first=rest", "pdom.first=taken", NULL};
	for (unsigned i = 0; i < 3; i++) {
		char text[2048];
		uint32_t word = 0;
		snprintf(text, sizeof text,
			 "%s%s setp.lt.u32 %%p1, %%r21, 16; mov.u32 %%r1, 1; @%%p1 bra L;\n"
			 "mov.u32 %%r1, 2; st.global.u32 [%%d11], %%r1; bra M;\n"
			 "L: st.global.u32 [%%d11], %%r1;\nM: ret;\n}\n",
			 HEAD, regs);
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {32},
				  .grid = {1},
				  .config = "gtx480-700",
				  .out = &word,
				  .bytes = sizeof word,
				  .set = {"gpu.sms=1", set[i]}};
		struct timed t = bench_run(&b);
		assert_int_equal(word, i ? 2 : 1);
		timed_free(&t);
	}
}

/* Two warps of two schedulers, released by a barrier in one cycle, store to one word: the later
 * store stays. A launch that begins a cycle later changes the schedulers' turn, which follows the
 * clock and not the cycles with blocks. */
static uint32_t second_to_store(const char *turns, const char *later)
{
	char text[2048];
	uint32_t word = 0;
	snprintf(text, sizeof text,
		 "%s%s mov.u32 %%r1, %%tid.x; bar.sync 0; st.global.u32 [%%d11], %%r1;\nret;\n}\n",
		 HEAD, regs);
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {64},
			  .grid = {1},
			  .config = "gtx480-700",
			  .out = &word,
			  .bytes = sizeof word,
			  .set = {"gpu.sms=1", "gpu.perfect_memory=yes", turns, later}};
	struct timed t = bench_run(&b);
	timed_free(&t);
	return word / 32;
}

static void schedulers_take_turns(void **state)
{
	(void)state;
	uint32_t clock = second_to_store("sm.quirks=-busy-turns", "gpu.launch_latency=0"),
		 busy = second_to_store("sm.quirks=+busy-turns", "gpu.launch_latency=0");
	assert_int_equal(second_to_store("sm.quirks=-busy-turns", "gpu.launch_latency=1"), !clock);
	assert_int_equal(second_to_store("sm.quirks=+busy-turns", "gpu.launch_latency=1"), busy);
}

/* An addition computes the address of an atomic on shared memory, repeatedly: the atomic issues 10
 * cycles later (4 for the addition, 6 around it), or in the next cycle if atomics do not wait for
 * their addresses. The value operand is a register either way. */
static void an_atomic_does_not_wait_for_its_address(void **state)
{
	(void)state;
	enum { TIMES = 6 };
	static const char text[] = HEAD
		".shared .align 4 .b8 s[4]; .reg .u32 %r<5>; .reg .pred %p; ld.param.u32 %r2, [n0]; mov.u32 %r1, s; mov.u32 %r4, 1;\n"
		"L: add.u32 %r1, %r1, 0; atom.shared.add.u32 %r3, [%r1], %r4; sub.u32 %r2, %r2, 1;\n"
		"setp.ne.u32 %p, %r2, 0; @%p bra L;\nret;\n}\n";
	uint64_t c[2][2];
	for (unsigned k = 0; k < 4; k++) {
		struct bench b = {.text = text,
				  .kernel = "k",
				  .block = {1},
				  .config = "gtx480-700",
				  .n = {k & 1 ? 2 * TIMES : TIMES},
				  .set = {"gpu.sms=1", k & 2 ? "sm.quirks=+free-atomic-address"
							     : "sm.quirks=-free-atomic-address"}};
		struct timed t = bench_run(&b);
		c[k >> 1][k & 1] = t.cycles;
		timed_free(&t);
	}
	assert_int_equal((c[0][1] - c[0][0]) - (c[1][1] - c[1][0]), TIMES * 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dependent_waits_for_its_class),
		cmocka_unit_test(stores_carry_their_segments),
		cmocka_unit_test(constants_that_hit),
		cmocka_unit_test(passes_of_the_load_store_unit),
		cmocka_unit_test(a_fence_waits_for_results),
		cmocka_unit_test(a_wait_waits_for_copies),
		cmocka_unit_test(local_stores_stay),
		cmocka_unit_test(names_choose_banks),
		cmocka_unit_test(registers_of_scheduled_code),
		cmocka_unit_test(who_takes_a_branch_goes_first),
		cmocka_unit_test(schedulers_take_turns),
		cmocka_unit_test(an_atomic_does_not_wait_for_its_address),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
