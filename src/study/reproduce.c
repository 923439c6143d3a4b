/* heddle reproduce: runs a study and writes its report. lang/ reads studies, jobs/ runs them,
 * report/ writes. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "study/commands.h"
#include "study/device/device.h"
#include "command/program.h"
#include "command/suite.h"
#include "study/report/factors.h"
#include "study/report/report.h"
#include "study/jobs/tasks.h"

enum { O_SIZE, O_OUT, O_JOBS, O_PROGRAMS, O_REPORT, O_QUICK, O_QUIET, O_TABLE };
static const struct cli_option opts[] = {
	[O_SIZE] = {"--size", "test|small|paper",
		    "how much the programs compute, as for heddle workload (default small)"},
	[O_OUT] = {"--out", "DIR", "folder of the report (default STUDY-report)"},
	[O_JOBS] = {"--jobs", "N", "concurrent simulations (default: one per processor)"},
	[O_PROGRAMS] =
		{"--programs", "LIST|DIR/",
		 "only these programs of the study, separated by commas; with a slash: a folder of original programs, which "
		 "are run too, as DIR/NAME/run, and judged in a column of their own"},
	[O_QUICK] =
		{"--quick", NULL,
		 "size test, and only the programs that the study marks as quick: a few minutes"},
	[O_REPORT] = {"--report", NULL, "run nothing: write the report of the existing results"},
	[O_QUIET] = {"--quiet", NULL, "print no progress"},
	[O_TABLE] =
		{"--table", "NAME",
		 "DEVICE: repeat the rows of one table and print them (with --out: into that file)"},
	{NULL},
};
static const struct cli_page page_reproduce = {
	.usage = "reproduce STUDY [--size test|small|paper] [--out DIR] [OPTIONS]\n"
		 "reproduce DEVICE [--size test|small|paper] [--out DIR] [OPTIONS]",
	.text = "Repeats the experiments of a paper: runs its programs under its configurations in timing mode, several at a "
		"time, and writes a report that compares the results with the paper's numbers: index.html (one file, with "
		"everything in it), figures/*.svg, tables/*.csv, report.json. STUDY is hws, another study that comes with Heddle, or "
		"a file of your own (docs/use/studies.md). A study whose file has a [sweep] and no runs compares all its machines: "
		"the effect of each mechanism, interactions between mechanisms, and the reasons for the best machine's result.\n\n"
		"DEVICE is h200, or a folder with device.ini (docs/evidence/h200.md). The report then compares measurements of a GPU "
		"with the simulation of the same machine code: microbenchmarks; cycles, instructions and traffic of the workload "
		"suite; power; scatter plots, and errors by kind of kernel and suspected cause. --programs takes its programs and "
		"tables.\n\n"
		"Results are kept in DIR/results. A run whose program, size, configuration and simulator are unchanged is not "
		"repeated, so after an interrupt the same command continues where it stopped.\n\n"
		"The exit status is 0 when all runs ended well, whatever their numbers, and 130 after an interrupt.",
	.opts = opts,
	.examples = "  $ heddle reproduce hws --size small --out hws-small\n"
		    "  $ heddle reproduce hws --size test --programs BFS,NN\n"
		    "  $ heddle reproduce h200 --size test --programs alu_latency,BFS,MM\n",
};

struct job {
	const char *study, *size, *out, *programs, *table;
	const char *originals; /* folder of original programs; NULL: none */
	bool original;         /* this job runs those */
	unsigned jobs;
	bool quiet, quick, sized, help, report; /* sized: --size has been given */
	struct study *s;
	struct results rs;
	int lock;
};

/* ---- tasks ---- */

static char *last_line(struct arena *a, const char *path)
{
	char line[512], *last = arena_strdup(a, "");
	FILE *f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\r\n")] = 0;
		if (*line)
			last = arena_strdup(a, line);
	}
	if (f)
		fclose(f);
	return last;
}

static void fail_run(struct job *j, unsigned program, unsigned run, const char *why)
{
	results_at(&j->rs, program, run)->failed = why;
	cli_error("reproduce", "%s, %s: %s", j->s->programs.v[program].name, j->s->runs.v[run].name,
		  why);
}

/* Called when a program is built: its path is the last line that the command printed. */
static void take_built(void *arg, struct task *t)
{
	struct job *j = arg;
	unsigned p = t->id[0];
	char *line = last_line(&j->rs.arena, t->log);
	if (!t->status) {
		results_load(&j->rs, p, line);
		unlink(t->log);
		return;
	}
	for (unsigned r = 0; r < j->s->runs.n; r++)
		results_at(&j->rs, p, r)->failed =
			arena_printf(&j->rs.arena, "the program cannot be built: %s", line);
	cli_error("reproduce", "%s cannot be built: %s", j->s->programs.v[p].name, line);
}

static void ran(void *arg, struct task *t)
{
	struct job *j = arg;
	unsigned p = t->id[0], r = t->id[1];
	const char *stats = results_path(&j->rs, p, r, ".stats"), *why = NULL;
	if (results_outdated(&j->rs))
		fail_run(j, p, r, "the simulator was rebuilt meanwhile; start again");
	else if (t->status)
		fail_run(j, p, r,
			 arena_printf(&j->rs.arena, "status %d: %s (%s)", t->status,
				      tasks_reason(&j->rs.arena, t->log), t->log));
	else if (!results_add(&j->rs, p, r, stats, t->seconds, t->cpu, &why))
		fail_run(j, p, r, why);
	else
		unlink(t->log);
	unlink(stats);
}

static struct task task(struct job *j, unsigned p, unsigned r, const char *title)
{
	enum { FIXED = 20 };
	const struct study_run *run = &j->s->runs.v[r];
	return (struct task){
		.title = title,
		.cost = j->s->programs.v[p].cost,
		.id = {p, r},
		.argv = ARENA_ARRAY(&j->rs.arena, char *,
				    FIXED + 2 * (run->nset + j->s->programs.v[p].nset))};
}

/* The shell script that runs an original program. */
static const char *original_of(struct job *j, unsigned p)
{
	return arena_printf(&j->s->arena, "%s/%s/run", j->originals, j->s->programs.v[p].name);
}

static bool build_programs(struct job *j)
{
	struct study *s = j->s;
	for (unsigned p = 0; p < s->programs.n && j->original; p++)
		if (!s->programs.v[p].skipped)
			results_load(&j->rs, p, original_of(j, p));
	if (j->original)
		return true;
	VEC(struct task) list = {0};
	for (unsigned p = 0; p < s->programs.n; p++) {
		if (s->programs.v[p].skipped)
			continue;
		struct task t = task(j, p, 0, s->programs.v[p].name);
		char *argv[] = {"heddle", "workload", (char *)s->programs.v[p].workload, "--build",
				NULL};
		memcpy(t.argv, argv, sizeof argv);
		t.log = results_path(&j->rs, p, 0, ".build");
		vec_push(&list, t);
	}
	struct tasks_options o = {.jobs = j->jobs, .done = take_built, .arg = j};
	bool ok = tasks_run(list.v, (unsigned)list.n, &o);
	vec_free(&list);
	return ok;
}

static int by_cost(const void *a, const void *b)
{
	const struct task *x = a, *y = b;
	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	if (x->id[0] != y->id[0])
		return x->id[0] < y->id[0] ? -1 : 1;
	return x->id[1] < y->id[1] ? -1 : x->id[1] > y->id[1];
}

static void add_settings(struct task *t, unsigned *n, const char **set, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		t->argv[(*n)++] = "--set";
		t->argv[(*n)++] = (char *)set[i];
	}
}

static struct task run_task(struct job *j, unsigned p, unsigned r)
{
	const struct study *s = j->s;
	const struct study_run *run = &s->runs.v[r];
	struct task t = task(j, p, r,
			     arena_printf(&j->rs.arena, "%s %s", s->programs.v[p].name, run->name));
	unsigned n = 0;
	t.argv[n++] = "heddle";
	t.argv[n++] = j->original ? "run" : "workload";
	if (!j->original) {
		t.argv[n++] = (char *)s->programs.v[p].workload;
		t.argv[n++] = "--size";
		t.argv[n++] = (char *)j->size;
	}
	char *fixed[] = {"--config",
			 (char *)run->machine,
			 "--mode",
			 "timing",
			 "--threads",
			 "1",
			 "--quiet",
			 "--code",
			 (char *)run->code,
			 "--stats",
			 (char *)results_path(&j->rs, p, r, ".stats")};
	memcpy(t.argv + n, fixed, sizeof fixed);
	n += sizeof fixed / sizeof *fixed;
	const char *timed = study_timed(&s->programs.v[p], j->size);
	if (timed && !j->original) {
		t.argv[n++] = "--launches";
		t.argv[n++] = (char *)timed;
	}
	add_settings(&t, &n, run->set, run->shared);
	add_settings(&t, &n, s->programs.v[p].set, s->programs.v[p].nset);
	add_settings(&t, &n, run->set + run->shared, run->nset - run->shared);
	if (j->original) {
		t.argv[n++] = "/bin/sh";
		t.argv[n++] = (char *)original_of(j, p);
	}
	t.log = results_path(&j->rs, p, r, ".log");
	return t;
}

static bool run_programs(struct job *j)
{
	struct study *s = j->s;
	VEC(struct task) list = {0};
	for (unsigned p = 0; p < s->programs.n; p++)
		for (unsigned r = 0; r < s->runs.n; r++) {
			const struct result *have = results_at(&j->rs, p, r);
			if (!s->programs.v[p].skipped && !have->figures && !have->failed)
				vec_push(&list, run_task(j, p, r));
		}
	if (list.n)
		qsort(list.v, list.n, sizeof *list.v, by_cost);
	struct tasks_options o = {
		.jobs = j->jobs,
		.done = ran,
		.arg = j,
		.title = j->quiet ? NULL
			 : j->original
				 ? arena_printf(&j->rs.arena, "%s, original programs", s->name)
				 : arena_printf(&j->rs.arena, "%s, size %s", s->name, j->size)};
	bool ok = tasks_run(list.v, (unsigned)list.n, &o);
	/* Runs that an interrupt ends write the figures they have. */
	for (size_t k = 0; k < list.n; k++)
		unlink(results_path(&j->rs, list.v[k].id[0], list.v[k].id[1], ".stats"));
	vec_free(&list);
	return ok;
}

/* ---- the folder ---- */

/* Locks the folder, and removes files that a killed process left incomplete. */
static bool take_folder(struct job *j)
{
	struct arena *a = &j->rs.arena;
	const char *dir = arena_printf(a, "%s/results/%s", j->out, j->size);
	j->lock = open(arena_printf(a, "%s/results/.lock", j->out), O_RDWR | O_CREAT | O_CLOEXEC,
		       0666);
	if (j->lock < 0 || flock(j->lock, LOCK_EX | LOCK_NB)) {
		cli_error("reproduce", "%s: %s", j->out,
			  j->lock >= 0 && errno == EWOULDBLOCK
				  ? "another heddle reproduce is running there"
				  : strerror(errno));
		return false;
	}
	DIR *d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d));) {
		const char *json = strstr(e->d_name, ".json."), *dot = strrchr(e->d_name, '.');
		if (json || (dot && !strcmp(dot, ".stats")))
			unlink(arena_printf(a, "%s/%s", dir, e->d_name));
	}
	if (d)
		closedir(d);
	return true;
}

/* ---- the command ---- */

static bool read_options(struct job *j, int argc, char **argv)
{
	struct cli_walk w;
	uint64_t n;
	cli_walk_start(&w, &page_reproduce, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		switch (o) {
		case CLI_BAD: return false;
		case CLI_HELP: j->help = true; return true;
		case O_SIZE:
			j->size = w.arg[0];
			j->sized = true;
			break;
		case O_OUT:
			if (!*w.arg[0]) {
				cli_error("reproduce",
					  "--out '': expected the folder of the report");
				return false;
			}
			j->out = w.arg[0];
			break;
		case O_PROGRAMS:
			*(strchr(w.arg[0], '/') ? &j->originals : &j->programs) = w.arg[0];
			break;
		case O_QUIET: j->quiet = true; break;
		case O_QUICK: j->quick = true; break;
		case O_REPORT: j->report = true; break;
		case O_TABLE: j->table = w.arg[0]; break;
		case O_JOBS:
			if (!cli_u64(w.arg[0], &n) || n < 1 || n > 1024) {
				cli_error("reproduce",
					  "--jobs %s: expected a number from 1 to 1024", w.arg[0]);
				return false;
			}
			j->jobs = (unsigned)n;
			break;
		default:
			if (j->study) {
				cli_error("reproduce", "%s: one study at a time", w.arg[0]);
				return false;
			}
			j->study = w.arg[0];
		}
	}
	if (!j->study)
		cli_error("reproduce", "a study is missing, e.g. hws");
	if (j->quick && (j->programs || j->sized)) {
		cli_error("reproduce", "--quick chooses size and programs, %s too",
			  j->programs ? "--programs" : "--size");
		return false;
	}
	if (j->quick)
		j->size = "test";
	if (strcmp(j->size, "test") && strcmp(j->size, "small") && strcmp(j->size, "paper")) {
		cli_error("reproduce", "--size %s: expected test, small or paper", j->size);
		return false;
	}
	return j->study != NULL;
}

static void print_end(const struct job *j)
{
	static const char *const what[] = {
		[VERDICT_AGREES] = "agree",
		[VERDICT_ON_AVERAGE] = "on average only",
		[VERDICT_DIRECTION] = "in direction only",
		[VERDICT_DIFFERS] = "differ",
		[VERDICT_UNEXERCISED] = "are not exercised (the runs are equal)",
		[VERDICT_WRONG_SIZE] = "are not measured at this size",
		[VERDICT_UNMEASURED] = "were not measured",
	};
	unsigned count[VERDICTS], all, failed = report_failures(&j->rs, &all);
	study_count_verdicts(j->s, count);
	printf("%s/index.html: %u runs, %u of them without result", j->out, all, failed);
	if (j->s->claims.n)
		printf("; of %zu statements of the %s %u agree", j->s->claims.n,
		       j->s->has_paper ? "paper" : "study", count[VERDICT_AGREES]);
	for (unsigned v = VERDICT_AGREES + 1; j->s->claims.n && v < VERDICTS; v++)
		if (count[v] || v == VERDICT_DIFFERS)
			printf(", %u %s", count[v], what[v]);
	puts("");
}

/* ---- a study of many machines ---- */

static int sweep_programs(struct job *j, char *store)
{
	char jobs[16], *argv[16] = {"sweep",  (char *)j->s->path, "--store", store,
				    "--size", (char *)j->size,    "--jobs",  jobs};
	int n = 8;
	snprintf(jobs, sizeof jobs, "%u", j->jobs);
	if (j->programs) {
		argv[n++] = "--programs";
		argv[n++] = (char *)j->programs;
	}
	if (j->quiet)
		argv[n++] = "--quiet";
	return command_sweep.run(n, argv);
}

static bool write_factors(struct job *j, const char *store, struct diag *d)
{
	struct db db = {0};
	struct factors f = {0};
	char *lib = program_library();
	struct sweep *s = sweep_read(j->s->path, d);
	bool ok = s && sweep_choose(s, "size", j->size, d) &&
		  (!j->programs || sweep_choose(s, "program", j->programs, d));
	if (ok) {
		ok = db_open(&db, store, false) &&
		     factors_open(&f, s, &db, j->size, results_file_hash(&j->s->arena, lib));
		if (!ok)
			diag_error(d, "%s", db.why);
	}
	if (ok && (ok = factors_write(&f, j->out, j->s->title, j->s->text ? j->s->text : "")))
		printf("%s/index.html: %zu machines, %zu programs; best: %s\n", j->out,
		       f.machines.n, f.programs.n, f.machines.v[f.best].title);
	factors_close(&f);
	db_close(&db);
	sweep_free(s);
	free(lib);
	return ok;
}

static int work_swept(struct job *j, struct diag *d)
{
	if (!j->out)
		j->out = arena_printf(&j->s->arena, "%s-report", j->s->name);
	bool fresh = access(j->out, F_OK) != 0;
	if (!cli_make_dirs(arena_strdup(&j->s->arena, j->out))) {
		diag_error(d, "%s: %s", j->out, strerror(errno));
		return CLI_FAILED;
	}
	char *store = arena_printf(&j->s->arena, "%s/results.db", j->out);
	int rc = j->report ? CLI_OK : sweep_programs(j, store);
	if (rc != CLI_OK && rc != CLI_FAILED) { /* a report is written even if some runs failed */
		if (fresh)
			rmdir(j->out); /* fails if the folder is not empty, as intended */
		return rc;
	}
	return write_factors(j, store, d) ? rc : CLI_FAILED;
}

/* ---- original programs ---- */

/* Selects the study's programs that the folder has. False: errors in d. */
static bool choose_originals(struct job *o, const struct study *like, struct diag *d)
{
	bool any = false;
	for (unsigned p = 0; p < o->s->programs.n; p++) {
		const char *file = original_of(o, p);
		bool has = !like->programs.v[p].skipped && !access(file, F_OK);
		o->s->programs.v[p].skipped = !has;
		any |= has;
	}
	if (!any)
		diag_error(
			d,
			"--programs %s: expected a folder with a file NAME/run for a program of the study, as %s/run",
			o->originals, like->programs.v[0].name);
	return any;
}

static bool absolute(struct arena *a, const char **path, struct diag *d)
{
	char *full = realpath(*path, NULL);
	if (!full) {
		diag_error(d, "%s: %s", *path, strerror(errno));
		return false;
	}
	*path = arena_strdup(a, full);
	free(full);
	return true;
}

/* Makes o the job that runs the original programs. */
static bool read_originals(struct job *j, struct job *o, struct diag *d)
{
	*o = (struct job){.study = j->study,
			  .size = j->size,
			  .originals = j->originals,
			  .original = true,
			  .jobs = j->jobs,
			  .quiet = j->quiet,
			  .report = j->report,
			  .lock = -1};
	return absolute(&j->s->arena, &o->originals, d) && (o->s = study_read(o->study, d)) &&
	       choose_originals(o, j->s, d);
}

/* Runs the original programs under the study's configurations. Returns the exit status; j->s->originals is not set if
 * they were stopped. */
static int run_originals(struct job *j, struct job *o, struct diag *d)
{
	unsigned all;
	o->out = arena_printf(&j->s->arena, "%s/originals", j->out);
	if (!cli_make_dirs(arena_strdup(&j->s->arena, o->out)) ||
	    !absolute(&j->s->arena, &o->out, d) ||
	    !results_open(&o->rs, o->s, o->out, o->size, d) || !take_folder(o))
		return CLI_FAILED;
	if (!build_programs(o) || (!o->report && !run_programs(o)))
		return tasks_stopped("reproduce", o->out);
	o->s->partial = true;
	j->s->originals = o->s;
	j->s->originals_dir = j->originals;
	return !o->report && report_failures(&o->rs, &all) ? CLI_FAILED : CLI_OK;
}

static void end_job(struct job *j)
{
	if (j->lock >= 0)
		close(j->lock);
	results_close(&j->rs);
	study_free(j->s);
}

static int run_study(struct job *j, struct job *o, struct diag *d)
{
	unsigned all;
	int originals = CLI_OK;
	struct suite suite;
	if (!(j->s = study_read(j->study, d)))
		return CLI_USAGE;
	if (j->s->swept && !j->s->runs.n && j->originals) {
		diag_error(d, "--programs %s: %s is a sweep, which has no programs of its own",
			   j->originals, j->study);
		return CLI_USAGE;
	}
	if (j->s->swept && !j->s->runs.n) {
		if (!j->quick)
			return work_swept(j, d);
		diag_error(d, "--quick: %s is a sweep, whose programs are not marked", j->study);
		return CLI_USAGE;
	}
	if ((j->programs && !study_choose(j->s, j->programs, d)) ||
	    (j->quick && !study_choose_quick(j->s, d)) || !suite_read(&suite, "reproduce"))
		return CLI_USAGE;
	bool programs_known = study_check_programs(j->s, &suite, d);
	bool options_known = study_check_options(j->s, d);
	suite_free(&suite);
	if (!programs_known || !options_known || (j->originals && !read_originals(j, o, d)))
		return CLI_USAGE;
	if (!j->out)
		j->out = arena_printf(&j->s->arena, "%s-report", j->s->name);
	if (!results_open(&j->rs, j->s, j->out, j->size, d))
		return CLI_FAILED;
	if (!take_folder(j))
		return CLI_FAILED;
	if (j->originals && (originals = run_originals(j, o, d)) != CLI_OK && !j->s->originals)
		return originals;
	if (!build_programs(j) || (!j->report && !run_programs(j)))
		return tasks_stopped("reproduce", j->out);
	if (!report_write(&j->rs))
		return CLI_FAILED;
	print_end(j);
	return !j->report && report_failures(&j->rs, &all) ? CLI_FAILED : originals;
}

static int cmd_reproduce(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct job j = {.size = "small", .jobs = cpus > 0 ? (unsigned)cpus : 1, .lock = -1},
		   o = {.lock = -1};
	if (!read_options(&j, argc, argv))
		return CLI_USAGE;
	if (j.help)
		return cli_help(&command_reproduce);
	if (device_is(j.study) && j.originals) {
		cli_error("reproduce", "--programs %s: a device has no original programs",
			  j.originals);
		return CLI_USAGE;
	}
	if (device_is(j.study))
		return device_reproduce(&(struct device_job){.study = j.study,
							     .size = j.size,
							     .out = j.out,
							     .programs = j.programs,
							     .table = j.table,
							     .jobs = j.jobs,
							     .quiet = j.quiet,
							     .report = j.report});
	if (j.table) {
		cli_error("reproduce", "--table needs a device, and %s is not one", j.study);
		return CLI_USAGE;
	}
	struct diag *d = xcalloc(1, sizeof *d);
	int rc = run_study(&j, &o, d);
	diag_print(d, stderr);
	end_job(&o);
	end_job(&j);
	diag_free(d);
	free(d);
	return rc;
}

const struct cli_command command_reproduce = {
	"reproduce",
	cmd_reproduce,
	"repeat the experiments of a paper and write a report",
	&page_reproduce,
};
