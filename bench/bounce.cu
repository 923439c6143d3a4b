#include "dev.h"
/* Barrier-heavy: a block passes its values around a ring in shared memory, with one barrier before
 * and one after every step. */
extern "C" __global__ void bounce(u32 *out, u32 steps)
{
	__shared__ u32 ring[256];
	u32 t = TIDX, v = t * 2654435761u;
	for (u32 i = 0; i < steps; i++) {
		ring[t] = v;
		SYNC();
		v = ring[(t + 33) & 255] + i;
		SYNC();
	}
	out[BIDX * 256 + t] = v;
}
