/* Lanes by cycles: which thread goes through which lane of an SM's SIMD pipeline when, as
 * figures 4.1 and 4.4 of Jin 2012 draw it. */
#ifndef CLI_DIAGRAM_H
#define CLI_DIAGRAM_H
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct diagram {
	const json_t *launch; /* of a --stats file, with its "issues" */
	const char *machine;  /* for the title */
	int warp;             /* whose threads stand out; -1: all do */
};
/* Writes an SVG text of n machines, one below the other, with one scale. False: a launch has no
 * issues in the range, or out of memory. */
bool diagram_draw(const struct diagram *d, unsigned n, FILE *f);

#endif
