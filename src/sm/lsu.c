/* The load/store unit: memory instructions in order of issue. Each becomes accesses when it enters
 * (by the coalescing rule, by bank conflicts, one per constant address); they start one after the
 * other, as many per cycle as there are ports, and the instruction is done when the last is
 * answered. When an access is refused (no MSHR, no credit, ...) everything behind it waits.
 *
 * With quirk late-lookup the accesses of the L1D go down a pipeline as long as its latency and look
 * up the tags at its end. An access that is refused there waits; the accesses behind it close up,
 * until the pipeline is full. */
#include "sm/lsu.h"

#include "base/assert.h"
#include "sm/pipeline.h"

enum { MOST_PASSES = 32 }; /* most passes of a load's data through the banks of shared memory */

/* Index in a ring of capacity `cap`, n places after `head`; n is at most cap. */
static uint32_t ring_place(uint32_t head, uint32_t n, uint32_t cap)
{
	return head + n < cap ? head + n : head + n - cap;
}

struct lsu *lsu_new(struct sm *sm)
{
	struct lsu *l = xcalloc(1, sizeof *l);
	const struct machine *m = sm->m;
	l->room = m->ports_mem + m->coll_mem + m->lsu_queue + (sm->lanes.n - 1);
	l->cap = l->room + (sm->locked ? sm->ngroups : 0); /* locked pipeline: one entry per
	                                                    * group */
	l->q = xcalloc(l->cap, sizeof *l->q);
	l->blocked_at = l->pipe_blocked_at = NEVER;
	if (machine_quirk(m, QUIRK_LATE_LOOKUP) && m->l1d_kind != KIND_OFF)
		l->pipe_cap = m->l1d_lat * m->lsu_width;
	l->pipe = xcalloc(l->pipe_cap + 1, sizeof *l->pipe);
	l->returned = xcalloc(sm->lanes.n, sizeof *l->returned);
	l->coal = m->coalesce;
	l->down = machine_quirk(m, QUIRK_ACCESSES_DOWN);
	l->line = (uint16_t)(m->l1d_kind != KIND_OFF ? m->l1d_line : 128);
	return l;
}

void lsu_free(struct lsu *l)
{
	if (l) {
		free(l->q);
		free(l->pipe);
		free(l->returned);
	}
	free(l);
}

uint32_t lsu_put(struct sm *sm, struct flight *op, cycle_t at, struct lane_access *a)
{
	struct lsu *l = sm->lsu;
	assert_hot(l->n < l->cap);
	struct lsu_entry *e = &l->q[ring_place(l->head, l->n++, l->cap)];
	e->op = op;
	e->at = at;
	e->ntx = e->next = e->held = 0;
	e->local = false;
	access_decide(sm, e, a);
	op->unanswered = (uint16_t)(e->kind == K_DELAY ? 0 : e->ntx);
	if (e->kind == K_READ && e->held)
		op->passes = (uint8_t)((e->held < MOST_PASSES ? e->held : MOST_PASSES) - 1);
	op->fenced = true;
	const uint16_t *home;
	for (unsigned n = flight_homes(sm, op, &home); n--;)
		sm->warp[home[n]].outstanding++;
	return e->kind == K_DELAY ? e->cycles : 0;
}

/* ---- accesses run ---- */

/* The cycle in which a load's data have passed through the banks of shared memory, with its conflicts. The loads of a lane
 * return one after the other. */
static cycle_t return_data(struct sm *sm, const struct flight *op, cycle_t at)
{
	cycle_t *free = &sm->lsu->returned[op->lane % sm->lanes.n];
	uint32_t pass = 1 + sm->m->shared_conflict;
	at = *free > at ? *free : at;
	*free = at + (op->passes + 1) * pass;
	return at + op->passes * pass;
}

/* Called when all accesses have started and none is unanswered. */
static void complete_access(struct sm *sm, struct flight *op, cycle_t at)
{
	at = at > op->ev.when ? at : op->ev.when;
	if (op->passes)
		at = return_data(sm, op, at);
	at = sm->pipe->answered(sm, op, at);
	if ((op->t->flags & T_DEFER) && at < sm->window_end)
		at = sm->window_end;
	wheel_post(&sm->wheel, &op->ev, at > sm->now ? at : sm->now + 1);
}

static void access_answered(struct sm *sm, struct flight *op, cycle_t at)
{
	op->ev.when = at > op->ev.when ? at : op->ev.when;
	assert_hot(op->unanswered);
	if (!--op->unanswered)
		complete_access(sm, op, at);
}

/* A hit that skips the write-back stage: its result is ready in the cycle after `at`. */
static void hit_done(struct sm *sm, struct flight *op, cycle_t at)
{
	op->direct = true;
	access_answered(sm, op, at + 1 > sm->m->write_lat ? at + 1 - sm->m->write_lat : 0);
}

void lsu_answer(struct sm *sm, uint32_t token)
{
	struct flight *op = sm->flights.v[token];
	op->direct = false;
	access_answered(sm, op, sm->now + 1 + (op->t->space == SP_TEX ? sm->m->l1t_late : 0));
}

void lsu_acknowledged(struct sm *sm, unsigned warp)
{
	if (warp == GROUP_MIXED) {
		assert_hot(sm->mixed_writes);
		if (!--sm->mixed_writes)
			sm_fences_changed(sm);
		return;
	}
	if (sm->warp[warp]
		    .posted) { /* acknowledgements arrive nearly in order, so this one belongs to
			        * an earlier warp of the slot */
		sm->warp[warp].posted--;
		return;
	}
	assert_hot(sm->warp[warp].outstanding && sm->warp[warp].writes);
	sm->warp[warp].outstanding--;
	if (!--sm->warp[warp].writes && (sm->locked || sm->threads))
		sm_fences_changed(sm);
	sm_warp_accessed(sm, warp);
}

/* Called when a write has been sent that will be acknowledged; its instruction is complete. */
static enum l1_result note_write(struct sm *sm, unsigned warp)
{
	if (warp == GROUP_MIXED) {
		sm->mixed_writes++;
	} else {
		sm->warp[warp].outstanding++;
		sm->warp[warp].writes++;
	}
	return L1_DONE;
}

static enum l1_result write_access(struct sm *sm, const struct tx *t, const struct flight *op,
				   bool local)
{
	enum l1_result r = l1_write(sm, t, op->group, op->warp, local);
	return r == L1_PENDING ? note_write(sm, op->warp) : r;
}

static enum l1_result start_reduction(struct sm *sm, const struct tx *t, unsigned warp)
{
	enum l1_result r = l1_reduce(sm, t, warp);
	return r == L1_PENDING ? note_write(sm, warp) : r;
}

/* Starts the access of a constant. The pipeline models the first level of constant caches; l1c is
 * the second. */
static enum l1_result start_constant(struct sm *sm, struct lsu_entry *e, const struct tx *t,
				     uint32_t *lat)
{
	bool known = false;
	uint32_t late = sm->pipe->constant(sm, t->addr, e->next, &sm->lsu->busy, &known);
	enum l1_result r = known ? L1_DONE : l1_read(sm, L1C, t, e->op->ev.arg);
	*lat += late;
	return r;
}

static enum l1_result start_access(struct sm *sm, struct lsu_entry *e, const struct tx *t,
				   uint32_t *lat)
{
	*lat = sm->m->l1d_lat;
	sm->lsu->busy = 1;
	switch (e->kind) {
	case K_CONST:
		*lat = sm->m->l1c_lat;
		if (sm->pipe->constant)
			return start_constant(sm, e, t, lat);
		return l1_read(sm, L1C, t, e->op->ev.arg);
	case K_TEX: *lat = sm->m->l1t_lat; return l1_read(sm, L1T, t, e->op->ev.arg);
	case K_READ: return l1_read(sm, L1D, t, e->op->ev.arg);
	case K_WRITE: *lat = 0; return write_access(sm, t, e->op, e->local);
	case K_ATOMIC:
		if (!sm->pipe->posts || e->op->t->nwrite)
			return l1_past(sm, t, true, e->op->ev.arg);
		*lat = 0;
		return start_reduction(sm, t, e->op->warp);
	default: return l1_past(sm, t, false, e->op->ev.arg);
	}
}

static void count_waiting(struct sm *sm, cycle_t *since)
{
	if (*since != NEVER)
		STAT(&sm->stats, mem_stalls) += sm->now - *since;
	*since = NEVER;
}

/* ---- the pipeline before the tags ---- */

static enum l1_result pipe_put(struct sm *sm, const struct lsu_entry *e, const struct tx *t)
{
	struct lsu *l = sm->lsu;
	if (l->pipe_n == l->pipe_cap)
		return L1_REFUSED;
	l->pipe[ring_place(l->pipe_head, l->pipe_n++, l->pipe_cap)] =
		(struct stage){e->op, *t, sm->now + sm->m->l1d_lat, e->kind, e->local};
	return L1_PENDING;
}

static void pipe_cycle(struct sm *sm)
{
	struct lsu *l = sm->lsu;
	for (unsigned i = 0;
	     i < sm->m->lsu_width && l->pipe_n && l->pipe[l->pipe_head].at <= sm->now; i++) {
		const struct stage *s = &l->pipe[l->pipe_head];
		sm->l1->direct_retry = NEVER;
		sm->l1->direct_lacks = -1;
		enum l1_result r = s->kind == K_READ ? l1_read(sm, L1D, &s->tx, s->op->ev.arg)
						     : write_access(sm, &s->tx, s->op, s->local);
		if (r == L1_REFUSED) {
			if (l->pipe_blocked_at == NEVER)
				l->pipe_blocked_at = sm->now;
			l->pipe_retry = sm->l1->direct_retry;
			l->pipe_lacks = sm->l1->direct_lacks;
			return;
		}
		count_waiting(sm, &l->pipe_blocked_at);
		sm->progress = true;
		if (r == L1_DONE)
			hit_done(sm, s->op, sm->now);
		l->pipe_head = ring_place(l->pipe_head, 1, l->pipe_cap);
		l->pipe_n--;
	}
}

/* ---- instructions ---- */

static void pop_entry(struct lsu *l)
{
	l->head = ring_place(l->head, 1, l->cap);
	l->n--;
}

static void run_entry(struct sm *sm, struct lsu_entry *e)
{
	struct lsu *l = sm->lsu;
	uint32_t lat;
	unsigned width = sm->m->lsu_data && e->kind != K_READ ? 1 : sm->m->lsu_width;
	if (!e->next) {
		e->until = sm->now + e->held;
		if (e->kind == K_WRITE)
			l1_store(sm, e->tx, e->ntx);
	}
	for (unsigned i = 0; i < width && e->next < e->ntx; i++) {
		sm->l1->direct_retry = NEVER;
		sm->l1->direct_lacks = -1;
		bool pipe = lsu_piped(l, e);
		enum l1_result r = pipe ? pipe_put(sm, e, &e->tx[e->next])
					: start_access(sm, e, &e->tx[e->next], &lat);
		if (r == L1_REFUSED) {
			if (l->blocked_at == NEVER)
				l->blocked_at = sm->now;
			l->retry = pipe ? NEVER : sm->l1->direct_retry; /* a full pipeline advances
								      * without an event */
			l->lacks = pipe ? -1 : sm->l1->direct_lacks;
			return;
		}
		count_waiting(sm, &l->blocked_at);
		sm->progress = true;
		e->next++;
		l->free = sm->now + (pipe ? 1 : l->busy);
		if (r == L1_DONE && e->kind == K_CONST &&
		    machine_quirk(sm->m, QUIRK_DIRECT_CONSTANTS))
			hit_done(sm, e->op, sm->now + lat);
		else if (r == L1_DONE)
			access_answered(sm, e->op, sm->now + lat);
	}
	if (e->next < e->ntx)
		return;
	l->free = l->free > e->until ? l->free : e->until;
	bool write = e->kind == K_WRITE;
	pop_entry(l);
	if (write && (!l->n || l->q[l->head].kind != K_WRITE))
		l1_flush(sm);
}

static void entry_cycle(struct sm *sm)
{
	struct lsu *l = sm->lsu;
	struct lsu_entry *e = &l->q[l->head];
	if (e->kind != K_DELAY) {
		run_entry(sm, e);
		return;
	}
	l->free = sm->now + e->cycles;
	complete_access(sm, e->op, sm->now + e->cycles - 1 + e->lat);
	pop_entry(l);
	sm->progress = true;
}

void lsu_cycle(struct sm *sm)
{
	bool pipe = lsu_pipe_wake(sm) <= sm->now, moved = sm->l1->moved;
	if (pipe)
		pipe_cycle(sm);
	bool entry = lsu_entry_wake(sm) <= sm->now;
	if (entry)
		entry_cycle(sm);
	if (moved &&
	    (pipe || entry)) /* a refused access has been retried after all other progress of
			      * this cycle */
		sm->l1->moved = false;
}
