/* Greedy, then the oldest, among the `limit` oldest groups, with the limit that issued most when each was tried.
 *
 *	epochs   |  2  |  4  |  8  | all |  the best of them, LONG epochs  |  2  |  4  | ...
 *
 * With few warps each finds its lines in the L1; with many the SM hides latency. Which matters more is the kernel's,
 * so the scheduler measures it: instructions issued in the second half of an epoch. Groups at a barrier do not count, or those
 * that they wait for might never issue. */
#include "sm/sched/pick.h"

enum { EPOCH = 4000, TRIALS = 4, LONG = 24 };
static const unsigned limits[TRIALS] = {4, 8, 2, 1000};

struct state {
	int last;           /* the group that issued last; -1: none */
	unsigned trial;     /* limit that is being tried; TRIALS: the best is in use */
	unsigned best;      /* index of the limit that issued most */
	unsigned issued[TRIALS];
	unsigned left;      /* epochs until the next trial */
	uint64_t count;     /* instructions in this epoch */
	cycle_t until;      /* the epoch's end */
};

static void init(struct sched *s) { ((struct state *)s->state)->last = -1; }

static void end_epoch(struct state *st)
{
	if (st->trial < TRIALS) {
		st->issued[st->trial++] = (unsigned)st->count;
		if (st->trial < TRIALS)
			return;
		st->best = 0;
		for (unsigned i = 1; i < TRIALS; i++)
			if (st->issued[i] > st->issued[st->best])
				st->best = i;
		st->left = LONG;
	} else if (!--st->left) {
		st->trial = 0;
	}
}

/* Groups older than k that want to issue. */
static unsigned count_older(const struct sched *s, int k)
{
	const struct group *own = sched_group(s, k);
	unsigned n = 0;
	for (unsigned i = 0; i < s->n; i++) {
		const struct group *g = sched_group(s, (int)i);
		n += g->active && g->wait == GROUP_RUNS && g->age < own->age;
	}
	return n;
}

static int pick(struct sched *s, const uint64_t *ready)
{
	struct state *st = s->state;
	if (s->sm->now >= st->until) {
		end_epoch(st);
		st->until = s->sm->now + EPOCH;
		st->count = 0;
	}
	unsigned limit = limits[st->trial < TRIALS ? st->trial : st->best];
	int k = st->last >= 0 && set_has(ready, st->last) ? st->last : pick_oldest(s, ready);
	if (count_older(s, k) < limit)
		return k;
	k = pick_oldest(s, ready);
	return count_older(s, k) < limit ? k : -1;
}

static void issued(struct sched *s, int k)
{
	struct state *st = s->state;
	st->last = k;
	st->count += s->sm->now + EPOCH / 2 >= st->until;
}

static void left(struct sched *s, int k)
{
	struct state *st = s->state;
	if (st->last == k)
		st->last = -1;
}

const struct sched_ops sched_adaptive = {
	.p = {"adaptive", "greedy, then the oldest, among as many warps as pay", "", .state_size = sizeof(struct state)},
	.init = init,
	.pick = pick,
	.issued = issued,
	.left = left,
};
