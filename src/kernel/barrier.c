#include "kernel/barrier.h"
#include "check/check.h"

#include "exec/lanes.h"

static uint32_t uniform_value(const struct warp *w, int32_t o, uint32_t m)
{
	return row_u32(w, o)[__builtin_ctz(m)];
}

void bar_result(struct wstate *ws, const struct uop *u, const struct frame *f, uint32_t lanes,
		const struct barrier *bar)
{
	const struct inst *in = u->in;
	if (in->bar != BAR_RED || u->v[0] == SINK)
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

/* True if all threads of the cluster's blocks that have not exited have arrived. */
bool cluster_full(const struct cluster *c)
{
	uint32_t arrived = c->gone, live = 0, here = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		if (!c->block[i])
			continue;
		here++;
		arrived += c->block[i]->bar[CLUSTER_BARRIER].arrived;
		live += c->block[i]->live;
	}
	if (here < c->left) /* some blocks of the cluster have not started */
		return false;
	return arrived && arrived >= live;
}

bool bar_full(const struct cta *b, const struct barrier *bar)
{
	if (b->cluster && bar == &b->bar[CLUSTER_BARRIER])
		return cluster_full(b->cluster);
	return bar->expected ? bar->counted >= bar->expected : bar->arrived >= b->live;
}

static void reduce_predicates(const struct warp *w, const struct uop *u, struct barrier *bar,
			      uint32_t m)
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

/* The barrier number of the lowest of lanes m; -1: a fault, there is no such barrier. */
static int bar_number(struct wstate *ws, const struct uop *u, uint32_t m)
{
	const struct inst *in = u->in;
	uint32_t id = in->bar_flags & BAR_CLUSTER ? CLUSTER_BARRIER
		      : in->bar_flags & BAR_WARPGROUP
			      ? WARPGROUP_BARRIER + ws->w.id / ws->w.cta->l->parts / 4
		      : in->ns ? uniform_value(&ws->w, u->v[in->nd], m)
			       : 0;
	if (id < CLUSTER_BARRIER || in->bar_flags & (BAR_CLUSTER | BAR_WARPGROUP))
		return (int)id;
	exec_fault(&ws->w, u, (unsigned)__builtin_ctz(m), HEDDLE_FAULT_BARRIER, id, 0,
		   "barrier %u: there are %u, numbered from 0", id, CLUSTER_BARRIER);
	return -1;
}

/* Reports a barrier at which threads have arrived that expect another number of threads. */
static void counts_differ(struct warp *w, const struct uop *u, unsigned id, uint32_t m,
			  uint32_t count)
{
	const struct cta *b = w->cta;
	const struct barrier *bar = &b->bar[id];
	char place[300];
	bool known = check_place(b->l->img, bar->pc, place, sizeof place);
	exec_fault(w, u, (unsigned)__builtin_ctz(m), HEDDLE_FAULT_BARRIER, id, 0,
		   "barrier %u expects %u threads here, %u where others have arrived%s%s", id,
		   count ? count : b->live, bar->expected ? bar->expected : b->live,
		   known ? ", at " : "", known ? place : "");
}

/* Threads of the group of four warps that a warp belongs to. */
static uint32_t group_threads(const struct warp *w)
{
	const struct launch *l = w->cta->l;
	uint32_t first = w->id / l->parts / 4 * 4 * l->warp_size, n = l->nthreads - first;
	return n < 4 * l->warp_size ? n : 4 * l->warp_size;
}

bool bar_passed(const struct warp *w, const struct uop *u, int id, uint32_t m)
{
	if (u->in->bar != BAR_WAIT)
		return false;
	return id == CLUSTER_BARRIER ? !(w->at_cluster & m) : !w->cta->bar[id].arrived;
}

int bar_count(struct wstate *ws, const struct uop *u, uint32_t m)
{
	struct warp *w = &ws->w;
	struct cta *b = w->cta;
	const struct inst *in = u->in;
	const int32_t *src = u->v + in->nd;
	int id = bar_number(ws, u, m);
	uint32_t count = (in->bar_flags & BAR_HAS_COUNT) ? uniform_value(w, src[1], m) : 0;
	if (in->bar_flags & BAR_WARPGROUP)
		count = group_threads(w);
	if (id < 0 || in->bar == BAR_WAIT)
		return id;
	if (id == CLUSTER_BARRIER)
		w->at_cluster |= m;
	struct barrier *bar = &b->bar[id];
	if (!bar->arrived) {
		*bar = (struct barrier){
			.all = 1, .expected = count, .pc = (uint32_t)(u - b->l->img->code)};
	} else if (bar->expected != count) {
		counts_differ(w, u, (unsigned)id, m, count);
		return -1;
	}
	/* Machine code's barrier of the block: a warp arrives as a whole, whatever its mask. */
	bool whole = (b->l->img->native || b->l->img->converges) &&
		     !(in->bar_flags & (BAR_CLUSTER | BAR_WARPGROUP));
	uint32_t n = (uint32_t)__builtin_popcount(whole ? w->live : m);
	bar->arrived += n;
	bar->counted += whole || m == w->live ? wstate_lanes(b->l, w->id) : n;
	if (in->bar == BAR_RED) {
		bar->reduces = true;
		reduce_predicates(w, u, bar, m);
	}
	if (b->check)
		check_bar_arrive(w, u, (unsigned)id, whole ? w->live : m);
	return id;
}

void bar_never_fills(struct wstate *ws, const struct uop *u, unsigned lane, unsigned id)
{
	const struct cta *b = ws->w.cta;
	const struct barrier *bar = &b->bar[id];
	exec_fault(&ws->w, u, lane, HEDDLE_FAULT_BARRIER, id, 0,
		   "barrier %u can never fill: %u of %u threads wait there and no thread of the "
		   "block can go on",
		   id, bar->expected ? bar->counted : bar->arrived,
		   bar->expected ? bar->expected : b->live);
}
