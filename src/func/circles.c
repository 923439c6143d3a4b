/* Warps that wait for more than one word: they look at one after the other, and begin again if
 * something was not there yet (neighbours' states, a list of flags). No poll is the same as the
 * last one, so that warp_polls() does not notice; but the whole sequence repeats. It is compared
 * with its last round, from a place on that is taken anew after ever more polls, until the sequence
 * fits in between (Brent's way to find a cycle). */
#include "func/func.h"

#include "exec/memory/access.h"
#include "kernel/poll.h"

/* ENOUGH: polls in vain, as in warp_polls(); TIMES: that often other lanes of the warp go on first. */
enum { ENOUGH = 64, MANY = 1 << 20, TIMES = 4 };

/* Could the host end the wait for the word that u loads? */
static bool host_writes(const struct warp *w, const struct uop *u, uint32_t m)
{
	const struct alloc *a =
		devmem_find(w->cta->l->mem, lane_addr(w, u, (unsigned)__builtin_ctz(m)));
	return a && (a->kind == ALLOC_HOST || a->kind == ALLOC_MAPPED);
}

bool circle_closes(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m, uint64_t key)
{
	struct circle *c = &fw->circle;
	if (!uop_is(u, OF_LOAD) || !c->most) { /* an atomic operation changes something */
		*c = (struct circle){.pc = pc, .key = key, .most = ENOUGH};
		return false;
	}
	c->polls++;
	c->host = c->host || (c->vain && host_writes(&fw->ws->w, u, m));
	c->sum = (c->sum ^ key) * 0x9e3779b97f4a7c15u + pc;
	if (c->pc == pc && c->key == key) {
		bool same = c->last == c->sum && c->polls > 1; /* of one word: warp_polls() */
		c->vain = same ? c->vain + c->polls : 0;
		c->last = c->sum;
		c->sum = c->polls = 0;
		if (!same) {
			c->times = 0;
			c->host = false;
		}
		if (c->vain < ENOUGH)
			return false;
		c->vain = 0;
		c->times++;
		return true;
	}
	if (c->polls == c->most) {
		uint32_t most = c->most < MANY ? 2 * c->most : MANY;
		*c = (struct circle){.pc = pc, .key = key, .most = most};
	}
	return false;
}

bool circle_ends_turn(struct fwarp *fw)
{
	bool ends = fw->circle.times >= TIMES;
	if (ends)
		fw->circle.times = 0;
	return ends;
}
