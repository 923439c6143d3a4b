/* First ready, first come, first served (Rixner et al., ISCA 2000): in each bank the oldest request
 * for the open row, else the oldest; among banks the command that may be given first, column
 * accesses before row commands, then the older request.                                            */
#include "mem/dram.h"

static uint32_t choose(struct dram *d, struct dram_bank *b, unsigned rw)
{
	if (b->choice[rw] != DRAM_NONE)
		return b->choice[rw];
	uint32_t best = b->list[rw].first;
	for (uint32_t i = best; b->open && i != DRAM_NONE; i = d->req[i].next) {
		if (d->req[i].row == b->row) {
			best = i;
			break;
		}
	}
	return b->choice[rw] = best;
}

static bool better(const struct dram *d, const struct dram_cmd *a, const struct dram_cmd *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	if ((a->op == DRAM_COL) != (b->op == DRAM_COL))
		return a->op == DRAM_COL;
	return d->req[a->req].age < d->req[b->req].age;
}

static void consider(const struct dram *d, struct dram_cmd *best, uint32_t i)
{
	struct dram_cmd c = dram_command(d, i);
	if (best->req == DRAM_NONE || better(d, &c, best))
		*best = c;
}

/* Open rows first: when one of them can be accessed at once, no row command can beat it. */
static struct dram_cmd pick(struct dram *d, unsigned rw)
{
	struct dram_cmd best = {.time = CYCLE_NEVER, .req = DRAM_NONE};
	uint64_t others = 0;
	for (uint64_t m = d->busy[rw]; m; m &= m - 1) {
		struct dram_bank *b = &d->bank[__builtin_ctzll(m)];
		uint32_t i = choose(d, b, rw);
		if (b->open && b->row == d->req[i].row)
			consider(d, &best, i);
		else
			others |= m & -m;
	}
	if (best.req != DRAM_NONE && best.time == d->cmd_ok)
		return best;
	for (uint64_t m = others; m; m &= m - 1)
		consider(d, &best, d->bank[__builtin_ctzll(m)].choice[rw]);
	return best;
}

/* The youngest request matters only in an empty bank, or as the first for the open row. */
static bool arrived(struct dram *d, uint32_t i)
{
	const struct dram_req *r = &d->req[i];
	struct dram_bank *b = &d->bank[r->bank];
	uint32_t now = b->choice[r->write];
	if (now == DRAM_NONE)
		return true;
	if (!b->open || b->row != r->row || d->req[now].row == b->row)
		return false;
	b->choice[r->write] = i;
	return true;
}

const struct dramsched_ops dramsched_frfcfs = {"fr-fcfs", "open rows first, then oldest", pick, arrived};
