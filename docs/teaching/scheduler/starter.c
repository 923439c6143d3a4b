/* A warp scheduler to begin with: the first ready group, counted from the one behind the last that issued.
 * Your work is pick(). What a scheduler may see is in src/sm/group.h, functions on sets in src/sm/sched/pick.h. */
#include "sm/sched/pick.h"

/* Memory of one scheduler, zeroed when the SM is built. A policy has no static variables. */
struct state {
	unsigned next;
};

/* A group of the set `ready`, which is not empty; -1: none is to issue in this cycle. */
static int pick(struct sched *s, const uint64_t *ready)
{
	const struct state *st = s->state;
	return pick_from(ready, s->words, st->next);
}

/* Group k has issued. */
static void issued(struct sched *s, int k)
{
	struct state *st = s->state;
	st->next = (unsigned)k + 1 < s->n ? (unsigned)k + 1 : 0;
}

const struct sched_ops sched_mine = {
	.p = {"mine", "my scheduler", "", .state_size = sizeof(struct state)},
	.pick = pick,
	.issued = issued,
};
