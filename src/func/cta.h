/* Thread blocks: storage for one, started, run to the end, used again for the next. */
#ifndef FUNC_CTA_H
#define FUNC_CTA_H
#include "exec/context.h"

struct cta *cta_new(struct launch *l); /* NULL: the host has no memory for it */
void cta_free(struct cta *b);
/* Warps [from, from + n) of it start; all that run. */
void cta_start(struct cta *b, uint64_t index, uint32_t from, uint32_t n);
/* Bytes of host memory a block of this launch takes. */
size_t cta_bytes(const struct launch *l);

#endif
