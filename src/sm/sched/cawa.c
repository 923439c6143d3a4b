/* Criticality-aware scheduling: the warp that is expected to end last goes first, until it cannot issue.
 *
 *	criticality = instructions ahead x cycles per instruction + stalled cycles
 *
 *	instructions ahead   a branch adds the length of the way that the warp takes and subtracts that of the other;
 *	                     both, if its threads part; each instruction issued subtracts one. Never below 0
 *	cycles per instr.    of the warp since its start
 *	stalled cycles       since its start, in which it was ready or waited, and did not issue
 *
 *	@p bra ELSE   not taken    + 3 - 5     ELSE is 3 instructions ahead, and the ways meet 5 behind it
 *	              taken        + 5 - 3
 *	@p bra LOOP   taken        + 9         a way back: the instructions of the loop; not taken: none
 *
 * Equal warps go by age, the oldest first. The paper's second part, which keeps lines of critical warps in the L1D, is
 * not implemented. Where groups regroup a group has the history of the groups that had its number before. */
#include "sm/sched/pick.h"

#include "exec/image.h"

#define CAWA_STATS(X)                                                                              \
	X(switches, STAT_SUM, 1, "groups",                                                         \
	  "groups that went first because they were most critical")                                \
	X(younger, STAT_SUM, 1, "groups", "of these, those that an older group was ready beside")
struct stats {
	STAT_FIELDS(CAWA_STATS)
};
static const struct stat_def defs[] = {STAT_DEFS(CAWA_STATS)};
static const struct stat_table table = STAT_TABLE_PLAIN("cawa", defs);

struct progress { /* of a group, by its number */
	int64_t ahead;
	uint64_t issued, stalled;
	cycle_t start, last; /* cycle in which the group began; cycle in which the group last
			      * issued */
	bool runs;           /* the group has issued */
};

struct state {
	struct progress *group;
	int last; /* the group that issued last; -1: none, or it has ended */
	/* The choice: number, pc and threads of the group before it issues. */
	int chosen;
	uint32_t pc;
	lanemask active;
};

static void init(struct sched *s)
{
	struct state *st = s->state;
	st->group = xcalloc(s->n, sizeof *st->group);
	st->last = st->chosen = -1;
}

static void fini(struct sched *s) { free(((struct state *)s->state)->group); }

static uint64_t stalled_until(const struct progress *p, cycle_t now)
{
	return p->stalled + (p->runs && now > p->last ? now - p->last - 1 : 0);
}

static uint64_t criticality(const struct sched *s, int k)
{
	const struct progress *p = &((const struct state *)s->state)->group[k];
	cycle_t now = s->sm->now;
	uint64_t each = p->issued ? (now - p->start) / p->issued : 1;
	return (uint64_t)p->ahead * each + stalled_until(p, now);
}

static int most_critical(const struct sched *s, const uint64_t *set)
{
	int best = -1;
	uint64_t most = 0;
	for (unsigned w = 0; w < s->words; w++)
		for (uint64_t bits = set[w]; bits; bits &= bits - 1) {
			int k = (int)(w * 64 + (unsigned)__builtin_ctzll(bits));
			uint64_t c = criticality(s, k);
			if (best >= 0 &&
			    (c < most ||
			     (c == most && sched_group(s, k)->age > sched_group(s, best)->age)))
				continue;
			best = k;
			most = c;
		}
	return best;
}

static int pick(struct sched *s, const uint64_t *ready)
{
	struct state *st = s->state;
	int k = st->last;
	if (k < 0 || !set_has(ready, k)) {
		k = most_critical(s, ready);
		STAT((struct stats *)s->stats, switches)++;
		STAT((struct stats *)s->stats, younger) += k != pick_oldest(s, ready);
	}
	st->chosen = k;
	st->pc = sched_group(s, k)->pc;
	st->active = sched_group(s, k)->active;
	return k;
}

static int64_t count_between(uint32_t from, uint32_t to)
{
	return to > from && to != NO_PC ? (int64_t)(to - from) : 0;
}

/* Instructions that a group will execute in addition because of the path that it took at branch u,
 * where it had the threads st->active. */
static int64_t added_by(const struct state *st, const struct uop *u, const struct group *g)
{
	bool back = u->target <= st->pc;
	int64_t on = back ? 0 : count_between(st->pc + 1, u->target);
	int64_t jump =
		back ? count_between(u->target, st->pc + 1) : count_between(u->target, u->reconv);
	if (g->active && g->active != st->active)
		return on + jump;
	bool taken = u->target != st->pc + 1 && g->pc == u->target;
	return taken ? jump - on : back ? 0 : on - jump;
}

static void issued(struct sched *s, int k)
{
	struct state *st = s->state;
	struct progress *p = &st->group[k];
	const struct group *g = sched_group(s, k);
	cycle_t now = s->sm->now;
	p->stalled = stalled_until(p, now);
	if (!p->runs)
		p->start = now;
	p->runs = true;
	p->last = now;
	p->issued++;
	st->last = k;
	if (st->chosen == k && g->warp != GROUP_MIXED && s->sm->warp[g->warp].b) {
		const struct uop *u = &s->sm->warp[g->warp].b->k->l->img->code[st->pc];
		if (uop_is(u, OF_BRANCH) && u->guard >= 0)
			p->ahead += added_by(st, u, g);
	}
	p->ahead = p->ahead > 0 ? p->ahead - 1 : 0;
	st->chosen = -1;
}

static void left(struct sched *s, int k)
{
	struct state *st = s->state;
	st->group[k] = (struct progress){0};
	if (st->last == k)
		st->last = -1;
}

const struct sched_ops sched_cawa = {
	.p = {"cawa", "greedy, then the warp that is expected to end last",
	      "Lee, Arunkumar, Wu, ISCA 2015", .stats = &table, .state_size = sizeof(struct state)},
	.init = init,
	.fini = fini,
	.pick = pick,
	.issued = issued,
	.left = left,
};
