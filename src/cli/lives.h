/* Draws the lives of an SM's warps, from start to end, as figures 4, 9 and 11 of Xiang 2014 do. */
#ifndef CLI_LIVES_H
#define CLI_LIVES_H
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct lives {
	const json_t *launch; /* a launch of a --stats file, with the "lives" of its "issues" */
	const char *machine;  /* title of the picture */
	/* block whose warps get one row each; -1: one row per warp slot of the SM */
	long block;
};
/* Writes an SVG text. False: nothing was recorded. */
bool lives_draw(const struct lives *l, FILE *f);

#endif
