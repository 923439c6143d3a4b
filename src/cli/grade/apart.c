/* Runs a part of the grading in a separate process: see grade.h. */
#include "cli/grade/grade.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MEMORY = 3u << 30, FILES = 1 << 20 };

static void limit_resource(int what, rlim_t most)
{
	struct rlimit r = {most, most};
	setrlimit(what, &r);
}

/* Calls fn in the child process: output is discarded; processor time, memory and file sizes are
 * limited. */
static _Noreturn void run_child(void (*fn)(void *arg, struct outcome *out), void *arg,
				unsigned seconds, int to)
{
	struct outcome out = {0};
	int null = open("/dev/null", O_RDWR);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	setpgid(0, 0);
	limit_resource(RLIMIT_CPU, seconds);
	limit_resource(RLIMIT_AS, MEMORY);
	limit_resource(RLIMIT_FSIZE, FILES);
	limit_resource(RLIMIT_CORE, 0);
	fn(arg, &out);
	const char *p = (const char *)&out;
	for (size_t n = sizeof out; n;) {
		ssize_t k = write(to, p, n);
		if (k <= 0)
			_exit(1);
		p += k;
		n -= (size_t)k;
	}
	_exit(0);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Reads the outcome; false: the outcome was incomplete at the deadline. */
static bool read_outcome(int from, double until, struct outcome *out)
{
	char *p = (char *)out;
	for (size_t n = sizeof *out; n;) {
		struct pollfd f = {.fd = from, .events = POLLIN};
		double left = until - now();
		int ready = left > 0 ? poll(&f, 1, (int)(left * 1000) + 1) : 0;
		if (ready < 0 && errno == EINTR)
			continue;
		ssize_t k = ready > 0 ? read(from, p, n) : 0;
		if (k <= 0)
			return false;
		p += k;
		n -= (size_t)k;
	}
	return true;
}

void apart_run(void (*fn)(void *arg, struct outcome *out), void *arg, unsigned seconds,
	       struct outcome *out)
{
	int fd[2], status = 0;
	*out = (struct outcome){0};
	fflush(NULL);
	pid_t pid = pipe2(fd, O_CLOEXEC) ? -1 : fork();
	if (pid < 0) {
		snprintf(out->why, sizeof out->why, "cannot start a process: %s", strerror(errno));
		return;
	}
	if (!pid)
		run_child(fn, arg, seconds, fd[1]);
	close(fd[1]);
	/* the wall-clock limit is longer, because the machine may be busy */
	bool whole = read_outcome(fd[0], now() + 10.0 * seconds, out);
	close(fd[0]);
	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	out->why[sizeof out->why - 1] = out->worst_line[sizeof out->worst_line - 1] = 0;
	if (whole)
		return;
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	*out = (struct outcome){0};
	if (sig == SIGXCPU || sig == SIGKILL)
		snprintf(out->why, sizeof out->why,
			 "does not end: stopped after %u s of processor time", seconds);
	else if (sig)
		snprintf(out->why, sizeof out->why, "crashes: signal %d (%s)", sig, strsignal(sig));
	else
		snprintf(out->why, sizeof out->why, "ends the program, which no policy may");
}
