/* The loop that starts tasks and waits for them (tasks.h). Signals are taken one at a time with
 * sigtimedwait(), so none interrupts other code. */
#include "study/jobs/tasks.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "command/command.h"

struct tasks {
	struct task *t;
	unsigned n, next, running, done, failed;
	const struct tasks_options *o;
	const struct place *place;
	double start;
	sigset_t signals, before;
	bool terminal;
};

const struct place *const places[] = {&place_local, &place_slurm, NULL};

double tasks_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- progress ---- */

static double seconds_left(const struct tasks *p)
{
	double done = 0, left = 0;
	for (unsigned i = 0; i < p->n; i++)
		*(p->t[i].state == TASK_REPORTED ? &done : &left) += p->t[i].cost;
	return done > 0 ? (tasks_now() - p->start) * left / done : -1;
}

static void show_line(const struct tasks *p)
{
	char names[160] = "";
	size_t at = 0;
	for (unsigned i = 0; i < p->next && at < sizeof names - 40; i++)
		if (p->t[i].state == TASK_RUNS)
			at += (size_t)snprintf(names + at, sizeof names - at, "%s%.30s",
					       at ? ", " : "", p->t[i].title);
	double left = seconds_left(p);
	fprintf(stderr, "\r\033[K%s: %u of %u, %u running", p->o->title, p->done, p->n, p->running);
	if (p->failed)
		fprintf(stderr, ", %u failed", p->failed);
	if (left >= 0)
		fprintf(stderr, ", about %ld:%02ld min left", (long)left / 60, (long)left % 60);
	fprintf(stderr, " (%s)", names);
	fflush(stderr);
}

static void show_done(const struct tasks *p, const struct task *t)
{
	if (!p->terminal)
		fprintf(stderr, "%s: %u of %u: %s, %.1f s%s\n", p->o->title, p->done, p->n,
			t->title, t->seconds, t->status ? ", failed" : "");
}

/* ---- a full disk ---- */

/* Tries to write a file beside the path. Other errors are the runs' to report. */
static bool is_disk_full(const char *path)
{
	static const char data[1 << 14];
	char *probe = NULL;
	bool full = false;
	int fd = asprintf(&probe, "%s.%ld.probe", path, (long)getpid()) >= 0
			 ? open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
			 : -1;
	if (fd < 0) {
		full = probe && (errno == ENOSPC || errno == EDQUOT);
	} else {
		full = write(fd, data, sizeof data) < (ssize_t)sizeof data &&
		       (errno == ENOSPC || errno == EDQUOT);
		full |= close(fd) && (errno == ENOSPC || errno == EDQUOT);
		unlink(probe);
	}
	free(probe);
	return full;
}

int tasks_stopped(const char *cmd, const char *dir)
{
	char *inside = NULL;
	bool full = asprintf(&inside, "%s/x", dir) >= 0 && is_disk_full(inside);
	free(inside);
	if (full) {
		cli_error(cmd, "%s: %s; with space, the same command continues from here", dir,
			  strerror(ENOSPC));
		return CLI_FAILED;
	}
	cli_error(cmd, "interrupted; the same command continues from here");
	return 130;
}

/* ---- reasons ---- */

static bool is_reason(const char *line)
{
	static const char *const start[] = {"error: ", "heddle: ", "heddle run: "};
	static const char *const other[] = {"heddle: THIS RUN FAILED",
					    "heddle: warning: ",
					    "calls functions that Heddle does not have",
					    "the run continues from there",
					    "launched no kernel",
					    "PTX runs without control bits"};
	bool ours = false;
	for (size_t i = 0; i < sizeof start / sizeof *start; i++)
		ours |= !strncmp(line, start[i], strlen(start[i]));
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		ours = ours && !strstr(line, other[i]);
	return ours;
}

const char *tasks_reason(struct arena *a, const char *path)
{
	char line[2048], last[2048] = "", message[2048] = "";
	FILE *f = fopen(path, "r");
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\r\n")] = 0;
		if (is_reason(line))
			memcpy(message, line, sizeof message);
		if (*line && !strstr(line, "heddle: THIS RUN FAILED"))
			memcpy(last, line, sizeof last);
	}
	if (f)
		fclose(f);
	return arena_strdup(a, *message ? message : *last ? last : "the program printed nothing");
}

/* ---- the loop ---- */

/* Reports the tasks that have ended. False: the disk is full. */
static bool show_progress(struct tasks *p)
{
	bool full = false;
	for (unsigned i = 0; i < p->next; i++) {
		struct task *t = &p->t[i];
		if (t->state != TASK_ENDED)
			continue;
		t->state = TASK_REPORTED;
		p->done++;
		p->running--;
		p->failed += t->status != 0;
		p->o->done(p->o->arg, t);
		if (p->o->title)
			show_done(p, t);
		full = full || (t->status && t->log && is_disk_full(t->log));
	}
	return !full;
}

bool tasks_run(struct task *t, unsigned n, const struct tasks_options *o)
{
	struct tasks p = {.t = t,
			  .n = n,
			  .o = o,
			  .place = o->place ? o->place : &place_local,
			  .start = tasks_now(),
			  .terminal = isatty(STDERR_FILENO)};
	struct timespec pause = {(time_t)p.place->interval, 0};
	bool interrupted = false, broken = false;
	sigemptyset(&p.signals);
	sigaddset(&p.signals, SIGINT);
	sigaddset(&p.signals, SIGTERM);
	sigaddset(&p.signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &p.signals, &p.before);
	while (p.done < n && !interrupted) {
		while (p.running < o->jobs && p.next < n) {
			t[p.next].start = tasks_now();
			p.running++;
			p.place->start(o->state, &t[p.next++]);
		}
		if (o->title && p.terminal)
			show_line(&p);
		if (!p.place->poll(o->state, t, p.next)) {
			broken = true;
			break;
		}
		if (!show_progress(&p)) {
			broken = true;
			p.place->stop(o->state, t, p.next);
			break;
		}
		if (p.done == n || p.running < (p.next < n ? o->jobs : 1))
			continue;
		int s = sigtimedwait(&p.signals, NULL, &pause);
		interrupted = s == SIGINT || s == SIGTERM;
	}
	if (interrupted)
		p.place->stop(o->state, t, p.next);
	if (o->title && p.terminal)
		fprintf(stderr, "\r\033[K");
	sigprocmask(SIG_SETMASK, &p.before, NULL);
	return !interrupted && !broken;
}
