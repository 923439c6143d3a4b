/* Runs commands, several at a time. An interrupt (SIGINT, SIGTERM) ends the running commands and
 * starts no more. A place is a backend that runs commands: a file with a table of functions
 * (local.c: processes of this computer, slurm.c: jobs of a cluster) and a line in places[]. */
#ifndef STUDY_JOBS_TASKS_H
#define STUDY_JOBS_TASKS_H
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"

enum task_state { TASK_WAITS, TASK_RUNS, TASK_ENDED, TASK_REPORTED };

struct task {
	char **argv;       /* arguments for this program; argv[0] is only shown */
	const char *title; /* text for the progress line */
	const char *log;   /* file that receives the task's output */
	/* permanent name, for backends whose jobs outlive this process; NULL: none */
	const char *key;
	/* input file of the task, one of argv's strings, which such backends copy; NULL: none */
	const char *file;
	double cost;    /* relative cost, for the estimate of the remaining time */
	unsigned id[2]; /* free for use by the caller */
	/* The fields from here on are set by tasks_run() and the backend. */
	enum task_state state;
	int64_t handle; /* free for use by the backend */
	double start, seconds;
	double cpu;      /* processor time in seconds, children included; 0: unknown */
	int status;      /* exit status; 128 + signal */
	const char *why; /* the backend's explanation of a failure; NULL: none */
	unsigned losses; /* number of times its node was lost */
	/* time since when the backend has not known the task, in seconds; 0: the backend knows it */
	double gone;
};

/* Options for a backend. NULL texts stand for the backend's defaults. */
struct place_options {
	const char *work; /* a folder that all computers see */
	unsigned jobs;    /* number of tasks that run at once */
	const char *partition, *account, *time, *memory, *env;
	/* Returns true if the task's result, or the reason of its failure, has arrived; sets
	 * *status to its exit status. */
	bool (*arrived)(void *arg, const struct task *t, int *status);
	void *arg;
};

struct place {
	const char *name;
	double interval; /* seconds between polls, unless a signal arrives */
	unsigned jobs;   /* default number of tasks that run at once; 0: number of processors */
	/* Opens the backend and returns its state. NULL: it cannot be used; reported. */
	void *(*open)(const struct place_options *o);
	void (*close)(void *state);
	/* Starts a task: on return it runs, or has already ended with a status. */
	void (*start)(void *state, struct task *t);
	/* Updates state, status, seconds and cpu of the tasks that have ended. False: no task will
	 * ever run; reported. */
	bool (*poll)(void *state, struct task *t, unsigned n);
	/* Ends all running tasks and waits until they have ended; their results are discarded. */
	void (*stop)(void *state, struct task *t, unsigned n);
};
/* runs tasks as processes of this computer, all of which end before tasks_run() returns */
extern const struct place place_local;
extern const struct place place_slurm;     /* runs tasks as jobs of a Slurm cluster */
extern const struct place *const places[]; /* all backends, the default first; ended by NULL */

struct tasks_options {
	unsigned jobs;
	const char *title;         /* title of the progress line; NULL: no progress is shown */
	const struct place *place; /* NULL: local */
	void *state;               /* the backend's state */
	void (*done)(void *arg, struct task *t);
	void *arg;
};
/* Runs all tasks. False: interrupted; or the backend became unusable; or a task failed and the disk
 * with its log is full, so that all other tasks would fail, too. */
bool tasks_run(struct task *t, unsigned n, const struct tasks_options *o);
/* Prints, for command cmd, why tasks_run() returned false, and returns the exit status. dir: folder
 * of the results. */
int tasks_stopped(const char *cmd, const char *dir);
/* Returns why a program failed, of what it and Heddle have printed into the file at `path`: Heddle's last message that
 * is no warning, before the one that only says that the run failed; without any, the last line. */
const char *tasks_reason(struct arena *a, const char *path);
double tasks_now(void); /* seconds of a monotonic clock */

#endif
