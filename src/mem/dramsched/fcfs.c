/* First come, first served: the oldest request, command by command. */
#include "mem/dram.h"

static struct dram_cmd pick(struct dram *d, unsigned queue)
{
	uint32_t oldest = DRAM_NONE;
	for (uint64_t m = d->busy[queue]; m; m &= m - 1) {
		uint32_t i = d->bank[__builtin_ctzll(m)].list[queue].first;
		if (oldest == DRAM_NONE || d->req[i].age < d->req[oldest].age)
			oldest = i;
	}
	return dram_command(d, oldest);
}

/* The oldest stays the oldest; with an empty queue there is no pick to keep. */
static bool arrived(struct dram *d, uint32_t i)
{
	(void)d, (void)i;
	return false;
}

const struct dramsched_ops dramsched_fcfs = {
	.p = {"fcfs", "oldest request first", ""},
	.pick = pick,
	.arrived = arrived,
};
