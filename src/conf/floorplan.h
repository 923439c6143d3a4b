/* The chip's floor plan: the SMs of each TPC and GPC, and the half of the L2 that each GPC is
 * adjacent to.
 *
 * gpu.gpcs has one letter per TPC, in the order of SM numbers. TPCs with the same letter belong to
 * one GPC; capital letters are next to the first half of the L2, small ones to the second:
 *
 * 	gpu.gpcs = AAbb        SMs  0 1 2 3 | 4 5 6 7      two GPCs, two SMs per TPC if gpu.sms = 8
 * 	                       half    0    |    1
 *
 * The text "none" is one GPC per half, each with an equal share of the SMs. */
#ifndef CONF_FLOORPLAN_H
#define CONF_FLOORPLAN_H
#include <stdint.h>
#include "base/arena.h"
#include "base/diag.h"

struct machine;
struct floorplan {
	unsigned sms, gpcs, sms_per_tpc;
	uint8_t *gpc;  /* [SM]: its GPC; GPCs are numbered in the order of their first SMs */
	uint8_t *half; /* [SM]: half of the L2 that the SM is adjacent to */
};

/* False, and an error in d, if gpu.gpcs does not fit gpu.sms or names a half that l2.halves lacks. */
bool floorplan_init(struct floorplan *f, const struct machine *m, struct arena *a, struct diag *d);

#endif
