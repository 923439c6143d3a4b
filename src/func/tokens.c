/* The run loop of machine code for Tesla and Fermi: straight-line pieces by the executor, control flow by
 * the token stack (kernel/token_flow.h). A warp's active mask and pc are path[0] of its stack, so that
 * barriers and blocks see the usual state. Begin reading at run_path(). */
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
		f->next = s->pc; /* pc of the barrier, or after it if it has opened */
}

/* Executes control flow by threads t (empty only for BRA under the while rule). */
static void run_control(struct fwarp *fw, struct worker *k, struct token_flow *f, uint32_t t)
{
	struct split *s = &fw->stack.path[0];
	if (uop_is(f->u, OF_BARRIER))
		run_barrier(fw, f, t);
	else if (!token_loop_part(f, t))
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
	/* each iteration but the last needs room for a token; where other warps may run in between,
	 * the loop is run instruction by instruction */
	if (l->trace || l->while_masks || ws->ntokens == ws->token_cap || k->fuel < most)
		return pc;
	uint32_t n =
		l->img->lock_loop(&ws->w, &code[again], bra - again, active, k->off + again, asks);
	for (uint32_t i = 0; i + 1 < n; i++) {
		uint32_t done = asks[i] & ~asks[i + 1];
		count_off(k, bra, done);
		count_run(fw, k, bra + 1, asks[i]);
		k->divergent[bra]++;
		fw->seg = bra + 1; /* the instruction with .S, after which the token's other threads
		                    * run */
		count_run(fw, k, bra + 2, done);
		fw->seg = again;
	}
	if (!n)
		return pc;
	*left = asks[n - 1];
	count_off(k, bra, *left);
	return bra;
}

/* State of running the active threads `active` at `pc`, counted from fw->seg on. */
struct run {
	struct fwarp *fw;
	struct worker *k;
	uint32_t pc, active;
};

/* Stops the warp before the instruction at pc. */
static inline enum stop stop_before(struct run *r, uint32_t pc, enum stop why)
{
	count_run(r->fw, r->k, pc, r->active);
	r->fw->stack.path[0].pc = pc;
	return why;
}

/* Executes an instruction that pushes a token, and the loop after it if the loop takes locks. False:
 * a fault. */
static inline bool push_and_go_on(struct run *r, struct token_flow *f, uint32_t m)
{
	const struct uop *u = f->u;
	if (u->aux != NCTL_SSY || !token_push(f->ws, TOKEN_SSY, r->active, u->target))
		token_control(f, m);
	if (f->ws->w.stop == STOP_FAULT)
		return false;
	if (u->aux == NCTL_SSY && u->reconv != NO_PC) {
		uint32_t left = r->active;
		r->pc = take_locks(r->fw, r->k, r->pc, r->active, &left);
		r->active = left;
	}
	return true;
}

/* Threads m execute control flow u. True: the loop continues after r->pc; false: *st is the
 * result. */
static inline bool change_flow(struct run *r, const struct uop *u, uint32_t m, enum stop *st)
{
	struct fwarp *fw = r->fw;
	struct warp *w = &fw->ws->w;
	struct split *s = &fw->stack.path[0];
	struct token_flow f = {.ws = fw->ws,
			       .u = u,
			       .frame = &s->frame,
			       .pc = r->pc,
			       .active = r->active,
			       .next = r->pc + 1};
	*st = STOP_FAULT;
	if (token_pushes(u)) /* not a branch: the straight line continues */
		return push_and_go_on(r, &f, m);
	count_run(fw, r->k, r->pc + 1, r->active);
	if (token_goes_together(w->cta->l, u, m, r->active))
		f.next = s->pc = u->target;
	else
		run_control(fw, r->k, &f, m);
	if (w->stop == STOP_FAULT)
		return false;
	*st = STOP_NONE;
	if (!(u->flags & UOP_NATIVE) || !f.active || f.exited || r->k->fuel < 0)
		return false;
	fw->seg = f.next;
	r->pc = f.next - 1; /* the loop continues with the next instruction */
	w->active = r->active = f.active;
	return true;
}

/* Threads m execute u, which is not a control-flow instruction. True: the loop continues after r->pc; false: *st is
 * the result. */
static inline bool run_operation(struct run *r, const struct uop *u, uint32_t m, enum stop *st)
{
	struct warp *w = &r->fw->ws->w;
	name_access(w, u, r->pc, m);
	execute_uop(w, u, m);
	*st = STOP_FAULT;
	if (w->stop == STOP_FAULT)
		return false;
	if (!(u->flags & UOP_POLL) || !poll_waits(r->fw, u, r->pc, m))
		return true;
	*st = stop_before(r, r->pc + 1, STOP_YIELD);
	return false;
}

/* Runs the active threads until they end, stop at a barrier, or another warp has its turn.
 * STOP_NONE: continue. */
static enum stop run_path(struct fwarp *fw, struct worker *k)
{
	struct warp *w = &fw->ws->w;
	const struct launch *l = w->cta->l;
	const struct uop *code = l->img->code;
	struct run r = {fw, k, fw->stack.path[0].pc, (uint32_t)fw->stack.path[0].mask};
	enum stop st;
	fw->seg = r.pc;
	for (;; r.pc++) {
		if (!l->trace) { /* the observer sees each instruction */
			const struct uop *next =
				run_straight(w, &code[r.pc], r.active, k->off, code);
			if (!next)
				return STOP_FAULT;
			r.pc = (uint32_t)(next - code);
		}
		const struct uop *u = &code[r.pc];
		uint32_t m = u->guard >= 0 ? guard_mask(w, u, r.active) : r.active;
		if (l->trace && starts_instruction(code, r.pc))
			l->trace(l->trace_arg, fw->ws, r.pc);
		w->pc = r.pc;
		if ((u->flags & UOP_SHOWN) && warp_shown(fw, r.pc, r.active))
			return stop_before(&r, r.pc, STOP_BUDGET);
		if ((u->flags & UOP_ORDERED) && m && ordered_leaves(fw, k, u, r.pc, m))
			return stop_before(&r, r.pc, STOP_YIELD);
		count_off(k, r.pc, r.active & ~m);
		if (!m && !token_always(l, u))
			continue;
		if (u->flags & UOP_CTL ? !change_flow(&r, u, m, &st)
				       : !run_operation(&r, u, m, &st))
			return st;
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
