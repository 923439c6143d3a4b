/* Effects: the functional executor driven one instruction of a group at a time.
 *
 * Everything has its effect at issue, but what communicates between blocks (T_DEFER). That is put off to
 * the end of the window, where all SMs' such operations are performed in one order. Until then the warp
 * must not notice: it may compute, but not overwrite what the operation still reads, not access memory or
 * pass a barrier (that could show the missing effect), and the results are pending in the scoreboard. */
#include "exec/access.h"
#include "exec/async.h"
#include "func/run.h"
#include "sm/sm.h"

void exec_load_frame(struct wstate *ws, const struct frame *f, uint32_t active)
{
	struct warp *w = &ws->w;
	w->base[BASE_REG] = ws->rows + (size_t)f->rows * ROW;
	w->base[BASE_FRAME] = w->local + (size_t)f->lbase * LANES;
	w->pred = ws->preds + f->preds;
	w->lbase = f->lbase;
	w->active = active;
}

/* Lanes of m whose home is warp w. */
static lanemask home_lanes(const struct group *g, lanemask m, unsigned w)
{
	lanemask own = 0;
	if (g->warp == w)
		return m;
	for (lanemask q = m; q; q &= q - 1)
		if (g->home[__builtin_ctzll(q)] == w)
			own |= q & -q;
	return own;
}

/* For each executor warp with lanes of m: its number, its lanes. */
struct part {
	struct wstate *ws;
	uint32_t lanes, active;
	unsigned shift;             /* of its lane 0 in the group's masks */
};
static unsigned find_parts(const struct sm *sm, const struct group *g, lanemask m, struct part *out)
{
	unsigned n = 0;
	while (m) {
		unsigned w = g->warp != GROUP_MIXED ? g->warp : g->home[__builtin_ctzll(m)];
		lanemask own = home_lanes(g, m, w);
		lanemask active = (g->warp == w ? g->active : home_lanes(g, g->active, w)) | own;
		m &= ~own;
		for (unsigned k = 0; k < 2; k++)
			if (own >> 32 * k & UINT32_MAX)
				out[n++] = (struct part){sm->warp[w].ws[k], (uint32_t)(own >> 32 * k),
							 (uint32_t)(active >> 32 * k), 32 * k};
	}
	return n;
}

lanemask exec_lanes(const struct sm *sm, const struct group *g, const struct uop *u)
{
	if (u->guard < 0)
		return g->active;
	if (g->warp != GROUP_MIXED && !(g->active >> 32)) {
		uint32_t bits = sm->warp[g->warp].ws[0]->preds[g->frame.preds + (uint32_t)u->guard];
		return g->active & (u->guard_neg ? ~bits : bits);
	}
	struct part p[MAX_LANES];
	unsigned n = find_parts(sm, g, g->active, p);
	lanemask m = 0;
	for (unsigned i = 0; i < n; i++) {
		uint32_t bits = p[i].ws->preds[g->frame.preds + (uint32_t)u->guard];
		m |= (lanemask)((u->guard_neg ? ~bits : bits) & p[i].lanes) << p[i].shift;
	}
	return m;
}

lanemask exec_sync(struct sm *sm, int g, const struct uop *u, lanemask m)
{
	struct group *gr = &sm->div.group[g];
	struct part p[MAX_LANES];
	unsigned n = find_parts(sm, gr, m, p);
	lanemask need = 0;
	for (unsigned i = 0; i < n; i++) {
		exec_load_frame(p[i].ws, &gr->frame, p[i].active);
		need |= (lanemask)(warp_members(&p[i].ws->w, u, p[i].lanes) & p[i].ws->w.live) << p[i].shift;
	}
	return sm->div.ops->sync(&sm->div, g, m, need);
}

/* The same answer to the same poll a few times: other lanes of the warp may have to run. In functional
 * mode, where other warps do not run meanwhile, it takes longer to conclude that. */
static bool polls_in_vain(struct wstate *ws, const struct uop *u, uint32_t pc, uint32_t lanes)
{
	enum { PATIENCE = 4 };
	if (!warp_polls(ws, u, pc, lanes) && ws->spins < PATIENCE)
		return false;
	ws->spins = 0;
	return true;
}

/* ---- one operation on its executor warps ---- */

static void fault_check(struct sm *sm, const struct part *p)
{
	if (p->ws->w.stop == STOP_FAULT)
		sm->stopped = true;
}

static void run_part(struct sm *sm, const struct part *p, const struct frame *f, const struct uop *u, uint32_t pc)
{
	struct warp *w = &p->ws->w;
	exec_load_frame(p->ws, f, p->active);
	w->pc = pc;
	w->mask = p->lanes;
	if (p->lanes == UINT32_MAX)
		u->full(w, u);
	else
		u->part(w, u);
	if (u->flags & UOP_FAULTS)
		fault_check(sm, p);
}

static bool has_address(const struct uop *u)
{
	return u->in->ns && inst_src(u->in, 0)->kind == OPND_MEM;
}

static unsigned space_of(uint64_t a)
{
	return a - SHARED_BASE < WINDOW_SPAN ? SP_SHARED : a - LOCAL_BASE < WINDOW_SPAN ? SP_LOCAL
	     : a - PARAM_BASE < WINDOW_SPAN ? SP_PARAM : SP_GLOBAL;
}

/* lane_addr() for all lanes at once, whether they are on or not. */
static void all_addresses(const struct warp *w, const struct uop *u, uint64_t *out)
{
	uint64_t frame = (u->aux & AUX_FRAME) ? w->lbase : 0, add = u->imm + frame;
	const uint32_t *lo = u->a == SINK ? NULL : row_u32(w, u->a);
	for (int i = 0; i < LANES; i++)
		out[i] = !lo ? add : (u->aux & AUX_A64) ? pair_get(lo, i) + add : (uint32_t)(u->imm + lo[i]) + frame;
}

/* Addresses must be taken before the instruction runs: a load may overwrite its base. */
static void gather(struct sm *sm, const struct group *g, const struct part *p, unsigned n, const struct uop *u,
                   const struct tinst *t)
{
	struct lane_access *a = &sm->acc;
	const struct uop *mem = u->op == OP_CP_ASYNC ? &((const struct async_copy *)(uintptr_t)u->imm)->from : u;
	a->lanes = 0;
	a->space = t->space;
	a->bytes = t->bytes;
	a->write = t->flags & T_STORE;
	a->atomic = t->flags & T_ATOMIC;
	if (!has_address(u))
		return;
	for (unsigned i = 0; i < n; i++) {
		struct warp *w = &p[i].ws->w;
		exec_load_frame(p[i].ws, &g->frame, p[i].active);
		if (g->warp != GROUP_MIXED)
			all_addresses(w, mem, a->addr + p[i].shift);
		for (uint32_t m = g->warp == GROUP_MIXED ? p[i].lanes : 0; m; m &= m - 1) {
			int lane = __builtin_ctz(m);
			a->addr[p[i].shift + (unsigned)lane] = lane_addr(w, mem, lane);
		}
		a->lanes |= (lanemask)p[i].lanes << p[i].shift;
	}
	if (a->space == SP_GENERIC && a->lanes) {
		a->space = (uint8_t)space_of(a->addr[__builtin_ctzll(a->lanes)]);
		uint64_t base = a->space == SP_SHARED ? SHARED_BASE : a->space == SP_LOCAL ? LOCAL_BASE : 0;
		for (lanemask m = base ? a->lanes : 0; m; m &= m - 1)
			a->addr[__builtin_ctzll(m)] -= base;
	}
}

/* ---- control flow ---- */

static void branch_indexed(struct sm *sm, int g, const struct part *p, unsigned n, const struct uop *u, lanemask m)
{
	struct group *gr = &sm->div.group[g];
	const struct targets *t = (const struct targets *)(uintptr_t)u->imm;
	uint32_t to[MAX_LANES];
	for (unsigned i = 0; i < n; i++) {
		exec_load_frame(p[i].ws, &gr->frame, p[i].active);
		const uint32_t *index = row_u32(&p[i].ws->w, u->a);
		for (uint32_t q = p[i].lanes; q; q &= q - 1) {
			unsigned k = (unsigned)__builtin_ctz(q);
			if (index[k] >= t->n) {
				exec_fault(&p[i].ws->w, u, k, HEDDLE_FAULT_BAD_CALL, index[k], 0,
					   "brx.idx with index %u: the list has %u targets", index[k], t->n);
				sm->stopped = true;
				return;
			}
			to[p[i].shift + k] = t->pc[index[k]];
		}
	}
	sm->div.ops->ibranch(&sm->div, g, u, m, to);
}

/* Lanes of a part that call the same function as its first one in `todo`. */
static uint32_t same_callee(const struct part *p, const struct uop *u, const struct image_func *f, uint32_t todo)
{
	uint32_t lanes = 0;
	for (uint32_t q = todo; q; q &= q - 1)
		if (call_target(p->ws, u, (uint32_t)__builtin_ctz(q)) == f)
			lanes |= q & -q;
	return lanes;
}

static void call(struct sm *sm, int g, struct part *p, unsigned n, const struct uop *u)
{
	struct frame caller = sm->div.group[g].frame;
	uint32_t back = sm->div.group[g].pc + 1;
	for (unsigned i = 0; i < n; i++)
		exec_load_frame(p[i].ws, &caller, p[i].active);
	for (unsigned i = 0; i < n && !sm->stopped;) {
		if (!p[i].lanes) {
			i++;
			continue;
		}
		const struct image_func *f = call_target(p[i].ws, u, (uint32_t)__builtin_ctz(p[i].lanes));
		struct frame callee = caller;
		lanemask lanes = 0;
		for (unsigned k = i; f && k < n; k++) {
			uint32_t own = same_callee(&p[k], u, f, p[k].lanes);
			if (!own)
				continue;
			callee = caller;
			if (!call_frame(p[k].ws, u, f, &callee, own))
				f = NULL;
			p[k].lanes &= ~own;
			lanes |= (lanemask)own << p[k].shift;
		}
		for (unsigned k = 0; k < n; k++)
			fault_check(sm, &p[k]);
		if (f && !sm->stopped)
			sm->div.ops->call(&sm->div, g, lanes, f->start, &callee, back);
	}
}

static void leave_function(struct sm *sm, int g, const struct part *p, unsigned n, lanemask m)
{
	struct group *gr = &sm->div.group[g];
	struct frame to;
	uint32_t back, from = gr->frame.lbase;
	sm->div.ops->caller(&sm->div, g, &to, &back);
	const struct uop *u = &sm_home(sm, gr)->b->k->l->img->code[back - 1];
	for (unsigned i = 0; i < n; i++)
		call_results(p[i].ws, u, &to, from, p[i].lanes);
	sm->div.ops->ret(&sm->div, g, m);
}

static void threads_exit(struct sm *sm, int g, const struct part *p, unsigned n, lanemask m)
{
	struct block *last = NULL;
	for (unsigned i = 0; i < n; i++) {
		struct warp *w = &p[i].ws->w;
		w->live &= ~p[i].lanes;
		w->cta->live -= (uint32_t)__builtin_popcount(p[i].lanes);
	}
	uint16_t homes[MAX_LANES];
	unsigned nh = 0;
	const struct group *gr = &sm->div.group[g];
	for (lanemask q = m; q;) {
		unsigned w = gr->warp != GROUP_MIXED ? gr->warp : gr->home[__builtin_ctzll(q)];
		lanemask own = home_lanes(gr, q, w);
		sm->warp[w].live &= ~own;
		homes[nh++] = (uint16_t)w;
		q &= ~own;
	}
	sm->div.ops->exit(&sm->div, g, m);
	for (unsigned i = 0; i < nh; i++) {
		struct block *b = sm->warp[homes[i]].b;
		if (b != last)
			bar_threads_exited(sm, b);
		last = b;
		sm_warp_maybe_done(sm, homes[i]);
	}
}

static void control(struct sm *sm, int g, struct part *p, unsigned n, const struct uop *u, lanemask m)
{
	struct group *gr = &sm->div.group[g];
	switch (u->op) {
	case OP_BRX: branch_indexed(sm, g, p, n, u, m); break;
	case OP_RET:
		if (gr->frame.depth) {
			leave_function(sm, g, p, n, m);
			break;
		}
		/* fall through */
	case OP_EXIT: threads_exit(sm, g, p, n, m); break;
	case OP_TRAP:
	case OP_BRKPT:
		exec_fault(&p[0].ws->w, u, (unsigned)__builtin_ctz(p[0].lanes), HEDDLE_FAULT_TRAP, 0, 0, "%s executed",
			   op_info[u->op].name);
		sm->stopped = true;
		break;
	case OP_CALL: call(sm, g, p, n, u); break;
	case OP_BAR: bar_step(sm, g, u, m); break;
	default: sm->div.ops->step(&sm->div, g, gr->pc + 1); break;
	}
}

/* ---- operations put off ---- */

static void put_off(struct sm *sm, int g, const struct uop *u, const struct tinst *t, lanemask m)
{
	const struct group *gr = &sm->div.group[g];
	for (lanemask q = m; q;) {
		unsigned w = gr->warp != GROUP_MIXED ? gr->warp : gr->home[__builtin_ctzll(q)];
		lanemask own = home_lanes(gr, q, w);
		struct sm_warp *wp = &sm->warp[w];
		vec_push(&sm->deferred, (struct defer){.when = sm->now, .seq = sm->seq++, .sm = sm->id, .u = u, .pc = gr->pc,
						       .group = (uint16_t)g, .warp = (uint16_t)w, .lanes = own,
						       .active = gr->active, .frame = gr->frame});
		wp->deferred++;
		wp->alone |= (t->flags & T_ALONE) != 0;
		regset_add(&wp->war, &t->use);
		q &= ~own;
	}
}

void exec_deferred(struct sm *sm, const struct defer *d)
{
	struct sm_warp *w = &sm->warp[d->warp];
	bool polls = false;
	for (unsigned k = 0; k < 2 && !sm->stopped; k++) {
		uint32_t lanes = (uint32_t)(d->lanes >> 32 * k);
		struct part p = {w->ws[k], lanes, (uint32_t)(d->active >> 32 * k), 32 * k};
		if (!lanes)
			continue;
		if (d->u->op == OP_CALL) {
			exec_load_frame(p.ws, &d->frame, p.active);
			call_builtin(p.ws, d->u, &d->frame, lanes);
			fault_check(sm, &p);
			continue;
		}
		run_part(sm, &p, &d->frame, d->u, d->pc);
		polls |= (d->u->flags & UOP_POLL) && polls_in_vain(p.ws, d->u, d->pc, lanes);
	}
	if (--w->deferred == 0) {
		w->alone = false;
		w->war = (struct regset){{0}, 0};
	}
	if (polls && sm->div.group[d->group].active)
		sm->div.ops->yield(&sm->div, d->group);
	sm_group_changed(sm, d->group);
	sm_warp_maybe_done(sm, d->warp);
	sm->woken = true;
}

/* ---- a step ---- */

void exec_step(struct sm *sm, int g, const struct uop *u, const struct tinst *t, lanemask m)
{
	struct group *gr = &sm->div.group[g];
	uint32_t pc = gr->pc;
	sm->acc.lanes = 0;
	if (u->op == OP_BRA) {
		if (m && m != gr->active)
			sm->div.ops->branch(&sm->div, g, u, m);
		else
			sm->div.ops->step(&sm->div, g, m ? u->target : pc + 1);
		return;
	}
	if (!m) {
		sm->div.ops->step(&sm->div, g, pc + 1);
		return;
	}
	if (!t->flags && gr->warp != GROUP_MIXED && !(gr->active >> 32)) { /* most instructions of most machines */
		struct part one = {sm->warp[gr->warp].ws[0], (uint32_t)m, (uint32_t)(gr->active | m), 0};
		run_part(sm, &one, &gr->frame, u, pc);
		sm->div.ops->step(&sm->div, g, pc + 1);
		return;
	}
	struct part p[MAX_LANES];
	unsigned n = find_parts(sm, gr, m, p);
	if (t->flags & T_MEMORY)
		gather(sm, gr, p, n, u, t);
	if (t->flags & T_DEFER) {
		put_off(sm, g, u, t, m);
		sm->div.ops->step(&sm->div, g, pc + 1);
		return;
	}
	if (t->flags & T_CTL) {
		for (unsigned i = 0; i < n; i++)
			exec_load_frame(p[i].ws, &gr->frame, p[i].active);
		control(sm, g, p, n, u, m);
		return;
	}
	bool polls = false;
	for (unsigned i = 0; i < n; i++) {
		run_part(sm, &p[i], &gr->frame, u, pc);
		if (t->flags & T_POLL)
			polls |= polls_in_vain(p[i].ws, u, pc, p[i].lanes);
	}
	sm->div.ops->step(&sm->div, g, pc + 1);
	if (polls)
		sm->div.ops->yield(&sm->div, g);
}
