/* Where threads meet after a divergent branch: SSY and .S. A region is {push, meet}: SSY stands at
 * the end of block push, and each edge from inside into block meet is a .S, which waits for the
 * other threads. Every path must push and pop alike: the stack of regions at the beginning of a
 * block must not depend on the path. Regions come from the branches' immediate post-dominators;
 * push is the branch's block, or, if that is in a loop that does not contain meet, the block before
 * the loop. A region that would break the rule is left out: its threads stay apart until a meeting
 * point further out, or until they end. */
#include <stdlib.h>
#include <string.h>
#include "back/select/sel.h"
#include "pass/pass.h"

enum { DEPTH = 64 };

struct stack {
	int n;
	uint32_t region[DEPTH];
};

static bool same_regions(const struct stack *a, const struct stack *b)
{
	return a->n == b->n &&
	       (a->n <= 0 || !memcmp(a->region, b->region, (size_t)a->n * sizeof *a->region));
}

/* The stack after the edge to `to`; false: the edge would have to leave an inner region first. */
static bool cross_edge(const struct region *r, struct stack *s, uint32_t to)
{
	if (s->n && r[s->region[s->n - 1]].meet == to) {
		s->n--;
		return true;
	}
	for (int i = 0; i < s->n; i++)
		if (r[s->region[i]].meet == to)
			return false;
	return true;
}

/* Regions are tried one after the other. A new region changes only the stacks of blocks between its
 * push and its meeting point, so only these blocks are walked again. */
struct placer {
	const struct cfg *c;
	struct region *r;
	/* [block]: innermost region that the block pushes, plus 1; 0: none */
	uint32_t *last;
	/* [region]: the next outer region that the same block pushes, plus 1; 0: none */
	uint32_t *outer;
	struct stack *at; /* [block]: stack at the block's beginning */
	/* [block]: stack at the block's beginning with the region that is being tried, for blocks
	 * in `changes` */
	struct stack *next;
	bool *changes;
	VEC(uint32_t) changed;
	int deepest; /* largest number of regions on a stack */
};

static const struct stack *stack_at(const struct placer *p, uint32_t b)
{
	return p->changes[b] ? &p->next[b] : &p->at[b];
}

/* Computes the stack at the end of a block; false: the stack is too deep. */
static bool stack_at_end(const struct placer *p, uint32_t b, struct stack *s)
{
	uint32_t own = 0;
	*s = *stack_at(p, b);
	for (uint32_t k = p->last[b]; k; k = p->outer[k - 1])
		own++;
	if (s->n + (int)own > p->deepest)
		return false;
	s->n += (int)own;
	for (uint32_t k = p->last[b], i = 1; k; k = p->outer[k - 1], i++)
		s->region[s->n - (int)i] = k - 1;
	return true;
}

static void change_stack(struct placer *p, uint32_t b, const struct stack *s)
{
	p->changes[b] = true;
	p->next[b] = *s;
	vec_push(&p->changed, b);
}

/* Follows the edges out of a block; false: they break the rule. spread: later blocks with a
 * different stack so far take this one. */
static bool place_edges(struct placer *p, uint32_t b, bool spread, uint32_t *last)
{
	const uint32_t *index = p->c->rpo.index;
	struct stack here;
	if (!stack_at_end(p, b, &here))
		return false;
	graph_each_succ (&p->c->g, b, to) {
		struct stack s = here;
		if (to == p->c->n)
			continue;
		if (!cross_edge(p->r, &s, to))
			return false;
		if (same_regions(stack_at(p, to), &s))
			continue;
		if (!spread || p->changes[to] || index[to] <= index[b])
			return false;
		change_stack(p, to, &s);
		*last = index[to] > *last ? index[to] : *last;
	}
	return true;
}

/* True if no path leads to a changed block from a block whose stack is unchanged. */
static bool all_changed(const struct placer *p, uint32_t b, uint32_t push)
{
	graph_each_pred (&p->c->g, b, from)
		if (cfg_reached(p->c, from) && !p->changes[from] && from != push)
			return false;
	return true;
}

static bool spread_from(struct placer *p, uint32_t push)
{
	const struct order *o = &p->c->rpo;
	uint32_t last = o->index[push];
	for (uint32_t i = last; i <= last; i++) {
		uint32_t b = o->node[i];
		if ((b == push || (b < p->c->n && p->changes[b])) &&
		    !place_edges(p, b, true, &last))
			return false;
	}
	if (!place_edges(p, push, false, &last))
		return false;
	for (size_t i = 0; i < p->changed.n; i++)
		if (!all_changed(p, p->changed.v[i], push) ||
		    !place_edges(p, p->changed.v[i], false, &last))
			return false;
	return true;
}

/* Adds region k if all paths still push and pop alike. */
static bool try_region(struct placer *p, uint32_t k)
{
	uint32_t push = p->r[k].push;
	p->outer[k] = p->last[push];
	p->last[push] = k + 1;
	bool ok = spread_from(p, push);
	if (!ok)
		p->last[push] = p->outer[k];
	for (size_t i = 0; i < p->changed.n; i++) {
		uint32_t b = p->changed.v[i];
		p->changes[b] = false;
		if (ok)
			p->at[b] = p->next[b];
	}
	p->changed.n = 0;
	return ok;
}

static void begin_placing(struct placer *p, const struct cfg *c, struct region *r, size_t n,
			  unsigned levels)
{
	*p = (struct placer){.c = c, .r = r, .deepest = levels ? (int)levels : DEPTH};
	p->last = xcalloc(c->n + 1, sizeof *p->last);
	p->outer = xcalloc(n + 1, sizeof *p->outer);
	p->at = xmalloc((c->n + 1) * sizeof *p->at);
	p->next = xmalloc((c->n + 1) * sizeof *p->next);
	p->changes = xcalloc(c->n + 1, sizeof *p->changes);
	for (uint32_t b = 0; b <= c->n; b++)
		p->at[b].n = 0;
}

/* Records, per block, the meeting point for which its outgoing edge waits, and the level of each
 * region. */
static void end_placing(struct placer *p, uint32_t *waits, uint8_t *level)
{
	for (uint32_t b = 0; b < p->c->n; b++) {
		struct stack s;
		waits[b] = NO_NODE;
		if (!cfg_reached(p->c, b) || !stack_at_end(p, b, &s) || !s.n)
			continue;
		waits[b] = p->r[s.region[s.n - 1]].meet;
		for (int i = 0; i < s.n; i++)
			level[p->r[s.region[i]].meet] = (uint8_t)i;
	}
	free(p->last);
	free(p->outer);
	free(p->at);
	free(p->next);
	free(p->changes);
	vec_free(&p->changed);
}

/* The block to push in: up from the branch to a block outside all loops that do not contain
 * meet. */
static uint32_t push_block(const struct domtree *dom, const struct domtree *pdom,
			   const struct loops *l, uint32_t from, uint32_t meet)
{
	uint32_t b = from;
	for (;;) {
		bool inside = false;
		for (uint32_t k = l->loop_of[b]; k != NO_NODE; k = l->loop[k].parent)
			inside |= !loop_has(l, k, meet);
		if (!inside)
			return dominates(pdom, meet, b) ? b : NO_NODE;
		b = dom->idom[b];
		if (b == NO_NODE)
			return NO_NODE;
	}
}

struct candidate {
	struct region r;
	uint32_t size; /* number of blocks of the region: outer regions come first */
};

static int by_size(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	return x->size != y->size       ? (x->size > y->size ? -1 : 1)
	       : x->r.push != y->r.push ? (x->r.push < y->r.push ? -1 : 1)
					: (x->r.meet > y->r.meet) - (x->r.meet < y->r.meet);
}

/* Lists the blocks of a tree in the order of a walk, so that a subtree is contiguous. */
static uint32_t *walk_of(const struct domtree *t, uint32_t n, struct arena *a)
{
	uint32_t *node = ARENA_ARRAY(a, uint32_t, n + 1);
	memset(node, 0xff, (n + 1) * sizeof *node);
	for (uint32_t b = 0; b < n; b++)
		if (t->in[b] != NO_NODE)
			node[t->in[b]] = b;
	return node;
}

struct trees {
	struct domtree dom, pdom;
	uint32_t *dom_walk, *pdom_walk;
};

static uint32_t subtree_size(const struct domtree *t, uint32_t b) { return t->out[b] - t->in[b]; }

/* Number of blocks that the region's push dominates and its meet post-dominates. */
static uint32_t region_size(const struct trees *t, struct region r)
{
	bool down = subtree_size(&t->dom, r.push) < subtree_size(&t->pdom, r.meet);
	const struct domtree *of = down ? &t->dom : &t->pdom;
	const uint32_t *walk = down ? t->dom_walk : t->pdom_walk;
	uint32_t n = 0, top = down ? r.push : r.meet;
	for (uint32_t i = of->in[top]; i < of->out[top]; i++)
		n += walk[i] != NO_NODE && dominates(&t->dom, r.push, walk[i]) &&
		     dominates(&t->pdom, r.meet, walk[i]);
	return n;
}

/* Sorts regions by the block that pushes them, in their order. */
static void index_regions(struct tokens *t, uint32_t blocks, struct arena *a)
{
	struct region *r = ARENA_ARRAY(a, struct region, t->n + 1);
	t->first = ARENA_ARRAY(a, uint32_t, blocks + 2);
	t->meets = ARENA_ARRAY(a, bool, blocks + 1);
	memset(t->first, 0, (blocks + 2) * sizeof *t->first);
	memset(t->meets, 0, (blocks + 1) * sizeof *t->meets);
	for (uint32_t k = 0; k < t->n; k++) {
		t->first[t->region[k].push + 1]++;
		t->meets[t->region[k].meet] = true;
	}
	for (uint32_t b = 0; b <= blocks; b++)
		t->first[b + 1] += t->first[b];
	for (uint32_t k = t->n; k-- > 0;)
		r[--t->first[t->region[k].push + 1]] = t->region[k];
	t->region = r;
	t->first++;
}

/* True for a loop whose threads may wait in it for other threads: for a word that another thread
 * writes, or for a lock. */
static bool loop_waits(const struct func *f, const struct cfg *c, const struct loops *l, uint32_t k)
{
	for (uint32_t b = 0; b < c->n; b++) {
		if (!cfg_reached(c, b) || !loop_has(l, k, b))
			continue;
		for (uint32_t i = c->block[b].first; i < c->block[b].end; i++) {
			const struct inst *in = &f->code.v[i];
			bool exchange = in->op == OP_ATOM &&
					(in->mode == ATOM_CAS || in->mode == ATOM_EXCH);
			if (exchange || inst_may_poll(in) || in->op == OP_MBARRIER)
				return true;
		}
	}
	return false;
}

/* True if threads would wait at `meet` for threads that may wait for them in a loop around the
 * branch. */
static bool may_starve(const struct func *f, const struct cfg *c, const struct loops *l,
		       uint32_t branch, uint32_t meet)
{
	for (uint32_t k = l->loop_of[branch]; k != NO_NODE; k = l->loop[k].parent)
		if (!loop_has(l, k, meet) && loop_waits(f, c, l, k))
			return true;
	return false;
}

/* True for a block in which threads only end: they need not meet there. */
static bool is_end(const struct func *f, const struct cfg *c, uint32_t block)
{
	const struct inst *in = &f->code.v[c->block[block].first];
	return c->block[block].end == c->block[block].first + 1 && in->guard == NO_REG &&
	       (in->op == OP_RET || in->op == OP_EXIT);
}

/* ---- where threads may be apart ---- */

static bool is_all(const struct opnd *o)
{
	return o->kind == OPND_IMM && (uint32_t)o->imm == 0xffffffff;
}

bool tokens_gathers(const struct inst *in)
{
	if (in->guard != NO_REG)
		return false;
	if (in->op == OP_BAR)
		return !(in->imm & (BAR_CLUSTER | BAR_WARPGROUP)) && in->mode != BAR_WAIT;
	return in->op == OP_BAR_WARP && in->ns && is_all(inst_src(in, 0));
}

static bool gathers_somewhere(const struct func *f, const struct basic_block *k)
{
	for (uint32_t i = k->first; i < k->end; i++)
		if (tokens_gathers(&f->code.v[i]))
			return true;
	return false;
}

static bool sleeps_somewhere(const struct func *f, const struct basic_block *k)
{
	for (uint32_t i = k->first; i < k->end; i++)
		if (f->code.v[i].op == OP_NANOSLEEP)
			return true;
	return false;
}

/* True if threads may arrive at the meeting point one after the other, because they leave a block
 * that pushes its region one after the other. */
static bool meets_apart(const struct tokens *t, const bool *apart_at_end, uint32_t meet)
{
	for (uint32_t k = 0; k < t->n; k++)
		if (t->region[k].meet == meet && apart_at_end[t->region[k].push])
			return true;
	return false;
}

/* A forward data-flow analysis: a divergent branch separates threads; a meeting point or barrier
 * joins them. In kernels with nanosleep only barriers join: on an H200, BSYNC does not wait for
 * sleeping threads. */
static void find_apart(struct tokens *t, const struct func *f, const struct cfg *c, struct arena *a)
{
	bool *gathers = ARENA_ARRAY(a, bool, c->n + 1),
	     *apart_at_end = ARENA_ARRAY(a, bool, c->n + 1);
	t->apart = ARENA_ARRAY(a, bool, c->n + 1);
	memset(t->apart, 0, (c->n + 1) * sizeof *t->apart);
	memset(apart_at_end, 0, (c->n + 1) * sizeof *apart_at_end);
	bool sleeps = false;
	for (uint32_t b = 0; b < c->n; b++) {
		gathers[b] = cfg_reached(c, b) && gathers_somewhere(f, &c->block[b]);
		sleeps |= cfg_reached(c, b) && sleeps_somewhere(f, &c->block[b]);
	}
	for (bool more = true; more;) {
		more = false;
		for (uint32_t b = 0; b < c->n; b++) {
			if (!cfg_reached(c, b))
				continue;
			apart_at_end[b] = t->apart[b] && !gathers[b];
			const struct inst *last = c->block[b].end > c->block[b].first
							  ? &f->code.v[c->block[b].end - 1]
							  : NULL;
			bool parts = apart_at_end[b] ||
				     (last && inst_may_diverge(last) && !(last->mods & M_UNI));
			graph_each_succ (&c->g, b, to) {
				bool meet = tokens_pop(t, b, to) && !sleeps;
				bool v = meet ? meets_apart(t, apart_at_end, to) : parts;
				more |= v && !t->apart[to];
				t->apart[to] |= v;
			}
		}
	}
}

void tokens_place(struct tokens *t, const struct func *f, const struct cfg *c, struct arena *a,
		  unsigned levels, bool apart)
{
	struct trees x;
	struct loops loops;
	dom_build(&x.dom, c);
	pdom_build(&x.pdom, c);
	loop_build(&loops, c, &x.dom);
	x.dom_walk = walk_of(&x.dom, c->n + 1, a);
	x.pdom_walk = walk_of(&x.pdom, c->n + 1, a);
	VEC(struct candidate) cand = {0};
	*t = (struct tokens){.waits = ARENA_ARRAY(a, uint32_t, c->n + 1),
			     .level = ARENA_ARRAY(a, uint8_t, c->n + 1)};
	memset(t->level, 0, c->n + 1);
	for (uint32_t b = 0; b < c->n; b++) {
		if (!cfg_reached(c, b) || c->block[b].end == c->block[b].first)
			continue;
		const struct inst *in = &f->code.v[c->block[b].end - 1];
		uint32_t meet = x.pdom.idom[b];
		if (!inst_may_diverge(in) || in->mods & M_UNI || meet == NO_NODE || meet == c->n)
			continue;
		if (apart && (is_end(f, c, meet) || may_starve(f, c, &loops, b, meet)))
			continue;
		struct region r = {push_block(&x.dom, &x.pdom, &loops, b, meet), meet};
		if (r.push != NO_NODE)
			vec_push(&cand, (struct candidate){r, region_size(&x, r)});
	}
	if (cand.n)
		qsort(cand.v, cand.n, sizeof *cand.v, by_size);
	t->region = ARENA_ARRAY(a, struct region, cand.n + 1);
	struct placer p;
	begin_placing(&p, c, t->region, cand.n, levels);
	for (size_t i = 0; i < cand.n; i++) {
		if (i && !by_size(&cand.v[i], &cand.v[i - 1])) /* the region of another branch */
			continue;
		t->region[t->n] = cand.v[i].r;
		t->n += try_region(&p, t->n);
	}
	end_placing(&p, t->waits, t->level);
	index_regions(t, c->n, a);
	if (apart)
		find_apart(t, f, c, a);
	vec_free(&cand);
}
