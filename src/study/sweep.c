/* heddle sweep: expands a sweep, runs what the store has not, and puts the results in.
 *
 * Beside the store lies STORE.work: tasks/KEY.json says what to run, inbox/KEY.json is a result that a run has written
 * whole and renamed, inbox/KEY.failed why there is none. The collector, this command, takes them into the store and
 * removes them; those that an earlier one left when it was killed too. So nothing that was measured is lost, and runs on other
 * computers need only the folder. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/program.h"
#include "cli/suite.h"
#include "heddle.h"
#include "study/db.h"
#include "study/one.h"
#include "study/store.h"
#include "study/sweep.h"
#include "study/tasks.h"

enum { O_STORE, O_JOBS, O_ON, O_RETRIES, O_DRY, O_QUIET };
static const struct cli_option opts[] = {
	[O_STORE] = {"--store", "FILE",
		     "the result store (default $HEDDLE_STORE, else heddle-results.db)"},
	[O_JOBS] = {"--jobs", "N", "runs at a time (default: one a processor)"},
	[O_ON] = {"--on", "local", "where runs run: processes of this computer"},
	[O_RETRIES] = {"--retries", "N",
		       "how often a run that failed is tried again, over all sweeps (default 1)"},
	[O_DRY] = {"--dry-run", NULL,
		   "print how many runs there are and what they are; run nothing"},
	[O_QUIET] = {"--quiet", NULL, "print no progress"},
	{NULL},
};
const struct cli_page page_sweep = {
	.usage = "sweep FILE [OPTIONS]",
	.text = "Runs all combinations that the section [sweep] of a study file describes (docs/sweeps.md), several at a "
		"time, and puts what they measured into the result store. A run is known by all that its result depends on: "
		"the program, its arguments, the machine, the simulator. What the store has is not run again, whoever put "
		"it there; after an interrupt or a kill the same command goes on. Several sweeps may use one store at once.\n\n"
		"heddle results asks the store, heddle explore makes a page of it.\n\n"
		"The exit status is 0 when the store has all runs, 1 when some failed, 130 after an interrupt.",
	.opts = opts,
	.examples =
		"  $ heddle sweep schedulers.ini --dry-run\n  $ heddle sweep schedulers.ini --jobs 8\n",
};

struct run {
	const char *key, *title, *program, *size;
	json_t *task; /* {"argv", "run"} */
	bool failed;
};

struct job {
	const char *file, *store, *work, *one;
	unsigned jobs, retries;
	bool quiet, dry, help;
	struct sweep *s;
	struct suite suite;
	struct arena arena;
	struct db db;
	VEC(struct run) runs;
	const char **hash; /* of each value of the axis program */
	const char *simulator;
	uint64_t all, left_out, stored;
	unsigned added, failed;
};

/* ---- keys ---- */

static void mix(uint64_t h[2], const char *s)
{
	for (;; s++) { /* with its end: "ab" "c" is not "a" "bc" */
		h[0] = (h[0] ^ (unsigned char)*s) * 0x100000001b3u;
		h[1] = (h[1] + (unsigned char)*s + 1) * 0x9e3779b97f4a7c15u;
		h[1] ^= h[1] >> 29;
		if (!*s)
			return;
	}
}

/* ---- one combination ---- */

static const char *value_at(const struct job *j, const unsigned *at, const char *key)
{
	int i = sweep_find(j->s, key);
	return i < 0 ? "" : j->s->axes.v[i].value.v[at[i]];
}

static bool is_own(const char *program) { return strchr(program, '/') != NULL; }

/* Axes that are not options of the machine. */
static bool is_about_program(const char *key)
{
	return !strcmp(key, "machine") || !strcmp(key, "program") || !strcmp(key, "size") ||
	       !strcmp(key, "seed") || !strcmp(key, "repetition") || !strncmp(key, "arg.", 4);
}

/* The words of an own program with {NAME} replaced by arg.NAME. */
static void add_words(struct job *j, const unsigned *at, const char *text, json_t *argv)
{
	char *copy = arena_strdup(&j->arena, text), *save;
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		char out[4096] = "";
		size_t n = 0;
		for (const char *p = w; *p && n < sizeof out - 256;) {
			const char *end = *p == '{' ? strchr(p, '}') : NULL;
			if (!end) {
				out[n++] = *p++;
				continue;
			}
			char name[128];
			snprintf(name, sizeof name, "arg.%.*s", (int)(end - p - 1), p + 1);
			n += (size_t)snprintf(out + n, sizeof out - n, "%.255s",
					      value_at(j, at, name));
			p = end + 1;
		}
		out[n] = 0;
		json_array_append_new(argv, json_string(out));
	}
}

static const char **settings(struct job *j, const unsigned *at)
{
	enum { MOST = 64 };
	const char **set = ARENA_ARRAY(&j->arena, const char *, MOST + j->s->axes.n + 1);
	unsigned n = 0;
	char *save, *copy = arena_strdup(&j->arena, j->s->set);
	for (char *w = strtok_r(copy, ", ", &save); w && n < MOST; w = strtok_r(NULL, ", ", &save))
		set[n++] = w;
	for (size_t i = 0; i < j->s->axes.n; i++)
		if (!is_about_program(j->s->axes.v[i].key))
			set[n++] = arena_printf(&j->arena, "%s=%s", j->s->axes.v[i].key,
						j->s->axes.v[i].value.v[at[i]]);
	return set;
}

static json_t *command(struct job *j, const unsigned *at, const char **set)
{
	const char *program = value_at(j, at, "program");
	json_t *argv = json_array();
	bool own = is_own(program);
	const char *fixed[] = {own ? "run" : "workload",
			       "--config",
			       value_at(j, at, "machine"),
			       "--mode",
			       "timing",
			       "--threads",
			       "1",
			       "--quiet"};
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		json_array_append_new(argv, json_string(fixed[i]));
	for (unsigned i = 0; set[i]; i++) {
		json_array_append_new(argv, json_string("--set"));
		json_array_append_new(argv, json_string(set[i]));
	}
	json_array_append_new(argv, json_string("--stats"));
	json_array_append_new(argv, json_string("@")); /* where: one.c knows */
	if (own) {
		add_words(j, at, program, argv);
		return argv;
	}
	json_array_append_new(argv, json_string("--size"));
	json_array_append_new(argv, json_string(value_at(j, at, "size")));
	if (strcmp(value_at(j, at, "seed"), "0")) {
		json_array_append_new(argv, json_string("--seed"));
		json_array_append_new(argv, json_string(value_at(j, at, "seed")));
	}
	json_array_append_new(argv, json_string(program));
	return argv;
}

/* What distinguishes it: the axes with more than one value. */
static const char *title_of(struct job *j, const unsigned *at, json_t *axes)
{
	char title[256] = "";
	size_t n = 0;
	for (size_t i = 0; i < j->s->axes.n; i++) {
		const struct sweep_axis *x = &j->s->axes.v[i];
		const char *dot = strrchr(x->key, '.');
		json_object_set_new(axes, x->key, json_string(x->value.v[at[i]]));
		if ((x->value.n > 1 || !strcmp(x->key, "program")) && n < sizeof title - 64)
			n += (size_t)snprintf(title + n, sizeof title - n, "%s%s%s%.40s",
					      n ? " " : "", dot ? dot + 1 : "", dot ? "=" : "",
					      x->value.v[at[i]]);
	}
	return arena_strdup(&j->arena, title);
}

static bool add_run(struct job *j, const unsigned *at, struct diag *d)
{
	const char **set = settings(j, at), *machine = value_at(j, at, "machine");
	int program = sweep_find(j->s, "program");
	char *text;
	json_t *axes = json_object();
	const char *title = title_of(j, at, axes);
	if (!heddle_config_show(machine, set, &text)) {
		struct srcloc where = {.file = j->s->path, .line = j->s->axes.v[0].line, .col = 1};
		const char *why = strncmp(text, "error: ", 7) ? text : text + 7;
		diag_at(d, DIAG_ERROR, &where,
			"the combination %s on %s is no machine: %.*s; except = ... leaves combinations out",
			title, machine, (int)strcspn(why, "\n"), why);
		free(text);
		json_decref(axes);
		return false;
	}
	const char *config = results_plain_config(&j->arena, text);
	json_t *argv = command(j, at, set);
	char *words = json_dumps(argv, JSON_COMPACT), key[KEY_CHARS];
	uint64_t h[2] = {0xcbf29ce484222325u, 0x2545f4914f6cdd1du};
	const char *parts[] = {HEDDLE_VERSION,
			       j->simulator,
			       j->hash[at[program]],
			       words,
			       value_at(j, at, "repetition"),
			       config};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		mix(h, parts[i]);
	snprintf(key, sizeof key, "%016llx%016llx", (unsigned long long)h[0],
		 (unsigned long long)h[1]);
	free(words);
	free(text);
	struct run r = {arena_strdup(&j->arena, key), title, value_at(j, at, "program"),
			value_at(j, at, "size"),      NULL,  false};
	if (db_has(&j->db, key)) {
		j->stored++;
		json_decref(argv);
		json_decref(axes);
		return true;
	}
	r.task = json_pack(
		"{s:o, s:{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:s, s:o}}", "argv", argv,
		"run", "key", key, "study", j->s->name, "program", r.program, "machine", machine,
		"size", r.size, "seed", (json_int_t)atoll(value_at(j, at, "seed")), "repetition",
		(json_int_t)atoll(value_at(j, at, "repetition")), "heddle", HEDDLE_VERSION,
		"simulator", j->simulator, "config", config, "axes", axes);
	vec_push(&j->runs, r);
	return true;
}

/* ---- programs ---- */

static bool check_programs(struct job *j, struct diag *d)
{
	const struct sweep_axis *x = &j->s->axes.v[sweep_find(j->s, "program")];
	struct srcloc at = {.file = j->s->path, .line = x->line, .col = 1};
	for (size_t i = 0; i < x->value.n; i++) {
		const char *p = x->value.v[i];
		bool known = false;
		for (unsigned k = 0; k < j->suite.n; k++)
			known |= !strcasecmp(j->suite.row[k].name, p);
		char *file = arena_strndup(&j->arena, p, strcspn(p, " "));
		if (is_own(p) && !program_is(file))
			diag_at(d, DIAG_ERROR, &at, "program = %s: no executable program", file);
		else if (!is_own(p) && !known)
			diag_at(d, DIAG_ERROR, &at, "no workload %s; heddle workloads lists them",
				p);
		for (const char *b = strchr(p, '{'); b && is_own(p); b = strchr(b + 1, '{')) {
			char name[128];
			snprintf(name, sizeof name, "arg.%.*s", (int)strcspn(b + 1, "}"), b + 1);
			if (sweep_find(j->s, name) < 0)
				diag_at(d, DIAG_ERROR, &at, "program = %s: no axis %s", p, name);
		}
	}
	return !d->errors;
}

struct building {
	struct job *j;
	bool ok;
};

static void built(void *arg, struct task *t)
{
	struct building *b = arg;
	char line[4096] = "";
	FILE *f = fopen(t->log, "r");
	while (f && fgets(line, sizeof line, f))
		line[strcspn(line, "\n")] = 0;
	if (f)
		fclose(f);
	if (t->status)
		cli_error("sweep", "%s is not built: %s", t->title, line);
	b->ok &= !t->status;
	b->j->hash[t->id[0]] = results_file_hash(&b->j->arena, line);
	if (!t->status && !strcmp(b->j->hash[t->id[0]], "?")) {
		cli_error("sweep", "%s: %s cannot be read", t->title, line);
		b->ok = false;
	}
	unlink(t->log);
}

static bool hash_programs(struct job *j)
{
	const struct sweep_axis *x = &j->s->axes.v[sweep_find(j->s, "program")];
	struct building b = {j, true};
	VEC(struct task) list = {0};
	j->hash = ARENA_ARRAY(&j->arena, const char *, x->value.n);
	for (size_t i = 0; i < x->value.n; i++) {
		const char *p = x->value.v[i];
		if (is_own(p)) {
			j->hash[i] = results_file_hash(
				&j->arena, arena_strndup(&j->arena, p, strcspn(p, " ")));
			continue;
		}
		struct task t = {.title = p,
				 .cost = 1,
				 .id = {(unsigned)i, 0},
				 .log = arena_printf(&j->arena, "%s/log/%zu.%ld.build", j->work, i,
						     (long)getpid()),
				 .argv = ARENA_ARRAY(&j->arena, char *, 5)};
		char *argv[] = {"heddle", "workload", (char *)p, "--build", NULL};
		memcpy(t.argv, argv, sizeof argv);
		vec_push(&list, t);
	}
	struct tasks_options o = {.jobs = j->jobs, .done = built, .arg = &b};
	bool ok = tasks_run(list.v, (unsigned)list.n, &o);
	vec_free(&list);
	return ok && b.ok;
}

/* ---- collecting ---- */

static void take_result(struct job *j, const char *path)
{
	json_t *run = json_load_file(path, 0, NULL);
	if (run && db_add(&j->db, run)) {
		j->added++;
		unlink(path);
	} else if (run) {
		cli_error("sweep", "%s", j->db.why);
	} /* else another sweep has taken it meanwhile: nothing is ever half written */
	json_decref(run);
}

/* Has the process ended? One that was killed stays in the table until its parent asks for it. */
static bool ended(pid_t pid)
{
	char path[32], state = 0;
	if (kill(pid, 0))
		return errno == ESRCH;
	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	FILE *f = fopen(path, "r");
	bool known = f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1;
	if (f)
		fclose(f);
	return known && state == 'Z';
}

/* "KEY.PID.stats.json" or "KEY.PID.json" of a process that is no more: it was killed. */
static bool is_orphan(const char *name, const char *ending)
{
	char *end;
	long pid = strlen(name) > KEY_CHARS ? strtol(name + KEY_CHARS, &end, 10) : 0;
	return pid > 0 && !strcmp(end, ending) && ended((pid_t)pid);
}

static void remove_orphans(struct job *j, const char *folder, const char *ending)
{
	const char *dir = arena_printf(&j->arena, "%s/%s", j->work, folder);
	DIR *in = opendir(dir);
	for (struct dirent *e; in && (e = readdir(in));)
		if (is_orphan(e->d_name, ending))
			unlink(arena_printf(&j->arena, "%s/%s", dir, e->d_name));
	if (in)
		closedir(in);
}

static void clean_up(struct job *j)
{
	remove_orphans(j, "inbox", ".stats.json");
	remove_orphans(j, "tasks", ".json");
}

/* All results in the inbox, whoever wrote them. */
static void take_inbox(struct job *j)
{
	const char *dir = arena_printf(&j->arena, "%s/inbox", j->work);
	DIR *in = opendir(dir);
	for (struct dirent *e; in && (e = readdir(in));) {
		size_t n = strlen(e->d_name);
		if (n == KEY_CHARS - 1 + 5 && !strcmp(e->d_name + n - 5, ".json"))
			take_result(j, arena_printf(&j->arena, "%s/%s", dir, e->d_name));
	}
	if (in)
		closedir(in);
}

/* Another sweep may run the same: each has files of its own. */
static char *task_path(struct job *j, const struct run *r)
{
	return arena_printf(&j->arena, "%s/tasks/%s.%ld.json", j->work, r->key, (long)getpid());
}

static const char *why_failed(struct job *j, const struct run *r, const struct task *t)
{
	const char *path = arena_printf(&j->arena, "%s/inbox/%s.failed", j->work, r->key);
	json_t *o = json_load_file(path, 0, NULL);
	const char *why = json_string_value(json_object_get(o, "why"));
	why = why ? arena_strdup(&j->arena, why)
		  : arena_printf(&j->arena, t->status > 128 ? "ended by signal %d" : "status %d",
				 t->status > 128 ? t->status - 128 : t->status);
	json_decref(o);
	unlink(path);
	return why;
}

static void ran(void *arg, struct task *t)
{
	struct job *j = arg;
	struct run *r = &j->runs.v[t->id[0]];
	take_inbox(j);
	unlink(task_path(j, r));
	if (!db_has(&j->db, r->key)) {
		const char *why = why_failed(j, r, t);
		r->failed = true;
		if (!db_failed(&j->db, r->key, r->title, why))
			cli_error("sweep", "%s", j->db.why);
		cli_error("sweep", "%s: %s (%s)", r->title, why, t->log);
	} else {
		unlink(t->log);
	}
}

/* ---- running ---- */

static bool write_task(const struct run *r, char *path)
{
	struct cli_output o;
	char *text = json_dumps(r->task, JSON_COMPACT);
	bool ok = text && cli_output_write("sweep", &o, path, text, strlen(text)) &&
		  cli_output_commit("sweep", &o);
	free(text);
	return ok;
}

static bool run_all(struct job *j, bool *written)
{
	VEC(struct task) list = {0};
	for (size_t i = 0; i < j->runs.n; i++) {
		struct run *r = &j->runs.v[i];
		char *path = task_path(j, r);
		if (r->failed ? db_tries(&j->db, r->key) > j->retries : db_has(&j->db, r->key))
			continue;
		if (!(*written = write_task(r, path)))
			break;
		double seconds = db_seconds(&j->db, r->program, r->size);
		struct task t = {.title = r->title,
				 .cost = seconds > 0 ? seconds : 1,
				 .id = {(unsigned)i, 0},
				 .log = arena_printf(&j->arena, "%s/log/%s.%ld", j->work, r->key,
						     (long)getpid()),
				 .argv = ARENA_ARRAY(&j->arena, char *, 5)};
		char *argv[] = {"heddle", "sweep", "--one", path, NULL};
		memcpy(t.argv, argv, sizeof argv);
		vec_push(&list, t);
		r->failed = false;
	}
	struct tasks_options o = {.jobs = j->jobs,
				  .done = ran,
				  .arg = j,
				  .title = j->quiet ? NULL
						    : arena_printf(&j->arena, "%s", j->s->name)};
	bool ok = !*written || tasks_run(list.v, (unsigned)list.n, &o);
	vec_free(&list);
	return ok;
}

static unsigned count_failed(const struct job *j)
{
	unsigned n = 0;
	for (size_t i = 0; i < j->runs.n; i++)
		n += j->runs.v[i].failed;
	return n;
}

/* From stored runs of the same program and size. */
static void estimate(struct job *j)
{
	double sum = 0;
	size_t known = 0;
	for (size_t i = 0; i < j->runs.n; i++) {
		double s = db_seconds(&j->db, j->runs.v[i].program, j->runs.v[i].size);
		sum += s > 0 ? s : 0;
		known += s > 0;
	}
	fprintf(stderr, "%s: %llu combinations, %llu left out, %llu stored, %zu to run", j->s->name,
		(unsigned long long)j->all, (unsigned long long)j->left_out,
		(unsigned long long)j->stored, j->runs.n);
	if (known)
		fprintf(stderr, ", about %.1f min with %u at a time",
			sum / (double)known * (double)j->runs.n / j->jobs / 60, j->jobs);
	fputs("\n", stderr);
}

static bool expand(struct job *j, struct diag *d)
{
	enum { MOST = 10000000 };
	unsigned *at = ARENA_ARRAY(&j->arena, unsigned, j->s->axes.n);
	j->all = sweep_size(j->s);
	if (j->all > MOST) {
		diag_error(d, "%s: %llu combinations are more than %d", j->s->path,
			   (unsigned long long)j->all, MOST);
		return false;
	}
	for (uint64_t i = 0; i < j->all && !d->errors; i++)
		if (!sweep_at(j->s, i, at))
			j->left_out++;
		else if (!add_run(j, at, d))
			return false;
	return !d->errors;
}

static bool prepare(struct job *j, struct diag *d)
{
	static const char *const dirs[] = {"tasks", "inbox", "log"};
	j->work = arena_printf(&j->arena, "%s.work", j->store);
	if (!(j->s = sweep_read(j->file, d)) || !suite_read(&j->suite, "sweep") ||
	    !check_programs(j, d))
		return false;
	for (size_t i = 0; i < 3; i++) {
		char *dir = arena_printf(&j->arena, "%s/%s", j->work, dirs[i]);
		if (!cli_make_dirs(dir)) {
			diag_error(d, "%s: %s", dir, strerror(errno));
			return false;
		}
	}
	if (!db_open(&j->db, j->store, true)) {
		diag_error(d, "%s", j->db.why);
		return false;
	}
	clean_up(j);
	take_inbox(j);
	char *lib = program_library();
	j->simulator = results_file_hash(&j->arena, lib);
	free(lib);
	return true;
}

static int work(struct job *j, struct diag *d)
{
	bool written = true;
	if (!prepare(j, d))
		return CLI_USAGE;
	if (!hash_programs(j))
		return CLI_FAILED;
	if (!expand(j, d))
		return CLI_USAGE;
	if (!j->quiet || j->dry)
		estimate(j);
	for (size_t i = 0; j->dry && i < j->runs.n; i++)
		puts(j->runs.v[i].title);
	if (j->dry)
		return CLI_OK;
	j->added = 0;
	for (unsigned round = 0; round <= j->retries; round++) {
		if (!run_all(j, &written)) {
			cli_error("sweep", "interrupted; the same command goes on from here");
			return 130;
		}
		if (!written)
			return CLI_FAILED;
		if (!count_failed(j))
			break;
	}
	unsigned failed = count_failed(j);
	clean_up(j);
	printf("%s: %zu runs, %u failed; %s has all others\n", j->s->name, j->runs.n, failed,
	       j->store);
	return failed ? CLI_FAILED : CLI_OK;
}

static bool number(const char *name, const char *s, unsigned most, unsigned *out)
{
	uint64_t n;
	if (!cli_u64(s, &n) || n > most) {
		cli_error("sweep", "%s %s: expected a number up to %u", name, s, most);
		return false;
	}
	*out = (unsigned)n;
	return true;
}

static bool parse(struct job *j, int argc, char **argv)
{
	struct cli_walk w;
	if (argc == 3 && !strcmp(argv[1], "--one")) { /* what a task is, for our own processes */
		j->one = argv[2];
		return true;
	}
	cli_walk_start(&w, &page_sweep, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		switch (o) {
		case CLI_BAD: return false;
		case CLI_HELP: j->help = true; return true;
		case O_STORE: j->store = w.arg[0]; break;
		case O_DRY: j->dry = true; break;
		case O_QUIET: j->quiet = true; break;
		case O_ON:
			if (strcmp(w.arg[0], "local")) {
				cli_error("sweep", "--on %s: expected local", w.arg[0]);
				return false;
			}
			break;
		case O_JOBS:
			if (!number("--jobs", w.arg[0], 4096, &j->jobs) || !j->jobs)
				return false;
			break;
		case O_RETRIES:
			if (!number("--retries", w.arg[0], 1000, &j->retries))
				return false;
			break;
		default:
			if (j->file) {
				cli_error("sweep", "%s: one file at a time", w.arg[0]);
				return false;
			}
			j->file = w.arg[0];
		}
	}
	if (!j->file)
		cli_error("sweep", "a study file with a [sweep] is missing");
	return j->file != NULL;
}

int cmd_sweep(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct job j = {.jobs = cpus > 0 ? (unsigned)cpus : 1, .retries = 1, .store = db_default()};
	if (!parse(&j, argc, argv))
		return CLI_USAGE;
	if (j.help)
		return cmd_help(2, (char *[]){"help", "sweep", NULL});
	if (j.one)
		return one_run(j.one);
	struct diag *d = xcalloc(1, sizeof *d);
	int rc = work(&j, d);
	diag_print(d, stderr);
	for (size_t i = 0; i < j.runs.n; i++)
		json_decref(j.runs.v[i].task);
	vec_free(&j.runs);
	db_close(&j.db);
	suite_free(&j.suite);
	sweep_free(j.s);
	arena_free(&j.arena);
	diag_free(d);
	free(d);
	return rc;
}
