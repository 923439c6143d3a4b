/* Pausing of resident blocks, for dispatchers that change the number of blocks that issue. */
#ifndef GPU_DISPATCH_PAUSING_H
#define GPU_DISPATCH_PAUSING_H
#include "gpu/dispatch.h"

/* Pauses the SM's youngest blocks, or resumes its oldest paused blocks, until `most` blocks issue.
 * Stops early if no remaining block may be paused (other blocks may wait for it). */
void pausing_adjust(struct sm *sm, unsigned most);

#endif
