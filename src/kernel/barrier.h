/* Block barriers: counts arrivals. Threads arrive one by one (the parts of a diverged warp at
 * different times, even at different bar instructions); the barrier opens when every thread that
 * has not exited has arrived, or as many as its count says. A counted barrier counts whole warps,
 * as the hardware does. The waiting lanes are on the warps' stacks: func/barriers.c and sm/bar.c
 * release them. */
#ifndef KERNEL_BARRIER_H
#define KERNEL_BARRIER_H
#include "kernel/wstate.h"

/* Lanes m of a warp execute the barrier instruction u: counts their arrivals and returns the
 * barrier's number, or -1 after a fault. */
int bar_count(struct wstate *ws, const struct uop *u, uint32_t m);
/* True if lanes m, which wait at the barrier without arriving (BAR_WAIT), may continue at once. */
bool bar_passed(const struct warp *w, const struct uop *u, int id, uint32_t m);
bool cluster_full(const struct cluster *c);
bool bar_full(const struct cta *b, const struct barrier *bar);
/* The result of bar.red for lanes of a frame. */
void bar_result(struct wstate *ws, const struct uop *u, const struct frame *f, uint32_t lanes,
		const struct barrier *bar);
/* Records that the barrier at which a lane waits at u can never fill. */
void bar_never_fills(struct wstate *ws, const struct uop *u, unsigned lane, unsigned id);

#endif
