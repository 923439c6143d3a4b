/* Runs Slurm's commands: sbatch, squeue, sacct, scontrol, scancel. slurm.c makes the decisions. */
#ifndef STUDY_JOBS_SLURM_H
#define STUDY_JOBS_SLURM_H
#include <stdbool.h>
#include <stddef.h>
#include "study/jobs/tasks.h"

#define SLURM_PREFIX "heddle-" /* prefix of job names */
enum { SLURM_NAME = 128 };

enum slurm_state {
	SLURM_UNKNOWN,
	SLURM_LIVES, /* pending, running, or about to run again */
	SLURM_COMPLETED,
	SLURM_FAILED,
	SLURM_LOST, /* the node failed, or the element was preempted */
	SLURM_CANCELLED,
	SLURM_TIMEOUT,
	SLURM_MEMORY,
};
enum slurm_answer { SLURM_TAKEN, SLURM_LATER, SLURM_REFUSED };

struct slurm_element {
	char **argv;             /* argv: arguments for this program */
	const char *file, *copy; /* file: one of argv's strings; copy: path that replaces it */
	const char *log;
};

/* Returns a job script, malloc'ed: element i of the array runs e[i]. It sets the environment of
 * this process: PATH, HOME, locale, LD_LIBRARY_PATH, HEDDLE_* and the variables in `env`, separated
 * by commas. */
char *slurm_script(const char *program, const char *env, const struct slurm_element *e, unsigned n);
/* Checks that the commands exist and that Slurm would accept jobs with these options. Also true
 * while the controller does not answer. */
bool slurm_check(const struct place_options *o, char *why, size_t size);
unsigned slurm_most(void); /* largest number of elements that an array may have */
enum slurm_answer slurm_submit(const struct place_options *o, const char *name, const char *script,
			       const char *out, unsigned n, char *why, size_t size);
/* Calls a function for each element of our jobs that the controller knows. False: the controller
 * does not answer. */
bool slurm_queue(void (*says)(void *arg, const char *name, unsigned element,
			      enum slurm_state state),
		 void *arg);
/* Returns the state in accounting of an element that the controller has forgotten. */
enum slurm_state slurm_history(const char *name, unsigned element);
/* Returns why the element cannot be run again; NULL: it can. */
const char *slurm_why(enum slurm_state s);
void slurm_cancel(const char *name);

#endif
