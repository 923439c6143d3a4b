/* Closed forms of the SM's pipelines: cycles that can be computed by hand. */
#include "timing.h"

enum { READ = 2, WRITE = 3 }; /* sm.read_latency, sm.writeback_latency of the machines here */
#define ONE_SM "gpu.sms=1", "gpu.perfect_memory=yes", "sm.bank_conflicts=no"

/* A kernel with n copies of the line `body`, in which %% counts from 0 to count-1 and starts
 * again. */
static char *make(const char *decl, const char *body, unsigned n, unsigned count)
{
	char *text = malloc(4096 + n * (strlen(body) + 16)), *p = text;
	p += sprintf(p, HEAD "%s\n", decl);
	for (unsigned i = 0; i < n; i++) {
		for (const char *s = body; *s; s++)
			if (*s == '%' && s[1] == '%')
				p += sprintf(p, "%u", i % count), s++;
			else
				*p++ = *s;
		*p++ = '\n';
	}
	strcpy(p, "ret;\n}\n");
	return text;
}

static uint64_t cycles(const char *decl, const char *body, unsigned n, unsigned count,
		       unsigned warps, const char *const *set)
{
	char *text = make(decl, body, n, count);
	struct bench b = {.text = text, .kernel = "k", .block = {32}, .grid = {warps}};
	unsigned i = 0;
	while (*set)
		b.set[i++] = *set++;
	struct timed t = bench_run(&b);
	assert_int_equal(t.warp_instructions, (uint64_t)(n + 1) * warps);
	uint64_t c = t.cycles;
	timed_free(&t);
	free(text);
	return c;
}

/* Cycles per additional instruction. */
static double each(const char *decl, const char *body, unsigned count, unsigned warps,
		   const char *const *set)
{
	enum { N = 240 };
	return ((double)cycles(decl, body, 2 * N, count, warps, set) -
		(double)cycles(decl, body, N, count, warps, set)) /
	       N;
}

static const char regs[] =
	".reg .u32 %r<60>; .reg .u64 %d<40>; .reg .f32 %f<40>; .reg .f64 %g<40>; .reg .pred %p<4>;";

static void a_dependent_waits_for_the_latency(void **state)
{
	(void)state;
	static const struct {
		const char *body;
		unsigned lat;
	} op[] = {
		{"add.u32 %r1, %r1, %r2;", 4},         {"mul.lo.u32 %r1, %r1, %r2;", 4},
		{"mad.lo.u32 %r1, %r1, %r2, %r3;", 5}, {"min.s32 %r1, %r1, %r2;", 13},
		{"div.u32 %r1, %r1, 3;", 145},         {"add.f32 %f1, %f1, %f2;", 4},
		{"fma.rn.f32 %f1, %f1, %f2, %f3;", 5}, {"rcp.approx.f32 %f1, %f1;", 8},
		{"div.rn.f32 %f1, %f1, %f2;", 39},     {"add.f64 %g1, %g1, %g2;", 8},
		{"div.rn.f64 %g1, %g1, %g2;", 330},
	};
	const char *set[] = {ONE_SM, NULL};
	for (size_t i = 0; i < sizeof op / sizeof *op; i++) {
		double c = each(regs, op[i].body, 1, 1, set);
		if (c != READ + 1 + op[i].lat + WRITE)
			fail_msg("%s: %g cycles, expected %u", op[i].body, c,
				 READ + 1 + op[i].lat + WRITE);
	}
}

static void units_take_one_each_interval(void **state)
{
	(void)state;
	static const struct {
		const char *body;
		double cycles; /* cycles for one instruction of each of 8 warps */
	} op[] = {
		{"add.u32 %r%%, %r%%, %r31;", 8 * 0.5},  /* two ALUs, interval 1; two schedulers */
		{"mul.lo.u32 %r%%, %r%%, %r31;", 8 * 1}, /* two ALUs, interval 2 */
		{"rcp.approx.f32 %f%%, %f%%;", 8 * 8},   /* one SFU */
		{"add.f64 %g%%, %g%%, %g31;", 8 * 8},    /* one DP unit */
		{"div.rn.f64 %g%%, %g%%, %g31;", 8 * 130},
	};
	const char *set[] = {ONE_SM, "sm.fetch_width=2", "sm.ibuffer=4", "sm.fetch_bytes=32", NULL};
	for (size_t i = 0; i < sizeof op / sizeof *op; i++) {
		double c = each(regs, op[i].body, 16, 8, set);
		if (c < op[i].cycles * 0.99 || c > op[i].cycles * 1.03)
			fail_msg("%s: %g cycles, expected %g", op[i].body, c, op[i].cycles);
	}
}

static void narrow_pipelines_take_more_cycles(void **state)
{
	(void)state;
	for (unsigned width = 1; width <= 32; width *= 2) {
		char w[32];
		snprintf(w, sizeof w, "sm.simd_width=%u", width);
		const char *set[] = {
			ONE_SM, w, "sm.sp_units=1", "sm.schedulers=1", "sm.fetch_width=2", NULL};
		double c = each(regs, "add.u32 %r%%, %r%%, %r31;", 16, 8, set),
		       want = 8.0 * 32 / width;
		if (c < want * 0.99 || c > want * 1.05)
			fail_msg("width %u: %g cycles, expected %g", width, c, want);
	}
}

/* On a narrow pipeline the lanes of a warp pass in several beats. Reading operands adds nothing to
 * these beats, with banks or without. */
static void a_narrow_pipeline_adds_its_beats_once(void **state)
{
	(void)state;
	for (unsigned width = 1; width <= 32; width *= 2) {
		char w[32];
		snprintf(w, sizeof w, "sm.simd_width=%u", width);
		const char *without[] = {ONE_SM, w, NULL};
		const char *with[] = {"gpu.sms=1", "gpu.perfect_memory=yes", w, NULL};
		unsigned want = READ + 1 + 4 + WRITE + 32 / width - 1;
		assert_int_equal((int)each(regs, "add.u32 %r1, %r1, %r2;", 1, 1, without), want);
		assert_int_equal((int)each(regs, "add.u32 %r1, %r1, %r2;", 1, 1, with), want);
	}
}

/* An instruction cache and a decoder without latency: a fetched instruction is available in the
 * next cycle. */
static void instructions_arrive_without_latency(void **state)
{
	(void)state;
	const char *none[] = {ONE_SM, "sm.decode_latency=0", "l1i.latency=0", NULL};
	const char *one[] = {ONE_SM, "sm.decode_latency=0", "l1i.latency=1", NULL};
	const char *body = "add.u32 %r1, %r1, %r2;";
	assert_int_equal(cycles(regs, body, 64, 1, 2, none), cycles(regs, body, 64, 1, 2, one));
}

static void bank_conflicts_serialise(void **state)
{
	(void)state;
	/* One bank: three operands take three cycles instead of one. */
	const char *free_[] = {"gpu.sms=1", "gpu.perfect_memory=yes", "sm.bank_conflicts=no", NULL};
	const char *one[] = {"gpu.sms=1", "gpu.perfect_memory=yes", "sm.register_banks=1", NULL};
	const char *body = "mad.lo.u32 %r1, %r1, %r2, %r3;";
	assert_int_equal((int)each(regs, body, 1, 1, one) - (int)each(regs, body, 1, 1, free_), 2);
}

/* Cycles between a kernel with n copies of a piece of code and one with 2n, for each copy. */
static double per_copy(const char *piece, unsigned count, unsigned warps, const char *const *set)
{
	enum { N = 64 };
	double c[2];
	for (unsigned k = 0; k < 2; k++) {
		char *text = make(regs, piece, N << k, count);
		struct bench b = {.text = text, .kernel = "k", .block = {32}, .grid = {warps}};
		for (unsigned i = 0; set[i]; i++)
			b.set[i] = set[i];
		struct timed t = bench_run(&b);
		c[k] = (double)t.cycles;
		timed_free(&t);
		free(text);
	}
	return (c[1] - c[0]) / N;
}

#define ONE_PIPE                                                                                   \
	ONE_SM, "sm.schedulers=1", "sm.sp_units=1", "sm.ports_sp=1", "sm.scheduler=gto",           \
		"sm.ibuffer=16", "sm.fetch_bytes=128"

static void a_port_is_taken_when_the_unit_is_entered(void **state)
{
	(void)state;
	/* An addition that enters in cycle 0 is written 4 cycles later, in the cycle of the third
	 * instruction after it, which takes 1 cycle and enters in cycle 3. With one port, that
	 * instruction enters in cycle 4. */
	const char *piece = "add.u32 %r%%, %r%%, 1; not.b32 %r1%%, %r1%%; not.b32 %r2%%, %r2%%; "
			    "not.b32 %r3%%, %r3%%;";
	const char *one[] = {ONE_PIPE, "sm.logic_latency=1", "sm.writeback_ports=1", NULL};
	const char *two[] = {ONE_PIPE, "sm.logic_latency=1", "sm.writeback_ports=2", NULL};
	const char *same[] = {ONE_PIPE, "sm.logic_latency=4", "sm.writeback_ports=1", NULL};
	double c = per_copy(piece, 10, 2, one) / 2;
	if (c < 5 * 0.98 || c > 5 * 1.02)
		fail_msg("one port: %g cycles for four instructions, expected 5", c);
	c = per_copy(piece, 10, 2, two) / 2;
	if (c < 4 * 0.99 || c > 4 * 1.03)
		fail_msg("two ports: %g cycles for four instructions, expected 4", c);
	c = per_copy(piece, 10, 2, same) / 2;
	if (c < 4 * 0.99 || c > 4 * 1.03)
		fail_msg("equal latencies: %g cycles for four instructions, expected 4", c);
}

static void a_bank_is_not_read_while_it_is_written(void **state)
{
	(void)state;
	/* One bank. Seven moves of a constant, issued in cycles 0 to 6, read nothing, enter the
	 * unit two cycles after issue and are written 4 + 3 cycles later: 9 to 15. The eighth
	 * instruction, issued in cycle 7, would read in 9 and reads in 16. So the ninth, which
	 * needs its result, issues seven cycles later too. */
	char *text = make(regs, "mov.u32 %r%%, 1;", 7, 7), *p = strstr(text, "ret;");
	p += sprintf(p, "add.u32 %%r10, %%r11, 1; add.u32 %%r10, %%r10, 1;");
	for (unsigned i = 0; i < 7; i++) /* someone needs them */
		p += sprintf(p, "add.u32 %%r10, %%r10, %%r%u;", i);
	strcpy(p, "ret; }");
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {32},
			  .grid = {1},
			  .set = {"gpu.sms=1", "gpu.perfect_memory=yes", "sm.register_banks=1",
				  "sm.schedulers=1", "sm.ibuffer=16", "sm.fetch_bytes=128",
				  "sm.logic_latency=4"}};
	struct timed t = bench_run(&b);
	json_t *ninth = json_array_get(t.profile, 8);
	assert_int_equal(json_integer_value(json_object_get(ninth, "stall_cycles")),
			 READ + 4 + WRITE + (16 - 9));
	timed_free(&t);
	free(text);
}

static void ports_limit_what_enters_the_collectors(void **state)
{
	(void)state;
	for (unsigned ports = 1; ports <= 2; ports++) {
		char p[32];
		snprintf(p, sizeof p, "sm.ports_sp=%u", ports);
		const char *set[] = {ONE_SM, "sm.fetch_width=2", p, NULL};
		double c = each(regs, "add.u32 %r%%, %r%%, %r31;", 16, 8, set), want = 8.0 / ports;
		if (c < want * 0.99 || c > want * 1.04)
			fail_msg("%u ports: %g cycles, expected %g", ports, c, want);
	}
}

static void a_taken_branch_costs_the_way_through_the_front_end(void **state)
{
	(void)state;
	static const struct {
		const char *redirect, *ibuffer;
		double cycles;
	} form[] = {
		/* Fetch in the branch's own cycle, one for the cache, one for decoding. */
		{"sm.quirks=-late-redirect", "sm.ibuffer=2", 2},
		/* The instruction after the branch is in the buffer; the next cycle discards it and
		 * fetches. */
		{"sm.quirks=+late-redirect", "sm.ibuffer=2", 3},
		/* The wrong instruction is fetched first, which takes two cycles before it is
		 * discarded. */
		{"sm.quirks=+late-redirect", "sm.ibuffer=1", 4},
	};
	for (size_t i = 0; i < sizeof form / sizeof *form; i++)
		for (const char *const *s = (const char *[]){"sm.scheduler=gto", "sm.scheduler=lrr",
							     "sm.scheduler=oldest",
							     "sm.scheduler=two-level-active", NULL};
		     *s; s++) {
			const char *set[] = {ONE_SM, form[i].redirect, form[i].ibuffer, *s, NULL};
			double c = per_copy("bra L%%; mov.u32 %r1, 1; L%%:", 1000, 1, set);
			if (c != form[i].cycles)
				fail_msg("%s, %s, %s: %g cycles, expected %g", form[i].redirect,
					 form[i].ibuffer, *s, c, form[i].cycles);
		}
}

static void a_scheduler_sees_only_what_it_comes_to(void **state)
{
	(void)state;
	/* Warp 0 issues additions without end; warp 2, younger and of the same scheduler, branches.
	 * Oldest-first never reaches warp 2 in a cycle in which warp 0 issues, so its branches wait
	 * until warp 0 has nothing to issue. */
	static const char kernel[] = HEAD ".reg .u32 %r<40>; .reg .pred %p; mov.u32 %r1, %ctaid.x; "
					  "setp.eq.u32 %p, %r1, 0; @%p bra BUSY;\n"
					  "bra L0; mov.u32 %r2, 1; L0: bra L1; mov.u32 %r2, 1; L1: "
					  "bra L2; mov.u32 %r2, 1; L2: ret;\n BUSY:\n";
	char text[16384], *p = text + sprintf(text, "%s", kernel);
	for (unsigned i = 0; i < 256; i++)
		p += sprintf(p, "add.u32 %%r%u, %%r30, %%r31;\n", 3 + i % 16);
	strcpy(p, "ret; }\n");
	uint64_t c[2];
	for (unsigned i = 0; i < 2; i++) {
		/* clang-format off */
		struct bench b = {.text = text, .kernel = "k", .block = {32}, .grid = {2},
				  .set = {ONE_SM, "sm.schedulers=1", "sm.fetch_width=2", "sm.ibuffer=4", "sm.fetch_bytes=32",
					  "sm.scheduler=oldest", i ? "sm.quirks=+late-redirect" : "sm.quirks=-late-redirect"}};
		/* clang-format on */
		struct timed t = bench_run(&b);
		c[i] = t.cycles;
		timed_free(&t);
	}
	if (c[1] <= c[0])
		fail_msg("by the scheduler %llu cycles, at once %llu", (unsigned long long)c[1],
			 (unsigned long long)c[0]);
}

static void two_of_a_warp_in_a_cycle(void **state)
{
	(void)state;
	/* One scheduler, two instructions per cycle. Two additions may issue together unless the
	 * units must differ; an addition and a special function may in any case, but a special
	 * function can issue only every 8 cycles. */
	static const struct {
		const char *piece, *differ;
		double cycles;
	} form[] = {
		{"add.u32 %r%%, %r%%, 1; add.u32 %r1%%, %r1%%, 1;", "sm.issue_differ=no", 1},
		{"add.u32 %r%%, %r%%, 1; add.u32 %r1%%, %r1%%, 1;", "sm.issue_differ=yes", 2},
		{"add.u32 %r%%, %r%%, 1; sin.approx.f32 %f%%, %f%%;", "sm.issue_differ=yes", 8},
	};
	for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
		/* clang-format off */
		const char *set[] = {ONE_SM, "sm.schedulers=1", "sm.issue_width=2", "sm.scheduler=gto", "sm.ibuffer=16", "sm.fetch_bytes=128",
				     form[i].differ, NULL};
		/* clang-format on */
		double c = per_copy(form[i].piece, 10, 4, set) / 4;
		if (c < form[i].cycles * 0.99 || c > form[i].cycles * 1.04)
			fail_msg("%s, %s: %g cycles, expected %g", form[i].piece, form[i].differ, c,
				 form[i].cycles);
	}
}

static void locked_one_warp_every_24_cycles(void **state)
{
	(void)state;
	const char *set[] = {"gpu.sms=1",       "gpu.perfect_memory=yes", "sm.pipeline=locked",
			     "sm.simd_width=8", "sm.schedulers=1",        NULL};
	for (unsigned warps = 1; warps <= 8; warps++) {
		double c = each(regs, "add.u32 %r1, %r1, %r2;", 1, warps, set),
		       want = warps < 6 ? 24 : 4 * warps;
		if (c != want)
			fail_msg("%u warps: %g cycles, expected %g", warps, c, want);
	}
}

static void locked_seven_warps_take_28_cycles_a_round(void **state)
{
	(void)state;
	/* Warp sizes and widths: the port is busy size / width cycles, the depth is the floor. */
	static const unsigned shape[][3] = {{32, 16, 24}, {32, 32, 24}, {64, 8, 56},
					    {16, 8, 24},  {16, 4, 28},  {8, 1, 56}};
	for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
		char w[32], s[32];
		snprintf(w, sizeof w, "gpu.warp_size=%u", shape[i][0]);
		snprintf(s, sizeof s, "sm.simd_width=%u", shape[i][1]);
		/* clang-format off */
		const char *set[] = {"gpu.sms=1", "gpu.perfect_memory=yes", "sm.pipeline=locked", "sm.schedulers=1", w, s, NULL};
		/* clang-format on */
		char *text[2] = {make(regs, "add.u32 %r1, %r1, %r2;", 100, 1),
				 make(regs, "add.u32 %r1, %r1, %r2;", 200, 1)};
		uint64_t c[2];
		for (int k = 0; k < 2; k++) {
			struct bench b = {.text = text[k],
					  .kernel = "k",
					  .block = {shape[i][0]},
					  .grid = {7}};
			memcpy(b.set, set, sizeof set);
			struct timed t = bench_run(&b);
			c[k] = t.cycles;
			timed_free(&t);
			free(text[k]);
		}
		assert_int_equal(c[1] - c[0], 100 * shape[i][2]);
	}
}

static void shared_conflicts(void **state)
{
	(void)state;
	for (unsigned stride = 1; stride <= 32; stride++) {
		char decl[512];
		snprintf(decl, sizeof decl,
			 "%s .shared .b32 s[1024]; mov.u32 %%r37, s; mov.u32 %%r38, %%laneid; "
			 "mad.lo.u32 %%r39, %%r38, %u, %%r37;",
			 regs, 4 * stride);
		const char *set[] = {ONE_SM, NULL};
		enum { WARPS = 48 };                /* enough to hide the latency */
		unsigned degree = stride & -stride; /* gcd(stride, 32) */
		char *text[2];
		uint64_t c[2];
		for (int k = 0; k < 2; k++) {
			text[k] = make(decl, "ld.shared.u32 %r%%, [%r39];", 100u << k, 16);
			struct bench b = {.text = text[k],
					  .kernel = "k",
					  .block = {32 * WARPS / 8},
					  .grid = {8}};
			memcpy(b.set, set, sizeof set);
			struct timed t = bench_run(&b);
			c[k] = t.cycles;
			assert_int_equal(figure(&t, "sm", "shared_cycles"),
					 (uint64_t)degree * figure(&t, "sm", "shared_accesses"));
			timed_free(&t);
			free(text[k]);
		}
		double per = (double)(c[1] - c[0]) / (100 * WARPS);
		if (per < degree * 0.99 || per > degree * 1.04)
			fail_msg("stride %u: %g cycles a load, expected %u", stride, per, degree);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dependent_waits_for_the_latency),
		cmocka_unit_test(units_take_one_each_interval),
		cmocka_unit_test(narrow_pipelines_take_more_cycles),
		cmocka_unit_test(a_narrow_pipeline_adds_its_beats_once),
		cmocka_unit_test(instructions_arrive_without_latency),
		cmocka_unit_test(bank_conflicts_serialise),
		cmocka_unit_test(a_port_is_taken_when_the_unit_is_entered),
		cmocka_unit_test(a_bank_is_not_read_while_it_is_written),
		cmocka_unit_test(ports_limit_what_enters_the_collectors),
		cmocka_unit_test(a_taken_branch_costs_the_way_through_the_front_end),
		cmocka_unit_test(a_scheduler_sees_only_what_it_comes_to),
		cmocka_unit_test(two_of_a_warp_in_a_cycle),
		cmocka_unit_test(locked_one_warp_every_24_cycles),
		cmocka_unit_test(locked_seven_warps_take_28_cycles_a_round),
		cmocka_unit_test(shared_conflicts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
