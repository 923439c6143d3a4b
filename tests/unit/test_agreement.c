/* Figures of a run in timing mode that must agree with each other.
 *
 * Without arguments: kernels of several kinds on the shipped machines. With arguments: files that
 * --stats has written are checked, and the first disagreement in each is printed (tests/machines.sh
 * does that). */
#include "timing.h"

/* A DRAM request is counted as hit, miss or conflict with its first command, and as done with its
 * last. When a launch ends, at most one write per bank is between the two, and is counted as done
 * in a later launch. */
static uint64_t begun;
static void check_dram(struct agreement *a, const json_t *launch)
{
	enum { BANKS = 64 * 64 };
	const json_t *o = json_object_get(json_object_get(launch, "timing"), "dram");
	begun += figure_of(o, "row_hits") + figure_of(o, "row_misses") +
		 figure_of(o, "row_conflicts");
	uint64_t done = figure_of(o, "reads") + figure_of(o, "writes");
	if (begun < done || begun - done > BANKS)
		agree(a, "dram", "row hits, misses, conflicts and requests", begun, done);
	begun -= done;
}

static bool check_launch(const char *file, const json_t *launch)
{
	struct agreement a = {""};
	const json_t *slice = json_object_get(json_object_get(launch, "timing"), "slice");
	agree_launch(&a, launch);
	check_dram(&a, launch);
	agree(&a, "slice", "requests and replies", figure_of(slice, "requests"),
	      figure_of(slice, "replies"));
	if (a.why[0])
		fprintf(stderr, "%s: %s\n", file, a.why);
	return !a.why[0];
}

static bool check_file(const char *path)
{
	json_error_t e;
	json_t *all = json_load_file(path, 0, &e), *launch;
	size_t i;
	bool good = all != NULL;
	begun = 0;
	if (!all)
		fprintf(stderr, "%s: %s\n", path, e.text);
	json_array_foreach (json_object_get(all, "launches"), i, launch)
		good = good && check_launch(path, launch);
	json_decref(all);
	return good;
}

/* ---- kernels ---- */

#define COMMON                                                                                     \
	".reg .u32 %r<20>; .reg .u64 %d<8>; .reg .f32 %f<8>; .reg .pred %p<4>; ld.param.u64 %d1, " \
	"[pin]; ld.param.u64 %d2, [pout];\n"                                                       \
	"mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, "  \
	"%r2, %r3;\n"                                                                              \
	"mul.wide.u32 %d3, %r1, 4; add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;\n"
static const char *const kernel[] = {
	/* streaming */
	HEAD COMMON
	"ld.global.u32 %r4, [%d4]; add.u32 %r4, %r4, 1; st.global.u32 [%d5], %r4;\nret;\n}\n",
	/* scattered loads */
	HEAD COMMON "mul.lo.u32 %r4, %r1, 77; and.b32 %r4, %r4, 4095; mul.wide.u32 %d6, %r4, 4; "
		    "add.u64 %d6, %d1, %d6;\n"
		    "ld.global.u32 %r5, [%d6]; st.global.u32 [%d5], %r5;\nret;\n}\n",
	/* atomics on few words */
	HEAD COMMON "and.b32 %r4, %r1, 7; mul.wide.u32 %d6, %r4, 4; add.u64 %d6, %d2, %d6; "
		    "atom.global.add.u32 %r5, [%d6], 1;\nret;\n}\n",
	/* shared memory with conflicts, barriers */
	HEAD COMMON ".shared .b32 s[1024]; mov.u32 %r6, s; and.b32 %r4, %r3, 31; mad.lo.u32 %r4, "
		    "%r4, 128, %r6;\n"
		    "st.shared.u32 [%r4], %r1; bar.sync 0; ld.shared.u32 %r5, [%r4]; bar.sync 0; "
		    "st.global.u32 [%d5], %r5;\nret;\n}\n",
	/* divergence, special functions, double precision */
	HEAD COMMON ".reg .f64 %g<4>; and.b32 %r4, %r3, 1; setp.eq.u32 %p1, %r4, 0; cvt.rn.f32.u32 "
		    "%f1, %r1; cvt.rn.f64.u32 %g1, %r1;\n"
		    "@%p1 bra A; sin.approx.f32 %f2, %f1; ex2.approx.f32 %f2, %f2; bra B;\nA: "
		    "add.f64 %g2, %g1, %g1; cvt.rn.f32.f64 %f2, %g2;\n"
		    "B: st.global.f32 [%d5], %f2;\nret;\n}\n",
};

static void figures_agree_on_shipped_machines(void **state)
{
	(void)state;
	static const char *const machine[] = {"hws",    "gtx480",        "gtx480-700",
					      "stsimt", "quadro-fx5800", "tesla-c2050"};
	enum { BLOCKS = 32, THREADS = 128, BYTES = BLOCKS * THREADS * 4 };
	static uint32_t in[BYTES / 4];
	for (size_t m = 0; m < sizeof machine / sizeof *machine; m++)
		for (size_t k = 0; k < sizeof kernel / sizeof *kernel; k++) {
			struct bench b = {.config = machine[m],
					  .text = kernel[k],
					  .kernel = "k",
					  .grid = {BLOCKS},
					  .block = {THREADS},
					  .in = in,
					  .in_bytes = BYTES,
					  .bytes = BYTES,
					  .set = {"gpu.sms=3"}};
			struct timed t = bench_run(&b);
			begun = 0;
			if (!check_launch(machine[m], t.launch))
				fail_msg("kernel %zu on %s", k, machine[m]);
			timed_free(&t);
		}
}

/* A warp with more instructions than the histogram has bars is counted in the last bar. */
static void long_warps_are_in_the_last_bar(void **state)
{
	(void)state;
	enum { BARS = 41, ADDS = 100 };
	char text[8192], *s = text + sprintf(text, "%s.reg .u32 %%r<4>;\n", HEAD);
	for (unsigned i = 0; i < ADDS; i++)
		s += sprintf(s, "add.u32 %%r1, %%r1, %u;\n", i);
	sprintf(s, "ret;\n}\n");
	struct bench b = {.config = "gtx480",
			  .text = text,
			  .kernel = "k",
			  .grid = {3},
			  .block = {64},
			  .set = {"gpu.sms=1", "blocks.histogram_step=2", NULL}};
	struct timed t = bench_run(&b);
	const json_t *bars = json_object_get(
		json_object_get(json_object_get(t.launch, "timing"), "block"), "instructions");
	assert_int_equal(json_array_size(bars), BARS);
	for (unsigned i = 0; i < BARS; i++)
		assert_int_equal(json_integer_value(json_array_get(bars, i)),
				 i == BARS - 1 ? 6 : 0);
	timed_free(&t);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(figures_agree_on_shipped_machines),
					   cmocka_unit_test(long_warps_are_in_the_last_bar)};
	int status = 0;
	if (argc < 2)
		return cmocka_run_group_tests(tests, NULL, NULL);
	for (int i = 1; i < argc; i++)
		status |= !check_file(argv[i]);
	return status;
}
