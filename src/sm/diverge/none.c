/* No reconvergence: the parts of a warp that has diverged never meet again; each fragment runs to
 * its end as if it were a warp. */
#include "sm/diverge/fragments.h"

static void init(struct div *d) { frag_init(d, 1, d->nwarps); }

static void start(struct div *d, unsigned w, lanemask live, uint32_t pc, uint64_t age)
{
	frag_start(d, w, 0, live, pc, age);
}

const struct div_ops div_none = {
	.p = {"none", "a warp that has parted never meets again, each fragment runs to its end",
	      "Jin 2012, section 3.5"},
	.init = init,
	.start = start,
	FRAGMENT_OPS,
};
