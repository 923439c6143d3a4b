/* Sets of groups, and ways to choose from one: what most schedulers are made of.
 *
 * A set is an array of s->words words: bit k mod 64 of word k / 64 is group k of the scheduler.
 * pick() gets the set of ready groups in that form. A loop over all members is
 *
 * 	for (unsigned w = 0; w < s->words; w++)
 * 		for (uint64_t bits = set[w]; bits; bits &= bits - 1) {
 * 			int k = (int)(w * 64 + (unsigned)__builtin_ctzll(bits));
 * 			...
 *
 * sched_group(s, k) is the group itself. gto.c shows a complete scheduler that uses these
 * functions. */
#ifndef SM_SCHED_PICK_H
#define SM_SCHED_PICK_H
#include "sm/sm.h"

/* True if group k is in the set. */
static inline bool set_has(const uint64_t *set, int k) { return set[k / 64] >> k % 64 & 1; }

/* The first member from number `start` on, wrapping around to 0; -1: the set is empty. With start =
 * the number after the group that issued last this is round robin. */
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

/* The oldest member: the one with the smallest age, that is, whose warp started first (where
 * threads regroup: whose group was formed first); -1: the set is empty. */
int pick_oldest(const struct sched *s, const uint64_t *set);
/* The youngest member: the one whose age is greatest; -1: the set is empty. */
int pick_youngest(const struct sched *s, const uint64_t *set);

/* The member with the smallest rank(), the oldest among equals; -1: the set is empty. */
int pick_least(struct sched *s, const uint64_t *set,
	       uint32_t (*rank)(struct sched *, const struct group *));

#endif
