/* Lives of warps: when each of an SM starts and ends, as figures 4, 9 and 11 of Xiang 2014 draw
 * them. */
#ifndef CLI_LIVES_H
#define CLI_LIVES_H
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct lives {
	const json_t *launch; /* of a --stats file, with the "lives" of its "issues" */
	const char *machine;  /* for the title */
	long block;           /* a row for each of its warps; -1: a row for each place of the SM */
};
/* Writes an SVG text. False: there are none. */
bool lives_draw(const struct lives *l, FILE *f);

#endif
