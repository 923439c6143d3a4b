/* The pipeline with a scoreboard: many instructions of a warp in flight. An instruction issues when
 * it is in the instruction buffer and no register it touches has a pending write; then it goes
 * through collectors and units. */
#include "sm/pipeline.h"

#include "sm/collect.h"
#include "sm/equal.h"
#include "sm/flight.h"
#include "sm/lsu.h"
#include "sm/threads.h"

static enum gstate holds_threads(struct sm *sm, int g, const struct tinst *t)
{
	const struct gslot *s = &sm->slot[g];
	if (!fetch_has_next(sm, g))
		return GS_IBUFFER;
	if (regset_meets(&s->pend, &t->use))
		return GS_SCORE + threads_producer(sm, g, t);
	if (s->atomics || threads_wait_for_deferred(sm, &sm->div.group[g], t))
		return GS_ORDERED;
	return GS_READY + t->unit;
}

static enum gstate holds(struct sm *sm, int g, const struct tinst *t)
{
	const struct gslot *s = &sm->slot[g];
	const struct sm_warp *w = sm_home(sm, &sm->div.group[g]);
	if (!fetch_has_next(sm, g))
		return GS_IBUFFER;
	if (regset_meets(&s->pend, &t->use))
		return GS_SCORE + flight_producer(s, t);
	if (s->chained && (t->flags & T_WHOLE))
		return GS_SCORE + flight_producer(s, t);
	if (s->atomics || (w->deferred && flight_waits_for_deferred(w, t)))
		return GS_ORDERED;
	return GS_READY + t->unit;
}

/* Chaining: returns the cycle in which the first of several bundles of threads has its result; the
 * last bundle has its result at `at`.
 *
 * 	A   t0 t1 t2 .. t31         a unit takes a bundle a cycle; A's result for t0 is there
 * 	B    |          t0 t1 ..    long before B, which follows A in the lane, needs it
 * 	     +-- lat --> t0
 *
 * That holds as long as B has the threads of A, or more. Threads part at control flow: an instruction
 * that may change the set of active threads waits for A's last thread (T_WHOLE). */
static cycle_t chain_result(struct sm *sm, struct flight *op, unsigned bundles, cycle_t at)
{
	op->tail = (uint16_t)(bundles - 1);
	sm->slot[op->group].chained += op->tail != 0;
	return at - op->tail;
}

static inline __attribute__((always_inline)) void start_one(struct sm *sm, const struct issue *i,
							    const bool follows)
{
	const struct tinst *t = i->t;
	const struct plan *p = &i->plan;
	unsigned warp = follows && sm->threads ? threads_first_home(sm) : i->warp;
	cycle_t at =
		unit_start(sm, &sm->lanes.set[p->lane], warp, t, p->beats, p->ii ? p->ii : t->ii);
	if (t->unit == UNIT_MEM) {
		struct flight *op = op_new(sm, i->group, i->warp, i->pc, t);
		op->lane = (uint8_t)p->lane;
		lsu_put(sm, op, at, &sm->acc);
	} else if (t->nwrite || t->def.pred) {
		struct flight *op = op_new(sm, i->group, i->warp, i->pc, t);
		op->lane = (uint8_t)p->lane;
		at += sm->m->write_lat;
		if (follows && sm->equal)
			at++; /* the result is compared */
		if ((t->flags & T_DEFER) && at < sm->window_end)
			at = sm->window_end;
		else if (sm->m->chaining)
			at = chain_result(sm, op, p->beats, at);
		wheel_post(&sm->wheel, &op->ev, at);
	}
}

static void start(struct sm *sm, const struct issue *i) { start_one(sm, i, false); }
static void start_following(struct sm *sm, const struct issue *i) { start_one(sm, i, true); }

static cycle_t answered(const struct sm *sm, const struct flight *op, cycle_t at)
{
	(void)op;
	return at + sm->m->write_lat;
}

static cycle_t answered_following(const struct sm *sm, const struct flight *op, cycle_t at)
{
	return at + sm->m->write_lat + (sm->equal && op->t->nwrite);
}

/* Wakes a group after an ALU's result: only this group waits for it, and only if its next
 * instruction waits for registers. */
static inline void wake_group(struct sm *sm, int g)
{
	if (sm->slot[g].state >= GS_SCORE && sm->slot[g].state < GS_READY)
		sm_group_changed(sm, g);
}

/* The result may belong to threads of several groups and warps. */
static void finish_threads(struct sm *sm, struct flight *op)
{
	const uint16_t *home;
	op_retire(sm, op);
	threads_wake(sm, op);
	for (unsigned n = flight_homes(sm, op, &home); n--;)
		if (!sm->warp[home[n]].live)
			sm_warp_maybe_done(sm, home[n]);
}

static void finish_alu(struct sm *sm, struct flight *op)
{
	int g = op->group;
	unsigned warp = op->warp;
	op_retire(sm, op);
	wake_group(sm, g);
	if (!sm->warp[warp].live)
		sm_warp_maybe_done(sm, warp);
}

/* Called twice for a chained instruction: when its first thread has its result, and when its last
 * has. In between a later instruction may have been issued that writes the registers: then they
 * stay pending for it. */
static void finish_chained(struct sm *sm, struct flight *op)
{
	struct gslot *s = &sm->slot[op->group];
	struct regset pend = s->pend;
	unsigned warp = op->warp;
	int g = op->group;
	if (op->begun) {
		op_retire(sm, op);
		s->pend = pend;
		s->chained--;
	} else {
		op->begun = true;
		regset_sub(&s->pend, &op->t->def);
		wheel_post(&sm->wheel, &op->ev, sm->now + op->tail);
	}
	wake_group(sm, g);
	if (!sm->warp[warp].live)
		sm_warp_maybe_done(sm, warp);
}

/* Results from memory have their own write port, one per cycle; a bank that another result is
 * written to in this cycle is not free for them. */
static bool memory_writes(struct sm *sm, const struct flight *op)
{
	struct lane_set *set = &sm->lanes.set[op->lane];
	uint64_t taken = ahead_of(set, sm->now)->banks[sm->now % WB_AHEAD];
	const uint16_t *home;
	flight_homes(sm, op, &home);
	uint64_t banks = banks_of(sm, bank_shift(sm, set, *home), op->t);
	if (set->mem_wb == sm->now || (taken & banks)) {
		STAT(&sm->stats, port_conflicts)++;
		return false;
	}
	set->mem_wb = sm->now; /* this cycle's operand reads are done, so the write delays none */
	return true;
}

static void finish(struct sm *sm, struct flight *op)
{
	const struct tinst *t = op->t;
	if (!(t->flags & T_MEMORY) && op->tail)
		finish_chained(sm, op);
	else if (!(t->flags & T_MEMORY))
		finish_alu(sm, op);
	else if (t->nwrite && !op->direct && t->unit == UNIT_MEM && !memory_writes(sm, op))
		wheel_post(&sm->wheel, &op->ev, sm->now + 1);
	else
		op_done(sm, op);
}

static void finish_following(struct sm *sm, struct flight *op)
{
	if (sm->threads && !(op->t->flags & T_MEMORY)) /* with threads.h, instructions are never
						        * chained */
		finish_threads(sm, op);
	else
		finish(sm, op);
}

static enum gstate holds_following(struct sm *sm, int g, const struct tinst *t)
{
	return sm->threads ? holds_threads(sm, g, t) : holds(sm, g, t);
}

static void describe(const struct machine *m, struct facts *f)
{
	double lanes = (double)m->simd_width * m->sp_units;
	double issue = (double)m->schedulers * m->issue_width * m->warp_size;
	f->peak_ipc = lanes < issue ? lanes : issue;
	f->compares_values = equal_is_needed(m);
	f->thread_scoreboard = m->diverge->groups_per_warp != 1;
}

static const char *unused(const struct machine *m, const char *key)
{
	if (m->perfect_mem && !strcmp(key, "perfect.bank_conflicts"))
		return "the scoreboard pipeline always takes the cycles of bank conflicts";
	return NULL;
}

static const struct pipe_ops following = {
	.p = {"scoreboard", "threads or values are followed", ""},
	.parts_groups = true,
	.holds = holds_following,
	.start = start_following,
	.answered = answered_following,
	.finish = finish_following,
};

const struct pipe_ops pipe_scoreboard = {
	.p = {"scoreboard", "many instructions of a warp in flight", "", .describe = describe,
	      .unused = unused},
	.parts_groups = true,
	.following = &following,
	.holds = holds,
	.start = start,
	.answered = answered,
	.finish = finish,
};
