#include "pass/cfg.h"

/* True for a call (direct or by prototype) that does not return. */
static bool call_is_noreturn(const struct func *f, const struct inst *in)
{
	if (!inst_is(in, OF_CALL) || in->call >= f->calls.n)
		return false;
	const struct call *c = &f->calls.v[in->call];
	if (!c->func)
		return c->proto.noreturn;
	return c->func->noreturn || (c->func->def && c->func->def->noreturn);
}

static bool ends_block(const struct func *f, const struct inst *in)
{
	return inst_is_branch(in) || call_is_noreturn(f, in);
}

static const struct targets *brx_targets(const struct func *f, const struct inst *in)
{
	static const struct targets none;
	return in->list < f->targets.n ? &f->targets.v[in->list] : &none;
}

/* Clips a target past the end to the end. verify.c has refused such targets; clipping only keeps indices
 * in bounds. */
static uint32_t clip_target(uint32_t pc, uint32_t n) { return pc < n ? pc : n; }

static uint8_t *find_leaders(struct arena *a, const struct func *f)
{
	uint32_t n = (uint32_t)f->code.n;
	uint8_t *leader = ARENA_ARRAY(a, uint8_t, n + 2);
	leader[0] = leader[n] = 1;
	for (uint32_t i = 0; i < n; i++) {
		const struct inst *in = &f->code.v[i];
		if (!ends_block(f, in))
			continue;
		leader[i + 1] = 1;
		if (inst_is(in, OF_BRANCH))
			leader[clip_target(in->target, n)] = 1;
		if (inst_is(in, OF_INDEXED)) {
			const struct targets *t = brx_targets(f, in);
			for (uint32_t k = 0; k < t->n; k++)
				leader[clip_target(t->pc[k], n)] = 1;
		}
	}
	return leader;
}

static void number_blocks(struct cfg *c, const struct func *f, const uint8_t *leader)
{
	uint32_t n = (uint32_t)f->code.n;
	for (uint32_t i = 0; i < n; i++)
		c->n += leader[i];
	c->block = ARENA_ARRAY(c->arena, struct basic_block, c->n + 1);
	c->block_of = ARENA_ARRAY(c->arena, uint32_t, n + 1);
	uint32_t b = NO_NODE;
	for (uint32_t i = 0; i < n; i++) {
		if (leader[i])
			c->block[++b].first = i;
		c->block_of[i] = b;
		c->block[b].end = i + 1;
	}
	c->block_of[n] = c->n;
	c->block[c->n] = (struct basic_block){n, n, LEAVE_NEVER};
}

static enum leave how_it_leaves(const struct func *f, const struct inst *in)
{
	bool guarded = in->guard != NO_REG;
	if (inst_is(in, OF_RETURNS))
		return guarded && f->entry ? LEAVE_SOME : LEAVE_RET;
	if (!inst_is(in, OF_EXITS | OF_TRAPS | OF_CALL))
		return LEAVE_NEVER;
	return guarded ? LEAVE_SOME : inst_is(in, OF_EXITS) ? LEAVE_EXIT : LEAVE_TRAP;
}

struct edge_list {
	edge_vec e;
	uint32_t *seen; /* [target block]: number + 1 of the last block with an edge to it */
};

static void edge_add(struct edge_list *l, uint32_t from, uint32_t to)
{
	if (l->seen[to] == from + 1)
		return;
	l->seen[to] = from + 1;
	vec_push(&l->e, (struct edge){from, to});
}

static void block_edges(struct cfg *c, const struct func *f, uint32_t b, struct edge_list *l)
{
	uint32_t n = (uint32_t)f->code.n;
	struct basic_block *blk = &c->block[b];
	const struct inst *in = &f->code.v[blk->end - 1];
	bool ends = ends_block(f, in), end_reached = false;
	blk->leave = ends ? how_it_leaves(f, in) : LEAVE_NEVER;
	if (inst_is(in, OF_BRANCH)) {
		edge_add(l, b, c->block_of[clip_target(in->target, n)]);
		end_reached = in->target >= n;
	} else if (inst_is(in, OF_INDEXED)) {
		const struct targets *t = brx_targets(f, in);
		for (uint32_t k = 0; k < t->n; k++) {
			edge_add(l, b, c->block_of[clip_target(t->pc[k], n)]);
			end_reached |= t->pc[k] >= n;
		}
	} else if (blk->leave != LEAVE_NEVER) {
		edge_add(l, b, c->n);
	}
	if (!ends || in->guard != NO_REG) {
		edge_add(l, b, c->block_of[blk->end]);
		end_reached |= blk->end == n;
	}
	if (end_reached && LEAVE_FALL < blk->leave)
		blk->leave = LEAVE_FALL;
}

struct cfg *cfg_build(struct arena *a, const struct func *f)
{
	struct cfg *c = ARENA_NEW(a, struct cfg);
	c->arena = a;
	number_blocks(c, f, find_leaders(a, f));
	struct edge_list l = {.seen = ARENA_ARRAY(a, uint32_t, c->n + 1)};
	for (uint32_t b = 0; b < c->n; b++)
		block_edges(c, f, b, &l);
	graph_build(&c->g, a, c->n + 1, l.e.v, l.e.n);
	vec_free(&l.e);
	graph_rpo(&c->rpo, a, &c->g, 0);
	return c;
}
