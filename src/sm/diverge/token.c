/* The token stack of sm_1x and sm_2x machine code, in which the code itself says where threads part
 * and meet: SSY, PBK, PCNT, calls and divergent branches push tokens; .S, BRK, CONT, RET and EXIT
 * pop them (kernel/token_flow.c). This handler keeps the result: a warp's active threads and their
 * pc. A warp arrives at a barrier and waits there as a whole. PTX has no tokens: its kernels are
 * refused at launch. */
#include "sm/sm.h"

struct path {
	uint32_t pc;
	lanemask active, all; /* threads that run now; threads that the warp started with */
	lanemask waits;       /* threads that wait at a barrier */
	uint8_t bar;
};

static struct path *path_of(const struct div *d, unsigned w)
{
	return &((struct path *)d->state)[w];
}

static void expose_path(struct div *d, unsigned w)
{
	const struct path *p = path_of(d, w);
	struct group *g = &d->group[w];
	g->pc = p->pc;
	g->active = p->active;
	g->wait = !p->active ? GROUP_NONE : p->waits ? GROUP_BARRIER : GROUP_RUNS;
	sm_group_changed(d->sm, (int)w);
}

static void init(struct div *d) { d->state = xcalloc(d->nwarps, sizeof(struct path)); }
static void fini(struct div *d) { free(d->state); }

static void start(struct div *d, unsigned w, lanemask live, uint32_t pc, uint64_t age)
{
	*path_of(d, w) = (struct path){.pc = pc, .active = live, .all = live};
	d->group[w] = (struct group){.warp = (uint16_t)w, .age = age};
	expose_path(d, w);
}

static void skip(struct div *d, int g, uint32_t pc)
{
	path_of(d, (unsigned)g)->pc = pc;
	d->group[g].pc = pc;
}

static void step(struct div *d, int g, uint32_t next)
{
	skip(d, g, next);
	sm_group_changed(d->sm, g);
}

static void native(struct div *d, int g, lanemask active, uint32_t pc)
{
	struct path *p = path_of(d, (unsigned)g);
	p->active = active;
	p->pc = pc;
	expose_path(d, (unsigned)g);
}

static void wait(struct div *d, int g, lanemask lanes, unsigned bar)
{
	struct path *p = path_of(d, (unsigned)g);
	p->waits = lanes;
	p->bar = (uint8_t)bar;
	expose_path(d, (unsigned)g);
}

static void wake(struct div *d, unsigned w, unsigned bar, div_wake_fn *fn)
{
	struct path *p = path_of(d, w);
	if (!p->waits || p->bar != bar)
		return;
	fn(d->sm, w, p->pc, p->waits, &d->group[w].frame);
	p->waits = 0;
	p->pc++;
	expose_path(d, w);
}

/* The threads at the barrier and all threads that tokens keep back from it. */
static lanemask waiting(const struct div *d, unsigned w, unsigned bar)
{
	const struct path *p = path_of(d, w);
	return !p->waits ? 0 : bar == NBARRIERS ? p->all : p->bar == bar ? p->waits : 0;
}

static uint32_t where(const struct div *d, unsigned w, unsigned lane)
{
	(void)lane;
	return path_of(d, w)->pc;
}

/* Operations between lanes involve the active lanes only. */
static lanemask sync(struct div *d, int g, lanemask lanes, lanemask need, uint32_t anywhere)
{
	(void)d, (void)g, (void)need, (void)anywhere;
	return lanes;
}

static void yield(struct div *d, int g)
{
	(void)d, (void)g; /* the stack alone decides which threads run */
}

static bool check(const struct div *d, struct diag *why)
{
	for (unsigned w = 0; w < d->nwarps; w++)
		if (path_of(d, w)->active & ~d->sm->warp[w].live) {
			diag_error(why, "warp %u: active lanes that have exited", w);
			return false;
		}
	return true;
}

const struct div_ops div_token = {
	.p = {"token", "the token stack of sm_1x and sm_2x machine code; PTX is refused",
	      "Kothiya 2014, section 3.5"},
	.groups_per_warp = 1,
	.tokens_only = true,
	.init = init,
	.fini = fini,
	.start = start,
	.step = step,
	.wait = wait,
	.wake = wake,
	.waiting = waiting,
	.where = where,
	.sync = sync,
	.yield = yield,
	.skip = skip,
	.native = native,
	.check = check,
};
