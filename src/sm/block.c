/* An SM's blocks and what they hold: see block.h. */
#include "sm/sm.h"

#include <assert.h>
#include "func/cta.h"

/* ---- set-up ---- */

void blocks_init(struct sm *sm)
{
	const struct machine *m = sm->m;
	struct blocks *bs = &sm->blocks;
	bs->n = m->max_blocks;
	bs->block = xcalloc(bs->n, sizeof *bs->block);
	for (unsigned i = 0; i < bs->n; i++) {
		bs->block[i].warp = xcalloc(sm->nwarps, sizeof *bs->block[i].warp);
		bs->block[i].lane = xcalloc(sm->nwarps, sizeof *bs->block[i].lane);
	}
	bs->free = (struct room){.blocks = bs->n,
				 .warps = sm->nwarps,
				 .threads = m->max_threads,
				 .regs = m->registers,
				 .shared = m->shared_bytes};
	bs->limit = UINT32_MAX;
}

void blocks_forget(struct sm *sm)
{
	for (unsigned i = 0; i < sm->blocks.n; i++) {
		cta_free(sm->blocks.block[i].cta);
		sm->blocks.block[i].cta = NULL;
	}
}

void blocks_free(struct sm *sm)
{
	struct blocks *bs = &sm->blocks;
	for (unsigned i = 0; i < bs->n; i++) {
		free(bs->block[i].warp);
		free(bs->block[i].lane);
	}
	free(bs->block);
	free(bs->work);
	vec_free(&bs->ended);
	vec_free(&bs->starting);
}

/* ---- resources ---- */

static bool fits(const struct room *want, const struct room *have)
{
	return want->blocks <= have->blocks && want->warps <= have->warps &&
	       want->threads <= have->threads && want->regs <= have->regs &&
	       want->shared <= have->shared;
}

static void take(struct room *free, const struct room *r)
{
	assert(fits(r, free));
	free->blocks -= r->blocks;
	free->warps -= r->warps;
	free->threads -= r->threads;
	free->regs -= r->regs;
	free->shared -= r->shared;
}

static void give_back(struct room *free, const struct room *r)
{
	free->blocks += r->blocks;
	free->warps += r->warps;
	free->threads += r->threads;
	free->regs += r->regs;
	free->shared += r->shared;
}

/* Registers of warps up to i: those of a block are shared out so that its warps' add up to them. */
static uint32_t regs_before(const struct kern *k, unsigned i)
{
	return (uint32_t)((uint64_t)k->regs * i / k->warps);
}

static uint32_t threads_before(const struct sm *sm, const struct kern *k, unsigned i)
{
	uint32_t n = i * sm->m->warp_size;
	return n < k->l->nthreads ? n : k->l->nthreads;
}

/* What warps [from, to) of a block need together. */
static struct room warps_need(const struct sm *sm, const struct kern *k, unsigned from, unsigned to)
{
	return (struct room){.warps = to - from,
			     .threads = threads_before(sm, k, to) - threads_before(sm, k, from),
			     .regs = regs_before(k, to) - regs_before(k, from)};
}

/* What the block takes when it comes and what its warps take of their own. */
static struct room block_takes(const struct sm *sm, const struct kern *k)
{
	struct room r =
		sm->blocks.hold == HOLD_BLOCK ? warps_need(sm, k, 0, k->warps) : (struct room){0};
	r.blocks = 1;
	r.shared = k->shared;
	return r;
}

static struct room warps_take(const struct sm *sm, const struct kern *k, unsigned from, unsigned to)
{
	return sm->blocks.hold == HOLD_BLOCK ? (struct room){0} : warps_need(sm, k, from, to);
}

static bool lanes_have(const struct sm *sm, const struct kern *k, unsigned warps)
{
	const struct lane_ops *ops = sm->lanes.ops;
	return !ops->room || ops->room(&sm->lanes, k) >= warps;
}

/* Room for the block and its first n warps. */
static bool have_room(const struct sm *sm, const struct kern *k, unsigned n)
{
	struct room want = block_takes(sm, k), warps = warps_take(sm, k, 0, n);
	give_back(&want, &warps);
	return fits(&want, &sm->blocks.free) && lanes_have(sm, k, n);
}

bool block_fits(const struct sm *sm, const struct kern *k) { return have_room(sm, k, k->warps); }

bool block_fits_partly(const struct sm *sm, const struct kern *k)
{
	const struct blocks *bs = &sm->blocks;
	return bs->nwork && !bs->work[bs->nwork - 1].valid && sm->warps_used < bs->limit &&
	       have_room(sm, k, 1);
}

/* ---- warps ---- */

const struct sm_warp *block_warp(const struct sm *sm, const struct block *b, unsigned i)
{
	if (i >= b->started)
		return NULL;
	const struct sm_warp *w = &sm->warp[b->warp[i]];
	return w->b == b && w->index == i ? w : NULL;
}

/* Gives as many of the block's warps as there is room for what they need, in their order. Those of a partial
 * block keep to the limit, unless it has the SM for itself: nobody else would end and let it go on. */
static void grant(struct sm *sm, struct block *b, bool partial)
{
	struct blocks *bs = &sm->blocks;
	const struct lane_ops *lanes = sm->lanes.ops;
	unsigned before = b->granted;
	for (; b->granted < b->nwarps; b->granted++) {
		struct room r = warps_take(sm, b->k, b->granted, b->granted + 1);
		if (partial && sm->warps_used >= bs->limit && bs->used > 1)
			break;
		if (!fits(&r, &bs->free) || !lanes_have(sm, b->k, 1))
			break;
		take(&bs->free, &r);
		b->lane[b->granted] = lanes->bind ? (uint8_t)lanes->bind(&sm->lanes, b->k) : 0;
		sm->warps_used++;
	}
	STAT(&sm->stats, warps) += b->granted - before;
}

/* The place of a warp's lane 0 among the words of local memory: by the SM's warps, or by blocks, of which those
 * that came to the SMs first lie first. */
static uint32_t local_place(const struct sm *sm, const struct block *b, unsigned i, unsigned slot)
{
	if (sm->m->local_map[0] != 'b')
		return (sm->id * sm->nwarps + slot) * sm->m->warp_size;
	uint32_t n = (uint32_t)(b - sm->blocks.block);
	return ((n * sm->m->sms + sm->id) * b->k->warps + i) * sm->m->warp_size;
}

static void start_warp(struct sm *sm, struct block *b, unsigned i, unsigned slot)
{
	struct sm_warp *w = &sm->warp[slot];
	const struct launch *l = b->k->l;
	struct cta *c = b->cta;
	b->warp[i] = (uint16_t)slot;
	*w = (struct sm_warp){.b = b, .code = b->k->code, .index = (uint16_t)i, .lane = b->lane[i]};
	for (unsigned k = 0; k < l->parts; k++) {
		w->ws[k] = &c->warps[i * l->parts + k];
		w->ws[k]->w.base[BASE_SCRATCH] = sm->x.scratch;
		w->live |= (lanemask)w->ws[k]->w.init << 32 * k;
	}
	w->rows = w->ws[0]->rows;
	w->hwthread = local_place(sm, b, i, slot);
	if (sm->poll)
		memset(&sm->poll[slot * sm->m->warp_size], 0, sm->m->warp_size * sizeof *sm->poll);
	for (unsigned g = slot; sm->div.ops->groups_per_warp && g < sm->ngroups; g += sm->nwarps)
		sm_group_formed(sm, (int)g, l->img->funcs[0].start, sm->now ? sm->now - 1 : 0);
	sm->div.ops->start(&sm->div, slot, w->live, l->img->funcs[0].start, sm->next_age++);
}

/* Warps that are granted start, in the first slots that are free. */
static void start_granted(struct sm *sm, struct block *b)
{
	for (unsigned slot = 0; b->started < b->granted; slot++) {
		while (sm->warp[slot].b)
			slot++;
		b->started++; /* a policy that starts the last one may look at all */
		start_warp(sm, b, b->started - 1, slot);
	}
}

/* ---- blocks ---- */

/* One that holds the storage of a block of the kernel, or none, or another kernel's, which is given back. */
static struct block *free_block(struct sm *sm, const struct kern *k)
{
	struct block *best = NULL;
	for (unsigned i = 0; i < sm->blocks.n; i++) {
		struct block *b = &sm->blocks.block[i];
		if (!b->used && b->cta && b->k == k)
			return b;
		if (!b->used && (!best || (best->cta && !b->cta)))
			best = b;
	}
	cta_free(best->cta);
	best->cta = NULL;
	return best;
}

/* What is left of a block goes to the buffer. */
static void keep_rest(struct sm *sm, const struct block *b)
{
	struct workload *w = sm->blocks.work;
	while (w->valid)
		w++;
	*w = (struct workload){.p_block = (uint16_t)(b - sm->blocks.block),
			       .l_block = b->cta->index,
			       .start_wid = b->granted,
			       .end_wid = b->nwarps - 1,
			       .valid = true};
}

bool block_reserve(struct sm *sm, struct kern *k, uint64_t index, cycle_t at)
{
	struct blocks *bs = &sm->blocks;
	bool whole = block_fits(sm, k);
	struct room r = block_takes(sm, k);
	struct block *b = free_block(sm, k);
	if (!b->cta && !(b->cta = cta_new(k->l)))
		return false;
	sm_awake(sm, at);
	b->cta->x = &k->x[sm->id];
	b->cta->index = index;
	b->k = k;
	b->prof = k->prof + (size_t)sm->id * k->ncode;
	b->used = true;
	b->nwarps = b->left = k->warps;
	b->granted = b->started = 0;
	b->start = at;
	bs->used++;
	take(&bs->free, &r);
	STAT(&sm->stats, blocks)++;
	grant(sm, b, !whole);
	if (b->granted < b->nwarps)
		keep_rest(sm, b);
	vec_push(&bs->starting, b);
	sm->woken = true;
	return true;
}

/* Clearing registers takes its time: here it is on the SM's own host thread. */
void blocks_start(struct sm *sm)
{
	struct blocks *bs = &sm->blocks;
	for (size_t n = 0; n < bs->starting.n; n++) {
		struct block *b = bs->starting.v[n];
		cta_start(b->cta, b->cta->index);
		b->cta->sm = sm->id;
		start_granted(sm, b);
	}
	bs->starting.n = 0;
}

/* The oldest block is served first; only when it has all its warps the next: a block that waits at a barrier
 * for warps that have not started gets all that is released. */
void blocks_serve(struct sm *sm)
{
	struct blocks *bs = &sm->blocks;
	bs->serve = false;
	while (bs->nwork && bs->work[0].valid) {
		struct workload *w = &bs->work[0];
		struct block *b = &bs->block[w->p_block];
		unsigned before = b->granted;
		grant(sm, b, true);
		if (b->granted != before) {
			sm_awake(sm, sm->now);
			start_granted(sm, b);
		}
		w->start_wid = b->granted;
		if (b->granted < b->nwarps)
			return;
		w->valid = false;
		for (unsigned i = 1; i < bs->nwork && bs->work[i].valid; i++) {
			bs->work[i - 1] = bs->work[i];
			bs->work[i].valid = false;
		}
	}
}

static void unbind(struct sm *sm, const struct block *b, unsigned i)
{
	if (sm->lanes.ops->unbind)
		sm->lanes.ops->unbind(&sm->lanes, b->k, b->lane[i]);
}

static void end_block(struct sm *sm, struct block *b)
{
	struct blocks *bs = &sm->blocks;
	struct room r = block_takes(sm, b->k);
	b->used = false;
	bs->used--;
	give_back(&bs->free, &r);
	for (unsigned i = 0; i < b->nwarps && bs->hold == HOLD_BLOCK; i++)
		unbind(sm, b, i);
	b->end = sm->now + 1;
	if (sm->watch)
		watch_block_end(sm, b);
	vec_push(&bs->ended, b);
}

void block_release_warp(struct sm *sm, unsigned slot)
{
	struct blocks *bs = &sm->blocks;
	struct sm_warp *w = &sm->warp[slot];
	struct block *b = w->b;
	struct room r = warps_take(sm, b->k, w->index, w->index + 1u);
	w->b = NULL;
	sm->warps_used--;
	for (unsigned g = slot; sm->div.ops->groups_per_warp && g < sm->ngroups; g += sm->nwarps)
		sm_group_changed(sm, (int)g);
	give_back(&bs->free, &r);
	if (bs->hold != HOLD_BLOCK)
		unbind(sm, b, w->index);
	bs->serve = bs->nwork && bs->work[0].valid;
	if (!--b->left)
		end_block(sm, b);
	if (!sm->warps_used)
		sm_sleeps(sm);
}
