/* Runs commands somewhere, some at a time. An interrupt (SIGINT, SIGTERM) ends those that run and starts no more. Where
 * they run is a place: processes of this computer (local.c), or jobs of a cluster. */
#ifndef STUDY_TASKS_H
#define STUDY_TASKS_H
#include <stdbool.h>
#include <stdint.h>

enum task_state { TASK_WAITS, TASK_RUNS, TASK_ENDED, TASK_REPORTED };

struct task {
	char **argv;       /* this very program with other arguments; argv[0] is for show */
	const char *title; /* for the progress line */
	const char *log;   /* file for what it prints */
	double cost;       /* relative; for the time left */
	unsigned id[2];    /* the caller's */
	/* set by tasks_run and the place: */
	enum task_state state;
	int64_t handle; /* the place's own */
	double start, seconds;
	double cpu; /* seconds of a processor, its children's too; 0: unknown */
	int status; /* exit status; 128 + signal */
	bool lost;  /* it never came to an end: its node is gone */
};

struct place {
	const char *name;
	double interval; /* seconds from one poll to the next, unless a signal comes */
	/* Starts a task: it runs then, or has ended with a status. */
	void (*start)(void *state, struct task *t);
	/* Those of the n tasks that have ended since: state, status, seconds, cpu are set. */
	void (*poll)(void *state, struct task *t, unsigned n);
	/* Ends all that run and waits until they have; their results do not matter. */
	void (*stop)(void *state, struct task *t, unsigned n);
	void *state;
};
/* Processes of this computer. None outlives tasks_run(). */
extern const struct place place_local;

struct tasks_options {
	unsigned jobs;
	const char *title;         /* NULL: no progress is shown */
	const struct place *place; /* NULL: local */
	void (*done)(void *arg, struct task *t);
	void *arg;
};
/* False: interrupted. */
bool tasks_run(struct task *t, unsigned n, const struct tasks_options *o);
double tasks_now(void); /* seconds of a clock that never goes back */

#endif
