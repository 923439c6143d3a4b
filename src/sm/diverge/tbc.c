/* Thread-block compaction: a stack of paths per block. Where the threads of a block part, those of
 * one path are compacted into new warps, each thread in its own lane; at the immediate
 * post-dominator they return to their former warps.
 *
 * The warps of a path run independently from one conditional branch to the next. There each waits
 * until the last has arrived (so a path never overtakes another), and the block goes on with the
 * warps that compaction makes: see sm/diverge/blockstack.h and sm/diverge/compact.h. Indirect and
 * guarded calls and guarded returns part threads as branches do. Compaction itself takes no cycles:
 * the paper's compactor works while the branch is in the pipeline. */
#include "kernel/call.h"
#include "sm/diverge/blockstack.h"
#include "sm/diverge/bypass.h"
#include "sm/diverge/compact.h"

#define LANE_TURNS(X)                                                                              \
	X(TURN_NONE_, "no") X(TURN_ODD_EVEN_, "odd-even") X(TURN_BALANCED_, "balanced")
enum { LANE_TURNS(CHOICE_ENUM) };
_Static_assert((int)TURN_BALANCED_ == (int)TURN_BALANCED,
	       "the option's values are those of compact.h");
#define WAIT_KINDS(X) X(WAIT_ALL, "all") X(WAIT_PREDICTED, "predicted")
enum { WAIT_KINDS(CHOICE_ENUM) };
struct options {
	uint32_t permute, wait, entries;
};
static const struct option rows[] = {
	OPTION_CHOICE(
		struct options, permute, "tbc.permute", "no", LANE_TURNS,
		"lane permutation: threads of odd warps in reversed lanes (odd-even), or each pair of warps "
		"one lane further too (balanced), so that warps whose branches take the same lanes compact"),
	OPTION_CHOICE(
		struct options, wait, "tbc.wait", "all", WAIT_KINDS,
		"branches at which warps wait to be compacted: all, or those where a table predicts that it "
		"saves warps (CAPRI); at others a warp parts alone until its threads meet"),
	OPTION_NUM(struct options, entries, "tbc.predictions", 32, 1, 4096, "branches",
		   "tbc.wait = predicted: branches that the table holds"),
};
static const char *refuses_options(const struct machine *m, char *buf, size_t n);
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true,
					    .refuses = refuses_options};

struct state {
	struct blockstack bs;
	struct path {           /* per group */
		bool parked;    /* each thread has its own pc (struct bs_thread) */
		bool stopped;   /* parked, and the instruction has committed */
		unsigned waits; /* threads at a barrier */
		unsigned block;
	} * path;
	uint16_t *home;        /* home warp of each position, indexed by group * size + position */
	uint8_t *turned;       /* lane permutation: home lane, indexed as `home`; NULL: none */
	uint8_t *used;         /* set of groups that belong to a block */
	bool *places;          /* working set of bs_find_places(): per warp of a block */
	uint8_t *physical;     /* of a group: working set */
	struct bypass *bypass; /* tbc.wait = predicted; else NULL */
	bool keeps; /* the dispatcher reuses a warp's slot when the warp ends, so the slot is
		     * kept while threads of other warps are in it */
	uint8_t lane[MAX_LANES]; /* the identity: position p holds lane p */
};

static struct state *state_of(const struct div *d) { return d->state; }
static struct bs_block *block_of(const struct div *d, int g)
{
	return &bs_of(d)->block[state_of(d)->path[g].block];
}
static struct bs_entry *entry_of(const struct div *d, int g)
{
	return &bs_of(d)->entry.v[block_of(d, g)->run];
}
static struct bs_thread *thread_of(const struct div *d, int g, unsigned p)
{
	struct home h = group_thread(&d->group[g], p);
	return bs_thread(bs_of(d), h.warp, h.lane);
}
static const struct bs_thread *any_of(const struct div *d, int g)
{
	return thread_of(d, g, (unsigned)__builtin_ctzll(d->group[g].active));
}

/* ---- groups ---- */

static void idle_group(struct div *d, int g, enum group_wait wait)
{
	d->group[g].active = 0;
	d->group[g].wait = wait;
	d->group[g].warp = GROUP_MIXED;
	sm_group_changed(d->sm, g);
}

/* True if warp i of the block has a group. */
static bool has_group(const struct bs_block *b, unsigned i) { return b->group[i] != BS_GONE; }

static void clear_groups(struct div *d, const struct bs_block *b)
{
	for (unsigned i = 0; i < b->nwarps; i++)
		if (has_group(b, i))
			d->group[b->group[i]].active = 0;
}

/* Marks the groups of an entry that will have threads of several warps: with lane permutation, the positions of a
 * group's threads depend on it. */
static void find_mixed(struct div *d, const struct bs_block *b, const struct bs_entry *e)
{
	const struct blockstack *s = bs_of(d);
	for (unsigned i = 0; i < b->nwarps; i++)
		for (lanemask q = e->mask[i]; q; q &= q - 1) {
			struct group *gr =
				&d->group[b->group[e->place[i * s->size +
							    (unsigned)__builtin_ctzll(q)]]];
			gr->warp = !gr->active || gr->warp == bs_warp(b, i) ? bs_warp(b, i)
									    : GROUP_MIXED;
			gr->active = 1;
		}
	clear_groups(d, b);
}

/* Like form_groups(), with lane permutation: in a group of several warps a thread's position is its
 * physical lane. */
static void form_turned(struct div *d, struct bs_block *b, const struct bs_entry *e)
{
	const struct blockstack *s = bs_of(d);
	find_mixed(d, b, e);
	for (unsigned i = 0; i < b->nwarps; i++)
		for (lanemask q = e->mask[i]; q; q &= q - 1) {
			unsigned lane = (unsigned)__builtin_ctzll(q);
			int g = b->group[e->place[i * s->size + lane]];
			struct group *gr = &d->group[g];
			unsigned p = gr->warp == GROUP_MIXED ? lane ^ s->turn[i] : lane;
			gr->active |= 1ull << p;
			state_of(d)->home[(size_t)g * s->size + p] = bs_warp(b, i);
			state_of(d)->turned[(size_t)g * s->size + p] = (uint8_t)lane;
			bs_thread(s, bs_warp(b, i), lane)->group = g;
		}
}

/* Forms the block's groups from an entry: one for each warp with threads. */
static void form_groups(struct div *d, struct bs_block *b, int32_t entry)
{
	struct blockstack *s = bs_of(d);
	const struct bs_entry *e = &s->entry.v[entry];
	clear_groups(d, b);
	if (s->turn)
		form_turned(d, b, e);
	for (unsigned i = 0; i < b->nwarps && !s->turn; i++)
		for (lanemask q = e->mask[i]; q; q &= q - 1) {
			unsigned lane = (unsigned)__builtin_ctzll(q);
			int g = b->group[e->place[i * s->size + lane]];
			struct group *gr = &d->group[g];
			gr->warp = !gr->active || gr->warp == bs_warp(b, i) ? bs_warp(b, i)
									    : GROUP_MIXED;
			gr->active |= 1ull << lane;
			state_of(d)->home[(size_t)g * s->size + lane] = bs_warp(b, i);
			bs_thread(s, bs_warp(b, i), lane)->group = g;
		}
	b->formed = entry;
}

/* Frees the group of warp i of the block, and the warp's slot. */
static void give_away(struct div *d, struct bs_block *b, unsigned i)
{
	unsigned w = bs_warp(b, i);
	if (!has_group(b, i))
		return;
	idle_group(d, b->group[i], GROUP_NONE);
	state_of(d)->used[b->group[i]] = false;
	b->group[i] = BS_GONE;
	b->lane[i] = BS_NO_LANE;
	if (state_of(d)->keeps)
		sm_warp_let_go(d->sm, w);
}

static void finish_groups(struct div *d, struct bs_block *b)
{
	for (unsigned i = 0; i < b->nwarps; i++)
		give_away(d, b, i);
	b->started = 0;
}

/* Frees the warp slots that neither the warps' own threads nor other threads need any more. */
static void give_places(struct div *d, struct bs_block *b)
{
	bool *used = state_of(d)->places, any = false;
	for (unsigned i = 0; i < b->nwarps; i++)
		any |= has_group(b, i) && !d->sm->warp[bs_warp(b, i)].live;
	if (!any)
		return;
	memset(used, 0, b->nwarps * sizeof *used);
	bs_find_places(bs_of(d), b, used);
	for (unsigned i = 0; i < b->nwarps; i++)
		if (!used[i] && has_group(b, i) && !d->sm->warp[bs_warp(b, i)].live)
			give_away(d, b, i);
}

static void release_group(struct div *d, struct bs_block *b, int g, uint32_t pc)
{
	struct group *gr = &d->group[g];
	gr->pc = pc;
	gr->wait = GROUP_RUNS;
	state_of(d)->path[g] = (struct path){.block = state_of(d)->path[g].block};
	for (lanemask q = gr->active; q; q &= q - 1)
		thread_of(d, g, (unsigned)__builtin_ctzll(q))->how = BS_RUNS;
	b->out++;
	sm_group_formed(d->sm, g, pc, d->sm->now ? d->sm->now - 1 : 0);
	sm_group_changed(d->sm, g);
}

/* Makes a group of an entry continue at the entry's pc, unless the group waits. */
static void resume_group(struct div *d, struct bs_block *b, int g, const struct bs_entry *e)
{
	struct group *gr = &d->group[g];
	gr->frame = calls_at(&bs_of(d)->calls, e->site)->frame;
	if (e->how == BS_GOES_ON) {
		release_group(d, b, g, e->pc);
		return;
	}
	gr->pc = e->pc;
	gr->wait = e->how == BS_BARRIER ? GROUP_BARRIER : GROUP_SYNC;
	sm_group_changed(d->sm, g);
}

/* All entries of the block wait: forms the block's groups from one of them, preferably an entry at
 * a warp-level operation, and returns that entry. */
static int32_t show_waiting(struct div *d, struct bs_block *b)
{
	const struct blockstack *s = bs_of(d);
	int32_t e = -1;
	for (int32_t x = b->first; x >= 0; x = s->entry.v[x].next)
		if (s->entry.v[x].how == BS_SYNC || (s->entry.v[x].how == BS_BARRIER && e < 0))
			e = x;
	if (e >= 0)
		form_groups(d, b, e);
	b->formed = -1;
	return e;
}

/* Runs the block's next entry (bs_pick()). */
static void run_next(struct div *d, struct bs_block *b)
{
	struct blockstack *s = bs_of(d);
	int32_t e = b->run = bs_pick(s, d, b);
	if (b->first < 0) {
		finish_groups(d, b);
		return;
	}
	if (e < 0)
		e = show_waiting(d, b);
	else if (b->formed != e)
		form_groups(d, b, e);
	for (unsigned i = 0; i < b->nwarps; i++) {
		int g = b->group[i];
		if (!has_group(b, i))
			continue;
		if (e < 0 || !d->group[g].active)
			idle_group(d, g, GROUP_SYNC);
		else
			resume_group(d, b, g, &s->entry.v[e]);
	}
	b->runs = b->out;
	if (state_of(d)->bypass)
		bypass_begin(state_of(d)->bypass, (unsigned)(b - s->block));
}

/* Gives each thread of the group its own pc, initially that of the next instruction. */
static void park_threads(struct div *d, int g, enum bs_how how)
{
	struct group *gr = &d->group[g];
	struct path *p = &state_of(d)->path[g];
	if (p->parked)
		return;
	p->parked = true;
	gr->wait = GROUP_SYNC;
	for (lanemask q = gr->active; q; q &= q - 1) {
		struct bs_thread *t = thread_of(d, g, (unsigned)__builtin_ctzll(q));
		t->from = gr->pc;
		t->at = t->site;
		t->pc = how == BS_SYNC ? gr->pc : gr->pc + 1; /* SYNC: the operation is examined
		                                               * again */
		t->how = (uint8_t)how;
	}
	sm_group_changed(d->sm, g);
}

/* All threads of the group have reached the end of their path: moves them to the join. */
static void arrive_at_join(struct div *d, int g)
{
	struct blockstack *s = bs_of(d);
	struct group *gr = &d->group[g];
	struct bs_block *b = block_of(d, g);
	int32_t join = entry_of(d, g)->parent;
	park_threads(d, g, BS_GOES_ON);
	for (lanemask q = gr->active; q; q &= q - 1) {
		struct home h = group_thread(gr, (unsigned)__builtin_ctzll(q));
		bs_take(s, h.warp, h.lane);
		bs_add(s, b, join, s->index[h.warp], h.lane);
		bs_thread(s, h.warp, h.lane)->pc = gr->pc;
	}
	idle_group(d, g, GROUP_SYNC);
}

/* True if the group has reached the end of its path; its threads have then been moved to the
 * join. */
static bool ends_path(struct div *d, int g)
{
	const struct bs_entry *e = entry_of(d, g);
	if (e->parent < 0 || (state_of(d)->bypass && bypass_is_parted(state_of(d)->bypass, g)))
		return false;
	const struct bs_entry *join = &bs_of(d)->entry.v[e->parent];
	if (join->pc != d->group[g].pc || join->site != any_of(d, g)->site)
		return false;
	arrive_at_join(d, g);
	return true;
}

/* ---- branches at which warps do not wait ---- */

static const struct image *image_of(const struct div *d, int g)
{
	return sm_home(d->sm, &d->group[g])->b->k->l->img;
}

/* A group that has waited at a branch passes it alone. */
static void resume_alone(struct div *d, struct bs_block *b, int g)
{
	struct group *gr = &d->group[g];
	uint32_t from = any_of(d, g)->from;
	const struct uop *u = &b->code[from];
	lanemask taken = 0;
	for (lanemask q = gr->active; q; q &= q - 1)
		if (thread_of(d, g, (unsigned)__builtin_ctzll(q))->pc != from + 1)
			taken |= q & -q;
	release_group(d, b, g, taken == gr->active ? u->target : from + 1);
	if (taken && taken != gr->active) {
		gr->pc = from;
		bypass_part(state_of(d)->bypass, d, g, u, taken);
		bypass_settle(state_of(d)->bypass, d, g);
	}
	if (ends_path(d, g)) {
		state_of(d)->path[g].stopped = true;
		b->out--;
	}
	sm_group_changed(d->sm, g);
}

/* Called when the path's warps have stopped. If they stopped at different pcs, the warps at
 * branches pass these alone, which keeps the path together, and the result is true. False: all are
 * at one pc, or some wait for lanes. */
static bool pass_alone(struct div *d, struct bs_block *b)
{
	const struct bs_thread *first = NULL;
	bool differ = false, forks = false;
	for (unsigned i = 0; i < b->nwarps; i++) {
		int g = b->group[i];
		if (!has_group(b, i) || !d->group[g].active)
			continue;
		for (lanemask q = d->group[g].active; q; q &= q - 1) {
			const struct bs_thread *t = thread_of(d, g, (unsigned)__builtin_ctzll(q));
			first = first ? first : t;
			differ |= t->how != first->how || t->from != first->from ||
				  t->at != first->at;
			forks |= t->how == BS_FORK;
			if (t->how == BS_FORK
				    ? !uop_is(&b->code[t->from], OF_BRANCH) ||
					      !bypass_may_pass(state_of(d)->bypass, image_of(d, g),
							       t->from, &d->group[g].frame)
				    : t->how != BS_BARRIER)
				return false;
		}
	}
	for (unsigned i = 0; i < b->nwarps && differ && forks; i++)
		if (has_group(b, i) && d->group[b->group[i]].active &&
		    any_of(d, b->group[i])->how == BS_FORK)
			resume_alone(d, b, b->group[i]);
	return b->out != 0;
}

static void stop_group(struct div *d, int g)
{
	struct bs_block *b = block_of(d, g);
	state_of(d)->path[g].stopped = true;
	sm_group_changed(d->sm, g);
	if (--b->out || (state_of(d)->bypass && pass_alone(d, b)))
		return;
	unsigned before = 0;
	uint64_t parted = STAT(bs_of(d)->stats, parted);
	for (unsigned i = 0; i < b->nwarps; i++)
		before += has_group(b, i) && d->group[b->group[i]].active;
	bs_settle(bs_of(d), b);
	if (STAT(bs_of(d)->stats, parted) != parted)
		STAT(bs_of(d)->stats, warps_in) += before;
	if (state_of(d)->keeps)
		give_places(d, b);
	run_next(d, b);
}

/* ---- set-up ---- */

static void init(struct div *d)
{
	struct state *st = d->state = xcalloc(1, sizeof *st);
	bs_init(&st->bs, d);
	st->path = xcalloc(d->ngroups, sizeof *st->path);
	st->home = xcalloc((size_t)d->ngroups * st->bs.size, sizeof *st->home);
	st->used = xcalloc(d->ngroups, sizeof *st->used);
	st->places = xcalloc(d->nwarps, sizeof *st->places);
	st->keeps = d->sm->blocks.hold == HOLD_WARP;
	for (unsigned p = 0; p < MAX_LANES; p++)
		st->lane[p] = (uint8_t)p;
	const struct options *o = machine_own(d->sm->m, &options);
	if (o->permute != TURN_NONE) {
		st->turned = xcalloc((size_t)d->ngroups * st->bs.size, 1);
		st->bs.turn = xcalloc(d->nwarps, 1);
		for (unsigned i = 0; i < d->nwarps; i++)
			st->bs.turn[i] = (uint8_t)compact_turn(o->permute, i, st->bs.size);
	}
	st->physical = xcalloc(st->bs.size, 1);
	if (o->wait == WAIT_PREDICTED) {
		st->bypass = bypass_new(d, o->entries);
		st->bs.places = xcalloc(2 * (size_t)d->nwarps, sizeof(bool));
	}
	for (unsigned g = 0; g < d->ngroups; g++)
		d->group[g].warp = GROUP_MIXED;
}

static void fini(struct div *d)
{
	struct state *st = state_of(d);
	bs_fini(&st->bs);
	free(st->path);
	free(st->home);
	free(st->turned);
	free(st->used);
	free(st->places);
	free(st->physical);
	bypass_free(st->bypass);
	free(st);
}

static void take_group(struct div *d, struct bs_block *b, unsigned i, uint64_t age)
{
	struct state *st = state_of(d);
	bool by_scheduler = d->sm->lanes.ops->by_scheduler;
	unsigned g = by_scheduler ? b->lane[i] % d->sm->nsched : 0;
	while (st->used[g])
		g += by_scheduler ? d->sm->nsched : 1;
	st->used[g] = true;
	b->group[i] = (uint16_t)g;
	st->path[g].block = (unsigned)(b - st->bs.block);
	d->group[g] = (struct group){.warp = GROUP_MIXED,
				     .wait = GROUP_SYNC,
				     .age = age,
				     .home = st->home + (size_t)g * st->bs.size,
				     .lane = st->turned ? st->turned + (size_t)g * st->bs.size
							: st->lane};
}

static void start(struct div *d, unsigned w, lanemask live, uint32_t pc, uint64_t age)
{
	struct blockstack *s = bs_of(d);
	const struct block *of = d->sm->warp[w].b;
	struct bs_block *b = &s->block[of - d->sm->blocks.block];
	unsigned i = b->started++;
	if (!i) {
		assert(calls_left(&s->calls, b->root));
		b->first = b->run = b->formed = -1;
		b->nwarps = of->nwarps;
		b->warp = of->warp;
		b->code = of->k->l->img->code;
		int32_t e = bs_new(s, b, -1);
		s->entry.v[e].pc = pc;
		s->entry.v[e].site = b->root;
	}
	s->index[w] = (uint16_t)i;
	b->lane[i] = d->sm->warp[w].lane;
	take_group(d, b, i, age);
	if (state_of(d)->keeps)
		sm_warp_keep(d->sm, w);
	for (lanemask q = live; q; q &= q - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(q);
		*bs_thread(s, w, lane) = (struct bs_thread){.site = b->root, .group = -1};
		calls_hold(&s->calls, b->root);
		bs_add(s, b, b->first, i, lane);
		s->entry.v[b->first].place[i * s->size + lane] = (uint16_t)i;
	}
	if (i + 1 == b->nwarps)
		run_next(d, b);
}

/* ---- at issue ---- */

static const struct uop *inst_of(const struct div *d, int g)
{
	return &block_of(d, g)->code[d->group[g].pc];
}

/* True if the threads of a warp may diverge at the instruction. */
static bool can_fork(const struct uop *u, const struct frame *f)
{
	bool some = u->guard >= 0;
	if (uop_is(u, OF_CALL))
		return !u->call->builtin && (!u->call->callee || some);
	return uop_is(u, OF_INDEXED) || (uop_is(u, OF_BRANCH) && some) ||
	       (uop_is(u, OF_RETURNS) && f->depth && some);
}

static void go_on(struct div *d, int g, lanemask lanes, uint32_t pc, int32_t site)
{
	for (lanemask q = lanes; q; q &= q - 1)
		bs_move(bs_of(d), thread_of(d, g, (unsigned)__builtin_ctzll(q)), pc, site);
}

/* Group g is at a branch that lanes `taken` take. True: the group continues without waiting for the
 * other groups. */
static bool goes_alone(struct div *d, int g, lanemask taken)
{
	struct state *st = state_of(d);
	struct bs_block *b = block_of(d, g);
	struct group *gr = &d->group[g];
	const struct uop *u = inst_of(d, g);
	const struct image *img = image_of(d, g);
	if (!st->bypass || !uop_is(u, OF_BRANCH) ||
	    !bypass_may_pass(st->bypass, img, gr->pc, &gr->frame))
		return false;
	if (bypass_is_parted(st->bypass, g))
		return true;
	if (b->runs <= 1) /* no other warp to wait for, or to be compacted with */
		return false;
	unsigned i = st->bs.index[group_thread(gr, (unsigned)__builtin_ctzll(gr->active)).warp];
	struct bypass_arrival a = {.img = img,
				   .pc = gr->pc,
				   .block = st->path[g].block,
				   .n = b->runs,
				   .class = b->lane[i],
				   .active = gr->active,
				   .taken = taken,
				   .lane = st->physical};
	while (b->group[a.place] != g)
		a.place++;
	for (unsigned k = 0; k < b->nwarps; k++)
		if (b->lane[k] != BS_NO_LANE && b->lane[k] >= a.classes)
			a.classes = b->lane[k] + 1u;
	for (unsigned p = 0; p < st->bs.size; p++)
		st->physical[p] =
			(uint8_t)(st->bs.turn && gr->warp != GROUP_MIXED ? p ^ st->bs.turn[i] : p);
	return bypass_note(st->bypass, &a);
}

static void step(struct div *d, int g, uint32_t next)
{
	struct group *gr = &d->group[g];
	if (can_fork(inst_of(d, g), &gr->frame) &&
	    !goes_alone(d, g, next == gr->pc + 1 ? 0 : gr->active)) {
		park_threads(d, g, BS_FORK);
		go_on(d, g, gr->active, next, any_of(d, g)->site);
		return;
	}
	gr->pc = next;
	sm_group_changed(d->sm, g);
}

static void branch(struct div *d, int g, const struct uop *u, lanemask taken)
{
	if (goes_alone(d, g, taken)) {
		bypass_part(state_of(d)->bypass, d, g, u, taken);
		return;
	}
	park_threads(d, g, BS_FORK);
	go_on(d, g, taken, u->target, any_of(d, g)->site);
}

static void ibranch(struct div *d, int g, const struct uop *u, lanemask who, const uint32_t *target)
{
	(void)u;
	int32_t site = any_of(d, g)->site;
	park_threads(d, g, BS_FORK);
	for (; who; who &= who - 1)
		go_on(d, g, who & -who, target[__builtin_ctzll(who)], site);
}

static void call(struct div *d, int g, lanemask lanes, uint32_t pc, const struct frame *f,
		 uint32_t back)
{
	struct calls *c = &bs_of(d)->calls;
	struct group *gr = &d->group[g];
	bool alone = !can_fork(inst_of(d, g), &gr->frame); /* all threads make the same call */
	if (!alone)
		park_threads(d, g, BS_FORK);
	int32_t from = alone ? any_of(d, g)->site : any_of(d, g)->at;
	int32_t site = calls_enter(c, from, back, f);
	go_on(d, g, lanes, pc, site);
	calls_drop(c, site);
	if (!alone)
		return;
	gr->pc = pc;
	gr->frame = *f;
	sm_group_changed(d->sm, g);
}

static lanemask caller(struct div *d, int g, lanemask lanes, struct frame *f, uint32_t *ret)
{
	const struct calls *c = &bs_of(d)->calls;
	const struct site *s = calls_at(c, any_of(d, g)->site);
	*f = calls_at(c, s->parent)->frame;
	*ret = s->ret;
	return lanes;
}

static void ret(struct div *d, int g, lanemask lanes)
{
	const struct calls *c = &bs_of(d)->calls;
	struct group *gr = &d->group[g];
	struct site s = *calls_at(c, any_of(d, g)->site);
	bool alone = !can_fork(inst_of(d, g), &gr->frame);
	if (!alone)
		park_threads(d, g, BS_FORK);
	go_on(d, g, lanes, s.ret, s.parent);
	if (!alone)
		return;
	gr->pc = s.ret;
	gr->frame = calls_at(c, s.parent)->frame;
	sm_group_changed(d->sm, g);
}

static void leave(struct div *d, int g, lanemask done)
{
	struct group *gr = &d->group[g];
	for (lanemask q = done; q; q &= q - 1) {
		unsigned p = (unsigned)__builtin_ctzll(q);
		struct home h = group_thread(gr, p);
		calls_drop(&bs_of(d)->calls, thread_of(d, g, p)->site);
		bs_take(bs_of(d), h.warp, h.lane);
	}
	gr->active &= ~done;
	gr->pc++;
	if (!gr->active)
		gr->wait = GROUP_NONE;
	sm_group_changed(d->sm, g);
}

/* ---- waiting ---- */

static void wait(struct div *d, int g, lanemask lanes, unsigned bar)
{
	park_threads(d, g, BS_GOES_ON);
	d->group[g].wait = GROUP_BARRIER;
	for (; lanes; lanes &= lanes - 1) {
		struct bs_thread *t = thread_of(d, g, (unsigned)__builtin_ctzll(lanes));
		t->how = BS_BARRIER;
		t->bar = (uint8_t)bar;
		t->pc = t->from;
		state_of(d)->path[g].waits++;
	}
}

/* Releases a thread. When the last thread is released, its group continues, or its entry becomes
 * able to run. */
static void let_go(struct div *d, struct bs_thread *t)
{
	struct blockstack *s = bs_of(d);
	t->how = BS_GOES_ON;
	t->pc = t->from + 1;
	struct bs_entry *e = &s->entry.v[t->entry];
	if (e->how == BS_BARRIER) {
		if (!--e->waits) {
			e->how = BS_GOES_ON;
			e->pc = t->pc;
		}
		return;
	}
	struct path *p = &state_of(d)->path[t->group];
	if (--p->waits)
		return;
	if (p->stopped) {
		release_group(d, block_of(d, t->group), t->group, t->pc);
		return;
	}
	p->parked = false;
	d->group[t->group].pc = t->pc;
	d->group[t->group].wait = GROUP_RUNS;
	for (lanemask q = d->group[t->group].active; q; q &= q - 1)
		thread_of(d, t->group, (unsigned)__builtin_ctzll(q))->how = BS_RUNS;
}

static lanemask waiting(const struct div *d, unsigned w, unsigned bar)
{
	lanemask m = 0;
	for (lanemask q = d->sm->warp[w].live; q; q &= q - 1) {
		const struct bs_thread *t = bs_thread(bs_of(d), w, (unsigned)__builtin_ctzll(q));
		if (t->how == BS_BARRIER && (t->bar == bar || bar == NBARRIERS))
			m |= q & -q;
	}
	return m;
}

static void wake(struct div *d, unsigned w, unsigned bar, div_wake_fn *fn)
{
	struct blockstack *s = bs_of(d);
	struct bs_block *b = &s->block[d->sm->warp[w].b - d->sm->blocks.block];
	for (lanemask go = waiting(d, w, bar), same; go; go &= ~same) {
		const struct bs_thread first = *bs_thread(s, w, (unsigned)__builtin_ctzll(go));
		same = 0;
		for (lanemask q = go; q; q &= q - 1) {
			const struct bs_thread *t = bs_thread(s, w, (unsigned)__builtin_ctzll(q));
			if (t->from == first.from && t->site == first.site)
				same |= q & -q;
		}
		fn(d->sm, w, first.from, same, &calls_at(&s->calls, first.site)->frame);
		for (lanemask q = same; q; q &= q - 1)
			let_go(d, bs_thread(s, w, (unsigned)__builtin_ctzll(q)));
	}
	if (b->run < 0 && b->first >= 0)
		run_next(d, b);
}

static uint32_t where(const struct div *d, unsigned w, unsigned lane)
{
	const struct bs_thread *t = bs_thread(bs_of(d), w, lane);
	return t->how == BS_RUNS ? d->group[t->group].pc : t->from;
}

/* The lanes of warp w whose threads are at positions `lanes` of the group. */
static lanemask lanes_present(const struct group *gr, lanemask lanes, unsigned w)
{
	lanemask m = 0;
	for (lanemask q = lanes; q; q &= q - 1) {
		struct home h = group_thread(gr, (unsigned)__builtin_ctzll(q));
		m |= (lanemask)(h.warp == w) << h.lane;
	}
	return m;
}

static bool meet(struct div *d, int g, lanemask lanes, const lanemask *need, uint32_t anywhere)
{
	struct group *gr = &d->group[g];
	bool all = true;
	for (lanemask q = lanes; q && all; q &= q - 1) {
		unsigned p = (unsigned)__builtin_ctzll(q);
		all = thread_of(d, g, p)->met ||
		      !(need[p] & ~lanes_present(gr, lanes, group_thread(gr, p).warp));
	}
	for (lanemask q = lanes; q && all; q &= q - 1)
		thread_of(d, g, (unsigned)__builtin_ctzll(q))->met = false;
	if (all)
		return true;
	park_threads(d, g, BS_SYNC);
	for (lanemask q = gr->active; q; q &= q - 1) {
		unsigned p = (unsigned)__builtin_ctzll(q);
		struct bs_thread *t = thread_of(d, g, p);
		t->met = false;
		t->anywhere = anywhere;
		t->meets = lanes >> p & 1;
		t->need = t->meets ? need[p] : 0;
	}
	stop_group(d, g);
	return false;
}

static void yield(struct div *d, int g)
{
	if (block_of(d, g)->run >= 0)
		entry_of(d, g)->polls = true;
	sm_group_yields(d->sm, g, true); /* other blocks issue first */
}

/* ---- commit ---- */

static void commit(struct div *d, int g)
{
	struct group *gr = &d->group[g];
	if (state_of(d)->bypass)
		bypass_settle(state_of(d)->bypass, d, g);
	if (!gr->active || state_of(d)->path[g].parked || ends_path(d, g))
		stop_group(d, g);
	else
		sm_group_changed(d->sm, g);
}

static bool check_block(const struct div *d, const struct bs_block *b, struct diag *why)
{
	const struct blockstack *s = bs_of(d);
	for (unsigned i = 0; i < b->started; i++) {
		lanemask all = 0, twice = 0;
		for (int32_t e = b->first; e >= 0; e = s->entry.v[e].next) {
			twice |= all & s->entry.v[e].mask[i];
			all |= s->entry.v[e].mask[i];
		}
		const struct sm_warp *w = &d->sm->warp[bs_warp(b, i)];
		if (w->b == &d->sm->blocks.block[b - s->block] && (twice || all != w->live)) {
			diag_error(why, "warp %u: the entries' lanes are not those that live",
				   bs_warp(b, i));
			return false;
		}
	}
	return true;
}

static bool check(const struct div *d, struct diag *why)
{
	for (unsigned i = 0; i < bs_of(d)->nblocks; i++)
		if (bs_of(d)->block[i].started && !check_block(d, &bs_of(d)->block[i], why))
			return false;
	return true;
}

static void describe(const struct machine *m, struct facts *f)
{
	(void)m;
	f->regroups = true;
}

const struct div_ops div_tbc = {
	/* clang-format off */
	.p = {"tbc", "a stack of paths per block, whose threads are compacted " "where they diverge",
	      "Fung, Aamodt, HPCA 2011", .stats = &tbc_stats, .options = {&options},
	      .describe = describe},
	.groups = GROUPS_BLOCK,
	.init = init, .fini = fini, .start = start, .step = step, .branch = branch,
	.ibranch = ibranch, .call = call, .caller = caller, .ret = ret, .exit = leave,
	.wait = wait, .wake = wake, .waiting = waiting, .where = where, .meet = meet,
	.yield = yield, .commit = commit, .check = check,
};
/* clang-format on */

static const char *refuses_options(const struct machine *m, char *buf, size_t n)
{
	const struct options *o = machine_own(m, &options);
	if (o->permute == TURN_NONE || !(m->warp_size & (m->warp_size - 1)))
		return NULL;
	snprintf(
		buf, n,
		"tbc.permute: lanes of a warp of %u threads cannot be turned; gpu.warp_size is a power of two",
		m->warp_size);
	return buf;
}
