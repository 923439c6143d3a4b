/* Virtual threads: registers and shared memory decide how many blocks are resident; only as many are active as the
 * scheduler's entries and barriers allow. An active block all of whose warps wait for long is exchanged for an inactive
 * one that can issue.
 *
 *	resident   A B C D E F      by sm.max_warps, sm.max_blocks, registers and shared memory
 *	active     A B C .          C waits for memory: it becomes inactive, D active virtual-thread.swap cycles later
 *
 * An inactive block keeps its registers and shared memory; its pcs and paths are held beside them, which takes the time
 * of the exchange. One exchange per SM is under way at a time. */
#include "gpu/dispatch.h"

#include <string.h>

enum { MOST_SMS = 512, MOST_BLOCKS = 256 };

struct options {
	uint32_t warps, blocks, swap;
};
static const struct option rows[] = {
	OPTION_NUM(struct options, warps, "virtual-thread.warps", 48, 1, 128, "warps",
		   "warps per SM that are active"),
	OPTION_NUM(struct options, blocks, "virtual-thread.blocks", 8, 1, 128, "blocks",
		   "blocks per SM that are active"),
	OPTION_NUM(struct options, swap, "virtual-thread.swap", 10, 0, 10000, "cycles",
		   "from the end of a block's activity to that of the block that takes its place"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true};

struct exchange {         /* state of one SM */
	struct block *in; /* block that becomes active in cycle `at`; NULL: no exchange is under
			   * way */
	cycle_t at;
};

struct exchanges {
	struct exchange of[MOST_SMS];
};

static void rule(const struct machine *m, struct block_rule *r)
{
	(void)m;
	r->rest = true;
}

static void begin(struct disp *d, cycle_t at)
{
	(void)at;
	memset(d->state, 0, sizeof(struct exchanges));
}

/* Marks the blocks that have a warp that does not wait for long, or none yet. */
static void find_able(const struct sm *sm, bool *able)
{
	for (unsigned i = 0; i < sm->blocks.n; i++)
		able[i] = sm->blocks.block[i].used && !sm->blocks.block[i].started;
	for (unsigned g = 0; g < sm->ngroups; g++) {
		const struct group *gr = &sm->div.group[g];
		if (!gr->active || gstate_is_long(sm->slot[g].state))
			continue;
		const struct block *b = sm_home(sm, gr)->b;
		if (b)
			able[b - sm->blocks.block] = true;
	}
}

/* The oldest block with the given properties (active or paused; able to issue or not); NULL: there
 * is none. */
static struct block *find_block(struct sm *sm, const struct exchange *x, const bool *able,
				bool active, bool can)
{
	struct block *best = NULL;
	for (unsigned i = 0; i < sm->blocks.n; i++) {
		struct block *b = &sm->blocks.block[i];
		if (b->used && b->paused != active && able[i] == can && b != x->in &&
		    (!best || b->cta->index < best->cta->index))
			best = b;
	}
	return best;
}

struct room_for {
	uint32_t warps, blocks;
};

/* Entries that active blocks leave free; a block that is about to become active counts as active. */
static struct room_for active_room(const struct options *o, const struct sm *sm,
				   const struct exchange *x)
{
	struct room_for r = {o->warps, o->blocks};
	for (unsigned i = 0; i < sm->blocks.n; i++) {
		const struct block *b = &sm->blocks.block[i];
		if (!b->used || (b->paused && b != x->in))
			continue;
		r.warps -= b->left < r.warps ? b->left : r.warps;
		r.blocks -= r.blocks != 0;
	}
	return r;
}

/* A block larger than all entries is active alone. */
static bool fits_in(const struct options *o, const struct room_for *r, const struct block *b)
{
	return r->blocks &&
	       (b->left <= r->warps || (r->warps == o->warps && r->blocks == o->blocks));
}

/* Makes resident blocks active while entries are free. */
static void fill_room(const struct options *o, struct sm *sm, const struct exchange *x,
		      const bool *able)
{
	for (;;) {
		struct room_for r = active_room(o, sm, x);
		struct block *b = find_block(sm, x, able, false, true);
		if (!b)
			b = find_block(sm, x, able, false, false);
		if (!b || !fits_in(o, &r, b))
			return;
		block_pause(sm, b, false);
	}
}

static void begin_exchange(const struct options *o, struct sm *sm, struct exchange *x,
			   const bool *able, cycle_t now)
{
	struct block *out = find_block(sm, x, able, true, false),
		     *in = find_block(sm, x, able, false, true);
	if (!out || !in)
		return;
	struct room_for r = active_room(o, sm, x);
	r.warps += out->left;
	r.blocks++;
	if (!fits_in(o, &r, in))
		return;
	block_pause(sm, out, true);
	if (out->paused)
		*x = (struct exchange){in, now + o->swap};
}

static bool tick(struct disp *d, cycle_t now)
{
	const struct options *o = machine_own(d->m, &options);
	struct exchanges *all = d->state;
	bool able[MOST_BLOCKS];
	for (unsigned i = 0; i < d->nsm; i++) {
		struct sm *sm = d->sm[i];
		struct exchange *x = &all->of[i];
		if (x->in && (!x->in->used || !x->in->paused))
			x->in = NULL;
		if (!sm->npaused)
			continue;
		if (x->in && now >= x->at) {
			block_pause(sm, x->in, false);
			x->in = NULL;
		}
		find_able(sm, able);
		fill_room(o, sm, x, able);
		if (!x->in)
			begin_exchange(o, sm, x, able, now);
		if (x->in)
			sm->woken = true; /* the exchange ends with a later window */
	}
	return false;
}

static const char *refuses(const struct machine *m, const struct div_ops *div, char *buf, size_t n)
{
	uint32_t blocks = m->block_limit ? m->max_blocks : m->max_warps;
	(void)div;
	if (m->sms <= MOST_SMS && blocks <= MOST_BLOCKS)
		return NULL;
	snprintf(buf, n, "gpu.dispatch = virtual-thread: at most %d SMs of %d blocks, not %u of %u",
		 MOST_SMS, MOST_BLOCKS, m->sms, blocks);
	return buf;
}

const struct disp_ops disp_virtual_thread = {
	.p = {"virtual-thread",
	      "whole blocks, of which as many are active as entries allow; one that waits is exchanged",
	      "Yoon, Kim, Lee, Ro, Annavaram, ISCA 2016", .state_size = sizeof(struct exchanges),
	      .options = {&options}},
	.rule = rule,
	.refuses = refuses,
	.begin = begin,
	.place = disp_whole,
	.tick = tick,
};
