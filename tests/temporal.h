/* Helpers of the tests of temporal lanes: a kernel of independent arithmetic with a given number of
 * active threads per warp, and its instructions per cycle. */
#ifndef TESTS_TEMPORAL_H
#define TESTS_TEMPORAL_H
#include "timing.h"

/* Number of instructions, large enough to make the start and end of a warp negligible. */
enum { ROUNDS = 120, ADDS = 32, BODY = ADDS + 3 };

static char text[16384];
static inline const char *arithmetic(void)
{
	char *s = text;
	s += sprintf(s,
		     HEAD ".reg .u32 %%r<64>; .reg .pred %%p<4>;\n"
			  "ld.param.u32 %%r60, [n0]; mov.u32 %%r61, %%laneid;\n"
			  "setp.ge.u32 %%p1, %%r61, %%r60; @%%p1 bra E; mov.u32 %%r62, %d;\nL:\n",
		     ROUNDS);
	for (unsigned i = 0; i < ADDS; i++)
		s += sprintf(s, "add.u32 %%r%u, %%r%u, %u;\n", 1 + i % 8, 1 + i % 8, i);
	s += sprintf(
		s,
		"sub.u32 %%r62, %%r62, 1; setp.ne.u32 %%p2, %%r62, 0; @%%p2 bra L;\nE: ret;\n}\n");
	return text;
}

static inline double ipc(const char *lanes, unsigned warps, unsigned active, const char *more)
{
	char set[64];
	snprintf(set, sizeof set, "sm.lanes=%s", lanes);
	struct bench b = {.config = "stsimt",
			  .set = {set, "gpu.sms=1", "gpu.perfect_memory=yes", "l1i.sets=64", more},
			  .text = arithmetic(),
			  .kernel = "k",
			  .grid = {warps},
			  .block = {32},
			  .n = {active},
			  .bytes = 64};
	if (warps > 16)
		b.grid[0] = warps / 2, b.block[0] = 64;
	struct timed t = bench_run(&b);
	double r = (double)figure(&t, "sm", "thread_instructions") / (double)t.cycles;
	timed_free(&t);
	return r;
}

static inline void near(double got, double want, double part)
{
	if (got < want * (1 - part) || got > want * (1 + part))
		fail_msg("%.3f, expected %.3f", got, want);
}

#endif
