#include "pass/loop.h"

struct finder {
	const struct cfg *c;
	struct loops *l;
	/* loop -> an enclosing loop, or itself: short-cut to the outermost loop */
	uint32_t *outer;
	uint32_t *stack, depth;
};

static uint32_t find_outermost(struct finder *s, uint32_t loop)
{
	while (s->outer[loop] != loop) {
		s->outer[loop] = s->outer[s->outer[loop]];
		loop = s->outer[loop];
	}
	return loop;
}

static void push_preds(struct finder *s, uint32_t b)
{
	graph_each_pred (&s->c->g, b, p)
		if (cfg_reached(s->c, p))
			s->stack[s->depth++] = p;
}

/* Collects all blocks that reach the back edges without passing the header; loops found earlier become
 * inner loops. Each block and each loop is entered once, so the stack needs no more room than there are
 * edges. */
static void collect_blocks(struct finder *s, uint32_t me)
{
	struct loops *l = s->l;
	uint32_t header = l->loop[me].header;
	while (s->depth) {
		uint32_t b = s->stack[--s->depth];
		if (l->loop_of[b] == NO_NODE) {
			l->loop_of[b] = me;
			if (b != header)
				push_preds(s, b);
			continue;
		}
		uint32_t inner = find_outermost(s, l->loop_of[b]);
		if (inner == me)
			continue;
		l->loop[inner].parent = s->outer[inner] = me;
		push_preds(s, l->loop[inner].header);
	}
}

/* Finds the loop of header h, if h is one; inner headers come later in reverse post-order. */
static void find_loop(struct finder *s, const struct domtree *dom, uint32_t h)
{
	const struct order *o = &s->c->rpo;
	s->depth = 0;
	graph_each_pred (&s->c->g, h, p) {
		if (!cfg_reached(s->c, p) || o->index[p] < o->index[h])
			continue;
		if (dominates(dom, h, p)) {
			s->stack[s->depth++] = p;
		} else if (!s->l->irreducible[h]) {
			s->l->irreducible[h] = true;
			s->l->nirreducible++;
		}
	}
	if (!s->depth)
		return;
	uint32_t me = s->l->n++;
	s->l->loop[me] = (struct loop){.header = h, .parent = NO_NODE};
	s->outer[me] = me;
	collect_blocks(s, me);
}

/* Reverses the list of loops: inner loops are found first, but outer loops are stored first. */
static void turn_round(struct loops *l, uint32_t nblocks)
{
	for (uint32_t i = 0, j = l->n; i + 1 < j; i++) {
		struct loop t = l->loop[i];
		l->loop[i] = l->loop[--j];
		l->loop[j] = t;
	}
	for (uint32_t i = 0; i < l->n; i++)
		if (l->loop[i].parent != NO_NODE)
			l->loop[i].parent = l->n - 1 - l->loop[i].parent;
	for (uint32_t b = 0; b < nblocks; b++)
		if (l->loop_of[b] != NO_NODE)
			l->loop_of[b] = l->n - 1 - l->loop_of[b];
}

void loop_build(struct loops *l, const struct cfg *c, const struct domtree *dom)
{
	struct arena tmp = {0};
	*l = (struct loops){
		.loop = ARENA_ARRAY(c->arena, struct loop, c->n + 1),
		.loop_of = ARENA_ARRAY(c->arena, uint32_t, c->n + 1),
		.irreducible = ARENA_ARRAY(c->arena, bool, c->n + 1),
	};
	memset(l->loop_of, 0xff, (c->n + 1) * sizeof *l->loop_of);
	struct finder s = {c, l, ARENA_ARRAY(&tmp, uint32_t, c->n + 1),
			   ARENA_ARRAY(&tmp, uint32_t, 2 * c->g.succ_at[c->n + 1] + 1), 0};
	for (uint32_t i = c->rpo.n; i-- > 0;)
		find_loop(&s, dom, c->rpo.node[i]);
	turn_round(l, c->n + 1);
	for (uint32_t i = 0; i < l->n; i++)
		l->loop[i].depth =
			l->loop[i].parent == NO_NODE ? 1 : l->loop[l->loop[i].parent].depth + 1;
	for (uint32_t b = 0; b < c->n; b++)
		if (l->loop_of[b] != NO_NODE)
			l->loop[l->loop_of[b]].nblocks++;
	for (uint32_t i = l->n; i-- > 0;)
		if (l->loop[i].parent != NO_NODE)
			l->loop[l->loop[i].parent].nblocks += l->loop[i].nblocks;
	arena_free(&tmp);
}
