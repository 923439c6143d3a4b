/* Compaction of a block's threads into as few warps as their lanes allow (Fung and Aamodt, HPCA
 * 2011, section 4.2): each lane hands out its threads one after the other, in the order of their
 * home warps, and the i-th of every lane are the new warp i. A thread keeps its lane.
 *
 *	home warps  1010   0110   1000      lanes have 2, 1, 2, 0 threads
 *	new warps   1110   1010
 *
 * Where warps are bound to lanes or sub-cores that have their registers, each of these compacts its own. */
#ifndef SM_DIVERGE_COMPACT_H
#define SM_DIVERGE_COMPACT_H
#include <stdint.h>

/* mask[i]: lanes of home warp i that take part; class[i]: the warp's class, whose warps it is compacted with.
 * place[i * size + lane], for those lanes, becomes the number of the thread's new warp: the j-th thread of a lane
 * goes to the j-th warp of its class. Returns the number of new warps. */
unsigned compact(const uint64_t *mask, const uint8_t *class, unsigned nwarps, unsigned size,
		 uint16_t *place);

#endif
