#include "kernel/poll.h"

#include "exec/lanes.h"

uint64_t poll_key(const struct wstate *ws, const struct uop *u, uint32_t m)
{
	uint32_t f = (uint32_t)__builtin_ctz(m);
	uint64_t key = m;
	uint32_t seen = 0;
	if (u->in->nd && u->v[0] != SINK) /* a wait for an mbarrier answers with a predicate */
		seen = u->in->op == OP_MBARRIER ? ws->w.pred[u->v[0]] & m
						: row_u32(&ws->w, u->v[0])[f];
	if (u->in->nd)
		key = key * 0x9e3779b97f4a7c15u + seen + 1;
	if (u->a != SINK)
		key = key * 0x9e3779b97f4a7c15u + row_u32(&ws->w, u->a)[f];
	return key;
}

bool warp_polls(struct wstate *ws, const struct uop *u, uint32_t pc, uint32_t m)
{
	uint64_t key = poll_key(ws, u, m);
	enum { SPINS = sizeof ws->spin / sizeof *ws->spin };
	unsigned i = 0;
	while (i < SPINS && ws->spin[i].pc != pc)
		i++;
	if (i < SPINS && ws->spin[i].key == key)
		return ++ws->spins >= 64;
	if (i == SPINS) { /* the first that came leaves */
		memmove(ws->spin + 1, ws->spin, sizeof ws->spin - sizeof *ws->spin);
		i = 0;
	}
	ws->spin[i] = (struct spin){pc, key};
	ws->spins = 0;
	return false;
}

uint32_t warp_members(const struct warp *w, const struct uop *u, uint32_t m)
{
	const uint32_t *mm = row_u32(w, u->v[u->in->nd + u->in->ns - 1]);
	uint32_t all = 0;
	for (; m; m &= m - 1)
		all |= mm[__builtin_ctz(m)];
	return all;
}
