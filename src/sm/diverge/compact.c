#include "sm/diverge/compact.h"

unsigned compact(const uint64_t *mask, const uint8_t *class, unsigned nwarps, unsigned size,
		 uint16_t *place)
{
	unsigned n = 0;
	for (unsigned first = 0; first < nwarps; first++) {
		uint16_t next[64], most = 0;
		unsigned before = 0;
		while (before < first && class[before] != class[first])
			before++;
		if (before < first) /* the class has been compacted with its first warp */
			continue;
		for (unsigned lane = 0; lane < size; lane++)
			next[lane] = (uint16_t)first;
		for (unsigned i = first; i < nwarps; i++)
			for (uint64_t q = class[i] == class[first] ? mask[i] : 0; q; q &= q - 1) {
				unsigned lane = (unsigned)__builtin_ctzll(q);
				uint16_t at = next[lane];
				place[i * size + lane] = at;
				if (at >= most) {
					n++;
					most = (uint16_t)(at + 1);
				}
				do /* to the next warp of the class */
					at++;
				while (at < nwarps && class[at] != class[first]);
				next[lane] = at;
			}
	}
	return n;
}
