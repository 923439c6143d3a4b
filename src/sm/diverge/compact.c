#include "sm/diverge/compact.h"

unsigned compact_turn(enum lane_turns how, unsigned i, unsigned size)
{
	unsigned reverse = i % 2 ? size - 1 : 0;
	return how == TURN_NONE ? 0 : how == TURN_ODD_EVEN ? reverse : (i / 2 % size) ^ reverse;
}

unsigned compact(const uint64_t *mask, const uint8_t *class, const uint8_t *turn, unsigned nwarps,
		 unsigned size, uint16_t *place)
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
				unsigned physical = turn ? lane ^ turn[i] : lane;
				uint16_t at = next[physical];
				place[i * size + lane] = at;
				if (at >= most) {
					n++;
					most = (uint16_t)(at + 1);
				}
				do /* to the next warp of the class */
					at++;
				while (at < nwarps && class[at] != class[first]);
				next[physical] = at;
			}
	}
	return n;
}
