/* The run loop of machine code for sm_70 and later in functional mode. kernel/converge.h explains
 * how the paths of a warp part and meet. The path that arrives last continues with the lanes of the
 * others. A path whose poll failed lets the others go first, so that threads that wait for a lock
 * of their own warp get it. If paths wait for each other in a circle, the lanes that have arrived
 * continue alone. */
#include "check/check.h"
#include "exec/lanes.h"
#include "func/step.h"
#include "kernel/converge.h"

/* Executes control flow by lanes m (not empty) of the top path at pc; afterwards the paths have
 * their next pc. */
static void run_control(struct fwarp *fw, struct worker *k, const struct uop *u, uint32_t pc,
			uint32_t m)
{
	if (!(u->flags & UOP_NATIVE)) {
		path_control(fw, u, pc, m);
		return;
	}
	reconv_top(&fw->stack)->pc = pc;
	k->divergent[pc] += converge_control(&fw->stack, fw->ws, u, pc, m);
}

/* True for a branch that all lanes of the path take: only the pc changes. */
static inline bool goes_together(const struct uop *u, uint32_t m, uint32_t active)
{
	return uop_is_native(u, NCTL_BRA) && m == active;
}

/* Runs the top path until another path has its turn. STOP_NONE: continue. */
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
		if ((u->flags & UOP_SHOWN) && warp_shown(fw, pc, active)) {
			count_run(fw, k, pc, active);
			return STOP_BUDGET;
		}
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
				/* the loop continues with the next instruction */
				pc = u->target - 1;
				continue;
			}
			run_control(fw, k, u, pc, m);
			return w->stop == STOP_FAULT ? STOP_FAULT : STOP_NONE;
		}
		name_access(w, u, pc, m);
		execute_uop(w, u, m);
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
		if (!converge_settle(&fw->stack, fw->ws, code))
			return fw->stack.n ? STOP_BARRIER : STOP_DONE;
		enum stop st = run_path(fw, k);
		if (st)
			return st;
		if (fblock_of(fw->ws->w.cta)->opened)
			return STOP_BARRIER;
	}
}
