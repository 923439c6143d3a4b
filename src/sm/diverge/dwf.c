/* Dynamic warp formation: threads that come from the pipeline join the newest group of their pc if
 * no two threads would be at one position, which is a thread's number in its warp; otherwise the
 * threads form a new group. Because a thread never changes position, its registers are always in
 * the bank of its position. */
#include "sm/diverge/regroup.h"

static void place_group(struct div *d, int g)
{
	struct regroup *r = regroup_of(d);
	int f = regroup_newest(d, g);
	if (f < 0) {
		regroup_enter(d, g);
		return;
	}
	lanemask both = d->group[f].active & d->group[g].active;
	STAT(r->stats, merges_tried)++;
	if (!both) {
		STAT(r->stats, merges)++;
		regroup_join(d, g, d->group[g].active, f);
		return;
	}
	STAT(r->stats, conflicts)++;
	STAT(r->stats, conflict_threads) += (unsigned)__builtin_popcountll(both);
	if (r->divides && (d->group[g].active & ~both))
		regroup_join(d, g, d->group[g].active & ~both, f);
	regroup_enter(d, g);
}

static void init(struct div *d) { regroup_init(d, place_group); }

const struct div_ops div_dwf = {
	.p = {"dwf",
	      "dynamic warp formation: threads at one pc merge where no two are at one position",
	      "Fung, Sham, Yuan, Aamodt, MICRO 2007; Jin 2012, section 3.6",
	      .stats = &regroup_stats, .options = {&regroup_options}, .describe = regroup_describe},
	.groups = GROUPS_SM,
	.init = init,
	REGROUP_OPS,
};
