#include "sm/squeeze.h"

static uint64_t part_mask(unsigned width) { return width == 64 ? ~0ull : (1ull << width) - 1; }

unsigned squeeze_parts(uint64_t active, unsigned size, unsigned width)
{
	unsigned n = 0;
	for (unsigned at = 0; at < size; at += width)
		n += (active >> at & part_mask(width)) != 0;
	return n;
}

/* Part numbers by falling number of threads; equal ones keep their order. */
static unsigned rank_parts(uint64_t active, unsigned size, unsigned width, uint8_t *rank)
{
	unsigned n = size / width;
	for (unsigned i = 0; i < n; i++) {
		int count = __builtin_popcountll(active >> i * width & part_mask(width));
		unsigned k = i;
		for (; k && __builtin_popcountll(active >> rank[k - 1] * width & part_mask(width)) < count; k--)
			rank[k] = rank[k - 1];
		rank[k] = (uint8_t)i;
	}
	return n;
}

uint64_t squeeze(uint64_t active, unsigned size, unsigned width, uint8_t *from)
{
	uint8_t rank[64];
	unsigned n = rank_parts(active, size, width, rank);
	if (from)
		for (unsigned p = 0; p < size; p++)
			from[p] = (uint8_t)p;
	for (unsigned i = 0; i + 1 < n; i++)
		for (unsigned lane = 0; lane < width; lane++) {
			unsigned to = rank[i] * width + lane;
			if (active >> to & 1)
				continue;
			for (unsigned k = n - 1; k > i; k--) {
				unsigned at = rank[k] * width + lane;
				if (!(active >> at & 1))
					continue;
				active = (active & ~(1ull << at)) | 1ull << to;
				if (from)
					from[to] = from[at];
				break;
			}
		}
	return active;
}
