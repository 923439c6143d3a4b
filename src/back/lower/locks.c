/* Loops that wait for a lock. On the token stack, lanes that got the lock wait at the loop's exit for lanes of
 * their warp that still spin, and the spinning lanes wait for the lock: deadlock. In PTX the first lanes run
 * on. This pass moves the critical section into the loop, up to the release R:
 *
 * 	L: r = cas [m], 0, 1; p = r != 0;       L: r = cas [m], 0, 1; p = r != 0; q = p;
 * 	@p bra L;                               @q bra R;
 * 	E: ...; exch [m], 0; X: ...             E: ...; exch [m], 0;  R: @q bra L;  X: ...
 *
 * Every path back to L passes R, with q true. If the loop has several paths back and releases the lock itself,
 * R is at the end of the loop. If each arm of a branch releases the lock, R is where the arms meet; an arm that
 * ends its threads does not pass R.
 *
 * A loop counts as waiting for a lock if it has an atomic or a volatile load (of a ticket) and one exit, to E
 * alone, from where every path that continues passes R. A loop that only reads must wait for memory that the
 * critical section writes; other loops of this form wait for other blocks and stay loops that store nothing
 * (lift/tesla/poll.c). A loop that is moved without need computes the same results. */
#include <stdlib.h>
#include <string.h>
#include "back/lower/locks.h"

enum { ROUNDS = 64 };

struct wait { /* a loop that waits for a lock */
	uint32_t loop;
	uint32_t leave; /* index of the branch that leaves the loop */
	uint32_t out;   /* block E */
	/* index of the instruction that releases the lock, after which R is inserted; NO_PC: see
	 * `meet` */
	uint32_t back;
	uint32_t meet;     /* if `back` is NO_PC: block before which R is inserted */
	bool out_is_taken; /* true: the branch goes to E */
};

void graphs_build(struct graphs *g, const struct func *f, struct arena *a)
{
	*g = (struct graphs){.f = f, .c = cfg_build(a, f)};
	dom_build(&g->dom, g->c);
	pdom_build(&g->pdom, g->c);
	loop_build(&g->loops, g->c, &g->dom);
}

bool lock_asks(const struct inst *in)
{
	return in->op == OP_ATOM ||
	       (in->op == OP_LD && (in->mods & M_VOLATILE || in->sem != SEM_NONE));
}

static bool has_atomic(const struct graphs *g, uint32_t loop)
{
	for (uint32_t i = 0; i < g->f->code.n; i++)
		if (g->f->code.v[i].op == OP_ATOM && loop_has(&g->loops, loop, g->c->block_of[i]))
			return true;
	return false;
}

bool lock_stores(const struct inst *in)
{
	return op_info[in->op].facts & OF_WRITES && sel_space(in) != SP_LOCAL;
}

static bool is_wait(const struct graphs *g, uint32_t loop)
{
	bool found = false;
	for (uint32_t b = 0; b < g->c->n; b++) {
		if (!loop_has(&g->loops, loop, b))
			continue;
		for (uint32_t i = g->c->block[b].first; i < g->c->block[b].end; i++) {
			const struct inst *in = &g->f->code.v[i];
			if (in->op == OP_BAR || in->op == OP_CALL || in->op == OP_BRX)
				return false;
			found |= lock_asks(in);
		}
	}
	return found;
}

/* Finds the exit of a loop that has only one exit and whose paths back to its beginning are all
 * branches. */
static bool way_out(const struct graphs *g, uint32_t loop, struct wait *w)
{
	unsigned n = 0;
	for (uint32_t b = 0; b < g->c->n; b++) {
		if (!loop_has(&g->loops, loop, b))
			continue;
		uint32_t last = g->c->block[b].end - 1;
		const struct inst *in = &g->f->code.v[last];
		bool branch = in->op == OP_BRA, goes_on = !branch || in->guard != NO_REG;
		if (g->c->block[b].leave != LEAVE_NEVER ||
		    (goes_on && b + 1 == g->loops.loop[loop].header))
			return false;
		for (unsigned k = branch ? 0 : 1; k < (goes_on ? 2u : 1u); k++) {
			uint32_t to = k ? b + 1 : g->c->block_of[in->target];
			if (loop_has(&g->loops, loop, to))
				continue;
			n++;
			*w = (struct wait){loop, last, to, NO_PC, NO_NODE, k == 0};
			if (!branch || !goes_on)
				return false;
		}
	}
	return n == 1;
}

bool lock_asked_for(const struct graphs *g, uint32_t loop, const struct inst *in)
{
	const struct opnd *a = inst_src(in, 0);
	for (uint32_t b = 0; b < g->c->n; b++) {
		if (!loop_has(&g->loops, loop, b))
			continue;
		for (uint32_t i = g->c->block[b].first; i < g->c->block[b].end; i++) {
			const struct opnd *o = inst_src(&g->f->code.v[i], 0);
			if (lock_asks(&g->f->code.v[i]) && a->reg == o->reg && a->imm == o->imm &&
			    a->sym == o->sym)
				return true;
		}
	}
	return false;
}

/* True for a part of an exchange between lanes: lanes that PTX keeps together must be together
 * here. */
static bool is_exchange(const struct graphs *g, const struct inst *in)
{
	for (unsigned k = 0; k < in->ns && g->exchange; k++) {
		const struct opnd *o = inst_src(in, k);
		const struct var *v = o->kind == OPND_SYM || o->kind == OPND_MEM ? o->sym : NULL;
		if (v && (v == g->exchange || v->def == g->exchange))
			return true;
	}
	return in->op == OP_VOTE || in->op == OP_ACTIVEMASK;
}

/* True if the search ends at this instruction: at a barrier, at an exchange, and, after the
 * release, where the lock is taken again. */
static bool ends_search(const struct graphs *g, const struct wait *w, uint32_t i, bool found)
{
	const struct inst *in = &g->f->code.v[i];
	return in->op == OP_BAR || in->op == OP_CALL || is_exchange(g, in) ||
	       (found && lock_asks(in) && lock_asked_for(g, w->loop, in) &&
		g->loops.loop_of[g->c->block_of[i]] != g->loops.loop_of[w->out]);
}

/* True if block x lies on some but not all paths from block b to `next`, which all paths pass. */
static bool lies_between(const struct graphs *g, uint32_t b, uint32_t x, uint32_t next)
{
	return x != b && dominates(&g->dom, b, x) &&
	       !(next < g->c->n && dominates(&g->dom, next, x));
}

/* True if all threads that reach block b end before they leave the blocks that b dominates. */
static bool all_end(const struct graphs *g, uint32_t b)
{
	for (uint32_t x = 0; x < g->c->n; x++)
		if (dominates(&g->dom, b, x))
			graph_each_succ (&g->c->g, x, to)
				if (to < g->c->n && !dominates(&g->dom, b, to))
					return false;
	return true;
}

/* The next block that all paths from b pass, except paths on which the threads end. */
static uint32_t next_on_way(const struct graphs *g, uint32_t b)
{
	const struct graph *c = &g->c->g;
	uint32_t next = g->pdom.idom[b], on = NO_NODE;
	if (next < g->c->n || c->succ_at[b + 1] - c->succ_at[b] != 2)
		return next;
	graph_each_succ (c, b, s) {
		bool apart = s < g->c->n && c->pred_at[s + 1] - c->pred_at[s] == 1;
		if (!apart)
			return next;
		if (on == NO_NODE || !all_end(g, s))
			on = s;
	}
	return on;
}

/* State of the search for the end of a critical section. */
struct search {
	struct wait *w;
	bool fence, atomic; /* without an atomic, the loop waits for any memory */
	struct wait exact;  /* the last write to the lock's address */
	struct wait likely; /* the last exchange, or write after a fence */
};
static bool is_found(const struct wait *w) { return w->back != NO_PC || w->meet != NO_NODE; }

/* Records `r` as the place of R if instruction i releases a lock. */
static void look_at(const struct graphs *g, struct search *s, uint32_t i, const struct wait *r)
{
	const struct inst *in = &g->f->code.v[i];
	s->fence |= in->op == OP_MEMBAR;
	if (in->guard != NO_REG || !lock_stores(in) ||
	    (in->op != OP_ATOM && in->op != OP_ST && in->op != OP_RED))
		return;
	if (lock_asked_for(g, s->w->loop, in))
		s->exact = *r;
	else if (s->atomic && (s->fence || (in->op == OP_ATOM && in->mode == ATOM_EXCH)))
		s->likely = *r;
}

/* Searches the blocks on some but not all paths from block b to `next`; blocks outside of loops may
 * release the lock. True: the search ends there. */
static bool look_between(const struct graphs *g, struct search *s, uint32_t b, uint32_t next)
{
	struct wait r = *s->w;
	bool meets = next < g->c->n && g->loops.loop_of[next] == g->loops.loop_of[s->w->out] &&
		     dominates(&g->dom, s->w->out, next),
	     found = is_found(&s->exact);
	r.meet = next;
	for (uint32_t x = 0; x < g->c->n; x++)
		for (uint32_t i = g->c->block[x].first;
		     lies_between(g, b, x, next) && i < g->c->block[x].end; i++) {
			if (ends_search(g, s->w, i, found))
				return true;
			if (meets && g->loops.loop_of[x] == g->loops.loop_of[s->w->out])
				look_at(g, s, i, &r);
		}
	return false;
}

/* Finds the release of the lock on the path that all threads take after the loop, or in an arm of
 * a branch there. */
static bool given_back(const struct graphs *g, struct wait *w)
{
	struct search s = {.w = w, .exact = *w, .likely = *w, .atomic = has_atomic(g, w->loop)};
	bool end = false;
	for (uint32_t b = w->out, next; b != NO_NODE && b < g->c->n && !end; b = next) {
		if (!dominates(&g->dom, w->out, b))
			break;
		bool other = g->loops.loop_of[b] != g->loops.loop_of[w->out];
		next = next_on_way(g, b);
		for (uint32_t i = g->c->block[b].first; i < g->c->block[b].end && !end; i++) {
			struct wait r = *w;
			r.back = i;
			end = ends_search(g, w, i, is_found(&s.exact));
			if (!end && !other)
				look_at(g, &s, i, &r);
		}
		end = end || look_between(g, &s, b, next);
	}
	*w = is_found(&s.exact) ? s.exact : s.likely;
	return is_found(w);
}

struct rewrite {
	struct arena *a;
	VEC(struct inst) code;
	uint32_t q, zero;
	VEC(uint32_t) to_end; /* indices of the branches to R */
};

/* q = (guard == sense), or true without a guard. */
static void set_q(struct rewrite *x, const struct inst *like, bool sense)
{
	struct opnd q = opnd_reg(x->q, T_PRED), p = opnd_reg(like->guard, T_PRED);
	if (like->guard != NO_REG) {
		p.mod = like->guard_neg == sense ? OPND_NOT : 0;
		vec_push(&x->code,
			 inline_inst(x->a, like, OP_MOV, T_PRED, 1, 1, (struct opnd[]){q, p}));
		return;
	}
	struct opnd z = opnd_reg(x->zero, T_U32), none = opnd_imm(0, T_U32);
	vec_push(&x->code, inline_inst(x->a, like, OP_MOV, T_U32, 1, 1, (struct opnd[]){z, none}));
	vec_push(&x->code,
		 inline_inst(x->a, like, OP_SETP, T_PRED, 1, 2, (struct opnd[]){q, z, none}));
	x->code.v[x->code.n - 1].stype = T_U32;
	x->code.v[x->code.n - 1].cmp = CMP_EQ;
}

static void put_branch(struct rewrite *x, const struct inst *like, uint32_t guard, uint32_t target)
{
	vec_push(&x->code, inline_inst(x->a, like, OP_BRA, T_NONE, 0, 0, NULL));
	x->code.v[x->code.n - 1].guard = guard;
	x->code.v[x->code.n - 1].target = target;
}

static void move_into_loop(struct func *f, const struct graphs *g, const struct wait *w)
{
	struct rewrite x = {.a = g->c->arena};
	uint32_t *to = xmalloc((f->code.n + 1) * sizeof *to), end = 0,
		 header = g->loops.loop[w->loop].header,
		 meet = w->meet == NO_NODE ? NO_PC : g->c->block[w->meet].first;
	vec_push(&f->regs, (struct reg){"%waits", T_PRED});
	vec_push(&f->regs, (struct reg){"%zero", T_U32});
	x.q = (uint32_t)f->regs.n - 2;
	x.zero = x.q + 1;
	for (uint32_t i = 0; i < f->code.n; i++) {
		const struct inst *in = &f->code.v[i];
		bool again = in->op == OP_BRA && g->c->block_of[in->target] == header &&
			     loop_has(&g->loops, w->loop, g->c->block_of[i]);
		to[i] = (uint32_t)x.code.n;
		if (i == meet) {
			end = (uint32_t)x.code.n;
			put_branch(&x, in, x.q, g->c->block[header].first);
		}
		if (again || i == w->leave)
			set_q(&x, in, again || !w->out_is_taken);
		if (again && i == w->back) {
			; /* R itself */
		} else if (again) {
			vec_push(&x.to_end, (uint32_t)x.code.n);
			put_branch(&x, in, in->guard == NO_REG ? NO_REG : x.q, NO_PC);
		} else {
			vec_push(&x.code, *in);
		}
		if (i == w->back) {
			end = (uint32_t)x.code.n;
			put_branch(&x, in, x.q, g->c->block[header].first);
		}
	}
	to[f->code.n] = (uint32_t)x.code.n;
	back_retarget(f, x.code.v, x.code.n, to);
	for (size_t i = 0; i < x.to_end.n; i++)
		x.code.v[x.to_end.v[i]].target = end;
	back_take_code(f, x.code.v, x.code.n, x.code.cap);
	vec_free(&x.to_end);
	free(to);
}

/* True if the loop releases the lock before it is left, but has shorter paths back to its
 * beginning. */
static bool gives_back(const struct graphs *g, struct wait *w)
{
	uint32_t header = g->loops.loop[w->loop].header;
	unsigned ways = 0;
	for (uint32_t e = g->c->g.pred_at[header]; e < g->c->g.pred_at[header + 1]; e++)
		ways += loop_has(&g->loops, w->loop, g->c->g.pred[e]);
	w->back = w->leave;
	return ways > 1 && !w->out_is_taken && has_atomic(g, w->loop) &&
	       g->c->block_of[g->f->code.v[w->leave].target] == header;
}

/* The blocks of the loop that is formed by the edge from a block back to the header. */
static void loop_of_edge(const struct graphs *g, uint32_t header, uint32_t from, uint8_t *in)
{
	VEC(uint32_t) todo = {0};
	memset(in, 0, g->c->n);
	in[header] = 1;
	vec_push(&todo, from);
	while (todo.n) {
		uint32_t b = todo.v[--todo.n];
		if (in[b])
			continue;
		in[b] = 1;
		for (uint32_t e = g->c->g.pred_at[b]; e < g->c->g.pred_at[b + 1]; e++)
			vec_push(&todo, g->c->g.pred[e]);
	}
	vec_free(&todo);
}

/* True if this loop takes a lock and its header is reached from a part of loop l outside it. All
 * paths back from inside must be branches. */
static bool is_inner(const struct graphs *g, uint32_t l, const uint8_t *in)
{
	uint32_t header = g->loops.loop[l].header;
	bool found = false, outside = false;
	for (uint32_t b = 0; b < g->c->n; b++) {
		for (uint32_t i = g->c->block[b].first; in[b] && i < g->c->block[b].end; i++)
			found |= lock_asks(&g->f->code.v[i]);
		const struct inst *last = &g->f->code.v[g->c->block[b].end - 1];
		bool branch = last->op == OP_BRA && g->c->block_of[last->target] == header;
		if (in[b] && b + 1 == header && back_falls_on(g->f, g->c, b))
			return false;
		branch |= b + 1 == header && back_falls_on(g->f, g->c, b);
		outside |= branch && !in[b] && loop_has(&g->loops, l, b);
	}
	return found && outside;
}

/* A waiting loop may begin with the first instruction of an enclosing loop, so that the two have
 * one header. Then the outer loop gets a separate header. */
static bool part_headers(struct func *f, struct arena *a)
{
	struct graphs g;
	graphs_build(&g, f, a);
	uint8_t *in = ARENA_ARRAY(a, uint8_t, g.c->n + 1);
	for (uint32_t l = 0; l < g.loops.n; l++) {
		uint32_t header = g.loops.loop[l].header;
		for (uint32_t e = g.c->g.pred_at[header]; e < g.c->g.pred_at[header + 1]; e++) {
			if (!loop_has(&g.loops, l, g.c->g.pred[e]))
				continue;
			loop_of_edge(&g, header, g.c->g.pred[e], in);
			if (is_inner(&g, l, in)) {
				back_part_header(f, g.c, header, in);
				return true;
			}
		}
	}
	return false;
}

/* Moves one critical section; false: there is none. Registers from `made` on belong to loops that
 * are done. */
static bool move_one(const struct lowering *x, uint32_t made)
{
	struct func *f = x->f;
	struct graphs g;
	graphs_build(&g, f, x->a);
	g.exchange = x->exchange;
	for (uint32_t l = 0; l < g.loops.n; l++) {
		struct wait w = {0};
		if (!is_wait(&g, l) || !way_out(&g, l, &w) || f->code.v[w.leave].guard >= made)
			continue;
		bool alone = g.c->g.pred_at[w.out + 1] - g.c->g.pred_at[w.out] == 1;
		if (!(alone && given_back(&g, &w)) && !gives_back(&g, &w))
			continue;
		move_into_loop(f, &g, &w);
		return true;
	}
	return false;
}

void lower_locks(struct lowering *x)
{
	struct func *f = x->f;
	struct arena *a = x->a;
	unsigned n = 0;
	uint32_t made = (uint32_t)f->regs.n;
	for (size_t i = 0; i < f->code.n; i++)
		n += lock_asks(&f->code.v[i]);
	for (unsigned k = 0; n && k < ROUNDS && (move_one(x, made) || part_headers(f, a)); k++)
		;
}
