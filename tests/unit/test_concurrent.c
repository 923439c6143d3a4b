/* Launches of different streams that share the GPU: which of them overlap, and statistics per
 * launch. */
#include "timing.h"
#include <math.h>
#include <unistd.h>

/* wait: spins for `n` iterations; copy: out[i] = in[i] + 1, one block per 32 elements. */
static const char text[] =
	".version 6.4\n.target sm_70\n.address_size 64\n"
	".visible .entry wait(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param .u32 n1)\n{\n"
	".reg .pred %p;\n.reg .b32 %r;\nld.param.u32 %r, [n0];\n"
	"L:\nsub.u32 %r, %r, 1;\nsetp.ne.u32 %p, %r, 0;\n@%p bra L;\nret;\n}\n"
	".visible .entry copy(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param .u32 n1)\n{\n"
	".reg .b32 %r<3>;\n.reg .b64 %d<4>;\nld.param.u64 %d1, [pin];\nld.param.u64 %d2, [pout];\n"
	"mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\nmad.lo.u32 %r0, %r0, 32, %r1;\nmul.wide.u32 %d3, %r0, 4;\n"
	"add.u64 %d1, %d1, %d3;\nadd.u64 %d2, %d2, %d3;\nld.global.u32 %r2, [%d1];\nadd.u32 %r2, %r2, 1;\n"
	"st.global.u32 [%d2], %r2;\nret;\n}\n"
	/* collatz: number of steps from i + 1 to 1, for thread i. */
	".visible .entry collatz(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param .u32 n1)\n{\n"
	".reg .b32 %r<6>;\n.reg .b64 %d<3>;\n.reg .pred %p<2>;\nld.param.u64 %d1, [pout];\nmov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\n"
	"mad.lo.u32 %r0, %r0, 32, %r1;\nmul.wide.u32 %d2, %r0, 4;\nadd.u64 %d1, %d1, %d2;\nadd.u32 %r2, %r0, 1;\nmov.u32 %r3, 0;\n"
	"L: setp.eq.u32 %p0, %r2, 1;\n@%p0 bra D;\nand.b32 %r4, %r2, 1;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra E;\n"
	"mad.lo.u32 %r2, %r2, 3, 1;\nbra N;\nE: shr.u32 %r2, %r2, 1;\nN: add.u32 %r3, %r3, 1;\nbra L;\n"
	"D: st.global.u32 [%d1], %r3;\nret;\n}\n"
	/* until: spins until the word is set; set: sets it. */
	".visible .entry until(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param .u32 n1)\n{\n"
	".reg .pred %p;\n.reg .b32 %r;\n.reg .b64 %d;\nld.param.u64 %d, [pout];\n"
	"L:\nld.volatile.global.u32 %r, [%d];\nsetp.eq.u32 %p, %r, 0;\n@%p bra L;\nret;\n}\n"
	".visible .entry set(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param .u32 n1)\n{\n"
	".reg .b64 %d;\nld.param.u64 %d, [pout];\nst.volatile.global.u32 [%d], 7;\nret;\n}\n"
	".visible .entry fault(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param .u32 n1)\n{\n"
	".reg .b32 %r;\nld.global.u32 %r, [0];\nret;\n}\n";

struct params {
	uint64_t in, out;
	uint32_t n[2];
};

struct device {
	struct heddle *h;
	struct heddle_module *m;
	uint64_t in, out;
	struct params p[8];
	struct heddle_task t[8];
	unsigned n;
};

static void device_open_as(struct device *d, struct heddle_options o)
{
	o.timing = o.profile = true;
	o.max_cycles = o.max_cycles ? o.max_cycles : 1000000;
	*d = (struct device){0};
	if (heddle_open(&d->h, &o) ||
	    heddle_load(d->h, &(struct heddle_text){"test.ptx", text, sizeof text - 1}, 1, &d->m))
		fail_msg("%s", heddle_message(d->h));
	assert_int_equal(heddle_malloc(d->h, 65536, &d->in), HEDDLE_OK);
	assert_int_equal(heddle_malloc(d->h, 65536, &d->out), HEDDLE_OK);
	heddle_fill(d->h, d->in, 5, 4, 16384);
	heddle_fill(d->h, d->out, 0, 4, 16384);
}

static void device_open(struct device *d, unsigned threads, const char *const *set)
{
	device_open_as(d, (struct heddle_options){.threads = threads, .set = set});
}

static struct heddle_task *add(struct device *d, const char *kernel, unsigned blocks,
			       unsigned threads, uint32_t n)
{
	struct heddle_task *t = &d->t[d->n];
	d->p[d->n] = (struct params){d->in, d->out, {n, 0}};
	t->launch = (struct heddle_launch){.kernel = heddle_kernel_find(d->m, kernel),
					   .grid = {blocks, 1, 1},
					   .block = {threads, 1, 1},
					   .params = &d->p[d->n]};
	d->n++;
	return t;
}

static void run(struct device *d, enum heddle_status want)
{
	enum heddle_status s = heddle_launch_many(d->h, d->t, d->n);
	if (s != want)
		fail_msg("status %d, expected %d: %s", s, want, heddle_message(d->h));
}

static const char *const two_sms[] = {"gpu.sms=2", "gpu.core_mhz=1000", "sm.max_blocks=2", NULL};
static double cycles(double seconds) { return seconds * 1e9; }

static void independent_launches_overlap(void **state)
{
	(void)state;
	struct device d;
	device_open(&d, 1, two_sms);
	add(&d, "wait", 1, 32, 500);
	run(&d, HEDDLE_OK);
	double alone = cycles(d.t[0].to);
	heddle_close(d.h);
	device_open(&d, 1, two_sms);
	struct heddle_task *a = add(&d, "wait", 1, 32, 500), *b = add(&d, "wait", 1, 32, 500);
	run(&d, HEDDLE_OK);
	assert_true(a->from == 0 && b->from == 0); /* an SM for each */
	assert_true(cycles(a->to) < alone + 100 && cycles(b->to) < alone + 100);
	const struct heddle_stats *s = heddle_stats_at(d.h, b->stats);
	assert_true(s->shared);
	assert_int_equal(s->warp_instructions,
			 1 + 3 * 500 + 1); /* instructions of this launch only */
	heddle_close(d.h);
}

static void one_waits_for_another(void **state)
{
	(void)state;
	static const unsigned first[] = {0};
	struct device d;
	device_open(&d, 1, two_sms);
	struct heddle_task *a = add(&d, "wait", 1, 32, 100), *b = add(&d, "wait", 1, 32, 100);
	b->after = first;
	b->nafter = 1;
	run(&d, HEDDLE_OK);
	assert_true(b->from >= a->to);
	assert_true(cycles(b->from - a->to) < 50); /* and no longer than to the next window */
	assert_false(heddle_stats_at(d.h, a->stats)->shared);
	assert_false(heddle_stats_at(d.h, b->stats)->shared);
	heddle_close(d.h);
}

/* The timeline shows each launch, the second too, from its start to its end. */
static void the_timeline_has_launches(void **state)
{
	(void)state;
	static const unsigned first[] = {0};
	char name[] = "/tmp/heddle-concurrent-XXXXXX.json";
	int fd = mkstemps(name, 5);
	assert_true(fd >= 0);
	close(fd);
	struct device d;
	device_open_as(&d,
		       (struct heddle_options){.threads = 1, .set = two_sms, .trace_file = name});
	add(&d, "wait", 1, 32, 100);
	struct heddle_task *b = add(&d, "wait", 1, 32, 200);
	b->after = first;
	b->nafter = 1;
	run(&d, HEDDLE_OK);
	heddle_close(d.h);
	json_t *events = json_load_file(name, 0, NULL), *e;
	assert_non_null(events);
	size_t i;
	unsigned seen = 0;
	json_array_foreach (events, i, e) {
		const char *cat = json_string_value(json_object_get(e, "cat"));
		if (!cat || strcmp(cat, "launch"))
			continue;
		double ts = (double)json_integer_value(json_object_get(e, "ts")),
		       dur = (double)json_integer_value(json_object_get(e, "dur"));
		assert_true(fabs(ts - cycles(d.t[seen].from)) < 1);
		assert_true(fabs(ts + dur - cycles(d.t[seen].to)) < 1);
		seen++;
	}
	assert_int_equal(seen, 2);
	json_decref(events);
	unlink(name);
}

/* A block goes to an SM that has room for all of it, even if the SM whose turn it is has room for a
 * part: the third block goes to the SM that the second has left. All their warps then run at once,
 * each for a tenth of the first block's time. */
static void whole_blocks_before_parts(void **state)
{
	(void)state;
	static const unsigned second[] = {1};
	static const char *const set[] = {"gpu.sms=2",         "gpu.core_mhz=1000",
					  "gpu.dispatch=warp", "sm.max_blocks=2",
					  "sm.max_warps=4",    NULL};
	struct device d;
	device_open(&d, 1, set);
	struct heddle_task *a = add(&d, "wait", 1, 96, 2000), *b = add(&d, "wait", 1, 96, 200),
			   *c = add(&d, "wait", 1, 96, 200);
	c->after = second;
	c->nafter = 1;
	run(&d, HEDDLE_OK);
	assert_true(c->from >= b->to);
	assert_true(b->to - b->from < 0.12 * a->to && c->to - c->from < 0.12 * a->to);
	heddle_close(d.h);
}

/* Two SMs with two blocks each: the first launch has seven blocks, and its last round leaves one
 * place for the second launch. */
static void the_second_gets_what_the_first_leaves(void **state)
{
	(void)state;
	struct device d;
	device_open(&d, 1, two_sms);
	struct heddle_task *a = add(&d, "wait", 7, 32, 300), *b = add(&d, "wait", 2, 32, 10);
	run(&d, HEDDLE_OK);
	assert_true(b->from > 0.3 * a->to && b->from < 0.7 * a->to);
	assert_true(b->to < a->to + 500e-9);
	heddle_close(d.h);
}

static void a_machine_without_concurrency(void **state)
{
	(void)state;
	const char *set[] = {"gpu.sms=2", "gpu.core_mhz=1000", "gpu.concurrent_kernels=1", NULL};
	struct device d;
	device_open(&d, 1, set);
	struct heddle_task *a = add(&d, "wait", 1, 32, 100), *b = add(&d, "copy", 4, 32, 0);
	run(&d, HEDDLE_OK);
	assert_true(b->from >= a->to);
	heddle_close(d.h);
}

static void results_and_times_for_any_threads(void **state)
{
	(void)state;
	double to[2][3];
	uint32_t out[2][1024];
	for (unsigned i = 0; i < 2; i++) {
		struct device d;
		device_open(&d, i + 1, two_sms);
		add(&d, "copy", 32, 32, 0);
		add(&d, "wait", 3, 64, 77);
		add(&d, "wait", 2, 32, 200);
		run(&d, HEDDLE_OK);
		for (unsigned k = 0; k < 3; k++)
			to[i][k] = d.t[k].to;
		assert_int_equal(heddle_read(d.h, out[i], d.out, sizeof out[i]), HEDDLE_OK);
		heddle_close(d.h);
	}
	for (unsigned k = 0; k < 1024; k++)
		assert_int_equal(out[0][k], 6);
	assert_memory_equal(to[0], to[1], sizeof to[0]);
	assert_memory_equal(out[0], out[1], sizeof out[0]);
}

/* Two launches that wait for each other: a GPU that runs one launch after the other would never
 * finish. */
static void launches_can_talk(void **state)
{
	(void)state;
	struct device d;
	uint32_t word = 0;
	device_open(&d, 1, two_sms);
	struct heddle_task *a = add(&d, "until", 1, 1, 0), *b = add(&d, "set", 1, 1, 0);
	run(&d, HEDDLE_OK);
	assert_true(a->to > b->from);
	assert_int_equal(heddle_read(d.h, &word, d.out, 4), HEDDLE_OK);
	assert_int_equal(word, 7);
	heddle_close(d.h);
}

/* Runs three kernels of different streams and checks what they computed; true: the first overlapped
 * with the others. */
static bool together(const char *const *set)
{
	uint32_t out[1024];
	struct device d;
	device_open(&d, 1, set);
	struct heddle_task *a = add(&d, "wait", 2, 40, 500), *b = add(&d, "copy", 16, 32, 0),
			   *c = add(&d, "collatz", 4, 32, 0);
	d.p[2].out = d.out + 16 * 32 * 4;
	run(&d, HEDDLE_OK);
	assert_int_equal(heddle_read(d.h, out, d.out, 20 * 32 * 4), HEDDLE_OK);
	for (unsigned k = 0; k < 20 * 32; k++) {
		unsigned x = k - 16 * 32 + 1, n = 0;
		for (; k >= 16 * 32 && x != 1; n++)
			x = x % 2 ? 3 * x + 1 : x / 2;
		assert_int_equal(out[k], k < 16 * 32 ? 6 : n);
	}
	heddle_close(d.h);
	return b->from < a->to && c->from < a->to;
}

/* Threads regroup only with threads of their own kernel: two kernels whose code has equal addresses
 * run together under every mechanism, with the results of each alone. */
static void kernels_together_under_every_mechanism(void **state)
{
	static const char *const mechanism[] = {
		"pdom", "thread-frontiers", "tbc", "none", "mimd", "dwf", "en-dwf"};
	/* A partial block of one kernel, and a place released by another kernel's warp: the SM has
	 * room for three warps; blocks have two and one. */
	static const char *const dispatch[] = {"warp-temporal",     "warp",
					       "warp-dueling",      "warp-threshold",
					       "virtual-registers", "warp32"};
	(void)state;
	for (unsigned i = 0; i < sizeof mechanism / sizeof *mechanism; i++) {
		char how[48], who[48], partial[48];
		/* clang-format off */
		const char *set[] = {"gpu.sms=1", "sm.pipeline=locked", "sm.simd_width=8", "sm.schedulers=1", how, NULL, NULL, NULL, NULL};
		/* clang-format on */
		snprintf(how, sizeof how, "sm.divergence=%s", mechanism[i]);
		assert_true(together(set));
		set[0] = "gpu.sms=2"; /* both SMs execute the polling kernels */
		set[5] = who;
		set[6] = "sm.max_warps=3";
		set[7] = partial;
		bool keeps_block = !strcmp(mechanism[i], "tbc");
		for (unsigned k = 0; k < sizeof dispatch / sizeof *dispatch; k++) {
			if (keeps_block && k < 4)
				continue; /* refused */
			snprintf(who, sizeof who, "gpu.dispatch=%s", dispatch[k]);
			snprintf(partial, sizeof partial, "warp.partial_blocks=%u", 1 + i % 2);
			together(set);
		}
	}
}

static void a_fault_ends_them_all(void **state)
{
	(void)state;
	struct device d;
	device_open(&d, 1, two_sms);
	struct heddle_task *a = add(&d, "wait", 1, 32, 100000), *b = add(&d, "fault", 1, 32, 0);
	run(&d, HEDDLE_FAULT);
	assert_int_equal(b->status, HEDDLE_FAULT);
	assert_int_equal(a->status, HEDDLE_LIMIT);
	assert_non_null(strstr(heddle_message(d.h), "kernel fault"));
	assert_int_equal(heddle_stats_count(d.h), 2);
	heddle_close(d.h);
}

/* Energy in joules of all lines of a kernel, by events and with time; *pj: picojoules of events per
 * thread instruction. */
static double joules(const json_t *all, const char *kernel, double *pj)
{
	json_t *p, *l;
	size_t i, k;
	double event = 0, timed = 0, lanes = 0;
	json_array_foreach (json_object_get(all, "profile"), i, p) {
		if (strcmp(json_string_value(json_object_get(p, "kernel")), kernel))
			continue;
		json_array_foreach (json_object_get(p, "instructions"), k, l) {
			event += json_number_value(json_object_get(l, "joule"));
			timed += json_number_value(json_object_get(l, "joule_time"));
			lanes += json_number_value(json_object_get(l, "lanes"));
		}
	}
	*pj = 1e12 * event / lanes;
	return event + timed;
}

static json_t *stats_of(struct device *d)
{
	char *text_of = heddle_stats_json(d->h);
	json_t *all = json_loads(text_of, 0, NULL);
	free(text_of);
	heddle_close(d->h);
	return all;
}

static double run_joule(const json_t *all)
{
	return json_number_value(json_object_get(json_object_get(all, "energy"), "total"));
}

/* Two kernels side by side: a thread instruction costs the energy that it costs alone, and the
 * lines of both kernels add up to the run's energy. */
static void lines_have_the_energy_of_the_run_once(void **state)
{
	(void)state;
	struct device d;
	double alone, beside, other;
	device_open(&d, 1, two_sms);
	add(&d, "wait", 1, 32, 2000);
	run(&d, HEDDLE_OK);
	json_t *all = stats_of(&d);
	double sum = joules(all, "wait", &alone);
	assert_true(fabs(sum - run_joule(all)) < 1e-9 * sum);
	json_decref(all);
	device_open(&d, 1, two_sms);
	add(&d, "wait", 1, 32, 2000);
	add(&d, "copy", 64, 32, 0);
	add(&d, "collatz", 8, 32, 0);
	run(&d, HEDDLE_OK);
	all = stats_of(&d);
	sum = joules(all, "wait", &beside) + joules(all, "copy", &other) +
	      joules(all, "collatz", &other);
	if (fabs(sum - run_joule(all)) > 1e-9 * sum)
		fail_msg("lines have %.9g J, the run %.9g", sum, run_joule(all));
	if (fabs(beside / alone - 1) > 0.05)
		fail_msg("%.4g pJ beside others, %.4g alone", beside, alone);
	json_decref(all);
}

/* A row of --sample names the kernels that ran during it: first two side by side, then one of them,
 * then the third. */
static void name_rows(unsigned every)
{
	static const unsigned first[] = {0, 1};
	char path[] = "/tmp/heddle-concurrent-XXXXXX";
	close(mkstemp(path));
	struct device d;
	device_open_as(&d,
		       (struct heddle_options){
			       .threads = 1, .set = two_sms, .sample = every, .sample_file = path});
	struct heddle_task *a = add(&d, "wait", 1, 32, 500), *b = add(&d, "collatz", 1, 32, 0),
			   *c = add(&d, "copy", 8, 32, 0);
	c->after = first;
	c->nafter = 2;
	run(&d, HEDDLE_OK);
	double from[] = {cycles(a->from), cycles(b->from), cycles(c->from)},
	       to[] = {cycles(a->to), cycles(b->to), cycles(c->to)};
	heddle_close(d.h);
	FILE *f = fopen(path, "r");
	char line[4096], name[64], want[64];
	unsigned seen = 0, alone = 0;
	while (fgets(line, sizeof line, f)) {
		double begin, end;
		static const char *const names[] = {"wait", "collatz", "copy"};
		unsigned launch, first_of = 3;
		if (sscanf(line, "%u,%63[^,],%lf,%lf,", &launch, name, &begin, &end) != 4)
			continue;
		*want = 0;
		for (unsigned i = 0; i < 3; i++)
			if (round(from[i]) < end && round(to[i]) > begin) {
				strcat(strcat(want, *want ? "+" : ""), names[i]);
				first_of = first_of < i ? first_of : i;
			}
		assert_int_equal(launch, first_of);
		assert_string_equal(name, want);
		seen++;
		alone += !strcmp(name, "copy");
	}
	fclose(f);
	unlink(path);
	assert_true(seen > 15 && alone);
}

/* Likewise if a row ends in the cycle in which a kernel begins. */
static void rows_name_what_ran_in_them(void **state)
{
	(void)state;
	name_rows(100);
	name_rows(1);
}

/* A cycle limit that ends the run in the cycle in which a launch begins: no row names that
 * launch. */
static void what_only_began_is_in_no_row(void **state)
{
	(void)state;
	static const unsigned first[] = {0};
	char path[] = "/tmp/heddle-concurrent-XXXXXX", line[4096], name[64];
	close(mkstemp(path));
	uint64_t begins = 0;
	for (unsigned limited = 0; limited < 2; limited++) {
		struct device d;
		unsigned rows = 0;
		device_open_as(&d, (struct heddle_options){.threads = 1,
							   .set = two_sms,
							   .sample = 100,
							   .sample_file = path,
							   .max_cycles = begins ? begins - 1 : 0});
		add(&d, "wait", 1, 32, 100);
		add(&d, "wait", 1, 32, 2000);
		struct heddle_task *c = add(&d, "copy", 1, 32, 0);
		c->after = first;
		c->nafter = 1;
		run(&d, limited ? HEDDLE_LIMIT : HEDDLE_OK);
		assert_true(!limited || (uint64_t)round(cycles(c->from)) == begins);
		begins = (uint64_t)round(cycles(c->from));
		heddle_close(d.h);
		FILE *f = fopen(path, "r");
		while (fgets(line, sizeof line, f)) {
			if (sscanf(line, "0,%63[^,],", name) != 1)
				continue;
			rows++;
			assert_true(!limited || !strcmp(name, "wait"));
		}
		fclose(f);
		assert_true(rows > 2);
	}
	unlink(path);
}

/* A limit that all launches reach together is reported for the first running launch. */
static void a_limit_names_the_first_that_runs(void **state)
{
	(void)state;
	for (unsigned done = 0; done < 2; done++) {
		struct device d;
		device_open_as(&d, (struct heddle_options){
					   .threads = 1, .set = two_sms, .max_instructions = 3000});
		if (done) /* false for an SM whose blocks have ended */
			add(&d, "wait", 1, 32, 1);
		add(&d, "until", 1, 32, 0);
		add(&d, "wait", 1, 32, 100000);
		run(&d, HEDDLE_LIMIT);
		if (strncmp(heddle_message(d.h), "until: more than 3000 warp instructions", 39))
			fail_msg("%s", heddle_message(d.h));
		heddle_close(d.h);
	}
}

/* The power windows cover a launch exactly: its mean lies between the smallest and the largest
 * window value, also if the last window is short. */
static void mean_power_is_between_least_and_most(void **state)
{
	(void)state;
	static const char *const set[] = {"gpu.sms=2", "gpu.core_mhz=1000", "power.window=3000",
					  NULL};
	/* a single kernel first waits for its code, so that more time than that remains after the
	 * first window */
	for (unsigned n = 20; n < 1100; n += n < 200 ? 10 : 400) {
		struct device d;
		device_open(&d, 1, set);
		if (n > 900)
			add(&d, "copy", 256, 32, 0);
		add(&d, "wait", 8, 256, n);
		run(&d, HEDDLE_OK);
		json_t *all = stats_of(&d), *l;
		size_t i;
		json_array_foreach (json_object_get(all, "launches"), i, l) {
			json_t *w = json_object_get(json_object_get(l, "timing"), "power");
			double mean = json_number_value(json_object_get(w, "mean")),
			       peak = json_number_value(json_object_get(w, "peak")),
			       least = json_number_value(json_object_get(w, "least"));
			if (peak < mean * (1 - 1e-9) || least > mean * (1 + 1e-9) || !(least > 0))
				fail_msg("%u rounds: mean %.6g, least %.6g, most %.6g W", n, mean,
					 least, peak);
		}
		json_decref(all);
	}
}

int main(void)
{
	setenv("HEDDLE_CONF", "conf", 0); /* tests run in the root of the tree */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(independent_launches_overlap),
		cmocka_unit_test(one_waits_for_another),
		cmocka_unit_test(the_timeline_has_launches),
		cmocka_unit_test(whole_blocks_before_parts),
		cmocka_unit_test(the_second_gets_what_the_first_leaves),
		cmocka_unit_test(a_machine_without_concurrency),
		cmocka_unit_test(results_and_times_for_any_threads),
		cmocka_unit_test(launches_can_talk),
		cmocka_unit_test(kernels_together_under_every_mechanism),
		cmocka_unit_test(a_fault_ends_them_all),
		cmocka_unit_test(lines_have_the_energy_of_the_run_once),
		cmocka_unit_test(rows_name_what_ran_in_them),
		cmocka_unit_test(a_limit_names_the_first_that_runs),
		cmocka_unit_test(what_only_began_is_in_no_row),
		cmocka_unit_test(mean_power_is_between_least_and_most),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
