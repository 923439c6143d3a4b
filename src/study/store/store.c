/* Reads and writes result files and their keys. store.h describes them. */
#include "study/store/store.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include "command/command.h"
#include "command/program.h"
#include "heddle.h"
#include "study/lang/options.h"

/* Returns 64 bits of a hash of a file's contents in hexadecimal, in the arena; "?": it cannot be
 * read. */
const char *results_file_hash(struct arena *a, const char *path)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
	FILE *f = path ? fopen(path, "rb") : NULL;
	if (!f)
		return "?";
	unsigned char buf[1 << 16];
	for (size_t n; (n = fread(buf, 1, sizeof buf, f));)
		for (size_t i = 0; i < n; i++)
			h = (h ^ buf[i]) * 0x100000001b3u;
	fclose(f);
	return arena_printf(a, "%016llx", (unsigned long long)h);
}

/* ---- configurations ---- */

/* Removes alignment, comments and empty lines from "key = value" lines: only the values matter. */
const char *results_plain_config(struct arena *a, const char *text)
{
	char *out = arena_strdup(a, text), *to = out;
	for (const char *line = text, *end; *line; line = end + (*end == '\n')) {
		end = strchrnul(line, '\n');
		size_t n = strcspn(line, ";\n");
		bool blank = false;
		if (*line == '#' || n == 0)
			continue;
		for (const char *p = line; p < line + n; p++) {
			if (*p == ' ') {
				blank = true;
				continue;
			}
			if (blank)
				*to++ = ' ';
			blank = false;
			*to++ = *p;
		}
		*to++ = '\n';
	}
	*to = 0;
	return out;
}

/* Adds the code that runs to a run's key; plain PTX adds nothing. */
static const char *with_code(struct results *rs, const char *config, const char *code)
{
	return strcmp(code, "ptx") ? arena_printf(&rs->arena, "%scode = %s\n", config, code)
				   : config;
}

static bool read_configs(struct results *rs, struct diag *d)
{
	const struct study *s = rs->s;
	rs->config = ARENA_ARRAY(&rs->arena, const char *, s->runs.n);
	for (size_t i = 0; i < s->runs.n; i++) {
		char *text;
		bool ok = heddle_config_show(s->runs.v[i].machine, s->runs.v[i].set, &text);
		struct srcloc at = {.file = s->path, .line = s->runs.v[i].line, .col = 1};
		if (ok)
			rs->config[i] = with_code(rs, results_plain_config(&rs->arena, text),
						  s->runs.v[i].code);
		else
			diag_at(d, DIAG_ERROR, &at, "[run %s] is not a valid machine: %s",
				s->runs.v[i].name, options_why(&rs->arena, text));
		free(text);
	}
	return !d->errors;
}

/* ---- figures in expressions ---- */

static double sum_buckets(const json_t *list, int first, int last)
{
	double sum = 0;
	for (int i = first; i <= last; i++)
		sum += json_number_value(json_array_get(list, (size_t)i));
	return sum;
}

/* Returns "cycles", or "sm.active_lanes" of a component. */
static double find_figure(const void *arg, unsigned program, unsigned run, const char *name,
			  int first, int last)
{
	const struct study *s = arg;
	const json_t *v = results_at(s->results, program, run)->figures;
	const char *dot = strchr(name, '.');
	if (!v)
		return NAN;
	if (dot) {
		char part[64];
		snprintf(part, sizeof part, "%.*s", (int)(dot - name), name);
		v = json_object_get(v, part);
		name = dot + 1;
	}
	v = json_object_get(v, name);
	if (first >= 0 && json_is_array(v))
		return sum_buckets(v, first, last);
	return json_is_number(v) ? json_number_value(v) : NAN;
}

bool results_open(struct results *rs, struct study *s, const char *dir, const char *size,
		  struct diag *d)
{
	*rs = (struct results){.s = s, .dir = dir, .size = size};
	if (!read_configs(rs, d)) /* checked before a folder is made */
		return false;
	rs->r = xcalloc(s->programs.n * s->runs.n, sizeof *rs->r);
	rs->program_hash = ARENA_ARRAY(&rs->arena, const char *, s->programs.n);
	char *lib = program_library();
	rs->simulator = arena_strdup(&rs->arena, lib ? lib : "");
	rs->simulator_hash = results_file_hash(&rs->arena, rs->simulator);
	free(lib);
	s->results = rs;
	s->size = size;
	s->world.figure = find_figure;
	char *path = arena_printf(&rs->arena, "%s/results/%s", dir, size);
	if (!cli_make_dirs(path))
		diag_error(d, "%s: %s", path, strerror(errno));
	return !d->errors;
}

void results_close(struct results *rs)
{
	for (size_t i = 0; rs->s && rs->r && i < rs->s->programs.n * rs->s->runs.n; i++)
		json_decref(rs->r[i].all);
	free(rs->r);
	arena_free(&rs->arena);
	*rs = (struct results){0};
}

/* ---- files ---- */

const char *results_path(struct results *rs, unsigned program, unsigned run, const char *what)
{
	return arena_printf(&rs->arena, "%s/results/%s/%s.%s%s", rs->dir, rs->size,
			    rs->s->programs.v[program].name, rs->s->runs.v[run].name, what);
}

static json_t *key(const struct results *rs, unsigned program, unsigned run)
{
	const struct study_program *p = &rs->s->programs.v[program];
	json_t *k = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "heddle", HEDDLE_VERSION,
			      "simulator", rs->simulator_hash, "workload", p->workload, "program",
			      rs->program_hash[program], "size", rs->size, "configuration",
			      rs->config[run]);
	const char *timed = study_timed(p, rs->size);
	if (timed)
		json_object_set_new(k, "timed", json_string(timed));
	json_t *set = json_array();
	for (unsigned i = 0; i < p->nset; i++)
		json_array_append_new(set, json_string(p->set[i]));
	if (p->nset)
		json_object_set(k, "set", set);
	json_decref(set);
	return k;
}

static void keep_file(struct result *r, json_t *all)
{
	json_decref(r->all);
	*r = (struct result){.all = all, .figures = json_object_get(all, "figures")};
}

void results_load(struct results *rs, unsigned program, const char *file)
{
	rs->program_hash[program] = results_file_hash(&rs->arena, file);
	for (unsigned run = 0; run < rs->s->runs.n; run++) {
		json_t *all = json_load_file(results_path(rs, program, run, ".json"), 0, NULL);
		json_t *want = key(rs, program, run);
		if (all && json_equal(json_object_get(all, "key"), want) &&
		    json_object_get(all, "figures"))
			keep_file(results_at(rs, program, run), all);
		else
			json_decref(all);
		json_decref(want);
	}
}

bool results_outdated(struct results *rs)
{
	return strcmp(results_file_hash(&rs->arena, rs->simulator), rs->simulator_hash) != 0;
}

/* Adds numbers and histograms; skips rates, which cannot be summed. */
static void add_figures(json_t *sum, const json_t *more)
{
	const char *name;
	json_t *v;
	json_object_foreach ((json_t *)more, name, v) {
		json_t *old = json_object_get(sum, name);
		if (json_is_integer(v)) {
			json_object_set_new(
				sum, name,
				json_integer(json_integer_value(old) + json_integer_value(v)));
		} else if (json_is_array(v) && json_is_integer(json_array_get(v, 0)) && !old) {
			json_object_set_new(sum, name, json_copy(v));
		} else if (json_is_array(v) && json_is_array(old)) {
			for (size_t i = 0; i < json_array_size(v); i++)
				json_array_set_new(
					old, i,
					json_integer(json_integer_value(json_array_get(old, i)) +
						     json_integer_value(json_array_get(v, i))));
		}
	}
}

/* True for "sm.3", an instance of "sm", which has the sums. */
static bool is_instance(const char *name)
{
	const char *dot = strrchr(name, '.');
	return dot && dot[1] && !dot[1 + strspn(dot + 1, "0123456789")];
}

/* Adds warp instructions by class: "class": {"add": 12, ...}. */
static void add_classes(json_t *sum, json_t *opcodes)
{
	json_t *classes = json_object_get(sum, "class");
	if (!classes)
		json_object_set_new(sum, "class", classes = json_object());
	for (unsigned i = 0; results_class(i); i++) {
		json_int_t n = json_integer_value(json_object_get(classes, results_class(i)));
		const char *name;
		json_t *v;
		json_object_foreach (opcodes, name, v) {
			const char *class = json_string_value(json_object_get(v, "class"));
			if (class && !strcmp(heddle_class_name(i), class))
				n += json_integer_value(json_object_get(v, "warp"));
		}
		json_object_set_new(classes, results_class(i), json_integer(n));
	}
}

static void add_launch(json_t *sum, const json_t *launch)
{
	const char *name;
	json_t *part;
	add_classes(sum, json_object_get(launch, "opcodes"));
	static const char *const keys[] = {"cycles",   "warp_instructions",  "thread_instructions",
					   "branches", "divergent_branches", "blocks"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		json_int_t n = json_integer_value(json_object_get(sum, keys[i]));
		n += json_integer_value(json_object_get(launch, keys[i]));
		json_object_set_new(sum, keys[i], json_integer(n));
	}
	json_object_foreach (json_object_get(launch, "timing"), name, part) {
		if (is_instance(name))
			continue;
		if (!json_object_get(sum, name))
			json_object_set_new(sum, name, json_object());
		add_figures(json_object_get(sum, name), part);
	}
}

/* True if the launch counts: in a run that times only some launches, only those do. */
static bool launch_counts(const json_t *stats, const json_t *launch)
{
	return !json_object_get(stats, "timed") ||
	       json_number_value(json_object_get(launch, "timed"));
}

static void count_launch(json_t *sum, const json_t *launch)
{
	json_int_t n = json_integer_value(json_object_get(sum, "launches"));
	add_launch(sum, launch);
	json_object_set_new(sum, "launches", json_integer(n + 1));
}

/* Adds what a statistic of the whole program is estimated to be: {"value": ...}, a number or a list. Rates,
 * which are no integers in a launch's statistics, are left out. */
static void add_estimate(json_t *sum, const char *name, const json_t *like, const json_t *figure)
{
	const json_t *value = json_object_get(figure, "value");
	if (!value)
		value = json_object_get(figure, "at_least");
	if (json_is_integer(like) && json_is_number(value)) {
		json_object_set_new(sum, name, json_integer(llround(json_number_value(value))));
	} else if (json_is_array(like) && json_is_integer(json_array_get(like, 0)) &&
		   json_is_array(value)) {
		json_t *list = json_array();
		for (size_t i = 0; i < json_array_size(value); i++) {
			double x = json_number_value(json_array_get(value, i));
			json_array_append_new(list, json_integer(llround(x)));
		}
		json_object_set_new(sum, name, list);
	}
}

static double estimated(const json_t *figures, const char *component, const char *name,
			const char *what)
{
	const json_t *figure = json_object_get(json_object_get(figures, component), name);
	return json_number_value(json_object_get(figure, what));
}

static void add_interval(json_t *sum, const json_t *figures, const char *name)
{
	static const char *const ends[] = {"low", "high"};
	for (int i = 0; i < 2; i++) {
		char key[64];
		snprintf(key, sizeof key, "%s_%s", name, ends[i]);
		json_object_set_new(sum, key,
				    json_real(estimated(figures, "launch", name, ends[i])));
	}
}

/* Replaces the sums over timed launches by the estimates for the whole program. */
static void add_estimates(json_t *sum, const json_t *stats)
{
	const json_t *sampled = json_object_get(stats, "sampled");
	const json_t *figures = json_object_get(sampled, "figures");
	const char *component, *name;
	json_t *like, *x;
	json_object_foreach (sum, component, like) {
		const json_t *from = json_object_get(figures, component);
		json_t *to = from ? json_object() : NULL;
		json_object_foreach (like, name, x)
			add_estimate(to, name, x, json_object_get(from, name));
		if (to)
			json_object_set_new(sum, component, to);
	}
	json_object_set_new(sum, "cycles",
			    json_integer(llround(estimated(figures, "launch", "cycles", "value"))));
	json_t *energy = json_object(), *sample = json_object();
	json_object_foreach (json_object_get(figures, "energy"), name, x)
		if (json_is_number(json_object_get(x, "value")))
			json_object_set(energy, name, json_object_get(x, "value"));
	static const char *const own[][2] = {{"total", "joule"},
					     {"seconds", "gpu_seconds"},
					     {"edp", "edp"},
					     {"mean_watts", "mean_watts"}};
	for (int i = 0; i < 4; i++)
		json_object_set_new(energy, own[i][0],
				    json_real(estimated(figures, "launch", own[i][1], "value")));
	json_object_set_new(sum, "energy", energy);
	add_interval(sample, figures, "cycles");
	add_interval(sample, figures, "joule");
	json_object_set(sample, "timed_instructions",
			json_object_get(sampled, "timed_instructions"));
	json_object_set_new(sum, "sample", sample);
}

json_t *results_reduce(const json_t *stats)
{
	json_t *sum = json_pack("{s:i}", "launches", 0), *launch;
	size_t i;
	json_array_foreach (json_object_get(stats, "launches"), i, launch)
		if (json_object_get(stats, "sampled") || launch_counts(stats, launch))
			count_launch(sum, launch);
	if (json_object_get(stats, "sampled")) {
		add_estimates(sum, stats);
		return sum;
	}
	/* the file contains the whole run's energy */
	json_t *energy = json_object_get(stats, "energy");
	if (energy)
		json_object_set(sum, "energy", energy);
	return sum;
}

/* Adds a launch's joules and seconds. Products and shares of a sum are computed from the sum or left
 * out; the energy of a whole run is in its file. */
static void add_energy(json_t *sum, const json_t *launch)
{
	static const char *const rates[] = {"edp", "ed2p", "time_share", "time_share_unclocked"};
	const json_t *more = json_object_get(json_object_get(launch, "timing"), "energy");
	json_t *energy = json_object_get(sum, "energy"), *x;
	const char *name;
	json_object_foreach ((json_t *)more, name, x) {
		bool rate = false;
		for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
			rate |= !strcmp(name, rates[i]);
		double had = json_number_value(json_object_get(energy, name));
		if (json_is_number(x) && !rate)
			json_object_set_new(energy, name, json_real(had + json_number_value(x)));
	}
	double total = json_number_value(json_object_get(energy, "total"));
	double seconds = json_number_value(json_object_get(energy, "seconds"));
	if (seconds > 0) {
		json_object_set_new(energy, "edp", json_real(total * seconds));
		json_object_set_new(energy, "mean_watts", json_real(total / seconds));
	}
}

json_t *results_by_kernel(const json_t *stats)
{
	json_t *all = json_object(), *launch;
	size_t i;
	if (json_object_get(stats, "sampled")) /* figures are of the program, not of its kernels */
		return all;
	json_array_foreach (json_object_get(stats, "launches"), i, launch) {
		char name[1024];
		const char *mangled = json_string_value(json_object_get(launch, "kernel"));
		if (!mangled || !launch_counts(stats, launch))
			continue;
		heddle_plain_name(mangled, name, sizeof name);
		json_t *sum = json_object_get(all, name);
		if (!sum)
			json_object_set_new(all, name, sum = json_object());
		count_launch(sum, launch);
		add_energy(sum, launch);
	}
	return all;
}

bool results_add(struct results *rs, unsigned program, unsigned run, const char *stats,
		 double seconds, double cpu, const char **why)
{
	json_error_t e;
	json_t *in = json_load_file(stats, 0, &e);
	if (!json_array_size(json_object_get(in, "launches"))) {
		*why = in ? "it launched no kernel"
			  : arena_printf(&rs->arena, "its statistics are unreadable: %s", e.text);
		json_decref(in);
		return false;
	}
	json_t *figures = results_reduce(in);
	if (!json_integer_value(json_object_get(figures, "launches"))) {
		*why = arena_printf(&rs->arena, "no launch is timed: it has %zu, timed are %s",
				    json_array_size(json_object_get(in, "launches")),
				    study_timed(&rs->s->programs.v[program], rs->size));
		json_decref(figures);
		json_decref(in);
		return false;
	}
	json_t *all =
		json_pack("{s:o, s:s, s:s, s:f, s:f, s:o}", "key", key(rs, program, run), "program",
			  rs->s->programs.v[program].name, "run", rs->s->runs.v[run].name,
			  "wall_seconds", seconds, "cpu_seconds", cpu, "figures", figures);
	json_decref(in);
	char *text = json_dumps(all, JSON_INDENT(1));
	struct cli_output o;
	bool ok = text &&
		  cli_output_write("reproduce", &o, results_path(rs, program, run, ".json"), text,
				   strlen(text)) &&
		  cli_output_commit("reproduce", &o);
	free(text);
	keep_file(results_at(rs, program, run), all);
	if (!ok)
		*why = "its result cannot be written";
	return ok;
}
