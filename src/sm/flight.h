/* Instructions in flight: from issue to the write of their result. Each is in its group's list, the
 * newest first, and its warps count it; the group's scoreboard has the registers it writes. */
#ifndef SM_FLIGHT_H
#define SM_FLIGHT_H
#include "base/assert.h"
#include "sm/threads.h"

void op_more(struct sm *sm); /* allocates more struct flight, so that sm->free_ops is not empty */
/* The instruction's result has been written: ends it and reports to everything that waits for
 * it. */
void op_done(struct sm *sm, struct flight *op);

static inline struct flight *op_new(struct sm *sm, int g, unsigned warp, uint32_t pc,
				    const struct tinst *t)
{
	if (!sm->free_ops)
		op_more(sm);
	struct flight *op = sm->free_ops;
	struct gslot *s = &sm->slot[g];
	sm->free_ops = op->next;
	/* clang-format off */
	*op = (struct flight){.ev = {.kind = EV_WRITE, .arg = op->ev.arg}, .next = s->ops, .t = t, .pc = pc,
			      .group = (uint16_t)g, .warp = (uint16_t)warp, .issued = (uint32_t)sm->now};
	/* clang-format on */
	if (s->ops)
		s->ops->prev = op;
	s->ops = op;
	if (__builtin_expect(sm->threads != NULL, 0)) {
		threads_take_off(sm, op);
		return op;
	}
	if (warp != GROUP_MIXED) {
		sm->warp[warp].inflight++;
		return op;
	}
	const uint16_t *home;
	for (unsigned n = flight_homes(sm, op, &home); n--;)
		sm->warp[home[n]].inflight++;
	return op;
}

/* The kind of operation that registers needed by instruction t of a group wait for. The group's
 * state is computed while it issues, before the issuing instruction is in flight. */
static inline enum wait_kind flight_producer(const struct gslot *s, const struct tinst *t)
{
	if (s->issuing && regset_meets(&s->issuing->def, &t->use))
		return s->issuing->wait;
	for (const struct flight *op = s->ops; op; op = op->next)
		if (regset_meets(&op->t->def, &t->use))
			return op->t->wait;
	return W_SP;
}

/* True if instruction t must wait for deferred operations of its warp. */
static inline bool flight_waits_for_deferred(const struct sm_warp *w, const struct tinst *t)
{
	if (t->free_address) /* the address may be the result of a deferred operation */
		return true;
	return w->alone || ((t->flags & T_VISIBLE) && !(t->flags & T_DEFER)) ||
	       regset_meets(&w->war, &t->def);
}

/* The first part of op_done(): the instruction is no longer in flight. */
static inline void op_retire(struct sm *sm, struct flight *op)
{
	struct gslot *s = &sm->slot[op->group];
	if (op->prev)
		op->prev->next = op->next;
	else
		s->ops = op->next;
	if (op->next)
		op->next->prev = op->prev;
	op->next = sm->free_ops;
	sm->free_ops = op;
	if (__builtin_expect(sm->threads != NULL, 0)) {
		threads_land(sm, op);
		return;
	}
	regset_sub(&s->pend, &op->t->def);
	if (op->warp != GROUP_MIXED) {
		assert_hot(sm->warp[op->warp].inflight &&
			   sm->warp[op->warp].outstanding >= op->fenced);
		sm->warp[op->warp].inflight--;
		sm->warp[op->warp].outstanding -= op->fenced;
		return;
	}
	const uint16_t *home;
	for (unsigned n = flight_homes(sm, op, &home); n--;) {
		assert_hot(sm->warp[home[n]].inflight &&
			   sm->warp[home[n]].outstanding >= op->fenced);
		sm->warp[home[n]].inflight--;
		sm->warp[home[n]].outstanding -= op->fenced;
	}
}

#endif
