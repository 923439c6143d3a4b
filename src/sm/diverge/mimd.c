/* Every thread for itself, the upper bound: each SIMD lane has a scheduler that issues one of the
 * lane's threads each cycle, whatever the others execute. Group w * warp_size + i is thread i of
 * warp w, of scheduler i mod simd_width: a thread's lane, since simd_width divides warp_size. */
#include "sm/form/fragments.h"

static void init(struct div *d) { frag_init(d, d->sm->m->warp_size, 1); }

static void start(struct div *d, unsigned w, lanemask live, uint32_t pc, uint64_t age)
{
	for (; live; live &= live - 1)
		frag_start(d, w, (unsigned)__builtin_ctzll(live), live & -live, pc, age);
}

const struct div_ops div_mimd = {
	.p = {"mimd", "every thread for itself: each lane issues one of its threads a cycle",
	      "Jin 2012, section 5.1"},
	.locked_only = true,
	.threads_alone = true,
	.init = init,
	.start = start,
	FRAGMENT_OPS,
};
