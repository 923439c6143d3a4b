/* Reconvergence at thread frontiers: a list of paths per warp, sorted by priority.
 *
 * Basic blocks have priorities, an order in which a block comes before its successors
 * (pass/priority.h). An entry is a set of lanes of a warp at one pc in one call; the entries are
 * sorted by the priority of their pc, and the first that can run is the warp's group. Waiting lanes
 * are therefore always in blocks after the running one (its frontier), and lanes that arrive at
 * their pc join them there, whether it is a post-dominator or not. The sorted list is the paper's
 * "TF-stack"; as in the paper, sorting takes no cycles.
 *
 * Inside a function an entry has the priority of its call, then its own: a call counts as part of
 * the block that makes it, whatever function is called, and lanes join in it if they came by the
 * same calls. An entry that waits at a barrier or for lanes of a .sync operation lets the entries
 * after it run. An entry that polls in vain is passed over until each other entry has polled in
 * vain, waits or has joined it: lanes may wait for lanes that come later in the order. */
#include <assert.h>
#include "sm/diverge/calls.h"
#include "sm/sm.h"

enum { READY, BARRIER, SYNC, FORCED };

struct frontier {
	uint32_t pc, rank; /* rank: position of pc in the order of priorities */
	int32_t site;      /* chain of calls under way; the warp's own number: none */
	uint8_t state, bar;
	bool polls; /* polls in vain: other entries go first */
	lanemask mask;
	uint32_t anywhere;
	lanemask at,
		need; /* SYNC: lanes at the operation; lanes that they meet wherever these are; need 0: only here */
};

struct list {
	struct frontier *e; /* sorted entries, room for one per lane and one more */
	uint32_t n, run;    /* run: index of the entry that is the warp's group */
};

struct state {
	struct list *list;  /* per warp */
	struct calls calls; /* one root per warp */
};

static struct state *state_of(const struct div *d) { return d->state; }
static struct list *list_of(const struct div *d, unsigned w) { return &state_of(d)->list[w]; }
static struct frontier *run_of(const struct div *d, int g)
{
	struct list *l = list_of(d, (unsigned)g);
	return &l->e[l->run];
}
static const uint32_t *order_of(const struct div *d, unsigned w)
{
	return d->sm->warp[w].b->k->order;
}

/* ---- the order of entries ---- */

/* A position seen from an outer call: the rank there, and whether the position is inside a call. */
struct point {
	int32_t site;
	uint32_t rank, depth;
	bool inside;
};

static struct point point_of(const struct state *st, const struct frontier *e)
{
	return (struct point){e->site, e->rank, calls_at(&st->calls, e->site)->frame.depth, false};
}

static void point_up(const struct state *st, const uint32_t *order, struct point *p)
{
	const struct site *s = calls_at(&st->calls, p->site);
	*p = (struct point){s->parent, order[s->ret - 1], p->depth - 1, true};
}

/* Compares entries, as for qsort. At a call, an entry that has not made the call yet comes before
 * an entry inside the callee. */
static int compare_entries(const struct state *st, const uint32_t *order, const struct frontier *a,
			   const struct frontier *b)
{
	if (a->site == b->site)
		return (a->rank > b->rank) - (a->rank < b->rank);
	struct point x = point_of(st, a), y = point_of(st, b);
	while (x.depth > y.depth)
		point_up(st, order, &x);
	while (y.depth > x.depth)
		point_up(st, order, &y);
	while (x.site != y.site) {
		point_up(st, order, &x);
		point_up(st, order, &y);
	}
	return x.rank != y.rank ? (x.rank > y.rank ? 1 : -1) : x.inside - y.inside;
}

static bool can_run(const struct frontier *e) { return e->state == READY || e->state == FORCED; }

static bool may_join(const struct frontier *a, const struct frontier *b)
{
	if (a->pc != b->pc || a->site != b->site)
		return false;
	/* lanes whose meeting is complete do not wait again with others */
	if ((a->state == FORCED) != (b->state == FORCED))
		return false;
	return (a->state == BARRIER) == (b->state == BARRIER) &&
	       (a->state != BARRIER || a->bar == b->bar);
}

/* Joins the lanes of one place to one entry. Lanes that wait at a .sync operation examine it
 * again. */
static void join_entry(struct state *st, struct frontier *to, const struct frontier *x)
{
	to->mask |= x->mask;
	if (to->state != x->state)
		to->state = READY;
	to->polls &= x->polls;
	calls_drop(&st->calls, x->site);
}

static void insert_entry(const struct div *d, unsigned w, struct frontier x)
{
	struct state *st = state_of(d);
	struct list *l = list_of(d, w);
	const uint32_t *order = order_of(d, w);
	uint32_t at = l->n;
	int c = 1;
	for (; at && (c = compare_entries(st, order, &l->e[at - 1], &x)) >= 0; at--)
		if (c == 0 && may_join(&l->e[at - 1], &x)) {
			join_entry(st, &l->e[at - 1], &x);
			return;
		}
	memmove(&l->e[at + 1], &l->e[at], (l->n - at) * sizeof *l->e);
	l->e[at] = x;
	l->n++;
}

static struct frontier take_entry(struct list *l, uint32_t i)
{
	struct frontier x = l->e[i];
	memmove(&l->e[i], &l->e[i + 1], (--l->n - i) * sizeof *l->e);
	return x;
}

/* Puts lanes of x, whose entry is not in the list, at pc; the lanes stay in the call that x is
 * in. */
static void put_lanes(const struct div *d, unsigned w, const struct frontier *x, lanemask lanes,
		      uint32_t pc)
{
	struct frontier y = *x;
	if (!lanes)
		return;
	calls_hold(&state_of(d)->calls, x->site);
	y.mask = lanes;
	y.pc = pc;
	y.rank = order_of(d, w)[pc];
	insert_entry(d, w, y);
}

/* ---- the group ---- */

static bool pick_entry(struct list *l)
{
	for (unsigned round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < l->n; i++)
			if (can_run(&l->e[i]) && !l->e[i].polls) {
				l->run = i;
				return true;
			}
		for (uint32_t i = 0; i < l->n; i++) /* all entries poll: start over with the
		                                     * first */
			l->e[i].polls = false;
	}
	return false;
}

/* Lets lanes at a .sync operation continue without partners that cannot arrive. */
static bool force_sync(struct list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->e[i].state == SYNC) {
			l->e[i].state = FORCED;
			l->run = i;
			return true;
		}
	l->run = 0;
	return false;
}

static void expose_entry(struct div *d, unsigned w)
{
	struct list *l = list_of(d, w);
	struct group *g = &d->group[w];
	bool runs = pick_entry(l) || force_sync(l);
	if (!l->n) {
		g->active = 0;
		g->wait = GROUP_NONE;
	} else {
		const struct frontier *e = &l->e[l->run];
		g->pc = e->pc;
		g->active = e->mask;
		g->frame = calls_at(&state_of(d)->calls, e->site)->frame;
		g->wait = runs ? GROUP_RUNS : GROUP_BARRIER;
	}
	sm_group_changed(d->sm, (int)w);
}

static void init(struct div *d)
{
	struct state *st = d->state = xcalloc(1, sizeof *st);
	st->list = xcalloc(d->nwarps, sizeof *st->list);
	calls_init(&st->calls, d->nwarps);
	for (unsigned w = 0; w < d->nwarps; w++)
		st->list[w].e = xmalloc((d->sm->m->warp_size + 1) * sizeof(struct frontier));
}

static void fini(struct div *d)
{
	for (unsigned w = 0; w < d->nwarps; w++)
		free(list_of(d, w)->e);
	free(state_of(d)->list);
	calls_fini(&state_of(d)->calls);
	free(d->state);
}

static void start(struct div *d, unsigned w, lanemask live, uint32_t pc, uint64_t age)
{
	struct list *l = list_of(d, w);
	l->e[0] = (struct frontier){
		.pc = pc, .rank = order_of(d, w)[pc], .site = (int32_t)w, .mask = live};
	l->n = 1;
	assert(calls_left(&state_of(d)->calls, (int32_t)w));
	calls_hold(&state_of(d)->calls, (int32_t)w);
	d->group[w] = (struct group){.warp = (uint16_t)w, .age = age};
	expose_entry(d, w);
}

static void step(struct div *d, int g, uint32_t next)
{
	struct list *l = list_of(d, (unsigned)g);
	struct frontier *e = &l->e[l->run];
	e->pc = next;
	e->rank = order_of(d, (unsigned)g)[next];
	if (l->n > 1) {
		insert_entry(d, (unsigned)g, take_entry(l, l->run));
		expose_entry(d, (unsigned)g);
		return;
	}
	d->group[g].pc = next; /* the common case: nothing else changes */
	sm_group_changed(d->sm, g);
}

static void branch(struct div *d, int g, const struct uop *u, lanemask taken)
{
	struct list *l = list_of(d, (unsigned)g);
	struct frontier x = take_entry(l, l->run);
	put_lanes(d, (unsigned)g, &x, taken, u->target);
	put_lanes(d, (unsigned)g, &x, x.mask & ~taken, x.pc + 1);
	calls_drop(&state_of(d)->calls, x.site);
	expose_entry(d, (unsigned)g);
}

static void ibranch(struct div *d, int g, const struct uop *u, lanemask who, const uint32_t *target)
{
	(void)u;
	struct list *l = list_of(d, (unsigned)g);
	struct frontier x = take_entry(l, l->run);
	put_lanes(d, (unsigned)g, &x, x.mask & ~who, x.pc + 1);
	for (; who; who &= who - 1)
		put_lanes(d, (unsigned)g, &x, who & -who, target[__builtin_ctzll(who)]);
	calls_drop(&state_of(d)->calls, x.site);
	expose_entry(d, (unsigned)g);
}

/* The lanes may already have been moved after the call, when other lanes of their group entered a
 * function. */
static void call(struct div *d, int g, lanemask lanes, uint32_t pc, const struct frame *f,
		 uint32_t back)
{
	struct list *l = list_of(d, (unsigned)g);
	uint32_t i = 0;
	while (!(l->e[i].mask & lanes))
		i++;
	struct frontier x = take_entry(l, i), in = x;
	in.site = calls_enter(&state_of(d)->calls, x.site, back, f);
	put_lanes(d, (unsigned)g, &in, lanes, pc);
	put_lanes(d, (unsigned)g, &x, x.mask & ~lanes, back);
	calls_drop(&state_of(d)->calls, in.site);
	calls_drop(&state_of(d)->calls, x.site);
	expose_entry(d, (unsigned)g);
}

static lanemask caller(struct div *d, int g, lanemask lanes, struct frame *f, uint32_t *ret)
{
	const struct site *s = calls_at(&state_of(d)->calls, run_of(d, g)->site);
	*f = calls_at(&state_of(d)->calls, s->parent)->frame;
	*ret = s->ret;
	return lanes;
}

static void ret(struct div *d, int g, lanemask lanes)
{
	struct list *l = list_of(d, (unsigned)g);
	struct frontier x = take_entry(l, l->run), out = x;
	const struct site *s = calls_at(&state_of(d)->calls, x.site);
	out.site = s->parent;
	put_lanes(d, (unsigned)g, &out, lanes, s->ret);
	put_lanes(d, (unsigned)g, &x, x.mask & ~lanes,
		  x.pc + 1); /* lanes whose guard is false continue */
	calls_drop(&state_of(d)->calls, x.site);
	expose_entry(d, (unsigned)g);
}

/* Removes lanes that ended. Lanes that wait for others at a .sync operation examine it again. */
static void leave(struct div *d, int g, lanemask done)
{
	struct list *l = list_of(d, (unsigned)g);
	struct frontier x = take_entry(l, l->run);
	for (uint32_t i = 0; i < l->n; i++)
		if (l->e[i].state == SYNC)
			l->e[i].state = READY;
	put_lanes(d, (unsigned)g, &x, x.mask & ~done, x.pc + 1);
	calls_drop(&state_of(d)->calls, x.site);
	expose_entry(d, (unsigned)g);
}

/* ---- waiting ---- */

static void wait(struct div *d, int g, lanemask lanes, unsigned bar)
{
	struct list *l = list_of(d, (unsigned)g);
	struct frontier x = take_entry(l, l->run), here = x;
	here.state = BARRIER;
	here.bar = (uint8_t)bar;
	put_lanes(d, (unsigned)g, &here, lanes, x.pc);
	put_lanes(d, (unsigned)g, &x, x.mask & ~lanes, x.pc + 1);
	calls_drop(&state_of(d)->calls, x.site);
	expose_entry(d, (unsigned)g);
}

static void wake(struct div *d, unsigned w, unsigned bar, div_wake_fn *fn)
{
	struct list *l = list_of(d, w);
	uint32_t n = l->n;
	bool any = false;
	l->n = 0; /* entries are sorted in again in place: never more than were taken out */
	for (uint32_t i = 0; i < n; i++) {
		struct frontier x = l->e[i];
		if (x.state == BARRIER && x.bar == bar) {
			fn(d->sm, w, x.pc, x.mask, &calls_at(&state_of(d)->calls, x.site)->frame);
			x.state = READY;
			x.rank = order_of(d, w)[++x.pc];
			any = true;
		}
		insert_entry(d, w, x);
	}
	if (any)
		expose_entry(d, w);
}

static lanemask waiting(const struct div *d, unsigned w, unsigned bar)
{
	const struct list *l = list_of(d, w);
	lanemask m = 0;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->e[i].state == BARRIER && (l->e[i].bar == bar || bar == NBARRIERS))
			m |= l->e[i].mask;
	return m;
}

static uint32_t where(const struct div *d, unsigned w, unsigned lane)
{
	const struct frontier *e = list_of(d, w)->e;
	while (!(e->mask >> lane & 1))
		e++;
	return e->pc;
}

/* True if the lanes that those of e name have come to operations like e's, and the lanes that these name. Their entries are
 * then forced: no lane is missing. */
static bool meet_elsewhere(struct list *l, const struct frontier *e, lanemask live)
{
	lanemask have = e->at, need = e->need, was;
	do {
		was = have;
		for (uint32_t i = 0; i < l->n; i++) {
			const struct frontier *x = &l->e[i];
			if (x->state == SYNC && x->anywhere == e->anywhere &&
			    (x->at & need & ~have)) {
				have |= x->at;
				need |= x->need;
			}
		}
	} while (have != was);
	if (need & live & ~have)
		return false;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->e[i].state == SYNC && l->e[i].anywhere == e->anywhere && (l->e[i].at & have))
			l->e[i].state = FORCED;
	return true;
}

/* Lanes that arrive where others wait join their entry, so its lanes are all that have arrived at this place. */
static lanemask sync(struct div *d, int g, lanemask lanes, lanemask need, uint32_t anywhere)
{
	struct frontier *e = run_of(d, g);
	bool forced = e->state == FORCED;
	e->state = READY;
	e->at = lanes;
	e->need = anywhere ? need : 0;
	e->anywhere = anywhere;
	if (forced || !(need & ~lanes) ||
	    (anywhere && meet_elsewhere(list_of(d, (unsigned)g), e, d->sm->warp[g].live)))
		return lanes;
	e->state = SYNC;
	expose_entry(d, (unsigned)g);
	return 0;
}

static void yield(struct div *d, int g)
{
	struct frontier *e = run_of(d, g);
	if (!can_run(e))
		return;
	e->polls = true;
	expose_entry(d, (unsigned)g);
	if (run_of(d, g) == e)
		sm_group_yields(d->sm, g, true); /* the poll waits for another warp */
}

/* ---- invariants ---- */

static bool check_warp(const struct div *d, unsigned w, struct diag *why)
{
	const struct list *l = list_of(d, w);
	lanemask all = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct frontier *e = &l->e[i];
		if (!e->mask || (e->mask & all)) {
			diag_error(why, "warp %u: entry %u has no lanes, or another's", w, i);
			return false;
		}
		all |= e->mask;
		int c = i ? compare_entries(state_of(d), order_of(d, w), e - 1, e) : -1;
		if (c > 0 || (c == 0 && may_join(e - 1, e))) {
			diag_error(why, "warp %u: entry %u is not in order", w, i);
			return false;
		}
	}
	if (all != d->sm->warp[w].live) {
		diag_error(why, "warp %u: the entries' lanes are not those that live", w);
		return false;
	}
	return true;
}

static bool check(const struct div *d, struct diag *why)
{
	for (unsigned w = 0; w < d->nwarps; w++)
		if (d->sm->warp[w].b && !check_warp(d, w, why))
			return false;
	return true;
}

const struct div_ops div_thread_frontiers = {
	/* clang-format off */
	.p = {"thread-frontiers",
	      "paths of each warp sorted by priority, the first runs, those at one pc join",
	      "Diamos, Ashbaugh, Maiyuran, Kerr, Wu, Yalamanchili, MICRO 2011"},
	.groups_per_warp = 1,
	.needs_order = true,
	.init = init, .fini = fini, .start = start, .step = step, .branch = branch,
	.ibranch = ibranch, .call = call, .caller = caller, .ret = ret, .exit = leave,
	.wait = wait, .wake = wake, .waiting = waiting, .where = where, .sync = sync,
	.yield = yield, .check = check,
};
/* clang-format on */
