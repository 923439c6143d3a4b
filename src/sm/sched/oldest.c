/* Oldest first: of the ready groups the one whose warp started first. */
#include "sm/sched/pick.h"

static int pick(struct sched *s, const uint64_t *ready) { return pick_oldest(s, ready); }

const struct sched_ops sched_oldest = {
	.p = {"oldest", "the oldest ready warp", ""},
	.pick = pick,
};
