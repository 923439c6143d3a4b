/* The run loop of a warp. Straight-line code goes through the first few lines of warp_run;
 * everything that needs a look (branches, reconvergence points, memory, communication) carries a
 * flag. */
#include "check/check.h"
#include "exec/lanes.h"
#include "func/step.h"
#include "kernel/call.h"
#include "kernel/once.h"
#include "kernel/trap.h"

/* A .sync operation whose members are not all here: waits for them, or, when the last have come,
 * runs for all at once. True if the top path waits. */
static bool sync_waits(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t *m)
{
	struct split *top = reconv_top(&fw->stack);
	const struct warp *w = &fw->ws->w;
	uint32_t need = warp_members(w, u, *m);
	if (!(need & w->live & ~*m)) { /* as nearly always */
		top->state = SPLIT_READY;
		return false;
	}
	top->pc = pc;
	if (w->cta->check)
		arrivals_wait(w, pc, need & w->live & ~*m);
	uint32_t have = (uint32_t)reconv_sync(&fw->stack, *m, need, w->live);
	if (have)
		*m = have;
	return !have;
}

/* brx: lanes go to the targets their index selects, one target after the other. */
static void branch_indexed(struct fwarp *fw, const struct uop *u, uint32_t m)
{
	const struct targets *t = (const struct targets *)(uintptr_t)u->imm;
	struct warp *w = &fw->ws->w;
	const uint32_t *index = row_u32(w, u->a);
	uint32_t to[LANES];
	for (uint32_t q = m; q; q &= q - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(q);
		if (index[i] >= t->n) {
			exec_fault(w, u, i, HEDDLE_FAULT_BAD_CALL, index[i], 0,
				   "brx.idx with index %u: the list has %u targets", index[i],
				   t->n);
			return;
		}
		to[i] = t->pc[index[i]];
	}
	reconv_branch_indexed(&fw->stack, u->reconv, m, to);
}

static void threads_exit(struct fwarp *fw, uint32_t m)
{
	struct warp *w = &fw->ws->w;
	w->live &= ~m;
	w->cta->live -= lane_count(m);
	reconv_exit(&fw->stack, m, w->live);
	barriers_exited(fblock_of(w->cta));
}

static bool enter(struct fwarp *fw, const struct uop *u, const struct image_func *f,
		  const struct frame *caller, uint32_t back, uint32_t m)
{
	struct frame callee = *caller;
	if (!call_frame(fw->ws, u, f, &callee, m))
		return false;
	reconv_call(&fw->stack, m, f->start, &callee, back);
	return true;
}

/* Lanes m of the top path call. Of an indirect call each function in turn, for the lanes that call
 * it; the paths stack up on the same frame: lanes own their columns of it. */
static void call(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m)
{
	const struct call_uop *c = (const struct call_uop *)(uintptr_t)u->imm;
	struct frame caller = reconv_top(&fw->stack)->frame;
	if (c->builtin) {
		call_builtin(fw->ws, u, &caller, m);
		reconv_top(&fw->stack)->pc = pc + 1;
		return;
	}
	while (m) {
		uint32_t lanes = 0;
		const struct image_func *f = call_target(fw->ws, u, (uint32_t)__builtin_ctz(m));
		for (uint32_t q = m; q && f; q &= q - 1) {
			const struct image_func *g =
				call_target(fw->ws, u, (uint32_t)__builtin_ctz(q));
			if (!g)
				return;
			lanes |= g == f ? q & -q : 0;
		}
		if (!f || !enter(fw, u, f, &caller, pc + 1, lanes))
			return;
		m &= ~lanes;
	}
}

static void leave(struct fwarp *fw, uint32_t m)
{
	const struct split *to = reconv_caller(&fw->stack, m);
	frames_leave(&fw->ws->w, reconv_top(&fw->stack)->frame.lbase, m);
	const struct uop *code = fw->ws->w.cta->l->img->code;
	call_results(fw->ws, &code[to->pc - 1], &to->frame, reconv_top(&fw->stack)->frame.lbase, m);
	reconv_return(&fw->stack, m);
}

/* Control flow other than a branch, by lanes m of the top path at pc. On return the stack says
 * where to go on. */
static void control(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m)
{
	struct split *s = reconv_top(&fw->stack);
	s->pc = pc;
	switch (u->op) {
	case OP_BRX: branch_indexed(fw, u, m); break;
	case OP_RET:
		if (s->frame.depth) {
			leave(fw, m);
			break;
		}
		/* fall through */
	case OP_EXIT: threads_exit(fw, m); break;
	case OP_TRAP:
	case OP_BRKPT: trap_executed(&fw->ws->w, u, (unsigned)__builtin_ctz(m)); break;
	case OP_CALL: call(fw, u, pc, m); break;
	case OP_BAR:
		if (!barrier_arrive(fw, u, m, m))
			s->pc = pc + 1;
		break;
	default: s->pc = pc + 1; break;
	}
}

/* Most instructions run here. It is a function of its own so that its variables fit into the
 * registers that calls preserve. */
__attribute__((noinline)) const struct uop *run_straight(struct warp *w, const struct uop *u,
							 uint32_t active, uint64_t *off,
							 const struct uop *code)
{
	for (; !(u->flags & ~UOP_FAULTS); u++) {
		uint32_t m = active;
		if (u->guard >= 0) {
			m = guard_mask(w, u, active);
			if (m != active)
				off[u - code] += lane_count(active & ~m);
		}
		if (!u->flags) {
			execute(w, u, m);
			continue;
		}
		w->pc = (uint32_t)(u - code);
		execute(w, u, m);
		if (w->stop == STOP_FAULT)
			return NULL;
	}
	return u;
}

enum stop warp_run(struct fwarp *fw)
{
	struct warp *w = &fw->ws->w;
	struct cta *b = w->cta;
	struct worker *k = worker_of(b);
	const struct uop *code = b->l->img->code;
	w->stop = STOP_NONE;
	if (b->l->img->native)
		return tokens_run(fw);
	for (;;) {
		if (k->fuel < 0)
			return STOP_BUDGET;
		if (!reconv_settle(&fw->stack))
			return fw->stack.n ? STOP_BARRIER : STOP_DONE;
		struct split *s = reconv_top(&fw->stack);
		uint32_t pc = s->pc, active = (uint32_t)s->mask, rpc = s->rpc;
		wstate_load_frame(fw->ws, &s->frame, active);
		fw->seg = pc;
		for (;;) {
			const struct uop *u = run_straight(w, &code[pc], active, k->off, code);
			if (!u)
				return STOP_FAULT;
			uint32_t m = u->guard >= 0 ? guard_mask(w, u, active) : active;
			pc = (uint32_t)(u - code);
			if ((u->flags & UOP_RECONV) && pc == rpc) {
				count_run(fw, k, pc, active);
				fw->stack.n--;
				break;
			}
			w->pc = pc;
			if (u->op == OP_BRA) {
				if (m == 0) {
					pc++;
					continue;
				}
				count_run(fw, k, pc + 1, active);
				if (m != active) {
					if ((u->flags & UOP_SCALAR) && !once_check(w, u, m, active))
						return STOP_FAULT;
					k->divergent[pc]++;
					reconv_branch(&fw->stack, u->reconv,
						      (struct way){pc + 1, active & ~m},
						      (struct way){u->target, m});
					break;
				}
				pc = fw->seg = u->target;
				if (k->fuel < 0) {
					s->pc = pc;
					break;
				}
				continue;
			}
			if (!m) {
				count_off(k, pc, active);
				pc++;
				continue;
			}
			if ((u->flags & UOP_GIVES_WAY) && pace_gives_way(fw, pc)) {
				count_run(fw, k, pc, active);
				s->pc = pc;
				return STOP_BUDGET;
			}
			if ((u->flags & UOP_ORDERED) && ordered_leaves(fw, k, u, pc, m)) {
				count_run(fw, k, pc, active);
				s->pc = pc;
				return STOP_YIELD;
			}
			if (u->flags & UOP_CTL) {
				if ((u->flags & UOP_SCALAR) && !once_check(w, u, m, active))
					return STOP_FAULT;
				count_off(k, pc, active & ~m);
				count_run(fw, k, pc + 1, active);
				control(fw, u, pc, m);
				if (w->stop == STOP_FAULT)
					return STOP_FAULT;
				if (fblock_of(b)->opened)
					return STOP_BARRIER;
				break;
			}
			if ((u->flags & UOP_CROSS) && (u->in->mods & M_SYNC) &&
			    sync_waits(fw, u, pc, &m)) {
				count_run(fw, k, pc, active);
				break;
			}
			if ((uint32_t)s->mask != active) { /* others have come along */
				count_run(fw, k, pc, active);
				active = (uint32_t)s->mask;
				w->active = active;
				fw->seg = pc;
			}
			count_off(k, pc, active & ~m);
			execute(w, u, m);
			pc++;
			if (w->stop == STOP_FAULT)
				return STOP_FAULT;
			if ((u->flags & UOP_POLL) && poll_waits(fw, u, pc - 1, m)) {
				count_run(fw, k, pc, active);
				s->pc = pc;
				if (reconv_yield(&fw->stack) == RECONV_NEXT &&
				    !circle_ends_turn(fw))
					break;
				return STOP_YIELD;
			}
		}
	}
}
