/* A group as its executor warps: the same instruction runs on each with the lanes it has there.
 *
 * Masks of a group count positions, those of a part count lanes of its executor warp; for a group
 * of one warp the two differ by `shift` alone. */
#ifndef SM_PART_H
#define SM_PART_H
#include "sm/sm.h"

struct part {
	struct wstate *ws;
	uint32_t lanes, active; /* that execute; that the group has here */
	uint16_t warp;          /* home warp */
	uint8_t shift;          /* of its lane 0 in the home warp's masks: 0 or 32 */
	lanemask pos;           /* the positions of `lanes` in the group */
};

/* For each executor warp with threads at positions m: its lanes. At most MAX_LANES. */
unsigned part_find(const struct sm *sm, const struct group *g, lanemask m, struct part *out);
/* Positions of some lanes of the part. */
lanemask part_positions(const struct group *g, const struct part *p, uint32_t lanes);
/* The home warps of a group with threads, each once; how many. */
unsigned part_homes(const struct sm *sm, const struct group *g, uint16_t *out);

/* The part's lane whose thread is at position p. */
static inline unsigned part_lane(const struct group *g, const struct part *q, unsigned p)
{
	return (g->warp != GROUP_MIXED ? p : g->lane[p]) - q->shift;
}

#endif
