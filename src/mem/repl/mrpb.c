/* Bypassing on conflicts, the second half of a memory request prioritisation buffer: a read that finds all lines of its
 * set reserved by misses under way goes past the cache instead of holding up the reads behind it. Lines are replaced by
 * their last use. The first half, a queue per warp before the cache, is not part of the policy. */
#include "mem/cache.h"

static bool bypasses(const struct cache *c, unsigned why)
{
	(void)c;
	return why == CACHE_NO_LINE;
}

const struct repl_ops repl_mrpb = {
	.p = {"mrpb", "as lru; a read that finds all lines of its set reserved goes past the cache",
	      "Jia, Shaw, Martonosi, HPCA 2014"},
	.renews = true,
	.bypasses = bypasses,
};
