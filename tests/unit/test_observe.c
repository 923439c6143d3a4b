/* Observing a run: time series, timeline, Ctrl-C. Series and timelines agree with the statistics
 * and do not depend on the number of threads. */
#include <math.h>
#include <unistd.h>
#include "timing.h"

/* Loads, a barrier at which one warp waits for another, a divergent loop: every kind of event. */
static const char busy[] =
	HEAD ".reg .pred %p;\n.reg .b32 %r<8>;\n.reg .b64 %d<6>;\n"
	     "ld.param.u64 %d1, [pin];\nld.param.u64 %d2, [pout];\n"
	     "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nmad.lo.u32 %r1, %r1, 64, %r2;\n"
	     "mul.wide.u32 %d3, %r1, 4;\nadd.u64 %d1, %d1, %d3;\nadd.u64 %d2, %d2, %d3;\n"
	     "ld.global.u32 %r3, [%d1];\nand.b32 %r3, %r3, 7;\n"
	     "setp.gt.u32 %p, %r2, 31;\nselp.b64 %d4, %d2, %d1, %p;\n"
	     "ld.global.u32 %r6, [%d4];\nadd.u32 %r6, %r6, 1;\nbar.sync 0;\nmov.u32 %r4, 0;\n"
	     "L:\nadd.u32 %r4, %r4, 3;\nsetp.ne.u32 %p, %r3, 0;\nsub.u32 %r3, %r3, 1;\n@%p bra L;\n"
	     "st.global.u32 [%d2], %r4;\nret;\n}\n";
static const char endless[] = HEAD "L:\nbra L;\n}\n";
static const char faulty[] =
	HEAD ".reg .b64 %d;\n.reg .b32 %r;\nmov.u64 %d, 0;\nld.global.u32 %r, [%d];\nret;\n}\n";

enum { BLOCKS = 20, SMS = 3 };
static uint32_t input[BLOCKS * 64];

static struct bench busy_bench(unsigned threads)
{
	for (unsigned i = 0; i < BLOCKS * 64; i++)
		input[i] = i * 2654435761u >> 7;
	/* clang-format off */
	return (struct bench){.text = busy, .kernel = "k", .grid = {BLOCKS}, .block = {64}, .in = input,
	                      .in_bytes = sizeof input, .bytes = sizeof input, .threads = threads,
	                      .set = {"gpu.sms=3"}};
	/* clang-format on */
}

static char *temp(char *name)
{
	int fd = mkstemps(name, 5);
	assert_true(fd >= 0);
	close(fd);
	return name;
}

static json_t *load(const char *path)
{
	json_error_t e;
	json_t *j = json_load_file(path, 0, &e);
	if (!j)
		fail_msg("%s is not JSON: line %d: %s", path, e.line, e.text);
	return j;
}

static uint64_t field(const json_t *o, const char *name)
{
	const json_t *v = json_object_get(o, name);
	if (!v)
		fail_msg("no %s", name);
	return (uint64_t)json_integer_value(v);
}

static bool same_file(const char *a, const char *b)
{
	char cmd[256];
	snprintf(cmd, sizeof cmd, "cmp -s %s %s", a, b);
	return !system(cmd);
}

/* ---- time series ---- */

static const char *const causes[] = {
	"issued",      "port",      "no_warp",      "drain",     "barrier",
	"sync",        "fence",     "ordered",      "ibuffer",   "locked",
	"score_sp",    "score_sfu", "score_dp",     "score_mma", "score_shared",
	"score_const", "score_tex", "score_global", "unit_sp",   "unit_sfu",
	"unit_dp",     "unit_mma",  "unit_mem",     "memory",    "policy",
};

static void rows_add_up(void **state)
{
	(void)state;
	char one[] = "/tmp/heddle-observe-XXXXXX.json", two[] = "/tmp/heddle-observe-XXXXXX.json";
	struct bench b = busy_bench(1), c = busy_bench(2);
	b.watch.sample = c.watch.sample = 100;
	b.watch.sample_file = temp(one);
	c.watch.sample_file = temp(two);
	struct timed t = bench_run(&b), u = bench_run(&c);
	assert_true(same_file(one, two));
	json_t *rows = load(one), *row;
	uint64_t threads = 0, sum = 0, until[SMS + 1] = {0}, schedulers = 2, flits = 0, hits = 0;
	size_t i;
	json_array_foreach (rows, i, row) {
		unsigned sm = (unsigned)(i % (SMS + 1));
		bool all = sm == SMS;
		assert_true(all == json_is_string(json_object_get(row, "sm")));
		assert_int_equal(field(row, "from"), until[sm]); /* rows neither overlap nor leave
								  * cycles out */
		until[sm] = field(row, "to");
		uint64_t slots = 0;
		for (size_t k = 0; k < sizeof causes / sizeof *causes; k++)
			slots += field(row, causes[k]);
		assert_int_equal(slots, (field(row, "to") - field(row, "from")) * schedulers *
						(all ? SMS : 1));
		if (all) {
			assert_int_equal(field(row, "thread_instructions"), sum);
			threads += sum;
			flits += field(row, "request_flits");
			hits += field(row, "l1d_hits");
		}
		sum = all ? 0 : sum + field(row, "thread_instructions");
	}
	assert_true(i > 5 * (SMS + 1));
	assert_int_equal(until[SMS], t.cycles);
	assert_int_equal(threads, figure(&t, "sm", "thread_instructions"));
	assert_int_equal(hits, figure(&t, "l1d", "hits"));
	assert_int_equal(flits, figure(&t, "icnt", "request_flits"));
	json_decref(rows);
	timed_free(&t);
	timed_free(&u);
	unlink(one);
	unlink(two);
}

/* A column's sum over the rows, and its integral over time. */
static void add_row(double sum[2], const json_t *v, uint64_t from, uint64_t to)
{
	sum[0] += json_number_value(v);
	sum[1] += json_number_value(v) * (double)(to - from);
}

static bool same(double a, double b) { return fabs(a - b) <= 1e-3 * fabs(a) + 0.01; }

/* A series of bounded length has fewer rows than a file of the same run, with equal contents:
 * counters have equal sums, means (such as watts) equal integrals. */
static void a_short_series_has_what_a_file_has(void **state)
{
	(void)state;
	enum { MOST = 16 };
	char name[] = "/tmp/heddle-observe-XXXXXX.json";
	struct bench b = busy_bench(1);
	b.watch = (struct heddle_options){.series = MOST, .sample = 40, .sample_file = temp(name)};
	struct timed t = bench_run(&b);
	const json_t *end = json_object_get(t.series, "end"),
		     *kept = json_object_get(t.series, "rows"),
		     *columns = json_object_get(t.series, "columns");
	size_t n = json_array_size(end), i, k;
	unsigned counts = 0, means = 0;
	assert_in_range(n, MOST / 2, MOST);
	assert_int_equal(json_array_size(kept), n);
	assert_int_equal(json_integer_value(json_array_get(end, n - 1)), t.cycles);

	json_t *rows = load(name), *row, *column;
	json_array_foreach (columns, k, column) {
		const char *key = json_string_value(column);
		if (!strcmp(key, "ready_warps")) /* the value at the end of a row */
			continue;
		double want[2] = {0}, got[2] = {0};
		uint64_t from = 0, to;
		json_array_foreach (rows, i, row)
			if (json_is_string(json_object_get(row, "sm")))
				add_row(want, json_object_get(row, key), field(row, "from"),
					field(row, "to"));
		for (i = 0; i < n; i++, from = to) {
			to = (uint64_t)json_integer_value(json_array_get(end, i));
			add_row(got, json_array_get(json_array_get(kept, i), k), from, to);
		}
		bool mean = same(got[1], want[1]), count = same(got[0], want[0]);
		if (strncmp(key, "w_", 2) && count)
			counts += want[0] > 0;
		else if (mean)
			means += want[1] > 0;
		else
			fail_msg("%s: %g and %g, expected %g or %g", key, got[0], got[1], want[0],
				 want[1]);
		if (!strcmp(key, "thread_instructions"))
			assert_true(got[0] == (double)figure(&t, "sm", "thread_instructions"));
	}
	assert_true(counts > 10 && means > 5);
	json_decref(rows);
	timed_free(&t);
	unlink(name);
}

static void watching_changes_nothing(void **state)
{
	(void)state;
	char s[] = "/tmp/heddle-observe-XXXXXX.json", t[] = "/tmp/heddle-observe-XXXXXX.json";
	struct bench plain = busy_bench(1), watched = busy_bench(1);
	watched.watch =
		(struct heddle_options){.sample = 7, .sample_file = temp(s), .trace_file = temp(t)};
	struct timed a = bench_run(&plain), b = bench_run(&watched);
	assert_int_equal(a.cycles, b.cycles);
	assert_true(json_equal(json_object_get(a.launch, "timing"),
			       json_object_get(b.launch, "timing")));
	assert_true(json_equal(a.profile, b.profile));
	timed_free(&a);
	timed_free(&b);
	unlink(s);
	unlink(t);
}

/* ---- timeline ---- */

enum { TRACKS = 256 };

static const char *word(const json_t *e, const char *key)
{
	const char *s = json_string_value(json_object_get(e, key));
	return s ? s : "";
}

/* Compares a timeline with the statistics on a machine with these settings, including waits at the
 * barrier. */
static void slices(const char *const *set)
{
	char one[] = "/tmp/heddle-observe-XXXXXX.json", two[] = "/tmp/heddle-observe-XXXXXX.json";
	struct bench b = busy_bench(1), c = busy_bench(2);
	b.watch.trace_file = temp(one);
	c.watch.trace_file = temp(two);
	for (unsigned i = 0; set[i]; i++)
		b.set[1 + i] = c.set[1 + i] = set[i];
	struct timed t = bench_run(&b), u = bench_run(&c);
	assert_true(same_file(one, two));
	json_t *events = load(one), *e;
	uint64_t busy_until[SMS][TRACKS] = {{0}}, issued = 0, blocks = 0, waited = 0, stalls = 0,
		 begun = 0, ended = 0, at_barrier = 0;
	uint64_t requests = 0, trips = 0;
	size_t i;
	json_array_foreach (events, i, e) {
		const char *cat = word(e, "cat"), *ph = word(e, "ph");
		issued += !strcmp(cat, "issue");
		blocks += !strcmp(cat, "block");
		if (!strcmp(cat, "memory")) {
			begun += !strcmp(ph, "b");
			ended += !strcmp(ph, "e");
		}
		if (!strcmp(cat, "request")) {
			requests += !strcmp(ph, "b");
			trips += !strcmp(ph, "e") ? field(e, "ts") : -field(e, "ts");
		}
		if (strcmp(cat, "issue") && strcmp(cat, "wait"))
			continue;
		/* Slices of a warp do not overlap. */
		uint64_t sm = field(e, "pid"), track = field(e, "tid"), from = field(e, "ts"),
			 n = field(e, "dur");
		assert_true(sm < SMS && track < TRACKS && n > 0);
		assert_true(from >= busy_until[sm][track]);
		busy_until[sm][track] = from + n;
		waited += !strcmp(cat, "wait") ? n : 0;
		at_barrier += !strcmp(word(e, "name"), "barrier") ? n : 0;
	}
	json_array_foreach (t.profile, i, e)
		stalls += field(e, "stall_cycles");
	assert_int_equal(issued, t.warp_instructions);
	assert_int_equal(blocks, BLOCKS);
	assert_int_equal(waited, stalls);
	assert_true(at_barrier > 1000);
	assert_int_equal(begun, ended);
	assert_int_equal(begun, figure(&t, "sm", "mem_instructions"));
	assert_int_equal(requests, figure(&t, "icnt", "replies"));
	assert_int_equal(trips, figure(&t, "icnt", "latency_sum"));
	json_decref(events);
	timed_free(&t);
	timed_free(&u);
	unlink(one);
	unlink(two);
}

/* The slices of the timeline add up to the statistics, whatever mechanism forms groups of
 * threads. */
static void slices_are_the_statistics(void **state)
{
	(void)state;
	slices((const char *[]){NULL});
	slices((const char *[]){"sm.divergence=tbc", "sm.pipeline=locked", NULL});
	slices((const char *[]){"sm.divergence=dwf", "sm.pipeline=locked", NULL});
	slices((const char *[]){"sm.divergence=thread-frontiers", NULL});
}

static void a_range_of_cycles_and_sms(void **state)
{
	(void)state;
	char name[] = "/tmp/heddle-observe-XXXXXX.json";
	struct bench b = busy_bench(1);
	b.watch = (struct heddle_options){
		.trace_file = temp(name), .trace_from = 300, .trace_to = 1100, .trace_sm = "1"};
	struct timed t = bench_run(&b);
	json_t *events = load(name), *e;
	size_t i, seen = 0;
	json_array_foreach (events, i, e) {
		if (strcmp(word(e, "cat"), "issue"))
			continue;
		assert_int_equal(field(e, "pid"), 1);
		assert_true(field(e, "ts") >= 300 && field(e, "ts") < 1100);
		seen++;
	}
	assert_true(seen > 0);
	json_decref(events);
	timed_free(&t);
	unlink(name);
}

static void whole_after_a_fault(void **state)
{
	(void)state;
	char s[] = "/tmp/heddle-observe-XXXXXX.json", t[] = "/tmp/heddle-observe-XXXXXX.json";
	struct bench b = {.text = faulty,
			  .kernel = "k",
			  .block = {32},
			  .want = HEDDLE_FAULT,
			  .set = {"gpu.sms=1"}};
	b.watch = (struct heddle_options){
		.sample = 10, .sample_file = temp(s), .trace_file = temp(t)};
	struct timed r = bench_run(&b);
	json_t *rows = load(s), *events = load(t), *e;
	size_t i, blocks = 0;
	json_array_foreach (events, i, e)
		blocks += !strcmp(word(e, "cat"), "block");
	assert_true(json_array_size(rows) > 0);
	assert_int_equal(blocks, 1); /* the unfinished block is listed */
	assert_string_equal(word(r.launch, "status"), "fault");
	json_decref(rows);
	json_decref(events);
	timed_free(&r);
	unlink(s);
	unlink(t);
}

/* ---- Ctrl-C ---- */

static void stop_it(void *arg, uint64_t done, uint64_t blocks, uint64_t instructions)
{
	(void)done;
	(void)blocks;
	(void)instructions;
	heddle_interrupt(*(struct heddle **)arg);
}

static void interrupted_runs_keep_their_figures(void **state)
{
	(void)state;
	for (int functional = 0; functional < 2; functional++) {
		char t[] = "/tmp/heddle-observe-XXXXXX.json";
		struct bench b = {.text = endless,
				  .kernel = "k",
				  .block = {32},
				  .want = HEDDLE_INTERRUPTED,
				  .set = {"gpu.sms=1"},
				  .functional = functional};
		b.watch.progress = stop_it;
		if (!functional)
			b.watch = (struct heddle_options){
				.progress = stop_it, .trace_file = temp(t), .trace_to = 1000};
		struct timed r = bench_run(&b);
		assert_string_equal(word(r.launch, "status"), "interrupted");
		assert_true(r.warp_instructions > 1000);
		assert_int_equal(
			field(json_object_get(json_object_get(r.launch, "opcodes"), "bra"), "warp"),
			r.warp_instructions);
		if (!functional) {
			assert_slots_add_up(&r, 2);
			json_decref(load(t));
			unlink(t);
		}
		timed_free(&r);
	}
}

/* Blocks that have not ended are all in the timeline. */
static void blocks_that_run_are_in_the_timeline(void **state)
{
	(void)state;
	char name[] = "/tmp/heddle-observe-XXXXXX.json";
	struct bench b = {.text = endless,
			  .kernel = "k",
			  .grid = {3},
			  .block = {32},
			  .want = HEDDLE_LIMIT,
			  .max_cycles = 500,
			  .set = {"gpu.sms=1"}};
	b.watch.trace_file = temp(name);
	struct timed r = bench_run(&b);
	json_t *events = load(name), *e;
	size_t i;
	unsigned blocks = 0;
	json_array_foreach (events, i, e)
		blocks += !strcmp(word(e, "cat"), "block");
	assert_int_equal(blocks, 3);
	json_decref(events);
	timed_free(&r);
	unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_add_up),
		cmocka_unit_test(a_short_series_has_what_a_file_has),
		cmocka_unit_test(watching_changes_nothing),
		cmocka_unit_test(slices_are_the_statistics),
		cmocka_unit_test(a_range_of_cycles_and_sms),
		cmocka_unit_test(whole_after_a_fault),
		cmocka_unit_test(interrupted_runs_keep_their_figures),
		cmocka_unit_test(blocks_that_run_are_in_the_timeline),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
