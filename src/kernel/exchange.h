/* Operations between lanes (shfl, vote, match, redux, elect with .sync) that lanes of a warp execute at different places.
 * Lanes whose partners have not come publish their sources (exchange_publish()) and wait. When the mode finds that all
 * have come, to one place or to several, each place executes the operation with its lanes (exchange_run()): the first
 * computes the results of all, the others take theirs. */
#ifndef KERNEL_EXCHANGE_H
#define KERNEL_EXCHANGE_H
#include "kernel/wstate.h"

/* Lanes m are at operation u without all lanes that they name. */
void exchange_publish(struct wstate *ws, const struct uop *u, uint32_t m);

/* True if lanes of the warp wait for partners, or have results that they have not taken. */
bool exchange_pending(const struct wstate *ws);

/* Lanes m execute operation u, which has a member mask. Only if exchange_pending(). */
void exchange_run(struct wstate *ws, const struct uop *u, uint32_t m);

#endif
