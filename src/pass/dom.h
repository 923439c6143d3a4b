/* Dominator trees: of a flow graph from its entry, and of its reverse from the virtual exit.
 *
 * Requires: cfg. Provides: immediate (post-)dominators and constant-time "does a dominate b".
 *
 *	0 -> 1, 2;  1 -> 3;  2 -> 3       idom: 1, 2 and 3 have 0; ipdom: 0, 1 and 2 have 3. */
#ifndef PASS_DOM_H
#define PASS_DOM_H
#include "pass/cfg.h"

struct domtree {
	uint32_t *idom; /* NO_NODE: the root, and nodes unreachable from it */
	/* interval of the subtree in a walk of the tree; unreachable: in = NO_NODE */
	uint32_t *in, *out;
};

/* Builds the dominator tree of any graph from any root, in O(edges log nodes). */
void dom_tree(struct domtree *t, struct arena *a, const struct graph *g, uint32_t root);
void dom_build(struct domtree *t, const struct cfg *c);
/* pdom.c: the post-dominator tree of the blocks that are reached from the entry; the root is block c->n.
 * The head of pdom.c says how blocks that end in exit or trap and endless loops are treated. */
void pdom_build(struct domtree *t, const struct cfg *c);

/* Does a dominate b? Reflexive. False if a or b is not in the tree. */
static inline bool dominates(const struct domtree *t, uint32_t a, uint32_t b)
{
	return t->in[a] != NO_NODE && t->in[b] != NO_NODE && t->in[a] <= t->in[b] &&
	       t->out[b] <= t->out[a];
}

#endif
