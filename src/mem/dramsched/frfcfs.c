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

static struct dram_cmd pick(struct dram *d, unsigned rw)
{
	struct dram_cmd best = {.time = CYCLE_NEVER, .req = DRAM_NONE};
	for (uint64_t m = d->busy[rw]; m; m &= m - 1) {
		struct dram_cmd c = dram_command(d, choose(d, &d->bank[__builtin_ctzll(m)], rw));
		if (best.req == DRAM_NONE || better(d, &c, &best))
			best = c;
	}
	return best;
}

const struct dramsched_ops dramsched_frfcfs = {"fr-fcfs", "open rows first, then oldest", pick};
