/* Static wavefront limiting: only the swl.warps oldest warps of a scheduler issue, greedy, then the
 * oldest. Fewer warps share the L1D, so each has more hits there; a sweep finds the best limit.
 *
 * 	age      1  2  3  4  5     swl.warps = 2
 * 	state    M  B  r  r  r     M: waits for memory, B: at a barrier, r: ready
 * 	issues         ^           1 and 3 are the two that count; 4 and 5 are held back
 *
 * A warp at a barrier, after a fence, waiting for lanes or polling in vain does not count: the
 * warps that it waits for may be younger. */
#include "sm/sched/pick.h"

struct options {
	uint32_t warps;
};
static const struct option rows[] = {
	OPTION_NUM(struct options, warps, "swl.warps", 8, 1, 128, "warps",
		   "sm.scheduler = swl: warps of a scheduler that may issue"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true};

struct state {
	int last; /* the group that issued last; -1: none, or it has ended */
	unsigned most;
};

static void init(struct sched *s)
{
	const struct options *o = machine_own(s->sm->m, &options);
	*(struct state *)s->state = (struct state){-1, o->warps};
}

/* True if the scheduler's group k counts against the limit of warps that may issue. */
static bool takes_place(const struct sched *s, int k)
{
	const struct gslot *g = &s->sm->slot[(unsigned)k * s->sm->nsched + s->id];
	const uint32_t others = 1u << GS_FREE | 1u << GS_DRAIN | 1u << GS_BARRIER | 1u << GS_SYNC |
				1u << GS_FENCE | 1u << GS_ORDERED;
	return !(others >> g->state & 1) && !g->yields;
}

/* True if fewer older groups than the limit count before group k. */
static bool may_issue(const struct sched *s, int k)
{
	const struct state *st = s->state;
	const uint64_t *busy = sm_set(s->sm, s->id, SET_BUSY);
	uint64_t age = sched_group(s, k)->age;
	unsigned before = 0;
	for (unsigned w = 0; w < s->words; w++)
		for (uint64_t bits = busy[w]; bits; bits &= bits - 1) {
			int i = (int)(w * 64 + (unsigned)__builtin_ctzll(bits));
			before += sched_group(s, i)->age < age && takes_place(s, i);
		}
	return before < st->most;
}

static int pick(struct sched *s, const uint64_t *ready)
{
	const struct state *st = s->state;
	if (st->last >= 0 && set_has(ready, st->last) && may_issue(s, st->last))
		return st->last;
	int k = pick_oldest(s, ready);
	return may_issue(s, k) ? k : -1;
}

static void issued(struct sched *s, int k) { ((struct state *)s->state)->last = k; }

static void left(struct sched *s, int k)
{
	struct state *st = s->state;
	if (st->last == k)
		st->last = -1;
}

static bool before(const struct sched *s, int a, int b)
{
	const struct state *st = s->state;
	return a == st->last || (b != st->last && sched_group(s, a)->age < sched_group(s, b)->age);
}

const struct sched_ops sched_swl = {
	.p = {"swl", "greedy, then the oldest, among the swl.warps oldest warps alone",
	      "Rogers, O'Connor, Aamodt, MICRO 2012, section 3", .state_size = sizeof(struct state),
	      .options = {&options}},
	.init = init,
	.holds = true,
	.pick = pick,
	.issued = issued,
	.left = left,
	.before = before,
};
