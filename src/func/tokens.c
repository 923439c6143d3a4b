/* The run loop of native code: straight-line pieces by the executor, control flow by the token
 * stack (kernel/token_flow.h). A warp's active mask and pc are path[0] of its stack, so that
 * barriers and blocks see the usual state. */
#include "exec/lanes.h"
#include "func/step.h"
#include "kernel/call.h"
#include "kernel/token_flow.h"

static void run_barrier(struct fwarp *fw, struct token_flow *f, uint32_t t)
{
	struct split *s = &fw->stack.path[0];
	s->pc = f->pc;
	s->mask = f->active;
	if (barrier_arrive(fw, f->u, t, f->active))
		f->next = s->pc; /* pc of the barrier, or behind it if it has opened */
}

/* Pushes a token if there is room without growing the stack; false: there is none. */
static inline bool push_token(struct wstate *ws, unsigned type, uint32_t mask, uint32_t pc)
{
	if (ws->ntokens == ws->token_cap)
		return false;
	ws->token[ws->ntokens++] = (struct token){(uint8_t)type, mask, pc};
	return true;
}

/* Executes the control flow of loops inline: a branch of some threads, and the .S behind it where
 * the others have yet to come or wait for these. False: another instruction. */
static inline bool run_loop_part(struct token_flow *f, uint32_t t)
{
	struct wstate *ws = f->ws;
	unsigned kind = f->u->flags & UOP_NATIVE ? f->u->aux : NCTL_EXIT;
	if (kind == NCTL_BRA && !ws->w.cta->l->while_masks &&
	    push_token(ws, TOKEN_DIV, t, f->u->target)) {
		f->active &= ~t;
		f->diverges = true;
		return true;
	}
	if (!ws->ntokens || (kind != NCTL_TPOP && (kind != NCTL_POP || t != f->active)))
		return false;
	const struct token *top = &ws->token[ws->ntokens - 1];
	uint32_t others = top->mask & ~token_off(ws);
	if ((top->type != TOKEN_DIV && top->type != TOKEN_SSY) || !others)
		return false;
	f->active = others;
	if (top->type == TOKEN_DIV || kind == NCTL_POP)
		f->next = top->pc; /* otherwise behind this instruction, which Tesla's SSY names */
	ws->ntokens--;
	return true;
}

/* Executes control flow by threads t (empty only for BRA under the while rule). */
static void run_control(struct fwarp *fw, struct worker *k, struct token_flow *f, uint32_t t)
{
	struct split *s = &fw->stack.path[0];
	if (uop_is(f->u, OF_BARRIER))
		run_barrier(fw, f, t);
	else if (!run_loop_part(f, t))
		token_control(f, t);
	s->pc = f->next;
	s->mask = f->active;
	if (!f->active)
		fw->stack.n = 0;
	k->divergent[f->pc] += f->diverges;
	if (f->exited)
		barriers_exited(fblock_of(fw->ws->w.cta));
}

static inline bool starts_instruction(const struct uop *code, uint32_t pc)
{
	const struct inst *in = code[pc].in;
	return in->native[0] &&
	       (!pc || !code[pc - 1].in->native[0] || code[pc - 1].in->native_pc != in->native_pc);
}

/* True for a branch that all threads take, under the rule that pushes tokens: only the pc
 * changes. */
static inline bool goes_together(const struct launch *l, const struct uop *u, uint32_t m,
				 uint32_t active)
{
	return (uop_is_native(u, NCTL_BRA) || uop_is_native(u, NCTL_BRA_U)) && m == active &&
	       !l->while_masks;
}

/* Runs a loop that takes locks, with its SSY at pc: all iterations at once, counted as if executed
 * step by step. Returns the pc of the branch at the end of the last iteration, with its threads;
 * pc: nothing was done. It is a separate function for the reason given at run_straight(). */
__attribute__((noinline)) static uint32_t take_locks(struct fwarp *fw, struct worker *k,
						     uint32_t pc, uint32_t active, uint32_t *left)
{
	struct wstate *ws = fw->ws;
	const struct launch *l = ws->w.cta->l;
	const struct uop *code = l->img->code;
	uint32_t again = pc + 1, bra = code[pc].reconv, asks[LANES];
	int64_t most = again - fw->seg + LANES * (int64_t)(bra + 2 - again);
	/* an iteration before the last needs room for a token; where other warps may run in
	 * between, they do */
	if (l->trace || l->while_masks || ws->ntokens == ws->token_cap || k->fuel < most)
		return pc;
	uint32_t n =
		l->img->lock_loop(&ws->w, &code[again], bra - again, active, k->off + again, asks);
	for (uint32_t i = 0; i + 1 < n; i++) {
		uint32_t done = asks[i] & ~asks[i + 1];
		count_off(k, bra, done);
		count_run(fw, k, bra + 1, asks[i]);
		k->divergent[bra]++;
		fw->seg = bra + 1; /* .S, which goes back to the others */
		count_run(fw, k, bra + 2, done);
		fw->seg = again;
	}
	if (!n)
		return pc;
	*left = asks[n - 1];
	count_off(k, bra, *left);
	return bra;
}

/* Runs the active threads until they end or stop at a barrier, or another warp has its turn.
 * STOP_NONE: continue. */
static enum stop run_path(struct fwarp *fw, struct worker *k)
{
	struct warp *w = &fw->ws->w;
	const struct launch *l = w->cta->l;
	const struct uop *code = l->img->code;
	struct split *s = &fw->stack.path[0];
	uint32_t pc = s->pc, active = (uint32_t)s->mask;
	fw->seg = pc;
	for (;; pc++) {
		if (!l->trace) { /* the observer sees each instruction */
			const struct uop *next = run_straight(w, &code[pc], active, k->off, code);
			if (!next)
				return STOP_FAULT;
			pc = (uint32_t)(next - code);
		}
		const struct uop *u = &code[pc];
		uint32_t m = u->guard >= 0 ? guard_mask(w, u, active) : active;
		if (l->trace && starts_instruction(code, pc))
			l->trace(l->trace_arg, fw->ws, pc);
		if (!u->flags) {
			count_off(k, pc, active & ~m);
			execute_uop(w, u, m);
			continue;
		}
		w->pc = pc;
		if ((u->flags & UOP_ORDERED) && m && ordered_leaves(fw, k, u, pc, m)) {
			count_run(fw, k, pc, active);
			s->pc = pc;
			return STOP_YIELD;
		}
		count_off(k, pc, active & ~m);
		if (!m && !token_always(l, u))
			continue;
		if (u->flags & UOP_CTL) {
			struct token_flow f = {.ws = fw->ws,
					       .u = u,
					       .frame = &s->frame,
					       .pc = pc,
					       .active = active,
					       .next = pc + 1};
			if (token_pushes(u)) { /* not a branch: the straight line continues */
				if (u->aux != NCTL_SSY ||
				    !push_token(fw->ws, TOKEN_SSY, active, u->target))
					token_control(&f, m);
				if (w->stop == STOP_FAULT)
					return STOP_FAULT;
				if (u->aux == NCTL_SSY && u->reconv != NO_PC) {
					uint32_t left = active;
					pc = take_locks(fw, k, pc, active, &left);
					active = left;
				}
				continue;
			}
			count_run(fw, k, pc + 1, active);
			if (goes_together(l, u, m, active))
				f.next = s->pc = u->target;
			else
				run_control(fw, k, &f, m);
			if (w->stop == STOP_FAULT)
				return STOP_FAULT;
			if (!(u->flags & UOP_NATIVE) || !f.active || f.exited || k->fuel < 0)
				return STOP_NONE;
			fw->seg = f.next;
			pc = f.next - 1; /* the loop continues with the next instruction */
			w->active = active = f.active;
			continue;
		}
		execute_uop(w, u, m);
		if (w->stop == STOP_FAULT)
			return STOP_FAULT;
		if ((u->flags & UOP_POLL) && poll_waits(fw, u, pc, m)) {
			count_run(fw, k, pc + 1, active);
			s->pc = pc + 1;
			return STOP_YIELD;
		}
	}
}

enum stop tokens_run(struct fwarp *fw)
{
	struct worker *k = worker_of(fw->ws->w.cta);
	for (;;) {
		if (k->fuel < 0)
			return STOP_BUDGET;
		if (!fw->stack.n)
			return STOP_DONE;
		const struct split *s = &fw->stack.path[0];
		if (s->state == SPLIT_BARRIER)
			return STOP_BARRIER;
		wstate_load_frame(fw->ws, &s->frame, (uint32_t)s->mask);
		enum stop st = run_path(fw, k);
		if (st)
			return st;
		if (fblock_of(fw->ws->w.cta)->opened)
			return STOP_BARRIER;
	}
}
