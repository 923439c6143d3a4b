/* heddle sweep: expands a sweep, runs the combinations that the store lacks, and stores the
 * results. jobs/work.h explains how results arrive, so that no measurement is lost; jobs/tasks.h
 * where runs may run. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "study/commands.h"
#include "command/program.h"
#include "command/suite.h"
#include "heddle.h"
#include "study/jobs/combine.h"
#include "study/store/db.h"
#include "study/jobs/sweep_task.h"
#include "study/store/store.h"
#include "study/lang/sweep.h"
#include "study/jobs/tasks.h"
#include "study/jobs/work.h"

enum {
	O_STORE,
	O_JOBS,
	O_ON,
	O_PARTITION,
	O_ACCOUNT,
	O_TIME,
	O_MEMORY,
	O_ENV,
	O_SIZE,
	O_PROGRAMS,
	O_RETRIES,
	O_DRY,
	O_QUIET
};
static const struct cli_option opts[] = {
	[O_STORE] = {"--store", "FILE",
		     "the result store (default $HEDDLE_STORE, else heddle-results.db)"},
	[O_JOBS] = {"--jobs", "N",
		    "concurrent runs (default: one per processor; with Slurm 200 in its queue)"},
	[O_ON] = {"--on", "PLACE",
		  "local: processes of this computer (default); slurm: job arrays of a cluster"},
	[O_PARTITION] = {"--partition", "NAME", "partition of Slurm's jobs (default: Slurm's own)"},
	[O_ACCOUNT] = {"--account", "NAME", "account that Slurm's jobs are charged to"},
	[O_TIME] = {"--time", "LIMIT",
		    "time limit of a run, in sbatch's syntax: minutes, or H:MM:SS"},
	[O_MEMORY] = {"--memory", "SIZE", "memory of a run, in sbatch's syntax: 2G"},
	[O_ENV] = {"--env", "NAMES",
		   "environment variables of the jobs in addition to PATH, HOME, the locale, "
		   "LD_LIBRARY_PATH and HEDDLE_*; separated by commas"},
	[O_SIZE] = {"--size", "LIST", "sizes of workloads, in place of the file's"},
	[O_PROGRAMS] = {"--programs", "LIST", "only these programs of the file"},
	[O_RETRIES] =
		{"--retries", "N",
		 "number of times that a failed run is tried again, over all sweeps (default 1)"},
	[O_DRY] = {"--dry-run", NULL, "list the runs and their number; run nothing"},
	[O_QUIET] = {"--quiet", NULL, "print no progress"},
	{NULL},
};
static const struct cli_page page_sweep = {
	.usage = "sweep FILE [OPTIONS]",
	.text = "Runs all combinations that the section [sweep] of a study file describes (docs/use/sweeps.md), several at a "
		"time, and puts the results into the result store. A run is identified by everything that its result depends "
		"on: the program, its arguments, the machine, the simulator. A run that is already in the store is not "
		"repeated, so after an interrupt or a kill the same command continues. Several sweeps may use one store at "
		"once.\n\n"
		"heddle results queries the store; heddle explore makes a page of it.\n\n"
		"With --on slurm runs are elements of job arrays. The nodes must see the store's folder, the program and Heddle "
		"under the same paths. Loss of a node, of the controller or of this computer costs only time: the same command "
		"continues with the jobs that are still queued.\n\n"
		"The exit status is 0 when the store has all runs, 1 when some failed, 130 after an interrupt.",
	.opts = opts,
	.examples =
		"  $ heddle sweep schedulers.ini --dry-run\n  $ heddle sweep schedulers.ini --jobs 8\n"
		"  $ heddle sweep schedulers.ini --on slurm --partition batch --time 0:30:00 --memory 1G\n",
};

struct job {
	const char *file, *store, *one, *size, *programs;
	const struct place *place;
	struct place_options where;
	void *place_state;
	struct work work;
	unsigned jobs, retries;
	bool quiet, dry, help;
	struct sweep *s;
	struct suite suite;
	struct arena arena;
	struct combine combine;
	struct db db;
	VEC(struct run) runs;
	uint64_t all, left_out, stored;
};

/* ---- programs ---- */

static bool check_programs(struct job *j, struct diag *d)
{
	const struct sweep_axis *x = &j->s->axes.v[sweep_find(j->s, "program")];
	for (size_t i = 0; i < x->value.n; i++) {
		const char *p = x->value.v[i];
		struct srcloc at = {.file = j->s->path, .line = x->at.v[i], .col = 1};
		bool known = false;
		for (unsigned k = 0; k < j->suite.n; k++)
			known |= !strcasecmp(j->suite.row[k].name, p);
		char *file = arena_strndup(&j->arena, p, strcspn(p, " "));
		if (sweep_own(p) && !program_is(file))
			diag_at(d, DIAG_ERROR, &at, "program = %s: not an executable program",
				file);
		else if (!sweep_own(p) && !known)
			diag_at(d, DIAG_ERROR, &at, "no workload %s; heddle workloads lists them",
				p);
		for (const char *b = strchr(p, '{'); b && sweep_own(p); b = strchr(b + 1, '{')) {
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
		cli_error("sweep", "%s cannot be built: %s", t->title, line);
	b->ok &= !t->status;
	b->j->combine.hash[t->id[0]] = results_file_hash(&b->j->arena, line);
	if (!t->status && !strcmp(b->j->combine.hash[t->id[0]], "?")) {
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
	j->combine.hash = ARENA_ARRAY(&j->arena, const char *, x->value.n);
	for (size_t i = 0; i < x->value.n; i++) {
		const char *p = x->value.v[i];
		if (sweep_own(p)) {
			j->combine.hash[i] = results_file_hash(
				&j->arena, arena_strndup(&j->arena, p, strcspn(p, " ")));
			continue;
		}
		struct task t = {.title = p,
				 .cost = 1,
				 .id = {(unsigned)i, 0},
				 .log = arena_printf(&j->arena, "%s/log/%zu.%ld.build", j->work.dir,
						     i, (long)getpid()),
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

/* ---- running ---- */

/* Returns the path of a task's file. Each sweep has task files of its own, because another sweep
 * may run the task too. */
static char *task_path(struct job *j, const struct run *r)
{
	return work_path(&j->arena, j->work.dir, "tasks", r->key, ".json");
}

static const char *why_failed(struct job *j, const struct run *r, const struct task *t)
{
	const char *why = work_why(&j->work, r->key);
	return why      ? why
	       : t->why ? t->why
			: arena_printf(&j->arena,
				       t->status > 128 ? "ended by signal %d" : "status %d",
				       t->status > 128 ? t->status - 128 : t->status);
}

enum { A_RUN, A_PASS }; /* second number of a task */

static bool arrived(void *arg, const struct task *t, int *status)
{
	struct job *j = arg;
	if (t->id[1] == A_PASS && !access(work_pass(&j->arena, j->work.dir, t->key), F_OK)) {
		*status = 0;
		return true;
	}
	return work_arrived(&j->work, t->key, status);
}

static void ran(void *arg, struct task *t)
{
	struct job *j = arg;
	struct run *r = &j->runs.v[t->id[0]];
	work_take(&j->work);
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

static bool write_task(const json_t *task, char *path)
{
	struct cli_output o;
	char *text = json_dumps(task, JSON_COMPACT);
	bool ok = text && cli_output_write("sweep", &o, path, text, strlen(text)) &&
		  cli_output_commit("sweep", &o);
	free(text);
	return ok;
}

static void passed(void *arg, struct task *t)
{
	struct job *j = arg;
	struct pass *p = j->combine.passes.v[t->id[0]];
	const char *why = work_why(&j->work, p->key);
	unlink(t->file);
	p->failed = access(work_pass(&j->arena, j->work.dir, p->key), F_OK);
	if (!p->failed) {
		unlink(t->log);
		return;
	}
	why = why ? why : t->why ? t->why : arena_printf(&j->arena, "status %d", t->status);
	cli_error("sweep", "%s: %s (%s)", p->title, why, t->log);
	for (size_t i = 0; i < j->runs.n; i++) {
		const struct run *r = &j->runs.v[i];
		if (r->pass == p && !db_has(&j->db, r->key) &&
		    !db_failed(&j->db, r->key, r->title, why))
			cli_error("sweep", "%s", j->db.why);
	}
}

static bool is_needed(const struct job *j, const struct pass *p)
{
	for (size_t i = 0; i < j->runs.n; i++)
		if (j->runs.v[i].pass == p && !db_has((struct db *)&j->db, j->runs.v[i].key))
			return true;
	return false;
}

/* Makes the checkpoints that are missing. */
static bool make_passes(struct job *j, bool *written)
{
	VEC(struct task) list = {0};
	for (size_t i = 0; i < j->combine.passes.n && *written; i++) {
		struct pass *p = j->combine.passes.v[i];
		char *path = work_path(&j->arena, j->work.dir, "tasks", p->key, ".json");
		p->failed = false;
		if (!is_needed(j, p))
			continue;
		work_use_pass(&j->arena, j->work.dir, p->key); /* before looking for it */
		if (!access(work_pass(&j->arena, j->work.dir, p->key), F_OK) ||
		    !(*written = write_task(p->task, path)))
			continue;
		struct task t = {.title = p->title,
				 .key = p->key,
				 .file = path,
				 .cost = 1,
				 .id = {(unsigned)i, A_PASS},
				 .log = work_path(&j->arena, j->work.dir, "log", p->key, ""),
				 .argv = ARENA_ARRAY(&j->arena, char *, 5)};
		char *argv[] = {"heddle", "sweep", "--one", path, NULL};
		memcpy(t.argv, argv, sizeof argv);
		vec_push(&list, t);
	}
	struct tasks_options o = {.jobs = j->jobs,
				  .done = passed,
				  .arg = j,
				  .place = j->place,
				  .state = j->place_state,
				  .title = j->quiet ? NULL : "functional passes"};
	bool ok = !*written || !list.n || tasks_run(list.v, (unsigned)list.n, &o);
	vec_free(&list);
	return ok;
}

/* Removes checkpoints whose runs are all stored, unless another sweep needs them. */
static void remove_passes(struct job *j)
{
	for (size_t i = 0; i < j->combine.passes.n; i++)
		if (!is_needed(j, j->combine.passes.v[i]))
			work_leave_pass(&j->arena, j->work.dir, j->combine.passes.v[i]->key);
}

static bool run_all(struct job *j, bool *written)
{
	if (!make_passes(j, written))
		return false;
	VEC(struct task) list = {0};
	for (size_t i = 0; i < j->runs.n; i++) {
		struct run *r = &j->runs.v[i];
		char *path = task_path(j, r);
		if (r->failed ? db_tries(&j->db, r->key) > j->retries : db_has(&j->db, r->key))
			continue;
		if (r->pass && r->pass->failed) {
			r->failed = true;
			continue;
		}
		if (!(*written = write_task(r->task, path)))
			break;
		double seconds = db_seconds(&j->db, r->program, r->size);
		work_why(&j->work, r->key); /* removes the note of an earlier try */
		struct task t = {.title = r->title,
				 .key = r->key,
				 .file = path,
				 .cost = seconds > 0 ? seconds : 1,
				 .id = {(unsigned)i, 0},
				 .log = work_path(&j->arena, j->work.dir, "log", r->key, ""),
				 .argv = ARENA_ARRAY(&j->arena, char *, 5)};
		char *argv[] = {"heddle", "sweep", "--one", path, NULL};
		memcpy(t.argv, argv, sizeof argv);
		vec_push(&list, t);
		r->failed = false;
	}
	struct tasks_options o = {.jobs = j->jobs,
				  .done = ran,
				  .arg = j,
				  .place = j->place,
				  .state = j->place_state,
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

/* Estimates the time from stored runs of the program at that size. */
static void estimate_job(struct job *j)
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

static bool add_run(struct job *j, const unsigned *at, struct diag *d)
{
	struct run r;
	if (!combine_run(&j->combine, at, &r, d))
		return false;
	if (db_has(&j->db, r.key)) {
		j->stored++;
		json_decref(r.task);
	} else {
		vec_push(&j->runs, r);
	}
	return true;
}

/* Finds all errors before anything is compiled or run. */
static bool check_machines(struct job *j, struct diag *d)
{
	enum { MOST = 10000000 };
	unsigned *at = ARENA_ARRAY(&j->arena, unsigned, j->s->axes.n);
	j->combine.s = j->s;
	j->all = sweep_size(j->s);
	if (j->all > MOST)
		sweep_complain(j->s, d, j->s->line, "%llu combinations are more than %d",
			       (unsigned long long)j->all, MOST);
	if (d->errors || !combine_options(&j->combine, d))
		return false;
	for (uint64_t i = 0; i < j->all && !d->errors; i++)
		if (!sweep_at(j->s, i, at))
			j->left_out++;
		else
			combine_machine(&j->combine, at, d);
	if (!d->errors && j->left_out == j->all)
		sweep_complain(j->s, d, j->s->line, "every combination is left out");
	return !d->errors;
}

static bool expand_sweep(struct job *j, struct diag *d)
{
	unsigned *at = ARENA_ARRAY(&j->arena, unsigned, j->s->axes.n);
	for (uint64_t i = 0; i < j->all; i++)
		if (sweep_at(j->s, i, at) && !add_run(j, at, d))
			return false;
	return true;
}

static bool prepare_run(struct job *j, struct diag *d)
{
	if (!(j->s = sweep_read(j->file, d)) || !suite_read(&j->suite, "sweep") ||
	    (j->size && !sweep_choose(j->s, "size", j->size, d)) ||
	    (j->programs && !sweep_choose(j->s, "program", j->programs, d)) ||
	    !check_programs(j, d) || !check_machines(j, d))
		return false;
	if (!work_open(&j->work, &j->db, j->store)) {
		diag_error(d, "%s: %s", j->work.dir, strerror(errno));
		return false;
	}
	if (!db_open(&j->db, j->store, true)) {
		diag_error(d, "%s", j->db.why);
		return false;
	}
	work_clean(&j->work);
	work_take(&j->work);
	char *lib = program_library();
	j->combine.simulator = results_file_hash(&j->arena, lib);
	free(lib);
	return true;
}

static bool open_place(struct job *j)
{
	j->where.work = j->work.dir;
	j->where.jobs = j->jobs;
	j->where.arrived = arrived;
	j->where.arg = j;
	return (j->place_state = j->place->open(&j->where));
}

static int work(struct job *j, struct diag *d)
{
	bool written = true;
	if (!prepare_run(j, d))
		return CLI_USAGE;
	if ((!j->dry && !open_place(j)) || !hash_programs(j))
		return CLI_FAILED;
	if (!expand_sweep(j, d))
		return CLI_USAGE;
	if (!j->quiet || j->dry)
		estimate_job(j);
	for (size_t i = 0; j->dry && i < j->runs.n; i++)
		puts(j->runs.v[i].title);
	if (j->dry)
		return CLI_OK;
	bool ok = true;
	for (unsigned round = 0; round <= j->retries && ok && written; round++) {
		ok = run_all(j, &written);
		if (!count_failed(j))
			break;
	}
	if (!ok)
		return tasks_stopped("sweep", j->work.dir);
	if (!written)
		return CLI_FAILED;
	unsigned failed = count_failed(j);
	remove_passes(j);
	work_clean(&j->work);
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

static const struct place *find_place(const char *name)
{
	for (const struct place *const *p = places; *p; p++)
		if (!strcmp((*p)->name, name))
			return *p;
	cli_error("sweep", "--on %s: expected local or slurm", name);
	return NULL;
}

/* Refuses cluster options without a cluster; sets the number of parallel jobs. */
static bool check_options(struct job *j)
{
	const struct place_options *w = &j->where;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (j->place == &place_local &&
	    (w->partition || w->account || w->time || w->memory || w->env)) {
		cli_error("sweep",
			  "--partition, --account, --time, --memory and --env need --on slurm");
		return false;
	}
	if (!j->jobs)
		j->jobs = j->place->jobs ? j->place->jobs : cpus > 0 ? (unsigned)cpus : 1;
	return true;
}

static bool read_options(struct job *j, int argc, char **argv)
{
	struct cli_walk w;
	if (argc == 3 &&
	    /* the command line of a task, which only this program's own processes use */
	    !strcmp(argv[1], "--one")) {
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
			if (!(j->place = find_place(w.arg[0])))
				return false;
			break;
		case O_SIZE: j->size = w.arg[0]; break;
		case O_PROGRAMS: j->programs = w.arg[0]; break;
		case O_PARTITION: j->where.partition = w.arg[0]; break;
		case O_ACCOUNT: j->where.account = w.arg[0]; break;
		case O_TIME: j->where.time = w.arg[0]; break;
		case O_MEMORY: j->where.memory = w.arg[0]; break;
		case O_ENV: j->where.env = w.arg[0]; break;
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
	return j->file != NULL && check_options(j);
}

static int cmd_sweep(int argc, char **argv)
{
	struct job j = {.retries = 1, .store = db_default(), .place = &place_local};
	if (!read_options(&j, argc, argv))
		return CLI_USAGE;
	if (j.help)
		return cli_help(&command_sweep);
	if (j.one)
		return sweep_task_run(j.one);
	struct diag *d = xcalloc(1, sizeof *d);
	int rc = work(&j, d);
	diag_print(d, stderr);
	for (size_t i = 0; i < j.runs.n; i++)
		json_decref(j.runs.v[i].task);
	vec_free(&j.runs);
	if (j.place_state)
		j.place->close(j.place_state);
	db_close(&j.db);
	work_close(&j.work);
	suite_free(&j.suite);
	sweep_free(j.s);
	combine_free(&j.combine);
	arena_free(&j.arena);
	diag_free(d);
	free(d);
	return rc;
}

const struct cli_command command_sweep = {
	"sweep",
	cmd_sweep,
	"run many combinations of programs and machines",
	&page_sweep,
};
