/* Effects: drives the functional executor one instruction of a group at a time.
 *
 * Every instruction has its effect at issue, except those that communicate between blocks
 * (T_DEFER): they are deferred to the end of the window, where those of all SMs are performed in
 * one order. Until then the warp must not observe the delay: it may compute, but not overwrite
 * registers that the operation has yet to read, nor access memory or pass a barrier (which could
 * show the missing effect), and the results are pending in the scoreboard. */
#include "exec/memory/access.h"
#include "exec/async/async.h"
#include "exec/cluster.h"
#include "exec/dispatch.h"
#include "exec/places.h"
#include "kernel/call.h"
#include "kernel/exchange.h"
#include "kernel/once.h"
#include "kernel/poll.h"
#include "sm/share.h"
#include "sm/threads.h"

lanemask exec_guarded(const struct sm *sm, const struct group *g, const struct uop *u)
{
	if (g->warp != GROUP_MIXED && !(g->active >> 32)) {
		uint32_t bits = sm->warp[g->warp].ws[0]->preds[g->frame.preds + (uint32_t)u->guard];
		return g->active & (u->guard_neg ? ~bits : bits);
	}
	lanemask m = 0;
	for (lanemask q = g->active; q; q &= q - 1) {
		struct home h = group_thread(g, (unsigned)__builtin_ctzll(q));
		const struct wstate *ws = sm->warp[h.warp].ws[h.lane / 32];
		uint32_t bits = ws->preds[g->frame.preds + (uint32_t)u->guard];
		if ((bits >> h.lane % 32 & 1) != u->guard_neg)
			m |= q & -q;
	}
	return m;
}

/* Lanes of the share's home warp that the thread in `lane` must meet. */
static lanemask must_meet(struct sm *sm, const struct share *p, const struct uop *u,
			  const struct tinst *t, unsigned lane)
{
	if (t->flags & T_GATHER)
		return sm->warp[p->warp].live;
	return (lanemask)(warp_members(&p->ws->w, u, 1u << lane) & p->ws->w.live) << p->shift;
}

/* Keeps the sources of lanes that may meet others elsewhere. */
static void publish(const struct share *p, const struct uop *u)
{
	if (inst_exchange(u->in) &&
	    (warp_members(&p->ws->w, u, p->lanes) & p->ws->w.live & ~p->lanes))
		exchange_publish(p->ws, u, p->lanes);
}

bool exec_meet(struct sm *sm, int g, const struct uop *u, const struct tinst *t, lanemask m)
{
	struct group *gr = &sm->div.group[g];
	struct share share[MAX_LANES];
	lanemask need[MAX_LANES];
	/* Without a member mask all threads of the warp must be present, whatever their guards. */
	lanemask who = t->flags & T_GATHER ? gr->active : m;
	unsigned n = share_find(sm, gr, who, share);
	for (unsigned i = 0; i < n; i++) {
		wstate_load_frame(share[i].ws, &gr->frame, share[i].active);
		for (lanemask q = share[i].pos; q; q &= q - 1) {
			unsigned p = (unsigned)__builtin_ctzll(q);
			need[p] = must_meet(sm, &share[i], u, t, share_lane(gr, &share[i], p));
		}
		publish(&share[i], u);
	}
	return sm->div.ops->meet(&sm->div, g, who, need, inst_meets(u->in));
}

lanemask exec_sync(struct sm *sm, int g, const struct uop *u, lanemask m)
{
	struct group *gr = &sm->div.group[g];
	struct share p[MAX_LANES];
	unsigned n = share_find(sm, gr, m, p);
	lanemask need = 0;
	for (unsigned i = 0; i < n; i++) {
		wstate_load_frame(p[i].ws, &gr->frame, p[i].active);
		need |= (lanemask)(warp_members(&p[i].ws->w, u, p[i].lanes) & p[i].ws->w.live)
			<< p[i].shift;
		publish(&p[i], u);
	}
	return sm->div.ops->sync(&sm->div, g, m, need, inst_meets(u->in));
}

/* Number of equal answers to equal polls after which other lanes of the warp may have to run.
 * Functional mode, where other warps do not run meanwhile, has a larger limit. */
enum { PATIENCE = 4 };
static bool warp_polls_in_vain(struct wstate *ws, const struct uop *u, uint32_t pc, uint32_t lanes)
{
	return warp_polls(ws, pc, poll_key(ws, u, lanes)) || ws->spins >= PATIENCE;
}

/* Detects polls in vain per thread, for mechanisms that regroup the threads of a poll. */
static bool thread_polls_in_vain(struct poll *t, const struct warp *w, unsigned lane,
				 const struct uop *u, uint32_t pc)
{
	uint64_t key = u->in->nd && u->v[0] != SINK ? row_u32(w, u->v[0])[lane] + 1ull : 0;
	if (u->a != SINK)
		key = key * 0x9e3779b97f4a7c15u + row_u32(w, u->a)[lane];
	unsigned i = 0;
	while (i < POLLS && t->at[i].pc != pc)
		i++;
	if (i < POLLS && t->at[i].key == key)
		return ++t->n >= PATIENCE;
	if (i == POLLS) { /* replaces the poll that was recorded first */
		memmove(t->at + 1, t->at, sizeof t->at - sizeof *t->at);
		i = 0;
	}
	t->at[i].pc = pc;
	t->at[i].key = key;
	t->n = 0;
	return false;
}

bool exec_polls_in_vain(struct sm *sm, const struct share *p, const struct uop *u, uint32_t pc,
			bool *same)
{
	if (!sm->poll) {
		bool vain = warp_polls_in_vain(p->ws, u, pc, p->lanes);
		*same &= p->ws->spins > 0;
		return vain;
	}
	struct poll *of = &sm->poll[p->warp * sm->m->warp_size + p->shift];
	bool all = true; /* stays true only if every lane polled in vain: a lane whose poll
			  * succeeded must not yield */
	for (uint32_t m = p->lanes; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		all &= thread_polls_in_vain(&of[lane], &p->ws->w, lane, u, pc);
		*same &= of[lane].n > 0;
	}
	return all;
}

void exec_give_way(struct sm *sm, int g)
{
	const struct gslot *s = &sm->slot[g];
	struct sched *sc = &sm->sched[s->sched];
	sm->div.ops->yield(&sm->div, g);
	if (sc->ops->blocked)
		sc->ops->blocked(sc, (int)s->k);
}

/* ---- one operation on its executor warps ---- */

static void fault_check(struct sm *sm, const struct share *p)
{
	if (p->ws->w.stop == STOP_FAULT)
		sm->stopped = true;
}

/* Loads and stores that the table of pending writes concerns. False: nothing is done. */
static bool access_pending(struct sm *sm, struct warp *w, const struct uop *u, uint32_t lanes)
{
	bool once = u->flags & UOP_SCALAR;
	if (!uop_is(u, OF_STORE) && (!uop_is(u, OF_LOAD) || !sm->pending.n))
		return false;
	if (once && !once_check(w, u, lanes, w->active))
		return true;
	if (!sm->ops->pending_access(w, u))
		return false;
	if (once && w->stop != STOP_FAULT)
		once_copy(w, u, lanes);
	return true;
}

static inline void run_lanes(struct sm *sm, struct wstate *ws, uint32_t lanes, uint32_t active,
			     const struct frame *f, const struct uop *u, uint32_t pc)
{
	struct warp *w = &ws->w;
	wstate_load_frame(ws, f, active);
	w->pc = pc;
	w->mask = lanes;
	if ((u->flags & UOP_FAULTS) && sm->pending.on && access_pending(sm, w, u, lanes))
		;
	else if ((u->flags & UOP_CROSS) && ws->exchange && inst_exchange(u->in) &&
		 exchange_pending(ws))
		exchange_run(ws, u, lanes);
	else if (lanes == UINT32_MAX)
		u->full(w, u);
	else
		u->part(w, u);
	if ((u->flags & (UOP_FAULTS | UOP_SCALAR)) && w->stop == STOP_FAULT)
		sm->stopped = true;
}

void exec_run(struct sm *sm, const struct share *p, const struct frame *f, const struct uop *u,
	      uint32_t pc)
{
	run_lanes(sm, p->ws, p->lanes, p->active, f, u, pc);
}

static bool has_address(const struct uop *u)
{
	return u->in->ns && inst_src(u->in, 0)->kind == OPND_MEM;
}

static unsigned space_of(uint64_t a)
{
	return a - SHARED_BASE < WINDOW_SPAN || a - CLUSTER_BASE < CLUSTER_SPAN ? SP_SHARED
	       : a - LOCAL_BASE < WINDOW_SPAN                                   ? SP_LOCAL
	       : a - PARAM_BASE < WINDOW_SPAN                                   ? SP_PARAM
										: SP_GLOBAL;
}

/* lane_addr() for all lanes at once, active or not: loops that the compiler can vectorise. */
static void all_addresses(const struct warp *w, const struct uop *u, uint64_t *restrict out)
{
	uint64_t frame = (u->aux & AUX_FRAME) ? w->lbase : 0, add = u->offset + frame;
	uint32_t imm = (uint32_t)u->offset;
	const uint32_t *lo = u->a == SINK ? NULL : row_u32(w, u->a);
	if (!lo)
		for (int i = 0; i < LANES; i++)
			out[i] = add;
	else if (u->aux & AUX_A64)
		for (int i = 0; i < LANES; i++)
			out[i] = pair_get(lo, i) + add;
	else
		for (int i = 0; i < LANES; i++)
			out[i] = (uint32_t)(imm + lo[i]) + frame;
}

/* Surface reductions are deferred, but only the executor can compute their addresses, so this asks
 * for them at issue. */
static void gather_surface(struct sm *sm, const struct group *g, const struct share *p, unsigned n,
			   const struct uop *u)
{
	struct lane_access *a = &sm->acc;
	uint64_t addr[LANES];
	for (unsigned i = 0; i < n; i++) {
		wstate_load_frame(p[i].ws, &g->frame, p[i].active);
		uint32_t lanes = exec_ops()->surface_addresses(&p[i].ws->w, u, p[i].lanes, addr);
		fault_check(sm, &p[i]);
		for (lanemask m = p[i].pos; m; m &= m - 1) {
			unsigned at = (unsigned)__builtin_ctzll(m), lane = share_lane(g, &p[i], at);
			if (!(lanes >> lane & 1))
				continue;
			a->addr[at] = addr[lane];
			a->lanes |= m & -m;
		}
	}
}

/* The operand that has the addresses; of a copy between spaces, that of global memory. */
static const struct uop *address_of(const struct uop *u)
{
	return uop_is(u, OF_PARTS) ? u->copy->timed : u;
}

/* Counts a copy's accesses to shared memory; the memory access itself is to global memory. */
static void count_copy(struct sm *sm, const struct lane_access *a, const struct uop *u)
{
	bool bulk = uop_is(u, OF_BULK);
	uint64_t *words = &sm->stats.copied_words[!(bulk && u->in->space == SP_GLOBAL)];
	for (lanemask m = a->lanes; m; m &= m - 1)
		*words += (bulk ? a->size[__builtin_ctzll(m)] : a->bytes) / 4;
}

/* Addresses must be taken before the instruction runs: a load may overwrite its base. */
void exec_gather(struct sm *sm, const struct group *g, const struct share *p, unsigned n,
		 const struct uop *u, const struct tinst *t)
{
	struct lane_access *a = &sm->acc;
	const struct uop *mem = address_of(u);
	a->lanes = 0;
	a->mixed = g->warp == GROUP_MIXED;
	a->space = t->space;
	a->bytes = t->bytes;
	a->write = t->flags & T_STORE;
	a->atomic = t->flags & T_ATOMIC;
	bool surface = a->atomic && inst_reaches_texels(u->in);
	if (surface)
		gather_surface(sm, g, p, n, u);
	if (!has_address(u) || surface)
		return;
	if (t->flags &
	    T_PARAM) { /* the executor has parameters in rows; their address is equal for all
	                * lanes */
		a->lanes = 1;
		a->addr[0] = u->offset;
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		struct warp *w = &p[i].ws->w;
		wstate_load_frame(p[i].ws, &g->frame, p[i].active);
		if (g->warp != GROUP_MIXED)
			all_addresses(w, mem, a->addr + p[i].shift);
		for (lanemask m = g->warp == GROUP_MIXED ? p[i].pos : 0; m; m &= m - 1) {
			unsigned at = (unsigned)__builtin_ctzll(m), lane = share_lane(g, &p[i], at);
			a->addr[at] = lane_addr(w, mem, (int)lane);
			a->thread[at] = sm->warp[p[i].warp].hwthread + p[i].shift + lane;
		}
		for (lanemask m = t->flags & T_BULK ? p[i].pos : 0; m; m &= m - 1) {
			unsigned at = (unsigned)__builtin_ctzll(m);
			a->size[at] = row_u32(w, u->v[u->in->nd + 2])[share_lane(g, &p[i], at)];
		}
		a->lanes |= p[i].pos;
	}
	if (mem != u)
		count_copy(sm, a, u);
	if (uop_is(u, OF_ROWS)) /* eight lanes hold the addresses of a matrix's rows */
		a->lanes &= UINT32_MAX >> (32 - 8 * (u->in->nd ? u->in->nd : u->in->ns - 1u));
	a->remote = false;
	if (a->space == SP_GENERIC && a->lanes) {
		uint64_t first = a->addr[__builtin_ctzll(a->lanes)];
		a->remote = first - CLUSTER_BASE < CLUSTER_SPAN &&
			    (first - CLUSTER_BASE) >> RANK_SHIFT != p[0].ws->w.cta->rank;
		a->space = (uint8_t)space_of(a->addr[__builtin_ctzll(a->lanes)]);
		uint64_t base = a->space == SP_SHARED  ? SHARED_BASE
				: a->space == SP_LOCAL ? LOCAL_BASE
						       : 0;
		for (lanemask m = base ? a->lanes : 0; m; m &= m - 1)
			a->addr[__builtin_ctzll(m)] -= base;
	}
}

/* ---- control flow: how threads of a group move (kernel/control.h) ---- */

static struct sm *sm_of(const struct control *c) { return c->mode; }
static struct div *div_of(const struct control *c) { return &sm_of(c)->div; }

static void step_lanes(const struct control *c, uint32_t pc)
{
	div_of(c)->ops->step(div_of(c), c->group, pc);
}

static void branch_indexed(const struct control *c, const uint32_t *to)
{
	div_of(c)->ops->ibranch(div_of(c), c->group, c->u, c->lanes, to);
}

static void call_function(const struct control *c, lanemask lanes, const struct image_func *f,
			  const struct frame *callee)
{
	div_of(c)->ops->call(div_of(c), c->group, lanes, f->start, callee, c->pc + 1);
}

static lanemask find_caller(const struct control *c, lanemask lanes, struct frame *to,
			    uint32_t *back)
{
	return div_of(c)->ops->caller(div_of(c), c->group, lanes, to, back);
}

static unsigned find_shares(const struct control *c, lanemask lanes, struct share *out)
{
	return share_find(sm_of(c), &div_of(c)->group[c->group], lanes, out);
}

static void leave_function(const struct control *c)
{
	div_of(c)->ops->ret(div_of(c), c->group, c->lanes);
}

static void end_lanes(const struct control *c)
{
	struct sm *sm = sm_of(c);
	struct block *last = NULL;
	for (unsigned i = 0; i < c->n; i++)
		sm->warp[c->share[i].warp].live &=
			~((lanemask)c->share[i].lanes << c->share[i].shift);
	sm->div.ops->exit(&sm->div, c->group, c->lanes);
	for (unsigned i = 0; i < c->n; i++) {
		struct block *b = sm->warp[c->share[i].warp].b;
		if (b && b != last)
			bar_threads_exited(sm, b);
		last = b;
		sm_warp_maybe_done(sm, c->share[i].warp);
	}
}

static const struct control_ops group_ops = {step_lanes,  branch_indexed, call_function,
					     find_caller, find_shares,    leave_function,
					     end_lanes};

static void run_control(struct sm *sm, int g, struct share *p, unsigned n, const struct uop *u,
			lanemask m)
{
	const struct group *gr = &sm->div.group[g];
	for (unsigned i = 0; i < n; i++)
		wstate_load_frame(p[i].ws, &gr->frame, p[i].active);
	if (uop_is(u, OF_BARRIER)) {
		bar_step(sm, g, p, n, u, m);
		return;
	}
	struct control c = {.ops = &group_ops,
			    .mode = sm,
			    .group = g,
			    .u = u,
			    .pc = gr->pc,
			    .lanes = m,
			    .frame = gr->frame,
			    .share = p,
			    .n = n,
			    .lane = gr->warp != GROUP_MIXED ? NULL : gr->lane};
	sm->stopped |= !control_run(&c);
}

/* ---- deferred operations ---- */

static void put_off_of(struct sm *sm, int g, unsigned warp, const struct uop *u,
		       const struct tinst *t, lanemask lanes, lanemask active, unsigned more)
{
	const struct group *gr = &sm->div.group[g];
	struct sm_warp *w = &sm->warp[warp];
	vec_push(&sm->deferred, (struct defer){.when = sm->now,
					       .seq = sm->seq++,
					       .sm = sm->id,
					       .u = u,
					       .pc = gr->pc,
					       .group = (uint16_t)g,
					       .warp = (uint16_t)warp,
					       .lanes = lanes,
					       .active = active,
					       .frame = gr->frame,
					       .more = more,
					       .last = true});
	w->deferred++;
	w->alone |= (t->flags & T_ALONE) != 0;
	regset_add(&w->war, &t->use);
	if (t->free_address)
		memset(&w->war, 0xff, sizeof w->war);
}

static void put_off(struct sm *sm, int g, const struct share *p, unsigned n, const struct uop *u,
		    const struct tinst *t, lanemask m)
{
	const struct group *gr = &sm->div.group[g];
	if (gr->warp != GROUP_MIXED) {
		put_off_of(sm, g, gr->warp, u, t, m, gr->active, 0);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		put_off_of(sm, g, p[i].warp, u, t, (lanemask)p[i].lanes << p[i].shift,
			   (lanemask)p[i].active << p[i].shift, 0);
	for (unsigned i = 0; i < n; i++) {
		struct defer *d = &sm->deferred.v[sm->deferred.n - n + i];
		d->share = (uint16_t)i;
		d->last = i + 1 == n;
	}
}

void exec_put_off(struct sm *sm, int g, const struct uop *u, const struct tinst *t, uint32_t pc,
		  lanemask m, unsigned more)
{
	const struct group *gr = &sm->div.group[g];
	put_off_of(sm, g, gr->warp, u, t, m, gr->active, more);
	sm->deferred.v[sm->deferred.n - 1].pc = pc;
}

void exec_deferred(struct sm *sm, const struct defer *d)
{
	struct sm_warp *w = &sm->warp[d->warp];
	bool polls = (d->u->flags & UOP_POLL) && (!d->share || sm->in_vain), same = true;
	for (unsigned k = 0; k < 2 && !sm->stopped; k++) {
		uint32_t lanes = (uint32_t)(d->lanes >> 32 * k);
		uint32_t active = (uint32_t)(d->active >> 32 * k);
		struct share p = {w->ws[k], lanes, active, d->warp, (uint8_t)(32 * k), 0};
		if (!lanes)
			continue;
		if (uop_is(d->u, OF_CALL)) {
			wstate_load_frame(p.ws, &d->frame, p.active);
			call_builtin(p.ws, d->u, &d->frame, lanes);
			fault_check(sm, &p);
			continue;
		}
		exec_run(sm, &p, &d->frame, d->u, d->pc);
		for (unsigned i = 1; i <= d->more && !sm->stopped; i++)
			exec_run(sm, &p, &d->frame, d->u + i, d->pc + i);
		if (d->u->flags & UOP_POLL)
			polls &= exec_polls_in_vain(sm, &p, d->u, d->pc, &same);
	}
	sm->in_vain = polls;
	int g = sm->threads ? threads_group(sm, d->warp, (unsigned)__builtin_ctzll(d->lanes))
			    : d->group;
	if ((d->u->flags & UOP_POLL) && d->last && g >= 0)
		sm_note_poll(sm, g, d->pc, d->lanes, same);
	/* The two halves of a warp of 64 may begin to poll at different times: each counts until
	 * both poll. */
	for (unsigned k = 0; k < 2 && polls && !sm->poll; k++)
		if (d->lanes >> 32 * k & UINT32_MAX)
			w->ws[k]->spins = 0;
	if (--w->deferred == 0) {
		w->alone = false;
		w->war = (struct regset){{0}, 0};
	}
	if (polls && d->last && g >= 0 && sm->div.group[g].active)
		exec_give_way(sm, g);
	if (sm->threads)
		threads_ordered(sm);
	else
		sm_group_changed(sm, g);
	sm_warp_maybe_done(sm, d->warp);
	sm->woken = true;
}

bool exec_unmet(struct sm *sm)
{
	for (unsigned g = 0; sm->div.ops->meet && g < sm->ngroups; g++) {
		const struct group *gr = &sm->div.group[g];
		if (gr->wait != GROUP_SYNC || !gr->active)
			continue;
		const struct sm_warp *w = sm_home(sm, gr);
		struct home h = group_thread(gr, (unsigned)__builtin_ctzll(gr->active));
		const struct uop *u = &w->b->k->l->img->code[gr->pc];
		w->ws[h.lane / 32]->w.pc = gr->pc;
		exec_fault(&w->ws[h.lane / 32]->w, u, h.lane % 32, HEDDLE_FAULT_BARRIER, 0, 0,
			   "lanes 0x%llx of the warp wait here for others that the operation is "
			   "for, and no thread can go on",
			   (unsigned long long)gr->active);
		sm->stopped = true;
		return true;
	}
	return false;
}

/* ---- a step ---- */

/* All cases of exec_step() except the simple one. A separate function, because its large stack
 * frame would slow down the simple case. */
static __attribute__((noinline)) void step_by_shares(struct sm *sm, int g, const struct uop *u,
						     const struct tinst *t, lanemask m)
{
	struct group *gr = &sm->div.group[g];
	uint32_t pc = gr->pc;
	if (t->flags & T_NATIVE) {
		native_step(sm, g, u, t);
		return;
	}
	if (u->flags & UOP_BRANCH) {
		if (m && m != gr->active)
			sm->div.ops->branch(&sm->div, g, u, m);
		else
			sm->div.ops->step(&sm->div, g, m ? u->target : pc + 1);
		return;
	}
	sm->places->n = 0; /* forgets addresses of texels and matrices recorded by earlier
			    * instructions */
	if (!m) {
		sm->div.ops->step(&sm->div, g, pc + 1);
		return;
	}
	struct share p[MAX_LANES];
	unsigned n = share_find(sm, gr, m, p);
	if (t->flags & T_MEMORY)
		exec_gather(sm, gr, p, n, u, t);
	if (t->flags & T_DEFER) {
		put_off(sm, g, p, n, u, t, m);
		sm->div.ops->step(&sm->div, g, pc + 1);
		return;
	}
	if (t->flags & T_CTL) {
		run_control(sm, g, p, n, u, m);
		return;
	}
	bool polls = (t->flags & T_POLL) != 0, same = true;
	for (unsigned i = 0; i < n; i++) {
		exec_run(sm, &p[i], &gr->frame, u, pc);
		if (t->flags & T_POLL)
			polls &= exec_polls_in_vain(sm, &p[i], u, pc, &same);
	}
	if (t->flags & T_POLL)
		sm_note_poll(sm, g, pc, m, same);
	sm->div.ops->step(&sm->div, g, pc + 1);
	if (polls)
		exec_give_way(sm, g);
}

void exec_step(struct sm *sm, int g, const struct uop *u, const struct tinst *t, lanemask m)
{
	const struct group *gr = &sm->div.group[g];
	sm->acc.lanes = 0; /* exec_gather() is not called for an instruction without lanes */
	sm->acc.space = t->space;
	if (t->flags || !m || (u->flags & UOP_BRANCH) || gr->warp == GROUP_MIXED ||
	    gr->active >> 32) {
		step_by_shares(sm, g, u, t, m);
		return;
	}
	uint32_t pc = gr->pc; /* the case of most instructions on most machines */
	run_lanes(sm, sm->warp[gr->warp].ws[0], (uint32_t)m, (uint32_t)(gr->active | m), &gr->frame,
		  u, pc);
	sm->div.ops->step(&sm->div, g, pc + 1);
}
