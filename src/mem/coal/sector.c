/* Later generations: the warp's distinct cache lines, of each the 32-byte sectors that are touched.
 */
#include "mem/coalesce.h"

static unsigned split(const struct coal_access *a, struct coal_tx *out)
{
	return coal_segments(a, a->mask, a->line, false, out);
}

const struct coal_ops coal_sector = {
	.p = {"sector", "32-byte sectors of the whole warp", ""},
	.split = split,
};
