/* A trace decides (ir/replay.h): after each instruction of a warp, the next step of its recorded path says which
 * instruction follows, for which lanes. Registers have no values in a replay, so the recorded addresses are put
 * into the base register of the step's access, where the load/store unit finds them.
 *
 * Lanes at a barrier stay out of the path; the warp goes on only with steps of other lanes, and waits when the next
 * step needs a waiting lane. When a path ends before all lanes have exited, these exit. */
#include "ir/replay.h"
#include "exec/async/async.h"
#include "exec/memory/access.h"
#include "sm/sm.h"

struct path {
	const struct replay *r;
	const struct replay_step *next, *end; /* steps that have not been exposed; NULL: no path */
	uint32_t bar_pc;                      /* pc of the barrier at which `waits` wait */
	lanemask waits;                       /* lanes at a barrier */
	uint8_t bar;                          /* number of that barrier */
};

static struct path *path_of(const struct div *d, unsigned w)
{
	return &((struct path *)d->state)[w];
}

/* The operand with the access's address, as the load/store unit sees it (exec.c). */
static const struct uop *address_of(const struct uop *u)
{
	return uop_is(u, OF_PARTS) ? u->copy->timed : u;
}

static int64_t recorded_address(const int64_t *address, unsigned i)
{
	if (address[0] == REPLAY_STRIDE)
		return (int64_t)((uint64_t)address[1] + i * (uint64_t)address[2]);
	return address[1 + i];
}

static void put_addresses(const struct div *d, unsigned w, const struct replay_step *s)
{
	const struct sm_warp *home = &d->sm->warp[w];
	const struct uop *mem = address_of(&home->b->k->l->img->code[s->pc]);
	if (mem->a == SINK || (mem->a & 3) != BASE_REG)
		return;
	struct wstate *ws = home->ws[0];
	wstate_load_frame(ws, &d->group[w].frame, s->mask);
	uint32_t *row = row_u32(&ws->w, mem->a);
	const int64_t *address = d->sm->warp[w].b->k->l->img->kernel->replay->address + s->at;
	unsigned i = 0;
	for (uint32_t m = s->mask; m; m &= m - 1, i++) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint64_t a = (uint64_t)recorded_address(address, i) - mem->offset;
		if (mem->aux & AUX_A64)
			pair_put(row, (int)lane, a);
		else
			row[lane] = (uint32_t)a;
	}
}

/* The step is issued without a lane if none executed it: its guard is false for all. */
static void put_guard(const struct div *d, unsigned w, const struct replay_step *s)
{
	const struct sm_warp *home = &d->sm->warp[w];
	const struct uop *u = &home->b->k->l->img->code[s->pc];
	if (u->guard >= 0)
		home->ws[0]->preds[d->group[w].frame.preds + (uint32_t)u->guard] =
			s->mask ? UINT32_MAX : 0;
}

/* The warp's group gets the next step of the path, or waits. */
static void expose_step(struct div *d, unsigned w)
{
	struct path *p = path_of(d, w);
	struct group *g = &d->group[w];
	lanemask live = d->sm->warp[w].live, free = live & ~p->waits;
	while (p->next < p->end && p->next->mask && !(p->next->mask & live))
		p->next++; /* all lanes that executed it have exited */
	if (!live) {
		g->active = 0;
		g->wait = GROUP_NONE;
	} else if (p->next < p->end && (p->next->mask ? !(p->next->mask & p->waits) : free != 0)) {
		g->pc = p->next->pc;
		g->active = p->next->mask ? p->next->mask & live : free;
		g->wait = GROUP_RUNS;
		put_guard(d, w, p->next);
		if (p->next->at != REPLAY_NO_ADDRESS)
			put_addresses(d, w, p->next);
	} else if (p->next == p->end && free) {
		g->pc = p->r->end;
		g->active = free;
		g->wait = GROUP_RUNS;
	} else {
		g->pc = p->bar_pc;
		g->active = p->waits;
		g->wait = GROUP_BARRIER;
	}
	sm_group_changed(d->sm, (int)w);
}

static void take_step(struct div *d, unsigned w)
{
	struct path *p = path_of(d, w);
	if (p->next < p->end)
		p->next++;
	expose_step(d, w);
}

static void init(struct div *d) { d->state = xcalloc(d->nwarps, sizeof(struct path)); }
static void fini(struct div *d) { free(d->state); }

static void start(struct div *d, unsigned w, lanemask live, uint32_t pc, uint64_t age)
{
	const struct sm_warp *home = &d->sm->warp[w];
	const struct replay *r = home->b->k->l->img->kernel->replay;
	const struct replay_warp *of =
		&r->warp[home->b->cta->index * r->warps + home->b->first + home->index];
	(void)live, (void)pc;
	*path_of(d, w) = (struct path){
		.r = r, .next = r->step + of->first, .end = r->step + of->first + of->n};
	d->group[w] = (struct group){.warp = (uint16_t)w, .age = age};
	expose_step(d, w);
}

static void step(struct div *d, int g, uint32_t next)
{
	(void)next;
	take_step(d, (unsigned)g);
}

static void wait(struct div *d, int g, lanemask lanes, unsigned bar)
{
	struct path *p = path_of(d, (unsigned)g);
	p->bar_pc = d->group[g].pc;
	p->waits |= lanes;
	p->bar = (uint8_t)bar;
	take_step(d, (unsigned)g);
}

static void wake(struct div *d, unsigned w, unsigned bar, div_wake_fn *fn)
{
	struct path *p = path_of(d, w);
	if (!p->waits || p->bar != bar)
		return;
	lanemask lanes = p->waits;
	p->waits = 0;
	fn(d->sm, w, p->bar_pc, lanes, &d->group[w].frame);
	expose_step(d, w);
}

static lanemask waiting(const struct div *d, unsigned w, unsigned bar)
{
	const struct path *p = path_of(d, w);
	return bar == NBARRIERS || p->bar == bar ? p->waits : 0;
}

static uint32_t where(const struct div *d, unsigned w, unsigned lane)
{
	(void)lane;
	return path_of(d, w)->bar_pc;
}

static void leave(struct div *d, int g, lanemask done)
{
	(void)done;
	take_step(d, (unsigned)g);
}

static lanemask sync(struct div *d, int g, lanemask lanes, lanemask need, uint32_t anywhere)
{
	(void)d, (void)g, (void)need, (void)anywhere;
	return lanes;
}

static void yield(struct div *d, int g)
{
	(void)d, (void)g; /* the path alone decides which lanes run */
}

static bool check(const struct div *d, struct diag *why)
{
	for (unsigned w = 0; w < d->nwarps; w++)
		if (path_of(d, w)->waits & ~d->sm->warp[w].live) {
			diag_error(why, "warp %u: lanes that have exited wait at a barrier", w);
			return false;
		}
	return true;
}

const struct div_ops div_replay = {
	.p = {"replay", "paths recorded in a trace of Accel-Sim's; programs are refused",
	      "Khairy, Shen, Aamodt, Rogers, ISCA 2020, section III"},
	.groups_per_warp = 1,
	.replays_only = true,
	.init = init,
	.fini = fini,
	.start = start,
	.step = step,
	.exit = leave,
	.wait = wait,
	.wake = wake,
	.waiting = waiting,
	.where = where,
	.sync = sync,
	.yield = yield,
	.check = check,
};
