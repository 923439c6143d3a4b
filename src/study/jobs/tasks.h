/* Runs commands, several at a time. An interrupt (SIGINT, SIGTERM) ends running commands and starts
 * no more. A place is where commands run: a file with a table of functions (local.c: processes of
 * this computer, slurm.c: jobs of a cluster) and a line in places[]. */
#ifndef STUDY_JOBS_TASKS_H
#define STUDY_JOBS_TASKS_H
#include <stdbool.h>
#include <stdint.h>

enum task_state { TASK_WAITS, TASK_RUNS, TASK_ENDED, TASK_REPORTED };

struct task {
	char **argv;       /* arguments for this program; argv[0] is only shown */
	const char *title; /* for the progress line */
	const char *log;   /* file for its output */
	/* permanent name, for places whose jobs outlive this process; NULL: none */
	const char *key;
	/* a file that it reads, one of argv, of which such places keep a copy; NULL: none */
	const char *file;
	double cost;    /* relative cost, for the estimate of the remaining time */
	unsigned id[2]; /* for the caller */
	/* set by tasks_run() and the place: */
	enum task_state state;
	int64_t handle; /* for the place */
	double start, seconds;
	double cpu;      /* processor time in seconds, children included; 0: unknown */
	int status;      /* exit status; 128 + signal */
	const char *why; /* the place's explanation of its end; NULL: none */
	unsigned losses; /* number of times its node was lost */
	double gone;     /* time since when the place has not known the task; 0: it knows it */
};

/* Options for a place. NULL texts stand for the place's defaults. */
struct place_options {
	const char *work; /* a folder that all computers see */
	unsigned jobs;    /* tasks at once */
	const char *partition, *account, *time, *memory, *env;
	/* True if the task's result has arrived, or a note why it failed; *status: its exit
	 * status. */
	bool (*arrived)(void *arg, const struct task *t, int *status);
	void *arg;
};

struct place {
	const char *name;
	double interval; /* seconds between polls, unless a signal arrives */
	unsigned jobs;   /* default number of tasks at once; 0: number of processors */
	/* Opens the place and returns its state. NULL: it cannot be used; reported. */
	void *(*open)(const struct place_options *o);
	void (*close)(void *state);
	/* Starts a task: afterwards it runs, or has ended with a status. */
	void (*start)(void *state, struct task *t);
	/* Updates state, status, seconds and cpu of the tasks that have ended. False: no task will
	 * ever run; reported. */
	bool (*poll)(void *state, struct task *t, unsigned n);
	/* Ends all running tasks and waits for their end; their results are not needed. */
	void (*stop)(void *state, struct task *t, unsigned n);
};
/* processes of this computer, which end before tasks_run() returns */
extern const struct place place_local;
extern const struct place place_slurm;     /* jobs of a Slurm cluster */
extern const struct place *const places[]; /* all places, the default first; ended by NULL */

struct tasks_options {
	unsigned jobs;
	const char *title;         /* title of the progress line; NULL: no progress is shown */
	const struct place *place; /* NULL: local */
	void *state;               /* the place's state */
	void (*done)(void *arg, struct task *t);
	void *arg;
};
/* False: interrupted, the place is unusable, or a task failed and the disk that has its log is full,
 * so that all others would fail, too. */
bool tasks_run(struct task *t, unsigned n, const struct tasks_options *o);
/* Says for command cmd why tasks_run() returned false, and returns the exit status. dir: folder of
 * the results. */
int tasks_stopped(const char *cmd, const char *dir);
double tasks_now(void); /* seconds of a monotonic clock */

#endif
