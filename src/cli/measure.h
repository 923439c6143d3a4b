/* Runs workloads and tabulates what their kernels did: heddle workloads --measure. */
#ifndef CLI_MEASURE_H
#define CLI_MEASURE_H
#include <stdbool.h>
#include "command/suite.h"

struct measure {
	const char *size, *threads; /* as for heddle workload; threads may be NULL */
	/* workloads that failed or do not launch what the registry says */
	unsigned failed;
};

/* heddle with these words, argv[0] among them and NULL at the end, its output thrown away. */
bool measure_run(const char *const *argv);

/* A head, then one Markdown row a kernel, on standard output. */
void measure_head(void);
void measure_row(struct measure *m, const struct workload_row *r);

#endif
