/* Compute capability 2.x as GPGPU-Sim models it: the whole warp by segments of 32 bytes (1-byte
 * accesses, and all that bypass the L1), 64 bytes (2-byte) or 128 bytes; a segment of which only
 * one half is used shrinks to that half. A load still fetches its whole line; a store carries the
 * shrunk segment. */
#include "mem/coalesce.h"

static unsigned split(const struct coal_access *a, struct coal_tx *out)
{
	unsigned segment = a->past || a->size == 1 ? 32 : a->size == 2 ? 64 : 128;
	segment = segment < a->line ? segment : a->line;
	unsigned n = coal_segments(a, a->mask, segment, false, out);
	for (unsigned i = 0; i < n; i++)
		coal_shrink(&out[i], segment);
	return n;
}

const struct coal_ops coal_cc2x_halves = {
	.p = {"cc2x-halves", "segments of the whole warp that shrink (2.x as GPGPU-Sim has it)",
	      "GPGPU-Sim 3"},
	.split = split,
};
