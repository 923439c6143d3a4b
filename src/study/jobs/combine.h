/* Turns a combination of a sweep's values into a run: its machine, its command and its key. */
#ifndef STUDY_JOBS_COMBINE_H
#define STUDY_JOBS_COMBINE_H
#include <jansson.h>
#include "study/store/db.h"
#include "study/lang/sweep.h"

struct run {
	const char *key, *title, *program, *size;
	struct pass *pass; /* mode = sampled: what it starts from; NULL: nothing */
	json_t *task;      /* {"argv", "run"}: for sweep_task.h to run, and for db_add() to store */
	bool failed;
};

/* The functional pass of a program with its arguments, from whose checkpoints the program's runs on all
 * machines start. Machines that differ in more than axes have different passes, because their code may differ; so do
 * those that differ in axes of the section [gpu], because programs compute grids from them. A run whose launches differ
 * for another reason does not fit its pass, and is executed without it (sweep_task.c). */
struct pass {
	const char *key, *title;
	const char *words; /* key of the command alone */
	json_t *task;
	bool failed;
};

struct combine {
	const struct sweep *s;
	struct arena arena;
	const char **hash;     /* hash of each program's contents */
	const char *simulator; /* hash of the simulator's contents */
	struct known *known;   /* machines that have been checked */
	unsigned n_known, room;
	VEC(struct pass *) passes;
};

/* Checks that every machine exists, and that every option exists and accepts its values. False:
 * errors in d, with lines. combine_machine() checks that options do not conflict. */
bool combine_options(struct combine *c, struct diag *d);
/* Checks that combination `at` is a valid machine. False: errors in d. */
bool combine_machine(struct combine *c, const unsigned *at, struct diag *d);
/* Makes the run of combination `at`, which has one index per axis. False: not a valid machine;
 * errors in d. */
/* With mode = sampled the run names its pass, one of c->passes. */
bool combine_run(struct combine *c, const unsigned *at, struct run *r, struct diag *d);
void combine_free(struct combine *c);

#endif
