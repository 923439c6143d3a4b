/* Time stamp: groups issue in the order in which they were formed. Without regrouping that is the
 * order of their warps. */
#include "sm/sched/pick.h"

static int pick(struct sched *s, const uint64_t *ready) { return pick_oldest(s, ready); }

const struct sched_ops sched_time_stamp = {
	.p = {"time-stamp", "the group that was formed first",
	      "Fung, Sham, Yuan, Aamodt, MICRO 2007, section 5"},
	.pick = pick,
};
