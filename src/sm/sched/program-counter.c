/* Program counter: the lowest pc first. In the compilers' code layout, threads that are behind are
 * at lower pcs. */
#include "sm/sched/pick.h"

static uint32_t rank(struct sched *s, const struct group *g)
{
	(void)s;
	return g->pc;
}

static int pick(struct sched *s, const uint64_t *ready) { return pick_least(s, ready, rank); }

const struct sched_ops sched_program_counter = {
	.p = {"program-counter", "the lowest pc first",
	      "Fung, Sham, Yuan, Aamodt, MICRO 2007, section 5"},
	.pick = pick,
};
