/* MIMD, the upper bound: every thread runs for itself. Each SIMD lane has a scheduler that issues
 * one thread per cycle, whatever the other lanes execute. Group w * warp_size + i is thread i of
 * warp w, and belongs to scheduler i mod simd_width: a thread's home lane, since simd_width divides
 * warp_size. A lane without a ready thread issues a thread of another lane (schedulers.c, lend_lanes),
 * so any threads fill any lanes. */
#include "sm/diverge/paths.h"

static void init(struct div *d)
{
	paths_init(d, &(struct paths_rule){.apart = true, .threads = true});
}

const struct div_ops div_mimd = {
	.p = {"mimd",
	      "every thread for itself: each lane issues a thread a cycle, of any home lane",
	      "Jin 2012, section 5.1"},
	.groups = GROUPS_THREAD,
	.init = init,
	PATHS_OPS,
};
