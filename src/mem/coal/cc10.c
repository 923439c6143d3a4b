/* Compute capability 1.0 and 1.1. A half warp whose lane k accesses word k of an aligned block of
 * 16 words of 4, 8 or 16 bytes is one transaction of 64 or 128 bytes, or two of 128; lanes may be
 * inactive. Otherwise every active lane is a transaction of 32 bytes. */
#include "mem/coalesce.h"

static bool in_order(const struct coal_access *a, unsigned first, uint64_t mask, uint64_t *base)
{
	unsigned lane = (unsigned)__builtin_ctzll(mask);
	if (a->size < 4)
		return false;
	*base = a->addr[lane] - (uint64_t)(lane - first) * a->size;
	if (*base % (16u * a->size))
		return false;
	for (uint64_t m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctzll(m);
		if (a->addr[i] != *base + (uint64_t)(i - first) * a->size)
			return false;
	}
	return true;
}

static unsigned split_segments(const struct coal_access *a, unsigned first, uint64_t mask,
			       uint64_t base, struct coal_tx *out)
{
	unsigned segment = a->size == 4 ? 64 : 128, lanes = segment / a->size, n = 0;
	for (unsigned k = 0; k < 16; k += lanes, base += segment) {
		uint64_t part = mask & (uint64_t)((1u << lanes) - 1) << (first + k);
		if (!part)
			continue;
		struct coal_tx *t = &out[n++];
		*t = (struct coal_tx){.addr = base,
				      .lanes = part,
				      .bytes = (uint16_t)segment,
				      .pieces = (1u << segment / 32) - 1,
				      .full = (unsigned)__builtin_popcountll(part) == lanes};
		for (uint64_t m = part >> (first + k); m; m &= m - 1)
			t->words |= ((1ull << a->size / 4) - 1)
				    << __builtin_ctzll(m) * (a->size / 4);
	}
	return n;
}

static unsigned split(const struct coal_access *a, struct coal_tx *out)
{
	unsigned n = 0;
	for (unsigned first = 0; first < a->lanes; first += 16) {
		uint64_t mask = a->mask & 0xffffull << first, base;
		if (!mask)
			continue;
		if (in_order(a, first, mask, &base)) {
			n += split_segments(a, first, mask, base, out + n);
			continue;
		}
		for (uint64_t m = mask; m; m &= m - 1) {
			unsigned lane = (unsigned)__builtin_ctzll(m);
			uint64_t at = a->addr[lane] & ~31ull;
			unsigned words = a->size < 4 ? 1 : a->size / 4;
			out[n++] = (struct coal_tx){.addr = at,
						    .lanes = 1ull << lane,
						    .pieces = 1,
						    .bytes = 32,
						    .words = ((1ull << words) - 1)
							     << (a->addr[lane] - at) / 4};
		}
	}
	return n;
}

const struct coal_ops coal_cc10 = {
	.p = {"cc10", "half warps in order, or lane by lane (1.0, 1.1)", ""},
	.split = split,
};
