/* Lines that have been hit since their allocation stay; among the others the newest gives way, so that a loop that does
 * not fit keeps a part of itself. Lines that were hit long ago age: a line is old when the cache has allocated as many
 * lines as it has since its last use, and then it goes first. */
#include "mem/cache.h"

#define USED (1ull << 62)
#define TIME(stamp) ((stamp) & ~(USED | CACHE_RESERVED))

/* Also called for the access that allocates the line, which is reserved then. */
static void note_use(struct cache *c, int64_t i)
{
	if (!(c->stamp[i] & CACHE_RESERVED))
		c->stamp[i] = USED | ++c->clock;
}

static int find_victim(struct cache *c, uint32_t set)
{
	const uint64_t *stamp = c->stamp + (size_t)set * c->ways;
	uint64_t lines = (uint64_t)c->sets * c->ways;
	int newest = -1, oldest = -1;
	for (int w = 0; w < c->ways; w++) {
		if (stamp[w] & CACHE_RESERVED)
			continue;
		if (!(stamp[w] & USED) && (newest < 0 || stamp[w] > stamp[newest]))
			newest = w;
		if (oldest < 0 || TIME(stamp[w]) < TIME(stamp[oldest]))
			oldest = w;
	}
	bool aged = oldest >= 0 && c->clock - TIME(stamp[oldest]) > 4 * lines;
	return newest < 0 || aged ? oldest : newest;
}

const struct repl_ops repl_keep = {
	.p = {"keep", "lines that were hit stay, new ones give way", ""},
	.used = note_use,
	.victim = find_victim,
};
