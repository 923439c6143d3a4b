/* An order of the blocks in which threads that have parted meet as early as possible.
 *
 * Requires: cfg. Provides: the position of every block. Users are the mechanisms that schedule by
 * position (thread frontiers, sm/diverge/).
 *
 *	0 -> 1, 2;  1 -> 2, 5;  2 -> 3, 4;  3 -> 4, 5;  4 -> 5    0 1 2 3 4 5: (a || b) && (c || d)
 *	0 -> 1;  1 -> 2, 4;  2 -> 1, 3;  3 -> 1                   0 1 2 3 4: the loop, then the rest
 *
 * A block comes before its successors, except along edges back to the head of a loop. The blocks of
 * a loop, however many entries it has, are contiguous, so that the code after the loop waits for all
 * threads that are still in it. Such an order is a weak topological order (Bourdoncle, FMPA 1993,
 * section 3): strongly connected components in topological order, each again ordered likewise without
 * the edges into its head. Where that leaves a choice, blocks keep their order in the program. */
#ifndef PASS_PRIORITY_H
#define PASS_PRIORITY_H
#include "pass/cfg.h"

/* Returns, in arena a, the position (0 .. n) of each block and of the virtual exit. */
uint32_t *priority_build(struct arena *a, const struct cfg *c);

#endif
