/* Majority: stays at the most common pc of all its groups until no group there is ready. Groups at
 * one pc take turns; with majority.order = fifo, the first is the one that entered the pool first or,
 * in mechanisms without a pool, the one that was issued longest ago. */
#include "sm/sched/pccount.h"

#define ORDERS(X) X(ROUND_ROBIN, "round-robin") X(FIFO, "fifo")
enum { ORDERS(CHOICE_ENUM) };
struct options {
	uint32_t order;
};
static const struct option rows[] = {
	OPTION_CHOICE(struct options, order, "majority.order", "round-robin", ORDERS,
		      "sm.scheduler = majority: order among the warps at the "
		      "majority's pc; fifo: the first to enter the pool, or the "
		      "warp issued longest ago"),
};
static const char *refuses_options(const struct machine *m, char *buf, size_t n);
static const struct option_table options = {OPTION_TABLE(rows, struct options),
					    .refuses = refuses_options};

struct state {
	uint32_t pc; /* the pc that is being issued */
	bool has;
	unsigned next;
	bool fifo, pool;
	uint64_t *last, clock; /* fifo without a pool: time at which each group was issued */
	struct pc_count count;
};

static void init(struct sched *s)
{
	struct state *st = s->state;
	pc_count_init(&st->count, s);
	const struct machine *m = s->sm->m;
	st->fifo = ((const struct options *)machine_own(m, &options))->order == FIFO;
	st->pool = div_pools(m->diverge);
	if (st->fifo && !st->pool)
		st->last = xcalloc(s->n, sizeof *st->last);
}

static void fini(struct sched *s)
{
	struct state *st = s->state;
	pc_count_fini(&st->count);
	free(st->last);
}

static int pick_first_in(const struct sched *s, const uint64_t *set)
{
	const struct state *st = s->state;
	if (st->pool)
		return pick_oldest(s, set);
	int best = -1;
	for (unsigned w = 0; w < s->words; w++)
		for (uint64_t bits = set[w]; bits; bits &= bits - 1) {
			int k = (int)(w * 64 + (unsigned)__builtin_ctzll(bits));
			if (best < 0 || st->last[k] < st->last[best])
				best = k;
		}
	return best;
}

/* Chooses the most common pc among all groups that run; among equally common ones the lowest. Only
 * a pc with a ready group can be chosen. */
static void choose_pc(struct sched *s, const uint64_t *ready)
{
	struct state *st = s->state;
	uint32_t best = 0;
	pc_count_all(&st->count, s);
	st->has = false;
	for (unsigned w = 0; w < s->words; w++)
		for (uint64_t bits = ready[w]; bits; bits &= bits - 1) {
			uint32_t pc =
				sched_group(s, (int)(w * 64 + (unsigned)__builtin_ctzll(bits)))->pc;
			uint32_t n = pc_count(&st->count, pc, 0);
			if (n > best || (n == best && pc < st->pc)) {
				best = n;
				st->pc = pc;
				st->has = true;
			}
		}
}

static int at_pc(struct sched *s, const uint64_t *ready)
{
	struct state *st = s->state;
	uint64_t set[SCHED_WORDS];
	for (unsigned w = 0; w < s->words; w++) {
		set[w] = 0;
		for (uint64_t bits = ready[w]; bits; bits &= bits - 1)
			if (sched_group(s, (int)(w * 64 + (unsigned)__builtin_ctzll(bits)))->pc ==
			    st->pc)
				set[w] |= bits & -bits;
	}
	return st->fifo ? pick_first_in(s, set) : pick_from(set, s->words, st->next);
}

static int pick(struct sched *s, const uint64_t *ready)
{
	struct state *st = s->state;
	int k = st->has ? at_pc(s, ready) : -1;
	if (k < 0) {
		choose_pc(s, ready);
		k = at_pc(s, ready);
	}
	return k;
}

static void issued(struct sched *s, int k)
{
	struct state *st = s->state;
	st->next = ((unsigned)k + 1) % s->n;
	if (st->last)
		st->last[k] = ++st->clock;
}

const struct sched_ops sched_majority = {
	.p = {"majority", "stays on the most common pc while a warp there is ready",
	      "Fung, Sham, Yuan, Aamodt, MICRO 2007, section 5", .state_size = sizeof(struct state),
	      .options = {&options}},
	.init = init,
	.fini = fini,
	.pick = pick,
	.issued = issued,
};

static const char *refuses_options(const struct machine *m, char *buf, size_t n)
{
	char order[16];
	if (m->sched == &sched_majority || !machine_is_set(m, "majority.order"))
		return NULL;
	snprintf(buf, n, "majority.order = %s: sm.scheduler = %s has no majority",
		 machine_text(m, "majority.order", order, sizeof order), policy_name(m->sched));
	return buf;
}
