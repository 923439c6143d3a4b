/* Block-aware scheduling in two levels: resident blocks form groups of at least owl.warps warps,
 * and one of these groups has priority.
 *
 * 	SM 0   [blocks 0 1] [blocks 2 3] [blocks 4 5]      owl.locality: the first group gets priority back as soon as
 * 	        first                                      one of its warps is ready; no: priority passes to the next
 * 	SM 1   [blocks 0 1] [blocks 2 3] [blocks 4 5]      group when all warps of the present one wait for long
 * 	                     first                         owl.banks: neighbouring SMs begin with different groups
 *
 * Blocks are numbered by their places on the SM. Inside a group the order is round robin. The
 * fourth step of the paper, the prefetch of the rest of an open DRAM row into the L2, is not
 * implemented. */
#include "sm/sched/pick.h"

struct options {
	uint32_t warps;
	bool locality, banks;
};
static const struct option rows[] = {
	OPTION_NUM(struct options, warps, "owl.warps", 8, 1, 128, "warps",
		   "sm.scheduler = owl: least number of warps of a group of blocks"),
	OPTION_BOOL(
		struct options, locality, "owl.locality", true,
		"sm.scheduler = owl: the same group is first whenever it has a ready warp; no: until all its warps "
		"wait for long"),
	OPTION_BOOL(struct options, banks, "owl.banks", true,
		    "sm.scheduler = owl: SMs next to each other begin with different groups"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true};

struct state {
	struct options o;
	unsigned first; /* the group with priority, if it changes */
	unsigned next;  /* next warp in round robin */
};

static void init(struct sched *s)
{
	struct state *st = s->state;
	st->o = *(const struct options *)machine_own(s->sm->m, &options);
	st->first = st->o.banks ? s->sm->id : 0;
}

/* Group of blocks that the scheduler's group k belongs to; *most: number of such groups on the
 * SM. */
static unsigned blocks_of(const struct sched *s, int k, unsigned *most)
{
	const struct state *st = s->state;
	const struct block *b = sm_home(s->sm, sched_group(s, k))->b;
	unsigned each = (st->o.warps + b->nwarps - 1) / b->nwarps;
	*most = (s->sm->blocks.n + each - 1) / each;
	return (unsigned)(b - s->sm->blocks.block) / each;
}

/* Rank of the scheduler's group k: 0 is in the first group of blocks. */
static unsigned rank_of(const struct sched *s, int k)
{
	unsigned most, g = blocks_of(s, k, &most);
	return (g + most - ((const struct state *)s->state)->first % most) % most;
}

/* The smallest rank among the set's members; if `ready` is false, only among groups that can issue
 * soon. */
static unsigned least_rank(const struct sched *s, const uint64_t *set, bool ready)
{
	unsigned least = -1u;
	for (unsigned w = 0; w < s->words; w++)
		for (uint64_t bits = set[w]; bits; bits &= bits - 1) {
			int k = (int)(w * 64 + (unsigned)__builtin_ctzll(bits));
			const struct gslot *g = &s->sm->slot[(unsigned)k * s->sm->nsched + s->id];
			if (!ready &&
			    (gstate_is_long(g->state) || g->yields || !sched_group(s, k)->active))
				continue;
			unsigned r = rank_of(s, k);
			least = r < least ? r : least;
		}
	return least;
}

static int pick(struct sched *s, const uint64_t *ready)
{
	struct state *st = s->state;
	uint64_t set[SCHED_WORDS];
	if (!st->o.locality) { /* skips groups of blocks in which every warp waits */
		unsigned waits = least_rank(s, sm_set(s->sm, s->id, SET_BUSY), false);
		st->first += waits != -1u ? waits : 0;
	}
	unsigned least = least_rank(s, ready, true);
	for (unsigned w = 0; w < s->words; w++) {
		set[w] = ready[w];
		for (uint64_t bits = ready[w]; bits; bits &= bits - 1)
			if (rank_of(s, (int)(w * 64 + (unsigned)__builtin_ctzll(bits))) != least)
				set[w] &= ~(bits & -bits);
	}
	return pick_from(set, s->words, st->next);
}

static void issued(struct sched *s, int k)
{
	struct state *st = s->state;
	st->next = (unsigned)k + 1 < s->n ? (unsigned)k + 1 : 0;
}

const struct sched_ops sched_owl = {
	.p = {"owl", "one group of blocks first, which one differs between SMs",
	      "Jog et al., ASPLOS 2013", .state_size = sizeof(struct state), .options = {&options}},
	.init = init,
	.pick = pick,
	.issued = issued,
};
