/* Minority: the least common pc of all groups that run, so that threads that have fallen behind
 * catch up. */
#include "sm/sched/pccount.h"

static uint32_t rank(struct sched *s, const struct group *g)
{
	return pc_count(s->state, g->pc, 0);
}

static void init(struct sched *s) { pc_count_init(s->state, s); }
static void fini(struct sched *s) { pc_count_fini(s->state); }

static int pick(struct sched *s, const uint64_t *ready)
{
	pc_count_all(s->state, s);
	return pick_least(s, ready, rank);
}

const struct sched_ops sched_minority = {
	.p = {"minority", "the least common pc first",
	      "Fung, Sham, Yuan, Aamodt, MICRO 2007, section 5",
	      .state_size = sizeof(struct pc_count)},
	.init = init,
	.fini = fini,
	.pick = pick,
};
