/* Runs a block in functional mode: its warps one after the other, each until it must wait. run.c,
 * tokens.c and converge.c run a warp. */
#include "func/func.h"
#include "kernel/cta.h"

struct fblock *fblock_new(struct launch *l)
{
	struct cta *c = cta_new(l);
	if (!c)
		return NULL;
	struct fblock *b = xcalloc(1, sizeof *b + l->nwarps * sizeof *b->warp);
	b->cta = c;
	c->own = b;
	for (uint32_t i = 0; i < l->nwarps; i++)
		b->warp[i].ws = &c->warps[i];
	return b;
}

void fblock_free(struct fblock *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->cta->l->nwarps; i++)
		reconv_free(&b->warp[i].stack);
	cta_free(b->cta);
	free(b);
}

void fblock_start(struct fblock *b, uint64_t index)
{
	const struct launch *l = b->cta->l;
	cta_start(b->cta, index, 0, l->nwarps);
	b->turn = b->opened = b->awaits = false;
	b->round = 0;
	for (uint32_t i = 0; i < l->nwarps; i++) {
		struct fwarp *fw = &b->warp[i];
		*fw = (struct fwarp){.ws = fw->ws, .stack = fw->stack, .waits_at = NO_PC};
		reconv_start(&fw->stack, l->img->funcs[0].start, fw->ws->w.init);
	}
}

/* Results of one pass over the warps of a block. */
struct pass {
	bool left, ran, progress;
	uint64_t executed; /* warp instructions executed */
};

/* Runs a warp for `instructions` instructions and on to the next branch. Every warp has its own
 * budget: the turns of a block's warps must not depend on what this host thread ran before. */
static enum stop run_one(struct fwarp *fw, struct pass *p, int64_t instructions)
{
	struct worker *k = worker_of(fw->ws->w.cta);
	uint64_t before = fw->ws->w.ninst;
	int64_t left = k->fuel;
	k->fuel = instructions;
	enum stop st = warp_run(fw);
	k->fuel = left - (instructions - k->fuel);
	bool ran = fw->ws->w.ninst != before || st == STOP_BUDGET || st == STOP_YIELD;
	p->executed += fw->ws->w.ninst - before;
	p->left |= st != STOP_DONE;
	p->ran |= ran;
	p->progress |= ran && st != STOP_YIELD;
	if (st == STOP_FAULT)
		return st;
	return k->fuel < 0 ? k->refuel(k) : STOP_NONE;
}

/* Returns the warp that is run first; *step leads to the next warp. */
static uint32_t first_warp(const struct launch *l, uint32_t *step)
{
	*step = l->reverse ? ~0u : 1;
	return l->reverse ? l->nwarps - 1 : 0;
}

/* Runs all warps, or only those that gave way since the last barrier. */
static enum stop run_all(struct fblock *b, struct pass *p, bool gave_way)
{
	enum stop st = STOP_NONE;
	uint32_t step, i = first_warp(b->cta->l, &step);
	b->opened = false;
	for (uint32_t n = b->cta->l->nwarps; n && !b->opened && !st; n--, i += step) {
		struct fwarp *fw = &b->warp[i];
		if (fw->stack.n && (!gave_way || fw->gave_way == b->cta->barriers))
			st = run_one(fw, p, worker_of(b->cta)->quantum);
	}
	return st;
}

/* After a barrier all warps first make a few steps (see pace.c): PACE instructions plus the
 * instructions up to the next branch, or fewer, up to a store that lets other warps run first. Then
 * the warps that stopped at such stores continue. */
enum { PACE = 32 };

static enum stop run_paced(struct fblock *b, struct pass *p)
{
	enum stop st = STOP_NONE;
	uint32_t step, i = first_warp(b->cta->l, &step);
	b->opened = false;
	for (uint32_t n = b->cta->l->nwarps; n && !b->opened && !st; n--, i += step)
		if (b->warp[i].stack.n)
			st = run_one(&b->warp[i], p, PACE);
	return st || b->opened ? st : run_all(b, p, true);
}

/* After this many warp instructions other blocks get a turn, because the block may be waiting for
 * them in a way that is not recognised as polling. Machine code of Tesla has no volatile loads. */
enum { LONG = 1 << 26 };

/* Each warp in turn runs as far as it can; after a barrier has opened, the turns start again at the
 * first warp. If a whole pass only polled, the block waits for other blocks; if nothing ran at all,
 * its barriers can never open. */
enum stop fblock_run(struct fblock *b)
{
	uint64_t executed = 0;
	while (executed < LONG) {
		struct pass p = {0};
		enum stop st = b->opened ? run_paced(b, &p) : run_all(b, &p, false);
		if (st)
			return st;
		executed += p.executed;
		if (b->opened)
			continue;
		b->moved |= p.progress;
		if (!p.left)
			return STOP_DONE;
		if (!p.ran && barriers_wait_for_cluster(b))
			return STOP_BARRIER;
		if (!p.ran && !barriers_deadlock(b))
			return STOP_FAULT;
		if (p.ran && !p.progress) {
			pace_set_aside(b);
			return STOP_YIELD;
		}
	}
	b->moved = true;
	return STOP_YIELD;
}
