/* The workload suite as its registry, workloads/suite.tsv, describes it. */
#ifndef COMMAND_SUITE_H
#define COMMAND_SUITE_H
#include <stdbool.h>

struct workload_row {
	const char *name, *program, *source, *options, *kernels;
	const char *size[3]; /* options for the sizes test, small and paper */
	const char *papers, *stresses, *races;
};

struct suite {
	char *dir;  /* folder of the programs */
	char *text; /* contents of the registry; rows point into it */
	struct workload_row *row;
	unsigned n;
};

/* Reads the registry of $HEDDLE_WORKLOADS, or else the one that belongs to this program. Problems
 * are reported under the name of the command. */
bool suite_read(struct suite *s, const char *cmd);
void suite_free(struct suite *s);
/* Finds a workload by name, ignoring case; NULL: unknown, reported. */
const struct workload_row *suite_find(const struct suite *s, const char *cmd, const char *name);

/* True for test, small and paper; other sizes are reported. */
bool suite_size_ok(const char *cmd, const char *size);

/* Returns "DIR/FILE", where DIR is the running program's folder with links resolved; malloc'ed. */
char *suite_beside(const char *file);

#endif
