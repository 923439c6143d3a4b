/* Helpers of the timing model's tests: a machine from settings, a kernel from PTX text, its cycles
 * and statistics. */
#ifndef TESTS_TIMING_H
#define TESTS_TIMING_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>
#include "agreement.h"
#include "heddle.h"

struct timed {
	uint64_t cycles, warp_instructions;
	json_t *launch;  /* the launch's object of the statistics */
	json_t *profile; /* the launch's executed instructions, in order */
	json_t *series;  /* the recorded time series; NULL: none was requested */
};

struct bench {
	const char *config;
	const char *set[32]; /* "key=value"; NULL-terminated */
	const char *text;    /* PTX */
	const char *kernel;
	uint32_t grid[3], block[3], shared;
	unsigned threads;
	void *out; /* destination of the output bytes */
	const void *in;
	size_t in_bytes, bytes;
	uint32_t n[2]; /* further parameters */
	bool functional;
	enum heddle_status want;
	char message[4096];
	uint64_t max_cycles;
	struct heddle_options
		watch; /* further options of the run: code, time series, timeline, progress */
};

/* Parameters: in*, out*, n0, n1. */
static inline struct timed bench_run(struct bench *b)
{
	struct heddle *h;
	struct heddle_module *m;
	uint64_t in = 0, out = 0;
	struct timed t = {0};
	struct heddle_options o = {.config = b->functional ? NULL : b->config,
				   .set = b->functional ? NULL : b->set,
				   .timing = !b->functional,
				   .threads = b->threads,
				   .max_instructions = 100000000,
				   .max_cycles = b->max_cycles,
				   .code = b->watch.code,
				   .profile = true,
				   .check_scalar = b->functional};
	o.sample = b->watch.sample;
	o.sample_file = b->watch.sample_file;
	o.series = b->watch.series;
	o.trace_file = b->watch.trace_file;
	o.trace_from = b->watch.trace_from;
	o.trace_to = b->watch.trace_to;
	o.trace_sm = b->watch.trace_sm;
	o.progress = b->watch.progress;
	o.record = b->watch.record;
	o.arg = &h;
	setenv("HEDDLE_CONF", "conf", 0); /* tests run in the root of the tree */
	if (heddle_open(&h, &o))
		fail_msg("%s", heddle_message(h));
	if (heddle_load(h, &(struct heddle_text){"test.ptx", b->text, strlen(b->text)}, 1, &m))
		fail_msg("%s", heddle_message(h));
	assert_int_equal(heddle_malloc(h, b->in_bytes + 64, &in), HEDDLE_OK);
	assert_int_equal(heddle_malloc(h, b->bytes + 64, &out), HEDDLE_OK);
	if (b->in)
		assert_int_equal(heddle_write(h, in, b->in, b->in_bytes), HEDDLE_OK);
	struct {
		uint64_t in, out;
		uint32_t n[2];
	} params = {in, out, {b->n[0], b->n[1]}};
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, b->kernel),
				  .shared_bytes = b->shared,
				  .params = &params};
	for (int i = 0; i < 3; i++) {
		l.grid[i] = b->grid[i] ? b->grid[i] : 1;
		l.block[i] = b->block[i] ? b->block[i] : 1;
	}
	assert_non_null(l.kernel);
	enum heddle_status s = heddle_launch(h, &l);
	snprintf(b->message, sizeof b->message, "%s", heddle_message(h));
	if (s != b->want)
		fail_msg("status %d, expected %d: %s", s, b->want, b->message);
	if (b->out)
		assert_int_equal(heddle_read(h, b->out, out, b->bytes), HEDDLE_OK);
	if (heddle_stats_count(h)) {
		const struct heddle_stats *st = heddle_stats_at(h, 0);
		char *text = heddle_stats_json(h);
		json_t *all = json_loads(text, 0, NULL);
		t.cycles = st->cycles;
		t.warp_instructions = st->warp_instructions;
		t.launch = json_incref(json_array_get(json_object_get(all, "launches"), 0));
		t.profile = json_incref(json_object_get(
			json_array_get(json_object_get(all, "profile"), 0), "instructions"));
		t.series = json_incref(json_object_get(all, "series"));
		json_decref(all);
		free(text);
		struct agreement a = {""};
		if (s == HEDDLE_OK) {
			agree_launch(&a, t.launch);
			agree_profile(&a, t.launch, t.profile);
		}
		if (a.why[0])
			fail_msg("figures do not agree: %s", a.why);
	}
	heddle_close(h);
	return t;
}

/* A figure of the timing part, as "issue.issued" or "sm.blocks" (totals). */
static inline uint64_t figure(const struct timed *t, const char *part, const char *name)
{
	json_t *v =
		json_object_get(json_object_get(json_object_get(t->launch, "timing"), part), name);
	if (!v)
		fail_msg("no figure %s.%s", part, name);
	return (uint64_t)json_number_value(v);
}

static inline void timed_free(struct timed *t)
{
	json_decref(t->launch);
	json_decref(t->profile);
	json_decref(t->series);
}

/* Every cycle of every scheduler has one cause. */
static inline void assert_slots_add_up(const struct timed *t, unsigned schedulers)
{
	uint64_t sum = 0;
	const char *k;
	json_t *v, *issue = json_object_get(json_object_get(t->launch, "timing"), "issue");
	json_object_foreach (issue, k, v)
		sum += json_is_integer(v) ? (uint64_t)json_integer_value(v) : 0;
	assert_int_equal(sum, figure(t, "sm", "cycles") * schedulers);
}

#define HEAD                                                                                       \
	".version 6.4\n.target sm_70\n.address_size 64\n"                                          \
	".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param .u32 n1)\n{\n"
#endif
