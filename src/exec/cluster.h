/* Blocks of a cluster and each other's shared memory.
 *
 * A shared address has the block's rank in its cluster from bit 24 on, below it the place in that block's shared
 * memory. A variable's own address has the rank of the block that takes it. Instructions of .shared::cta take a
 * rank of 0 for their own block, too; those of .shared::cluster mean rank 0. Generic addresses of a launch with
 * clusters are CLUSTER_BASE + shared address. */
#ifndef EXEC_CLUSTER_H
#define EXEC_CLUSTER_H
#include "exec/memory/access.h"

enum { RANK_SHIFT = 24, RANK_PLACE = (1 << RANK_SHIFT) - 1 };

/* The block of that rank; NULL: there is none. */
static inline struct cta *cluster_block(struct cta *b, unsigned rank)
{
	if (!b->cluster)
		return rank ? NULL : b;
	return rank < b->cluster->n ? b->cluster->block[rank] : NULL;
}

/* The block in whose shared memory address a of the memory operand u lies, and where; NULL: in none. */
struct cta *shared_owner(struct cta *b, const struct uop *u, uint64_t a, uint32_t *at);

/* n bytes of shared memory at address a of a lane, which must be a multiple of `align`: the block they belong to,
 * and where they are; NULL after a fault, and when checks are off and there are none. */
struct cta *shared_find(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
			uint32_t align, uint32_t *at);

/* Is p in shared memory of the block or of its cluster? */
bool in_shared(const struct cta *b, const uint8_t *p);

/* n bytes between a buffer and memory, of any length, for lane `lane`; false after a fault. */
bool bulk_read(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, void *buf,
	       uint32_t n);
bool bulk_write(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, const void *buf,
		uint32_t n);

#endif
