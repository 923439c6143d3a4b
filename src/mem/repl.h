/* Replacement: the choice of the victim in a full set. A policy is one file in mem/repl/ with one
 * table, `const struct repl_ops repl_NAME`.
 *
 * Each line has a stamp, a number of 63 bits (cache.h). When a line is allocated its stamp becomes the
 * cache's clock, which counts up; then the stamp belongs to the policy. 0 is a free line: the
 * cache takes free lines first, without asking the policy. */
#ifndef MEM_REPL_H
#define MEM_REPL_H
#include <stdbool.h>
#include <stdint.h>
#include "policy/registry.h"

struct cache;
struct repl_ops {
	struct policy p;
	bool renews; /* a hit sets the line's stamp to the clock */
	/* MAY. A hit on the line at index i of the cache's lines. Not called if `renews`. */
	void (*used)(struct cache *c, int64_t i);
	/* MAY. A way of the set to replace. No line of the set is free. The line's stamp MUST
	 * lack CACHE_RESERVED; -1: all lines of the set have it. NULL: the way with the smallest
	 * stamp. */
	int (*victim)(struct cache *c, uint32_t set);
	/* MAY. A read is refused, for the reason `why` (enum cache_fail). True: the read bypasses
	 * the cache instead, without a line and an MSHR. Only the L1D can be bypassed. NULL: a
	 * refused read waits. */
	bool (*bypasses)(const struct cache *c, unsigned why);
};
POLICY_FINDER(repl)

#endif
