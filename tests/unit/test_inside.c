/* Lanes inside a sub-core (sm/lanes/inside.h) on the pipeline with control bits: which parts of a warp take no cycle of a
 * pipe, what temporal lanes cost, scalar instructions, and what is refused. */
#include "timing.h"

enum { WARPS = 16, ROUNDS = 20, OPS = 16 };

/* Lanes of `mask` compute OPS independent square roots per round; a sub-core's pipe for them is 4 lanes wide. */
static const char *roots(uint32_t mask)
{
	static char text[8192];
	char *s = text;
	s += sprintf(
		s,
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".visible .entry k(.param .u64 in, .param .u64 out) {\n"
		".reg .u64 %%a; .reg .b32 %%l, %%m, %%n; .reg .f32 %%f<%d>; .reg .pred %%p, %%q;\n"
		"ld.param.u64 %%a, [out]; mov.u32 %%l, %%laneid; mov.u32 %%m, %u; shr.u32 %%m, %%m, %%l;\n"
		"and.b32 %%m, %%m, 1; setp.ne.u32 %%p, %%m, 0; mov.u32 %%n, %d; cvt.rn.f32.u32 %%f0, %%l;\n",
		OPS + 1, mask, ROUNDS);
	for (unsigned i = 1; i <= OPS; i++)
		s += sprintf(s, "add.f32 %%f%u, %%f0, 0f%08x;\n", i, 0x3f800000 + i);
	s += sprintf(s, "L:\n");
	for (unsigned i = 1; i <= OPS; i++)
		s += sprintf(s, "@%%p sqrt.approx.ftz.f32 %%f%u, %%f%u;\n", i, i);
	s += sprintf(s, "sub.u32 %%n, %%n, 1; setp.ne.u32 %%q, %%n, 0; @%%q bra L;\n");
	for (unsigned i = 2; i <= OPS; i++)
		s += sprintf(s, "add.f32 %%f1, %%f1, %%f%u;\n", i);
	sprintf(s, "@%%p st.global.f32 [%%a], %%f1; ret; }\n");
	return text;
}

static double time_of(const char *lanes, uint32_t mask)
{
	struct bench b = {.config = "h200-sm90",
			  .set = {lanes, "gpu.sms=1", "gpu.gpcs=A"},
			  .text = roots(mask),
			  .kernel = "k",
			  .grid = {1},
			  .block = {32 * WARPS},
			  .bytes = 64};
	struct timed t = bench_run(&b);
	double r = (double)t.cycles;
	timed_free(&t);
	return r;
}

/* Compares with a full warp on plain sub-cores: below the given share of its time, or within 3 %. */
static void faster(const char *lanes, uint32_t mask, double whole, bool yes)
{
	double r = time_of(lanes, mask) / whole;
	if (yes ? r > 0.7 : r < 0.97 || r > 1.03)
		fail_msg("%s, lanes %08x: %.3f of a full warp's time", lanes, mask, r);
}

static void parts_without_threads_take_no_cycle(void **state)
{
	(void)state;
	double whole = time_of("sm.lanes=sub-cores", ~0u);
	static const struct {
		uint32_t mask;
		bool bcc, hws, scc;
	} row[] = {
		{~0u, false, false, false},
		{0xf, true, true, true}, /* one aligned part of four */
		{0x08040201, false, true,
		 true}, /* a thread in every second part, each in another lane */
		{0x01010101, false, false, true}, /* all in one lane */
	};
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		faster("sm.lanes=sub-cores", row[i].mask, whole, false);
		faster("sm.lanes=simt", row[i].mask, whole, false);
		/* four parts of eight take half the time, whatever is squeezed */
		faster("sm.lanes=bcc", row[i].mask, whole, row[i].bcc || row[i].mask != ~0u);
		faster("sm.lanes=hws", row[i].mask, whole, row[i].hws || row[i].mask != ~0u);
		faster("sm.lanes=scc", row[i].mask, whole, row[i].scc);
	}
	double bcc = time_of("sm.lanes=bcc", 0x08040201), hws = time_of("sm.lanes=hws", 0x08040201),
	       one = time_of("sm.lanes=hws", 0x01010101), scc = time_of("sm.lanes=scc", 0x01010101);
	assert_true(hws < 0.8 * bcc);
	assert_true(scc < 0.8 * one);
	assert_true(time_of("sm.lanes=bcc", 0x01010101) == one);
}

/* A warp alone waits in its lane for its last bundle; sixteen warps keep four lanes as busy as a whole pipe. */
static void temporal_lanes_have_their_part_of_a_pipe(void **state)
{
	(void)state;
	double whole = time_of("sm.lanes=sub-cores", ~0u), four = time_of("sm.lanes=stsimt4", ~0u);
	assert_true(four > 0.97 * whole && four < 1.25 * whole);
	assert_true(time_of("sm.lanes=stsimt4", 0xff) < 0.6 * four);
	double same = time_of("sm.lanes=temporal", 0xff);
	assert_true(same > 0); /* temporal.width = 1 */
}

static const char *refusal(const char *a, const char *b)
{
	static char why[512];
	struct heddle *h;
	const char *const set[] = {"sm.pipeline=volta", a, b, NULL};
	setenv("HEDDLE_CONF", "conf", 0);
	enum heddle_status s = heddle_open(
		&h, &(struct heddle_options){.config = "h200-sm90", .set = set, .timing = true});
	snprintf(why, sizeof why, "%s", s ? heddle_message(h) : "");
	heddle_close(h);
	return why;
}

static void what_lacks_a_wire_is_refused(void **state)
{
	(void)state;
	assert_non_null(strstr(refusal("sm.lanes=tsimt-free", "sm.schedulers=4"),
			       "a wire from all registers"));
	assert_non_null(strstr(refusal("sm.lanes=temporal", "temporal.bind=no"),
			       "a wire from all registers"));
	assert_non_null(strstr(refusal("sm.lanes=temporal", "temporal.width=32"), "do not divide"));
	assert_non_null(strstr(refusal("sm.scalar=all", "sm.lanes=sub-cores"), "scalar datapath"));
	assert_string_equal(refusal("sm.scalar=all", "sm.lanes=hws"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_without_threads_take_no_cycle),
		cmocka_unit_test(temporal_lanes_have_their_part_of_a_pipe),
		cmocka_unit_test(what_lacks_a_wire_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
