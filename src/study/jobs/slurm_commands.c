/* Runs Slurm's commands and reads their output. slurm.h has the interface. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "study/jobs/slurm.h"

extern char **environ;

/* ---- running the commands ---- */

/* Runs a command. Returns its exit status, and its output, malloc'ed, in *said. 127: no such
 * command. */
static int run_slurm(char *const argv[], char **said)
{
	int pipes[2], st = 0;
	size_t room = 0;
	*said = NULL;
	FILE *text = open_memstream(said, &room);
	if (!text || pipe2(pipes, O_CLOEXEC))
		return 126;
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		sigset_t none;
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		int in = open("/dev/null", O_RDONLY);
		if (in < 0 || dup2(in, 0) < 0 || dup2(pipes[1], 1) < 0 || dup2(pipes[1], 2) < 0)
			_exit(126);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(pipes[1]);
	char buf[65536];
	for (ssize_t got;
	     (got = read(pipes[0], buf, sizeof buf)) > 0 || (got < 0 && errno == EINTR);)
		if (got > 0)
			fwrite(buf, 1, (size_t)got, text);
	close(pipes[0]);
	fclose(text);
	while (pid > 0 && waitpid(pid, &st, 0) < 0 && errno == EINTR)
		;
	return pid < 0 ? 126 : WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
}

static bool controller_answers(void)
{
	char *said, *argv[] = {"scontrol", "ping", NULL};
	bool up = !run_slurm(argv, &said) && strstr(said, " UP");
	free(said);
	return up;
}

/* ---- the script ---- */

static void put_quoted(FILE *f, const char *s)
{
	fputc('\'', f);
	for (; *s; s++)
		if (*s == '\'')
			fputs("'\\''", f);
		else
			fputc(*s, f);
	fputc('\'', f);
}

static bool is_named(const char *list, const char *name, size_t n)
{
	for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == n && !strncmp(at, name, n))
			return true;
	return false;
}

static void put_environment(FILE *f, const char *more)
{
	static const char always[] = "PATH,HOME,LANG,LC_ALL,LC_NUMERIC,LD_LIBRARY_PATH";
	for (char **e = environ; *e; e++) {
		size_t n = strcspn(*e, "=");
		if (strncmp(*e, "HEDDLE_", 7) && !is_named(always, *e, n) && !is_named(more, *e, n))
			continue;
		fprintf(f, " \\\n\t%.*s=", (int)n, *e);
		put_quoted(f, *e + n + (*e)[n] / '=');
	}
}

char *slurm_script(const char *program, const char *env, const struct slurm_element *e, unsigned n)
{
	char *text = NULL, dir[4096] = ".";
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f || !getcwd(dir, sizeof dir))
		abort();
	fputs("#!/bin/sh\ncd ", f);
	put_quoted(f, dir);
	fputs(" || exit 125\ncase $SLURM_ARRAY_TASK_ID in\n", f);
	for (unsigned i = 0; i < n; i++) {
		fprintf(f, "%u) log=", i);
		put_quoted(f, e[i].log);
		fputs("; set --", f);
		for (unsigned k = 1; e[i].argv[k]; k++) {
			fputc(' ', f);
			put_quoted(f, strcmp(e[i].argv[k], e[i].file) ? e[i].argv[k] : e[i].copy);
		}
		fputs(" ;;\n", f);
	}
	fputs("*) exit 125 ;;\nesac\nexec env -i", f);
	put_environment(f, env);
	fputs(" \\\n\t", f);
	put_quoted(f, program);
	fputs(" \"$@\" >\"$log\" 2>&1\n", f);
	fclose(f);
	return text;
}

/* ---- submitting ---- */

struct words {
	char *v[24];
	unsigned n;
};

__attribute__((format(printf, 2, 3))) static void word(struct words *w, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (vasprintf(&w->v[w->n], fmt, ap) < 0)
		abort();
	va_end(ap);
	w->n++;
}

static void words_free(struct words *w)
{
	for (unsigned i = 0; i < w->n; i++)
		free(w->v[i]);
}

static void put_options(struct words *w, const struct place_options *o)
{
	word(w, "--ntasks=1");
	word(w, "--cpus-per-task=1");
	word(w, "--requeue");
	if (o->partition)
		word(w, "--partition=%s", o->partition);
	if (o->account)
		word(w, "--account=%s", o->account);
	if (o->time)
		word(w, "--time=%s", o->time);
	if (o->memory)
		word(w, "--mem=%s", o->memory);
}

/* Copies the most informative line of a command's output: the last, without the command's name. */
static void last_line(const char *said, char *why, size_t size)
{
	const char *line = said;
	for (const char *at = said; at && *at; at = strchr(at, '\n'), at += at != NULL)
		if (*at != '\n')
			line = at;
	static const char *const heads[] = {"sbatch: ", "error: ", "allocation failure: "};
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		if (!strncmp(line, heads[i], strlen(heads[i])))
			line += strlen(heads[i]);
	snprintf(why, size, "%.*s", (int)strcspn(line, "\n"), line);
}

static bool passes(const char *said)
{
	static const char *const words[] = {"temporarily", "timed out",  "Unable to contact",
					    "try again",   "Zero Bytes", NULL};
	for (const char *const *w = words; *w; w++)
		if (strstr(said, *w))
			return true;
	return false;
}

static enum slurm_answer sbatch(struct words *w, char *why, size_t size)
{
	char *said;
	w->v[w->n] = NULL;
	int rc = run_slurm(w->v, &said);
	last_line(said ? said : "", why, size);
	enum slurm_answer a = !rc                                                 ? SLURM_TAKEN
			      : rc == 127                                         ? SLURM_REFUSED
			      : passes(said ? said : "") || !controller_answers() ? SLURM_LATER
										  : SLURM_REFUSED;
	if (rc == 127)
		snprintf(why, size, "the command sbatch was not found");
	free(said);
	return a;
}

bool slurm_check(const struct place_options *o, char *why, size_t size)
{
	struct words w = {0};
	word(&w, "sbatch");
	word(&w, "--test-only");
	put_options(&w, o);
	word(&w, "--wrap=true");
	enum slurm_answer a = sbatch(&w, why, size);
	words_free(&w);
	return a != SLURM_REFUSED;
}

enum slurm_answer slurm_submit(const struct place_options *o, const char *name, const char *script,
			       const char *out, unsigned n, char *why, size_t size)
{
	struct words w = {0};
	word(&w, "sbatch");
	word(&w, "--parsable");
	word(&w, "--job-name=%s", name);
	word(&w, "--array=0-%u", n - 1);
	word(&w, "--output=%s", out);
	word(&w, "--open-mode=append");
	put_options(&w, o);
	word(&w, "%s", script);
	enum slurm_answer a = sbatch(&w, why, size);
	words_free(&w);
	return a;
}

unsigned slurm_most(void)
{
	char *said, *argv[] = {"scontrol", "show", "config", NULL};
	unsigned most = 0;
	int rc = run_slurm(argv, &said);
	const char *at = rc ? NULL : strstr(said, "MaxArraySize");
	if (!at || sscanf(at, "MaxArraySize = %u", &most) != 1 || most < 2)
		most = 1000;
	free(said);
	return most < 1000 ? most : 1000;
}

/* ---- queries ---- */

static enum slurm_state state_of(const char *s)
{
	static const struct {
		const char *word;
		enum slurm_state is;
	} table[] = {
		{"COMPLETED", SLURM_COMPLETED}, {"FAILED", SLURM_FAILED},
		{"CANCELLED", SLURM_CANCELLED}, {"TIMEOUT", SLURM_TIMEOUT},
		{"DEADLINE", SLURM_TIMEOUT},    {"OUT_OF_MEMORY", SLURM_MEMORY},
		{"NODE_FAIL", SLURM_LOST},      {"BOOT_FAIL", SLURM_LOST},
		{"PREEMPTED", SLURM_LOST},      {"REVOKED", SLURM_LOST},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strncmp(s, table[i].word, strlen(table[i].word)))
			return table[i].is;
	return SLURM_LIVES;
}

/* Releases a job that Slurm holds because a node could not start it; it may start on another
 * node. */
static void release_job(unsigned job, unsigned element)
{
	char *said, *which = NULL;
	if (asprintf(&which, "%u_%u", job, element) < 0)
		abort();
	char *argv[] = {"scontrol", "release", which, NULL};
	run_slurm(argv, &said);
	free(said);
	free(which);
}

bool slurm_queue(void (*says)(void *arg, const char *name, unsigned element,
			      enum slurm_state state),
		 void *arg)
{
	char user[16], *said, *save, name[SLURM_NAME], state[32], reason[128];
	unsigned element, job;
	snprintf(user, sizeof user, "%ld", (long)geteuid());
	char *argv[] = {"squeue",
			"--noheader",
			"--array",
			"--states=all",
			"--user",
			user,
			"--format=%j|%K|%T|%F|%r",
			NULL};
	int rc = run_slurm(argv, &said);
	for (char *l = rc ? NULL : strtok_r(said, "\n", &save); l;
	     l = strtok_r(NULL, "\n", &save)) {
		*reason = 0;
		if (!strncmp(l, SLURM_PREFIX, strlen(SLURM_PREFIX)) &&
		    sscanf(l, "%127[^|]|%u|%31[^|]|%u|%127[^\n]", name, &element, state, &job,
			   reason) >= 4) {
			says(arg, name, element, state_of(state));
			if (strstr(reason, "requeued held"))
				release_job(job, element);
		}
	}
	free(said);
	return !rc;
}

enum slurm_state slurm_history(const char *name, unsigned element)
{
	char *said, *save, state[32];
	unsigned job, at;
	enum slurm_state is = SLURM_UNKNOWN;
	char *wanted = NULL;
	if (asprintf(&wanted, "--name=%s", name) < 0)
		abort();
	char *argv[] = {"sacct",       "--noheader",
			"--parsable2", "--allocations",
			"--array",     "--starttime=now-30days",
			wanted,        "--format=JobID,State",
			NULL};
	int rc = run_slurm(argv, &said);
	for (char *l = rc ? NULL : strtok_r(said, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		if (sscanf(l, "%u_%u|%31s", &job, &at, state) == 3 && at == element)
			is = state_of(state);
	free(said);
	free(wanted);
	return is;
}

const char *slurm_why(enum slurm_state s)
{
	switch (s) {
	case SLURM_FAILED: return "Slurm: the job failed";
	case SLURM_CANCELLED: return "Slurm: the job was cancelled";
	case SLURM_TIMEOUT: return "Slurm: the job's time was over (--time)";
	case SLURM_MEMORY: return "Slurm: the job had too little memory (--memory)";
	case SLURM_UNKNOWN:
	case SLURM_LIVES:
	case SLURM_COMPLETED:
	case SLURM_LOST: break;
	}
	return NULL;
}

void slurm_cancel(const char *name)
{
	char *said, *wanted = NULL;
	if (asprintf(&wanted, "--name=%s", name) < 0)
		abort();
	char *argv[] = {"scancel", wanted, NULL};
	run_slurm(argv, &said);
	free(said);
	free(wanted);
}
