/* How blocks of a cluster reach each other's shared memory.
 *
 * A shared address has the block's rank in its cluster from bit 24 on, and below it the offset in
 * that block's shared memory. A variable's own address has the rank of the block that takes it.
 * Instructions of .shared::cta also accept rank 0 for their own block; instructions of
 * .shared::cluster mean rank 0. Generic addresses of a launch with clusters are CLUSTER_BASE +
 * shared address. */
#ifndef EXEC_CLUSTER_H
#define EXEC_CLUSTER_H
#include "exec/memory/access.h"

enum { RANK_SHIFT = 24, RANK_PLACE = (1 << RANK_SHIFT) - 1 };

/* The block of b's cluster with that rank; NULL: the cluster has no such block. */
static inline struct cta *cluster_block(struct cta *b, unsigned rank)
{
	if (!b->cluster)
		return rank ? NULL : b;
	return rank < b->cluster->n ? b->cluster->block[rank] : NULL;
}

/* The block in whose shared memory address a of the memory operand u lies, and the offset there;
 * NULL: the address is in no block's shared memory. */
struct cta *shared_owner(struct cta *b, const struct uop *u, uint64_t a, uint32_t *at);

/* The block that n bytes of shared memory at address a of a lane belong to, and their offset; the
 * address must be a multiple of `align`. NULL after a fault, or if checks are off and no block has
 * them. */
struct cta *shared_find(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
			uint32_t align, uint32_t *at);

/* True if p is in shared memory of the block or of its cluster. */
bool in_shared(const struct cta *b, const uint8_t *p);

/* Copies n bytes, of any number, between a buffer and memory for lane `lane`; false after a
 * fault. */
bool bulk_read(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, void *buf,
	       uint32_t n);
bool bulk_write(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, const void *buf,
		uint32_t n);

#endif
