#include "sm/share.h"

static unsigned find_mixed(const struct sm *sm, const struct group *g, lanemask m,
			   struct share *out)
{
	unsigned n = 0, k = 0;
	for (lanemask q = g->active; q; q &= q - 1) {
		unsigned p = (unsigned)__builtin_ctzll(q), w = g->home[p], lane = g->lane[p],
			 shift = lane & 32;
		uint32_t bit = 1u << (lane - shift);
		if (k >= n || out[k].warp != w || out[k].shift != shift) {
			for (k = 0; k < n && (out[k].warp != w || out[k].shift != shift); k++)
				;
			if (k == n)
				out[n++] = (struct share){.ws = sm->warp[w].ws[shift / 32],
							  .warp = (uint16_t)w,
							  .shift = (uint8_t)shift};
		}
		out[k].active |= bit;
		if (m & (q & -q)) {
			out[k].lanes |= bit;
			out[k].pos |= q & -q;
		}
	}
	for (k = 0; k < n;)
		if (out[k].lanes)
			k++;
		else
			out[k] = out[--n];
	return n;
}

unsigned share_find(const struct sm *sm, const struct group *g, lanemask m, struct share *out)
{
	unsigned n = 0;
	if (g->warp == GROUP_MIXED)
		return find_mixed(sm, g, m, out);
	for (unsigned shift = 0; shift < MAX_LANES; shift += 32) {
		uint32_t lanes = (uint32_t)(m >> shift);
		if (lanes)
			out[n++] = (struct share){sm->warp[g->warp].ws[shift / 32],
						  lanes,
						  (uint32_t)((g->active | m) >> shift),
						  g->warp,
						  (uint8_t)shift,
						  (lanemask)lanes << shift};
	}
	return n;
}

lanemask share_positions(const struct group *g, const struct share *p, uint32_t lanes)
{
	lanemask m = 0;
	if (g->warp != GROUP_MIXED)
		return (lanemask)lanes << p->shift;
	for (lanemask q = p->pos; q; q &= q - 1)
		if (lanes >> share_lane(g, p, (unsigned)__builtin_ctzll(q)) & 1)
			m |= q & -q;
	return m;
}

unsigned share_homes(const struct sm *sm, const struct group *g, uint16_t *out)
{
	unsigned n = 0;
	(void)sm;
	if (g->warp != GROUP_MIXED) {
		out[0] = g->warp;
		return 1;
	}
	for (lanemask q = g->active; q; q &= q - 1) {
		uint16_t w = g->home[__builtin_ctzll(q)];
		unsigned k = 0;
		while (k < n && out[k] != w)
			k++;
		if (k == n)
			out[n++] = w;
	}
	return n;
}
