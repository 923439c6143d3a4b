/* Post-dominators: dominators of the reversed graph from the virtual exit, after some edges are
 * left out. A reconvergence point must be where the remaining threads meet again, and a thread that
 * ends in the meantime is not waited for:
 *
 *	0: @%p bra 3 ---> 3: st; ret          1 ends in exit (an unreachable switch default, an
 *	|                 ^                   assertion). With the edge 1 -> end, nothing but the
 *	1: @%q bra 2      |                   end post-dominates 0, and the warp would stay split
 *	|      \          |                   over all of 3. Without it, 0 reconverges at 3.
 *	exit    2: add ---+
 *
 * So each block gets the most regular exit that it can reach (enum leave: ret, then falling off the
 * end, exit, trap, and last guarded ends), and only edges between blocks with the same exit count. A
 * block that reaches ret ignores branches to code that can only trap; in code that can only trap,
 * post-dominators are those of the path to the trap; a kernel all of whose ends are exit is not
 * special. Blocks from which no end is reached, endless loops, come last: in each of them the
 * block that only leads back (a latch) gets an edge to the end, so that branches in the body
 * still reconverge before the next round.
 *
 * Whichever edges are left out, each reached block keeps a path to the virtual exit: all have a place
 * in the tree. Reconvergence points are derived in reconv.c. */
#include "pass/dom.h"

struct marks {
	const struct cfg *c;
	uint8_t *way; /* enum leave: the best exit that a block reaches */
	uint32_t *stack;
};

/* Marks all blocks that reach b and cannot reach a better exit. */
static void mark_back(struct marks *m, uint32_t b, enum leave way)
{
	uint32_t n = 0;
	m->way[b] = way;
	m->stack[n++] = b;
	while (n) {
		uint32_t v = m->stack[--n];
		graph_each_pred (&m->c->g, v, p) {
			if (m->way[p] != LEAVE_NEVER || !cfg_reached(m->c, p))
				continue;
			m->way[p] = way;
			m->stack[n++] = p;
		}
	}
}

static void find_ways(struct marks *m)
{
	const struct cfg *c = m->c;
	memset(m->way, LEAVE_NEVER, c->n + 1);
	for (enum leave way = LEAVE_RET; way < LEAVE_NEVER; way++)
		for (uint32_t b = 0; b < c->n; b++)
			if (c->block[b].leave == way && m->way[b] == LEAVE_NEVER &&
			    cfg_reached(c, b))
				mark_back(m, b, way);
}

/* Gives endless loops an edge to the end. Of the blocks not yet treated, the last in reverse post-order
 * only leads back. */
static void close_endless_loops(struct marks *m, edge_vec *e)
{
	const struct cfg *c = m->c;
	uint8_t *done = m->way; /* LEAVE_NEVER: not treated; LEAVE_NEVER + 1: treated */
	for (uint32_t i = c->rpo.n; i-- > 0;) {
		uint32_t b = c->rpo.node[i];
		if (b == c->n || done[b] != LEAVE_NEVER)
			continue;
		vec_push(e, (struct edge){c->n, b});
		mark_back(m, b, LEAVE_NEVER + 1);
	}
}

void pdom_build(struct domtree *t, const struct cfg *c)
{
	struct arena tmp = {0};
	struct marks m = {c, ARENA_ARRAY(&tmp, uint8_t, c->n + 1),
			  ARENA_ARRAY(&tmp, uint32_t, c->n + 1)};
	edge_vec e = {0};
	find_ways(&m);
	close_endless_loops(&m, &e);
	for (uint32_t b = 0; b < c->n; b++) {
		if (!cfg_reached(c, b))
			continue;
		graph_each_succ (&c->g, b, s)
			if (s == c->n ? c->block[b].leave == m.way[b] : m.way[s] == m.way[b])
				vec_push(&e, (struct edge){s, b});
	}
	struct graph reverse;
	graph_build(&reverse, &tmp, c->n + 1, e.v, e.n);
	dom_tree(t, c->arena, &reverse, c->n);
	vec_free(&e);
	arena_free(&tmp);
}
