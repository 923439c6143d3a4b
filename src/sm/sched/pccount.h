/* How common each pc is. */
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

/* What the scheduler's groups at each pc count for: one each, ready or in the pipeline; where groups
 * form in a pool, the threads that are in it, as in Fung's majority heap. */
static inline void pc_count_all(struct pc_count *c, const struct sched *s)
{
	const struct sm *sm = s->sm;
	bool pool = sm->div.ops->merges && !sm->div.ops->block_wide;
	c->round++;
	for (unsigned w = 0; w < s->words; w++)
		for (uint64_t bits = sm_set(sm, s->id, SET_BUSY)[w]; bits; bits &= bits - 1) {
			unsigned k = w * 64 + (unsigned)__builtin_ctzll(bits);
			const struct group *g = sched_group(s, (int)k);
			if (!g->active || g->wait != GROUP_RUNS)
				continue;
			if (!pool)
				pc_count(c, g->pc, 1);
			else if (!sm->slot[k * sm->nsched + s->id].locked)
				pc_count(c, g->pc, (unsigned)__builtin_popcountll(g->active));
		}
}

#endif
