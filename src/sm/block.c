/* An SM's blocks and the resources that they hold (block.h). */
#include "sm/pipeline.h"
#include "sm/sm.h"

#include <math.h>
#include "base/assert.h"
#include "kernel/cta.h"
#include "sm/equal.h"
#include "sm/l1.h"
#include "sm/record.h"

static double of_blocks(const struct block_stats *s, uint64_t sum)
{
	return STAT(s, ended) ? (double)sum / (double)STAT(s, ended) : 0;
}
static double rtru(const void *v)
{
	const struct block_stats *s = v;
	return of_blocks(s, STAT(s, rtru)) * 1e-6;
}
/* Occupied register time relative to its geometric mean. A block whose warps all ran equally long
 * would make the mean 0. */
static double rtru_geometric(const void *v)
{
	const struct block_stats *s = v;
	uint64_t n = STAT(s, ended) - STAT(s, rtru_zero);
	return n ? exp(-(double)STAT(s, rtru_log) * 1e-6 / (double)n) : 0;
}
static double apart(const void *v)
{
	const struct block_stats *s = v;
	return of_blocks(s, STAT(s, apart));
}
static double resident(const void *v)
{
	const struct block_stats *s = v;
	return STAT(s, busy) ? (double)STAT(s, resident) / (double)STAT(s, busy) : 0;
}
static double of_registers(const struct block_stats *s, uint64_t n)
{
	uint64_t all = STAT(s, registers) + STAT(s, registers_free);
	return all ? (double)n / (double)all : 0;
}
static double allocated(const void *v)
{
	return of_registers(v, STAT((const struct block_stats *)v, registers));
}
static double ended(const void *v)
{
	return of_registers(v, STAT((const struct block_stats *)v, registers_ended));
}
static double unused(const void *v)
{
	return of_registers(v, STAT((const struct block_stats *)v, registers_free));
}
static double partly(const void *v)
{
	const struct block_stats *s = v;
	return STAT(s, busy) ? (double)STAT(s, partial) / (double)STAT(s, busy) : 0;
}
static const struct stat_def block_defs[] = {STAT_DEFS(BLOCK_STATS)};
static const struct stat_derived block_derived[] = {
	{"rtru_mean", "", "mean of the blocks' ratio of temporal resource underutilization", rtru},
	{"rtru_geometric", "",
	 "geometric mean of the ratio, over blocks in which it is "
	 "not 0",
	 rtru_geometric},
	{"apart_mean", "cycles",
	 "mean time from the first end of a warp of a block to the "
	 "last",
	 apart},
	{"resident_mean", "blocks", "mean resident blocks while there are any", resident},
	{"allocated_share", "", "share of registers allocated while there are blocks", allocated},
	{"ended_share", "", "share of registers allocated to warps that have ended", ended},
	{"free_share", "", "share of registers not allocated", unused},
	{"partial_share", "",
	 "share of the time with blocks in which a block waited for "
	 "room for its warps",
	 partly},
};
const struct stat_table block_stats = STAT_TABLE("block", block_defs, block_derived);

/* ---- set-up ---- */

void blocks_init(struct sm *sm, const struct block_rule *r)
{
	const struct machine *m = sm->m;
	struct blocks *bs = &sm->blocks;
	bs->n = r->slots;
	bs->block = xcalloc(bs->n, sizeof *bs->block);
	for (unsigned i = 0; i < bs->n; i++) {
		bs->block[i].warp = xcalloc(sm->nwarps, sizeof *bs->block[i].warp);
		bs->block[i].lane = xcalloc(sm->nwarps, sizeof *bs->block[i].lane);
	}
	bs->free = (struct room){.blocks = bs->n,
				 .warps = sm->nwarps,
				 .threads = m->max_threads,
				 .regs = m->registers,
				 .shared = m->shared_bytes,
				 .names = r->names};
	bs->hold = r->hold;
	bs->rest = r->rest;
	bs->spatial = true;
	bs->limit = r->limit;
	bs->nwork = r->partial;
	bs->work = xcalloc(bs->nwork + 1, sizeof *bs->work);
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

static bool room_fits(const struct room *want, const struct room *have)
{
	return want->blocks <= have->blocks && want->warps <= have->warps &&
	       want->threads <= have->threads && want->regs <= have->regs &&
	       want->shared <= have->shared && want->names <= have->names;
}

static void take_room(struct room *free, const struct room *r)
{
	assert(room_fits(r, free));
	free->blocks -= r->blocks;
	free->warps -= r->warps;
	free->threads -= r->threads;
	free->regs -= r->regs;
	free->shared -= r->shared;
	free->names -= r->names;
}

static void give_back(struct room *free, const struct room *r)
{
	free->blocks += r->blocks;
	free->warps += r->warps;
	free->threads += r->threads;
	free->regs += r->regs;
	free->shared += r->shared;
	free->names += r->names;
}

static uint32_t threads_before(const struct sm *sm, const struct kern *k, unsigned i)
{
	uint32_t n = i * sm->m->warp_size;
	return n < k->threads ? n : k->threads;
}

/* Resources that warps [from, to) of a block need together. */
static struct room warps_need(const struct sm *sm, const struct kern *k, unsigned from, unsigned to)
{
	return (struct room){.warps = to - from,
			     .threads = threads_before(sm, k, to) - threads_before(sm, k, from),
			     .regs = kern_regs_before(k, to) - kern_regs_before(k, from)};
}

/* Resources that the block itself takes when it is reserved; its warps take the others one by
 * one. */
static struct room block_takes(const struct sm *sm, const struct kern *k)
{
	struct room r = {0};
	if (sm->blocks.hold != HOLD_WARP)
		r = warps_need(sm, k, 0, k->warps);
	if (sm->blocks.hold == HOLD_RENAMED) {
		r.names = r.regs;
		r.regs = 0;
	}
	r.blocks = 1;
	r.shared = k->shared;
	return r;
}

static struct room warps_take(const struct sm *sm, const struct kern *k, unsigned from, unsigned to)
{
	struct room r = warps_need(sm, k, from, to);
	switch (sm->blocks.hold) {
	case HOLD_BLOCK: return (struct room){0};
	case HOLD_WARP: return r;
	case HOLD_RENAMED: return (struct room){.regs = r.regs};
	}
	return r;
}

static bool lanes_have(const struct sm *sm, const struct kern *k, unsigned from, unsigned n)
{
	const struct lane_ops *ops = sm->lanes.ops;
	return !ops->room || ops->room(&sm->lanes, k, from, n);
}

/* True if a block of the SM waits for resources for some of its warps. */
static bool blocks_wait(const struct sm *sm)
{
	return sm->blocks.nwork && sm->blocks.work[0].valid;
}

/* True if resources are free for the block and its first n warps. */
static bool have_room(const struct sm *sm, const struct kern *k, unsigned n)
{
	struct room want = block_takes(sm, k), warps = warps_take(sm, k, 0, n);
	give_back(&want, &warps);
	return room_fits(&want, &sm->blocks.free) && lanes_have(sm, k, 0, n);
}

/* If warps take resources one by one, a partial block is served before a new block is accepted.
 * Otherwise the new block could take the resources that the partial block needs to end. */
bool block_fits(const struct sm *sm, const struct kern *k)
{
	switch (sm->blocks.hold) {
	case HOLD_BLOCK: return have_room(sm, k, k->warps);
	case HOLD_WARP: return !blocks_wait(sm) && have_room(sm, k, k->warps);
	case HOLD_RENAMED: return have_room(sm, k, 0);
	}
	return false;
}

bool blocks_fit(const struct sm *sm, const struct kern *k, unsigned n)
{
	const struct room *have = &sm->blocks.free;
	struct room one = block_takes(sm, k), warps = warps_take(sm, k, 0, k->warps), all = {0};
	give_back(&one, &warps);
	for (unsigned i = 0; i < n; i++)
		give_back(&all, &one);
	return block_fits(sm, k) && room_fits(&all, have);
}

bool block_fits_partly(const struct sm *sm, const struct kern *k)
{
	const struct blocks *bs = &sm->blocks;
	return bs->nwork && bs->spatial && !bs->work[bs->nwork - 1].valid &&
	       sm->warps_used < bs->limit && have_room(sm, k, 1);
}

/* ---- warps ---- */

const struct sm_warp *block_warp(const struct sm *sm, const struct block *b, unsigned i)
{
	assert_hot(i < b->nwarps);
	if (i >= b->started)
		return NULL;
	const struct sm_warp *w = &sm->warp[b->warp[i]];
	return w->b == b && w->index == i ? w : NULL;
}

/* Grants warps of the block in order while resources are free. Warps of a partial block respect
 * the limit, unless the block is alone on the SM: then no other block would end and release
 * resources. */
static void grant_warps(struct sm *sm, struct block *b, bool partial)
{
	struct blocks *bs = &sm->blocks;
	const struct lane_ops *lanes = sm->lanes.ops;
	unsigned before = b->granted;
	for (; b->granted < b->nwarps; b->granted++) {
		struct room r = warps_take(sm, b->k, b->granted, b->granted + 1);
		if (partial && sm->warps_used >= bs->limit && bs->used > 1)
			break;
		if (!room_fits(&r, &bs->free) || !lanes_have(sm, b->k, b->granted, 1))
			break;
		take_room(&bs->free, &r);
		b->lane[b->granted] =
			lanes->bind ? (uint8_t)lanes->bind(&sm->lanes, b->k, b->granted) : 0;
		sm->warps_used++;
	}
	STAT(&sm->stats, warps) += b->granted - before;
	if (sm->warps_used > STAT(&bs->stats, most_warps))
		STAT(&bs->stats, most_warps) = sm->warps_used;
}

/* ---- pausing ---- */

static void set_paused(struct sm *sm, unsigned g, bool yes)
{
	const struct gslot *s = &sm->slot[g];
	uint64_t *word = &sm_set(sm, s->sched, SET_PAUSED)[s->k / 64], bit = 1ull << s->k % 64;
	*word = yes ? *word | bit : *word & ~bit;
}

/* Puts the groups of the warp in a slot into the set of paused groups, or takes them out. */
static void mark_paused(struct sm *sm, unsigned slot, bool yes)
{
	for (unsigned g = slot; sm->div.ops->groups_per_warp && g < sm->ngroups; g += sm->nwarps)
		set_paused(sm, g, yes);
}

void block_mark_paused(struct sm *sm, int g)
{
	const struct group *gr = &sm->div.group[g];
	bool all = gr->active != 0;
	for (lanemask q = gr->active; q && all; q &= q - 1) {
		const struct block *b =
			sm->warp[group_thread(gr, (unsigned)__builtin_ctzll(q)).warp].b;
		all = b && b->paused;
	}
	set_paused(sm, (unsigned)g, all);
}

/* Marks all groups of the SM, for mechanisms whose groups are not tied to warp slots. */
static void mark_groups(struct sm *sm)
{
	for (unsigned g = 0; !sm->div.ops->groups_per_warp && g < sm->ngroups; g++)
		block_mark_paused(sm, (int)g);
}

void block_pause(struct sm *sm, struct block *b, bool yes)
{
	if (!b->used || b->paused == yes || (yes && (b->cluster || b->k->l->cooperative)))
		return;
	b->paused = yes;
	sm->npaused += yes ? 1 : -1u;
	for (unsigned i = 0; i < b->started; i++)
		if (block_warp(sm, b, i))
			mark_paused(sm, b->warp[i], yes);
	mark_groups(sm);
	for (unsigned n = 0; n < sm->nsched; n++)
		sm->found[n].again = 0;
	sm->woken = true;
}

uint64_t block_issued(const struct sm *sm, const struct block *b)
{
	uint64_t n = b->issued;
	for (unsigned i = 0; b->used && i < b->started; i++) {
		const struct sm_warp *w = block_warp(sm, b, i);
		n += w ? w->issued : 0;
	}
	return n;
}

/* Position of a warp's lane 0 among the words of local memory. The order is that of the SM's warps,
 * or that of blocks by the time at which they came to the SMs. */
static uint32_t local_place(const struct sm *sm, const struct block *b, unsigned i, unsigned slot)
{
	if (!sm->rule.local_by_block)
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
	*w = (struct sm_warp){.b = b,
			      .code = b->k->code,
			      .prof = b->prof,
			      .index = (uint16_t)i,
			      .lane = b->lane[i],
			      .posted = w->posted,
			      .start = sm->now};
	for (unsigned k = 0; k < l->parts; k++) {
		w->ws[k] = &c->warps[(b->first + i) * l->parts + k];
		w->live |= (lanemask)w->ws[k]->w.init << 32 * k;
	}
	w->rows = w->ws[0]->rows;
	if (sm->pipe->begins)
		sm->pipe->begins(sm, slot, i);
	if (b->paused)
		mark_paused(sm, slot, true);
	if (sm->equal)
		equal_begin(sm, slot);
	w->hwthread = local_place(sm, b, i, slot);
	if (sm->poll)
		memset(&sm->poll[slot * sm->m->warp_size], 0, sm->m->warp_size * sizeof *sm->poll);
	for (unsigned g = slot; sm->div.ops->groups_per_warp && g < sm->ngroups; g += sm->nwarps)
		sm_group_formed(sm, (int)g, l->img->funcs[0].start, sm->now ? sm->now - 1 : 0);
	sm->div.ops->start(&sm->div, slot, w->live, l->img->funcs[0].start, sm->next_age++);
}

/* The first free slot from `from` on; where lanes belong to schedulers, among the slots of the
 * lane's scheduler. */
static unsigned free_slot(const struct sm *sm, unsigned from, unsigned lane)
{
	unsigned step = sm->lanes.ops->by_scheduler ? sm->nsched : 1;
	unsigned slot = step > 1 ? lane % step : from;
	while (sm->warp[slot].b)
		slot += step;
	return slot;
}

/* Warps that are granted start, in the first slots that are free. */
static void start_granted(struct sm *sm, struct block *b)
{
	if (sm->pipe->block)
		sm->pipe->block(sm, b);
	for (unsigned slot = 0; b->started < b->granted; slot++) {
		slot = free_slot(sm, slot, b->lane[b->started]);
		/* Counted before start(): tbc's start() of a block's last warp visits all started
		 * warps through block_warp(). */
		b->started++;
		start_warp(sm, b, b->started - 1, slot);
	}
}

/* ---- blocks ---- */

/* A free block. Preferred is a block that has storage for this kernel, then a block without
 * storage, then a block with storage for another kernel, which is freed. */
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

/* Puts the warps that were not granted into the workload buffer. */
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

/* Blocks of a cluster are placed one after the other, so at most one cluster is incomplete. */
static void join_cluster(struct block *b, struct kern *k, uint64_t index)
{
	uint32_t n = k->l->cluster_blocks;
	b->rank = (uint32_t)(index % n);
	if (!b->rank) {
		k->cluster = xcalloc(1, sizeof *k->cluster);
		k->cluster->n = k->cluster->left = n;
	}
	b->cluster = k->cluster;
	b->cta->index = cluster_index(k->l, index / n, b->rank);
}

static void leave_cluster(struct block *b)
{
	struct cluster *c = b->cluster;
	if (!c)
		return;
	c->gone += b->cta->bar[CLUSTER_BARRIER].arrived;
	c->block[b->rank] = NULL;
	b->cluster = b->cta->cluster = NULL;
	if (!--c->left)
		free(c);
}

/* Executor state of the launch's blocks on the SM, allocated with the first block. */
static struct exec *executor_of(const struct sm *sm, struct kern *k)
{
	struct exec **x = &k->x[sm->id];
	if (!*x) {
		*x = ARENA_APART(k->arena, struct exec, 1); /* written by the SM's host thread */
		**x = sm->x;
		(*x)->l = k->l;
		(*x)->window = ARENA_ARRAY(k->arena, struct window, k->l->img->nwindows);
	}
	return *x;
}

bool block_reserve(struct sm *sm, struct kern *k, uint64_t index, cycle_t at)
{
	struct blocks *bs = &sm->blocks;
	bool whole = block_fits(sm, k), queues = blocks_wait(sm);
	struct room r = block_takes(sm, k);
	struct block *b = free_block(sm, k);
	if (!b->cta && !(b->cta = cta_new(k->l)))
		return false;
	sm_awake(sm, at);
	b->cta->x = executor_of(sm, k);
	b->cta->index = index / k->cut;
	b->cluster = NULL;
	if (k->l->cluster_blocks > 1)
		join_cluster(b, k, index);
	b->first = (uint32_t)(index % k->cut) * k->warps;
	b->k = k;
	if (!k->prof[sm->id])
		k->prof[sm->id] = xcalloc_lines(k->ncode + 1, sizeof **k->prof);
	b->prof = k->prof[sm->id];
	b->used = true;
	b->nwarps = b->left = k->warps;
	b->granted = b->started = 0;
	b->start = at;
	b->first_end = NEVER;
	b->longest = b->lived = 0;
	b->issued = 0;
	b->paused = bs->rest && !b->cluster && !k->l->cooperative;
	sm->npaused += b->paused;
	bs->used++;
	if (bs->used > STAT(&bs->stats, most_blocks))
		STAT(&bs->stats, most_blocks) = bs->used;
	take_room(&bs->free, &r);
	STAT(&sm->stats, blocks)++;
	if (!queues || bs->hold == HOLD_WARP)
		grant_warps(sm, b, !whole);
	if (b->granted < b->nwarps)
		keep_rest(sm, b);
	vec_push(&bs->starting, b);
	sm->woken = true;
	return true;
}

/* Clearing registers is slow, so it is done here, on the SM's own host thread. */
void blocks_start(struct sm *sm)
{
	struct blocks *bs = &sm->blocks;
	for (size_t n = 0; n < bs->starting.n; n++) {
		struct block *b = bs->starting.v[n];
		cta_start(b->cta, b->cta->index, b->first * b->k->l->parts,
			  b->nwarps * b->k->l->parts);
		b->cta->sm = sm->id;
		if (b->cluster)
			cta_join(b->cta, b->cluster, b->rank);
		start_granted(sm, b);
	}
	bs->starting.n = 0;
}

/* Serves the oldest block first, and the next only when the oldest has all its warps. A block that
 * waits at a barrier for its own unstarted warps therefore gets all resources that are released. */
void blocks_serve(struct sm *sm)
{
	struct blocks *bs = &sm->blocks;
	bs->serve = false;
	if (blocks_wait(sm))
		sm_awake(sm, sm->now); /* warps that start now are counted from this cycle on */
	while (blocks_wait(sm)) {
		struct workload *w = &bs->work[0];
		struct block *b = &bs->block[w->p_block];
		unsigned before = b->granted;
		grant_warps(sm, b, true);
		if (b->granted != before) {
			start_granted(sm, b);
			STAT(&bs->stats, buffered) += b->granted - before;
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

/* ---- the end ---- */

void blocks_account(struct sm *sm, uint64_t n)
{
	struct blocks *bs = &sm->blocks;
	if (!bs->used)
		return;
	STAT(&bs->stats, busy) += n;
	STAT(&bs->stats, resident) += n * bs->used;
	STAT(&bs->stats, partial) += blocks_wait(sm) ? n : 0;
	STAT(&bs->stats, registers) += n * (sm->m->registers - bs->free.regs);
	STAT(&bs->stats, registers_ended) += n * bs->idle_regs;
	STAT(&bs->stats, registers_free) += n * bs->free.regs;
}

/* Counts the registers that a slot's block has held for one life. The last cycle of a life holds
 * nothing, so that the sum over all slots equals that of blocks_account(). */
static void count_held(struct blocks *bs, const struct block *b, uint64_t regs, cycle_t life)
{
	unsigned slot = (unsigned)(b - bs->block);
	bs->stats.slot_registers[slot < BLOCK_SLOTS ? slot : BLOCK_SLOTS - 1] += regs * (life - 1);
}

static void count_warp(struct sm *sm, struct block *b, const struct sm_warp *w)
{
	struct blocks *bs = &sm->blocks;
	uint32_t regs = kern_regs_before(b->k, w->index + 1u) - kern_regs_before(b->k, w->index);
	uint32_t bin = w->issued / sm->m->block_bin;
	cycle_t life = sm->now + 1 - w->start;
	bs->stats.instructions[bin < BLOCK_BINS ? bin : BLOCK_BINS - 1]++;
	b->first_end = b->first_end < sm->now + 1 ? b->first_end : sm->now + 1;
	b->longest = b->longest > life ? b->longest : life;
	b->lived += life;
	if (bs->hold == HOLD_BLOCK)
		bs->idle_regs += regs;
	else
		count_held(bs, b, regs, life);
}

static void count_block(struct blocks *bs, const struct block *b)
{
	double whole = (double)b->nwarps * (double)b->longest;
	double ratio = (whole - (double)b->lived) / whole;
	STAT(&bs->stats, ended)++;
	STAT(&bs->stats, apart) += b->end - b->first_end;
	STAT(&bs->stats, rtru) += (uint64_t)(ratio * 1e6 + 0.5);
	if (ratio > 0)
		STAT(&bs->stats, rtru_log) += (uint64_t)(-log(ratio) * 1e6 + 0.5);
	else
		STAT(&bs->stats, rtru_zero)++;
	if (bs->hold == HOLD_BLOCK) {
		bs->idle_regs -= b->k->regs;
		count_held(bs, b, b->k->regs, b->end - b->start);
	}
}

static void unbind_warp(struct sm *sm, const struct block *b, unsigned i)
{
	if (sm->lanes.ops->unbind)
		sm->lanes.ops->unbind(&sm->lanes, b->k, i, b->lane[i]);
}

static void end_block(struct sm *sm, struct block *b)
{
	struct blocks *bs = &sm->blocks;
	struct room r = block_takes(sm, b->k);
	assert(b->used && bs->used);
	leave_cluster(b);
	if (b->paused) {
		sm->npaused--;
		b->paused = false;
		mark_groups(sm);
	}
	b->used = false;
	bs->used--;
	give_back(&bs->free, &r);
	for (unsigned i = 0; i < b->nwarps && bs->hold == HOLD_BLOCK; i++)
		unbind_warp(sm, b, i);
	bs->released = true;
	b->end = sm->now + 1;
	count_block(bs, b);
	if (sm->watch)
		watch_block_end(sm, b);
	vec_push(&bs->ended, b);
}

void block_release_warp(struct sm *sm, unsigned slot)
{
	struct blocks *bs = &sm->blocks;
	struct sm_warp *w = &sm->warp[slot];
	struct block *b = w->b;
	assert(b && !w->live && !w->inflight && !w->outstanding && !w->deferred);
	struct room r = warps_take(sm, b->k, w->index, w->index + 1u);
	count_warp(sm, b, w);
	if (sm->record)
		record_life(sm, slot);
	b->issued += w->issued;
	if (b->paused)
		mark_paused(sm, slot, false);
	w->b = NULL;
	sm->warps_used--;
	for (unsigned g = slot; sm->div.ops->groups_per_warp && g < sm->ngroups; g += sm->nwarps)
		sm_group_changed(sm, (int)g);
	give_back(&bs->free, &r);
	if (bs->hold != HOLD_BLOCK)
		unbind_warp(sm, b, w->index);
	bs->serve = blocks_wait(sm);
	bs->released |= bs->hold != HOLD_BLOCK;
	if (!--b->left)
		end_block(sm, b);
	if (!sm->warps_used) {
		l1_flush(sm);
		sm_sleeps(sm);
	}
}
