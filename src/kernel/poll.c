#include "kernel/poll.h"

uint32_t warp_members(const struct warp *w, const struct uop *u, uint32_t m)
{
	const uint32_t *mm = row_u32(w, u->v[u->in->nd + u->in->ns - 1]);
	uint32_t all = 0;
	for (; m; m &= m - 1)
		all |= mm[__builtin_ctz(m)];
	return all;
}
