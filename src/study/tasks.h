/* Runs commands as processes, some at a time. An interrupt (SIGINT, SIGTERM) ends those that run
 * and starts no more; none outlives the call. */
#ifndef STUDY_TASKS_H
#define STUDY_TASKS_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct task {
	char **argv;       /* this very program with other arguments; argv[0] is for show */
	const char *title; /* for the progress line */
	const char *log;   /* file for what it prints */
	double cost;       /* relative; for the time left */
	unsigned id[2];    /* the caller's */
	/* set by tasks_run: */
	pid_t pid;
	double start, seconds;
	double cpu; /* seconds of a processor, its children's too */
	int status; /* exit status; 128 + signal */
};

struct tasks_options {
	unsigned jobs;
	const char *title; /* NULL: no progress is shown */
	void (*done)(void *arg, struct task *t);
	void *arg;
};
/* False: interrupted. */
bool tasks_run(struct task *t, unsigned n, const struct tasks_options *o);

#endif
