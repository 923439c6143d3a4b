/* Multi-path execution: all paths of a warp issue, interleaved. Two tables replace the stack: one of paths, one of
 * reconvergence points, each with the lanes that it waits for. */
#include "sm/diverge/paths.h"

struct options {
	uint32_t early;
};
static const struct option rows[] = {
	OPTION_BOOL(
		struct options, early, "multi-path.early", false,
		"paths of one branch that are at the same pc become one before its reconvergence point"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true};

static void init(struct div *d)
{
	const struct options *o = machine_own(d->sm->m, &options);
	paths_init(d, &(struct paths_rule){.meets = o->early});
}

const struct div_ops div_multi_path = {
	.p = {"multi-path",
	      "all paths of a warp issue interleaved, and meet at the immediate post-dominator",
	      "ElTantawy, Ma, O'Connor, Aamodt, HPCA 2014", .stats = &paths_stats,
	      .options = {&options}},
	.init = init,
	PATHS_OPS,
};
