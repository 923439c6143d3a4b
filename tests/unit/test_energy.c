/* Identities of real runs' energies, on every machine: components, classes and instances add up to
 * the total, counters to the events they count, samples and lines to the launch, and nothing
 * depends on the number of host threads. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "validate/validate.h"
#include "heddle.h"

/* Full and partial warps, shared memory, barriers, stores. */
static const char ptx[] =
	".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
	".reg .pred %p;\n.reg .b32 %r<8>;\n.reg .b64 %d<4>;\n.reg .f32 %f<4>;\n.shared .align 4 .b8 s[1024];\n"
	"ld.param.u64 %d0, [out];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r2, %r1, 256, %r0;\n"
	"mul.wide.u32 %d1, %r2, 4;\nadd.u64 %d2, %d0, %d1;\ncvt.rn.f32.u32 %f0, %r2;\nmov.u32 %r3, s;\n"
	"mad.lo.u32 %r4, %r0, 4, %r3;\nmov.u32 %r5, 0;\nL:\nfma.rn.f32 %f0, %f0, %f0, %f0;\nst.shared.f32 [%r4], %f0;\n"
	"bar.sync 0;\nld.shared.f32 %f1, [%r4];\nand.b32 %r6, %r0, 3;\nsetp.eq.u32 %p, %r6, 0;\n"
	"@%p add.f32 %f0, %f1, %f0;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p, %r5, 8;\n@%p bra L;\n"
	"st.global.f32 [%d2], %f0;\nret;\n}\n";
enum { BLOCKS = 24, LOOPS = 8, WARPS = BLOCKS * 8 };

static json_t *run(const char *machine, const char *const *set, unsigned threads,
		   const char *samples)
{
	struct heddle_options o = {
		.config = machine, .set = set, .timing = true, .threads = threads};
	struct heddle_text text = {.name = "k", .data = ptx, .size = sizeof ptx - 1};
	struct heddle *h;
	struct heddle_module *m;
	uint64_t out;
	o.sample = samples ? 300 : 0;
	o.sample_file = samples;
	assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
	assert_int_equal(heddle_load(h, &text, 1, &m), HEDDLE_OK);
	assert_int_equal(heddle_malloc(h, BLOCKS * 1024, &out), HEDDLE_OK);
	struct heddle_launch l = {.kernel = heddle_kernel_at(m, 0),
				  .grid = {BLOCKS, 1, 1},
				  .block = {256, 1, 1},
				  .params = &out};
	assert_int_equal(heddle_launch(h, &l), HEDDLE_OK);
	char *s = heddle_stats_json(h);
	json_t *j = json_loads(s, 0, NULL);
	assert_non_null(j);
	free(s);
	heddle_close(h);
	return j;
}

/* The energy of a class in a launch of two blocks on two SMs, where block `which` computes in
 * floating point and the other block with integers. */
static double class_joule(unsigned which, const char *name)
{
	static const char text[] =
		".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 which)\n{\n"
		".reg .pred %p;\n.reg .b32 %r<4>;\n.reg .f32 %f;\n.reg .b64 %d;\nld.param.u64 %d, [which];\n"
		"cvt.u32.u64 %r0, %d;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, 400;\nmov.f32 %f, 0f3f800000;\n"
		"setp.eq.u32 %p, %r0, %r1;\n@%p bra F;\n"
		"I: add.u32 %r3, %r3, %r2;\nsub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p, %r2, 0;\n@%p bra I;\nret;\n"
		"F: fma.rn.f32 %f, %f, %f, %f;\nsub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p, %r2, 0;\n@%p bra F;\nret;\n}\n";
	static const char *const set[] = {"gpu.sms=2", NULL};
	uint64_t params = which;
	struct heddle_options o = {.config = "gtx480", .set = set, .timing = true, .threads = 1};
	struct heddle *h;
	struct heddle_module *m;
	assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
	assert_int_equal(heddle_load(h, &(struct heddle_text){"k", text, sizeof text - 1}, 1, &m),
			 HEDDLE_OK);
	struct heddle_launch l = {.kernel = heddle_kernel_at(m, 0),
				  .grid = {2, 1, 1},
				  .block = {256, 1, 1},
				  .params = &params};
	assert_int_equal(heddle_launch(h, &l), HEDDLE_OK);
	char *s = heddle_stats_json(h);
	json_t *j = json_loads(s, 0, NULL);
	free(s);
	heddle_close(h);
	double x = json_number_value(json_object_get(
		json_object_get(json_object_get(json_array_get(json_object_get(j, "launches"), 0),
						"timing"),
				"energy"),
		name));
	json_decref(j);
	return x;
}

/* Energy that belongs to no instruction is shared by the instructions of all SMs, whichever SM
 * executes them. */
static void classes_of_all_sms(void **state)
{
	(void)state;
	static const char *const name[] = {"class.int", "class.fp32", "class.control"};
	for (unsigned i = 0; i < 3; i++) {
		double a = class_joule(0, name[i]), b = class_joule(1, name[i]);
		assert_true(a > 0 && fabs(a - b) < 0.01 * a);
	}
}

static json_t *timing(json_t *all)
{
	return json_object_get(json_array_get(json_object_get(all, "launches"), 0), "timing");
}

static double number(const json_t *o, const char *part, const char *name)
{
	const json_t *v = json_object_get(json_object_get(o, part), name);
	double sum = 0;
	size_t i;
	json_t *x;
	if (!json_is_array(v))
		return json_number_value(v);
	json_array_foreach (v, i, x)
		sum += json_number_value(x);
	return sum;
}

static void same(double a, double b, const char *what, const char *machine)
{
	if (fabs(a - b) > 1e-9 * fabs(b) + 1e-30)
		fail_msg("%s, %s: %.17g and %.17g", machine, what, a, b);
}

/* Sum of the entries whose names begin with the prefix; *n: their number. */
static double sum_of(const json_t *o, const char *prefix, unsigned *n)
{
	const char *name;
	json_t *v;
	double sum = 0;
	*n = 0;
	json_object_foreach ((json_t *)o, name, v)
		if (!strncmp(name, prefix, strlen(prefix))) {
			sum += json_is_object(v) ? json_number_value(json_object_get(v, "total"))
						 : json_number_value(v);
			++*n;
		}
	return sum;
}

static void check(const char *machine, const char *const *set)
{
	json_t *all = run(machine, set, 1, NULL), *t = timing(all),
	       *e = json_object_get(t, "energy"), *v;
	double total = json_number_value(json_object_get(e, "total")), parts = 0;
	const char *name;
	unsigned n;
	assert_true(total > 0 && isfinite(total));
	json_object_foreach (e, name, v) {
		size_t len = strlen(name);
		assert_true(isfinite(json_number_value(v)));
		if (len > 8 && !strcmp(name + len - 8, ".dynamic"))
			parts += json_number_value(v);
		if (len > 7 && !strcmp(name + len - 7, ".static"))
			parts += json_number_value(v);
	}
	same(parts, total, "components", machine);
	same(sum_of(e, "class.", &n), total, "classes", machine);
	assert_int_equal(n, 13);
	same(sum_of(t, "energy_sm.", &n), number(t, "energy_sm", "total"), "SMs", machine);
	assert_true(n && number(t, "energy_sm", "total") > 0);
	same(number(t, "power", "mean") * json_number_value(json_object_get(e, "seconds")), total,
	     "P x t", machine);
	same(json_number_value(json_object_get(e, "edp")),
	     total * json_number_value(json_object_get(e, "seconds")), "EDP", machine);
	same(json_number_value(json_object_get(json_object_get(all, "energy"), "total")), total,
	     "the run", machine);
	same(number(t, "sm", "op_threads"), number(t, "sm", "thread_instructions"),
	     "threads by class", machine);
	same(number(t, "sm", "ops"), number(t, "sm", "warp_instructions"), "instructions by class",
	     machine);
	same(number(t, "sm", "busy_cycles") + number(t, "sm", "idle_cycles"),
	     number(t, "sm", "cycles"), "busy + idle", machine);
	same(number(t, "dram", "open_cycles") + number(t, "dram", "closed_cycles") +
		     number(t, "dram", "idle_cycles"),
	     number(t, "dram", "cycles"), "DRAM states", machine);
	assert_true(number(t, "power", "peak") >= number(t, "power", "mean") * (1 - 1e-9));
	/* lines */
	json_t *list =
		json_object_get(json_array_get(json_object_get(all, "profile"), 0), "instructions");
	double lines = 0;
	size_t i;
	json_array_foreach (list, i, v)
		lines += json_number_value(json_object_get(v, "joule")) +
			 json_number_value(json_object_get(v, "joule_time"));
	same(lines, total, "lines", machine);
	json_decref(all);
}

static void adds_up(void **state)
{
	(void)state;
	static const char *const machines[] = {
		"gtx480", "gtx480-700", "tesla-c2050", "quadro-fx5800", "stsimt", "hws", "h200"};
	for (unsigned i = 0; i < sizeof machines / sizeof *machines; i++)
		check(machines[i], NULL);
	static const char *const gates[] = {"power.gate_sm=yes",        "power.gate_lane=yes",
					    "power.gate_registers=yes", "power.dram_idle=100",
					    "power.gate_cycles=100",    NULL};
	static const char *const mesh[] = {"icnt.kind=mesh", "power.idle_sm=1", "power.die_mm2=529",
					   NULL};
	static const char *const lanes[][5] = {{"sm.lanes=tsimt", NULL},
					       {"sm.lanes=stsimt4", "sm.scalar=all", NULL},
					       {"sm.lanes=simt-scalar", "sm.scalar=all", NULL}};
	check("gtx480", gates);
	check("gtx480", mesh);
	for (unsigned i = 0; i < 3; i++)
		check("stsimt", lanes[i]);
}

/* Registers of the kernel computed by hand for gtx480: a warp's operand is 8 arrays of four
 * lanes. */
static void registers(void **state)
{
	(void)state;
	static const char *const part[] = {"power.rf_gate=part", NULL},
				 *const lane[] = {"power.rf_gate=lane", NULL};
	enum { FMA = 6, ADD = 4 }; /* OPC_fp32_fma, OPC_fp32_add */
	json_t *none = run("gtx480", NULL, 1, NULL), *p = run("gtx480", part, 1, NULL),
	       *l = run("gtx480", lane, 1, NULL);
#define SLOT(all, name, k)                                                                         \
	json_integer_value(                                                                        \
		json_array_get(json_object_get(json_object_get(timing(all), "sm"), name), k))
	/* fma reads one register (as all three operands) and writes one */
	assert_int_equal(SLOT(none, "rf_reads", FMA), WARPS * LOOPS * 8);
	assert_int_equal(SLOT(none, "rf_writes", FMA), WARPS * LOOPS * 8);
	assert_int_equal(SLOT(none, "rf_words", FMA), WARPS * LOOPS * 32);
	/* the guarded add: every fourth lane, so one lane of each array; two operands */
	assert_int_equal(SLOT(none, "op_threads", ADD), WARPS * LOOPS * 8);
	assert_int_equal(SLOT(none, "rf_reads", ADD), WARPS * LOOPS * 2 * 8);
	assert_int_equal(SLOT(none, "rf_writes", ADD), WARPS * LOOPS * 8);
	assert_int_equal(SLOT(none, "rf_words", ADD), WARPS * LOOPS * 8);
	assert_int_equal(SLOT(p, "rf_reads", ADD), WARPS * LOOPS * 2 * 8);
	assert_int_equal(SLOT(l, "rf_reads", ADD), WARPS * LOOPS * 2 * 8);
	assert_int_equal(SLOT(l, "rf_reads", FMA), WARPS * LOOPS * 32);
	assert_int_equal(SLOT(none, "shared_words", 0), WARPS * LOOPS * 32);
	assert_int_equal(SLOT(none, "shared_words", 1), WARPS * LOOPS * 32);
	json_decref(none), json_decref(p), json_decref(l);
}

static void any_number_of_threads(void **state)
{
	(void)state;
	json_t *a = run("gtx480", NULL, 1, NULL), *b = run("gtx480", NULL, 3, NULL);
	assert_true(json_equal(json_object_get(timing(a), "energy"),
			       json_object_get(timing(b), "energy")));
	assert_true(json_equal(json_object_get(timing(a), "power"),
			       json_object_get(timing(b), "power")));
	json_decref(a), json_decref(b);
}

/* Power times duration, summed over the rows of a time series, is the launch's energy. */
static void samples_add_up(void **state)
{
	(void)state;
	char path[] = "/tmp/heddle-samples-XXXXXX.json";
	int fd = mkstemps(path, 5);
	assert_true(fd >= 0);
	close(fd);
	json_t *all = run("gtx480", NULL, 1, path), *rows = json_load_file(path, 0, NULL), *r;
	static const char *const what[] = {"total", "rf",   "units", "l1d",     "noc",
					   "l2",    "dram", "clock", "constant"};
	assert_true(json_array_size(rows) > 2 * 15);
	for (unsigned k = 0; k < sizeof what / sizeof *what; k++) {
		double sum = 0;
		char name[32];
		size_t i;
		snprintf(name, sizeof name, "w_%s", what[k]);
		json_array_foreach (rows, i, r)
			if (json_is_string(json_object_get(r, "sm")))
				sum += json_number_value(json_object_get(r, name)) *
				       (json_number_value(json_object_get(r, "to")) -
					json_number_value(json_object_get(r, "from"))) /
				       1.4e9;
		same(sum, number(timing(all), "energy", what[k]), what[k], "samples");
	}
	json_decref(rows);
	json_decref(all);
	unlink(path);
}

/* GPUWattch's matrix product of 10 x 10 with its coefficients: power by component as in its log. */
static void published_log(void **state)
{
	(void)state;
	char *text;
	size_t size;
	struct verdicts v = {.f = open_memstream(&text, &size)};
	assert_non_null(v.f);
	validate_gpuwattch_small(&v);
	fclose(v.f);
	if (v.missed || v.open)
		print_error("%s", text);
	assert_int_equal(v.met, 5);
	assert_int_equal(v.missed + v.open, 0);
	free(text);
}

/* Peak and minimum are over rows as long as power.window; a shorter rest at the end belongs to the
 * last whole row. */
static void the_peak_is_a_rows(void **state)
{
	(void)state;
	char path[] = "/tmp/heddle-samples-XXXXXX.json";
	const char *const set[] = {"power.window=300", NULL};
	int fd = mkstemps(path, 5);
	assert_true(fd >= 0);
	close(fd);
	json_t *all = run("gtx480", set, 1, path), *rows = json_load_file(path, 0, NULL), *r;
	double watts[100], cycles[100], peak = 0, least = 1e9;
	size_t i, n = 0;
	json_array_foreach (rows, i, r)
		if (json_is_string(json_object_get(r, "sm"))) {
			assert_true(n < 100);
			cycles[n] = json_number_value(json_object_get(r, "to")) -
				    json_number_value(json_object_get(r, "from"));
			watts[n++] = json_number_value(json_object_get(r, "w_total"));
		}
	assert_true(n > 4);
	watts[n - 2] = (watts[n - 2] * cycles[n - 2] + watts[n - 1] * cycles[n - 1]) /
		       (cycles[n - 2] + cycles[n - 1]);
	for (i = 0; i + 1 < n; i++) {
		peak = fmax(peak, watts[i]);
		least = fmin(least, watts[i]);
	}
	assert_true(peak > 1.1 * least); /* blocks come and go */
	same(peak, number(timing(all), "power", "peak"), "peak", "rows");
	same(least, number(timing(all), "power", "least"), "least", "rows");
	json_decref(rows);
	json_decref(all);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_peak_is_a_rows),
		cmocka_unit_test(adds_up),
		cmocka_unit_test(registers),
		cmocka_unit_test(classes_of_all_sms),
		cmocka_unit_test(any_number_of_threads),
		cmocka_unit_test(samples_add_up),
		cmocka_unit_test(published_log),
	};
	setenv("HEDDLE_CONF", "conf", 0); /* tests run in the root of the tree */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
