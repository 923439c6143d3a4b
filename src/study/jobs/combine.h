/* Turns a combination of a sweep's values into a run: its machine, its command and its key. */
#ifndef STUDY_JOBS_COMBINE_H
#define STUDY_JOBS_COMBINE_H
#include <jansson.h>
#include "study/store/db.h"
#include "study/lang/sweep.h"

struct run {
	const char *key, *title, *program, *size;
	/* mode = sampled: the functional pass whose checkpoints the run starts from; NULL: none */
	struct pass *pass;
	json_t *task; /* {"argv", "run"}: for sweep_task.h to run, and for db_add() to store */
	bool failed;
};

/* A functional execution of a program with its arguments. Sampled runs of the program on all
 * machines start from the checkpoints that it writes. Machines that differ in more than axes have
 * different passes, because their code may differ; so do machines that differ in axes of the
 * section [gpu], because programs compute grids from them. If a run's launches differ from the
 * pass's for another reason, the run is executed without the pass (sweep_task.c). */
struct pass {
	const char *key, *title;
	const char *words; /* key of the command line alone, without the machine */
	json_t *task;
	bool failed;
};

struct combine {
	const struct sweep *s;
	struct arena arena;
	const char **hash;     /* hash of each program's contents */
	const char *simulator; /* hash of the simulator's contents */
	struct known *known;   /* machines that have already been checked */
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
/* With mode = sampled, run->pass is set to one of c->passes. */
bool combine_run(struct combine *c, const unsigned *at, struct run *r, struct diag *d);
void combine_free(struct combine *c);

#endif
