#include "study/device/device.h"

#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/diag.h"
#include "command/command.h"
#include "command/suite.h"
#include "heddle.h"
#include "study/device/tsv.h"
#include "study/jobs/tasks.h"
#include "study/store/store.h"

enum { BYTES = 4096 };

/* ---- the folder of a device ---- */

static char *find_folder(const char *study)
{
	static const char *const folders[] = {"../studies", "../share/heddle/studies"};
	char *path = malloc(BYTES);
	const char *env = getenv("HEDDLE_STUDIES");
	bool named = strchr(study, '/') != NULL;
	for (unsigned i = 0; i < (env || named ? 1 : 2); i++) {
		char *beside = env || named ? NULL : suite_beside(folders[i]);
		const char *in = named ? study : env ? env : beside ? beside : ".";
		snprintf(path, BYTES, named ? "%s" : "%s/%s", in, study);
		free(beside);
		char *ini = malloc(BYTES);
		snprintf(ini, BYTES, "%.4000s/device.ini", path);
		bool found = !access(ini, R_OK);
		free(ini);
		if (found)
			return path;
	}
	free(path);
	return NULL;
}

bool device_is(const char *study)
{
	char *dir = find_folder(study);
	free(dir);
	return dir != NULL;
}

static int take_line(void *arg, const char *section, const char *name, const char *value)
{
	struct device *d = arg;
	const struct {
		const char *name;
		const char **text;
		double *number;
	} rows[] = {
		{"title", &d->title, NULL},
		{"machine", &d->machine, NULL},
		{"energy_machine", &d->energy_machine, NULL},
		{"peak_dram_bytes", NULL, &d->peak_dram_bytes},
		{"peak_l2_bytes", NULL, &d->peak_l2_bytes},
		{"sms", NULL, &d->sms},
		{"sub_cores", NULL, &d->sub_cores},
	};
	for (unsigned i = 0; !strcmp(section, "device") && i < sizeof rows / sizeof *rows; i++) {
		if (strcmp(rows[i].name, name))
			continue;
		if (rows[i].text)
			*rows[i].text = arena_strdup(&d->arena, value);
		else
			*rows[i].number = strtod(value, NULL);
		return 1;
	}
	return 0;
}

/* Reads an option from a machine's description; 0: absent. */
static double option_in(const char *text, const char *section, const char *option)
{
	const char *at = strstr(text, section), *line = at ? strstr(at, option) : NULL;
	return line ? strtod(line + strlen(option) + strspn(line + strlen(option), " ="), NULL) : 0;
}

static bool read_machine(struct device *d)
{
	char *text = NULL;
	bool ok = heddle_config_show(d->machine, NULL, &text);
	if (ok)
		d->constant_line = option_in(text, "\n[l1c]", "\nline ");
	else
		cli_print(stderr, text);
	free(text);
	return ok;
}

static bool device_read(struct device *d, const char *study)
{
	char *dir = find_folder(study);
	const char *slash = strrchr(study, '/');
	*d = (struct device){.sms = 1, .sub_cores = 1};
	d->dir = arena_strdup(&d->arena, dir ? dir : "");
	d->name = arena_strdup(&d->arena, slash && slash[1] ? slash + 1 : study);
	free(dir);
	const char *path = arena_printf(&d->arena, "%s/device.ini", d->dir);
	int line = ini_parse(path, take_line, d);
	if (line) {
		cli_error(
			"reproduce",
			"%s:%d: expected [device] with title, machine, energy_machine, peak_dram_bytes, "
			"peak_l2_bytes, sms and sub_cores",
			path, line);
		return false;
	}
	if (!d->title || !d->machine || !d->energy_machine) {
		cli_error("reproduce", "%s: title, machine or energy_machine is missing", path);
		return false;
	}
	return read_machine(d);
}

/* ---- tasks ---- */

struct run { /* a program on one kind of code, or a table */
	const char *program, *table, *result, *temp;
	bool own;
};
struct work {
	struct device d;
	const struct device_job *j;
	const char *out, *stamp; /* stamp: of the simulator; part of results' names */
	VEC(struct run) runs;
	struct device_report report;
};

static void add_note(struct work *w, const char *text)
{
	vec_push(&w->report.notes, text);
	if (!w->j->quiet)
		cli_note("reproduce", "%s", text);
}

static bool is_wanted(const struct work *w, const char *name)
{
	const char *list = w->j->programs;
	size_t n = strlen(name);
	if (!list)
		return true;
	for (const char *s = list; *s; s += strcspn(s, ",") + (s[strcspn(s, ",")] == ','))
		if (strcspn(s, ",") == n && !strncmp(s, name, n))
			return true;
	return false;
}

/* Unpacks machine code into the report's folder, where runs find it. */
static const char *unpack_code(struct work *w, const char *program)
{
	struct arena *a = &w->d.arena;
	char *name = arena_strdup(a, program);
	size_t n;
	name[strcspn(name, "_")] = 0; /* variants of a program have equal kernels */
	const char *from = arena_printf(a, "%s/sm_90/workload_%s.cubin.gz", w->d.dir, name);
	const char *dir = arena_printf(a, "%s/machine-code/vendor/%s", w->out, program);
	char *data = access(from, R_OK) ? NULL : cli_read_gz("reproduce", from, &n);
	FILE *f = data && cli_make_dirs(arena_strdup(a, dir))
			  ? fopen(arena_printf(a, "%s/code.cubin", dir), "wb")
			  : NULL;
	bool ok = f && fwrite(data, 1, n, f) == n;
	if (f)
		ok &= !fclose(f);
	free(data);
	return ok ? dir : NULL;
}

/* Compiles the PTX of a program with Heddle's own compiler and records its messages. */
static const char *compile_code(struct work *w, const char *program)
{
	struct arena *a = &w->d.arena;
	char *name = arena_strdup(a, program), *message = NULL;
	size_t n, size;
	name[strcspn(name, "_")] = 0;
	const char *from = arena_printf(a, "%s/ptx/workload_%s.ptx.gz", w->d.dir, name);
	const char *dir = arena_printf(a, "%s/machine-code/own/%s", w->out, program);
	char *ptx = access(from, R_OK) ? NULL : cli_read_gz("reproduce", from, &n);
	if (!ptx)
		return NULL;
	struct heddle_compile how = {.sm = 90};
	void *cubin =
		heddle_cubin_compile(&(struct heddle_text){.name = from, .data = ptx, .size = n}, 1,
				     &how, &size, &message);
	if (!cubin)
		add_note(w, arena_printf(a, "%s by our compiler: %.200s", program,
					 message ? message : "it fails"));
	FILE *f = cubin && cli_make_dirs(arena_strdup(a, dir))
			  ? fopen(arena_printf(a, "%s/code.cubin", dir), "wb")
			  : NULL;
	bool ok = f && fwrite(cubin, 1, size, f) == size;
	if (f)
		ok &= !fclose(f);
	free(cubin);
	free(message);
	free(ptx);
	return ok ? dir : NULL;
}

static struct task new_task(struct work *w, const struct run *r, char **argv, unsigned n,
			    const char *title)
{
	struct arena *a = &w->d.arena;
	struct task t = {.title = title,
			 .cost = 1,
			 .argv = ARENA_ARRAY(a, char *, n + 1),
			 .log = arena_printf(a, "%s.log", r->result)};
	memcpy(t.argv, argv, n * sizeof *argv);
	t.argv[n] = NULL;
	t.id[0] = (unsigned)(r - w->runs.v);
	return t;
}

static void task_done(void *arg, struct task *t)
{
	struct work *w = arg;
	struct run *r = &w->runs.v[t->id[0]];
	const char *name = r->table ? r->table : r->program;
	if (!t->status && !rename(r->temp, r->result)) {
		unlink(t->log);
		return;
	}
	unlink(r->temp);
	add_note(w, arena_printf(&w->d.arena, "%s%s: status %d, see %s", name,
				 r->table ? ""
				 : r->own ? " (our code)"
					  : " (vendor's code)",
				 t->status, t->log));
}

static bool run_tasks(struct work *w)
{
	struct arena *a = &w->d.arena;
	VEC(struct task) list = {0};
	for (size_t i = 0; i < w->runs.n; i++) {
		const struct run *r = &w->runs.v[i];
		if (!access(r->result, R_OK))
			continue;
		if (r->table) {
			char *argv[] = {"heddle",           "reproduce", (char *)w->d.dir, "--size",
					(char *)w->j->size, "--table",   (char *)r->table, "--out",
					(char *)r->temp};
			vec_push(&list, new_task(w, r, argv, sizeof argv / sizeof *argv, r->table));
			continue;
		}
		const char *code =
			r->own ? compile_code(w, r->program) : unpack_code(w, r->program);
		if (!code)
			continue;
		char *argv[] = {"heddle",
				"workload",
				(char *)programs_workload(a, r->program),
				"--size",
				(char *)w->j->size,
				"--config",
				(char *)w->d.machine,
				"--mode",
				"timing",
				"--threads",
				"1",
				"--quiet",
				"--stats-sums",
				"--cubins",
				(char *)code,
				"--stats",
				(char *)r->temp};
		vec_push(&list,
			 new_task(w, r, argv, sizeof argv / sizeof *argv,
				  arena_printf(a, "%s%s", r->program, r->own ? ", our code" : "")));
	}
	struct tasks_options o = {.jobs = w->j->jobs,
				  .done = task_done,
				  .arg = w,
				  .title = w->j->quiet ? NULL : w->d.title};
	bool ok = tasks_run(list.v, (unsigned)list.n, &o);
	vec_free(&list);
	return ok;
}

/* ---- runs ---- */

static void add_run(struct work *w, const char *program, const char *table, bool own)
{
	struct arena *a = &w->d.arena;
	const char *name = table ? arena_printf(a, "table-%s", table)
				 : arena_printf(a, "%s-%s", program, own ? "code" : "machine");
	const char *base =
		arena_printf(a, "%s/results/%s/%s-%s", w->out, w->j->size, name, w->stamp);
	struct run r = {.program = program,
			.table = table,
			.own = own,
			.result = arena_printf(a, "%s.%s", base, table ? "tsv" : "json")};
	r.temp = arena_printf(a, "%s.part.json", base); /* statistics are JSON by the name's end */
	vec_push(&w->runs, r);
}

static bool list_runs(struct work *w)
{
	for (unsigned i = 0; micro_name(i); i++)
		if (is_wanted(w, micro_name(i)))
			add_run(w, NULL, micro_name(i), false);
	if (!programs_read(&w->d, w->j->size, &w->report.launches, &w->d.arena))
		return false;
	const char *last = "";
	for (size_t i = 0; i < w->report.launches.v.n; i++) {
		const char *p = w->report.launches.v.v[i].program;
		if (!strcmp(p, last) || !is_wanted(w, p))
			continue;
		add_run(w, p, NULL, false);
		add_run(w, p, NULL, true);
		last = p;
	}
	if (w->runs.n)
		return true;
	cli_error("reproduce",
		  "--programs %s: expected names of programs or tables of %s, separated by commas",
		  w->j->programs, w->d.name);
	return false;
}

/* ---- results ---- */

static void take_table(struct work *w, const char *path)
{
	char *name = arena_strdup(&w->d.arena, path), *slash = strrchr(name, '/');
	struct tsv t;
	*slash = 0;
	slash[1 + strlen(slash + 1) - 4] = 0; /* .tsv */
	if (!tsv_open(&t, "reproduce", name, slash + 1))
		return;
	for (unsigned i = 1; i <= t.rows; i++) {
		struct micro_row m = {.measured = tsv_number(&t, i, "measured"),
				      .simulated = tsv_number(&t, i, "simulated")};
		m.table = arena_strdup(&w->d.arena, tsv_text(&t, i, "table"));
		m.row = arena_strdup(&w->d.arena, tsv_text(&t, i, "row"));
		m.what = arena_strdup(&w->d.arena, tsv_text(&t, i, "what"));
		m.unit = arena_strdup(&w->d.arena, tsv_text(&t, i, "unit"));
		m.note = arena_strdup(&w->d.arena, tsv_text(&t, i, "note"));
		vec_push(&w->report.rows, m);
	}
	tsv_close(&t);
}

static void take_results(struct work *w)
{
	for (size_t i = 0; i < w->runs.n; i++) {
		const struct run *r = &w->runs.v[i];
		if (access(r->result, R_OK))
			continue;
		if (r->table) {
			take_table(w, r->result);
			continue;
		}
		const char *wrong = programs_add(&w->d, &w->report.launches, r->program, r->own,
						 r->result, &w->d.arena);
		if (wrong)
			add_note(w, arena_printf(&w->d.arena, "%s: %s", r->program, wrong));
	}
}

/* ---- the command ---- */

static int measure_table(struct work *w)
{
	FILE *f = w->j->out ? fopen(w->j->out, "w") : stdout;
	if (!f) {
		cli_error("reproduce", "%s: %s", w->j->out, strerror(errno));
		return CLI_FAILED;
	}
	bool ok = micro_measure(&w->d, w->j->table, w->j->size, f);
	if (f != stdout && fclose(f))
		ok = false;
	return ok ? CLI_OK : CLI_FAILED;
}

static int reproduce(struct work *w)
{
	struct arena *a = &w->d.arena;
	if (w->j->table)
		return measure_table(w);
	w->out = w->j->out ? w->j->out : arena_printf(a, "%s-report", w->d.name);
	w->stamp = arena_printf(a, "%.12s", results_file_hash(a, "/proc/self/exe"));
	w->report = (struct device_report){.d = &w->d, .size = w->j->size, .dir = w->out};
	if (!cli_make_dirs(arena_printf(a, "%s/results/%s", w->out, w->j->size))) {
		cli_error("reproduce", "%s: %s", w->out, strerror(errno));
		return CLI_FAILED;
	}
	if (!list_runs(w))
		return CLI_USAGE;
	if (!w->j->report && !run_tasks(w))
		return tasks_stopped("reproduce", w->out);
	take_results(w);
	if (!device_report_write(&w->report))
		return CLI_FAILED;
	printf("%s/index.html\n", w->out);
	return CLI_OK;
}

int device_reproduce(const struct device_job *j)
{
	struct work *w = xcalloc(1, sizeof *w);
	w->j = j;
	int rc = device_read(&w->d, j->study) ? reproduce(w) : CLI_USAGE;
	vec_free(&w->runs);
	vec_free(&w->report.rows);
	vec_free(&w->report.launches.v);
	vec_free(&w->report.notes);
	arena_free(&w->d.arena);
	free(w);
	return rc;
}
