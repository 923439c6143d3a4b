/* Thread blocks: storage for one, started and, when the mode has run it, used again for the next.
 */
#ifndef KERNEL_CTA_H
#define KERNEL_CTA_H
#include "kernel/wstate.h"

struct cta *cta_new(struct launch *l); /* NULL: the host has no memory for it */
void cta_free(struct cta *b);
/* Warps [from, from + n) of it start; all that run. */
void cta_start(struct cta *b, uint64_t index, uint32_t from, uint32_t n);
/* Makes a block that has started the one of that rank in its cluster. */
void cta_join(struct cta *b, struct cluster *c, uint32_t rank);
/* The block of a rank in a cluster, both counted along x first. */
uint64_t cluster_index(const struct launch *l, uint64_t cluster, uint32_t rank);
/* Bytes of the constant rows of one rank. */
static inline size_t launch_crows(const struct launch *l)
{
	return (size_t)(l->img->ncrows + 2) * ROW;
}
/* Bytes of host memory a block of this launch takes. */
size_t cta_bytes(const struct launch *l);

#endif
