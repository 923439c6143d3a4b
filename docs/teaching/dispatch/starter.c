/* A dispatcher to begin with: the first SM with room. Your work is place(). What a dispatcher may see is in
 * src/gpu/dispatch.h; block_fits() and what an SM has of blocks in src/sm/block.h and src/sm/sm.h. */
#include "gpu/dispatch.h"

/* The SM that gets the kernel's next block, which has to fit there; -1: none, ask again later. */
static int place(struct disp *d, const struct kern *k)
{
	for (unsigned n = 0; n < d->nsm; n++)
		if (block_fits(d->sm[n], k))
			return (int)n;
	return -1;
}

const struct disp_ops disp_mine = {
	.p = {"mine", "my dispatcher", ""},
	.place = place,
};
