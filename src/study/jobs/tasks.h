/* Runs commands somewhere, several at a time. An interrupt (SIGINT, SIGTERM) ends those that run
 * and starts no more. Where they run is a place: a file with a table of functions (local.c:
 * processes of this computer, slurm.c: jobs of a cluster) and a line in places[]. */
#ifndef STUDY_JOBS_TASKS_H
#define STUDY_JOBS_TASKS_H
#include <stdbool.h>
#include <stdint.h>

enum task_state { TASK_WAITS, TASK_RUNS, TASK_ENDED, TASK_REPORTED };

struct task {
	char **argv;       /* this program's arguments; argv[0] is for show */
	const char *title; /* for the progress line */
	const char *log;   /* file for what it prints */
	const char *key;   /* its permanent name, for places whose jobs outlive us; NULL: none */
	const char *file;  /* a file it reads, one of argv; such places keep a copy. NULL: none */
	double cost;       /* relative; for the time left */
	unsigned id[2];    /* the caller's */
	/* set by tasks_run and the place: */
	enum task_state state;
	int64_t handle; /* the place's own */
	double start, seconds;
	double cpu;      /* seconds of a processor, its children's too; 0: unknown */
	int status;      /* exit status; 128 + signal */
	const char *why; /* what the place says of its end; NULL: nothing */
	unsigned losses; /* how often its node was lost before it ended */
	double gone;     /* the time since when the place does not know it; 0: it does */
};

/* What a place needs to know, once. NULL texts stand for the place's defaults. */
struct place_options {
	const char *work; /* a folder that all computers see */
	unsigned jobs;    /* at once */
	const char *partition, *account, *time, *memory, *env;
	/* True if the task's result has arrived, or a note why there is none; *status: its exit
	 * status. */
	bool (*arrived)(void *arg, const struct task *t, int *status);
	void *arg;
};

struct place {
	const char *name;
	double interval; /* seconds from one poll to the next, unless a signal comes */
	unsigned jobs;   /* at once, if nobody says; 0: as many as processors */
	/* Opens the place and returns its state. NULL: it cannot be used; reported. */
	void *(*open)(const struct place_options *o);
	void (*close)(void *state);
	/* Starts a task: it then runs, or has ended with a status. */
	void (*start)(void *state, struct task *t);
	/* Updates state, status, seconds and cpu of those of the n tasks that have ended. False: no
	 * task will ever run; reported. */
	bool (*poll)(void *state, struct task *t, unsigned n);
	/* Ends all running tasks and waits for their end; their results do not matter. */
	void (*stop)(void *state, struct task *t, unsigned n);
};
extern const struct place place_local; /* processes of this computer; none outlives tasks_run() */
extern const struct place place_slurm; /* jobs of a Slurm cluster */
extern const struct place *const places[]; /* all, the default first; ends with NULL */

struct tasks_options {
	unsigned jobs;
	const char *title;         /* NULL: no progress is shown */
	const struct place *place; /* NULL: local */
	void *state;               /* the place's */
	void (*done)(void *arg, struct task *t);
	void *arg;
};
/* False: interrupted, or the place is unusable. */
bool tasks_run(struct task *t, unsigned n, const struct tasks_options *o);
double tasks_now(void); /* seconds of a clock that never goes back */

#endif
