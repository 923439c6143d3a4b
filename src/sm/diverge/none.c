/* No reconvergence: the parts of a warp that has diverged never meet again; each path runs to its end as if it were a
 * warp. */
#include "sm/diverge/paths.h"

static void init(struct div *d) { paths_init(d, &(struct paths_rule){.apart = true}); }

const struct div_ops div_none = {
	.p = {"none", "a warp that has parted never meets again, each part runs to its end",
	      "Jin 2012, section 3.5", .stats = &paths_stats},
	.init = init,
	PATHS_OPS,
};
