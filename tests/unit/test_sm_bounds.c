/* Kernels of many kinds on one SM of the machine that is compared with GPGPU-Sim, each compared
 * with a lower bound computed by hand: the work of the busiest unit. The SM is full, so latencies
 * are hidden. */
#include "timing.h"

enum { BLOCKS = 6, THREADS = 256, WARPS = BLOCKS * THREADS / 32, LOOPS = 16, UNROLL = 8 };

/* A loop of LOOPS iterations over eight copies of a line, in which % stands for the copy's
 * number. */
static char *looped(const char *before, const char *line)
{
	char *text = malloc(8192), *p = text;
	p += sprintf(p, "%s%s mov.u32 %%r30, %u;\nL:\n",
		     HEAD ".reg .u32 %r<40>; .reg .u64 %d<12>; .reg .f32 %f<12>; .reg .f64 %g<12>; "
			  ".reg .pred %p; .shared .align 128 .b8 s[4096];\n"
			  "ld.param.u64 %d10, [pin]; mov.u32 %r20, %tid.x; mov.u32 %r21, %laneid; "
			  "mov.u32 %r22, s;\n",
		     before, LOOPS);
	for (unsigned i = 0; i < UNROLL; i++) {
		for (const char *s = line; *s; s++)
			p += *s == '#' ? sprintf(p, "%u", i) : sprintf(p, "%c", *s);
		*p++ = '\n';
	}
	p += sprintf(p, "sub.u32 %%r30, %%r30, 1; setp.ne.u32 %%p, %%r30, 0; @%%p bra L;\n");
	for (unsigned i = 0; i < UNROLL;
	     i++) /* gives every result a use, and so a register of its own */
		p += sprintf(p, "add.u32 %%r20, %%r20, %%r%u;", i);
	strcpy(p, "ret;\n}\n");
	return text;
}

static double run(const char *before, const char *line, const char *const *set)
{
	static const uint32_t zero[4096];
	char *text = looped(before, line);
	struct bench b = {.text = text,
			  .kernel = "k",
			  .grid = {BLOCKS},
			  .block = {THREADS},
			  .config = "gtx480-700",
			  .in = zero,
			  .in_bytes = sizeof zero,
			  .set = {"gpu.sms=1"}};
	for (unsigned i = 0; set && set[i]; i++)
		b.set[1 + i] = set[i];
	struct timed t = bench_run(&b);
	double c = (double)t.cycles;
	assert_slots_add_up(&t, 2);
	timed_free(&t);
	free(text);
	return c / (WARPS * LOOPS); /* cycles of one warp's loop */
}

static void bounds_of_many_kinds(void **state)
{
	(void)state;
	static const struct {
		const char *name, *before, *line;
		double bound,
			slack; /* cycles of a loop; allowance for the start, the end and gaps */
		const char *set;
	} c[] = {
		/* One special function unit, a new instruction every 8 cycles. */
		{"special functions", "", "sin.approx.f32 %f#, %f#;", UNROLL * 8, 0.03},
		/* double precision has no unit of its own, so the bound is single precision's */
		{"double precision", "", "fma.rn.f64 %g#, %g#, %g#, %g#;", UNROLL * 8, 0.03},
		{"square roots", "", "sqrt.approx.f32 %f#, %f#;", UNROLL * 8, 0.03},
		/* Two ALUs: a multiplication occupies one for 2 cycles, each of the loop's three
		 * instructions for 1. An instruction that no unit accepts blocks those behind
		 * it. */
		{"integer multiplication", "", "mul.lo.u32 %r#, %r#, %r20;", (UNROLL * 2 + 3) / 2.0,
		 0.22},
		/* Divisions every 8 cycles, on the special function unit. */
		{"integer division", "", "div.u32 %r#, %r20, 3;", UNROLL * 8, 0.05},
		/* The load/store unit accepts one conflict-free instruction per cycle. */
		{"shared memory", "mad.lo.u32 %r23, %r21, 4, %r22;", "ld.shared.u32 %r#, [%r23];",
		 UNROLL, 0.25},
		/* Lanes l and l + 8 share a bank: 4 passes. Lanes 128 bytes apart: 32 passes. */
		{"conflicts of four", "mad.lo.u32 %r23, %r21, 16, %r22;",
		 "ld.shared.u32 %r#, [%r23];", UNROLL * 4, 0.05},
		{"conflicts of 32", "mad.lo.u32 %r23, %r21, 128, %r22;",
		 "ld.shared.u32 %r#, [%r23];", UNROLL * 32, 0.03},
		/* 64-bit words: lanes l and l + 16 share a bank; 128-bit: four lanes do. If a
		 * scheduler has priority in every second cycle and the unit is free in every second
		 * cycle, one scheduler gets the unit until its warps end. Greedy schedulers leave
		 * their youngest warps to the end, too few to hide the latency, so both effects add
		 * up; round robin avoids that. */
		{"shared memory, 64 bits", "mad.lo.u32 %r23, %r21, 8, %r22;",
		 "ld.shared.u64 %d#, [%r23];", UNROLL * 2, 0.25},
		{"shared memory, 64 bits, in turn", "mad.lo.u32 %r23, %r21, 8, %r22;",
		 "ld.shared.u64 %d#, [%r23];", UNROLL * 2, 0.08, "sm.scheduler=lrr"},
		{"shared memory, 128 bits, in turn", "mad.lo.u32 %r23, %r21, 16, %r22;",
		 "ld.shared.v4.u32 {%r#, %r31, %r32, %r33}, [%r23];", UNROLL * 4, 0.05,
		 "sm.scheduler=lrr"},
		/* Two schedulers issue one instruction per cycle each: eight barriers and three
		 * loop instructions, issued by warps of other blocks while one block waits. */
		{"barriers", "", "bar.sync 0;", (UNROLL + 3) / 2.0, 0.50},
		/* One L1 access per cycle: a coalesced load, and one of 32 lines that all hit. */
		{"L1 hits", "mul.wide.u32 %d1, %r21, 4; add.u64 %d1, %d10, %d1;",
		 "ld.global.u32 %r#, [%d1];", UNROLL, 0.30},
		{"L1 hits of 32 lines", "mul.wide.u32 %d1, %r21, 128; add.u64 %d1, %d10, %d1;",
		 "ld.global.u32 %r#, [%d1];", UNROLL * 32, 0.05},
		/* A constant address for each lane: 128 bytes, two lines of the cache. */
		{"diverging constants",
		 ".const .align 4 .b8 t[128]; mov.u64 %d2, t; mul.wide.u32 %d1, %r21, 4; add.u64 "
		 "%d1, %d2, %d1;",
		 "ld.const.u32 %r#, [%d1];", UNROLL * 2, 0.10},
		/* All lanes of all warps add to one word: the slice performs one addition per
		 * cycle, 32 per instruction. */
		{"atomics on one word", "", "red.global.add.u32 [%d10], 1;", UNROLL * 32, 0.05},
	};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		double got = run(c[i].before, c[i].line, (const char *[]){c[i].set, NULL});
		if (got < c[i].bound * 0.995 || got > c[i].bound * (1 + c[i].slack))
			fail_msg("%s: %.1f cycles a loop, expected %.1f", c[i].name, got,
				 c[i].bound);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_of_many_kinds)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
