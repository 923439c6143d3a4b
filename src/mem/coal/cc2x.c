/* Compute capability 2.x: the warp's distinct cache lines, each fetched whole. */
#include "mem/coalesce.h"

static unsigned split(const struct coal_access *a, struct coal_tx *out)
{
	return coal_segments(a, a->mask, a->line, true, out);
}

const struct coal_ops coal_cc2x = {
	.p = {"cc2x", "whole lines of the whole warp (2.x)", ""},
	.split = split,
};
