/* Block barriers. Threads arrive one by one (a diverged warp's parts at different times, even at
 * different bar instructions); the barrier opens when every thread that has not exited is there, or as
 * many as its count says. A counted barrier counts whole warps, as the hardware does. */
#include "func/run.h"

#include "exec/lanes.h"
#include "func/simt.h"

static uint32_t uniform_value(const struct warp *w, int32_t o, uint32_t m)
{
	return row_u32(w, o)[__builtin_ctz(m)];
}

void bar_result(struct wstate *ws, const struct uop *u, const struct frame *f, uint32_t lanes,
		const struct barrier *bar)
{
	const struct inst *in = u->in;
	if (in->mode != BAR_RED || u->v[0] == SINK)
		return;
	if (in->bop == BOP_POPC) {
		uint32_t *d = (uint32_t *)(ws->rows + (size_t)f->rows * ROW + (u->v[0] & ~3));
		for (uint32_t m = lanes; m; m &= m - 1)
			d[__builtin_ctz(m)] = bar->pop;
		return;
	}
	uint32_t *p = ws->preds + f->preds + u->v[0];
	bool yes = in->bop == BOP_AND ? bar->all : bar->any;
	*p = yes ? *p | lanes : *p & ~lanes;
}

static void bar_open(struct cta *b, unsigned id)
{
	struct barrier *bar = &b->bar[id];
	for (uint32_t i = 0; i < b->l->nwarps; i++) {
		struct wstate *ws = &b->warps[i];
		for (uint32_t k = 0; k < ws->sp; k++) {
			struct split *s = &ws->stack[k];
			if (s->state != SPLIT_BARRIER || s->bar != id)
				continue;
			struct frame f = {s->rows, s->preds, s->lbase, s->depth};
			bar_result(ws, &b->l->img->code[s->pc], &f, s->mask, bar);
			s->state = SPLIT_READY;
			s->pc++;
		}
	}
	b->barriers++;
	b->opened = !bar->expected && b->l->nwarps > 1;
	*bar = (struct barrier){.all = 1};
}

bool bar_full(const struct cta *b, const struct barrier *bar)
{
	return bar->expected ? bar->counted >= bar->expected : bar->arrived >= b->live;
}

static void reduce(const struct warp *w, const struct uop *u, struct barrier *bar, uint32_t m)
{
	const struct inst *in = u->in;
	unsigned k = in->ns - 1u;
	const struct opnd *o = inst_src(in, k);
	uint32_t p = o->kind == OPND_IMM ? (o->imm ? ~0u : 0) : w->pred[u->v[in->nd + k]];
	p = (o->mod & OPND_NOT ? ~p : p) & m;
	bar->pop += (uint32_t)__builtin_popcount(p);
	bar->any |= p != 0;
	bar->all &= p == m;
}

/* Which barrier, for the lowest of lanes m; -1: a fault, there is none of that number. */
static int bar_number(struct wstate *ws, const struct uop *u, uint32_t m)
{
	const struct inst *in = u->in;
	uint32_t id = in->imm & BAR_CLUSTER ? CLUSTER_BARRIER
		      : in->ns              ? uniform_value(&ws->w, u->v[in->nd], m)
					    : 0;
	if (id < CLUSTER_BARRIER || in->imm & BAR_CLUSTER)
		return (int)id;
	exec_fault(&ws->w, u, (unsigned)__builtin_ctz(m), HEDDLE_FAULT_BARRIER, id, 0,
		   "barrier %u: there are %u, numbered from 0", id, CLUSTER_BARRIER);
	return -1;
}

int bar_count(struct wstate *ws, const struct uop *u, uint32_t m)
{
	struct warp *w = &ws->w;
	struct cta *b = w->cta;
	const struct inst *in = u->in;
	const int32_t *src = u->v + in->nd;
	int id = bar_number(ws, u, m);
	uint32_t count = (in->imm & BAR_HAS_COUNT) ? uniform_value(w, src[1], m) : 0;
	if (id < 0 || in->mode == BAR_WAIT)
		return id;
	struct barrier *bar = &b->bar[id];
	if (!bar->arrived) {
		*bar = (struct barrier){.all = 1, .expected = count};
	} else if (bar->expected != count) {
		exec_fault(w, u, (unsigned)__builtin_ctz(m), HEDDLE_FAULT_BARRIER, id, 0,
			   "barrier %u expects %u threads here, %u where others wait", id,
			   count ? count : b->live, bar->expected ? bar->expected : b->live);
		return -1;
	}
	bool whole = b->l->img->native; /* a warp arrives as a whole, whatever its mask */
	uint32_t n = (uint32_t)__builtin_popcount(whole ? w->live : m);
	bar->arrived += n;
	bar->counted += whole || m == w->live ? wstate_lanes(b->l, w->id) : n;
	if (in->mode == BAR_RED)
		reduce(w, u, bar, m);
	return id;
}

bool bar_arrive(struct wstate *ws, const struct uop *u, uint32_t m)
{
	struct cta *b = ws->w.cta;
	int id = bar_count(ws, u, m);
	bool waits = u->in->mode != BAR_ARRIVE;
	if (id < 0)
		return true;
	if (u->in->mode == BAR_WAIT && !b->bar[id].arrived)
		return false;
	if (waits) {
		struct split *s = simt_top(ws);
		s->state = SPLIT_BARRIER;
		s->bar = (uint8_t)id;
	}
	if (u->in->mode == BAR_WAIT || !bar_full(b, &b->bar[id]))
		return waits;
	bar_open(b, (unsigned)id);
	return false;
}

void bar_exited(struct cta *b)
{
	for (unsigned id = 0; id < NBARRIERS; id++)
		if (b->bar[id].arrived && !b->bar[id].expected && bar_full(b, &b->bar[id]))
			bar_open(b, id);
}

/* Does every warp that still runs have lanes waiting at this barrier? */
static bool every_warp_waits(const struct cta *b, unsigned id)
{
	for (uint32_t i = 0; i < b->l->nwarps; i++) {
		const struct wstate *ws = &b->warps[i];
		bool here = false;
		for (uint32_t k = 0; k < ws->sp; k++)
			here |= ws->stack[k].state == SPLIT_BARRIER && ws->stack[k].bar == id &&
				ws->stack[k].mask;
		if (ws->sp && !here)
			return false;
	}
	return true;
}

bool bar_deadlock(struct cta *b)
{
	for (unsigned id = 0; id < NBARRIERS && b->l->img->legacy_barrier; id++)
		if (b->bar[id].arrived && every_warp_waits(b, id)) {
			bar_open(b, id); /* before sm_70 a warp arrives as a whole */
			return true;
		}
	for (uint32_t i = 0; i < b->l->nwarps; i++) {
		struct wstate *ws = &b->warps[i];
		for (uint32_t k = 0; k < ws->sp; k++) {
			struct split *s = &ws->stack[k];
			if (s->state != SPLIT_BARRIER || !s->mask)
				continue;
			const struct barrier *bar = &b->bar[s->bar];
			exec_fault(
				&ws->w, &b->l->img->code[s->pc], (unsigned)__builtin_ctz(s->mask),
				HEDDLE_FAULT_BARRIER, s->bar, 0,
				"barrier %u can never fill: %u of %u threads wait there and no thread of the block can go on",
				s->bar, bar->expected ? bar->counted : bar->arrived,
				bar->expected ? bar->expected : b->live);
			return false;
		}
	}
	return false;
}
