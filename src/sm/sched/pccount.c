#include "sm/sched/pccount.h"

void pc_count_init(struct pc_count *c, const struct sched *s)
{
	uint32_t n = 16;
	while (n < 2 * s->n)
		n *= 2;
	c->bucket = xcalloc(n, sizeof *c->bucket);
	c->mask = n - 1;
}

void pc_count_fini(struct pc_count *c) { free(c->bucket); }

/* Open addressing; entries of earlier rounds count as empty. */
unsigned pc_count(struct pc_count *c, uint32_t pc, unsigned add)
{
	uint32_t h = (pc * 0x9e3779b9u >> 8) & c->mask;
	while (c->bucket[h].round == c->round && c->bucket[h].pc != pc)
		h = (h + 1) & c->mask;
	if (c->bucket[h].round != c->round) {
		c->bucket[h].round = c->round;
		c->bucket[h].pc = pc;
		c->bucket[h].n = 0;
	}
	return c->bucket[h].n += add;
}

void pc_count_all(struct pc_count *c, const struct sched *s)
{
	const struct sm *sm = s->sm;
	bool pool = div_pools(sm->div.ops);
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
