/* Threads that regroup: records where each thread goes on, and splits groups at commit. */
#include "sm/diverge/regroup.h"
#include "sm/lanes/squeeze.h"

/* ---- options of dwf and en-dwf ---- */

#define CONFLICTS(X) X(KEEP_WARPS, "warp") X(KEEP_THREADS, "threads")
enum { CONFLICTS(CHOICE_ENUM) };
struct regroup_values {
	uint32_t on_conflict;
};
static const struct option rows[] = {
	OPTION_CHOICE(struct regroup_values, on_conflict, "dwf.on_conflict", "warp", CONFLICTS,
		      "dwf, en-dwf: two threads at one position keep their whole "
		      "groups apart (warp), or only those two threads (threads)"),
};

static const char *refuses(const struct machine *m, char *buf, size_t n)
{
	char how[16];
	if (div_pools(m->diverge) || !machine_is_set(m, "dwf.on_conflict"))
		return NULL;
	snprintf(buf, n, "dwf.on_conflict = %s: sm.divergence = %s merges no warps in a pool",
		 machine_text(m, "dwf.on_conflict", how, sizeof how), policy_name(m->diverge));
	return buf;
}

const struct option_table regroup_options = {OPTION_TABLE(rows, struct regroup_values),
					     .refuses = refuses};

void regroup_describe(const struct machine *m, struct facts *f)
{
	(void)m;
	f->regroups = true;
}

/* ---- set-up ---- */

void regroup_init(struct div *d, void (*place)(struct div *d, int g))
{
	const struct machine *m = d->sm->m;
	struct regroup *r = xcalloc(1, sizeof *r);
	*r = (struct regroup){
		.size = m->warp_size, .width = m->simd_width, .place = place, .stats = d->stats};
	r->thread = xcalloc((size_t)d->nwarps * r->size, sizeof *r->thread);
	r->member = xcalloc(d->ngroups, sizeof *r->member);
	r->home = xcalloc((size_t)d->ngroups * r->size, sizeof *r->home);
	r->lane = xcalloc((size_t)d->ngroups * r->size, sizeof *r->lane);
	r->free = xcalloc((d->ngroups + 63) / 64, sizeof *r->free);
	r->at_bar = xcalloc(d->nwarps, sizeof *r->at_bar);
	r->meeting = xcalloc(d->nwarps, sizeof *r->meeting);
	for (unsigned g = 0; g < d->ngroups; g++) {
		r->free[g / 64] |= 1ull << g % 64;
		d->group[g].warp = GROUP_MIXED;
	}
	for (unsigned w = 0; w < d->nwarps; w++)
		r->meeting[w] = -1;
	for (unsigned i = 0; i < REGROUP_BUCKETS; i++)
		r->bucket[i] = -1;
	r->squeezes = d->sm->lanes.squeeze_first;
	const struct regroup_values *o = machine_own(m, &regroup_options);
	r->divides = o->on_conflict == KEEP_THREADS;
	d->state = r;
}

void regroup_fini(struct div *d)
{
	struct regroup *r = regroup_of(d);
	for (size_t i = 0; i < (size_t)d->nwarps * r->size; i++)
		free(r->thread[i].call);
	free(r->thread);
	free(r->member);
	free(r->home);
	free(r->lane);
	free(r->free);
	free(r->at_bar);
	free(r->meeting);
	free(r);
}

static struct thread *thread_at(const struct regroup *r, struct home h)
{
	return &r->thread[(size_t)h.warp * r->size + h.lane];
}

struct thread *regroup_thread(const struct div *d, int g, unsigned p)
{
	return thread_at(regroup_of(d), group_thread(&d->group[g], p));
}

/* ---- placing ---- */

/* Squeezes a group before it is merged, where sm.lanes does that; it stays squeezed until it has
 * issued. */
static void squeeze_first(struct div *d, int g)
{
	struct regroup *r = regroup_of(d);
	uint8_t from[MAX_LANES], to[MAX_LANES];
	lanemask was = d->group[g].active, now = machine_squeeze(d->sm->m, was, from);
	if (now == was)
		return;
	for (lanemask q = now; q; q &= q - 1) {
		unsigned p = (unsigned)__builtin_ctzll(q);
		to[from[p]] = (uint8_t)p;
	}
	STAT(r->stats, squeezed_threads) += (unsigned)__builtin_popcountll(now & ~was);
	regroup_arrange(d, g, to);
}

static bool is_reconvergence(const struct div *d, int g)
{
	const struct group *gr = &d->group[g];
	return sm_home(d->sm, gr)->b->k->l->img->code[gr->pc].flags & UOP_RECONV;
}

static void place(struct div *d, int g)
{
	struct regroup *r = regroup_of(d);
	regroup_settle(d, g);
	d->group[g].passed += is_reconvergence(d, g);
	if (r->squeezes)
		squeeze_first(d, g);
	r->place(d, g);
}

void regroup_start(struct div *d, unsigned warp, lanemask live, uint32_t pc, uint64_t age)
{
	struct regroup *r = regroup_of(d);
	int g = regroup_new(d, pc, &(struct frame){0}, d->sm->now ? d->sm->now - 1 : 0, warp);
	(void)age;
	for (unsigned lane = 0; lane < r->size; lane++)
		r->thread[(size_t)warp * r->size + lane].ncalls = 0;
	r->at_bar[warp] = 0;
	d->group[g].warp = (uint16_t)warp;
	d->group[g].active = live;
	place(d, g);
}

/* ---- at issue: next pc of each thread ---- */

void regroup_step(struct div *d, int g, uint32_t next)
{
	regroup_unpool(d, g);
	d->group[g].pc = next;
	sm_group_changed(d->sm, g);
}

/* Gives each thread of the group its own pc, initially that of the next instruction. */
static void spread_threads(struct div *d, int g)
{
	struct regroup *r = regroup_of(d);
	const struct group *gr = &d->group[g];
	if (r->member[g].split)
		return;
	regroup_unpool(d, g);
	r->member[g].split = true;
	for (lanemask q = gr->active; q; q &= q - 1) {
		struct thread *t = regroup_thread(d, g, (unsigned)__builtin_ctzll(q));
		t->pc = gr->pc + 1;
		t->frame = gr->frame;
		t->wait = GROUP_RUNS;
	}
	sm_group_changed(d->sm, g);
}

#define EACH_THREAD(t, d, g, lanes)                                                                \
	for (lanemask q_ = (lanes); q_; q_ &= q_ - 1)                                              \
		for (struct thread *t = regroup_thread(d, g, (unsigned)__builtin_ctzll(q_)); t;    \
		     t = NULL)

void regroup_branch(struct div *d, int g, const struct uop *u, lanemask taken)
{
	spread_threads(d, g);
	EACH_THREAD (t, d, g, taken)
		t->pc = u->target;
}

void regroup_ibranch(struct div *d, int g, const struct uop *u, lanemask who,
		     const uint32_t *target)
{
	(void)u;
	spread_threads(d, g);
	for (lanemask q = who; q; q &= q - 1) {
		unsigned p = (unsigned)__builtin_ctzll(q);
		regroup_thread(d, g, p)->pc = target[p];
	}
}

void regroup_call(struct div *d, int g, lanemask lanes, uint32_t pc, const struct frame *f,
		  uint32_t ret)
{
	spread_threads(d, g);
	EACH_THREAD (t, d, g, lanes) {
		if (t->ncalls == t->cap) {
			t->cap = t->cap ? t->cap * 2 : 4;
			t->call = xrealloc(t->call, t->cap * sizeof *t->call);
		}
		t->call[t->ncalls++] = (struct call_site){d->group[g].frame, ret};
		t->frame = *f;
		t->pc = pc;
	}
}

lanemask regroup_caller(struct div *d, int g, lanemask lanes, struct frame *f, uint32_t *ret)
{
	const struct thread *first = regroup_thread(d, g, (unsigned)__builtin_ctzll(lanes));
	const struct call_site *to = &first->call[first->ncalls - 1];
	lanemask same = 0;
	for (lanemask q = lanes; q; q &= q - 1) {
		const struct thread *t = regroup_thread(d, g, (unsigned)__builtin_ctzll(q));
		const struct call_site *c = &t->call[t->ncalls - 1];
		if (c->pc == to->pc && frame_same(&c->frame, &to->frame))
			same |= q & -q;
	}
	*f = to->frame;
	*ret = to->pc;
	return same;
}

void regroup_ret(struct div *d, int g, lanemask lanes)
{
	spread_threads(d, g);
	EACH_THREAD (t, d, g, lanes) {
		const struct call_site *c = &t->call[--t->ncalls];
		t->frame = c->frame;
		t->pc = c->pc;
	}
}

void regroup_exit(struct div *d, int g, lanemask done)
{
	struct group *gr = &d->group[g];
	spread_threads(d, g);
	lanemask left = gr->active & ~done;
	for (lanemask q = done; q; q &= q - 1)
		regroup_exited(d, group_thread(gr, (unsigned)__builtin_ctzll(q)).warp);
	gr->active = left;
	if (!left)
		gr->wait = GROUP_NONE;
	sm_group_changed(d->sm, g);
}

/* ---- barriers ---- */

void regroup_wait(struct div *d, int g, lanemask lanes, unsigned bar)
{
	struct regroup *r = regroup_of(d);
	spread_threads(d, g);
	for (lanemask q = lanes; q; q &= q - 1) {
		struct home h = group_thread(&d->group[g], (unsigned)__builtin_ctzll(q));
		struct thread *t = thread_at(r, h);
		t->pc = d->group[g].pc;
		t->wait = GROUP_BARRIER;
		t->bar = (uint8_t)bar;
		t->group = UINT16_MAX; /* the thread's group is still in the pipeline */
		r->at_bar[h.warp] |= 1ull << h.lane;
	}
}

static bool same_place(const struct thread *a, const struct thread *b)
{
	return a->pc == b->pc && a->wait == b->wait && frame_same(&a->frame, &b->frame);
}

/* Releases a thread; the last thread of a waiting group releases the group. */
static void let_go(struct div *d, struct thread *t)
{
	struct regroup *r = regroup_of(d);
	t->wait = GROUP_RUNS;
	t->pc++;
	if (t->group == UINT16_MAX || --r->member[t->group].waits)
		return;
	d->group[t->group].wait = GROUP_RUNS;
	d->group[t->group].pc++;
	place(d, t->group);
}

void regroup_wake(struct div *d, unsigned warp, unsigned bar, div_wake_fn *fn)
{
	struct regroup *r = regroup_of(d);
	struct thread *of = &r->thread[(size_t)warp * r->size];
	lanemask go = regroup_waiting(d, warp, bar);
	r->at_bar[warp] &= ~go;
	while (go) {
		const struct thread first = of[__builtin_ctzll(go)];
		lanemask same = 0;
		for (lanemask q = go; q; q &= q - 1)
			if (same_place(&first, &of[__builtin_ctzll(q)]))
				same |= q & -q;
		fn(d->sm, warp, first.pc, same, &first.frame);
		for (lanemask q = same; q; q &= q - 1)
			let_go(d, &of[__builtin_ctzll(q)]);
		go &= ~same;
	}
}

lanemask regroup_waiting(const struct div *d, unsigned warp, unsigned bar)
{
	const struct regroup *r = regroup_of(d);
	lanemask m = r->at_bar[warp];
	for (lanemask q = bar == NBARRIERS ? 0 : m; q; q &= q - 1)
		if (r->thread[(size_t)warp * r->size + (unsigned)__builtin_ctzll(q)].bar != bar)
			m &= ~(q & -q);
	return m;
}

uint32_t regroup_where(const struct div *d, unsigned warp, unsigned lane)
{
	return thread_at(regroup_of(d), (struct home){(uint16_t)warp, (uint8_t)lane})->pc;
}

/* ---- commit ---- */

void regroup_yield(struct div *d, int g) { regroup_of(d)->member[g].yields = true; }

/* The threads of the group that continue at the pc and in the frame of the first thread of
 * `rest`. */
static lanemask same_way(const struct div *d, int g, lanemask rest)
{
	const struct group *gr = &d->group[g];
	unsigned p0 = (unsigned)__builtin_ctzll(rest);
	const struct thread *first = regroup_thread(d, g, p0);
	const struct block *b = d->sm->warp[group_thread(gr, p0).warp].b;
	lanemask same = 0;
	for (lanemask q = rest; q; q &= q - 1) {
		unsigned p = (unsigned)__builtin_ctzll(q);
		const struct thread *t = regroup_thread(d, g, p);
		if (!same_place(first, t))
			continue;
		if (t->wait == GROUP_BARRIER &&
		    (t->bar != first->bar || d->sm->warp[group_thread(gr, p).warp].b != b))
			continue;
		same |= q & -q;
	}
	return same;
}

/* Records in each waiting thread the group in which it waits, for let_go(). */
static void wait_here(struct div *d, int g)
{
	struct regroup *r = regroup_of(d);
	r->member[g].waits = (unsigned)__builtin_popcountll(d->group[g].active);
	EACH_THREAD (t, d, g, d->group[g].active)
		t->group = (uint16_t)g;
	sm_group_changed(d->sm, g);
}

static void go_on(struct div *d, int g)
{
	if (d->group[g].wait == GROUP_BARRIER)
		wait_here(d, g);
	else
		place(d, g);
}

/* Moves g's threads at positions `who` to a new group. */
static int split_off(struct div *d, int g, lanemask who)
{
	struct regroup *r = regroup_of(d);
	const struct thread *t = regroup_thread(d, g, (unsigned)__builtin_ctzll(who));
	struct home h = group_thread(&d->group[g], (unsigned)__builtin_ctzll(who));
	int n = regroup_new(d, t->pc, &t->frame, d->sm->slot[g].since - 1, h.warp);
	struct group *from = &d->group[g], *to = &d->group[n];
	to->wait = t->wait;
	to->warp = from->warp;
	to->passed = from->passed;
	to->active = who;
	r->member[n].yields = r->member[g].yields;
	from->active &= ~who;
	if (from->warp == GROUP_MIXED) {
		memcpy(r->home + (size_t)n * r->size, from->home, r->size * sizeof *r->home);
		memcpy(r->lane + (size_t)n * r->size, from->lane, r->size * sizeof *r->lane);
	}
	return n;
}

void regroup_commit(struct div *d, int g)
{
	struct regroup *r = regroup_of(d);
	struct group *gr = &d->group[g];
	if (!gr->active) {
		regroup_drop(d, g);
		return;
	}
	r->member[g].met = false;
	STAT(r->stats, commits)++;
	STAT(r->stats, pool_sum) += r->used;
	if (!r->member[g].split) {
		place(d, g);
		return;
	}
	int part[MAX_LANES];
	unsigned n = 0;
	lanemask keep = same_way(d, g, gr->active);
	for (lanemask rest = gr->active & ~keep, same; rest; rest &= ~same) {
		same = same_way(d, g, rest);
		part[n++] = split_off(d, g, same);
	}
	const struct thread *t = regroup_thread(d, g, (unsigned)__builtin_ctzll(keep));
	STAT(r->stats, parted) += n != 0;
	r->member[g].split = false;
	gr->pc = t->pc;
	gr->frame = t->frame;
	gr->wait = t->wait;
	go_on(d, g);
	for (unsigned i = 0; i < n; i++)
		go_on(d, part[i]);
}

/* ---- invariants ---- */

bool regroup_check(const struct div *d, struct diag *why)
{
	const struct sm *sm = d->sm;
	lanemask *seen = xcalloc(d->nwarps, sizeof *seen);
	bool ok = true;
	for (unsigned g = 0; ok && g < d->ngroups; g++)
		for (lanemask q = d->group[g].active; ok && q; q &= q - 1) {
			struct home h = group_thread(&d->group[g], (unsigned)__builtin_ctzll(q));
			ok = h.warp < d->nwarps && sm->warp[h.warp].b &&
			     !(seen[h.warp] >> h.lane & 1);
			if (ok)
				seen[h.warp] |= 1ull << h.lane;
			else
				diag_error(why,
					   "group %u: a thread of warp %u, lane %u is in two "
					   "groups or of no block",
					   g, h.warp, h.lane);
		}
	for (unsigned w = 0; ok && w < d->nwarps; w++)
		if (sm->warp[w].b && seen[w] != sm->warp[w].live) {
			diag_error(why,
				   "warp %u: not all of its threads are in groups, or some that "
				   "have ended",
				   w);
			ok = false;
		}
	free(seen);
	return ok;
}
