/* Enhanced dynamic warp formation: a thread of the incoming (male) group whose position is occupied
 * in the waiting (female) group may move to another part of its lane where neither group has a
 * thread. A lane holds as many threads of a group as it has parts, so it is full only when all are
 * taken. */
#include "sm/diverge/regroup.h"
#include "sm/lanes/squeeze.h"

struct options {
	bool lane_aware;
};
static const struct option rows[] = {
	OPTION_BOOL(struct options, lane_aware, "en-dwf.lane_aware", true,
		    "a thread whose position is taken moves within its lane; "
		    "no: to any position, and threads of one register bank are "
		    "read one after the other"),
};
static const char *refuses(const struct machine *m, char *buf, size_t n);
static const struct option_table options = {OPTION_TABLE(rows, struct options), .refuses = refuses};

static void place_group(struct div *d, int g)
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
	unsigned lanes = d->free_lanes ? 1 : r->width; /* all places of one lane are
	                                                * interchangeable */
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

static void init(struct div *d)
{
	const struct options *o = machine_own(d->sm->m, &options);
	d->free_lanes = !o->lane_aware;
	regroup_init(d, place_group);
}

const struct div_ops div_en_dwf = {
	.p = {"en-dwf",
	      "dwf in which a thread whose position is taken may move to "
	      "another part of its lane",
	      "Jin 2012, section 4.4 and appendix B", .stats = &regroup_stats,
	      .options = {&options, &regroup_options}, .describe = regroup_describe},
	.groups = GROUPS_SM,
	.init = init,
	REGROUP_OPS,
};

static const char *refuses(const struct machine *m, char *buf, size_t n)
{
	const struct options *o = machine_own(m, &options);
	if (o->lane_aware)
		return NULL;
	if (m->diverge != &div_en_dwf)
		snprintf(buf, n, "en-dwf.lane_aware = no: sm.divergence = %s moves no threads",
			 policy_name(m->diverge));
	else if (m->lanes->scales)
		snprintf(
			buf, n,
			"en-dwf.lane_aware = no: sm.lanes = hws needs threads to stay in their lanes");
	else
		return NULL;
	return buf;
}
