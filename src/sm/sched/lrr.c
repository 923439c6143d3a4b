/* Loose round robin: the first ready group after the one that issued last. */
#include "sm/sched/pick.h"

struct state {
	unsigned next;
};

static int pick(struct sched *s, const uint64_t *ready)
{
	struct state *st = s->state;
	return pick_from(ready, s->words, st->next);
}

static void issued(struct sched *s, int k)
{
	struct state *st = s->state;
	st->next = (unsigned)k + 1 < s->n ? (unsigned)k + 1 : 0;
}

static bool before(const struct sched *s, int a, int b)
{
	unsigned from = s->n - ((const struct state *)s->state)->next;
	return ((unsigned)a + from) % s->n < ((unsigned)b + from) % s->n;
}

const struct sched_ops sched_lrr = {
	.p = {"lrr", "loose round robin", "", .state_size = sizeof(struct state)},
	.pick = pick,
	.issued = issued,
	.before = before,
};
