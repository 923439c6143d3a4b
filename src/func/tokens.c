/* The run loop of native code: straight-line pieces by the executor, control flow by the token stack
 * (token_flow.c). A warp's active mask and pc are stack[0] of its wstate, so that barriers and blocks see
 * what they always see. */
#include "func/run.h"

#include "exec/lanes.h"
#include "devmem/shadow.h"
#include "func/token_flow.h"

/* Control by threads t (not empty, but for BRA of the while rule). */
static void control(struct token_flow *f, uint32_t t)
{
	struct wstate *ws = f->ws;
	struct split *s = &ws->stack[0];
	switch (f->u->op) {
	case OP_NATIVE: token_control(f, t); break;
	case OP_EXIT:
	case OP_RET: token_exit(f, t); break;
	case OP_CALL:
		call_builtin(ws, f->u, &(struct frame){0}, t);
		break; /* no others are called so */
	case OP_TRAP:
	case OP_BRKPT: token_fault(f, HEDDLE_FAULT_TRAP, "trap executed"); break;
	case OP_BAR:
		s->pc = f->pc;
		s->mask = f->active;
		if (!bar_arrive(ws, f->u, t) && s->pc != f->pc)
			f->next = s->pc;
		if (s->state == SPLIT_BARRIER)
			f->next = f->pc;
		break;
	default: break;
	}
	s->pc = f->next;
	s->mask = f->active;
	if (!f->active)
		ws->sp = 0;
	ws->w.cta->x->divergent[f->pc] += f->diverges;
	if (f->exited)
		bar_exited(ws->w.cta);
}

static void load_frame(struct wstate *ws)
{
	struct warp *w = &ws->w;
	w->base[BASE_REG] = ws->rows;
	w->base[BASE_FRAME] = w->local;
	w->pred = ws->preds;
	w->lbase = 0;
	w->active = ws->stack[0].mask;
}

static void count_run(struct wstate *ws, struct exec *x, uint32_t next, uint32_t active)
{
	int64_t n = (int64_t)next - ws->seg;
	int lanes = __builtin_popcount(active);
	x->issued[ws->seg]++;
	x->issued[next]--;
	x->lanes[ws->seg] += lanes;
	x->lanes[next] -= lanes;
	x->fuel -= n;
	ws->ninst += (uint64_t)n;
}

static inline bool starts_instruction(const struct uop *code, uint32_t pc)
{
	const struct inst *in = code[pc].in;
	return in->native[0] &&
	       (!pc || !code[pc - 1].in->native[0] || code[pc - 1].in->native_pc != in->native_pc);
}

static inline void execute(struct warp *w, const struct uop *u, uint32_t m)
{
	w->mask = m;
	if (m == ~0u)
		u->full(w, u);
	else if (m)
		u->part(w, u);
}

/* Runs the active threads until something changes mask or pc. STOP_NONE: go on. */
static enum stop run_path(struct wstate *ws)
{
	struct warp *w = &ws->w;
	struct cta *b = w->cta;
	struct exec *x = b->x;
	const struct launch *l = b->l;
	const struct uop *code = l->img->code;
	struct split *s = &ws->stack[0];
	uint32_t pc = s->pc, active = s->mask;
	ws->seg = pc;
	for (;; pc++) {
		const struct uop *u = &code[pc];
		uint32_t m = active;
		if (u->guard >= 0)
			m &= u->guard_neg ? ~w->pred[u->guard] : w->pred[u->guard];
		if (l->trace && starts_instruction(code, pc)) {
			s->pc = pc;
			l->trace(l->trace_arg, ws, pc);
		}
		if (m != active)
			x->off[pc] += (uint64_t)__builtin_popcount(active & ~m);
		if (!u->flags) {
			execute(w, u, m);
			continue;
		}
		w->pc = pc;
		if (!m && !token_always(l, u))
			continue;
		if (u->flags & UOP_ORDERED) {
			if (!b->turn)
				x->take_turn(b);
			if (pace_leaves_part(ws, u, pc, m)) {
				count_run(ws, x, pc, active);
				x->off[pc] -= (uint64_t)__builtin_popcount(
					active & ~m); /* counted when it is done */
				s->pc = pc;
				return STOP_YIELD;
			}
			if (l->check_race)
				shadow_communicate(b);
		}
		if (u->flags & UOP_CTL) {
			struct token_flow f = {
				.ws = ws, .u = u, .pc = pc, .active = active, .next = pc + 1};
			count_run(ws, x, pc + 1, active);
			control(&f, m);
			return w->stop == STOP_FAULT ? STOP_FAULT : STOP_NONE;
		}
		execute(w, u, m);
		if (w->stop == STOP_FAULT)
			return STOP_FAULT;
		if (u->flags & UOP_POLL) {
			bool waits = warp_polls(ws, u, pc, m);
			pace_looks(ws, u, pc, m, waits);
			if (!waits)
				continue;
			count_run(ws, x, pc + 1, active);
			s->pc = pc + 1;
			ws->spins = 0;
			return STOP_YIELD;
		}
	}
}

enum stop tokens_run(struct wstate *ws)
{
	struct exec *x = ws->w.cta->x;
	for (;;) {
		if (x->fuel < 0)
			return STOP_BUDGET;
		if (!ws->sp)
			return STOP_DONE;
		if (ws->stack[0].state == SPLIT_BARRIER)
			return STOP_BARRIER;
		load_frame(ws);
		enum stop st = run_path(ws);
		if (st)
			return st;
		if (ws->w.cta->opened)
			return STOP_BARRIER;
	}
}
