/* Block barriers: kernel/barrier.c counts arrivals, the divergence handler keeps the waiting lanes;
 * this file connects the two. */
#include "kernel/barrier.h"

#include <assert.h>
#include "sm/pipeline.h"
#include "sm/share.h"

static void let_go(struct sm *sm, unsigned warp, uint32_t pc, lanemask lanes, const struct frame *f)
{
	const struct sm_warp *w = &sm->warp[warp];
	const struct uop *u = &w->b->k->l->img->code[pc];
	for (unsigned k = 0; k < 2; k++)
		if ((uint32_t)(lanes >> 32 * k))
			bar_result(w->ws[k], u, f, (uint32_t)(lanes >> 32 * k), sm->opening);
}

static void tell_pipeline(struct sm *sm, const struct block *b, unsigned warp, unsigned id)
{
	bool cluster = id == CLUSTER_BARRIER && b->cluster;
	if (id <= CLUSTER_BARRIER && sm->div.ops->waiting(&sm->div, warp, id))
		sm->pipe->released(sm, warp, cluster ? b->cluster->met : b->met, cluster);
}

static void wake_all(struct sm *sm, const struct block *b, unsigned id)
{
	for (unsigned i = 0; i < b->started; i++) {
		if (!block_warp(sm, b, i))
			continue;
		sm->warp[b->warp[i]].at_bar[id] = 0;
		if (sm->pipe->released)
			tell_pipeline(sm, b, b->warp[i], id);
		sm->div.ops->wake(&sm->div, b->warp[i], id, let_go);
	}
}

static void open_barrier(struct sm *sm, struct block *b, unsigned id)
{
	assert(id < NBARRIERS && bar_full(b->cta, &b->cta->bar[id]));
	struct barrier done = b->cta->bar[id];
	sm->opening = &done;
	b->cta->bar[id] = (struct barrier){.all = 1};
	b->cta->barriers++;
	STAT(&sm->stats, barriers)++;
	wake_all(sm, b, id);
}

/* A warp that has not started waits for resources, not at the barrier. */
static bool all_wait(const struct sm *sm, const struct block *b)
{
	if (b->started < b->nwarps)
		return false;
	for (unsigned i = 0; i < b->nwarps; i++) {
		const struct sm_warp *w = block_warp(sm, b, i);
		if (w && (w->live & ~sm->div.ops->waiting(&sm->div, b->warp[i], NBARRIERS)))
			return false;
	}
	return true;
}

static bool every_warp_at(const struct sm *sm, const struct block *b, unsigned id)
{
	for (unsigned i = 0; i < b->nwarps; i++) {
		const struct sm_warp *w = block_warp(sm, b, i);
		if (w && w->live && !sm->div.ops->waiting(&sm->div, b->warp[i], id))
			return false;
	}
	return true;
}

/* No thread of the block can go on. Before sm_70 a waiting warp counts as arrived with all its
 * lanes; from sm_70 on the block is stuck. */
static void resolve_stuck(struct sm *sm, struct block *b)
{
	struct cta *c = b->cta;
	for (unsigned id = 0; id < NBARRIERS && c->l->img->legacy_barrier; id++)
		if (c->bar[id].arrived && every_warp_at(sm, b, id)) {
			open_barrier(sm, b, id);
			return;
		}
	for (unsigned i = 0; i < b->nwarps; i++)
		for (unsigned id = 0; id < NBARRIERS; id++) {
			const struct sm_warp *w = block_warp(sm, b, i);
			lanemask m = w ? sm->div.ops->waiting(&sm->div, b->warp[i], id) : 0;
			if (!m)
				continue;
			unsigned lane = (unsigned)__builtin_ctzll(m);
			uint32_t pc = sm->div.ops->where(&sm->div, b->warp[i], lane);
			bar_never_fills(w->ws[lane / 32], &c->l->img->code[pc], lane % 32, id);
			sm->stopped = true;
			return;
		}
}

/* The barrier of a cluster opens between windows, on all its SMs at once. */
void bar_open_cluster(struct sm *sm, struct block *b)
{
	struct barrier done = b->cta->bar[CLUSTER_BARRIER];
	sm->opening = &done;
	b->cta->bar[CLUSTER_BARRIER] = (struct barrier){.all = 1};
	b->cta->barriers++;
	for (uint32_t i = 0; i < b->k->l->nwarps; i++)
		b->cta->warps[i].w.at_cluster = 0;
	STAT(&sm->stats, barriers)++;
	wake_all(sm, b, CLUSTER_BARRIER);
	sm->woken = true;
}

static bool waits_for_cluster(const struct sm *sm, const struct block *b)
{
	for (unsigned i = 0; b->cluster && i < b->nwarps; i++)
		if (block_warp(sm, b, i) &&
		    sm->div.ops->waiting(&sm->div, b->warp[i], CLUSTER_BARRIER))
			return true;
	return false;
}

static void open_if_full(struct sm *sm, struct block *b, unsigned id)
{
	if (b->cluster && (id == CLUSTER_BARRIER || waits_for_cluster(sm, b)) &&
	    (id == CLUSTER_BARRIER || !bar_full(b->cta, &b->cta->bar[id])))
		return;
	if (bar_full(b->cta, &b->cta->bar[id]))
		open_barrier(sm, b, id);
	else if (all_wait(sm, b))
		resolve_stuck(sm, b);
}

/* An arrival counts in cycle `at`. SMs of one cluster run one after the other. */
static void note_arrival(struct block *b, int id, cycle_t at)
{
	if (b->met < at)
		b->met = at;
	if (id == CLUSTER_BARRIER && b->cluster && b->cluster->met < at)
		b->cluster->met = at;
}

/* Lanes of one executor warp arrive. Returns the barrier's number, or -1 after a fault. A counted
 * barrier counts whole warps: a warp that arrives in pieces counts when its last lane arrives. */
static int arrive_share(struct sm *sm, const struct share *p, const struct uop *u)
{
	struct sm_warp *w = &sm->warp[p->warp];
	uint32_t live = p->ws->w.live;
	int id = bar_count(p->ws, u, p->lanes);
	if (id < 0 || u->in->bar == BAR_WAIT)
		return id;
	if (sm->pipe->arrives && !(u->in->bar_flags & BAR_WARPGROUP))
		note_arrival(w->b, id, sm->pipe->arrives(sm));
	w->at_bar[id] |= (lanemask)p->lanes << p->shift;
	if (p->lanes != live && !(live & ~(uint32_t)(w->at_bar[id] >> p->shift)))
		w->b->cta->bar[id].counted +=
			wstate_lanes(w->b->k->l, p->ws->w.id) - (uint32_t)__builtin_popcount(live);
	return id;
}

/* True if no share of a group at a cluster barrier has to wait. */
static bool passes_cluster(const struct share *p, unsigned n, const struct uop *u)
{
	bool passed = u->in->bar_flags & BAR_CLUSTER && u->in->bar == BAR_WAIT;
	for (unsigned i = 0; i < n && passed; i++)
		passed = bar_passed(&p[i].ws->w, u, CLUSTER_BARRIER, p[i].lanes);
	return passed;
}

/* A barrier belongs to a block: a mixed group arrives warp by warp. */
void bar_step(struct sm *sm, int g, const struct share *p, unsigned n, const struct uop *u,
	      lanemask m)
{
	struct group *gr = &sm->div.group[g];
	struct block *b[MAX_LANES];
	int id[MAX_LANES];
	for (unsigned i = 0; i < n; i++) {
		b[i] = sm->warp[p[i].warp].b;
		if ((id[i] = arrive_share(sm, &p[i], u)) < 0) {
			sm->stopped = true;
			return;
		}
	}
	if (u->in->bar == BAR_ARRIVE || passes_cluster(p, n, u))
		sm->div.ops->step(&sm->div, g, gr->pc + 1);
	else if (gr->warp != GROUP_MIXED)
		sm->div.ops->wait(&sm->div, g, m, (unsigned)id[n - 1]);
	else
		for (unsigned i = 0; i < n; i++)
			sm->div.ops->wait(&sm->div, g, p[i].pos, (unsigned)id[i]);
	for (unsigned i = 0; i < n; i++) {
		unsigned k = 0;
		while (b[k] != b[i] || id[k] != id[i])
			k++;
		if (k != i || sm->stopped)
			continue;
		if (u->in->bar == BAR_WAIT && id[i] == CLUSTER_BARRIER && b[i]->cluster)
			continue; /* the cluster's barrier opens between windows */
		if (u->in->bar == BAR_WAIT && !b[i]->cta->bar[id[i]].arrived)
			/* the barrier is already complete for this block */
			wake_all(sm, b[i], (unsigned)id[i]);
		else
			open_if_full(sm, b[i], (unsigned)id[i]);
	}
}

void bar_threads_exited(struct sm *sm, struct block *b)
{
	for (unsigned id = 0; id < NBARRIERS; id++)
		if (b->cta->bar[id].arrived) {
			if (!b->cta->bar[id].expected ||
			    b->cta->bar[id].counted < b->cta->bar[id].expected)
				open_if_full(sm, b, id);
		}
}
