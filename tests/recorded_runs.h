/* Recorded figures of launches: everything that a run reports.
 *
 * Words of a case: machine=NAME (plain: the defaults; none: functional mode), k=FILE[:KERNEL], grid=, block=, shared=, n=A,B (the kernel's numbers in
 * order), bytes= of each buffer, fill=index (a permutation) or words, code=fermi|tesla, times= launches one after the other,
 * before=FILE (a program that is loaded first), others=N (so many accesses of others, for check=race),
 * side= launches side by side, cooperative, limit= cycles or most= instructions after which it ends, drop=TEXT[:N] (the first, or Nth, such instruction is left out), target=NN (in place of the program's), check=race,init,
 * progress (what it is told while it runs), threads= of the host, sample=, series=, record=, trace=FROM:TO:SM, rows=own; a key with a dot is a setting. */
#ifndef TESTS_RECORDED_RUNS_H
#define TESTS_RECORDED_RUNS_H
#include <jansson.h>
#include <unistd.h>
#include "heddle.h"
#include "recorded.h"

enum { MOST_BUFFERS = 8, MOST_PARAMS = 256, MOST_TASKS = 4 };

struct launched {
	struct heddle *h;
	struct heddle_module *m;
	uint8_t params[MOST_PARAMS];
	uint64_t buffer[MOST_BUFFERS];
	unsigned buffers;
	uint32_t bytes;
};

/* Settings for the whole process; struct heddle_options points into them. */
static struct {
	struct heddle_options o;
	const char *set[200];
	char output[4096], warned[4096], files[3][64], range[64];
} asked;

static inline void note_output(void *arg, const char *text, size_t n)
{
	(void)arg;
	size_t has = strlen(asked.output);
	if (has + n < sizeof asked.output)
		memcpy(asked.output + has, text, n);
}

static inline void note_warning(void *arg, const char *text)
{
	(void)arg;
	size_t has = strlen(asked.warned);
	snprintf(asked.warned + has, sizeof asked.warned - has, "%s\n", text);
}

static inline void note_progress(void *arg, uint64_t done, uint64_t blocks, uint64_t instructions)
{
	char line[100];
	note_output(arg, line,
		    (size_t)snprintf(line, sizeof line, "%llu of %llu, %llu\n",
				     (unsigned long long)done, (unsigned long long)blocks,
				     (unsigned long long)instructions));
}

static inline bool has_text(const char *list, const char *word)
{
	return list && strstr(list, word);
}

static inline void ask_trace(const struct words *w)
{
	const char *v = word_of(w, "trace");
	if (!v)
		return;
	asked.o.trace_file = asked.files[0];
	char *end;
	asked.o.trace_from = strtoull(v, &end, 0);
	asked.o.trace_to = *end ? strtoull(end + 1, &end, 0) : 0;
	asked.o.trace_sm = *end ? end + 1 : NULL;
}

static inline void ask(const struct words *w)
{
	const char *machine = word_of(w, "machine"), *code = word_of(w, "code"),
		   *check = word_of(w, "check");
	unsigned n = 0;
	memset(&asked, 0, sizeof asked);
	snprintf(asked.files[0], sizeof asked.files[0], "/tmp/heddle-recorded.%ld.trace",
		 (long)getpid());
	snprintf(asked.files[1], sizeof asked.files[1], "/tmp/heddle-recorded.%ld.csv",
		 (long)getpid());
	snprintf(asked.files[2], sizeof asked.files[2], "/tmp/heddle-recorded.%ld.json",
		 (long)getpid());
	asked.o = (struct heddle_options){.config = machine && strcmp(machine, "plain") ? machine
											: NULL,
					  .timing = machine,
					  .threads = (unsigned)number_word(w, "threads", 1),
					  .profile = machine,
					  .max_instructions = number_word(w, "most", 2000000),
					  .max_cycles = number_word(w, "limit", 2000000),
					  .output = note_output,
					  .warn = note_warning,
					  .progress = word_of(w, "progress") ? note_progress : NULL,
					  .check_race = has_text(check, "race"),
					  .check_init = has_text(check, "init"),
					  .check_warn = has_text(check, "warn"),
					  .check_scalar = has_text(check, "scalar"),
					  .record = word_of(w, "record"),
					  .sample = number_word(w, "sample", 0),
					  .series = (unsigned)number_word(w, "series", 0),
					  .launches = word_of(w, "launches"),
					  .skip = number_word(w, "skip", 0),
					  .warm = word_of(w, "warm")};
	if (asked.o.timing)
		asked.o.max_instructions = 0;
	else
		asked.o.max_cycles = 0;
	if (code && heddle_code_parse(code, &asked.o))
		fail_msg("code %s", code);
	if (asked.o.sample)
		asked.o.sample_file = asked.files[1];
	if (check)
		asked.o.check_report = asked.files[2];
	ask_trace(w);
	for (unsigned i = 0; i < w->n; i++)
		if (memchr(w->word[i], '.', strcspn(w->word[i], "=")))
			asked.set[n++] = w->word[i];
	asked.o.set = asked.o.timing ? asked.set : NULL;
	setenv("HEDDLE_ROWS", word_of(w, "rows") ? word_of(w, "rows") : "shared", 1);
}

static inline void fill_buffer(struct launched *l, const struct words *w, uint64_t addr)
{
	uint32_t n = l->bytes / 4;
	bool index = has_text(word_of(w, "fill"), "index");
	uint32_t *word = calloc(n, 4);
	for (uint32_t i = 0; i < n; i++)
		word[i] = index ? (i * 61 + 7) % n : i * 0x01000193u >> (i & 7);
	assert_int_equal(heddle_write(l->h, addr, word, 4 * n), HEDDLE_OK);
	free(word);
}

/* Pointers are buffers; numbers come from the case, in order. */
static inline void fill_params(struct launched *l, const struct words *w, struct heddle_kernel *k)
{
	struct heddle_kernel_info info;
	const char *n = word_of(w, "n");
	uint64_t last = 0;
	heddle_kernel_info(k, &info);
	assert_true(info.param_bytes <= MOST_PARAMS);
	for (unsigned i = 0; i < info.nparam; i++) {
		struct heddle_param_info p;
		heddle_param_info(k, i, &p);
		if (p.size == 8 && l->buffers < MOST_BUFFERS) {
			uint64_t *a = &l->buffer[l->buffers++];
			assert_int_equal(heddle_malloc(l->h, l->bytes, a), HEDDLE_OK);
			fill_buffer(l, w, *a);
			last = *a;
			memcpy(l->params + p.offset, a, 8);
		} else if (p.size == 4) {
			char *end = NULL;
			uint32_t v = n && *n ? (uint32_t)strtoul(n, &end, 0) : 4;
			n = end && *end == ',' ? end + 1 : n;
			memcpy(l->params + p.offset, &v, 4);
		}
	}
	if (l->buffers > 1) /* results: locks start open, sums at zero */
		assert_int_equal(heddle_fill(l->h, last, 0, 4, l->bytes / 4), HEDDLE_OK);
}

/* Fills tables and textures that programs of tests/data/recorded declare. */
static inline void fill_symbols(struct launched *l)
{
	uint64_t at, size;
	uint32_t word[64];
	struct heddle_tex t = {.addr = l->buffer[0],
			       .width = 1024,
			       .channels = 1,
			       .bits = 32,
			       .linear_memory = true};
	if (heddle_tex_bind(l->h, l->m, "tex", &t) ||
	    heddle_symbol(l->h, l->m, "table", &at, &size))
		return;
	for (unsigned i = 0; i < 64; i++)
		word[i] = i * 2654435761u;
	assert_int_equal(heddle_write(l->h, at, word, sizeof word), HEDDLE_OK);
}

/* Removes one line from the program, as an editing slip would. */
static inline void drop_line(char *text, const char *what)
{
	char want[64];
	size_t n = strcspn(what, ":");
	unsigned skip = what[n] ? (unsigned)strtoul(what + n + 1, NULL, 0) : 0;
	snprintf(want, sizeof want, "%.*s", (int)n, what);
	for (char *p = want; *p; p++)
		*p = *p == '~' ? ' ' : *p;
	char *p = strstr(text, want);
	for (; p && skip; skip--)
		p = strstr(p + 1, want);
	if (!p)
		fail_msg("no %s to drop", what);
	for (; *p != ';'; p++)
		*p = ' ';
	*p = ' ';
}

/* NULL: refused. */
static inline struct heddle_kernel *load_kernel(struct launched *l, const struct words *w)
{
	const char *k = word_of(w, "k"), *name, *drop = word_of(w, "drop"),
		   *before = word_of(w, "before");
	char path[256];
	size_t size, n;
	assert_non_null(k);
	snprintf(path, sizeof path, "%.*s", (int)strcspn(k, ":"), k);
	name = strchr(k, ':');
	char *text = file_text(path, &size);
	if (drop)
		drop_line(text, drop);
	const char *target = word_of(w, "target");
	char *at = strstr(text, ".target sm_");
	if (target && at) /* a replacement of equal length */
		memcpy(at + strlen(".target sm_"), target, strlen(target));
	if (before) {
		char *first = file_text(before, &n);
		struct heddle_text t = {.name = "before.ptx", .data = first, .size = n};
		assert_int_equal(heddle_load(l->h, &t, 1, &l->m), HEDDLE_OK);
		free(first);
	}
	struct heddle_text t = {.name = "k.ptx", .data = text, .size = size};
	enum heddle_status s = heddle_load(l->h, &t, 1, &l->m);
	free(text);
	return s ? NULL : name ? heddle_kernel_find(l->m, name + 1) : heddle_kernel_at(l->m, 0);
}

static inline enum heddle_status launch_all(struct launched *l, const struct words *w,
					    struct heddle_kernel *k)
{
	static const unsigned first[] = {0};
	struct heddle_task t[MOST_TASKS] = {0};
	struct heddle_launch one = {.kernel = k,
				    .params = l->params,
				    .shared_bytes = (uint32_t)number_word(w, "shared", 0),
				    .cooperative = word_of(w, "cooperative")};
	const struct heddle_other others[] = {{.addr = l->buffer[0],
					       .bytes = 100,
					       .pitch = 256,
					       .rows = 3,
					       .what = "a copy from"},
					      {.addr = l->buffer[l->buffers - 1] + 32,
					       .bytes = 64,
					       .pitch = 512,
					       .rows = 2,
					       .writes = true,
					       .what = "a copy to"},
					      {.addr = l->buffer[0] + 2048,
					       .bytes = 512,
					       .rows = 1,
					       .writes = true,
					       .what = "the host",
					       .does = "freed"}};
	one.nothers = (unsigned)number_word(w, "others", 0);
	one.others = one.nothers && l->buffers ? others : NULL;
	unsigned long times = number_word(w, "times", 1), side = number_word(w, "side", 0);
	enum heddle_status s = HEDDLE_OK;
	shape_word(w, "grid", one.grid);
	shape_word(w, "block", one.block);
	while (times-- && !s)
		s = heddle_launch(l->h, &one);
	for (unsigned i = 0; i < side && i < MOST_TASKS; i++) {
		t[i].launch = one;
		t[i].launch.stream = i + 1;
		if (i == 2) /* the third waits for the first */
			t[i].after = first, t[i].nafter = 1;
	}
	if (side && !s)
		s = heddle_launch_many(l->h, t, (unsigned)side);
	return s;
}

/* ---- reports ---- */

/* JSON_SORT_KEYS: the order of members is not guaranteed. */
static inline void figure_json(struct figures *f, const char *name, const json_t *v)
{
	char *text = v ? json_dumps(v, JSON_SORT_KEYS | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9) |
					       JSON_INDENT(1))
		       : NULL;
	if (text)
		figure_text(f, name, text, strlen(text));
	free(text);
}

static inline void figure_file(struct figures *f, const char *name, const char *path)
{
	size_t size;
	if (access(path, R_OK))
		return;
	char *text = file_text(path, &size);
	figure_reals(f, name, text, size);
	free(text);
	remove(path);
}

/* The component that a part of the machine belongs to. */
static inline const char *owner_of(const char *part)
{
	static const char *const mem[] = {"l1d", "l1c",  "l1t",   "l1i",
					  "l2",  "icnt", "slice", "dram"};
	if (!strncmp(part, "energy", 6) || !strcmp(part, "power"))
		return "power";
	for (unsigned i = 0; i < sizeof mem / sizeof *mem; i++)
		if (strcspn(part, ".") == strlen(mem[i]) && !strncmp(part, mem[i], strlen(mem[i])))
			return "mem";
	return "sm";
}

static inline void figure_timing(struct figures *f, json_t *launches)
{
	static const char *const owner[] = {"sm", "mem", "power"};
	for (unsigned i = 0; i < 3; i++) {
		json_t *all = json_array(), *launch, *part;
		size_t n;
		const char *name;
		json_array_foreach (launches, n, launch) {
			json_t *one = json_object();
			json_object_foreach (json_object_get(launch, "timing"), name, part)
				if (!strcmp(owner_of(name), owner[i]))
					json_object_set(one, name, part);
			json_array_append_new(all, one);
		}
		figure_json(f, owner[i], all);
		json_decref(all);
	}
}

static inline void figure_stats(struct figures *f, const struct heddle *h, bool timing)
{
	char *text = heddle_stats_json(h);
	json_t *all = json_loads(text, 0, NULL), *launches = json_object_get(all, "launches"),
	       *launch;
	size_t n;
	json_int_t cycles = 0, warp = 0;
	free(text);
	json_object_del(all, "heddle");
	json_array_foreach (launches, n, launch) {
		json_object_del(launch, "wall_seconds");
		cycles += json_integer_value(json_object_get(launch, "cycles"));
		warp += json_integer_value(json_object_get(launch, "warp_instructions"));
	}
	if (timing)
		figure_number(f, "cycles", (unsigned long long)cycles);
	figure_number(f, "warp", (unsigned long long)warp);
	if (timing)
		figure_timing(f, launches);
	json_array_foreach (launches, n, launch)
		json_object_del(launch, "timing");
	figure_json(f, "launch", launches);
	figure_json(f, "profile", json_object_get(all, "profile"));
	figure_json(f, "series", json_object_get(all, "series"));
	json_object_del(all, "launches");
	json_object_del(all, "profile");
	json_object_del(all, "series");
	figure_json(f, "rest", all);
	json_decref(all);
}

static inline void figure_memory(struct figures *f, struct launched *l)
{
	char *text = malloc((size_t)l->buffers * l->bytes + 1);
	for (unsigned i = 0; i < l->buffers; i++)
		assert_int_equal(
			heddle_read(l->h, text + (size_t)i * l->bytes, l->buffer[i], l->bytes),
			HEDDLE_OK);
	fprintf(f->out, " memory=%08lx", crc32(0, (const void *)text, l->buffers * l->bytes));
	free(text);
}

/* Records a text; a failed run's message is a figure too. */
static inline void figure_words(struct figures *f, const char *name, const char *text)
{
	if (*text)
		figure_text(f, name, text, strlen(text));
}

static inline void recorded_run(const struct words *w, struct figures *f)
{
	struct launched l = {.bytes = (uint32_t)number_word(w, "bytes", 4096)};
	ask(w);
	enum heddle_status s = heddle_open(&l.h, &asked.o);
	struct heddle_kernel *k = s ? NULL : load_kernel(&l, w);
	if (k) {
		struct heddle_kernel_info info;
		heddle_kernel_info(k, &info);
		fill_params(&l, w, k);
		fill_symbols(&l);
		s = launch_all(&l, w, k);
		figure_number(f, "registers", info.registers);
		figure_number(f, "least", info.least_registers);
	}
	figure_number(f, "status", (unsigned)s);
	if (s) /* without a program the message belongs to an earlier attempt */
		figure_words(f, "message", heddle_message(l.h));
	if (k) {
		figure_stats(f, l.h, asked.o.timing);
		figure_memory(f, &l);
	}
	heddle_close(l.h);
	figure_words(f, "output", asked.output);
	figure_words(f, "warnings", asked.warned);
	figure_file(f, "trace", asked.files[0]);
	figure_file(f, "samples", asked.files[1]);
	figure_file(f, "report", asked.files[2]);
}

#endif
