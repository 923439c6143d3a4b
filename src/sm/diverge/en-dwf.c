/* Enhanced dynamic warp formation: a thread of the incoming (male) group whose position is taken in
 * the waiting (female) one may move to another part of the same lane that is empty in both. A lane
 * holds as many threads of a group as it has parts, so it is full only when all are taken. */
#include "sm/form/regroup.h"
#include "sm/form/squeeze.h"

static void place(struct div *d, int g)
{
	struct regroup *r = regroup_of(d);
	struct group *male = &d->group[g];
	int f = regroup_newest(d, g);
	uint8_t to[MAX_LANES];
	if (f < 0) {
		regroup_enter(d, g);
		return;
	}
	lanemask both = male->active & d->group[f].active;
	unsigned lanes =
		d->sm->m->lane_aware ? r->width : 1; /* of one lane any two places are the same */
	lanemask left = squeeze_fit(male->active, d->group[f].active, r->size, lanes, to);
	STAT(r->stats, merges_tried)++;
	STAT(r->stats, merges) += !left;
	STAT(r->stats, conflicts) += left != 0;
	STAT(r->stats, conflict_threads) += (unsigned)__builtin_popcountll(both);
	if (left && !r->divides) {
		regroup_enter(d, g);
		return;
	}
	STAT(r->stats, moved_threads) += (unsigned)__builtin_popcountll(both & ~left);
	if (both & ~left)
		regroup_arrange(d, g, to);
	lanemask fit = male->active & ~d->group[f].active;
	if (fit)
		regroup_join(d, g, fit, f);
	if (left)
		regroup_enter(d, g);
}

static void init(struct div *d) { regroup_init(d, place); }

const struct div_ops div_en_dwf = {
	.p = {"en-dwf",
	      "dwf, and a thread whose position is taken may move to another part of its lane",
	      "Jin 2012, section 4.4 and appendix B", .stats = &regroup_stats},
	.merges = true,
	.init = init,
	REGROUP_OPS,
};
