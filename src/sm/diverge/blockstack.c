#include "sm/diverge/blockstack.h"
#include "sm/diverge/compact.h"

static const struct stat_def defs[] = {STAT_DEFS(TBC_STATS)};
static double accuracy(const void *v)
{
	const struct tbc_stats *s = v;
	return STAT(s, predicted) ? (double)STAT(s, predicted_right) / (double)STAT(s, predicted)
				  : 0;
}
static const struct stat_derived derived[] = {
	{"accuracy", "", "share of the compared predictions that were right", accuracy},
};
const struct stat_table tbc_stats = STAT_TABLE("tbc", defs, derived);

static struct bs_entry *entry_at(const struct blockstack *s, int32_t e) { return &s->entry.v[e]; }

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
						.lane = xcalloc(d->nwarps, 1),
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
	for (unsigned i = 0; i < s->nblocks; i++)
		free(s->block[i].lane);
	vec_free(&s->entry);
	calls_fini(&s->calls);
	free(s->thread);
	free(s->block);
	free(s->index);
	free(s->set);
	free(s->side);
	free(s->turn);
	free(s->places);
}

int32_t bs_new(struct blockstack *s, struct bs_block *b, int32_t parent)
{
	int32_t e = s->free_entry;
	if (e < 0) {
		e = (int32_t)s->entry.n;
		vec_push(&s->entry, (struct bs_entry){0});
	} else {
		s->free_entry = entry_at(s, e)->next;
	}
	struct bs_entry *x = entry_at(s, e);
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
		entry_at(s, parent)->children++;
	return e;
}

void bs_add(struct blockstack *s, struct bs_block *b, int32_t e, unsigned i, unsigned lane)
{
	entry_at(s, e)->mask[i] |= 1ull << lane;
	entry_at(s, e)->n++;
	bs_thread(s, bs_warp(b, i), lane)->entry = e;
}

void bs_take(struct blockstack *s, unsigned w, unsigned lane)
{
	struct bs_entry *e = entry_at(s, bs_thread(s, w, lane)->entry);
	e->mask[s->index[w]] &= ~(1ull << lane);
	e->n--;
}

/* Frees an entry that has no threads and no entries below it, then its parent if that is now empty
 * too. */
static void drop_entry(struct blockstack *s, struct bs_block *b, int32_t e)
{
	while (e >= 0 && !entry_at(s, e)->n && !entry_at(s, e)->children) {
		struct bs_entry *x = entry_at(s, e);
		int32_t *p = &b->first, parent = x->parent;
		while (*p != e)
			p = &entry_at(s, *p)->next;
		*p = x->next;
		x->next = s->free_entry;
		s->free_entry = e;
		e = parent;
		if (e >= 0)
			entry_at(s, e)->children--;
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

/* Moves the threads of a set to entry e. They keep the warps that entry `like` has, or are
 * compacted (like < 0). */
static void fill_entry(struct blockstack *s, struct bs_block *b, int32_t e, const lanemask *set,
		       int32_t like)
{
	for (unsigned i = 0; i < b->nwarps; i++)
		for (lanemask q = set[i]; q; q &= q - 1) {
			unsigned lane = (unsigned)__builtin_ctzll(q);
			bs_take(s, bs_warp(b, i), lane);
			bs_add(s, b, e, i, lane);
			if (like >= 0)
				entry_at(s, e)->place[i * s->size + lane] =
					entry_at(s, like)->place[i * s->size + lane];
		}
	if (like < 0)
		STAT(s->stats, warps_out) += compact(entry_at(s, e)->mask, b->lane, s->turn,
						     b->nwarps, s->size, entry_at(s, e)->place);
}

/* ---- forks ---- */

static bool joins_at(const struct blockstack *s, int32_t e, uint32_t pc, int32_t site)
{
	return e >= 0 && entry_at(s, e)->pc == pc && entry_at(s, e)->site == site;
}

/* Removes from `set`, and collects, the threads that continue at the pc and call site of the first
 * thread in the set. */
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

/* The pc where threads that diverge at u (pc `from`, call site `site`) meet again; NO_PC: the pc
 * where their entry joins. */
static uint32_t meeting_point(const struct uop *u, uint32_t from)
{
	return uop_is(u, OF_CALL) ? from + 1 : uop_is(u, OF_RETURNS) ? NO_PC : u->reconv;
}

/* Splits the threads s->set off entry e, each to the pc and call site in its bs_thread; e keeps the
 * other threads. */
static void part_ways(struct blockstack *s, struct bs_block *b, int32_t e, const struct uop *u,
		      const struct bs_thread *any)
{
	uint32_t from = any->from, meet = meeting_point(u, from);
	int32_t site = any->at, join = entry_at(s, e)->parent, like = e;
	bool polls = entry_at(s, e)->polls;
	STAT(s->stats, parted)++;
	if (meet != NO_PC && !joins_at(s, join, meet, site)) {
		int32_t j = bs_new(s, b, join);
		entry_at(s, j)->pc = meet;
		entry_at(s, j)->site = site;
		memcpy(entry_at(s, j)->place, entry_at(s, like)->place,
		       (size_t)b->nwarps * s->size * sizeof(uint16_t));
		join = j;
	}
	int32_t ahead = -1;
	for (const struct bs_thread *t; (t = next_side(s, b, s->set));) {
		if (joins_at(s, join, t->pc, t->site)) {
			fill_entry(s, b, join, s->side, join);
			continue;
		}
		int32_t p = bs_new(s, b, join);
		entry_at(s, p)->pc = t->pc;
		entry_at(s, p)->site = t->site;
		entry_at(s, p)->polls = polls;
		fill_entry(s, b, p, s->side, -1);
		ahead = t->pc == from + 1 ? p : ahead;
	}
	if (ahead >= 0) /* threads that did not take the branch run first, as on a warp's stack */
		entry_at(s, ahead)->seq = ++b->seq;
	drop_entry(s, b, join);
}

/* Collects in s->set the threads of entry e that stopped at the pc, and for the reason, of e's
 * first thread. */
static const struct bs_thread *next_class(struct blockstack *s, struct bs_block *b, int32_t e)
{
	unsigned i0, lane0;
	const lanemask *all = entry_at(s, e)->mask;
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

static unsigned count_threads(const struct bs_block *b, const lanemask *set)
{
	unsigned n = 0;
	for (unsigned i = 0; i < b->nwarps; i++)
		n += (unsigned)__builtin_popcountll(set[i]);
	return n;
}

/* True if all threads of s->set continue at one pc and call site. */
static bool is_uniform(const struct blockstack *s, const struct bs_block *b,
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

/* Moves threads that wait, or that continue at one pc, from entry e to a new entry with e's parent;
 * the threads keep their warps. */
static void set_apart(struct blockstack *s, struct bs_block *b, int32_t e,
		      const struct bs_thread *first)
{
	int32_t join = entry_at(s, e)->parent;
	if (joins_at(s, join, first->pc, first->site)) {
		fill_entry(s, b, join, s->set, join);
		return;
	}
	struct bs_thread t = *first;
	int32_t p = bs_new(s, b, join);
	struct bs_entry *x = entry_at(s, p);
	x->pc = t.pc;
	x->site = t.site;
	x->polls = entry_at(s, e)->polls;
	x->anywhere = t.how == BS_SYNC ? t.anywhere : 0;
	x->how = t.how == BS_FORK ? BS_GOES_ON : t.how;
	x->waits = t.how == BS_BARRIER ? count_threads(b, s->set) : 0;
	fill_entry(s, b, p, s->set, e);
}

/* True if the entry's threads stay together: the entry continues unchanged. */
static bool goes_on(struct blockstack *s, const struct bs_block *b, int32_t e,
		    const struct bs_thread *t)
{
	struct bs_entry *x = entry_at(s, e);
	if (t->how > BS_GOES_ON || x->n != count_threads(b, s->set) || !is_uniform(s, b, t) ||
	    joins_at(s, x->parent, t->pc, t->site))
		return false;
	x->pc = t->pc;
	x->site = t->site;
	x->met = false;
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
		if (t->how == BS_FORK && !is_uniform(s, b, t))
			part_ways(s, b, e, &b->code[t->from], t);
		else
			set_apart(s, b, e, t);
	}
	b->formed = -1;
	drop_entry(s, b, e);
}

void bs_find_places(const struct blockstack *s, const struct bs_block *b, bool *places)
{
	for (int32_t e = b->first; e >= 0; e = entry_at(s, e)->next)
		for (unsigned i = 0; i < b->nwarps; i++)
			for (lanemask q = entry_at(s, e)->mask[i]; q; q &= q - 1)
				for (int32_t x = e; x >= 0; x = entry_at(s, x)->parent)
					places[entry_at(s, x)
						       ->place[i * s->size +
							       (unsigned)__builtin_ctzll(q)]] =
						true;
}

/* ---- warp-level operations ---- */

static bool is_at(const struct bs_entry *x, const struct bs_entry *e)
{
	return x->how == BS_SYNC && x->pc == e->pc && x->site == e->site;
}

/* The threads of warp i that wait for lanes at entry e's pc and call site (in any entry), or at
 * operations where lanes may meet anywhere if e's is one, and whose partners have all arrived. A
 * thread whose guard is false neither needs a partner nor counts as one. */
static lanemask complete_lanes(const struct blockstack *s, const struct div *d,
			       const struct bs_block *b, int32_t e, unsigned i)
{
	lanemask all = 0, was, live = d->sm->warp[bs_warp(b, i)].live;
	for (int32_t x = b->first; x >= 0; x = entry_at(s, x)->next)
		if (is_at(entry_at(s, x), entry_at(s, e)) ||
		    (entry_at(s, x)->how == BS_SYNC && entry_at(s, x)->anywhere &&
		     entry_at(s, x)->anywhere == entry_at(s, e)->anywhere))
			all |= entry_at(s, x)->mask[i];
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
		e = entry_at(s, e)->parent;
	return e == a;
}

/* The lowest join that is above all entries with threads in s->side. */
static int32_t common_join(const struct blockstack *s, const struct bs_block *b, int32_t e)
{
	int32_t join = entry_at(s, e)->parent;
	for (unsigned i = 0; i < b->nwarps; i++)
		for (lanemask q = s->side[i]; q; q &= q - 1) {
			const struct bs_thread *t =
				bs_thread(s, bs_warp(b, i), (unsigned)__builtin_ctzll(q));
			while (join >= 0 && !is_above(s, join, entry_at(s, t->entry)->parent))
				join = entry_at(s, join)->parent;
		}
	return join;
}

/* Threads of the set s->side have met, at different operations: each executes its own. Removes from
 * the set the threads that are not at entry e's pc and call site. */
static void meet_elsewhere(struct blockstack *s, const struct bs_block *b, int32_t e)
{
	for (unsigned i = 0; i < b->nwarps; i++)
		for (lanemask q = s->side[i]; q; q &= q - 1) {
			struct bs_thread *t =
				bs_thread(s, bs_warp(b, i), (unsigned)__builtin_ctzll(q));
			t->met = t->meets;
			t->need = 0;
			if (!is_at(entry_at(s, t->entry), entry_at(s, e)))
				s->side[i] &= ~(q & -q);
		}
}

/* Threads that have met execute together, each warp's in a warp of its own. True if e has such
 * threads. */
static bool meet_at(struct blockstack *s, const struct div *d, struct bs_block *b, int32_t e)
{
	for (unsigned i = 0; i < b->nwarps; i++)
		s->side[i] = complete_lanes(s, d, b, e, i);
	if (entry_at(s, e)->anywhere)
		meet_elsewhere(s, b, e);
	if (!count_threads(b, s->side))
		return false;
	int32_t p = bs_new(s, b, common_join(s, b, e));
	entry_at(s, p)->pc = entry_at(s, e)->pc;
	entry_at(s, p)->site = entry_at(s, e)->site;
	entry_at(s, p)->met = true;
	for (unsigned i = 0; i < b->nwarps; i++)
		for (lanemask q = s->side[i]; q; q &= q - 1) {
			unsigned lane = (unsigned)__builtin_ctzll(q);
			int32_t was = bs_thread(s, bs_warp(b, i), lane)->entry;
			bs_take(s, bs_warp(b, i), lane);
			bs_add(s, b, p, i, lane);
			entry_at(s, p)->place[i * s->size + lane] = (uint16_t)i;
			drop_entry(s, b, was);
		}
	return true;
}

static void meet_up(struct blockstack *s, const struct div *d, struct bs_block *b)
{
	for (int32_t e = b->first; e >= 0;)
		if (entry_at(s, e)->how == BS_SYNC && meet_at(s, d, b, e))
			e = b->first;
		else
			e = entry_at(s, e)->next;
}

/* ---- choice of the next path ---- */

static bool is_ready(const struct bs_entry *e)
{
	return e->how == BS_GOES_ON && e->n && !e->children;
}

static int32_t newest_entry(const struct blockstack *s, const struct bs_block *b, bool polling)
{
	int32_t best = -1;
	for (int32_t e = b->first; e >= 0; e = entry_at(s, e)->next)
		if (is_ready(entry_at(s, e)) && (polling || !entry_at(s, e)->polls) &&
		    (best < 0 || entry_at(s, e)->seq > entry_at(s, best)->seq))
			best = e;
	return best;
}

/* Lets the threads that have arrived at a join continue before the others have arrived. */
static int32_t go_early(struct blockstack *s, struct bs_block *b)
{
	int32_t best = -1;
	for (int32_t e = b->first; e >= 0; e = entry_at(s, e)->next)
		if (entry_at(s, e)->n && entry_at(s, e)->children &&
		    (best < 0 || entry_at(s, e)->seq > entry_at(s, best)->seq))
			best = e;
	if (best < 0)
		return -1;
	int32_t p = bs_new(s, b, entry_at(s, best)->parent);
	entry_at(s, p)->pc = entry_at(s, best)->pc;
	entry_at(s, p)->site = entry_at(s, best)->site;
	fill_entry(s, b, p, entry_at(s, best)->mask, best);
	STAT(s->stats, early)++;
	return p;
}

static int32_t poll_again(struct blockstack *s, struct bs_block *b)
{
	for (int32_t e = b->first; e >= 0; e = entry_at(s, e)->next)
		entry_at(s, e)->polls = false;
	return newest_entry(s, b, false);
}

/* Sets places[] for the warps that hold the entry's threads; true if one of these warps is set in
 * taken[]. */
static bool claim_places(const struct blockstack *s, const struct bs_block *b, int32_t e,
			 const bool *taken, bool *places)
{
	bool twice = false;
	for (unsigned i = 0; i < b->nwarps; i++)
		for (lanemask q = entry_at(s, e)->mask[i]; q; q &= q - 1) {
			unsigned at =
				entry_at(s, e)->place[i * s->size + (unsigned)__builtin_ctzll(q)];
			twice |= taken && taken[at];
			places[at] = true;
		}
	return twice;
}

/* Warps that left entry e at an instruction where its other warps did not stop rejoin the entry
 * when they reach its pc and call site. */
static void absorb_like(struct blockstack *s, struct bs_block *b, int32_t e)
{
	bool *taken = s->places, *more = s->places + s->nwarps;
	memset(taken, 0, s->nwarps * sizeof *taken);
	claim_places(s, b, e, NULL, taken);
	for (int32_t x = b->first, next; x >= 0; x = next) {
		const struct bs_entry *y = entry_at(s, x), *as = entry_at(s, e);
		next = y->next;
		memset(more, 0, s->nwarps * sizeof *more);
		if (x == e || !is_ready(y) || y->pc != as->pc || y->site != as->site ||
		    y->parent != as->parent || y->met || as->met ||
		    claim_places(s, b, x, taken, more))
			continue;
		for (unsigned i = 0; i < s->nwarps; i++)
			taken[i] |= more[i];
		b->formed = b->formed == e || b->formed == x ? -1 : b->formed;
		fill_entry(s, b, e, y->mask, x);
		drop_entry(s, b, x);
	}
}

int32_t bs_pick(struct blockstack *s, const struct div *d, struct bs_block *b)
{
	meet_up(s, d, b);
	for (;;) {
		int32_t e = newest_entry(s, b, false);
		if (e < 0)
			e = go_early(s, b);
		if (e < 0)
			e = poll_again(s, b);
		if (e < 0)
			return -1;
		int32_t join = entry_at(s, e)->parent;
		if (!joins_at(s, join, entry_at(s, e)->pc, entry_at(s, e)->site)) {
			if (s->places)
				absorb_like(s, b, e);
			return e;
		}
		fill_entry(s, b, join, entry_at(s, e)->mask, join);
		drop_entry(s, b, e);
	}
}
