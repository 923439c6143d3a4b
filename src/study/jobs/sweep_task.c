/* Runs one task of a sweep and writes its result file. sweep_task.h has the interface, sweep.c
 * starts tasks. */
#include "study/jobs/sweep_task.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "command/command.h"
#include "study/report/detail.h"
#include "study/store/store.h"
#include "study/jobs/tasks.h"
#include "study/jobs/work.h"

struct one {
	struct arena arena;
	const char *dir, *key; /* folder of the work; the task's key */
	json_t *task;
	double wall, cpu;
	const char *why; /* reason why there is no result; NULL: none */
};

/* Builds the task's command line: "@" becomes the statistics file, "@pass" the checkpoint file of
 * the pass. pass NULL: "@pass" and the option before it are left out. go_on: the checkpoint file is
 * partial, and --restore continues it. */
static char **fill_words(struct one *o, const char *stats, const char *pass, bool go_on)
{
	const json_t *list = json_object_get(o->task, "argv");
	size_t n = json_array_size(list), k = 1;
	char **argv = ARENA_ARRAY(&o->arena, char *, n + 4);
	argv[0] = "heddle";
	for (size_t i = 0; i < n; i++) {
		const char *w = json_string_value(json_array_get(list, i));
		if (i == 1 && go_on) { /* directly after the command's name */
			argv[k++] = "--restore";
			argv[k++] = arena_strdup(&o->arena, pass);
		}
		if (w && !strcmp(w, "@pass") && !pass) {
			k--;
			continue;
		}
		w = !w ? "" : !strcmp(w, "@") ? stats : !strcmp(w, "@pass") ? pass : w;
		argv[k++] = arena_strdup(&o->arena, w);
	}
	return argv;
}

static int run_program(struct one *o, char **argv, const char *said)
{
	double start = tasks_now();
	struct rusage ru = {0};
	int st = 0;
	fflush(NULL);
	pid_t self = getpid(), pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* the child must not outlive this process */
		if (getppid() != self || !freopen(said, "w", stdout) || dup2(1, 2) < 0)
			_exit(126);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	while (pid > 0 && wait4(pid, &st, 0, &ru) < 0 && errno == EINTR)
		;
	o->wall = tasks_now() - start;
	o->cpu = (double)ru.ru_utime.tv_sec + (double)ru.ru_utime.tv_usec * 1e-6 +
		 (double)ru.ru_stime.tv_sec + (double)ru.ru_stime.tv_usec * 1e-6;
	return pid < 0 ? 126 : WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
}

static bool leave_result(struct one *o, json_t *what, const char *ending)
{
	struct cli_output out;
	char *text = json_dumps(what, JSON_COMPACT);
	bool ok =
		text &&
		cli_output_write("sweep", &out,
				 arena_printf(&o->arena, "%s/inbox/%s.%s", o->dir, o->key, ending),
				 text, strlen(text)) &&
		cli_output_commit("sweep", &out);
	free(text);
	json_decref(what);
	return ok;
}

static bool result(struct one *o, const char *stats)
{
	char host[256] = "";
	json_error_t e;
	json_t *in = json_load_file(stats, 0, &e),
	       *run_ = json_deep_copy(json_object_get(o->task, "run"));
	bool ok = json_array_size(json_object_get(in, "launches")) > 0;
	gethostname(host, sizeof host - 1);
	if (!ok)
		o->why = in ? "it launched no kernel"
			    : arena_printf(&o->arena, "its statistics are unreadable: %s", e.text);
	if (ok) {
		json_object_set_new(run_, "figures", results_reduce(in));
		json_object_set_new(run_, "kernels", results_by_kernel(in));
		json_object_set_new(run_, "detail", detail_of(in));
		json_object_set_new(run_, "wall_seconds", json_real(o->wall));
		json_object_set_new(run_, "cpu_seconds", json_real(o->cpu));
		json_object_set_new(run_, "host", json_string(host));
		ok = leave_result(o, json_incref(run_), "json");
	}
	json_decref(in);
	json_decref(run_);
	return ok;
}

/* Writes the checkpoints of a pass, from where an ended process has left off. */
static bool make_pass(struct one *o, const char *key, const char *said)
{
	const char *path = work_pass(&o->arena, o->dir, key),
		   *part = work_path(&o->arena, o->dir, "passes", key, ".part");
	if (!access(path, F_OK)) /* another sweep has made it */
		return true;
	bool go_on = work_take_pass(&o->arena, o->dir, key, part);
	int status = run_program(o, fill_words(o, NULL, part, go_on), said);
	if (status) {
		unlink(part);
		o->why = arena_printf(&o->arena, "status %d: %s", status,
				      tasks_reason(&o->arena, said));
	} else if (rename(part, path)) {
		o->why = arena_printf(&o->arena, "%s: %s", path, strerror(errno));
	}
	return !o->why;
}

/* True unless the program failed because the pass's checkpoints are not those of its launches, or cannot be read. */
static bool pass_fits(struct one *o, const char *pass, const char *said)
{
	static const char *const words[] = {" of the checkpoint is ", " is damaged",
					    " was saved without "};
	const char *why = tasks_reason(&o->arena, said);
	bool fits = !access(pass, R_OK);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		fits &= !strstr(why, words[i]);
	return fits;
}

/* Runs the program in time; its statistics become the result. */
static bool make_result(struct one *o, const char *said)
{
	const char *stats = work_path(&o->arena, o->dir, "inbox", o->key, ".stats.json");
	const char *pass = json_string_value(json_object_get(o->task, "pass"));
	if (pass)
		pass = work_pass(&o->arena, o->dir, pass);
	int status = run_program(o, fill_words(o, stats, pass, false), said);
	/* the launches may differ from the pass's because of what the program queries about the machine */
	if (status && pass && !pass_fits(o, pass, said)) {
		double wall = o->wall, cpu = o->cpu;
		status = run_program(o, fill_words(o, stats, NULL, false), said);
		o->wall += wall;
		o->cpu += cpu;
	}
	if (status)
		o->why = arena_printf(&o->arena, "status %d: %s", status,
				      tasks_reason(&o->arena, said));
	bool ok = !status && result(o, stats);
	unlink(stats);
	return ok;
}

int sweep_task_run(const char *task)
{
	struct one o = {.task = json_load_file(task, 0, NULL)};
	o.key = json_string_value(json_object_get(json_object_get(o.task, "run"), "key"));
	const char *tasks =
		/* the last occurrence, because the store itself may lie in a folder of that name */
		NULL;
	for (const char *at = task; (at = strstr(at, "/tasks/")); at++)
		tasks = at;
	if (!o.key || !tasks) {
		cli_error("sweep", "%s: not a task of a sweep", task);
		json_decref(o.task);
		return CLI_FAILED;
	}
	o.dir = arena_strndup(&o.arena, task, (size_t)(tasks - task));
	const char *said = work_path(&o.arena, o.dir, "log", o.key, ".said");
	const char *makes = json_string_value(json_object_get(o.task, "makes"));
	bool ok = makes ? make_pass(&o, makes, said) : make_result(&o, said);
	if (!ok)
		leave_result(&o,
			     json_pack("{s:s, s:i}", "why",
				       o.why ? o.why : "its result cannot be written", "status",
				       CLI_FAILED),
			     "failed");
	else
		unlink(said);
	json_decref(o.task);
	arena_free(&o.arena);
	return ok ? CLI_OK : CLI_FAILED;
}
