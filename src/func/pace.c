/* Decides which stores let other warps of the block, or other blocks, go first.
 *
 * In hardware the warps of a block run side by side between two barriers; here they run one after
 * the other. If a warp reads shared memory after a barrier and then writes it without another
 * barrier, then in hardware the other warps have long read the old contents when it writes.
 * Programs rely on that without knowing (a carry between the tiles of a scan, a flag that thread 0
 * toggles, the next tile over the last). So a store to shared memory that has been read since the
 * barrier lets the other warps go first, for as long as block.c says. An atomic operation does not,
 * because it is made for concurrent access. kernel/gives_way.c has marked those stores.
 *
 * Blocks also run one after the other. At a barrier between blocks that waits for an exact count
 * (`while (count != goal)`) the last block to arrive passes, and would raise the count at the next
 * barrier before the other blocks have seen the goal. So a warp that passes a place where blocks
 * were set aside defers its next operation that other blocks can see to its block's next round
 * (docs/machine/determinism.md); by then every block has had its turn. A warp that changes a word
 * that other blocks wait for is treated likewise: it may have arrived without a poll, as a warp
 * that resets a counter (atomicInc, or a store) for the waiting blocks. The holder of a lock is not
 * delayed: blocks that run in turn find the lock open, and none is set aside there. */
#include "func/func.h"

#include "exec/memory/access.h"

bool pace_gives_way(struct fwarp *fw, uint32_t pc)
{
	const struct cta *b = fw->ws->w.cta;
	if (b->l->nwarps < 2 || !b->barriers)
		return false;
	if (fw->gave_way != b->barriers) {
		fw->gave_way = b->barriers;
		fw->nway = 0;
	}
	for (uint32_t i = 0; i < fw->nway; i++)
		if (fw->way[i] == pc)
			return false;
	if (fw->nway == GIVES_WAY_MAX)
		return false;
	fw->way[fw->nway++] = pc;
	return true;
}

void pace_looks(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m, bool waits)
{
	const struct warp *w = &fw->ws->w;
	/* the operation is not visible to other blocks */
	if (!(u->flags & UOP_ORDERED) || inst_is_reduction(u->in))
		return;
	fw->waits_at = waits ? pc : NO_PC;
	fw->waits_for = lane_addr(w, u, __builtin_ctz(m));
	if (worker_of(w->cta)->waited[pc])
		fw->looked = fblock_of(w->cta)->round;
}

void pace_set_aside(struct fblock *b)
{
	const struct cta *c = b->cta;
	struct worker *k = worker_of(c);
	for (uint32_t i = 0; b->turn && i < c->l->nwarps; i++) {
		const struct fwarp *fw = &b->warp[i];
		if (!fw->stack.n || fw->waits_at == NO_PC)
			continue;
		k->waited[fw->waits_at] = true;
		vec_push(&k->awaited->words, (struct awaited_word){fw->waits_for, c->index});
		b->awaits = true;
	}
}

void pace_goes_on(struct fblock *b)
{
	struct awaited *a = worker_of(b->cta)->awaited;
	size_t n = 0;
	for (size_t i = 0; b->awaits && i < a->words.n; i++)
		if (a->words.v[i].block != b->cta->index)
			a->words.v[n++] = a->words.v[i];
	if (b->awaits)
		a->words.n = n;
	b->awaits = false;
}

/* True if another block waits for a word of lanes m of u. */
static bool is_awaited(const struct warp *w, const struct uop *u, uint32_t m)
{
	const struct awaited *a = worker_of(w->cta)->awaited;
	for (; a->words.n && m; m &= m - 1) {
		uint64_t addr = lane_addr(w, u, __builtin_ctz(m));
		for (size_t i = 0; i < a->words.n; i++)
			if (a->words.v[i].addr == addr && a->words.v[i].block != w->cta->index)
				return true;
	}
	return false;
}

bool pace_leaves_round(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m)
{
	const struct warp *w = &fw->ws->w;
	uint32_t round = fblock_of(w->cta)->round;
	bool changes = uop_is(u, OF_STORE) || inst_is_atomic(u->in);
	/* a poll that changes memory, such as one of a lock, is treated as a change first */
	if (!changes || worker_of(w->cta)->waited[pc])
		return false;
	bool due =
		/* an operation that was postponed is executed in the next round, whatever other
		 * lanes poll */
		fw->left && fw->left != round;
	fw->left = fw->looked == round && !due ? round : 0;
	if (!fw->left && is_awaited(w, u, m))
		fw->looked = round;
	return fw->left != 0;
}
