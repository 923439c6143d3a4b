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

/* The run of combination `at`, one index an axis. False: it is no machine; errors in d. */
bool combine_run(struct combine *c, const unsigned *at, struct run *r, struct diag *d);
void combine_free(struct combine *c);
/* Is it a program of the user's own, not of the suite? */
static inline bool combine_own(const char *program) { return strchr(program, '/') != NULL; }

#endif
