/* How many groups are at each pc. */
#ifndef SM_SCHED_PCCOUNT_H
#define SM_SCHED_PCCOUNT_H
#include "sm/sched/pick.h"

enum { PC_BUCKETS = 256 };
struct pc_count {
	struct {
		uint32_t pc, n, round;
	} bucket[PC_BUCKETS];
	uint32_t round;
};

/* Open addressing, entries of earlier rounds are empty. More pcs than buckets: the rest is not
 * counted. */
static inline unsigned pc_count(struct pc_count *c, uint32_t pc, unsigned add)
{
	unsigned h = pc * 0x9e3779b9u >> 24;
	for (unsigned i = 0; i < PC_BUCKETS; i++, h = (h + 1) % PC_BUCKETS) {
		if (c->bucket[h].round != c->round) {
			c->bucket[h].round = c->round;
			c->bucket[h].pc = pc;
			c->bucket[h].n = 0;
		}
		if (c->bucket[h].pc == pc)
			return c->bucket[h].n += add;
	}
	return 0;
}

/* Counts all groups of the scheduler that run, ready or not. */
static inline void pc_count_all(struct pc_count *c, const struct sched *s)
{
	const uint64_t *busy = s->sm->busy[s->id];
	c->round++;
	for (unsigned w = 0; w < s->words; w++)
		for (uint64_t bits = busy[w]; bits; bits &= bits - 1) {
			const struct group *g =
			        sched_group(s, (int)(w * 64 + (unsigned)__builtin_ctzll(bits)));
			if (g->active && g->wait == GROUP_RUNS)
				pc_count(c, g->pc, 1);
		}
}

#endif
