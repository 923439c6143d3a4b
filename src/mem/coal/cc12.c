/* Compute capability 1.2 and 1.3: each half warp by segments of 32 bytes (1-byte accesses), 64
 * bytes (2-byte) or 128 bytes; a segment of which only one half is used shrinks to it, down to 32
 * bytes. The order is that of the lowest lane not yet served. */
#include "mem/coalesce.h"

static unsigned split(const struct coal_access *a, struct coal_tx *out)
{
	unsigned segment = a->size == 1 ? 32 : a->size == 2 ? 64 : 128, n = 0;
	for (unsigned first = 0; first < a->lanes; first += 16) {
		uint64_t mask = a->mask & 0xffffull << first;
		if (!mask)
			continue;
		unsigned k = coal_segments(a, mask, segment, false, out + n);
		for (unsigned i = n; i < n + k; i++)
			coal_shrink(&out[i], segment);
		n += k;
	}
	return n;
}

const struct coal_ops coal_cc12 = {
	.p = {"cc12", "half warps, segments of 32 to 128 bytes (1.2, 1.3)", ""},
	.split = split,
};
