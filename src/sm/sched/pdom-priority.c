/* Post-dominator priority: the group whose threads have passed the fewest reconvergence points, so
 * that threads that fell behind at a divergence reach its post-dominator before the others leave
 * it. */
#include "sm/sched/pick.h"

static uint32_t rank(struct sched *s, const struct group *g)
{
	(void)s;
	return g->passed;
}

static int pick(struct sched *s, const uint64_t *ready) { return pick_least(s, ready, rank); }

const struct sched_ops sched_pdom_priority = {
	.p = {"pdom-priority", "the group that has passed the fewest immediate post-dominators",
	      "Fung, Sham, Yuan, Aamodt, MICRO 2007, section 5"},
	.regrouped = true,
	.pick = pick,
};
