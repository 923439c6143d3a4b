/* Memory-aware scheduling: while the L1D is nearly saturated, only one warp issues memory
 * instructions, so that its data arrive together and it computes while the next warp loads.
 *
 * 	not saturated     greedy, then the oldest
 * 	saturated         computing groups first; then memory instructions of the owner, and of no other warp
 *
 * Saturated means that fewer than mascar.free MSHRs or places of the L1D's miss queue are free, or
 * that an access of the load/store unit has been refused. The owner stays until it waits for a
 * result or at a barrier, or ends; then the oldest warp with a memory instruction becomes the
 * owner. All schedulers of an SM share one owner. The second half of the paper's proposal, a queue
 * that lets hits pass loads that the L1D has refused, is not implemented. */
#include "sm/lsu.h"
#include "sm/sched/pick.h"

struct options {
	uint32_t free;
};
static const struct option rows[] = {
	OPTION_NUM(
		struct options, free, "mascar.free", 4, 0, 65536, "entries",
		"sm.scheduler = mascar: with fewer free MSHRs or miss queue entries the L1D is saturated"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true};

#define MASCAR_STATS(X)                                                                            \
	X(saturated, STAT_SUM, 1, "slots", "choices while the L1D was saturated")                  \
	X(held, STAT_SUM, 1, "slots",                                                              \
	  "choices in which memory instructions were held back and nothing issued")                \
	X(owners, STAT_SUM, 1, "warps", "changes of the owner")
struct stats {
	STAT_FIELDS(MASCAR_STATS)
};
static const struct stat_def defs[] = {STAT_DEFS(MASCAR_STATS)};
static const struct stat_table table = STAT_TABLE_PLAIN("mascar", defs);

struct shared {
	unsigned owner; /* group of the SM that may load while saturated, + 1; 0: none */
};
struct state {
	int last; /* the group that issued last; -1: none, or it has ended */
	unsigned free;
};

static void init(struct sched *s)
{
	const struct options *o = machine_own(s->sm->m, &options);
	*(struct state *)s->state = (struct state){-1, o->free};
}

static unsigned group_of(const struct sched *s, int k)
{
	return (unsigned)k * s->sm->nsched + s->id;
}

static bool is_saturated(const struct sched *s)
{
	const struct l1 *l = s->sm->l1;
	const struct cache *c = &l->cache[L1D];
	unsigned free = ((const struct state *)s->state)->free;
	if (lsu_blocked(s->sm->lsu))
		return true;
	return l->on[L1D] && (c->mshr.n - c->mshr.used < free || ring_room(&c->out) < free);
}

/* Divides ready groups into those whose next instruction accesses memory and those that compute. */
static bool divide_ready(const struct sched *s, const uint64_t *ready, uint64_t *memory,
			 uint64_t *compute)
{
	uint64_t any = 0;
	for (unsigned w = 0; w < s->words; w++) {
		memory[w] = 0;
		for (uint64_t bits = ready[w]; bits; bits &= bits - 1) {
			const struct group *g =
				sched_group(s, (int)(w * 64 + (unsigned)__builtin_ctzll(bits)));
			const struct tinst *t = &sm_home(s->sm, g)->code[g->pc];
			memory[w] |= t->flags & T_MEMORY && t->wait == W_GLOBAL ? bits & -bits : 0;
		}
		compute[w] = ready[w] & ~memory[w];
		any |= compute[w];
	}
	return any != 0;
}

/* True if the owner is neither in a long wait nor deferred, and does not poll in vain. */
static bool owner_stays(const struct sched *s)
{
	const struct shared *h = s->shared;
	if (!h->owner)
		return false;
	const struct gslot *o = &s->sm->slot[h->owner - 1];
	return o->state != GS_FREE && !gstate_is_long(o->state) && o->state != GS_ORDERED &&
	       !o->yields;
}

static int pick_greedy(const struct sched *s, const uint64_t *set)
{
	const struct state *st = s->state;
	return st->last >= 0 && set_has(set, st->last) ? st->last : pick_oldest(s, set);
}

static int pick(struct sched *s, const uint64_t *ready)
{
	struct shared *h = s->shared;
	struct stats *count = s->stats;
	uint64_t memory[SCHED_WORDS], compute[SCHED_WORDS];
	if (!is_saturated(s))
		return pick_greedy(s, ready);
	STAT(count, saturated)++;
	if (divide_ready(s, ready, memory, compute))
		return pick_greedy(s, compute);
	if (!owner_stays(s)) {
		h->owner = group_of(s, pick_oldest(s, memory)) + 1;
		STAT(count, owners)++;
	}
	unsigned g = h->owner - 1;
	int k = g % s->sm->nsched == s->id ? (int)(g / s->sm->nsched) : -1;
	if (k >= 0 && set_has(memory, k))
		return k;
	STAT(count, held)++;
	return -1;
}

static void issued(struct sched *s, int k) { ((struct state *)s->state)->last = k; }

static void left(struct sched *s, int k)
{
	struct state *st = s->state;
	struct shared *h = s->shared;
	if (st->last == k)
		st->last = -1;
	if (h->owner == group_of(s, k) + 1)
		h->owner = 0;
}

const struct sched_ops sched_mascar = {
	.p = {"mascar",
	      "greedy, then the oldest; one warp alone issues loads while the L1D is saturated",
	      "Sethia, Jamshidi, Mahlke, HPCA 2015", .stats = &table,
	      .state_size = sizeof(struct state), .options = {&options}},
	.shared_size = sizeof(struct shared),
	.init = init,
	.holds = true,
	.pick = pick,
	.issued = issued,
	.left = left,
};
