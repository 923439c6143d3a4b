#include "sm/diverge/blockstack.h"
#include "sm/diverge/compact.h"

static const struct stat_def defs[] = {STAT_DEFS(TBC_STATS)};
const struct stat_table tbc_stats = STAT_TABLE_PLAIN("tbc", defs);

static struct bs_entry *at(const struct blockstack *s, int32_t e) { return &s->entry.v[e]; }

/* ---- entries ---- */

void bs_init(struct blockstack *s, const struct div *d)
{
	const struct sm *sm = d->sm;
	s->size = sm->m->warp_size;
	s->nwarps = d->nwarps;
	s->nblocks = sm->blocks.n;
	s->thread = xcalloc((size_t)d->nwarps * s->size, sizeof *s->thread);
	s->block = xcalloc(sm->blocks.n, sizeof *s->block);
	s->index = xcalloc(d->nwarps, sizeof *s->index);
	s->set = xcalloc(d->nwarps, sizeof *s->set);
	s->side = xcalloc(d->nwarps, sizeof *s->side);
	s->free_entry = -1;
	s->stats = d->stats;
	calls_init(&s->calls, sm->blocks.n);
	for (unsigned i = 0; i < sm->blocks.n; i++)
		s->block[i] = (struct bs_block){.first = -1,
						.run = -1,
						.formed = -1,
						.root = (int32_t)i,
						.group = xcalloc(d->nwarps, sizeof(uint16_t))};
}

void bs_fini(struct blockstack *s)
{
	for (size_t i = 0; i < s->entry.n; i++) {
		free(s->entry.v[i].mask);
		free(s->entry.v[i].place);
	}
	for (unsigned i = 0; i < s->nblocks; i++)
		free(s->block[i].group);
	vec_free(&s->entry);
	calls_fini(&s->calls);
	free(s->thread);
	free(s->block);
	free(s->index);
	free(s->set);
	free(s->side);
}

int32_t bs_new(struct blockstack *s, struct bs_block *b, int32_t parent)
{
	int32_t e = s->free_entry;
	if (e < 0) {
		e = (int32_t)s->entry.n;
		vec_push(&s->entry, (struct bs_entry){0});
	} else {
		s->free_entry = at(s, e)->next;
	}
	struct bs_entry *x = at(s, e);
	lanemask *mask = x->mask ? x->mask : xmalloc(s->nwarps * sizeof *mask);
	uint16_t *place = x->place ? x->place : xcalloc((size_t)s->nwarps * s->size, sizeof *place);
	memset(mask, 0, b->nwarps * sizeof *mask);
	*x = (struct bs_entry){.parent = parent,
			       .next = b->first,
			       .how = BS_GOES_ON,
			       .seq = ++b->seq,
			       .mask = mask,
			       .place = place};
	b->first = e;
	if (parent >= 0)
		at(s, parent)->children++;
	return e;
}

void bs_add(struct blockstack *s, struct bs_block *b, int32_t e, unsigned i, unsigned lane)
{
	at(s, e)->mask[i] |= 1ull << lane;
	at(s, e)->n++;
	bs_thread(s, bs_warp(b, i), lane)->entry = e;
}

void bs_take(struct blockstack *s, unsigned w, unsigned lane)
{
	struct bs_entry *e = at(s, bs_thread(s, w, lane)->entry);
	e->mask[s->index[w]] &= ~(1ull << lane);
	e->n--;
}

/* An entry without threads and without entries below it is gone, and so may be the one above. */
static void drop(struct blockstack *s, struct bs_block *b, int32_t e)
{
	while (e >= 0 && !at(s, e)->n && !at(s, e)->children) {
		struct bs_entry *x = at(s, e);
		int32_t *p = &b->first, parent = x->parent;
		while (*p != e)
			p = &at(s, *p)->next;
		*p = x->next;
		x->next = s->free_entry;
		s->free_entry = e;
		e = parent;
		if (e >= 0)
			at(s, e)->children--;
	}
}

void bs_move(struct blockstack *s, struct bs_thread *t, uint32_t pc, int32_t site)
{
	t->pc = pc;
	if (t->site == site)
		return;
	calls_hold(&s->calls, site);
	calls_drop(&s->calls, t->site);
	t->site = site;
}

/* ---- sets of threads ---- */

static bool first_of(const struct bs_block *b, const lanemask *set, unsigned *i, unsigned *lane)
{
	for (*i = 0; *i < b->nwarps; ++*i)
		if (set[*i]) {
			*lane = (unsigned)__builtin_ctzll(set[*i]);
			return true;
		}
	return false;
}

/* The threads of a set move to entry e, whose warps are as in `like`, or compacted (like < 0). */
static void fill(struct blockstack *s, struct bs_block *b, int32_t e, const lanemask *set,
		 int32_t like)
{
	for (unsigned i = 0; i < b->nwarps; i++)
		for (lanemask q = set[i]; q; q &= q - 1) {
			unsigned lane = (unsigned)__builtin_ctzll(q);
			bs_take(s, bs_warp(b, i), lane);
			bs_add(s, b, e, i, lane);
			if (like >= 0)
				at(s, e)->place[i * s->size + lane] =
					at(s, like)->place[i * s->size + lane];
		}
	if (like < 0)
		STAT(s->stats, warps_out) +=
			compact(at(s, e)->mask, b->nwarps, s->size, at(s, e)->place);
}

/* ---- forks ---- */

static bool joins_at(const struct blockstack *s, int32_t e, uint32_t pc, int32_t site)
{
	return e >= 0 && at(s, e)->pc == pc && at(s, e)->site == site;
}

/* Threads of `set` that go on where the first of them does, taken out of it. */
static const struct bs_thread *next_side(struct blockstack *s, struct bs_block *b, lanemask *set)
{
	unsigned i0, lane0;
	memset(s->side, 0, b->nwarps * sizeof *s->side);
	if (!first_of(b, set, &i0, &lane0))
		return NULL;
	const struct bs_thread *first = bs_thread(s, bs_warp(b, i0), lane0);
	for (unsigned i = i0; i < b->nwarps; i++)
		for (lanemask q = set[i]; q; q &= q - 1) {
			const struct bs_thread *t =
				bs_thread(s, bs_warp(b, i), (unsigned)__builtin_ctzll(q));
			if (t->pc == first->pc && t->site == first->site)
				s->side[i] |= q & -q;
		}
	for (unsigned i = i0; i < b->nwarps; i++)
		set[i] &= ~s->side[i];
	return first;
}

/* Where threads that part at u, at pc `from` of calls `site`, meet; NO_PC: where their entry
 * joins. */
static uint32_t meeting_point(const struct uop *u, uint32_t from)
{
	return uop_is(u, OF_CALL) ? from + 1 : uop_is(u, OF_RETURNS) ? NO_PC : u->reconv;
}

/* The threads s->set of entry e part as each says; e keeps the others. */
static void part_ways(struct blockstack *s, struct bs_block *b, int32_t e, const struct uop *u,
		      const struct bs_thread *any)
{
	uint32_t from = any->from, meet = meeting_point(u, from);
	int32_t site = any->at, join = at(s, e)->parent, like = e;
	bool polls = at(s, e)->polls;
	STAT(s->stats, parted)++;
	if (meet != NO_PC && !joins_at(s, join, meet, site)) {
		int32_t j = bs_new(s, b, join);
		at(s, j)->pc = meet;
		at(s, j)->site = site;
		memcpy(at(s, j)->place, at(s, like)->place,
		       (size_t)b->nwarps * s->size * sizeof(uint16_t));
		join = j;
	}
	int32_t ahead = -1;
	for (const struct bs_thread *t; (t = next_side(s, b, s->set));) {
		if (joins_at(s, join, t->pc, t->site)) {
			fill(s, b, join, s->side, join);
			continue;
		}
		int32_t p = bs_new(s, b, join);
		at(s, p)->pc = t->pc;
		at(s, p)->site = t->site;
		at(s, p)->polls = polls;
		fill(s, b, p, s->side, -1);
		ahead = t->pc == from + 1 ? p : ahead;
	}
	if (ahead >= 0) /* as the stack of a warp does: those who did not jump run first */
		at(s, ahead)->seq = ++b->seq;
	drop(s, b, join);
}

/* Threads of entry e that stopped as, and where, the first of them did: s->set. */
static const struct bs_thread *next_class(struct blockstack *s, struct bs_block *b, int32_t e)
{
	unsigned i0, lane0;
	const lanemask *all = at(s, e)->mask;
	memset(s->set, 0, b->nwarps * sizeof *s->set);
	if (!first_of(b, all, &i0, &lane0))
		return NULL;
	const struct bs_thread *first = bs_thread(s, bs_warp(b, i0), lane0);
	for (unsigned i = i0; i < b->nwarps; i++)
		for (lanemask q = all[i]; q; q &= q - 1) {
			const struct bs_thread *t =
				bs_thread(s, bs_warp(b, i), (unsigned)__builtin_ctzll(q));
			if (t->how == first->how && t->from == first->from && t->at == first->at)
				s->set[i] |= q & -q;
		}
	return first;
}

static unsigned count(const struct bs_block *b, const lanemask *set)
{
	unsigned n = 0;
	for (unsigned i = 0; i < b->nwarps; i++)
		n += (unsigned)__builtin_popcountll(set[i]);
	return n;
}

/* Do all threads of s->set go on at the same place? */
static bool uniform(const struct blockstack *s, const struct bs_block *b,
		    const struct bs_thread *first)
{
	for (unsigned i = 0; i < b->nwarps; i++)
		for (lanemask q = s->set[i]; q; q &= q - 1) {
			const struct bs_thread *t =
				bs_thread(s, bs_warp(b, i), (unsigned)__builtin_ctzll(q));
			if (t->pc != first->pc || t->site != first->site)
				return false;
		}
	return true;
}

/* Threads that wait, or go on at one place, are an entry beside e, with the warps they have. */
static void set_apart(struct blockstack *s, struct bs_block *b, int32_t e,
		      const struct bs_thread *first)
{
	int32_t join = at(s, e)->parent;
	if (joins_at(s, join, first->pc, first->site)) {
		fill(s, b, join, s->set, join);
		return;
	}
	struct bs_thread t = *first;
	int32_t p = bs_new(s, b, join);
	struct bs_entry *x = at(s, p);
	x->pc = t.pc;
	x->site = t.site;
	x->polls = at(s, e)->polls;
	x->how = t.how == BS_FORK ? BS_GOES_ON : t.how;
	x->waits = t.how == BS_BARRIER ? count(b, s->set) : 0;
	fill(s, b, p, s->set, e);
}

/* Nobody parts: the entry goes on as it is. */
static bool goes_on(struct blockstack *s, const struct bs_block *b, int32_t e,
		    const struct bs_thread *t)
{
	struct bs_entry *x = at(s, e);
	if (t->how > BS_GOES_ON || x->n != count(b, s->set) || !uniform(s, b, t) ||
	    joins_at(s, x->parent, t->pc, t->site))
		return false;
	x->pc = t->pc;
	x->site = t->site;
	return true;
}

void bs_settle(struct blockstack *s, struct bs_block *b)
{
	int32_t e = b->run;
	b->run = -1;
	for (const struct bs_thread *t; (t = next_class(s, b, e));) {
		STAT(s->stats, forks) += t->how == BS_FORK;
		if (goes_on(s, b, e, t))
			return;
		b->formed = -1;
		if (t->how == BS_FORK && !uniform(s, b, t))
			part_ways(s, b, e, &b->code[t->from], t);
		else
			set_apart(s, b, e, t);
	}
	b->formed = -1;
	drop(s, b, e);
}

/* ---- warp-level operations ---- */

/* Of warp i's threads that wait for others at entry e's place (in whatever entry) those who need no
 * one else. Those whose guard leaves the operation out need nobody, and nobody meets them. */
static lanemask complete(const struct blockstack *s, const struct div *d, const struct bs_block *b,
			 int32_t e, unsigned i)
{
	lanemask all = 0, was, live = d->sm->warp[bs_warp(b, i)].live;
	for (int32_t x = b->first; x >= 0; x = at(s, x)->next)
		if (at(s, x)->how == BS_SYNC && at(s, x)->pc == at(s, e)->pc &&
		    at(s, x)->site == at(s, e)->site)
			all |= at(s, x)->mask[i];
	lanemask meet = 0;
	for (lanemask q = all; q; q &= q - 1)
		if (bs_thread(s, bs_warp(b, i), (unsigned)__builtin_ctzll(q))->meets)
			meet |= q & -q;
	do {
		was = all;
		for (lanemask q = was & meet; q; q &= q - 1)
			if (bs_thread(s, bs_warp(b, i), (unsigned)__builtin_ctzll(q))->need & live &
			    ~(was & meet))
				all &= ~(q & -q);
	} while (all != was);
	return all;
}

static bool is_above(const struct blockstack *s, int32_t a, int32_t e)
{
	while (e >= 0 && e != a)
		e = at(s, e)->parent;
	return e == a;
}

/* The lowest join that is above all who have threads in s->side. */
static int32_t common_join(const struct blockstack *s, const struct bs_block *b, int32_t e)
{
	int32_t join = at(s, e)->parent;
	for (unsigned i = 0; i < b->nwarps; i++)
		for (lanemask q = s->side[i]; q; q &= q - 1) {
			const struct bs_thread *t =
				bs_thread(s, bs_warp(b, i), (unsigned)__builtin_ctzll(q));
			while (join >= 0 && !is_above(s, join, at(s, t->entry)->parent))
				join = at(s, join)->parent;
		}
	return join;
}

/* Threads that have met execute together, each warp's in a warp of its own; if e has any. */
static bool meet_at(struct blockstack *s, const struct div *d, struct bs_block *b, int32_t e)
{
	for (unsigned i = 0; i < b->nwarps; i++)
		s->side[i] = complete(s, d, b, e, i);
	if (!count(b, s->side))
		return false;
	int32_t p = bs_new(s, b, common_join(s, b, e));
	at(s, p)->pc = at(s, e)->pc;
	at(s, p)->site = at(s, e)->site;
	for (unsigned i = 0; i < b->nwarps; i++)
		for (lanemask q = s->side[i]; q; q &= q - 1) {
			unsigned lane = (unsigned)__builtin_ctzll(q);
			int32_t was = bs_thread(s, bs_warp(b, i), lane)->entry;
			bs_take(s, bs_warp(b, i), lane);
			bs_add(s, b, p, i, lane);
			at(s, p)->place[i * s->size + lane] = (uint16_t)i;
			drop(s, b, was);
		}
	return true;
}

static void meet_up(struct blockstack *s, const struct div *d, struct bs_block *b)
{
	for (int32_t e = b->first; e >= 0;)
		if (at(s, e)->how == BS_SYNC && meet_at(s, d, b, e))
			e = b->first;
		else
			e = at(s, e)->next;
}

/* ---- who runs next ---- */

static bool is_ready(const struct bs_entry *e)
{
	return e->how == BS_GOES_ON && e->n && !e->children;
}

static int32_t newest(const struct blockstack *s, const struct bs_block *b, bool polling)
{
	int32_t best = -1;
	for (int32_t e = b->first; e >= 0; e = at(s, e)->next)
		if (is_ready(at(s, e)) && (polling || !at(s, e)->polls) &&
		    (best < 0 || at(s, e)->seq > at(s, best)->seq))
			best = e;
	return best;
}

/* Those who have arrived at a join go on, though others are still on their way to it. */
static int32_t go_early(struct blockstack *s, struct bs_block *b)
{
	int32_t best = -1;
	for (int32_t e = b->first; e >= 0; e = at(s, e)->next)
		if (at(s, e)->n && at(s, e)->children &&
		    (best < 0 || at(s, e)->seq > at(s, best)->seq))
			best = e;
	if (best < 0)
		return -1;
	int32_t p = bs_new(s, b, at(s, best)->parent);
	at(s, p)->pc = at(s, best)->pc;
	at(s, p)->site = at(s, best)->site;
	fill(s, b, p, at(s, best)->mask, best);
	STAT(s->stats, early)++;
	return p;
}

static int32_t poll_again(struct blockstack *s, struct bs_block *b)
{
	for (int32_t e = b->first; e >= 0; e = at(s, e)->next)
		at(s, e)->polls = false;
	return newest(s, b, false);
}

int32_t bs_pick(struct blockstack *s, const struct div *d, struct bs_block *b)
{
	meet_up(s, d, b);
	for (;;) {
		int32_t e = newest(s, b, false);
		if (e < 0)
			e = go_early(s, b);
		if (e < 0)
			e = poll_again(s, b);
		if (e < 0)
			return -1;
		int32_t join = at(s, e)->parent;
		if (!joins_at(s, join, at(s, e)->pc, at(s, e)->site))
			return e;
		fill(s, b, join, at(s, e)->mask, join);
		drop(s, b, e);
	}
}
