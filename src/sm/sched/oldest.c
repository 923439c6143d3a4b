/* Oldest first: the ready group whose warp started first. */
#include "sm/sched/pick.h"

static int pick(struct sched *s, const uint64_t *ready) { return pick_oldest(s, ready); }

static bool before(const struct sched *s, int a, int b)
{
	return sched_group(s, a)->age < sched_group(s, b)->age;
}

const struct sched_ops sched_oldest = {
	.p = {"oldest", "the oldest ready warp", ""},
	.pick = pick,
	.before = before,
};
