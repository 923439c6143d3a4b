/* A time series of at most `most` rows: when they are full, pairs of rows are joined, and rows get
 * twice as long. Values are amounts, which add up: counts, joules, cycles times a state. The user is
 * gpu/sample.h. */
#ifndef GPU_SERIES_H
#define GPU_SERIES_H
#include <stdbool.h>
#include <stdint.h>

struct series {
	unsigned n, most, width;
	uint64_t *end; /* end of each row; a row begins at the previous row's end, the first at 0 */
	double *value; /* values, row by row */
};

void series_init(struct series *s, unsigned most, unsigned width);
void series_free(struct series *s);
/* Appends a row of `cycles` cycles. True: rows were joined. */
bool series_add(struct series *s, uint64_t cycles, const double *value);

#endif
