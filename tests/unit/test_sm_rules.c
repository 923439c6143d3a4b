/* The machine that is compared with GPGPU-Sim: what PTX instructions take there, by closed form (docs/gpgpu-sim.md
 * has the rules). One warp alone goes through a loop; loops of different length and number are compared, so that the
 * start, the end and the loop itself do not count. */
#include "timing.h"

static const char regs[] =
	".reg .u32 %r<40>; .reg .u64 %d<40>; .reg .f32 %f<40>; .reg .f64 %g<40>; .reg .pred %p<8>;\n"
	".shared .align 128 .b8 s[4096]; .const .align 128 .b8 t[4096];\n"
	"ld.param.u64 %d10, [pin]; ld.param.u64 %d11, [pout]; mov.u32 %r21, %laneid; mov.u32 %r22, s;\n"
	"mov.u64 %d12, t; mul.wide.u32 %d13, %r21, 4; add.u64 %d14, %d12, %d13; mov.u32 %r20, 0;\n";

static double cycles(const char *before, const char *piece, unsigned copies, unsigned loops, unsigned warps)
{
	static const uint32_t zero[16384];
	char *text = malloc(8192 + copies * (strlen(piece) + 2)), *p = text;
	p += sprintf(p, "%s%s%s\nmov.u32 %%r30, %u;\nL:\n", HEAD, regs, before, loops);
	for (unsigned i = 0; i < copies; i++)
		p += sprintf(p, "%s\n", piece);
	strcpy(p, "sub.u32 %r30, %r30, 1; setp.ne.u32 %p7, %r30, 0; @%p7 bra L;\nret;\n}\n");
	struct bench b = {.text = text, .kernel = "k", .block = {32 * warps}, .grid = {1}, .config = "gtx480-700",
	                  .in = zero, .in_bytes = sizeof zero, .bytes = sizeof zero, .set = {"gpu.sms=1"}};
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
		c[k] = cycles(before, piece, COPIES << k, 2 * LOOPS, warps) - cycles(before, piece, COPIES << k, LOOPS, warps);
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
			fail_msg("%s %s: %g cycles, expected %g", f[i].before, f[i].piece, c, f[i].cycles);
	}
}

#define EXPECT(f, warps, slack) expect(f, sizeof f / sizeof *f, warps, slack)

/* Latency + 6: a cycle each for the register before the collectors, the collector, the register behind it, the unit's
 * entrance, the register before write-back, and write-back. */
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

/* What one instruction of a warp sends to the L2. */
static void stores_carry_their_segments(void **state)
{
	(void)state;
	static const struct {
		const char *address, *store;
		unsigned accesses, bytes;
	} f[] = {
		/* Neighbours: a line. Every other word: two, every eighth: eight. */
		{"mul.wide.u32 %d1, %r21, 4;", "st.global.u32 [%d2], %r1;", 1, 128},
		{"mul.wide.u32 %d1, %r21, 8;", "st.global.u32 [%d2], %r1;", 2, 2 * 128},
		{"mul.wide.u32 %d1, %r21, 32;", "st.global.u32 [%d2], %r1;", 8, 8 * 128},
		/* A line each, of which one piece is written. */
		{"mul.wide.u32 %d1, %r21, 128;", "st.global.u32 [%d2], %r1;", 32, 32 * 32},
		/* All lanes in one word, in words 8 apart twice: the second half of the line. */
		{"mov.u64 %d1, 100;", "st.global.u32 [%d2], %r1;", 1, 32},
		{"and.b32 %r2, %r21, 1; mad.lo.u32 %r2, %r2, 32, 64; cvt.u64.u32 %d1, %r2;", "st.global.u32 [%d2], %r1;", 1, 64},
		/* Bytes by segments of 32, halves by segments of 64. */
		{"mul.wide.u32 %d1, %r21, 2;", "st.global.u8 [%d2], %r1;", 2, 2 * 32},
		{"mul.wide.u32 %d1, %r21, 4;", "st.global.u16 [%d2], %h1;", 2, 2 * 64},
		/* Past the L1, of which atomics are one kind: by segments of 32. */
		{"mul.wide.u32 %d1, %r21, 4;", "atom.global.add.u32 %r1, [%d2], 1;", 4, 4 * 32},
	};
	for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
		char text[2048];
		snprintf(text, sizeof text, "%s%s.reg .u16 %%h1;\n%s add.u64 %%d2, %%d1, %%d11; %s\nret;\n}\n", HEAD, regs,
		         f[i].address, f[i].store);
		struct bench b = {.text = text, .kernel = "k", .block = {32}, .grid = {1}, .config = "gtx480-700",
		                  .bytes = 8192, .set = {"gpu.sms=1"}};
		struct timed t = bench_run(&b);
		uint64_t n = figure(&t, "sm", "transactions"), bytes = figure(&t, "slice", "write_bytes");
		if (n != f[i].accesses || bytes != f[i].bytes)
			fail_msg("%s %s: %u accesses, %u bytes; expected %u, %u", f[i].address, f[i].store, (unsigned)n,
			         (unsigned)bytes, f[i].accesses, f[i].bytes);
		timed_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dependent_waits_for_its_class),
		cmocka_unit_test(stores_carry_their_segments),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
