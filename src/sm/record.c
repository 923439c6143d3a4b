/* Fills the records that record.h describes. */
#include "sm/record.h"
#include "sm/sm.h"

/* The cycle at the issue port in which a part goes through the lanes. A lane organisation that
 * places threads skips parts without threads. */
static unsigned cycle_of(const struct sm *sm, lanemask placed, unsigned part)
{
	unsigned width = sm->m->simd_width, n = 0;
	lanemask all = width < 64 ? (1ull << width) - 1 : ~0ull;
	if (sm->div.ops->groups == GROUPS_THREAD)
		return 0;
	if (!sm->lanes.ops->place)
		return part;
	for (unsigned i = 0; i < part; i++)
		n += (placed >> i * width & all) != 0;
	return n;
}

static struct recorded_thread thread_at(const struct sm *sm, const struct group *g, unsigned p)
{
	struct home h = group_thread(g, p);
	const struct block *b = sm->warp[h.warp].b;
	return (struct recorded_thread){
		.block = (uint32_t)b->cta->index,
		.thread = (b->first + sm->warp[h.warp].index) * sm->m->warp_size + h.lane,
		.warp = h.warp};
}

/* A lane takes one bundle per cycle, skipping bundles without threads; for a scalar instruction it
 * takes one thread. */
static void record_lane(const struct sm *sm, const struct group *g, const struct plan *p,
			lanemask executed, struct recorded_issue *o)
{
	unsigned width = sm->m->simd_width / sm->lanes.n, before = 0, bundle = MAX_LANES;
	bool scalar = sm_home(sm, g)->code[g->pc].scalar;
	o->port = (uint16_t)(p->wait + p->beats);
	for (lanemask m = g->active; m && !(scalar && o->n); m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctzll(m);
		struct recorded_thread t = thread_at(sm, g, i);
		before += bundle != MAX_LANES && i / width != bundle;
		bundle = i / width;
		t.lane = (uint8_t)(p->lane * width + (scalar ? 0 : i % width));
		t.cycle = (uint16_t)(p->wait + before);
		t.executed = executed >> i & 1;
		o->thread[o->n++] = t;
	}
}

static uint8_t why_waits(unsigned state)
{
	return state >= GS_READY     ? RW_READY
	       : state == GS_BARRIER ? RW_BARRIER
	       : state == GS_SYNC    ? RW_SYNC
				     : RW_OPERANDS;
}

/* Records the other groups with threads, as they are when g is issued. */
static void record_pool(const struct sm *sm, int g, struct recorded_issue *o)
{
	if (sm->div.ops->groups == GROUPS_THREAD)
		return;
	for (unsigned i = 0; i < sm->ngroups && o->npool < RECORD_POOL; i++) {
		const struct group *gr = &sm->div.group[i];
		if ((int)i == g || !gr->active)
			continue;
		o->pool[o->npool++] = (struct recorded_waiter){
			.pc = gr->pc,
			.group = (uint16_t)i,
			.warp = group_thread(gr, (unsigned)__builtin_ctzll(gr->active)).warp,
			.threads = (uint8_t)lanes_in(gr->active),
			.wait = why_waits(sm->slot[i].state)};
	}
}

void record_issue(struct sm *sm, int g, const struct plan *p, lanemask executed)
{
	struct record *r = sm->record;
	const struct group *gr = &sm->div.group[g];
	cycle_t at = sm->now - r->start;
	if (r->first) {
		r->from = at;
		r->to += at;
		r->first = false;
	}
	if (at < r->from || at >= r->to)
		return;
	if (r->n == RECORD_MAX) {
		r->full = true;
		return;
	}
	uint8_t from[MAX_LANES];
	for (unsigned i = 0; i < MAX_LANES; i++)
		from[i] = (uint8_t)i;
	lanemask placed =
		sm->lanes.ops->place ? sm->lanes.ops->place(&sm->lanes, gr, from) : gr->active;
	struct recorded_issue *o = &r->issue[r->n++];
	*o = (struct recorded_issue){
		.cycle = at, .pc = gr->pc, .group = (uint16_t)g, .port = p->port};
	record_pool(sm, g, o);
	if (sm->lanes.ops->by_lane) {
		record_lane(sm, gr, p, executed, o);
		return;
	}
	for (lanemask m = placed; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctzll(m), pos = from[i];
		struct recorded_thread t = thread_at(sm, gr, pos);
		t.lane = (uint8_t)(sm->lent >= 0 ? (unsigned)sm->lent : i % sm->m->simd_width);
		t.cycle = (uint8_t)cycle_of(sm, placed, i / sm->m->simd_width);
		t.executed = executed >> pos & 1;
		o->thread[o->n++] = t;
	}
}

void record_life(struct sm *sm, unsigned slot)
{
	struct record *r = sm->record;
	const struct sm_warp *w = &sm->warp[slot];
	if (r->nlives < RECORD_LIVES)
		r->life[r->nlives++] =
			(struct recorded_life){.block = w->b->cta->index,
					       .warp = (uint16_t)(w->b->first + w->index),
					       .slot = (uint16_t)slot,
					       .issued = w->issued,
					       .start = w->start - r->start,
					       .end = sm->now + 1 - r->start};
}
