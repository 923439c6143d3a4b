/* Thread blocks: storage for one block, started and, when the mode has run the block, used again for the
 * next. A started block has the contents of a new one. Warps are in kernel/wstate.h. */
#ifndef KERNEL_CTA_H
#define KERNEL_CTA_H
#include "kernel/wstate.h"

struct cta *cta_new(struct launch *l); /* NULL: the host has no memory for the block */
void cta_free(struct cta *b);
/* Starts warps [from, from + n) of a block: all that will run. */
void cta_start(struct cta *b, uint64_t index, uint32_t from, uint32_t n);
/* Makes a started block the block of that rank in its cluster. */
void cta_join(struct cta *b, struct cluster *c, uint32_t rank);
/* The block of a rank in a cluster, both counted along x first. */
uint64_t cluster_index(const struct launch *l, uint64_t cluster, uint32_t rank);
/* Bytes of the constant rows of one rank. */
static inline size_t launch_crows(const struct launch *l)
{
	return (size_t)(l->img->ncrows + 2) * ROW;
}
/* Bytes of host memory per block of this launch. */
size_t cta_bytes(const struct launch *l);

#endif
