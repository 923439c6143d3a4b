/* The shares of a group, one for each executor warp that has threads of it: the same instruction
 * runs on each with the lanes it has there.
 *
 * Masks of a group count positions, those of a share count lanes of its executor warp; for a group
 * of one warp the two differ by `shift` alone. */
#ifndef SM_SHARE_H
#define SM_SHARE_H
#include "kernel/control.h"
#include "sm/sm.h"

/* For each executor warp with threads at positions m: its lanes. At most MAX_LANES. */
unsigned share_find(const struct sm *sm, const struct group *g, lanemask m, struct share *out);
/* Positions of some lanes of the share. */
lanemask share_positions(const struct group *g, const struct share *p, uint32_t lanes);
/* The home warps of a group with threads, each once; how many. */
unsigned share_homes(const struct sm *sm, const struct group *g, uint16_t *out);

/* The share's lane whose thread is at position p. */
static inline unsigned share_lane(const struct group *g, const struct share *q, unsigned p)
{
	return (g->warp != GROUP_MIXED ? p : g->lane[p]) - q->shift;
}

#endif
