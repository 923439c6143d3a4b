/* Cache-conscious wavefront scheduling: while warps lose lines that they would have used again, only they may issue
 * loads.
 *
 *	L1D evicts a line ----> victim tags of the warp that fetched it (ccws.ways x 2 sets, first in, first out)
 *	L1D misses a line ----> found in the victim tags of the missing warp? lost locality: its score rises
 *
 *	score  ####                     cutoff = ccws.base x warps: the warps below it may not load
 *	       ####
 *	       ####  ####  ## | ##      W2 has lost locality: its score pushes W3 over the cutoff, until it has fallen
 *	        W2    W0   W1 | W3      back by 1 a cycle
 *
 * A hit in the victim tags raises the warp's score by (hits / instructions) x ccws.throttle x cutoff, where the cutoff
 * is that of all live warps; this product is also the largest score, and ccws.base the smallest. Only loads of global
 * and local memory are held back. Among the groups that may issue the order is greedy, then the oldest. All schedulers
 * of an SM share the scores. In the paper's released simulator a score falls below the base if the product is smaller. */
#include "sm/sched/pick.h"

enum { SETS = 2, MAX_WAYS = 64 };

struct options {
	uint32_t base, throttle, ways;
};
static const struct option rows[] = {
	OPTION_NUM(struct options, base, "ccws.base", 100, 1, 100000, "cycles",
		   "score of a warp that has lost no locality"),
	OPTION_NUM(struct options, throttle, "ccws.throttle", 8, 0, 1000, "",
		   "how strongly lost locality raises a score; 0: never"),
	OPTION_NUM(struct options, ways, "ccws.ways", 8, 1, MAX_WAYS, "tags",
		   "victim tags of a warp in each of two sets"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true};

#define CCWS_STATS(X)                                                                              \
	X(tags, STAT_SUM, 1, "lines", "lines whose tags went to the victim tags of a warp")        \
	X(lost, STAT_SUM, 1, "misses", "misses found in the victim tags of the warp that missed")  \
	X(held, STAT_SUM, 1, "slots", "choices in which a ready load was held back")               \
	X(score, STAT_MAX, 1, "cycles", "highest score")
struct stats {
	STAT_FIELDS(CCWS_STATS)
};
static const struct stat_def defs[] = {STAT_DEFS(CCWS_STATS)};
static const struct stat_table table = STAT_TABLE_PLAIN("ccws", defs);

struct locality {      /* state of a group of the SM, by the group's number */
	uint64_t *tag; /* SETS x ways line numbers + 1; 0: none */
	uint8_t next[SETS];
	uint64_t score; /* value at cycle `at`; falls by 1 per cycle since then, down to the base */
	cycle_t at;
	uint64_t lost, issued; /* hits in the victim tags; instructions, since the warp's start */
};

struct shared { /* state shared by all schedulers of an SM */
	struct options o;
	struct locality *warp;
	uint64_t *tags;
	uint16_t *order;       /* live groups by falling score */
	uint64_t *may_load;    /* set of groups by number, valid in cycle `decided` */
	uint64_t lost, issued; /* sums over live groups */
	cycle_t calm;          /* cycle from which no score is above the base */
	cycle_t decided;
};

struct state {
	int last; /* the group that issued last; -1: none, or it has ended */
};

static void init(struct sched *s)
{
	struct shared *h = s->shared;
	const struct sm *sm = s->sm;
	((struct state *)s->state)->last = -1;
	if (h->warp)
		return;
	h->o = *(const struct options *)machine_own(sm->m, &options);
	size_t n = sm->ngroups ? sm->ngroups : s->n;
	h->warp = xcalloc(n, sizeof *h->warp);
	h->tags = xcalloc(n * SETS * h->o.ways, sizeof *h->tags);
	h->order = xcalloc(n, sizeof *h->order);
	h->may_load = xcalloc(n / 64 + 1, sizeof *h->may_load);
	h->decided = NEVER;
	for (size_t g = 0; g < n; g++)
		h->warp[g] = (struct locality){.tag = h->tags + g * SETS * h->o.ways,
					       .score = h->o.base};
}

static void fini(struct sched *s)
{
	struct shared *h = s->shared;
	free(h->warp);
	free(h->tags);
	free(h->order);
	free(h->may_load);
	h->warp = NULL;
	h->tags = h->may_load = NULL;
	h->order = NULL;
}

static unsigned group_of(const struct sched *s, int k)
{
	return (unsigned)k * s->sm->nsched + s->id;
}

static uint64_t score_of(const struct shared *h, unsigned g, cycle_t now)
{
	const struct locality *w = &h->warp[g];
	uint64_t fallen = now - w->at, above = w->score - h->o.base;
	return h->o.base + (above > fallen ? above - fallen : 0);
}

/* ---- victim tags ---- */

static uint64_t *tags_of(const struct shared *h, unsigned g, uint64_t line)
{
	return h->warp[g].tag + line % SETS * h->o.ways;
}

static bool has_tag(const struct shared *h, unsigned g, uint64_t line)
{
	const uint64_t *tag = tags_of(h, g, line);
	for (unsigned i = 0; i < h->o.ways; i++)
		if (tag[i] == line + 1)
			return true;
	return false;
}

static void insert_tag(struct shared *h, unsigned g, uint64_t line)
{
	uint8_t *next = &h->warp[g].next[line % SETS];
	if (has_tag(h, g, line))
		return;
	tags_of(h, g, line)[*next] = line + 1;
	*next = (uint8_t)(*next + 1u < h->o.ways ? *next + 1 : 0);
}

/* Removes a written line from the victim tags: the write would have evicted it anyway, so no
 * locality is lost. */
static void drop_tag(struct shared *h, unsigned groups, uint64_t line)
{
	for (unsigned g = 0; g < groups; g++) {
		uint64_t *tag = tags_of(h, g, line);
		for (unsigned i = 0; i < h->o.ways; i++)
			if (tag[i] == line + 1)
				tag[i] = 0;
	}
}

/* ---- scores ---- */

static unsigned live_groups(const struct sm *sm)
{
	unsigned n = 0;
	for (unsigned i = 0; i < sm->nsched; i++)
		n += sm->sched[i].n - sm->issuer[i].count[GS_FREE];
	return n;
}

static void raise_score(struct sched *s, unsigned g)
{
	struct shared *h = s->shared;
	cycle_t now = s->sm->now;
	struct locality *w = &h->warp[g];
	w->lost++;
	h->lost++;
	STAT((struct stats *)s->stats, lost)++;
	uint64_t cutoff = (uint64_t)live_groups(s->sm) * h->o.base;
	uint64_t more = h->issued ? h->lost * h->o.throttle * cutoff / h->issued : 0;
	uint64_t score = score_of(h, g, now) + more, most = more > h->o.base ? more : h->o.base;
	w->score = score < most ? score : most;
	w->at = now;
	h->decided = NEVER;
	if (now + (w->score - h->o.base) > h->calm)
		h->calm = now + (w->score - h->o.base);
	if (w->score > STAT((struct stats *)s->stats, score))
		STAT((struct stats *)s->stats, score) = w->score;
}

static void l1d(struct sched *s, int k, enum l1d_event what, uint64_t line)
{
	struct shared *h = s->shared;
	unsigned g = group_of(s, k);
	if (what == L1D_EVICTED) {
		insert_tag(h, g, line);
		STAT((struct stats *)s->stats, tags)++;
	} else if (what == L1D_MISSED && has_tag(h, g, line)) {
		raise_score(s, g);
	} else if (what == L1D_WRITTEN) {
		drop_tag(h, s->sm->ngroups, line);
	}
}

/* Sorts the live groups by falling score, equal scores by rising number; returns their number. */
static unsigned sort_live(struct sched *s)
{
	struct shared *h = s->shared;
	const struct sm *sm = s->sm;
	unsigned n = 0;
	for (unsigned g = 0; g < sm->ngroups; g++) {
		if (sm->slot[g].state == GS_FREE)
			continue;
		uint64_t score = score_of(h, g, sm->now);
		unsigned i = n++;
		for (; i && score_of(h, h->order[i - 1], sm->now) < score; i--)
			h->order[i] = h->order[i - 1];
		h->order[i] = (uint16_t)g;
	}
	return n;
}

/* Decides which groups may load in this cycle: by falling score until the sum reaches the cutoff. */
static void decide_loads(struct sched *s)
{
	struct shared *h = s->shared;
	unsigned n = sort_live(s);
	uint64_t cutoff = (uint64_t)n * h->o.base, sum = 0;
	memset(h->may_load, 0, (s->sm->ngroups / 64 + 1) * sizeof *h->may_load);
	for (unsigned i = 0; i < n && sum < cutoff; i++) {
		sum += score_of(h, h->order[i], s->sm->now);
		h->may_load[h->order[i] / 64] |= 1ull << h->order[i] % 64;
	}
	h->decided = s->sm->now;
}

/* ---- choice ---- */

/* True if the group's next instruction is a load of global or local memory. */
static bool is_load(const struct sched *s, int k)
{
	const struct group *g = sched_group(s, k);
	const struct tinst *t = &sm_home(s->sm, g)->code[g->pc];
	return (t->flags & T_MEMORY) && !(t->flags & T_STORE) && t->wait == W_GLOBAL;
}

/* Removes the loads that are held back from the set. True: there are any. */
static bool hold_loads(struct sched *s, uint64_t *set)
{
	struct shared *h = s->shared;
	bool held = false;
	if (h->decided != s->sm->now)
		decide_loads(s);
	for (unsigned w = 0; w < s->words; w++)
		for (uint64_t bits = set[w]; bits; bits &= bits - 1) {
			int k = (int)(w * 64 + (unsigned)__builtin_ctzll(bits));
			if (set_has(h->may_load, (int)group_of(s, k)) || !is_load(s, k))
				continue;
			set[w] &= ~(bits & -bits);
			held = true;
		}
	return held;
}

static int pick_greedy(const struct sched *s, const uint64_t *set)
{
	const struct state *st = s->state;
	return st->last >= 0 && set_has(set, st->last) ? st->last : pick_oldest(s, set);
}

static int pick(struct sched *s, const uint64_t *ready)
{
	const struct shared *h = s->shared;
	uint64_t set[SCHED_WORDS];
	if (s->sm->now >= h->calm)
		return pick_greedy(s, ready);
	memcpy(set, ready, s->words * sizeof *set);
	bool held = hold_loads(s, set);
	int k = pick_greedy(s, set);
	STAT((struct stats *)s->stats, held) += held;
	if (k < 0 && s->sm->now + 1 < s->sm->unit_wake)
		s->sm->unit_wake = s->sm->now + 1; /* scores fall */
	return k;
}

static void issued(struct sched *s, int k)
{
	struct shared *h = s->shared;
	((struct state *)s->state)->last = k;
	h->warp[group_of(s, k)].issued++;
	h->issued++;
}

/* The group's warp has ended: subtracts its counts from the sums and clears its tags for the next
 * warp of that number. */
static void left(struct sched *s, int k)
{
	struct shared *h = s->shared;
	struct state *st = s->state;
	struct locality *w = &h->warp[group_of(s, k)];
	if (st->last == k)
		st->last = -1;
	h->lost -= w->lost;
	h->issued -= w->issued;
	memset(w->tag, 0, SETS * h->o.ways * sizeof *w->tag);
	*w = (struct locality){.tag = w->tag, .score = h->o.base};
	h->decided = NEVER;
}

const struct sched_ops sched_ccws = {
	.p = {"ccws",
	      "greedy, then the oldest; warps that lose locality in the L1D are the only ones to load",
	      "Rogers, O'Connor, Aamodt, MICRO 2012", .stats = &table,
	      .state_size = sizeof(struct state), .options = {&options}},
	.shared_size = sizeof(struct shared),
	.init = init,
	.fini = fini,
	.pick = pick,
	.issued = issued,
	.left = left,
	.l1d = l1d,
};
