#include "sm/diverge/paths.h"

#include "base/assert.h"

enum { NO_JOIN = -1, POLLS_FOR = 64 };

enum state {
	READY,
	BARRIER,
	SYNC,   /* waits for lanes of its warp that a warp-level operation names */
	JOINED, /* another path executes the operation for this one */
};

struct path {
	uint32_t pc;
	int32_t site, join;
	lanemask lanes;
	lanemask need; /* SYNC: lanes that the path must meet */
	uint8_t state, bar;
	uint8_t polls;     /* instructions until a poll in vain is forgotten */
	uint32_t anywhere; /* SYNC: lanes meet wherever they execute the operation */
	bool met;          /* the lanes of its operation have met: it executes the operation now */
	bool unborn;       /* the instruction that created it has not committed */
	bool issuing;      /* it has come to a barrier by an instruction that has not committed */
	bool held;         /* READY, but others run */
	bool stalled;      /* waits for memory */
	int next, born,
		joined; /* link of lists; paths it created; paths it executes for; -1: none */
};

struct join {
	uint32_t pc, children; /* children: paths and joins below it */
	int32_t site, parent;
	lanemask arrived;
	uint64_t seq; /* number in the order of creation: higher is newer */
};

struct paths {
	struct path *path;          /* per group */
	lanemask *used;             /* per warp: mask of path numbers k in use */
	lanemask *meeting;          /* per warp: mask of the numbers k of paths that wait for
				     * lanes (SYNC) */
	unsigned by_warp, by_place; /* path k of warp w is group w * by_warp + k * by_place */
	VEC(struct join) join;
	int32_t free_join;
	uint64_t seq;
	struct calls calls; /* one root per warp */
	int *running;       /* per warp, with rule.one: the path that runs; -1: none */
	struct paths_rule rule;
	struct paths_stats *stats, not_kept;
};

static const struct stat_def defs[] = {STAT_DEFS(PATHS_STATS)};
static double concurrent(const void *v)
{
	const struct paths_stats *s = v;
	return STAT(s, issues) ? (double)STAT(s, running) / (double)STAT(s, issues) : 0;
}
static const struct stat_derived derived[] = {
	{"concurrent", "paths", "mean number of a warp's paths that can run", concurrent},
};
const struct stat_table paths_stats = STAT_TABLE("paths", defs, derived);

static struct paths *all_of(const struct div *d) { return d->state; }
static struct path *path_of(const struct div *d, int g) { return &all_of(d)->path[g]; }
static struct join *join_at(const struct div *d, int32_t j) { return &all_of(d)->join.v[j]; }
static int group_at(const struct div *d, unsigned w, unsigned place)
{
	return (int)(w * all_of(d)->by_warp + place * all_of(d)->by_place);
}
static unsigned warp_of(const struct div *d, int g)
{
	return all_of(d)->rule.threads ? (unsigned)g / all_of(d)->by_warp : (unsigned)g % d->nwarps;
}
static unsigned place_of(const struct div *d, int g)
{
	return all_of(d)->rule.threads ? (unsigned)g % all_of(d)->by_warp : (unsigned)g / d->nwarps;
}
static bool is_used(const struct div *d, int g)
{
	return all_of(d)->used[warp_of(d, g)] >> place_of(d, g) & 1;
}

/* Removes the lowest path number from *left and returns that path of the warp; -1: *left is
 * empty. */
static int next_path(const struct div *d, unsigned w, lanemask *left)
{
	if (!*left)
		return -1;
	unsigned place = (unsigned)__builtin_ctzll(*left);
	*left &= *left - 1;
	return group_at(d, w, place);
}

/* ---- paths as groups of the SM ---- */

static void show_path(struct div *d, int g)
{
	const struct path *p = path_of(d, g);
	struct group *gr = &d->group[g];
	if (p->unborn || p->state == JOINED || !p->lanes) {
		gr->active = 0;
		gr->wait = GROUP_NONE;
	} else {
		gr->pc = p->pc;
		gr->active = p->lanes;
		for (int h = p->joined; h >= 0; h = path_of(d, h)->next)
			gr->active |= path_of(d, h)->lanes;
		gr->frame = calls_at(&all_of(d)->calls, p->site)->frame;
		gr->wait = p->state == BARRIER             ? GROUP_BARRIER
			   : p->state == READY && !p->held ? GROUP_RUNS
							   : GROUP_SYNC;
	}
	sm_group_changed(d->sm, g);
}

static void show_new(struct div *d, int g)
{
	cycle_t now = d->sm->now;
	path_of(d, g)->unborn = false;
	sm_group_formed(d->sm, g, path_of(d, g)->pc, now ? now - 1 : 0);
}

static bool can_run(const struct path *p) { return p->state == READY && !p->unborn && p->lanes; }

/* The join whose paths run: the newest join with a path that can run; joins whose paths all poll in
 * vain are chosen only if there is no other. */
static int32_t find_top(const struct div *d, unsigned w)
{
	int32_t top = NO_JOIN;
	bool found = false;
	for (unsigned polling = 0; polling < 2 && !found; polling++) {
		lanemask left = all_of(d)->used[w];
		for (int g; (g = next_path(d, w, &left)) >= 0;) {
			const struct path *p = path_of(d, g);
			if (!can_run(p) || (p->polls && !polling))
				continue;
			if (!found ||
			    (p->join != NO_JOIN &&
			     (top == NO_JOIN || join_at(d, p->join)->seq > join_at(d, top)->seq)))
				top = p->join;
			found = true;
		}
	}
	return top;
}

/* The path with most lanes among those that can run; a path that waits for memory or polls in vain
 * is chosen only if there is no other. */
static int find_largest(const struct div *d, unsigned w)
{
	lanemask left = all_of(d)->used[w];
	int best = -1;
	unsigned most = 0;
	for (int g; (g = next_path(d, w, &left)) >= 0;) {
		const struct path *p = path_of(d, g);
		unsigned n = can_run(p)
				     ? lanes_in(p->lanes) + (p->stalled || p->polls ? 0 : MAX_LANES)
				     : 0;
		if (n > most) {
			most = n;
			best = g;
		}
	}
	return best;
}

/* True if enough groups of the path's scheduler wait (rule.when) for another path to run. */
static bool is_worth_a_switch(const struct div *d, int g)
{
	const struct sm *sm = d->sm;
	unsigned n = sm->slot[g].sched, ready = 0, waiting = 0;
	for (unsigned s = GS_DRAIN + 1; s < GS_COUNT; s++)
		*(s >= GS_READY ? &ready : &waiting) += sm->issuer[n].count[s];
	return waiting * 100 >= all_of(d)->rule.when * (ready + waiting);
}

/* rule.one: the running path continues until it ends, waits or polls. A path that waits for memory
 * is not held, so that it can run as soon as its data arrive. */
static void choose_one(struct div *d, unsigned w)
{
	struct paths *s = all_of(d);
	int old = s->running[w];
	bool runs = old >= 0 && can_run(path_of(d, old)) && is_used(d, old);
	bool stalled = runs && path_of(d, old)->stalled;
	int now = old;
	if (!runs || path_of(d, old)->polls || (stalled && is_worth_a_switch(d, old)))
		now = find_largest(d, w);
	if (stalled && path_of(d, now)->stalled) /* all wait */
		now = old;
	if (stalled && now != old) {
		STAT(s->stats, switches)++;
		if (!d->sm->slot[now].locked) /* the instructions of the path that now runs are
					       * fetched again */
			show_new(d, now);
	}
	s->running[w] = now;
	lanemask left = s->used[w];
	for (int g; (g = next_path(d, w, &left)) >= 0;) {
		struct path *p = path_of(d, g);
		bool held = can_run(p) && g != now && !p->stalled;
		if (held == p->held && g != now)
			continue;
		p->held = held;
		show_path(d, g);
		if (s->running[w] !=
		    now) /* the chosen path waits for memory at once, and a nested call has
			  * chosen again */
			return;
	}
}

/* Numbers of at most two of the join's paths that can run. Paths that do not poll in vain come
 * first, because they may produce what the others wait for. */
static lanemask two_of_join(const struct div *d, unsigned w, int32_t join)
{
	lanemask run = 0;
	for (unsigned polling = 0; polling < 2; polling++) {
		lanemask left = all_of(d)->used[w];
		for (int g; (g = next_path(d, w, &left)) >= 0;) {
			const struct path *p = path_of(d, g);
			if (can_run(p) && p->join == join && !p->polls == !polling &&
			    lanes_in(run) < 2)
				run |= 1ull << place_of(d, g);
		}
	}
	return run;
}

/* Decides which paths of the warp run. */
static void choose_paths(struct div *d, unsigned w)
{
	lanemask left = all_of(d)->used[w];
	if (all_of(d)->rule.one)
		choose_one(d, w);
	if (!all_of(d)->rule.two)
		return;
	lanemask run = two_of_join(d, w, find_top(d, w));
	for (int g; (g = next_path(d, w, &left)) >= 0;) {
		struct path *p = path_of(d, g);
		bool held = can_run(p) && !(run >> place_of(d, g) & 1);
		if (held == p->held)
			continue;
		p->held = held;
		show_path(d, g);
	}
}

static unsigned count_running(const struct div *d, unsigned w)
{
	lanemask left = all_of(d)->used[w];
	unsigned n = 0;
	for (int g; (g = next_path(d, w, &left)) >= 0;)
		n += can_run(path_of(d, g)) && !path_of(d, g)->held;
	return n;
}

/* ---- set-up ---- */

void paths_init(struct div *d, const struct paths_rule *rule)
{
	struct paths *s = d->state = xcalloc(1, sizeof *s);
	s->path = xcalloc(d->ngroups, sizeof *s->path);
	s->used = xcalloc(d->nwarps, sizeof *s->used);
	s->meeting = xcalloc(d->nwarps, sizeof *s->meeting);
	s->by_warp = rule->threads ? d->sm->m->warp_size : 1;
	s->by_place = rule->threads ? 1 : d->nwarps;
	s->running = xcalloc(d->nwarps, sizeof *s->running);
	for (unsigned w = 0; w < d->nwarps; w++)
		s->running[w] = -1;
	s->free_join = NO_JOIN;
	s->rule = *rule;
	s->stats = d->stats ? d->stats : &s->not_kept;
	calls_init(&s->calls, d->nwarps);
	for (unsigned g = 0; g < d->ngroups; g++)
		d->group[g].warp = GROUP_MIXED; /* free groups have no warp */
}

void paths_fini(struct div *d)
{
	free(all_of(d)->path);
	free(all_of(d)->used);
	free(all_of(d)->meeting);
	free(all_of(d)->running);
	vec_free(&all_of(d)->join);
	calls_fini(&all_of(d)->calls);
	free(d->state);
}

/* Adds a path to the warp and returns its group. at: number of the group to use, which is free; -1:
 * the first free one. */
static int add_path(struct div *d, unsigned w, int at, struct path p, uint64_t age)
{
	struct paths *s = all_of(d);
	unsigned place = at < 0 ? (unsigned)__builtin_ctzll(~s->used[w]) : place_of(d, at);
	int g = group_at(d, w, place);
	assert_hot(place < d->sm->m->warp_size && !(s->used[w] >> place & 1));
	p.born = p.joined = p.next = -1;
	calls_hold(&s->calls, p.site);
	s->used[w] |= 1ull << place;
	*path_of(d, g) = p;
	d->group[g] = (struct group){.warp = (uint16_t)w, .age = age, .wait = GROUP_NONE};
	return g;
}

static void drop_path(struct div *d, int g)
{
	struct path *p = path_of(d, g);
	unsigned w = warp_of(d, g);
	all_of(d)->used[w] &= ~(1ull << place_of(d, g));
	calls_drop(&all_of(d)->calls, p->site);
	p->lanes = 0;
	p->held = p->stalled = false;
	if (all_of(d)->running[w] == g)
		all_of(d)->running[w] = -1;
	d->group[g].warp = GROUP_MIXED;
	show_path(d, g);
}

static void start_path(struct div *d, unsigned w, unsigned place, lanemask lanes, uint32_t pc,
		       uint64_t age)
{
	int g = add_path(
		d, w, group_at(d, w, place),
		(struct path){.pc = pc, .site = (int32_t)w, .join = NO_JOIN, .lanes = lanes}, age);
	show_new(d, g);
	show_path(d, g);
}

void paths_start(struct div *d, unsigned w, lanemask live, uint32_t pc, uint64_t age)
{
	assert(calls_left(&all_of(d)->calls, (int32_t)w));
	if (!all_of(d)->rule.threads)
		start_path(d, w, 0, live, pc, age);
	else
		for (; live; live &= live - 1)
			start_path(d, w, (unsigned)__builtin_ctzll(live), live & -live, pc, age);
}

/* ---- joins ---- */

/* Makes a join at pc, in the present call, where the path and paths that split off it will merge.
 * No join is made if the path's own join is at pc, or if paths never merge. */
static void push_join(struct div *d, struct path *p, uint32_t pc)
{
	struct paths *s = all_of(d);
	if (s->rule.apart || pc == NO_PC ||
	    (p->join != NO_JOIN && join_at(d, p->join)->pc == pc &&
	     join_at(d, p->join)->site == p->site))
		return;
	int32_t j = s->free_join;
	if (j == NO_JOIN) {
		j = (int32_t)s->join.n;
		vec_push(&s->join, (struct join){0});
	} else {
		s->free_join = join_at(d, j)->parent;
	}
	*join_at(d, j) = (struct join){
		.pc = pc, .site = p->site, .parent = p->join, .children = 1, .seq = ++s->seq};
	calls_hold(&s->calls, p->site);
	p->join = j;
}

static void settle_path(struct div *d, int g);

/* Path g, which was below the join, is gone. If g was the last, the lanes that have arrived at the
 * join become a path, in g's group, whose instruction buffer may already have the path's
 * instructions; a join without lanes is removed. */
static void leave_join(struct div *d, int g, int32_t j)
{
	struct paths *s = all_of(d);
	unsigned w = warp_of(d, g);
	while (j != NO_JOIN && !--join_at(d, j)->children) {
		struct join x = *join_at(d, j);
		join_at(d, j)->parent = s->free_join;
		s->free_join = j;
		if (x.arrived) { /* below its parent the path takes the place of the join */
			add_path(d, w, g,
				 (struct path){.pc = x.pc,
					       .site = x.site,
					       .join = x.parent,
					       .lanes = x.arrived},
				 d->group[g].age);
			calls_drop(&s->calls, x.site);
			settle_path(d, g);
			return;
		}
		calls_drop(&s->calls, x.site);
		j = x.parent;
	}
}

/* The join above the path that has the path's pc and call site; NO_JOIN: none has. */
static int32_t join_reached(const struct div *d, const struct path *p)
{
	int32_t j = p->join;
	while (j != NO_JOIN && (join_at(d, j)->pc != p->pc || join_at(d, j)->site != p->site))
		j = join_at(d, j)->parent;
	return j;
}

/* A path with the join, pc and call site of path g that has no instruction in flight; -1: none. */
static int find_companion(const struct div *d, int g)
{
	const struct path *p = path_of(d, g);
	unsigned w = warp_of(d, g);
	lanemask left = all_of(d)->used[w];
	for (int h; (h = next_path(d, w, &left)) >= 0;) {
		const struct path *x = path_of(d, h);
		if (h != g && can_run(x) && !x->met && !d->sm->slot[h].locked && x->born < 0 &&
		    x->joined < 0 && x->pc == p->pc && x->site == p->site && x->join == p->join)
			return h;
	}
	return -1;
}

/* Called when a path has arrived at its pc, where it may end, reach its join, or merge with another
 * path. */
static void settle_path(struct div *d, int g)
{
	struct path *p = path_of(d, g);
	int32_t below = p->join, j = NO_JOIN;
	int h = -1;
	if (p->lanes && p->state == READY) {
		j = join_reached(d, p);
		h = j == NO_JOIN && all_of(d)->rule.meets ? find_companion(d, g) : -1;
	}
	if (p->lanes && j == NO_JOIN && h < 0) {
		show_path(d, g);
		return;
	}
	if (j != NO_JOIN) {
		join_at(d, j)->arrived |= p->lanes;
		STAT(all_of(d)->stats, arrived)++;
	} else if (h >= 0) {
		path_of(d, h)->lanes |= p->lanes;
		STAT(all_of(d)->stats, merged)++;
		show_path(d, h);
	}
	drop_path(d, g);
	leave_join(d, g, below);
}

/* If no path of the warp can run, the lanes that have arrived at the newest join continue without
 * the others. */
static void go_early(struct div *d, unsigned w)
{
	struct paths *s = all_of(d);
	lanemask left = s->used[w];
	int32_t best = NO_JOIN;
	uint64_t age = 0;
	for (int g; (g = next_path(d, w, &left)) >= 0;) {
		const struct path *p = path_of(d, g);
		if (p->unborn || p->issuing || p->state == JOINED ||
		    (p->state == READY && !p->polls))
			return;
		age = d->group[g].age;
		for (int32_t j = p->join; j != NO_JOIN; j = join_at(d, j)->parent)
			if (join_at(d, j)->arrived &&
			    (best == NO_JOIN || join_at(d, j)->seq > join_at(d, best)->seq))
				best = j;
	}
	left = s->used[w];
	for (int g; (g = next_path(d, w, &left)) >= 0;)
		path_of(d, g)->polls = 0;
	if (best == NO_JOIN)
		return;
	struct join x = *join_at(d, best);
	join_at(d, best)->arrived = 0;
	if (x.parent != NO_JOIN)
		join_at(d, x.parent)->children++;
	int g = add_path(
		d, w, -1,
		(struct path){.pc = x.pc, .site = x.site, .join = x.parent, .lanes = x.arrived},
		age);
	STAT(s->stats, early)++;
	show_new(d, g);
	settle_path(d, g);
}

/* ---- splitting ---- */

/* Splits lanes off path g into a new path at `pc` with call site `site`, and returns it. If these
 * are all of g's lanes, g itself moves. */
static struct path *part_lanes(struct div *d, int g, lanemask lanes, uint32_t pc, int32_t site)
{
	struct path *p = path_of(d, g);
	struct calls *c = &all_of(d)->calls;
	if (lanes == p->lanes) {
		calls_hold(c, site);
		calls_drop(c, p->site);
		p->site = site;
		p->pc = pc;
		return p;
	}
	p->lanes &= ~lanes;
	int h = add_path(
		d, warp_of(d, g), -1,
		(struct path){
			.pc = pc, .site = site, .join = p->join, .lanes = lanes, .unborn = true},
		d->group[g].age);
	if (p->join != NO_JOIN)
		join_at(d, p->join)->children++;
	path_of(d, h)->next = p->born;
	p->born = h;
	return path_of(d, h);
}

void paths_step(struct div *d, int g, uint32_t next)
{
	path_of(d, g)->pc = next;
	d->group[g].pc = next;
	sm_group_changed(d->sm, g);
}

void paths_branch(struct div *d, int g, const struct uop *u, lanemask taken)
{
	struct path *p = path_of(d, g);
	STAT(all_of(d)->stats, forks)++;
	push_join(d, p, u->reconv);
	part_lanes(d, g, taken, u->target, p->site);
	p->pc++;
	show_path(d, g);
}

void paths_ibranch(struct div *d, int g, const struct uop *u, lanemask who, const uint32_t *target)
{
	struct path *p = path_of(d, g);
	STAT(all_of(d)->stats, forks)++;
	push_join(d, p, u->reconv);
	p->pc++;
	while (who) {
		uint32_t to = target[__builtin_ctzll(who)];
		lanemask lanes = 0;
		for (lanemask q = who; q; q &= q - 1)
			if (target[__builtin_ctzll(q)] == to)
				lanes |= q & -q;
		part_lanes(d, g, lanes, to, p->site);
		who &= ~lanes;
	}
	show_path(d, g);
}

void paths_call(struct div *d, int g, lanemask lanes, uint32_t pc, const struct frame *f,
		uint32_t back)
{
	struct path *p = path_of(d, g);
	int32_t site = calls_enter(&all_of(d)->calls, p->site, back, f);
	push_join(d, p, back);
	p->pc = back;
	part_lanes(d, g, lanes, pc, site);
	calls_drop(&all_of(d)->calls, site);
	show_path(d, g);
}

lanemask paths_caller(struct div *d, int g, lanemask lanes, struct frame *f, uint32_t *ret)
{
	const struct calls *c = &all_of(d)->calls;
	const struct site *s = calls_at(c, path_of(d, g)->site);
	*f = calls_at(c, s->parent)->frame;
	*ret = s->ret;
	return lanes;
}

void paths_ret(struct div *d, int g, lanemask lanes)
{
	struct path *p = path_of(d, g);
	const struct site *s = calls_at(&all_of(d)->calls, p->site);
	uint32_t back = s->ret;
	p->pc++; /* the lanes whose guard is false continue */
	part_lanes(d, g, lanes, back, s->parent);
	show_path(d, g);
}

/* ---- warp-level operations ---- */

/* Lanes that the path must meet: without those that have arrived at a join above it, which wait for the path, unless
 * they may meet it elsewhere (they go on early if nothing else can). */
static lanemask lanes_needed(const struct div *d, unsigned w, const struct path *p, lanemask need)
{
	need &= d->sm->warp[w].live;
	for (int32_t j = p->anywhere ? NO_JOIN : p->join; j != NO_JOIN; j = join_at(d, j)->parent)
		need &= ~join_at(d, j)->arrived;
	return need;
}

/* True if two waiting paths wait for one operation: both have the same pc and call site, or both
 * operations allow lanes to meet anywhere. */
static bool waits_with(const struct path *a, const struct path *b)
{
	return b->state == SYNC && a->anywhere == b->anywhere &&
	       (a->anywhere || (a->pc == b->pc && a->site == b->site));
}

static void stop_waiting(struct div *d, int g, enum state now)
{
	all_of(d)->meeting[warp_of(d, g)] &= ~(1ull << place_of(d, g));
	path_of(d, g)->state = (uint8_t)now;
}

/* Lanes `have` have met: g executes the operation for itself and for the paths of these lanes at
 * its pc. */
static void lead_meeting(struct div *d, int g, lanemask have)
{
	struct path *p = path_of(d, g);
	unsigned w = warp_of(d, g);
	lanemask left = all_of(d)->meeting[w];
	for (int h; (h = next_path(d, w, &left)) >= 0;) {
		struct path *x = path_of(d, h);
		if (h == g || !waits_with(p, x) || x->pc != p->pc || x->site != p->site ||
		    !(x->lanes & have))
			continue;
		stop_waiting(d, h, JOINED);
		x->next = p->joined;
		p->joined = h;
		show_path(d, h);
	}
	stop_waiting(d, g, READY);
	p->met = true;
	p->held = false;
	show_path(d, g);
}

/* Lets the paths that wait with g and need each other execute their operation, if no lane is missing. */
static bool gather_meeting(struct div *d, int g)
{
	struct path *p = path_of(d, g);
	unsigned w = warp_of(d, g);
	lanemask have = p->lanes, need = lanes_needed(d, w, p, p->need), last = 0, left;
	while ((need & ~have) && last != have) {
		last = have;
		left = all_of(d)->meeting[w];
		for (int h; (h = next_path(d, w, &left)) >= 0;) {
			const struct path *x = path_of(d, h);
			if (waits_with(p, x) && (x->lanes & need & ~have)) {
				have |= x->lanes;
				need |= lanes_needed(d, w, x, x->need);
			}
		}
	}
	if (need & ~have)
		return false;
	lead_meeting(d, g, have);
	left = p->anywhere ? all_of(d)->meeting[w] : 0;
	for (int h; (h = next_path(d, w, &left)) >= 0;)
		if (waits_with(p, path_of(d, h)) && (path_of(d, h)->lanes & have))
			lead_meeting(d, h, have);
	return true;
}

static void gather_meetings(struct div *d, unsigned w)
{
	lanemask left = all_of(d)->meeting[w];
	for (int h; (h = next_path(d, w, &left)) >= 0;)
		if (path_of(d, h)->state == SYNC)
			gather_meeting(d, h);
}

bool paths_meet(struct div *d, int g, lanemask lanes, const lanemask *need, uint32_t anywhere)
{
	struct path *p = path_of(d, g);
	unsigned w = warp_of(d, g);
	lanemask all = 0;
	for (lanemask q = lanes; q; q &= q - 1)
		all |= need[__builtin_ctzll(q)];
	p->anywhere = anywhere;
	if (p->met || !(lanes_needed(d, w, p, all) & ~lanes))
		return true;
	if (p->lanes & ~lanes) { /* lanes whose guard is false do not wait */
		struct path *n = part_lanes(d, g, p->lanes & ~lanes, p->pc, p->site);
		int h = (int)(n - all_of(d)->path);
		p->born = n->next;
		n->next = -1;
		show_new(d, h);
		show_path(d, h);
	}
	p->state = SYNC;
	p->need = all;
	all_of(d)->meeting[w] |= 1ull << place_of(d, g);
	if (!gather_meeting(d, g))
		show_path(d, g);
	go_early(d, w);
	choose_paths(d, w);
	return false; /* the operation is examined again, with all paths that joined */
}

/* ---- ends and barriers ---- */

void paths_exit(struct div *d, int g, lanemask done)
{
	struct path *p = path_of(d, g);
	p->lanes &= ~done;
	p->pc++;
	show_path(d, g);
	gather_meetings(d, warp_of(d, g)); /* paths may have waited for the lanes that ended */
}

void paths_wait(struct div *d, int g, lanemask lanes, unsigned bar)
{
	struct path *p = path_of(d, g);
	uint32_t pc = p->pc++;
	struct path *n = part_lanes(d, g, lanes, pc, p->site);
	n->state = BARRIER;
	n->bar = (uint8_t)bar;
	n->issuing = true;
	show_path(d, g);
}

void paths_wake(struct div *d, unsigned w, unsigned bar, div_wake_fn *fn)
{
	lanemask left = all_of(d)->used[w];
	bool any = false;
	for (int g; (g = next_path(d, w, &left)) >= 0;) {
		struct path *p = path_of(d, g);
		if (p->state != BARRIER || p->bar != bar || !p->lanes)
			continue;
		fn(d->sm, w, p->pc, p->lanes, &calls_at(&all_of(d)->calls, p->site)->frame);
		p->state = READY;
		p->pc++;
		any = true;
		if (!p->issuing)
			settle_path(d, g);
		else
			show_path(d, g);
	}
	if (any)
		choose_paths(d, w);
}

lanemask paths_waiting(const struct div *d, unsigned w, unsigned bar)
{
	lanemask m = 0, left = all_of(d)->used[w];
	for (int g; (g = next_path(d, w, &left)) >= 0;) {
		const struct path *p = path_of(d, g);
		if (p->state == BARRIER && (p->bar == bar || bar == NBARRIERS))
			m |= p->lanes;
	}
	return m;
}

uint32_t paths_where(const struct div *d, unsigned w, unsigned lane)
{
	lanemask left = all_of(d)->used[w];
	for (int g; (g = next_path(d, w, &left)) >= 0;) {
		if (path_of(d, g)->lanes >> lane & 1)
			return path_of(d, g)->pc;
		for (int32_t j = path_of(d, g)->join; j != NO_JOIN; j = join_at(d, j)->parent)
			if (join_at(d, j)->arrived >> lane & 1)
				return join_at(d, j)->pc;
	}
	return 0;
}

void paths_yield(struct div *d, int g)
{
	unsigned w = warp_of(d, g);
	path_of(d, g)->polls = POLLS_FOR;
	go_early(d, w);
	choose_paths(d, w);
	sm_group_yields(d->sm, g, true);
}

/* ---- commit ---- */

static bool is_above(const struct div *d, int32_t above, int32_t j)
{
	while (j != NO_JOIN && j != above)
		j = join_at(d, j)->parent;
	return j == above;
}

/* Path h, whose operation g has executed, is at g's pc like g. The two merge if one path's join is
 * the other path's join or above it: paths below a join all pass it, so the lower of the two joins
 * serves both. */
static bool merge_joined(struct div *d, int g, int h)
{
	struct path *p = path_of(d, g), *x = path_of(d, h);
	if (all_of(d)->rule.apart || !p->lanes || p->state != READY)
		return false;
	if (is_above(d, x->join, p->join)) {
		if (x->join != NO_JOIN)
			join_at(d, x->join)->children--;
	} else if (is_above(d, p->join, x->join)) {
		if (p->join != NO_JOIN)
			join_at(d, p->join)->children--;
		p->join = x->join;
	} else {
		return false;
	}
	p->lanes |= x->lanes;
	drop_path(d, h);
	return true;
}

/* Paths that have executed an operation together separate again, unless they can merge. */
static void part_joined(struct div *d, int g)
{
	struct path *p = path_of(d, g);
	int h = p->joined, next, rest = -1;
	p->joined = -1;
	for (; h >= 0; h = next) {
		struct path *x = path_of(d, h);
		next = x->next;
		x->next = -1;
		x->pc = p->pc;
		x->state = READY;
		if (!merge_joined(d, g, h)) {
			x->next = rest;
			rest = h;
		}
	}
	p->joined = rest;
}

void paths_commit(struct div *d, int g)
{
	struct path *p = path_of(d, g);
	unsigned w = warp_of(d, g);
	if (!is_used(d, g)) {
		show_path(d, g);
		return;
	}
	part_joined(d, g);
	int born = p->born, joined = p->joined;
	if (d->stats) {
		STAT(all_of(d)->stats, issues)++;
		STAT(all_of(d)->stats, running) += count_running(d, w);
	}
	p->born = p->joined = -1;
	p->issuing = p->met = false;
	p->polls -= p->polls != 0;
	settle_path(d, g);
	for (int h = born, next; h >= 0; h = next) {
		next = path_of(d, h)->next;
		path_of(d, h)->next = -1;
		path_of(d, h)->issuing = false;
		show_new(d, h);
		settle_path(d, h);
	}
	for (int h = joined, next; h >= 0; h = next) {
		next = path_of(d, h)->next;
		path_of(d, h)->next = -1;
		show_new(d, h);
		settle_path(d, h);
	}
	gather_meetings(d, w);
	go_early(d, w);
	choose_paths(d, w);
}

void paths_stalls(struct div *d, int g, bool yes)
{
	unsigned w = warp_of(d, g);
	if (!is_used(d, g) || path_of(d, g)->stalled == yes)
		return;
	path_of(d, g)->stalled = yes;
	choose_paths(d, w);
}

/* ---- invariants ---- */

bool paths_check(const struct div *d, struct diag *why)
{
	for (unsigned w = 0; w < d->nwarps; w++) {
		lanemask all = 0, twice = 0, left = all_of(d)->used[w];
		for (int g; (g = next_path(d, w, &left)) >= 0;) {
			twice |= all & path_of(d, g)->lanes;
			all |= path_of(d, g)->lanes;
		}
		left = all_of(d)->used[w];
		lanemask paths = all;
		for (int g; (g = next_path(d, w, &left)) >= 0;)
			for (int32_t j = path_of(d, g)->join; j != NO_JOIN;
			     j = join_at(d, j)->parent) {
				twice |= paths & join_at(d, j)->arrived;
				all |= join_at(d, j)->arrived;
			}
		if (d->sm->warp[w].b && (twice || all != d->sm->warp[w].live)) {
			diag_error(
				why,
				"warp %u: the lanes of its paths and joins are not those that live",
				w);
			return false;
		}
	}
	return true;
}
