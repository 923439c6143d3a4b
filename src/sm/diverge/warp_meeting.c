/* Warp-level operations of threads that regroup: a shuffle, vote or matrix operation is between the
 * lanes of a home warp. Threads that arrive without all the lanes it needs leave their groups and
 * wait, in one group per home warp, place and set of lanes named, until the last lane that has not ended
 * arrives. Where lanes meet anywhere (bar.warp.sync), all those groups of a set of lanes go on when it has. */
#include "sm/diverge/regroup.h"

/* The group of warp w that waits at gr's pc for the given lanes; a new one if there is none. */
static int waiting_group(struct div *d, const struct group *gr, unsigned w, lanemask need,
			 uint32_t anywhere, cycle_t last)
{
	struct regroup *r = regroup_of(d);
	lanemask live = d->sm->warp[w].live;
	for (int32_t i = r->meeting[w]; i >= 0; i = r->member[i].next)
		if (d->group[i].pc == gr->pc && (r->member[i].need & live) == need &&
		    frame_same(&d->group[i].frame, &gr->frame))
			return i;
	int g = regroup_new(d, gr->pc, &gr->frame, last, w);
	d->group[g].warp = (uint16_t)w;
	d->group[g].wait = GROUP_SYNC;
	r->member[g].need = need;
	r->member[g].anywhere = anywhere;
	r->member[g].next = r->meeting[w];
	r->meeting[w] = g;
	return g;
}

/* Releases a waiting group of warp w. The group is not offered for merging, because it would split
 * again. */
static void release_group(struct div *d, unsigned w, int g)
{
	struct regroup *r = regroup_of(d);
	struct group *gr = &d->group[g];
	int32_t *at = &r->meeting[w];
	while (*at != g)
		at = &r->member[*at].next;
	*at = r->member[g].next;
	r->member[g].next = -1;
	r->member[g].met = true;
	gr->wait = GROUP_RUNS;
	gr->age = d->sm->next_age++;
	STAT(r->stats, meetings)++;
	sm_group_changed(d->sm, g);
}

static bool waits_with(const struct member *a, const struct member *b, lanemask live)
{
	return a == b ||
	       (a->anywhere && a->anywhere == b->anywhere && !((a->need ^ b->need) & live));
}

/* True if all lanes for which group g waits have arrived. */
static bool is_complete(const struct div *d, unsigned w, int g)
{
	const struct member *m = regroup_of(d)->member;
	lanemask live = d->sm->warp[w].live, have = 0;
	for (int32_t i = regroup_of(d)->meeting[w]; i >= 0; i = m[i].next)
		have |= waits_with(&m[g], &m[i], live) ? d->group[i].active : 0;
	return !(m[g].need & live & ~have);
}

static void release_complete(struct div *d, unsigned w)
{
	const struct regroup *r = regroup_of(d);
	const struct member *m = r->member;
	for (int32_t i = r->meeting[w]; i >= 0;) {
		if (!is_complete(d, w, i)) {
			i = m[i].next;
			continue;
		}
		for (int32_t k = r->meeting[w], next; k >= 0; k = next) {
			next = m[k].next;
			if (k != i && waits_with(&m[i], &m[k], d->sm->warp[w].live))
				release_group(d, w, k);
		}
		release_group(d, w, i);
		i = r->meeting[w];
	}
}

/* The group's lanes of home warp `warp`, among those at positions `lanes`. */
static lanemask lanes_present(const struct group *g, lanemask lanes, unsigned warp)
{
	lanemask m = 0;
	if (g->warp != GROUP_MIXED)
		return lanes;
	for (; lanes; lanes &= lanes - 1) {
		unsigned p = (unsigned)__builtin_ctzll(lanes);
		if (g->home[p] == warp)
			m |= 1ull << g->lane[p];
	}
	return m;
}

bool regroup_meet(struct div *d, int g, lanemask lanes, const lanemask *need, uint32_t anywhere)
{
	struct group *gr = &d->group[g];
	lanemask leave = 0;
	if (regroup_of(d)->member[g].met)
		return true;
	for (lanemask q = lanes; q; q &= q - 1) {
		unsigned p = (unsigned)__builtin_ctzll(q);
		if (need[p] & ~lanes_present(gr, lanes, group_thread(gr, p).warp))
			leave |= q & -q;
	}
	if (!leave)
		return true;
	regroup_unpool(d, g);
	for (; leave; leave &= leave - 1) {
		unsigned p = (unsigned)__builtin_ctzll(leave);
		struct home h = group_thread(gr, p);
		int f = waiting_group(d, gr, h.warp, need[p], anywhere, d->sm->slot[g].since - 1);
		d->group[f].active |= 1ull << h.lane;
		d->group[f].passed =
			gr->passed > d->group[f].passed ? gr->passed : d->group[f].passed;
		gr->active &= ~(leave & -leave);
		release_complete(d, h.warp);
		sm_group_changed(d->sm, f);
	}
	if (gr->active)
		sm_group_changed(d->sm, g);
	else
		regroup_drop(d, g);
	return false;
}

void regroup_exited(struct div *d, unsigned w) { release_complete(d, w); }
