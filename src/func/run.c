/* The run loop of a warp. warp_run() takes the top path of the reconvergence stack repeatedly,
 * run_path() executes it. Straight-line code goes through run_straight(); an instruction that needs
 * more (a branch, a reconvergence point, communication) carries a flag and ends that loop. */
#include "check/check.h"
#include "exec/lanes.h"
#include "func/step.h"
#include "kernel/control.h"
#include "kernel/exchange.h"
#include "kernel/once.h"

/* Handles a .sync operation whose members may be on several paths: the top path waits until all
 * members have arrived; the last arrival executes the operation for all. True: the top path
 * waits. */
static bool sync_waits(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t *m)
{
	struct split *top = reconv_top(&fw->stack);
	const struct warp *w = &fw->ws->w;
	uint32_t need = warp_members(w, u, *m);
	if (!(need & w->live & ~*m)) { /* the common case */
		top->state = SPLIT_READY;
		return false;
	}
	top->pc = pc;
	if (w->cta->check)
		arrivals_wait(w, pc, need & w->live & ~*m);
	exchange_publish(fw->ws, u, *m);
	uint32_t have = (uint32_t)reconv_sync(&fw->stack, *m, need, w->live, inst_meets(u->in));
	if (have)
		*m = have;
	return !have;
}

/* ---- control flow: operations on the top path's lanes (kernel/control.h) ---- */

static struct reconv *stack_of(const struct control *c)
{
	return &((struct fwarp *)c->mode)->stack;
}

static void step_lanes(const struct control *c, uint32_t pc) { reconv_top(stack_of(c))->pc = pc; }

static void branch_indexed(const struct control *c, const uint32_t *to)
{
	reconv_branch_indexed(stack_of(c), c->u->reconv, c->lanes, to);
}

static void call_function(const struct control *c, lanemask lanes, const struct image_func *f,
			  const struct frame *callee)
{
	reconv_call(stack_of(c), lanes, f->start, callee, c->pc + 1);
}

/* Returns the lanes of a path, which were all called from one place. */
static lanemask find_caller(const struct control *c, lanemask lanes, struct frame *to,
			    uint32_t *back)
{
	const struct split *s = reconv_caller(stack_of(c), lanes);
	*to = s->frame;
	*back = s->pc;
	return lanes;
}

static unsigned find_shares(const struct control *c, lanemask lanes, struct share *out)
{
	(void)lanes;
	*out = *c->share;
	return 1;
}

static void leave_function(const struct control *c) { reconv_return(stack_of(c), c->lanes); }

static void end_lanes(const struct control *c)
{
	const struct warp *w = &c->share->ws->w;
	reconv_exit(stack_of(c), c->lanes, w->live);
	barriers_exited(fblock_of(w->cta));
}

static const struct control_ops path_ops = {step_lanes,  branch_indexed, call_function, find_caller,
					    find_shares, leave_function, end_lanes};

void path_control(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m)
{
	struct split *s = reconv_top(&fw->stack);
	s->pc = pc;
	if (uop_is(u, OF_BARRIER)) {
		if (!barrier_arrive(fw, u, m, m))
			s->pc = pc + 1;
		return;
	}
	struct share all = {.ws = fw->ws, .lanes = m, .active = (uint32_t)s->mask, .pos = m};
	control_run(&(struct control){.ops = &path_ops,
				      .mode = fw,
				      .u = u,
				      .pc = pc,
				      .lanes = m,
				      .frame = s->frame,
				      .share = &all,
				      .n = 1});
}

/* ---- the run of a path ---- */

/* Runs most instructions. It is a separate function so that its variables fit into the registers
 * that calls preserve. */
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
			execute_uop(w, u, m);
			continue;
		}
		w->pc = (uint32_t)(u - code);
		name_access(w, u, w->pc, m);
		execute_uop(w, u, m);
		if (w->stop == STOP_FAULT)
			return NULL;
	}
	return u;
}

/* The run of the warp's top path: lanes `active` at `pc`. Instructions from fw->seg on are not
 * counted yet. */
struct run {
	struct fwarp *fw;
	struct worker *k;
	struct split *s;
	uint32_t pc, active;
};

static inline enum stop stop_of(const struct warp *w)
{
	return w->stop == STOP_FAULT ? STOP_FAULT : STOP_NONE;
}

/* Stops the path before the instruction at pc. */
static inline enum stop stop_before(struct run *r, uint32_t pc, enum stop why)
{
	count_run(r->fw, r->k, pc, r->active);
	r->s->pc = pc;
	return why;
}

/* Executes a branch that lanes m take. True: the path continues with all its lanes. */
static inline bool take_branch(struct run *r, const struct uop *u, uint32_t m)
{
	struct warp *w = &r->fw->ws->w;
	if (!m) {
		r->pc++;
		return true;
	}
	count_run(r->fw, r->k, r->pc + 1, r->active);
	if (m != r->active) {
		if ((u->flags & UOP_SCALAR) && !once_check(w, u, m, r->active))
			return false;
		r->k->divergent[r->pc]++;
		reconv_branch(&r->fw->stack, u->reconv, (struct way){r->pc + 1, r->active & ~m},
			      (struct way){u->target, m});
		return false;
	}
	r->pc = r->fw->seg = u->target;
	if (r->k->fuel >= 0)
		return true;
	r->s->pc = r->pc;
	return false;
}

/* Stops the path if others must run before lanes m execute u; otherwise returns STOP_NONE. */
static inline enum stop let_others_run(struct run *r, const struct uop *u, uint32_t m)
{
	if ((u->flags & UOP_GIVES_WAY) && pace_gives_way(r->fw, r->pc))
		return stop_before(r, r->pc, STOP_BUDGET);
	if ((u->flags & UOP_ORDERED) && ordered_leaves(r->fw, r->k, u, r->pc, m))
		return stop_before(r, r->pc, STOP_YIELD);
	return STOP_NONE;
}

static inline enum stop change_flow(struct run *r, const struct uop *u, uint32_t m)
{
	struct warp *w = &r->fw->ws->w;
	if ((u->flags & UOP_SCALAR) && !once_check(w, u, m, r->active))
		return STOP_FAULT;
	count_off(r->k, r->pc, r->active & ~m);
	count_run(r->fw, r->k, r->pc + 1, r->active);
	path_control(r->fw, u, r->pc, m);
	return w->stop == STOP_FAULT       ? STOP_FAULT
	       : fblock_of(w->cta)->opened ? STOP_BARRIER
					   : STOP_NONE;
}

/* All lanes of a .sync operation have arrived: lanes that came earlier and waited join the running
 * path. */
static inline void join_waiting(struct run *r)
{
	count_run(r->fw, r->k, r->pc, r->active);
	r->active = (uint32_t)r->s->mask;
	r->fw->ws->w.active = r->active;
	r->fw->seg = r->pc;
}

/* Lanes m execute u, which is not a control-flow instruction. True: the path continues; false: *st is the
 * result. */
static inline bool run_operation(struct run *r, const struct uop *u, uint32_t m, enum stop *st)
{
	if ((u->flags & UOP_CROSS) && (u->in->mods & M_SYNC) && sync_waits(r->fw, u, r->pc, &m)) {
		count_run(r->fw, r->k, r->pc, r->active);
		*st = STOP_NONE;
		return false;
	}
	if ((uint32_t)r->s->mask != r->active)
		join_waiting(r);
	count_off(r->k, r->pc, r->active & ~m);
	name_access(&r->fw->ws->w, u, r->pc, m);
	if (inst_exchange(u->in) && exchange_pending(r->fw->ws))
		exchange_run(r->fw->ws, u, m);
	else
		execute_uop(&r->fw->ws->w, u, m);
	r->pc++;
	*st = stop_of(&r->fw->ws->w);
	if (*st)
		return false;
	if (!(u->flags & UOP_POLL) || !poll_waits(r->fw, u, r->pc - 1, m))
		return true;
	*st = stop_before(r, r->pc, STOP_YIELD);
	if (reconv_yield(&r->fw->stack) == RECONV_NEXT && !circle_ends_turn(r->fw))
		*st = STOP_NONE;
	return false;
}

/* Runs the top path until it reconverges, diverges, waits or ends. STOP_NONE: the stack has the
 * next path. */
static enum stop run_path(struct fwarp *fw, struct worker *k)
{
	struct warp *w = &fw->ws->w;
	const struct uop *code = w->cta->l->img->code;
	struct split *s = reconv_top(&fw->stack);
	struct run r = {fw, k, s, s->pc, (uint32_t)s->mask};
	uint32_t rpc = s->rpc;
	enum stop st;
	wstate_load_frame(fw->ws, &s->frame, r.active);
	fw->seg = r.pc;
	for (;;) {
		const struct uop *u = run_straight(w, &code[r.pc], r.active, k->off, code);
		if (!u)
			return STOP_FAULT;
		uint32_t m = u->guard >= 0 ? guard_mask(w, u, r.active) : r.active;
		r.pc = (uint32_t)(u - code);
		if ((u->flags & UOP_RECONV) && r.pc == rpc) {
			count_run(fw, k, r.pc, r.active);
			fw->stack.n--;
			return STOP_NONE;
		}
		w->pc = r.pc;
		if ((u->flags & UOP_SHOWN) && warp_shown(fw, r.pc, r.active))
			return stop_before(&r, r.pc, STOP_BUDGET);
		if (u->flags & UOP_BRANCH) {
			if (!take_branch(&r, u, m))
				return stop_of(w);
		} else if (!m) {
			count_off(k, r.pc, r.active);
			r.pc++;
		} else if ((st = let_others_run(&r, u, m))) {
			return st;
		} else if (u->flags & UOP_CTL) {
			return change_flow(&r, u, m);
		} else if (!run_operation(&r, u, m, &st)) {
			return st;
		}
	}
}

enum stop warp_run(struct fwarp *fw)
{
	struct warp *w = &fw->ws->w;
	struct worker *k = worker_of(w->cta);
	enum stop st = STOP_NONE;
	w->stop = STOP_NONE;
	if (w->cta->l->img->native)
		return tokens_run(fw);
	if (w->cta->l->img->converges)
		return converge_run(fw);
	while (!st) {
		if (k->fuel < 0)
			return STOP_BUDGET;
		if (!reconv_settle(&fw->stack))
			return fw->stack.n ? STOP_BARRIER : STOP_DONE;
		st = run_path(fw, k);
	}
	return st;
}
