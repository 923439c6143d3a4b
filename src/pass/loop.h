/* Natural loops and how they nest.
 *
 * Requires: cfg, dom. Provides: loops, depth of each block, marks of irreducible entries.
 *
 *	0 -> 1;  1 -> 2, 4;  2 -> 2, 3;  3 -> 1
 *	loop 0: header 1, blocks 1 2 3, depth 1;  loop 1: header 2, block 2, depth 2, parent 0
 *
 * An edge to a block that dominates its source is a back edge and its target a header; loops with
 * one header are one loop. A retreating edge whose target does not dominate its source belongs to
 * a loop with several entries: that target is marked irreducible and forms no natural loop. */
#ifndef PASS_LOOP_H
#define PASS_LOOP_H
#include "pass/dom.h"

struct loop {
	uint32_t header, parent; /* header: block; parent: enclosing loop; NO_NODE: none */
	uint32_t depth;          /* nesting depth; outermost: 1 */
	uint32_t nblocks;        /* number of blocks, those of inner loops included */
};

struct loops {
	uint32_t n;
	struct loop *loop; /* loops, outer before inner */
	uint32_t *loop_of; /* block -> innermost loop; NO_NODE: none */
	bool *irreducible; /* block -> true: a second entry of some loop */
	uint32_t nirreducible;
};

void loop_build(struct loops *l, const struct cfg *c, const struct domtree *dom);
static inline uint32_t loop_depth(const struct loops *l, uint32_t block)
{
	return l->loop_of[block] == NO_NODE ? 0 : l->loop[l->loop_of[block]].depth;
}
/* Is the block in the loop, or in a loop inside it? */
static inline bool loop_has(const struct loops *l, uint32_t loop, uint32_t block)
{
	uint32_t k = l->loop_of[block];
	while (k != NO_NODE && k != loop)
		k = l->loop[k].parent;
	return k == loop;
}

#endif
