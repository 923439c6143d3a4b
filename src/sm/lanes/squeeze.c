#include "sm/lanes/squeeze.h"

static uint64_t part_mask(unsigned width) { return width == 64 ? ~0ull : (1ull << width) - 1; }

unsigned squeeze_parts(uint64_t active, unsigned size, unsigned width)
{
	unsigned n = 0;
	for (unsigned at = 0; at < size; at += width)
		n += (active >> at & part_mask(width)) != 0;
	return n;
}

/* Part numbers by falling number of threads; parts with equal numbers keep their order. */
static unsigned rank_parts(uint64_t active, unsigned size, unsigned width, uint8_t *rank)
{
	unsigned n = size / width;
	for (unsigned i = 0; i < n; i++) {
		int count = __builtin_popcountll(active >> i * width & part_mask(width));
		unsigned k = i;
		for (; k && __builtin_popcountll(active >> rank[k - 1] * width & part_mask(width)) <
				    count;
		     k--)
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

/* Ranks parts with the appendix's sort, in which equal parts may change places. counts[i] belongs
 * to rank i. */
static unsigned rank_by_exchange(uint64_t active, unsigned size, unsigned width, uint8_t *rank,
				 int *counts)
{
	unsigned n = size / width;
	for (unsigned i = 0; i < n; i++) {
		rank[i] = (uint8_t)i;
		counts[i] = __builtin_popcountll(active >> i * width & part_mask(width));
	}
	for (unsigned j = 1; j < n; j++)
		for (unsigned i = 0; i < j; i++)
			if (counts[i] < counts[j]) {
				int c = counts[i];
				uint8_t r = rank[i];
				counts[i] = counts[j], rank[i] = rank[j];
				counts[j] = c, rank[j] = r;
			}
	return n;
}

uint64_t squeeze_printed(uint64_t active, unsigned size, unsigned width, uint8_t *from)
{
	uint8_t rank[64];
	int counts[64];
	unsigned n = rank_by_exchange(active, size, width, rank, counts);
	uint64_t now = active;
	for (unsigned p = 0; from && p < size; p++)
		from[p] = (uint8_t)p;
	for (unsigned i = 0; i + 1 < n; i++) {
		if (counts[rank[i]] == (int)width) /* compares the count of another part */
			continue;
		for (unsigned lane = 0; lane < width; lane++) {
			unsigned to = rank[i] * width + lane, k = n - 1;
			if (active >> to & 1)
				continue;
			while (k > i && !(active >> (rank[k] * width + lane) & 1))
				k--;
			unsigned at = rank[k] * width + lane;
			if (k == i ||
			    !(now >> at & 1)) /* the lane has no thread there; or its thread has
			                       * moved, and nothing is moved */
				continue;
			now = (now & ~(1ull << at)) | 1ull << to;
			if (from)
				from[to] = from[at];
		}
	}
	return now;
}

uint64_t squeeze_fit(uint64_t male, uint64_t female, unsigned size, unsigned width, uint8_t *to)
{
	uint64_t left = 0;
	for (unsigned p = 0; p < size; p++)
		to[p] = (uint8_t)p;
	for (unsigned lane = 0; lane < width; lane++)
		for (unsigned p = lane; p < size; p += width) {
			if (!(male & female & 1ull << p))
				continue;
			unsigned k = lane;
			while (k < size && ((male | female) >> k & 1))
				k += width;
			if (k >= size) {
				left |= 1ull << p;
				continue;
			}
			to[p] = (uint8_t)k;
			male = (male & ~(1ull << p)) | 1ull << k;
		}
	return left;
}
