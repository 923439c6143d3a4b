/* Majority: stays on the most common pc of all its groups until none of them is ready there, round
 * robin among the groups of one pc. */
#include "sm/sched/pick.h"

enum { BUCKETS = 256 };
struct state {
	uint32_t pc;                /* the present majority */
	bool has;
	unsigned next;
	struct {
		uint32_t pc, n, round;
	} bucket[BUCKETS];
	uint32_t round;
};

/* Counts groups by pc; open addressing, entries of earlier rounds are empty. More pcs than buckets:
 * the rest is not counted. */
static unsigned count(struct state *st, uint32_t pc, unsigned add)
{
	unsigned h = pc * 0x9e3779b9u >> 24;
	for (unsigned i = 0; i < BUCKETS; i++, h = (h + 1) % BUCKETS) {
		if (st->bucket[h].round != st->round) {
			st->bucket[h].round = st->round;
			st->bucket[h].pc = pc;
			st->bucket[h].n = 0;
		}
		if (st->bucket[h].pc == pc)
			return st->bucket[h].n += add;
	}
	return 0;
}

/* The most common pc among all groups that run; at equal counts the lowest. Only pcs with a ready group
 * can be chosen. */
static void choose(struct sched *s, const uint64_t *ready)
{
	struct state *st = s->state;
	uint32_t best = 0;
	st->round++;
	for (unsigned k = 0; k < s->n; k++) {
		const struct group *g = sched_group(s, (int)k);
		if (g->active && g->wait == GROUP_RUNS)
			count(st, g->pc, 1);
	}
	st->has = false;
	for (unsigned w = 0; w < s->words; w++)
		for (uint64_t bits = ready[w]; bits; bits &= bits - 1) {
			uint32_t pc = sched_group(s, (int)(w * 64 + (unsigned)__builtin_ctzll(bits)))->pc;
			uint32_t n = count(st, pc, 0);
			if (n > best || (n == best && pc < st->pc)) {
				best = n;
				st->pc = pc;
				st->has = true;
			}
		}
}

static int at_pc(struct sched *s, const uint64_t *ready)
{
	struct state *st = s->state;
	uint64_t set[SCHED_WORDS];
	for (unsigned w = 0; w < s->words; w++) {
		set[w] = 0;
		for (uint64_t bits = ready[w]; bits; bits &= bits - 1)
			if (sched_group(s, (int)(w * 64 + (unsigned)__builtin_ctzll(bits)))->pc == st->pc)
				set[w] |= bits & -bits;
	}
	return pick_from(set, s->words, st->next);
}

static int pick(struct sched *s, const uint64_t *ready)
{
	struct state *st = s->state;
	int k = st->has ? at_pc(s, ready) : -1;
	if (k < 0) {
		choose(s, ready);
		k = at_pc(s, ready);
	}
	return k;
}

static void issued(struct sched *s, int k)
{
	struct state *st = s->state;
	st->next = ((unsigned)k + 1) % s->n;
}

const struct sched_ops sched_majority = {
	.p = {"majority", "stays on the most common pc while a warp there is ready",
	      "Fung, Sham, Yuan, Aamodt, MICRO 2007, section 5", .state_size = sizeof(struct state)},
	.pick = pick,
	.issued = issued,
};
