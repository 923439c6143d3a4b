/* Where threads meet after a divergent branch: SSY and .S. A region is {push, meet}: SSY stands at
 * the end of block push, and each edge from inside into block meet is a .S, which waits for the
 * others. Every path must push and pop alike: the stack of regions at the beginning of a block must
 * not depend on the path. Regions come from the branches' immediate post-dominators; push is the
 * branch's block, or, if that is in a loop that does not contain meet, the block before the loop. A
 * region that would break the rule is left out: its threads stay apart until a meeting point
 * further out, or until they end. */
#include <stdlib.h>
#include <string.h>
#include "back/sel.h"
#include "pass/pass.h"

enum { DEPTH = 64, NOT_SEEN = -1 };

struct stack {
	int n; /* NOT_SEEN: no path has come here */
	uint32_t region[DEPTH];
};

static bool same(const struct stack *a, const struct stack *b)
{
	return a->n == b->n &&
	       (a->n <= 0 || !memcmp(a->region, b->region, (size_t)a->n * sizeof *a->region));
}

/* The stack behind the edge to `to`; false: it would have to leave an inner region first. */
static bool cross(const struct region *r, struct stack *s, uint32_t to, bool *pops)
{
	*pops = false;
	if (s->n && r[s->region[s->n - 1]].meet == to) {
		s->n--;
		*pops = true;
		return true;
	}
	for (int i = 0; i < s->n; i++)
		if (r[s->region[i]].meet == to)
			return false;
	return true;
}

/* True if all paths push and pop alike with these n regions. Fills pops if asked. */
static bool consistent(const struct cfg *c, const struct region *r, uint32_t n, bool *pops)
{
	struct stack *at = xmalloc((c->n + 1) * sizeof *at);
	bool ok = true;
	for (uint32_t b = 0; b <= c->n; b++)
		at[b].n = NOT_SEEN;
	at[0].n = 0;
	for (uint32_t i = 0; i < c->rpo.n && ok; i++) {
		uint32_t b = c->rpo.node[i];
		if (b == c->n || at[b].n == NOT_SEEN)
			continue;
		struct stack here = at[b];
		for (uint32_t k = 0; k < n; k++)
			if (r[k].push == b) {
				if (here.n == DEPTH) {
					ok = false;
					break;
				}
				here.region[here.n++] = k;
			}
		graph_each_succ (&c->g, b, to) {
			struct stack next = here;
			bool pop;
			if (to == c->n)
				continue;
			if (!cross(r, &next, to, &pop)) {
				ok = false;
				break;
			}
			if (pops)
				pops[(size_t)b * (c->n + 1) + to] = pop;
			if (at[to].n == NOT_SEEN)
				at[to] = next;
			else
				ok &= same(&at[to], &next);
		}
	}
	free(at);
	return ok;
}

static bool in_loop(const struct loops *l, uint32_t loop, uint32_t block)
{
	for (uint32_t k = l->loop_of[block]; k != NO_NODE; k = l->loop[k].parent)
		if (k == loop)
			return true;
	return false;
}

/* The block to push in: up from the branch to a block outside all loops that do not contain
 * meet. */
static uint32_t push_block(const struct domtree *dom, const struct domtree *pdom,
			   const struct loops *l, uint32_t from, uint32_t meet)
{
	uint32_t b = from;
	for (;;) {
		bool inside = false;
		for (uint32_t k = 0; k < l->n; k++)
			inside |= in_loop(l, k, b) && !in_loop(l, k, meet);
		if (!inside)
			return dominates(pdom, meet, b) ? b : NO_NODE;
		b = dom->idom[b];
		if (b == NO_NODE)
			return NO_NODE;
	}
}

struct candidate {
	struct region r;
	uint32_t size; /* blocks of the region: outer ones first */
};

static int by_size(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	return x->size != y->size       ? (x->size > y->size ? -1 : 1)
	       : x->r.push != y->r.push ? (x->r.push < y->r.push ? -1 : 1)
					: (x->r.meet > y->r.meet) - (x->r.meet < y->r.meet);
}

static uint32_t region_size(const struct cfg *c, const struct domtree *dom,
			    const struct domtree *pdom, struct region r)
{
	uint32_t n = 0;
	for (uint32_t b = 0; b < c->n; b++)
		n += dominates(dom, r.push, b) && dominates(pdom, r.meet, b);
	return n;
}

void tokens_place(struct tokens *t, const struct func *f, const struct cfg *c, struct arena *a)
{
	struct domtree dom, pdom;
	struct loops loops;
	dom_build(&dom, c);
	pdom_build(&pdom, c);
	loop_build(&loops, c, &dom);
	VEC(struct candidate) cand = {0};
	*t = (struct tokens){.blocks = c->n};
	t->pops = ARENA_ARRAY(a, bool, (size_t)(c->n + 1) * (c->n + 1));
	memset(t->pops, 0, (size_t)(c->n + 1) * (c->n + 1));
	for (uint32_t b = 0; b < c->n; b++) {
		if (!cfg_reached(c, b) || c->block[b].end == c->block[b].first)
			continue;
		const struct inst *in = &f->code.v[c->block[b].end - 1];
		if (!inst_may_diverge(in) || in->mods & M_UNI || pdom.idom[b] == NO_NODE ||
		    pdom.idom[b] == c->n)
			continue;
		struct region r = {push_block(&dom, &pdom, &loops, b, pdom.idom[b]), pdom.idom[b]};
		bool had = r.push == NO_NODE;
		for (size_t i = 0; i < cand.n; i++)
			had |= cand.v[i].r.push == r.push && cand.v[i].r.meet == r.meet;
		if (!had)
			vec_push(&cand, (struct candidate){r, region_size(c, &dom, &pdom, r)});
	}
	if (cand.n)
		qsort(cand.v, cand.n, sizeof *cand.v, by_size);
	t->region = ARENA_ARRAY(a, struct region, cand.n + 1);
	for (size_t i = 0; i < cand.n; i++) {
		t->region[t->n++] = cand.v[i].r;
		if (!consistent(c, t->region, t->n, NULL))
			t->n--;
	}
	consistent(c, t->region, t->n, t->pops);
	vec_free(&cand);
}
