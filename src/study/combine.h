/* A combination of a sweep's values becomes a run: its machine, its command, its key. */
#ifndef STUDY_COMBINE_H
#define STUDY_COMBINE_H
#include <jansson.h>
#include "study/db.h"
#include "study/sweep.h"

struct run {
	const char *key, *title, *program, *size;
	json_t *task; /* {"argv", "run"}: what one.h runs, and what db_add() will have */
	bool failed;
};

struct combine {
	const struct sweep *s;
	struct arena arena;
	const char **hash;     /* of the bits of each value of the axis program */
	const char *simulator; /* of the simulator's */
	struct known *known;   /* machines that were looked at */
	unsigned n_known, room;
};

/* Is every machine one, every option an option and every value one that it takes? False: errors in d, with lines. Whether
 * they go together combine_machine() says. */
bool combine_options(struct combine *c, struct diag *d);
/* Is combination `at` a machine? False: errors in d. */
bool combine_machine(struct combine *c, const unsigned *at, struct diag *d);
/* The run of combination `at`, one index an axis. False: it is no machine; errors in d. */
bool combine_run(struct combine *c, const unsigned *at, struct run *r, struct diag *d);
void combine_free(struct combine *c);

#endif
