/* Ways to choose from a set of groups. */
#ifndef SM_SCHED_PICK_H
#define SM_SCHED_PICK_H
#include "sm/sm.h"

/* The first member from `start` on, wrapping; -1: the set is empty. */
static inline int pick_from(const uint64_t *set, unsigned words, unsigned start)
{
	unsigned w = start / 64;
	uint64_t bits = w < words ? set[w] >> start % 64 << start % 64 : 0;
	if (bits)
		return (int)(w * 64 + (unsigned)__builtin_ctzll(bits));
	for (unsigned k = 1; k <= words; k++) {
		w = w + 1 < words ? w + 1 : 0;
		if (set[w])
			return (int)(w * 64 + (unsigned)__builtin_ctzll(set[w]));
	}
	return -1;
}

/* The member with the smallest rank(); of several the oldest. */
static inline int pick_least(struct sched *s, const uint64_t *set,
			     uint32_t (*rank)(struct sched *, const struct group *))
{
	int best = -1;
	uint32_t least = 0;
	for (unsigned w = 0; w < s->words; w++)
		for (uint64_t bits = set[w]; bits; bits &= bits - 1) {
			int k = (int)(w * 64 + (unsigned)__builtin_ctzll(bits));
			const struct group *g = sched_group(s, k);
			uint32_t r = rank(s, g);
			if (best >= 0 &&
			    (r > least || (r == least && g->age > sched_group(s, best)->age)))
				continue;
			least = r;
			best = k;
		}
	return best;
}

static inline int pick_oldest(const struct sched *s, const uint64_t *set)
{
	int best = -1;
	uint64_t age = UINT64_MAX;
	for (unsigned w = 0; w < s->words; w++)
		for (uint64_t bits = set[w]; bits; bits &= bits - 1) {
			int k = (int)(w * 64 + (unsigned)__builtin_ctzll(bits));
			uint64_t a = sched_group(s, k)->age;
			if (a < age) {
				age = a;
				best = k;
			}
		}
	return best;
}

static inline bool set_has(const uint64_t *set, int k) { return set[k / 64] >> k % 64 & 1; }

#endif
