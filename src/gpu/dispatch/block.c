/* Whole blocks: a block starts where warps, threads, registers, shared memory and a block slot are all
 * free, and holds them until its last warp has ended. SMs are asked in turn, so blocks spread. */
#include "gpu/dispatch.h"

static int place(struct disp *d, const struct kern *k)
{
	for (unsigned i = 1; i <= d->nsm; i++) {
		unsigned n = (d->last + i) % d->nsm;
		if (block_fits(d->sm[n], k)) {
			d->last = n;
			return (int)n;
		}
	}
	return -1;
}

const struct disp_ops disp_block = {
	.p = {"block", "whole blocks, released when their last warp has ended", ""},
	.place = place,
};
