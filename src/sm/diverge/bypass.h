/* Branches at which a warp of a compacted path does not wait for the others, for `tbc` (CAPRI, Rhu and Erez, ISCA 2012).
 *
 * A table predicts for each branch whether compaction saves warps there. Where it does not, a warp parts on a stack of
 * its own until its threads meet again; its block knows nothing of it. Each warp that comes to the branch, waiting or
 * not, is noted; when as many have come as the path has warps, the prediction becomes what compacting them would bring:
 *
 *	warp 0 takes 1100, warp 1 takes 0011     lanes: at most 1 taken, 1 not: 2 warps instead of 4: they wait next time
 *	warp 0 takes 1100, warp 1 takes 1100     lanes: at most 2 taken, 2 not: 4 warps as without: they do not
 *
 * The own stack of a warp that has parted:
 *
 *	top      0011  at pc 5, until pc 9       runs
 *	         1100  at pc 7, until pc 9       waits
 *	bottom   1111  at pc 9                   the whole warp
 *
 * Only branches are passed in this way whose threads do not wait for each other before they meet: without barriers,
 * warp-level operations, calls, and loops that may poll. */
#ifndef SM_DIVERGE_BYPASS_H
#define SM_DIVERGE_BYPASS_H
#include "sm/sm.h"

struct bypass;
struct blockstack;

struct bypass *bypass_new(const struct div *d, unsigned entries);
void bypass_free(struct bypass *y);
/* A path of block b begins to run: clears what was recorded of the previous path. */
void bypass_begin(struct bypass *y, unsigned b);
/* True if threads that part at branch u of the image, at pc, may do so on their warp's own stack. */
bool bypass_may_pass(struct bypass *y, const struct image *img, uint32_t pc, const struct frame *f);
/* Group g of block b has come to branch pc of the image, of n groups of its path; `taken` jump. lane[p]: physical lane
 * of position p; class, of `classes`: the lane that the group's warps are bound to. Returns true if the prediction for
 * this group is that compaction does not help. */
struct bypass_arrival {
	const struct image *img;
	uint32_t pc;
	unsigned block, place, n, class, classes; /* place: number of the group in its block */
	lanemask active, taken;
	const uint8_t *lane;
};
bool bypass_note(struct bypass *y, const struct bypass_arrival *a);

/* True if the group has inactive threads on its warp's own stack. */
bool bypass_is_parted(const struct bypass *y, int g);
/* The group's active threads part at u. It continues with those that do not jump. */
void bypass_part(struct bypass *y, struct div *d, int g, const struct uop *u, lanemask taken);
/* Called when the instruction has committed: threads continue that have met their others, or whose
 * others have ended. */
void bypass_settle(struct bypass *y, struct div *d, int g);

#endif
