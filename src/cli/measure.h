/* heddle workloads --measure: runs workloads and tabulates the figures of their kernels. */
#ifndef CLI_MEASURE_H
#define CLI_MEASURE_H
#include <stdbool.h>
#include "command/suite.h"

struct measure {
	const char *size, *threads; /* options as for heddle workload; threads may be NULL */
	/* workloads that failed or whose launches differ from the registry */
	unsigned failed;
};

/* Runs heddle with these arguments (argv[0] included, NULL at the end) and discards its output. */
bool measure_run(const char *const *argv);

/* measure_head() prints the table's head, measure_row() one Markdown row per kernel of a workload. */
void measure_head(void);
void measure_row(struct measure *m, const struct workload_row *r);

#endif
