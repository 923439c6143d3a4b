#include "sm/diverge/compact.h"

unsigned compact(const uint64_t *mask, unsigned nwarps, unsigned size, uint16_t *place)
{
	uint16_t next[64] = {0};
	unsigned n = 0;
	for (unsigned i = 0; i < nwarps; i++)
		for (uint64_t q = mask[i]; q; q &= q - 1) {
			unsigned lane = (unsigned)__builtin_ctzll(q);
			place[i * size + lane] = next[lane]++;
			n = next[lane] > n ? next[lane] : n;
		}
	return n;
}
