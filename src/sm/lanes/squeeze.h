/* Squeezing a warp (Jin 2012, section 4.1): threads move between the parts of a warp that go
 * through the pipeline in one cycle, each staying in its lane, so that as few parts as possible are
 * left with threads.
 *
 * A warp of 32 on 8 lanes has four quarters; thread i is in lane i mod 8 of quarter i / 8. The
 * quarters are ranked by falling number of threads. Each in turn receives: for every lane without a
 * thread there, the thread of that lane in the lowest-ranked quarter that has one.
 *
 *	quarters  1100 0000   0011 0001   1000 0000   0000 0110      counts 2, 3, 1, 2: ranks 1, 0, 3, 2
 *	after     1000 0000   1111 0111   0000 0000   0000 0000      two quarters instead of four */
#ifndef SM_LANES_SQUEEZE_H
#define SM_LANES_SQUEEZE_H
#include <stdint.h>
#include "conf/machine.h"

/* The positions that hold threads afterwards. from[p], if not NULL, is the position whose thread is
 * now at p, for the positions in the result. `width` divides `size`; size is at most 64. */
uint64_t squeeze(uint64_t active, unsigned size, unsigned width, uint8_t *from);
/* Squeezes as the program of the thesis's appendix A does, which differs from its text: a part is
 * examined as it was before any thread moved, so a thread that has moved hides other threads of its
 * lane, and the test for a full part uses another part's count. Threads stay in their lanes, none
 * is lost, but more parts than needed may remain. */
uint64_t squeeze_printed(uint64_t active, unsigned size, unsigned width, uint8_t *from);
/* Moves threads of the group `male` off the positions that `female` occupies, each to the first
 * part of its lane where neither group has a thread (Jin 2012, section 4.4 and appendix B). to[p]
 * is where the thread at p goes. Returns the positions of the male that still conflict, whose
 * threads stay; 0: the two groups fit together. */
uint64_t squeeze_fit(uint64_t male, uint64_t female, unsigned size, unsigned width, uint8_t *to);
/* Parts of `width` lanes with at least one thread. */
unsigned squeeze_parts(uint64_t active, unsigned size, unsigned width);

/* squeeze() or squeeze_printed(), by the quirk squeeze-as-printed. */
static inline uint64_t machine_squeeze(const struct machine *m, uint64_t active, uint8_t *from)
{
	if (machine_quirk(m, QUIRK_SQUEEZE_AS_PRINTED))
		return squeeze_printed(active, m->warp_size, m->simd_width, from);
	return squeeze(active, m->warp_size, m->simd_width, from);
}

#endif
