/* Draws which thread passes which lane of an SM's SIMD pipeline in which cycle, as figures 4.1 and
 * 4.4 of Jin 2012 do. diagram.c explains the picture. */
#ifndef CLI_DIAGRAM_H
#define CLI_DIAGRAM_H
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct diagram {
	const json_t *launch; /* a launch of a --stats file, with its "issues" */
	const char *machine;  /* title of the picture */
	int warp;             /* warp whose threads are highlighted; -1: none */
};
/* Writes an SVG text of n machines, one below the other, at one scale. False: a launch has no
 * issues in the range, or out of memory. */
bool diagram_draw(const struct diagram *d, unsigned n, FILE *f);

#endif
