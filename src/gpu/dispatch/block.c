/* Whole blocks: a block starts on an SM that has warps, threads, registers, shared memory and a
 * block slot free for all of it, and holds them until its last warp has ended. The interface is
 * gpu/dispatch.h. */
#include "gpu/dispatch.h"

const struct disp_ops disp_block = {
	.p = {"block", "whole blocks, released when their last warp has ended", ""},
	.place = disp_whole,
};
