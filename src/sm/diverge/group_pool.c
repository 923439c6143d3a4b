/* The pool of groups: the free groups, the look-up by pc, and the threads' positions. */
#include "sm/diverge/regroup.h"

static const struct stat_def defs[] = {STAT_DEFS(REGROUP_STATS)};
static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }
static double merge_rate(const void *v)
{
	const struct regroup_stats *s = v;
	return ratio(STAT(s, merges), STAT(s, merges_tried));
}
static double conflict_rate(const void *v)
{
	const struct regroup_stats *s = v;
	return ratio(STAT(s, conflicts), STAT(s, merges_tried));
}
static double pool_mean(const void *v)
{
	const struct regroup_stats *s = v;
	return ratio(STAT(s, pool_sum), STAT(s, commits));
}
static const struct stat_derived derived[] = {
	{"merge_rate", "", "merges / merges_tried", merge_rate},
	{"conflict_rate", "", "conflicts / merges_tried", conflict_rate},
	{"pool_mean", "groups", "groups with threads, mean over commits", pool_mean},
};
const struct stat_table regroup_stats = STAT_TABLE("regroup", defs, derived);

/* ---- groups ---- */

/* The lowest free group: numbers stay small, and schedulers look at few words. */
static int lowest_free(const struct regroup *r)
{
	unsigned w = 0;
	while (!r->free[w])
		w++;
	return (int)(w * 64 + (unsigned)__builtin_ctzll(r->free[w]));
}

/* The lowest free group of the scheduler that has the lane. */
static int lowest_of_lane(const struct div *d, const struct regroup *r, unsigned lane)
{
	unsigned g = lane % d->sm->nsched;
	while (!(r->free[g / 64] >> g % 64 & 1))
		g += d->sm->nsched;
	return (int)g;
}

int regroup_new(struct div *d, uint32_t pc, const struct frame *f, cycle_t last, unsigned warp)
{
	struct regroup *r = regroup_of(d);
	int g = d->sm->lanes.ops->by_scheduler ? lowest_of_lane(d, r, d->sm->warp[warp].lane)
					       : lowest_free(r);
	r->free[g / 64] &= ~(1ull << g % 64);
	r->used++;
	if (r->used > STAT(r->stats, pool_max))
		STAT(r->stats, pool_max) = r->used;
	r->member[g] = (struct member){.next = -1};
	d->group[g] = (struct group){.pc = pc,
				     .warp = GROUP_MIXED,
				     .wait = GROUP_RUNS,
				     .frame = *f,
				     .home = r->home + (size_t)g * r->size,
				     .lane = r->lane + (size_t)g * r->size};
	sm_group_formed(d->sm, g, pc, last);
	return g;
}

void regroup_drop(struct div *d, int g)
{
	struct regroup *r = regroup_of(d);
	regroup_unpool(d, g);
	r->free[g / 64] |= 1ull << g % 64;
	r->used--;
	d->group[g].wait = GROUP_NONE;
	d->group[g].warp = GROUP_MIXED;
	if (d->sm->slot[g].yields)
		sm_group_yields(d->sm, g, false);
	sm_group_changed(d->sm, g);
}

/* ---- the look-up ---- */

static int32_t *bucket_of(struct regroup *r, const struct group *g)
{
	return &r->bucket[((g->pc + g->frame.lbase * 31 + g->frame.rows) * 0x9e3779b9u) >> 24];
}

static bool same_place(const struct sm *sm, const struct group *a, const struct group *b)
{
	const struct sm_warp *x = sm_home(sm, a), *y = sm_home(sm, b);
	return a->pc == b->pc && frame_same(&a->frame, &b->frame) && x->b->k == y->b->k &&
	       x->lane == y->lane; /* registers are in the lane that a warp is bound to */
}

int regroup_newest(const struct div *d, int g)
{
	struct regroup *r = regroup_of(d);
	const struct group *gr = &d->group[g];
	int32_t i = *bucket_of(r, gr);
	while (i >= 0 && !same_place(d->sm, &d->group[i], gr))
		i = r->member[i].next;
	return i;
}

void regroup_unpool(struct div *d, int g)
{
	struct regroup *r = regroup_of(d);
	if (!r->member[g].pooled)
		return;
	int32_t *at = bucket_of(r, &d->group[g]);
	while (*at != g)
		at = &r->member[*at].next;
	*at = r->member[g].next;
	r->member[g].pooled = false;
}

static bool is_full(const struct regroup *r, const struct group *g)
{
	return (unsigned)__builtin_popcountll(g->active) == r->size;
}

void regroup_enter(struct div *d, int g)
{
	struct regroup *r = regroup_of(d);
	int old = regroup_newest(d, g);
	if (old >= 0)
		regroup_unpool(d, old);
	if (!is_full(r, &d->group[g])) {
		int32_t *at = bucket_of(r, &d->group[g]);
		r->member[g].next = *at;
		r->member[g].pooled = true;
		*at = g;
	}
	d->group[g].age = d->sm->next_age++;
	STAT(r->stats, entered)++;
	if (r->member[g].yields)
		sm_group_yields(d->sm, g, true);
	r->member[g].yields = false;
	sm_group_changed(d->sm, g);
}

/* ---- positions ---- */

/* Makes a group's position arrays explicit, whether it is mixed or of one warp. */
static void spell_out(struct div *d, int g)
{
	struct regroup *r = regroup_of(d);
	struct group *gr = &d->group[g];
	uint16_t *home = r->home + (size_t)g * r->size;
	uint8_t *lane = r->lane + (size_t)g * r->size;
	if (gr->warp == GROUP_MIXED)
		return;
	for (unsigned p = 0; p < r->size; p++) {
		home[p] = gr->warp;
		lane[p] = (uint8_t)p;
	}
	gr->warp = GROUP_MIXED;
}

void regroup_settle(struct div *d, int g)
{
	struct group *gr = &d->group[g];
	lanemask lanes = 0;
	if (gr->warp != GROUP_MIXED)
		return;
	uint16_t w = gr->home[__builtin_ctzll(gr->active)];
	for (lanemask q = gr->active; q; q &= q - 1) {
		unsigned p = (unsigned)__builtin_ctzll(q);
		if (gr->home[p] != w)
			return;
		lanes |= 1ull << gr->lane[p];
	}
	gr->warp = w;
	gr->active = lanes;
}

void regroup_arrange(struct div *d, int g, const uint8_t *to)
{
	struct regroup *r = regroup_of(d);
	struct group *gr = &d->group[g];
	uint16_t *home = r->home + (size_t)g * r->size, h[MAX_LANES];
	uint8_t *lane = r->lane + (size_t)g * r->size, l[MAX_LANES];
	lanemask m = gr->active;
	spell_out(d, g);
	memcpy(h, home, r->size * sizeof *h);
	memcpy(l, lane, r->size * sizeof *l);
	gr->active = 0;
	for (; m; m &= m - 1) {
		unsigned p = (unsigned)__builtin_ctzll(m);
		home[to[p]] = h[p];
		lane[to[p]] = l[p];
		gr->active |= 1ull << to[p];
	}
}

void regroup_join(struct div *d, int g, lanemask who, int f)
{
	struct regroup *r = regroup_of(d);
	struct group *from = &d->group[g], *to = &d->group[f];
	spell_out(d, f);
	for (lanemask q = who; q; q &= q - 1) {
		unsigned p = (unsigned)__builtin_ctzll(q);
		struct home t = group_thread(from, p);
		r->home[(size_t)f * r->size + p] = t.warp;
		r->lane[(size_t)f * r->size + p] = t.lane;
	}
	to->active |= who;
	to->passed = from->passed > to->passed ? from->passed : to->passed;
	from->active &= ~who;
	if (is_full(r, to))
		regroup_unpool(d, f);
	if (!r->squeezes || is_full(r, to))
		regroup_settle(d, f);
	if (d->sm->slot[f].yields && !r->member[g].yields)
		sm_group_yields(d->sm, f, false);
	if (!from->active)
		regroup_drop(d, g);
	sm_group_changed(d->sm, f);
}
