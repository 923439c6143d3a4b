/* The shares of a group: one per executor warp that has threads of the group. An instruction runs
 * on each share with the lanes it has there.
 *
 * Masks of a group are in positions, masks of a share in lanes of its executor warp; for a group of
 * one warp the two differ only by `shift`. */
#ifndef SM_SHARE_H
#define SM_SHARE_H
#include "kernel/control.h"
#include "sm/sm.h"

/* Fills in the share of each executor warp with threads at positions m; returns how many, at most
 * MAX_LANES. */
unsigned share_find(const struct sm *sm, const struct group *g, lanemask m, struct share *out);
/* Positions in the group of some lanes of the share. */
lanemask share_positions(const struct group *g, const struct share *p, uint32_t lanes);
/* Lists the home warps of a group with threads, each once; returns how many. */
unsigned share_homes(const struct sm *sm, const struct group *g, uint16_t *out);

/* The lane in the share of the thread at position p. */
static inline unsigned share_lane(const struct group *g, const struct share *q, unsigned p)
{
	return (g->warp != GROUP_MIXED ? p : g->lane[p]) - q->shift;
}

#endif
