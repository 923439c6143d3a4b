/* Control flow of machine code for sm_70 and later, for functional and timing mode alike. The lanes
 * of a warp are on paths (kernel/reconv.h, with rpc NO_PC). Each path has a pc of its own; no lane
 * is on two paths. A branch makes two paths of one. Code brings paths together: BSYNC and WARPSYNC
 * (NCTL_MEET) wait for the lanes that a mask names, and the paths that waited at one instruction go
 * on as one.
 *
 * The instruction at which a path waits has been issued and counted. When the awaited lanes have
 * arrived or changed, the wait is evaluated again (converge_settle()) without being counted a
 * second time. */
#ifndef KERNEL_CONVERGE_H
#define KERNEL_CONVERGE_H
#include "kernel/reconv.h"

/* Lanes m (not empty) of the top path, which is at pc, execute native control flow u. Afterwards
 * the paths say where to go on; after a fault ws->w.stop says so. True: the path has split. */
bool converge_control(struct reconv *s, struct wstate *ws, const struct uop *u, uint32_t pc,
		      uint32_t m);

/* Brings the path that runs next to the top, after evaluating the waits at NCTL_MEET again. False:
 * no path can run (all wait at barriers of the block), or none is left. */
bool converge_settle(struct reconv *s, struct wstate *ws, const struct uop *code);

#endif
