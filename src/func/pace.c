/* Which stores give way, to warps of the block and to other blocks. Between two barriers the warps of a
 * block run one after the other, on hardware side by side: there a warp that reads shared memory after a
 * barrier and then writes it, without another barrier, writes when the other warps have long read what was
 * there. Programs rely on it without knowing (a carry between the tiles of a scan, a flag that thread 0
 * turns, the next tile over the last). So a store to shared memory that has been read since the barrier lets
 * the other warps go first, for as long as cta.c says; not so an atomic operation, which is made to be done
 * at the same time.
 *
 * Marked here: stores that can be reached from a barrier, or from another such store, by way of a read.
 *
 * Blocks run one after the other too. The last to arrive at a barrier between blocks that waits for an exact
 * count (`while (count != goal)`) passes, and would raise the count at the next one before the others have
 * looked. So a warp that passes a place where blocks were set aside leaves the next operation that others can
 * see to the block's next part (see docs/determinism.md); by then all have had theirs. So does one that changes
 * a word for which others wait: it may have come past without a look, as who turns a counter back to zero
 * (atomicInc, or a store) for which the others wait. A lock's holder is not
 * held up by it: blocks in turn find it open, and none is set aside there. */
#include "func/run.h"

#include "exec/access.h"

static bool may_be_shared(const struct inst *in)
{
	return in->space == SP_SHARED || in->space == SP_GENERIC || in->space == SP_NONE;
}

static bool writes_shared(const struct inst *in) { return in->op == OP_ST && may_be_shared(in); }

static bool reads_shared(const struct inst *in)
{
	return (in->op == OP_LD || in->op == OP_ATOM) && may_be_shared(in);
}

/* Where control goes from pc, each into `to`: how many. Calls are passed over. */
static uint32_t successors(const struct image *img, uint32_t pc, uint32_t to[2])
{
	const struct uop *u = &img->code[pc];
	uint32_t n = 0;
	if (u->op == OP_BRX || ((u->op == OP_RET || u->op == OP_EXIT) && u->guard < 0))
		return 0;
	if (u->op == OP_BRA)
		to[n++] = u->target;
	if (u->op != OP_BRA || u->guard >= 0)
		to[n++] = pc + 1;
	return n;
}

bool pace_gives_way(struct wstate *ws, uint32_t pc)
{
	const struct cta *b = ws->w.cta;
	if (b->l->nwarps < 2 || !b->barriers)
		return false;
	if (ws->gave_way != b->barriers) {
		ws->gave_way = b->barriers;
		ws->nway = 0;
	}
	for (uint32_t i = 0; i < ws->nway; i++)
		if (ws->way[i] == pc)
			return false;
	if (ws->nway == GIVES_WAY_MAX)
		return false;
	ws->way[ws->nway++] = pc;
	return true;
}

void pace_looks(struct wstate *ws, const struct uop *u, uint32_t pc, uint32_t m, bool waits)
{
	struct cta *b = ws->w.cta;
	if (!(u->flags & UOP_ORDERED) || u->op == OP_RED) /* another block has no part in it */
		return;
	ws->waits_at = waits ? pc : NO_PC;
	ws->waits_for = lane_addr(&ws->w, u, __builtin_ctz(m));
	if (b->x->waited[pc])
		ws->looked = b->part;
}

void pace_set_aside(struct cta *b)
{
	for (uint32_t i = 0; b->turn && i < b->l->nwarps; i++) {
		const struct wstate *ws = &b->warps[i];
		if (!ws->sp || ws->waits_at == NO_PC)
			continue;
		b->x->waited[ws->waits_at] = true;
		vec_push(&b->x->awaited->words, (struct awaited_word){ws->waits_for, b->index});
		b->awaits = true;
	}
}

void pace_goes_on(struct cta *b)
{
	struct awaited *a = b->x->awaited;
	size_t n = 0;
	for (size_t i = 0; b->awaits && i < a->words.n; i++)
		if (a->words.v[i].block != b->index)
			a->words.v[n++] = a->words.v[i];
	if (b->awaits)
		a->words.n = n;
	b->awaits = false;
}

/* Whether another block waits for a word of lanes m of u. */
static bool is_awaited(const struct cta *b, const struct warp *w, const struct uop *u, uint32_t m)
{
	const struct awaited *a = b->x->awaited;
	for (; a->words.n && m; m &= m - 1) {
		uint64_t addr = lane_addr(w, u, __builtin_ctz(m));
		for (size_t i = 0; i < a->words.n; i++)
			if (a->words.v[i].addr == addr && a->words.v[i].block != b->index)
				return true;
	}
	return false;
}

bool pace_leaves_part(struct wstate *ws, const struct uop *u, uint32_t pc, uint32_t m)
{
	const struct cta *b = ws->w.cta;
	bool changes = u->op == OP_ST || u->op == OP_ATOM || u->op == OP_RED;
	if (!changes ||
	    b->x->waited[pc]) /* a poll that changes something, as of a lock, is one first of all */
		return false;
	bool due = ws->left &&
		   ws->left != b->part; /* left once it is done, whatever other lanes see */
	ws->left = ws->looked == b->part && !due ? b->part : 0;
	if (!ws->left && is_awaited(b, &ws->w, u, m))
		ws->looked = b->part;
	return ws->left != 0;
}

void pace_mark(struct image *img)
{
	enum { BEFORE = 1, AFTER = 2 }; /* a read of shared memory */
	struct at {
		uint32_t pc;
		uint8_t when;
	} *todo = xmalloc((5 * (size_t)img->ncode + 1) * sizeof *todo);
	uint8_t *seen = xcalloc(img->ncode + 1, 1);
	uint32_t n = 0;
	for (uint32_t pc = 0; pc + 1 < img->ncode; pc++)
		if (img->code[pc].op == OP_BAR && img->code[pc].in->mode != BAR_ARRIVE)
			todo[n++] = (struct at){pc + 1, BEFORE};
	while (n) {
		struct at at = todo[--n];
		struct uop *u = &img->code[at.pc];
		uint32_t to[2];
		if (at.pc >= img->ncode || (seen[at.pc] & at.when) || u->op == OP_BAR)
			continue;
		seen[at.pc] |= at.when;
		if (at.when == AFTER && writes_shared(u->in)) {
			u->flags |= UOP_GIVES_WAY;
			at.when = BEFORE;
		}
		if (reads_shared(u->in))
			at.when = AFTER;
		for (uint32_t k = successors(img, at.pc, to); k--;)
			if (to[k] < img->ncode && !(seen[to[k]] & at.when))
				todo[n++] = (struct at){to[k], at.when};
	}
	free(todo);
	free(seen);
}
