/* Dual-path execution: an entry of a warp's stack has the two paths of a branch, and both issue, interleaved. A path
 * that branches pushes an entry, whose paths run until they meet; the other path of the old entry waits meanwhile.
 * Reconvergence is at the immediate post-dominator, as with pdom. */
#include "sm/diverge/paths.h"

static void init(struct div *d) { paths_init(d, &(struct paths_rule){.two = true}); }

const struct div_ops div_dual_path = {
	.p = {"dual-path",
	      "a stack of paths per warp, of which the two of the top entry issue interleaved",
	      "Rhu, Erez, HPCA 2013", .stats = &paths_stats},
	.init = init,
	PATHS_OPS,
};
