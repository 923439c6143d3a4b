/* The order of a branch's arms in a loop that takes a lock. After a divergent branch the token stack first
 * runs the threads that do not take it. If those threads loop back to the lock, the threads that hold the
 * lock, and would release it in the other arm, never run:
 *
 * 	L: r = cas [m], 0, 1;               L: r = cas [m], 0, 1;
 * 	@r == 0 bra E;                      @r != 0 bra N;
 * 	N: ... bra L;                       bra E;
 * 	                                    N: ... bra L;
 * 	E: ...; exch [m], 0; bra N          E: ...; exch [m], 0; bra N
 *
 * So the arm with the release becomes the one that falls through. BRA_LAST marks it where the other arm goes
 * backward and selection would swap the arms again (select/kernel.c). Where the arms meet inside the loop
 * only their order changes. */
#include <stdlib.h>
#include "back/lower/locks.h"

/* The innermost loop around a block that takes a lock. */
static uint32_t lock_loop(const struct graphs *g, uint32_t b)
{
	for (uint32_t l = g->loops.loop_of[b]; l != NO_NODE; l = g->loops.loop[l].parent)
		for (uint32_t i = 0; i < g->f->code.n; i++) {
			const struct inst *in = &g->f->code.v[i];
			if (in->op == OP_ATOM && (in->mode == ATOM_CAS || in->mode == ATOM_EXCH) &&
			    loop_has(&g->loops, l, g->c->block_of[i]))
				return l;
		}
	return NO_NODE;
}

/* True if the arm that begins with block s, and only that arm, releases a lock of the loop. */
static bool gives_back(const struct graphs *g, uint32_t loop, uint32_t s)
{
	bool fence = false;
	if (s >= g->c->n || g->c->g.pred_at[s + 1] - g->c->g.pred_at[s] != 1)
		return false;
	for (uint32_t b = 0; b < g->c->n; b++)
		for (uint32_t i = g->c->block[b].first;
		     dominates(&g->dom, s, b) && i < g->c->block[b].end; i++) {
			const struct inst *in = &g->f->code.v[i];
			fence |= in->op == OP_MEMBAR;
			if (!lock_stores(in) ||
			    (in->op != OP_ATOM && in->op != OP_ST && in->op != OP_RED) ||
			    (in->op == OP_ATOM && in->mode == ATOM_CAS))
				continue;
			if (fence || (in->op == OP_ATOM && in->mode == ATOM_EXCH) ||
			    lock_asked_for(g, loop, in))
				return true;
		}
	return false;
}

enum arms { AS_IT_IS, LAST, TURN };
static enum arms order_of(const struct graphs *g, uint32_t i)
{
	const struct inst *in = &g->f->code.v[i];
	uint32_t b = g->c->block_of[i], loop;
	if (in->op != OP_BRA || in->guard == NO_REG || in->mods & M_UNI || !cfg_reached(g->c, b) ||
	    (loop = lock_loop(g, b)) == NO_NODE)
		return AS_IT_IS;
	bool taken = gives_back(g, loop, g->c->block_of[in->target]),
	     other = gives_back(g, loop, b + 1);
	return taken == other ? AS_IT_IS : other ? LAST : TURN;
}

/* @p bra T becomes @!p bra N; bra T; N: */
static void turn_branch(struct func *f, uint32_t at, struct arena *a)
{
	VEC(struct inst) code = {0};
	uint32_t *to = xmalloc((f->code.n + 1) * sizeof *to);
	for (uint32_t i = 0; i < f->code.n; i++) {
		to[i] = (uint32_t)code.n;
		vec_push(&code, f->code.v[i]);
		if (i != at)
			continue;
		struct inst go = inline_inst(a, &f->code.v[i], OP_BRA, T_NONE, 0, 0, NULL);
		go.target = f->code.v[i].target;
		vec_push(&code, go);
	}
	to[f->code.n] = (uint32_t)code.n;
	back_retarget(f, code.v, code.n, to);
	code.v[to[at]].guard_neg = !code.v[to[at]].guard_neg;
	code.v[to[at]].target = to[at + 1];
	code.v[to[at]].mode = BRA_LAST;
	back_take_code(f, code.v, code.n, code.cap);
	free(to);
}

static bool turn_one(struct func *f, struct arena *a)
{
	struct graphs g;
	graphs_build(&g, f, a);
	for (uint32_t i = 0; i < f->code.n; i++) {
		enum arms o = f->code.v[i].op == OP_BRA && f->code.v[i].mode != BRA_LAST
				      ? order_of(&g, i)
				      : AS_IT_IS;
		if (o == TURN) {
			turn_branch(f, i, a);
			return true;
		}
		if (o == LAST)
			f->code.v[i].mode = BRA_LAST;
	}
	return false;
}

void lower_arms(struct lowering *x)
{
	struct func *f = x->f;
	enum { ROUNDS = 64 };
	bool found = false;
	for (size_t i = 0; i < f->code.n; i++)
		found |= f->code.v[i].op == OP_ATOM &&
			 (f->code.v[i].mode == ATOM_CAS || f->code.v[i].mode == ATOM_EXCH);
	for (unsigned k = 0; found && k < ROUNDS && turn_one(f, x->a); k++)
		;
}
