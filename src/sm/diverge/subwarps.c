/* Subwarp interleaving: one path of a warp runs. When the running path waits for memory, another
 * path that can run takes over; the first path continues when the second waits or has ended. */
#include "sm/diverge/paths.h"

struct options {
	uint32_t when;
};
static const struct option rows[] = {
	OPTION_NUM(struct options, when, "subwarps.when", 0, 0, 100, "%",
		   "share of its scheduler's groups that must wait before a path lets another run"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true};

static void init(struct div *d)
{
	const struct options *o = machine_own(d->sm->m, &options);
	paths_init(d, &(struct paths_rule){.one = true, .when = (uint8_t)o->when});
}

const struct div_ops div_subwarps = {
	.p = {"subwarps",
	      "one path of a warp issues, until it waits for memory; they meet at the immediate post-dominator",
	      "Damani et al., HPCA 2022", .stats = &paths_stats, .options = {&options}},
	.init = init,
	PATHS_OPS,
	.stalls = paths_stalls,
};
