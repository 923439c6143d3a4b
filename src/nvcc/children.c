/* The processes that a compilation starts, and its temporary files. A signal that ends the
 * compilation ends the processes too, and leaves no file behind. */
#include "nvcc/cc.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "command/command.h"

extern char **environ;

static pid_t running[8]; /* 0: free; at most two processes run at once */
static volatile sig_atomic_t signalled;
static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

static void on_signal(int sig) { signalled = sig; }

/* Sets a handler for the signals; NULL: the default action. Ignored signals stay ignored. */
static void set_handler(void (*handler)(int))
{
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
		struct sigaction a = {.sa_handler = handler ? handler : SIG_DFL}, old;
		sigaction(ending[i], NULL, &old);
		if (old.sa_handler != SIG_IGN)
			/* no SA_RESTART: interrupted waits check for the signal */
			sigaction(ending[i], &a, NULL);
	}
}

void cc_begin(void) { set_handler(on_signal); }

void cc_look(struct cc *cc)
{
	if (!signalled)
		return;
	for (size_t i = 0; i < sizeof running / sizeof *running; i++)
		if (running[i] > 0 && !kill(running[i], SIGTERM))
			waitpid(running[i], NULL, 0);
	cc_end(cc);
	raise(signalled);
}

/* Prints a command as nvcc does, so that CMake can tell commands from messages. Outputs and objects
 * are quoted, because configure scripts use the quotes to find the libraries on the link line. */
static void print_command(const struct words *argv)
{
	fputs("#$", stderr);
	for (size_t i = 0; i < argv->n; i++) {
		const char *s = argv->v[i];
		size_t n = strlen(s);
		bool file =
			(i && !strcmp(argv->v[i - 1], "-o")) || (n > 2 && !strcmp(s + n - 2, ".o"));
		if (s[strcspn(s, " \t\"'$")])
			fprintf(stderr, " '%s'", s);
		else
			fprintf(stderr, file ? " \"%s\"" : " %s", s);
	}
	fputc('\n', stderr);
}

/* Replaces a process in the table. */
static void replace_process(pid_t old, pid_t pid)
{
	size_t i = 0, n = sizeof running / sizeof *running;
	while (i < n && running[i] != old)
		i++;
	if (i < n)
		running[i] = pid;
}

/* Starts a command; its messages go to errfile if that is not NULL. Returns -1 if it cannot be
 * started. */
pid_t cc_start(const struct cc *cc, const struct words *argv, const char *errfile, int input)
{
	pid_t pid;
	posix_spawn_file_actions_t fa;
	if (cc->verbose || cc->dry_run)
		print_command(argv);
	if (cc->dry_run)
		return 0;
	posix_spawn_file_actions_init(&fa);
	if (errfile)
		posix_spawn_file_actions_addopen(&fa, 2, errfile, O_WRONLY | O_CREAT | O_TRUNC,
						 0600);
	if (input >= 0)
		posix_spawn_file_actions_adddup2(&fa, input, CC_PIPE_FD);
	int e = posix_spawnp(&pid, argv->v[0], &fa, NULL, argv->v, environ);
	posix_spawn_file_actions_destroy(&fa);
	if (e) {
		cli_error("cc", "cannot start %s: %s", argv->v[0], strerror(e));
		return -1;
	}
	replace_process(0, pid);
	return pid;
}

bool cc_wait(struct cc *cc, pid_t pid)
{
	int status;
	pid_t got;
	if (pid <= 0)
		return pid == 0;
	do {
		got = waitpid(pid, &status, 0);
		cc_look(cc);
	} while (got < 0 && errno == EINTR);
	replace_process(pid, 0);
	return got == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool cc_run(struct cc *cc, const struct words *argv)
{
	return cc_wait(cc, cc_start(cc, argv, NULL, -1));
}

static bool make_tmp(struct cc *cc)
{
	if (cc->tmp)
		return true;
	cc->tmp = cli_temp_name("cc", "");
	if (cc->tmp && mkdtemp(cc->tmp))
		return true;
	cli_error("cc", "cannot make a temporary directory %s: %s", cc->tmp ? cc->tmp : "",
		  strerror(errno));
	exit(CLI_FAILED);
}

char *cc_temp(struct cc *cc, const char *suffix)
{
	make_tmp(cc);
	return cc_format("%s/%u%s", cc->tmp, cc->serial++, suffix);
}

static void remove_temps(struct cc *cc)
{
	DIR *d = cc->tmp ? opendir(cc->tmp) : NULL;
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	rmdir(cc->tmp);
}

void cc_end(struct cc *cc)
{
	remove_temps(cc);
	set_handler(NULL);
}
