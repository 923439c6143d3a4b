/* Whole blocks: a block starts where warps, threads, registers, shared memory and a block slot are
 * all free, and holds them until its last warp has ended. The interface is
 * gpu/dispatch.h. */
#include "gpu/dispatch.h"

const struct disp_ops disp_block = {
	.p = {"block", "whole blocks, released when their last warp has ended", ""},
	.place = disp_whole,
};
