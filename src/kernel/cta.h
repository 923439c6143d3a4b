/* Thread blocks: storage for one, started and, when the mode has run it, used again for the next.
 */
#ifndef KERNEL_CTA_H
#define KERNEL_CTA_H
#include "kernel/wstate.h"

struct cta *cta_new(struct launch *l); /* NULL: the host has no memory for it */
void cta_free(struct cta *b);
/* Warps [from, from + n) of it start; all that run. */
void cta_start(struct cta *b, uint64_t index, uint32_t from, uint32_t n);
/* Bytes of host memory a block of this launch takes. */
size_t cta_bytes(const struct launch *l);

#endif
