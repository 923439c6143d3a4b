/* Greedy then oldest: the group that issued last as long as it can issue, otherwise the oldest that
 * can. */
#include "sm/sched/pick.h"

struct state {
	int last;
};

static void init(struct sched *s) { ((struct state *)s->state)->last = -1; }

static int pick(struct sched *s, const uint64_t *ready)
{
	const struct state *st = s->state;
	return st->last >= 0 && set_has(ready, st->last) ? st->last : pick_oldest(s, ready);
}

static void issued(struct sched *s, int k) { ((struct state *)s->state)->last = k; }

static void left(struct sched *s, int k)
{
	struct state *st = s->state;
	if (st->last == k)
		st->last = -1;
}

static bool before(const struct sched *s, int a, int b)
{
	const struct state *st = s->state;
	return a == st->last || (b != st->last && sched_group(s, a)->age < sched_group(s, b)->age);
}

const struct sched_ops sched_gto = {
	.p = {"gto", "greedy, then the oldest", "Rogers, O'Connor, Aamodt, MICRO 2012",
	      .state_size = sizeof(struct state)},
	.init = init,
	.pick = pick,
	.issued = issued,
	.left = left,
	.before = before,
};
