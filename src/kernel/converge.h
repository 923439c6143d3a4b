/* Control flow of machine code for sm_70 and later, for functional and timing mode alike. The lanes of a warp are on
 * paths (kernel/reconv.h, with rpc NO_PC). Each path has a pc of its own; no lane is on two paths. A branch makes two
 * paths of one. Code brings paths together: BSYNC and WARPSYNC (NCTL_MEET) wait for the lanes that a mask names, and
 * the paths that waited at one instruction go on as one.
 *
 * A path that waits has been issued and counted. When the lanes it waits for have come or changed, it looks again
 * (converge_settle()) and is not counted a second time. */
#ifndef KERNEL_CONVERGE_H
#define KERNEL_CONVERGE_H
#include "kernel/reconv.h"

/* Lanes m (not empty) of the top path, which is at pc, execute native control flow u. Afterwards the paths
 * say where to go on; after a fault ws->w.stop says so. True: the lanes of the path part. */
bool converge_control(struct reconv *s, struct wstate *ws, const struct uop *u, uint32_t pc,
		      uint32_t m);

/* Makes the path that runs next the top, after paths that wait at NCTL_MEET have looked again. False: none can run
 * (they wait at barriers of the block), or none is left. */
bool converge_settle(struct reconv *s, struct wstate *ws, const struct uop *code);

#endif
