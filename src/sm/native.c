/* Native code in timing mode: an instruction, which may be several uops, is issued and executed as
 * one. Control flow of Fermi and Tesla code follows the token stack (kernel/token_flow.c), and the
 * divergence handler shows the resulting group; control flow of code for sm_70 and later follows
 * kernel/converge.h through the divergence handler. */
#include "exec/places.h"
#include "kernel/token_flow.h"
#include "sm/share.h"

/* The only calls handled here are of functions that the simulator implements; they are deferred
 * like atomics. */
static bool is_control(const struct uop *u) { return (u->flags & UOP_CTL) && !uop_is(u, OF_CALL); }

/* Runs uops 0 to n-1, each with its own guard. A uop that communicates between blocks is deferred
 * together with the uops after it. Returns true if the access polled in vain. */
static bool run_data(struct sm *sm, int g, const struct uop *u, const struct tinst *t, unsigned n)
{
	struct group *gr = &sm->div.group[g];
	bool vain = false;
	for (unsigned i = 0; i < n && !sm->stopped; i++) {
		struct share p[MAX_LANES];
		lanemask m = exec_lanes(sm, gr, &u[i]);
		unsigned shares = share_find(sm, gr, m, p);
		sm->native_lanes = m;
		if (i == t->main && (t->flags & T_MEMORY) && m)
			exec_gather(sm, gr, p, shares, &u[i], t);
		if (i == t->main)
			sm->places->n = 0; /* forgets addresses of texels recorded by earlier
					    * instructions */
		if (i == t->main && (t->flags & T_DEFER)) {
			if (m)
				exec_put_off(sm, g, &u[i], t, gr->pc + i, m, n - 1 - i);
			return false;
		}
		bool polls = i == t->main && (t->flags & T_POLL) && m, all = polls, same = true;
		for (unsigned k = 0; k < shares; k++) {
			exec_run(sm, &p[k], &gr->frame, &u[i], gr->pc + i);
			if (polls)
				all &= exec_polls_in_vain(sm, &p[k], &u[i], gr->pc + i, &same);
		}
		if (polls)
			sm_note_poll(sm, g, gr->pc + i, m, same);
		vain |= all;
	}
	return vain;
}

static void by_tokens(struct sm *sm, int g, const struct uop *u, lanemask m)
{
	struct group *gr = &sm->div.group[g];
	unsigned warp = gr->warp;
	struct sm_warp *w = &sm->warp[warp];
	struct block *b = w->b;
	struct token_flow f = {.ws = w->ws[0],
			       .u = u,
			       .frame = &gr->frame,
			       .pc = gr->pc,
			       .active = (uint32_t)gr->active,
			       .next = gr->pc + 1};
	wstate_load_frame(f.ws, &gr->frame, f.active);
	f.ws->w.pc = f.pc;
	if (m || token_always(b->k->l, u))
		token_control(&f, (uint32_t)m);
	if (f.ws->w.stop == STOP_FAULT) {
		sm->stopped = true;
		return;
	}
	if (f.diverges) {
		b->prof[f.pc].divergent++;
		STAT(&sm->stats, divergent)++;
	}
	w->live &= ~(lanemask)f.exited;
	sm->div.ops->native(&sm->div, g, f.active, f.next);
	if (f.exited) {
		bar_threads_exited(sm, b);
		sm_warp_maybe_done(sm, warp);
	}
}

/* Code for sm_70 and later: the code's control instructions determine where paths split and
 * merge. */
static void by_masks(struct sm *sm, int g, const struct uop *u, lanemask m)
{
	struct group *gr = &sm->div.group[g];
	const struct sm_warp *w = &sm->warp[gr->warp];
	uint32_t pc = gr->pc;
	if (!m) {
		sm->div.ops->step(&sm->div, g, pc + 1);
		return;
	}
	wstate_load_frame(w->ws[0], &gr->frame, (uint32_t)gr->active);
	w->ws[0]->w.pc = pc;
	if (sm->div.ops->converge(&sm->div, g, u, m)) {
		w->b->prof[pc].divergent++;
		STAT(&sm->stats, divergent)++;
	}
	if (w->ws[0]->w.stop == STOP_FAULT)
		sm->stopped = true;
}

void native_step(struct sm *sm, int g, const struct uop *u, const struct tinst *t)
{
	struct group *gr = &sm->div.group[g];
	const struct uop *last = u + t->n - 1;
	bool ctl = is_control(last);
	bool vain = run_data(sm, g, u, t, t->n - ctl);
	if (sm->stopped)
		return;
	if (!ctl) {
		sm->div.ops->step(&sm->div, g, gr->pc + t->n);
		if (vain)
			exec_give_way(sm, g);
		return;
	}
	const struct kern *k = sm_home(sm, gr)->b->k;
	if (t->n > 1)
		sm->div.ops->skip(&sm->div, g, gr->pc + t->n - 1u);
	lanemask m = exec_lanes(sm, gr, last);
	sm->native_lanes = m;
	if (k->l->img->converges && (last->flags & UOP_NATIVE)) {
		by_masks(sm, g, last, m);
		return;
	}
	if (k->l->img->native && !uop_is(last, OF_BARRIER)) {
		by_tokens(sm, g, last, m);
		return;
	}
	struct tinst own = k->code[gr->pc]; /* timing of the control uop alone */
	own.flags = T_CTL;
	struct lane_access acc = sm->acc;
	exec_step(sm, g, last, &own, m);
	sm->acc = acc;
}
