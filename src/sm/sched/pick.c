#include "sm/sched/pick.h"

int pick_least(struct sched *s, const uint64_t *set,
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

/* The member whose age, with the bits of `flip` inverted, is smallest. */
static inline int pick_by_age(const struct sched *s, const uint64_t *set, uint64_t flip)
{
	int best = -1;
	uint64_t age = UINT64_MAX;
	for (unsigned w = 0; w < s->words; w++)
		for (uint64_t bits = set[w]; bits; bits &= bits - 1) {
			int k = (int)(w * 64 + (unsigned)__builtin_ctzll(bits));
			uint64_t a = sched_group(s, k)->age ^ flip;
			if (best < 0 || a < age) {
				age = a;
				best = k;
			}
		}
	return best;
}

int pick_oldest(const struct sched *s, const uint64_t *set) { return pick_by_age(s, set, 0); }

int pick_youngest(const struct sched *s, const uint64_t *set)
{
	return pick_by_age(s, set, UINT64_MAX);
}
