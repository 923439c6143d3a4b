/* A replacement to begin with: the line that was allocated first. Your work is find_victim(), and used() if you want to
 * know of hits. The contract is in src/mem/repl.h, the cache in src/mem/cache.h.
 *
 * A line's stamp is the cache's clock at its allocation (bits 0 to 62) and then belongs to you. While CACHE_RESERVED is
 * set, the line's data are on the way and it may not be replaced. */
#include "mem/cache.h"

/* The way of the set to replace; -1: all are reserved. */
static int find_victim(struct cache *c, uint32_t set)
{
	const uint64_t *stamp = c->stamp + (size_t)set * c->ways;
	int best = -1;
	for (int w = 0; w < c->ways; w++)
		if (!(stamp[w] & CACHE_RESERVED) && (best < 0 || stamp[w] < stamp[best]))
			best = w;
	return best;
}

const struct repl_ops repl_mine = {
	.p = {"mine", "my replacement", ""},
	.victim = find_victim,
};
