#include "sm/diverge/fragments.h"

#include <assert.h>
#include "sm/diverge/calls.h"

enum state {
	FREE,
	READY,
	BARRIER,
	SYNC,   /* waits for lanes of its warp that a warp-level operation names */
	JOINED, /* another fragment executes the operation for this one */
};

struct frag {
	uint32_t pc;
	int32_t site;
	lanemask lanes;
	uint8_t state, bar;
	bool unborn;      /* the instruction that created it has not committed */
	int next;         /* next fragment in a list of the fragment that created it, or executes
	                   * for it */
	int born, joined; /* heads of those lists: fragments it created; fragments it executes
	                   * for */
	lanemask need;    /* SYNC: lanes that the fragment must meet */
};

struct state_all {
	struct frag *frag; /* per group */
	lanemask *used;    /* per warp: places that its fragments use */
	unsigned by_warp, by_place;
	struct calls calls; /* one root per warp */
};

static struct state_all *all_of(const struct div *d) { return d->state; }
static struct frag *frag_of(const struct div *d, int g) { return &all_of(d)->frag[g]; }
static int group_at(const struct div *d, unsigned w, unsigned place)
{
	return (int)(w * all_of(d)->by_warp + place * all_of(d)->by_place);
}
static unsigned place_of(const struct div *d, int g)
{
	const struct state_all *s = all_of(d);
	return s->by_place == 1 ? (unsigned)g % s->by_warp : (unsigned)g / s->by_place;
}
/* Returns the warp's next fragment among the places in *left, and removes it from *left; -1:
 * none. */
static int next_frag(const struct div *d, unsigned w, lanemask *left)
{
	if (!*left)
		return -1;
	unsigned place = (unsigned)__builtin_ctzll(*left);
	*left &= *left - 1;
	return group_at(d, w, place);
}

/* ---- fragments as groups of the SM ---- */

static void show_fragment(struct div *d, int g)
{
	const struct frag *f = frag_of(d, g);
	struct group *gr = &d->group[g];
	if (f->unborn || f->state == JOINED || !f->lanes) {
		gr->active = 0;
		gr->wait = GROUP_NONE;
	} else {
		gr->pc = f->pc;
		gr->active = f->lanes;
		gr->frame = calls_at(&all_of(d)->calls, f->site)->frame;
		gr->wait = f->state == READY     ? GROUP_RUNS
			   : f->state == BARRIER ? GROUP_BARRIER
						 : GROUP_SYNC;
	}
	sm_group_changed(d->sm, g);
}

static void show_new(struct div *d, int g)
{
	cycle_t now = d->sm->now;
	frag_of(d, g)->unborn = false;
	sm_group_formed(d->sm, g, frag_of(d, g)->pc, now ? now - 1 : 0);
	show_fragment(d, g);
}

/* ---- set-up ---- */

void frag_init(struct div *d, unsigned by_warp, unsigned by_place)
{
	struct state_all *s = d->state = xcalloc(1, sizeof *s);
	s->frag = xcalloc(d->ngroups, sizeof *s->frag);
	s->used = xcalloc(d->nwarps, sizeof *s->used);
	s->by_warp = by_warp;
	s->by_place = by_place;
	calls_init(&s->calls, d->nwarps);
	for (unsigned g = 0; g < d->ngroups; g++)
		d->group[g].warp = GROUP_MIXED; /* free groups have no warp */
}

void frag_fini(struct div *d)
{
	free(all_of(d)->frag);
	free(all_of(d)->used);
	calls_fini(&all_of(d)->calls);
	free(d->state);
}

static int add_fragment(struct div *d, unsigned w, unsigned place, struct frag f, uint64_t age)
{
	int g = group_at(d, w, place);
	f.born = f.joined = f.next = -1;
	calls_hold(&all_of(d)->calls, f.site);
	all_of(d)->used[w] |= 1ull << place;
	*frag_of(d, g) = f;
	d->group[g] = (struct group){.warp = (uint16_t)w, .age = age, .wait = GROUP_NONE};
	return g;
}

void frag_start(struct div *d, unsigned w, unsigned place, lanemask lanes, uint32_t pc,
		uint64_t age)
{
	struct frag f = {.pc = pc, .site = (int32_t)w, .lanes = lanes, .state = READY};
	assert(all_of(d)->used[w] || calls_left(&all_of(d)->calls, f.site));
	show_new(d, add_fragment(d, w, place, f, age));
}

/* ---- parting ---- */

/* Makes some of fragment g's lanes a fragment of their own, not yet visible to the SM. */
static int split_fragment(struct div *d, int g, lanemask lanes, uint32_t pc, int32_t site)
{
	unsigned w = d->group[g].warp;
	unsigned place = (unsigned)__builtin_ctzll(~all_of(d)->used[w]);
	struct frag n = {.pc = pc, .site = site, .lanes = lanes, .state = READY, .unborn = true};
	frag_of(d, g)->lanes &= ~lanes;
	return add_fragment(d, w, place, n, d->group[g].age);
}

/* Moves lanes of fragment g to a place of their own. If they are g's last lanes, g itself moves. */
static struct frag *part_lanes(struct div *d, int g, lanemask lanes, uint32_t pc, int32_t site)
{
	struct frag *f = frag_of(d, g), *n = f;
	struct calls *c = &all_of(d)->calls;
	if (lanes != f->lanes) {
		int h = split_fragment(d, g, lanes, pc, site);
		n = frag_of(d, h);
		n->next = f->born;
		f->born = h;
	} else {
		calls_hold(c, site);
		calls_drop(c, f->site);
		n->site = site;
		n->pc = pc;
	}
	return n;
}

void frag_step(struct div *d, int g, uint32_t next)
{
	frag_of(d, g)->pc = next;
	d->group[g].pc = next;
	sm_group_changed(d->sm, g);
}

void frag_branch(struct div *d, int g, const struct uop *u, lanemask taken)
{
	struct frag *f = frag_of(d, g);
	part_lanes(d, g, taken, u->target, f->site);
	f->pc++;
	show_fragment(d, g);
}

void frag_ibranch(struct div *d, int g, const struct uop *u, lanemask who, const uint32_t *target)
{
	(void)u;
	struct frag *f = frag_of(d, g);
	f->pc++;
	while (who) {
		uint32_t to = target[__builtin_ctzll(who)];
		lanemask lanes = 0;
		for (lanemask q = who; q; q &= q - 1)
			if (target[__builtin_ctzll(q)] == to)
				lanes |= q & -q;
		part_lanes(d, g, lanes, to, f->site);
		who &= ~lanes;
	}
	show_fragment(d, g);
}

void frag_call(struct div *d, int g, lanemask lanes, uint32_t pc, const struct frame *f,
	       uint32_t back)
{
	struct frag *caller = frag_of(d, g);
	int32_t site = calls_enter(&all_of(d)->calls, caller->site, back, f);
	caller->pc = back;
	part_lanes(d, g, lanes, pc, site);
	calls_drop(&all_of(d)->calls, site);
	show_fragment(d, g);
}

lanemask frag_caller(struct div *d, int g, lanemask lanes, struct frame *f, uint32_t *ret)
{
	const struct calls *c = &all_of(d)->calls;
	const struct site *s = calls_at(c, frag_of(d, g)->site);
	*f = calls_at(c, s->parent)->frame;
	*ret = s->ret;
	return lanes;
}

void frag_ret(struct div *d, int g, lanemask lanes)
{
	struct frag *f = frag_of(d, g);
	const struct site *s = calls_at(&all_of(d)->calls, f->site);
	uint32_t back = s->ret;
	f->pc++; /* the lanes whose guard is false go on */
	part_lanes(d, g, lanes, back, s->parent);
	show_fragment(d, g);
}

/* ---- warp-level operations ---- */

/* Joins to g the fragments, from g on, that wait at one place and need each other, if no lane is
 * missing; g then executes for all. */
static bool gather_meeting(struct div *d, int g)
{
	struct frag *f = frag_of(d, g);
	unsigned w = d->group[g].warp;
	lanemask live = d->sm->warp[w].live, have = f->lanes, need = f->need & live, last = 0, left;
	while ((need & ~have) && last != have) {
		last = have;
		left = all_of(d)->used[w];
		for (int h; (h = next_frag(d, w, &left)) >= 0;) {
			const struct frag *x = frag_of(d, h);
			if (x->state == SYNC && x->pc == f->pc && x->site == f->site &&
			    (x->lanes & need & ~have)) {
				have |= x->lanes;
				need |= x->need & live;
			}
		}
	}
	if (need & ~have)
		return false;
	left = all_of(d)->used[w];
	for (int h; (h = next_frag(d, w, &left)) >= 0;) {
		struct frag *x = frag_of(d, h);
		if (h == g || x->state != SYNC || x->pc != f->pc || x->site != f->site ||
		    !(x->lanes & have))
			continue;
		x->state = JOINED;
		x->next = f->joined;
		f->joined = h;
		show_fragment(d, h);
	}
	f->state = READY;
	show_fragment(d, g);
	for (int h = f->joined; h >= 0; h = frag_of(d, h)->next)
		d->group[g].active |= frag_of(d, h)->lanes;
	sm_group_changed(d->sm, g);
	return true;
}

bool frag_meet(struct div *d, int g, lanemask lanes, const lanemask *need)
{
	struct frag *f = frag_of(d, g);
	lanemask all = 0;
	for (lanemask q = lanes; q; q &= q - 1)
		all |= need[__builtin_ctzll(q)];
	if (!(all & ~lanes))
		return true;
	if (f->lanes & ~lanes) /* lanes whose guard is false do not wait */
		show_new(d, split_fragment(d, g, f->lanes & ~lanes, f->pc, f->site));
	f->state = SYNC;
	f->need = all;
	if (!gather_meeting(d, g))
		show_fragment(d, g);
	return false; /* the operation is examined again, with all fragments that joined */
}

/* ---- ends and barriers ---- */

void frag_exit(struct div *d, int g, lanemask done)
{
	struct frag *f = frag_of(d, g);
	unsigned w = d->group[g].warp;
	f->lanes &= ~done;
	f->pc++;
	show_fragment(d, g);
	lanemask left = all_of(d)->used[w];
	for (int h; (h = next_frag(d, w, &left)) >= 0;) /* fragments may have waited for the lanes
	                                                 * that ended */
		if (frag_of(d, h)->state == SYNC)
			gather_meeting(d, h);
}

void frag_wait(struct div *d, int g, lanemask lanes, unsigned bar)
{
	struct frag *f = frag_of(d, g);
	uint32_t pc = f->pc++;
	struct frag *n = part_lanes(d, g, lanes, pc, f->site);
	n->state = BARRIER;
	n->bar = (uint8_t)bar;
	show_fragment(d, g);
}

void frag_wake(struct div *d, unsigned w, unsigned bar, div_wake_fn *fn)
{
	lanemask left = all_of(d)->used[w];
	for (int g; (g = next_frag(d, w, &left)) >= 0;) {
		struct frag *f = frag_of(d, g);
		if (f->state != BARRIER || f->bar != bar)
			continue;
		fn(d->sm, w, f->pc, f->lanes, &calls_at(&all_of(d)->calls, f->site)->frame);
		f->state = READY;
		f->pc++;
		show_fragment(d, g);
	}
}

lanemask frag_waiting(const struct div *d, unsigned w, unsigned bar)
{
	lanemask m = 0, left = all_of(d)->used[w];
	for (int g; (g = next_frag(d, w, &left)) >= 0;) {
		const struct frag *f = frag_of(d, g);
		if (f->state == BARRIER && (f->bar == bar || bar == NBARRIERS))
			m |= f->lanes;
	}
	return m;
}

uint32_t frag_where(const struct div *d, unsigned w, unsigned lane)
{
	lanemask left = all_of(d)->used[w];
	for (int g; (g = next_frag(d, w, &left)) >= 0;)
		if (frag_of(d, g)->lanes >> lane & 1)
			return frag_of(d, g)->pc;
	return 0;
}

void frag_yield(struct div *d, int g) { sm_group_yields(d->sm, g, true); }

/* ---- commit ---- */

void frag_commit(struct div *d, int g)
{
	struct frag *f = frag_of(d, g);
	for (int h = f->born, next; h >= 0; h = next) {
		next = frag_of(d, h)->next;
		show_new(d, h);
	}
	for (int h = f->joined, next; h >= 0; h = next) {
		struct frag *x = frag_of(d, h);
		next = x->next;
		x->pc = f->pc;
		x->state = READY;
		show_new(d, h);
	}
	f->born = f->joined = -1;
	if (!f->lanes) {
		all_of(d)->used[d->group[g].warp] &= ~(1ull << place_of(d, g));
		calls_drop(&all_of(d)->calls, f->site);
		f->state = FREE;
		d->group[g].warp = GROUP_MIXED;
	}
	show_fragment(d, g);
}

bool frag_check(const struct div *d, struct diag *why)
{
	for (unsigned w = 0; w < d->nwarps; w++) {
		lanemask lanes = 0, left = all_of(d)->used[w];
		bool twice = false;
		for (int g; (g = next_frag(d, w, &left)) >= 0;) {
			twice |= (lanes & frag_of(d, g)->lanes) != 0;
			lanes |= frag_of(d, g)->lanes;
		}
		if (d->sm->warp[w].b && (twice || lanes != d->sm->warp[w].live)) {
			diag_error(why, "warp %u: its fragments' lanes are not those that live", w);
			return false;
		}
	}
	return true;
}
