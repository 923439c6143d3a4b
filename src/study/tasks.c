/* A loop around fork and wait: see tasks.h. Signals are taken one at a time with sigtimedwait(), so
 * nothing happens between two instructions of ours. */
#include "study/tasks.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct tasks {
	struct task *t;
	unsigned n, next, running, done;
	const struct tasks_options *o;
	double start;
	sigset_t signals, before;
	bool terminal;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

/* ---- progress ---- */

static double seconds_left(const struct tasks *p)
{
	double done = 0, left = 0;
	for (unsigned i = 0; i < p->n; i++) {
		const struct task *t = &p->t[i];
		if (!t->pid && t->start > 0)
			done += t->cost;
		else
			left += t->cost;
	}
	return done > 0 ? (now() - p->start) * left / done : -1;
}

static void show_line(const struct tasks *p)
{
	char names[160] = "";
	size_t at = 0;
	for (unsigned i = 0; i < p->n && at < sizeof names - 40; i++)
		if (p->t[i].pid)
			at += (size_t)snprintf(names + at, sizeof names - at, "%s%.30s",
					       at ? ", " : "", p->t[i].title);
	double left = seconds_left(p);
	fprintf(stderr, "\r\033[K%s: %u of %u", p->o->title, p->done, p->n);
	if (left >= 0)
		fprintf(stderr, ", about %.0f:%02.0f min left",
			left / 60 - 0.5 < 0 ? 0 : left / 60 - 0.5, (double)((long)left % 60));
	fprintf(stderr, " (%s)", names);
	fflush(stderr);
}

static void show_done(const struct tasks *p, const struct task *t)
{
	if (!p->terminal)
		fprintf(stderr, "%s: %u of %u: %s, %.1f s%s\n", p->o->title, p->done, p->n,
			t->title, t->seconds, t->status ? ", failed" : "");
}

/* ---- processes ---- */

static void start(struct tasks *p, struct task *t)
{
	fflush(NULL);
	t->start = now();
	t->pid = fork();
	if (!t->pid) {
		/* A group of its own: the terminal's Ctrl-C is for us alone. It ends when we do. */
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		sigprocmask(SIG_SETMASK, &p->before, NULL);
		int in = open("/dev/null", O_RDONLY),
		    out = open(t->log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
		if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
			_exit(126);
		execv("/proc/self/exe", t->argv);
		_exit(127);
	}
	if (t->pid < 0) {
		t->pid = 0;
		t->status = 126;
		p->done++;
		p->o->done(p->o->arg, t);
		return;
	}
	setpgid(t->pid, t->pid);
	p->running++;
}

static void reap(struct tasks *p, bool report)
{
	int st;
	struct rusage ru;
	for (pid_t pid; (pid = wait4(-1, &st, WNOHANG, &ru)) > 0;)
		for (unsigned i = 0; i < p->n; i++) {
			struct task *t = &p->t[i];
			if (t->pid != pid)
				continue;
			t->pid = 0;
			t->seconds = now() - t->start;
			t->cpu = seconds(&ru.ru_utime) + seconds(&ru.ru_stime);
			t->status = WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
			p->running--;
			if (!report)
				continue;
			p->done++;
			p->o->done(p->o->arg, t);
			if (p->o->title)
				show_done(p, t);
		}
}

static void stop_all(struct tasks *p)
{
	struct timespec wait = {0, 100000000};
	for (unsigned tries = 0; p->running; tries++) {
		for (unsigned i = 0; i < p->n; i++)
			if (p->t[i].pid && (tries == 0 || tries == 30))
				kill(-p->t[i].pid, tries ? SIGKILL : SIGTERM);
		sigtimedwait(&p->signals, NULL, &wait);
		reap(p, false);
	}
}

bool tasks_run(struct task *t, unsigned n, const struct tasks_options *o)
{
	struct tasks p = {
		.t = t, .n = n, .o = o, .start = now(), .terminal = isatty(STDERR_FILENO)};
	struct timespec second = {1, 0};
	bool interrupted = false;
	sigemptyset(&p.signals);
	sigaddset(&p.signals, SIGINT);
	sigaddset(&p.signals, SIGTERM);
	sigaddset(&p.signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &p.signals, &p.before);
	while (p.done < n && !interrupted) {
		while (p.running < o->jobs && p.next < n)
			start(&p, &t[p.next++]);
		if (o->title && p.terminal)
			show_line(&p);
		int s = p.running ? sigtimedwait(&p.signals, NULL, &second) : SIGCHLD;
		interrupted = s == SIGINT || s == SIGTERM;
		reap(&p, true);
	}
	if (interrupted)
		stop_all(&p);
	if (o->title && p.terminal)
		fprintf(stderr, "\r\033[K");
	sigprocmask(SIG_SETMASK, &p.before, NULL);
	return !interrupted;
}
