/* Two levels with an active set: only groups of a small active set issue, round robin. A group that
 * waits for memory or at a barrier leaves the set; the ready group that has waited longest outside
 * takes its place. */
#include "sm/sched/two_level.h"
#include "sm/sm.h"

struct state {
	uint64_t active[SCHED_WORDS];
	unsigned most;
	unsigned n, next, in; /* members; next member in round robin; where the search outside
	                       * starts */
};

static void take_out(struct state *st, int k)
{
	if (set_has(st->active, k)) {
		st->active[k / 64] &= ~(1ull << k % 64);
		st->n--;
	}
}

static void init(struct sched *s) { ((struct state *)s->state)->most = two_level_active(s); }

/* Removes from the active set members that poll in vain or whose block is paused: such members
 * never issue while others are ready, so they would stay in the set for ever. True: a member was
 * removed. */
static bool take_out_passive(struct sched *s, struct state *st)
{
	const uint64_t *polls = sm_set(s->sm, s->id, SET_YIELDING),
		       *paused = sm_set(s->sm, s->id, SET_PAUSED);
	unsigned before = st->n;
	for (unsigned w = 0; w < s->words; w++)
		for (uint64_t q = st->active[w] & (polls[w] | paused[w]); q; q &= q - 1)
			take_out(st, (int)(w * 64 + (unsigned)__builtin_ctzll(q)));
	return st->n < before;
}

static int pick_active(struct sched *s, const uint64_t *ready)
{
	struct state *st = s->state;
	uint64_t set[SCHED_WORDS];
	for (unsigned w = 0; w < s->words; w++)
		set[w] = ready[w] & ~st->active[w];
	while (st->n < st->most) {
		int k = pick_from(set, s->words, st->in);
		if (k < 0)
			break;
		st->in = ((unsigned)k + 1) % s->n;
		set[k / 64] &= ~(1ull << k % 64);
		st->active[k / 64] |= 1ull << k % 64;
		st->n++;
	}
	for (unsigned w = 0; w < s->words; w++)
		set[w] = ready[w] & st->active[w];
	return pick_from(set, s->words, st->next);
}

static int pick(struct sched *s, const uint64_t *ready)
{
	int k = pick_active(s, ready);
	return k >= 0 || !take_out_passive(s, s->state) ? k : pick_active(s, ready);
}

static void issued(struct sched *s, int k)
{
	struct state *st = s->state;
	st->next = ((unsigned)k + 1) % s->n;
}

static void leave(struct sched *s, int k) { take_out(s->state, k); }

const struct sched_ops sched_two_level_active = {
	.p = {"two-level-active",
	      "round robin in a small active set; a warp that waits for memory leaves it",
	      "Gebhart et al., ISCA 2011", .state_size = sizeof(struct state),
	      .options = {&two_level_options}},
	.init = init,
	.pick = pick,
	.issued = issued,
	.blocked = leave,
	.left = leave,
};
