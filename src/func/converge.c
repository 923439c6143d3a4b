/* The run loop of native code for sm_70 and later. A warp's lanes are on paths, each with a pc of its own, that have no
 * lane in common and no way back to each other (kernel/reconv.h, with rpc NO_PC); a branch makes two of one. What brings
 * paths together is code: BSYNC and WARPSYNC (NCTL_MEET) wait for the lanes that a mask names, and paths that waited
 * at one instruction go on as one. Where paths wait for each other in a circle, the lanes that are there go on alone.
 *
 * A path that waits has been issued and counted; it is not counted again when it goes on. The last path to come goes on
 * with the others' lanes. A path whose poll failed lets the others go first, so that threads that wait for a lock of
 * their own warp get it. */
#include "check/check.h"
#include "exec/lanes.h"
#include "func/step.h"
#include "kernel/call.h"
#include "kernel/token_flow.h"
#include "kernel/trap.h"

static void threads_exit(struct fwarp *fw, uint32_t m)
{
	struct warp *w = &fw->ws->w;
	w->live &= ~m;
	w->cta->live -= lane_count(m);
	reconv_exit(&fw->stack, m, w->live);
	barriers_exited(fblock_of(w->cta));
}

/* Lanes m of the top path, which is at pc, wait for those that their masks name; its other lanes go on. */
static void meet(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m)
{
	struct split *top = reconv_top(&fw->stack);
	const struct warp *w = &fw->ws->w;
	const uint32_t *mask = row_u32(w, u->a);
	uint32_t need = 0, others = (uint32_t)top->mask & ~m;
	for (uint32_t q = m; q; q &= q - 1)
		need |= mask[__builtin_ctz(q)];
	top->pc = pc;
	if (others) {
		reconv_branch(&fw->stack, NO_PC, (struct way){pc, m}, (struct way){pc + 1, others});
		top = reconv_top(&fw->stack);
	}
	top->waited_at = pc;
	if (!(need & w->live & ~m)) {
		top->state = SPLIT_READY;
		top->pc = pc + 1;
	} else if (reconv_sync(&fw->stack, m, need, w->live)) {
		reconv_top(&fw->stack)->pc = pc + 1;
	}
}

/* Lanes m leave the barrier: the masks of all of its lanes lose them. */
static void break_out(struct fwarp *fw, const struct uop *u, uint32_t m)
{
	const struct warp *w = &fw->ws->w;
	uint32_t *mask = row_u32(w, u->d), lanes = 0;
	for (uint32_t q = m; q; q &= q - 1)
		lanes |= mask[__builtin_ctz(q)];
	for (uint32_t q = lanes; q; q &= q - 1)
		mask[__builtin_ctz(q)] &= ~m;
	reconv_look_again(&fw->stack);
}

/* Lanes m go where their registers say, those of one target together. */
static void jump_indirect(struct fwarp *fw, const struct uop *u, uint32_t m)
{
	struct warp *w = &fw->ws->w;
	const uint32_t *reg = row_u32(w, u->a);
	uint32_t to[LANES], off = (uint32_t)u->imm;
	for (uint32_t q = m; q; q &= q - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(q);
		to[i] = native_address(w->cta->l->img, reg[i] + off);
		if (to[i] == NO_PC) {
			exec_fault(w, u, i, HEDDLE_FAULT_BAD_CALL, reg[i] + off, 0,
				   "indirect branch to 0x%x, where no instruction begins",
				   reg[i] + off);
			return;
		}
	}
	reconv_branch_indexed(&fw->stack, NO_PC, m, to);
}

static void jump(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m, uint32_t active,
		 struct worker *k)
{
	struct split *s = reconv_top(&fw->stack);
	if (m == active) {
		s->pc = u->target;
		return;
	}
	k->divergent[pc]++;
	struct way taken = {u->target, m}, other = {pc + 1, active & ~m};
	bool most = lane_count(m) > lane_count(other.mask);
	reconv_branch(&fw->stack, NO_PC, most ? taken : other, most ? other : taken);
}

/* Control by lanes m (not empty) of the top path at pc; afterwards the stack says where to go on. */
static void control(struct fwarp *fw, struct worker *k, const struct uop *u, uint32_t pc,
		    uint32_t m, uint32_t active)
{
	struct split *s = reconv_top(&fw->stack);
	unsigned kind = u->op == OP_NATIVE ? u->aux : NCTL_EXIT;
	s->pc = pc;
	switch (u->op) {
	case OP_NATIVE: break;
	case OP_EXIT:
	case OP_RET: threads_exit(fw, m); return;
	case OP_TRAP:
	case OP_BRKPT: trap_executed(&fw->ws->w, u, (unsigned)__builtin_ctz(m)); return;
	case OP_CALL:
		call_builtin(fw->ws, u, &s->frame, m);
		s->pc = pc + 1;
		return;
	case OP_BAR:
		if (!barrier_arrive(fw, u, m, m))
			s->pc = pc + 1;
		return;
	default: s->pc = pc + 1; return;
	}
	switch (kind) {
	case NCTL_BRA: jump(fw, u, pc, m, active, k); break;
	case NCTL_BRX: jump_indirect(fw, u, m); break;
	case NCTL_MEET: meet(fw, u, pc, m); break;
	case NCTL_BREAK:
		break_out(fw, u, m);
		s->pc = pc + 1;
		break;
	default: /* YIELD */
		s->pc = pc + 1;
		reconv_yield(&fw->stack);
		break;
	}
}

/* A branch that all lanes of the path take: nothing but the pc changes. */
static inline bool goes_together(const struct uop *u, uint32_t m, uint32_t active)
{
	return u->op == OP_NATIVE && u->aux == NCTL_BRA && m == active;
}

/* Runs the top path until another has its turn. STOP_NONE: go on. */
static enum stop run_path(struct fwarp *fw, struct worker *k)
{
	struct warp *w = &fw->ws->w;
	const struct launch *l = w->cta->l;
	const struct uop *code = l->img->code;
	struct split *s = reconv_top(&fw->stack);
	uint32_t pc = s->pc, active = (uint32_t)s->mask;
	wstate_load_frame(fw->ws, &s->frame, active);
	fw->seg = pc;
	for (;; pc++) {
		const struct uop *u = run_straight(w, &code[pc], active, k->off, code);
		if (!u)
			return STOP_FAULT;
		pc = (uint32_t)(u - code);
		uint32_t m = u->guard >= 0 ? guard_mask(w, u, active) : active;
		w->pc = pc;
		if ((u->flags & UOP_ORDERED) && m && ordered_leaves(fw, k, u, pc, m)) {
			count_run(fw, k, pc, active);
			s->pc = pc;
			return STOP_YIELD;
		}
		count_off(k, pc, active & ~m);
		if (!m)
			continue;
		if (u->flags & UOP_CTL) {
			count_run(fw, k, pc + 1, active);
			if (goes_together(u, m, active)) {
				s->pc = fw->seg = u->target;
				if (k->fuel < 0)
					return STOP_NONE;
				pc = u->target - 1; /* the loop goes to the next */
				continue;
			}
			control(fw, k, u, pc, m, active);
			return w->stop == STOP_FAULT ? STOP_FAULT : STOP_NONE;
		}
		execute(w, u, m);
		if (w->stop == STOP_FAULT)
			return STOP_FAULT;
		if ((u->flags & UOP_POLL) && poll_waits(fw, u, pc, m)) {
			count_run(fw, k, pc + 1, active);
			s->pc = pc + 1;
			if (reconv_yield(&fw->stack) == RECONV_NEXT && !circle_ends_turn(fw))
				return STOP_NONE;
			return STOP_YIELD;
		}
	}
}

enum stop converge_run(struct fwarp *fw)
{
	struct worker *k = worker_of(fw->ws->w.cta);
	const struct uop *code = fw->ws->w.cta->l->img->code;
	for (;;) {
		if (k->fuel < 0)
			return STOP_BUDGET;
		if (!reconv_settle(&fw->stack))
			return fw->stack.n ? STOP_BARRIER : STOP_DONE;
		struct split *s = reconv_top(&fw->stack);
		if (s->waited_at &&
		    s->waited_at == s->pc) { /* looks again: issued and counted already */
			wstate_load_frame(fw->ws, &s->frame, (uint32_t)s->mask);
			meet(fw, &code[s->pc], s->pc, (uint32_t)s->mask);
			continue;
		}
		s->waited_at = 0;
		enum stop st = run_path(fw, k);
		if (st)
			return st;
		if (fblock_of(fw->ws->w.cta)->opened)
			return STOP_BARRIER;
	}
}
