/* Recognises warps that wait for more than one word: they poll several words in turn, and start
 * again if one of the values was not there yet (neighbours' states, a list of flags). No poll
 * equals the one before, so warp_polls() does not notice; but the sequence of polls repeats. Each
 * iteration is compared with a reference iteration, which is renewed after an increasing number of
 * polls, so that iterations of any length are recognised (Brent's cycle detection). */
#include "func/func.h"

#include "exec/memory/access.h"
#include "kernel/poll.h"

/* ENOUGH: failed polls, as in warp_polls(); TIMES: number of times that other lanes of the warp go
 * first. */
enum { ENOUGH = 64, MANY = 1 << 20, TIMES = 4 };

/* True if the host could end the wait for the word that u loads. */
static bool host_writes(const struct warp *w, const struct uop *u, uint32_t m)
{
	const struct alloc *a =
		devmem_find(w->cta->l->mem, lane_addr(w, u, (unsigned)__builtin_ctz(m)));
	return a && (a->kind == ALLOC_HOST || a->kind == ALLOC_MAPPED);
}

bool circle_closes(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m, uint64_t key)
{
	struct circle *c = &fw->circle;
	if (!uop_is(u, OF_LOAD) || !c->most) { /* an atomic operation changes memory */
		*c = (struct circle){.pc = pc, .key = key, .most = ENOUGH};
		return false;
	}
	c->polls++;
	c->host = c->host || (c->vain && host_writes(&fw->ws->w, u, m));
	c->sum = (c->sum ^ key) * 0x9e3779b97f4a7c15u + pc;
	if (c->pc == pc && c->key == key) {
		/* true: polls of one word, which warp_polls() handles */
		bool same = c->last == c->sum && c->polls > 1;
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
