/* The run loop of a warp. Straight-line code goes through the first few lines of warp_run; everything
 * that needs a look (branches, reconvergence points, memory, communication) carries a flag. Counting
 * is done per straight-line run: +1 where it starts, -1 where it ends.                              */
#include "func/run.h"

#include "exec/lanes.h"
#include "devmem/shadow.h"
#include "func/once.h"
#include "func/simt.h"

/* Ends the straight-line run at `next`. */
static inline void count_run(struct wstate *ws, struct exec *x, uint32_t next, uint32_t active)
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

static inline void count_off(struct exec *x, uint32_t pc, uint32_t lanes)
{
	x->off[pc] += (uint64_t)__builtin_popcount(lanes);
}

static void load_frame(struct wstate *ws, const struct split *s)
{
	struct warp *w = &ws->w;
	w->base[BASE_REG] = ws->rows + (size_t)s->rows * ROW;
	w->base[BASE_FRAME] = w->local + (size_t)s->lbase * LANES;
	w->pred = ws->preds + s->preds;
	w->lbase = s->lbase;
	w->active = s->mask;
}

static inline uint32_t guard_mask(const struct warp *w, const struct uop *u, uint32_t active)
{
	uint32_t p = w->pred[u->guard];
	return active & (u->guard_neg ? ~p : p);
}

bool warp_polls(struct wstate *ws, const struct uop *u, uint32_t pc, uint32_t m)
{
	uint32_t f = (uint32_t)__builtin_ctz(m);
	uint64_t key = m;
	uint32_t seen = 0;
	if (u->in->nd && u->v[0] != SINK) /* a wait for an mbarrier answers with a predicate */
		seen = u->in->op == OP_MBARRIER ? ws->w.pred[u->v[0]] & m
						: row_u32(&ws->w, u->v[0])[f];
	if (u->in->nd)
		key = key * 0x9e3779b97f4a7c15u + seen + 1;
	if (u->a != SINK)
		key = key * 0x9e3779b97f4a7c15u + row_u32(&ws->w, u->a)[f];
	enum { SPINS = sizeof ws->spin / sizeof *ws->spin };
	unsigned i = 0;
	while (i < SPINS && ws->spin[i].pc != pc)
		i++;
	if (i < SPINS && ws->spin[i].key == key)
		return ++ws->spins >= 64;
	if (i == SPINS) { /* the first that came leaves */
		memmove(ws->spin + 1, ws->spin, sizeof ws->spin - sizeof *ws->spin);
		i = 0;
	}
	ws->spin[i] = (struct spin){pc, key};
	ws->spins = 0;
	return false;
}

uint32_t warp_members(const struct warp *w, const struct uop *u, uint32_t m)
{
	const uint32_t *mm = row_u32(w, u->v[u->in->nd + u->in->ns - 1]);
	uint32_t all = 0;
	for (; m; m &= m - 1)
		all |= mm[__builtin_ctz(m)];
	return all;
}

/* A .sync operation whose members are not all here: waits for them, or, when the last have come,
 * runs for all at once. True if the top entry waits. */
static bool sync_waits(struct wstate *ws, const struct uop *u, uint32_t pc, uint32_t *m)
{
	struct split *top = simt_top(ws);
	uint32_t need = warp_members(&ws->w, u, *m);
	if (!(need & ws->w.live & ~*m)) { /* as nearly always */
		top->state = SPLIT_READY;
		return false;
	}
	top->pc = pc;
	top->at = *m;
	top->need = need;
	return simt_sync_waits(ws, m);
}

/* brx: lanes go to the targets their index selects, one target after the other. */
static bool branch_indexed(struct wstate *ws, const struct uop *u, uint32_t pc, uint32_t m)
{
	struct split *s = simt_top(ws), side = *s;
	const struct targets *t = (const struct targets *)(uintptr_t)u->imm;
	const uint32_t *index = row_u32(&ws->w, u->a);
	uint32_t rest = s->mask & ~m, todo = m, known = u->reconv != NO_PC && s->rpc == u->reconv;
	uint32_t base = s->mask;
	for (uint32_t q = m; q; q &= q - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(q);
		if (index[i] >= t->n) {
			exec_fault(&ws->w, u, i, HEDDLE_FAULT_BAD_CALL, index[i], 0,
				   "brx.idx with index %u: the list has %u targets", index[i],
				   t->n);
			return false;
		}
	}
	if (u->reconv != NO_PC) {
		side.rpc = u->reconv;
		if (known)
			ws->sp--;
		else
			s->pc = u->reconv;
	} else {
		ws->sp--;
	}
	(void)base;
	if (rest && pc + 1 != side.rpc) {
		side.pc = pc + 1;
		side.mask = rest;
		simt_push(ws, side);
	}
	while (todo) {
		uint32_t to = t->pc[index[__builtin_ctz(todo)]], lanes = 0;
		for (uint32_t q = todo; q; q &= q - 1)
			if (t->pc[index[__builtin_ctz(q)]] == to)
				lanes |= q & -q;
		todo &= ~lanes;
		if (to == side.rpc)
			continue;
		side.pc = to;
		side.mask = lanes;
		simt_push(ws, side);
	}
	return true;
}

static void threads_exit(struct wstate *ws, uint32_t m)
{
	ws->w.live &= ~m;
	ws->w.cta->live -= (uint32_t)__builtin_popcount(m);
	simt_exit(ws, m);
	bar_exited(ws->w.cta);
}

/* Control flow other than a uniform branch, by lanes m of the top entry at pc. On return the stack
 * says where to go on. */
static void control(struct wstate *ws, const struct uop *u, uint32_t pc, uint32_t m)
{
	struct warp *w = &ws->w;
	struct split *s = simt_top(ws);
	s->pc = pc + 1;
	switch (u->op) {
	case OP_BRX: branch_indexed(ws, u, pc, m); break;
	case OP_RET:
		if (s->depth) {
			call_leave(ws, m);
			simt_return(ws, m);
			break;
		}
		/* fall through */
	case OP_EXIT: threads_exit(ws, m); break;
	case OP_TRAP:
	case OP_BRKPT:
		exec_fault(w, u, (unsigned)__builtin_ctz(m), HEDDLE_FAULT_TRAP, 0, 0, "%s executed",
			   op_info[u->op].name);
		break;
	case OP_CALL: call_enter(ws, u, m); break;
	case OP_BAR:
		if (m != s->mask && u->in->mode != BAR_ARRIVE) { /* the others go on */
			struct split rest = *s;
			rest.mask = s->mask & ~m;
			s->mask = m;
			s->pc = pc;
			if (!bar_arrive(ws, u, m))
				s->pc = pc + 1;
			simt_push(ws, rest);
			break;
		}
		s->pc = pc;
		if (!bar_arrive(ws, u, m) && s->pc == pc)
			s->pc = pc + 1;
		break;
	default: break;
	}
}

/* Nothing can run here: lanes of a .sync operation whose partners cannot come go on without them. */
static bool force_sync(struct wstate *ws)
{
	for (uint32_t i = ws->sp; i-- > 0;)
		if (ws->stack[i].state == SPLIT_SYNC) {
			ws->stack[i].state = SPLIT_FORCED;
			return simt_pick(ws, false);
		}
	return false;
}

enum stop warp_run(struct wstate *ws)
{
	struct warp *w = &ws->w;
	struct cta *b = w->cta;
	struct exec *x = b->x;
	const struct uop *code = b->l->img->code;
	w->stop = STOP_NONE;
	if (b->l->img->native)
		return tokens_run(ws);
	for (;;) {
		if (x->fuel < 0)
			return STOP_BUDGET;
		if (!simt_pick(ws, false) && !force_sync(ws))
			return ws->sp ? STOP_BARRIER : STOP_DONE;
		struct split *s = simt_top(ws);
		load_frame(ws, s);
		uint32_t pc = s->pc, active = s->mask, rpc = s->rpc;
		ws->seg = pc;
		for (;;) {
			const struct uop *u = &code[pc];
			uint32_t m = active;
			if (u->guard >= 0)
				m = guard_mask(w, u, active);
			if (!u->flags) {
				if (m == ~0u) {
					u->full(w, u);
				} else if (m) {
					w->mask = m;
					u->part(w, u);
				}
				if (m != active)
					count_off(x, pc, active & ~m);
				pc++;
				continue;
			}
			if (u->flags == UOP_FAULTS) { /* most memory operations */
				if (m != active)
					count_off(x, pc, active & ~m);
				w->pc = pc++;
				w->mask = m;
				if (m == ~0u)
					u->full(w, u);
				else if (m)
					u->part(w, u);
				if (w->stop == STOP_FAULT)
					return STOP_FAULT;
				continue;
			}
			if ((u->flags & UOP_RECONV) && pc == rpc) {
				count_run(ws, x, pc, active);
				simt_reconverge(ws);
				break;
			}
			w->pc = pc;
			if (u->op == OP_BRA) {
				if (m == 0) {
					pc++;
					continue;
				}
				count_run(ws, x, pc + 1, active);
				if (m != active) {
					if ((u->flags & UOP_SCALAR) && !once_check(w, u, m, active))
						return STOP_FAULT;
					x->divergent[pc]++;
					simt_diverge(ws, pc, u->target, u->reconv, m, active & ~m);
					break;
				}
				pc = ws->seg = u->target;
				if (x->fuel < 0) {
					s->pc = pc;
					break;
				}
				continue;
			}
			if (!m) {
				count_off(x, pc, active);
				pc++;
				continue;
			}
			if ((u->flags & UOP_GIVES_WAY) && pace_gives_way(ws, pc)) {
				count_run(ws, x, pc, active);
				s->pc = pc;
				return STOP_BUDGET;
			}
			if (u->flags & UOP_ORDERED) {
				if (!b->turn)
					x->take_turn(b);
				if (pace_leaves_part(ws, u, pc, m)) {
					count_run(ws, x, pc, active);
					s->pc = pc;
					return STOP_YIELD;
				}
				if (b->l->check_race)
					shadow_communicate(b);
			}
			if (u->flags & UOP_CTL) {
				if ((u->flags & UOP_SCALAR) && !once_check(w, u, m, active))
					return STOP_FAULT;
				count_off(x, pc, active & ~m);
				count_run(ws, x, pc + 1, active);
				control(ws, u, pc, m);
				if (w->stop == STOP_FAULT)
					return STOP_FAULT;
				if (b->opened)
					return STOP_BARRIER;
				break;
			}
			if ((u->flags & UOP_CROSS) && (u->in->mods & M_SYNC) &&
			    sync_waits(ws, u, pc, &m)) {
				count_run(ws, x, pc, active);
				break;
			}
			if (s->mask != active) { /* others have come along */
				count_run(ws, x, pc, active);
				active = s->mask;
				ws->seg = pc;
			}
			count_off(x, pc, active & ~m);
			w->mask = m;
			if (m == ~0u)
				u->full(w, u);
			else
				u->part(w, u);
			pc++;
			if (w->stop == STOP_FAULT)
				return STOP_FAULT;
			if (u->flags & UOP_POLL) {
				bool waits = warp_polls(ws, u, pc - 1, m);
				pace_looks(ws, u, pc - 1, m, waits);
				if (!waits)
					continue;
				count_run(ws, x, pc, active);
				s->pc = pc;
				ws->spins = 0;
				if (simt_yield(ws))
					break;
				return STOP_YIELD;
			}
		}
	}
}
