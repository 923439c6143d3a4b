/* Compaction of a block's threads into as few warps as their lanes allow (Fung and Aamodt, HPCA
 * 2011, section 4.2): each lane hands out its threads one after the other, in the order of their
 * home warps, and the i-th of every lane are the new warp i. A thread keeps its lane.
 *
 *	home warps  1010   0110   1000      lanes have 2, 1, 2, 0 threads
 *	new warps   1110   1010
 *
 * Where warps are bound to lanes or sub-cores that have their registers, each of these compacts its own.
 *
 * Lane permutation (Rhu and Erez, ISCA 2013) gives the threads of warp i other physical lanes: lane l is at l ^ turn[i].
 * Branches that depend on the thread's number take the same lanes of every warp; turned, they are different ones. */
#ifndef SM_DIVERGE_COMPACT_H
#define SM_DIVERGE_COMPACT_H
#include <stdint.h>

enum lane_turns { TURN_NONE, TURN_ODD_EVEN, TURN_BALANCED };
/* turn[i] of warp i of a block, of `size` threads, a power of two: none; odd warps reversed; or, balanced, each even
 * warp one lane further and each odd one the reverse of the warp before it. */
unsigned compact_turn(enum lane_turns how, unsigned i, unsigned size);

/* mask[i]: lanes of home warp i that take part; class[i]: the warp's class, whose warps it is
 * compacted with. turn: NULL: none is turned. place[i * size + lane], for those lanes, becomes the
 * number of the thread's new warp: the j-th thread of a physical lane goes to the j-th warp of its
 * class. Returns the number of new warps. */
unsigned compact(const uint64_t *mask, const uint8_t *class, const uint8_t *turn, unsigned nwarps,
		 unsigned size, uint16_t *place);

#endif
