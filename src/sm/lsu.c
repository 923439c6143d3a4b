/* The load/store unit: memory instructions in order of issue. */
#include "sm/sm.h"

struct entry {
	struct flight *op;
	cycle_t at;                 /* its operands are there */
	uint32_t cycles;            /* it takes */
	uint32_t lat;
};

struct lsu {
	struct entry *q;
	uint32_t head, n, cap, room; /* room: what issue may fill */
	cycle_t free;               /* the next instruction may start */
};

struct lsu *lsu_new(struct sm *sm)
{
	struct lsu *l = xcalloc(1, sizeof *l);
	l->room = sm->m->lsu_queue + sm->m->coll_mem;
	l->cap = l->room + sm->m->max_warps; /* the locked pipeline: one for each warp */
	l->q = xcalloc(l->cap, sizeof *l->q);
	return l;
}

void lsu_free(struct lsu *l)
{
	if (l)
		free(l->q);
	free(l);
}

bool lsu_full(const struct sm *sm) { return sm->lsu->n >= sm->lsu->room; }
bool lsu_blocked(const struct sm *sm) { (void)sm; return false; }

static uint32_t latency(const struct sm *sm, const struct lane_access *a)
{
	switch (a->space) {
	case SP_SHARED: return sm->m->shared_lat;
	case SP_CONST: case SP_PARAM: return sm->m->l1c_lat;
	case SP_TEX: return sm->m->l1t_lat;
	default: return !strcmp(sm->m->l1d_kind, "off") ? 1 : sm->m->l1d_lat;
	}
}

void lsu_put(struct sm *sm, struct flight *op, cycle_t at, const struct lane_access *a)
{
	struct lsu *l = sm->lsu;
	struct entry *e = &l->q[(l->head + l->n++) % l->cap];
	*e = (struct entry){op, at, 1, a->lanes ? latency(sm, a) : 1};
}

cycle_t lsu_wake(const struct sm *sm)
{
	const struct lsu *l = sm->lsu;
	if (!l->n)
		return NEVER;
	cycle_t at = l->q[l->head].at;
	return at > l->free ? at : l->free;
}

void lsu_cycle(struct sm *sm)
{
	struct lsu *l = sm->lsu;
	if (!l->n || l->free > sm->now || l->q[l->head].at > sm->now)
		return;
	struct entry *e = &l->q[l->head];
	cycle_t done = sm->now + e->lat + sm->m->write_lat;
	l->head = (l->head + 1) % l->cap;
	l->n--;
	l->free = sm->now + e->cycles;
	if ((e->op->t->flags & T_DEFER) && done < sm->window_end)
		done = sm->window_end;
	wheel_post(&sm->wheel, &e->op->ev, done);
	sm->progress = true;
}
