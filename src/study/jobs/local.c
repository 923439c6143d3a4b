/* Runs tasks as processes of this computer: a place of tasks.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "study/jobs/tasks.h"

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

static void start_process(void *state, struct task *t)
{
	(void)state;
	fflush(NULL);
	pid_t self = getpid(), pid = fork();
	if (!pid) {
		sigset_t none;
		/* A process group of its own, so that the terminal's Ctrl-C reaches only this
		 * process. The child ends when this process does. */
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != self)
			_exit(125);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		int in = open("/dev/null", O_RDONLY),
		    out = open(t->log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
		if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
			_exit(126);
		execv("/proc/self/exe", t->argv);
		_exit(127);
	}
	if (pid < 0) {
		t->state = TASK_ENDED;
		t->status = 126;
		return;
	}
	setpgid(pid, pid);
	t->handle = pid;
	t->state = TASK_RUNS;
}

static bool poll(void *state, struct task *t, unsigned n)
{
	int st;
	struct rusage ru;
	(void)state;
	for (pid_t pid; (pid = wait4(-1, &st, WNOHANG, &ru)) > 0;)
		for (unsigned i = 0; i < n; i++) {
			if (t[i].state != TASK_RUNS || t[i].handle != pid)
				continue;
			t[i].state = TASK_ENDED;
			t[i].seconds = tasks_now() - t[i].start;
			t[i].cpu = seconds(&ru.ru_utime) + seconds(&ru.ru_stime);
			t[i].status = WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
		}
	return true;
}

static void stop_all(void *state, struct task *t, unsigned n)
{
	struct timespec wait = {0, 100000000};
	for (unsigned tries = 0, running = 1; running; tries++) {
		running = 0;
		for (unsigned i = 0; i < n; i++) {
			if (t[i].state != TASK_RUNS)
				continue;
			running++;
			if (tries == 0 || tries == 30)
				kill((pid_t)-t[i].handle, tries ? SIGKILL : SIGTERM);
		}
		if (running)
			nanosleep(&wait, NULL);
		poll(state, t, n);
	}
}

static void *open_(const struct place_options *o) { return (void *)o; }
static void close_(void *state) { (void)state; }

const struct place place_local = {"local", 1, 0, open_, close_, start_process, poll, stop_all};
