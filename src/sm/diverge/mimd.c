/* MIMD, the upper bound: every thread runs for itself. Each SIMD lane has a scheduler that issues
 * one thread per cycle, whatever the other lanes execute. Group w * warp_size + i is thread i of
 * warp w, and belongs to scheduler i mod simd_width: a thread's home lane, since simd_width divides
 * warp_size. A lane without a ready thread issues a thread of another lane (schedulers.c, lend_lanes),
 * so any threads fill any lanes. */
#include "sm/diverge/fragments.h"

static void init(struct div *d) { frag_init(d, d->sm->m->warp_size, 1); }

static void start(struct div *d, unsigned w, lanemask live, uint32_t pc, uint64_t age)
{
	for (; live; live &= live - 1)
		frag_start(d, w, (unsigned)__builtin_ctzll(live), live & -live, pc, age);
}

const struct div_ops div_mimd = {
	.p = {"mimd",
	      "every thread for itself: each lane issues a thread a cycle, of any home lane",
	      "Jin 2012, section 5.1"},
	.groups = GROUPS_THREAD,
	.init = init,
	.start = start,
	FRAGMENT_OPS,
};
