/* Reads that the network merges on their way to the L2. SMs of a GPC have one way there: a read of sectors that another
 * SM of the GPC has asked for shortly before is not sent; it shares the answer.
 *
 *	if (merge_join(x, group, m))        the read waits for the answer to an earlier one
 *	...
 *	for (f = merge_take(x, group, m); f; f = f->next)       reads that share this answer
 *		deliver(&f->msg)
 *	merge_end(x, first)                 frees the list */
#ifndef MEM_MERGE_H
#define MEM_MERGE_H
#include "base/arena.h"
#include "mem/msg.h"

struct merge_follower {
	struct merge_follower *next;
	struct msg msg;
};

/* A read on its way to the L2 and the reads that share its answer. */
struct merge_read {
	struct merge_read *next; /* next read in the hash bucket */
	uint64_t addr;
	cycle_t sent;
	uint32_t pieces, id;
	uint16_t group, sm;
	unsigned shared;
	struct merge_follower *first, *last;
};

struct merge {
	struct arena *arena;
	unsigned most;  /* most reads that may share one answer */
	cycle_t window; /* cycles after a read was sent in which other reads can still share its
			 * answer */
	struct merge_read **bucket, *free_read;
	struct merge_follower *free_follower;
	unsigned held; /* reads now waiting for the answer to another read */
};

void merge_init(struct merge *x, cycle_t window, unsigned most, struct arena *a);
/* True: read m will share the answer of an earlier read. False: m must be sent, and later reads may
 * share its answer. */
bool merge_join(struct merge *x, unsigned group, const struct msg *m);
/* Called when answer m has arrived: returns the reads that share it, in order. */
struct merge_follower *merge_take(struct merge *x, unsigned group, const struct msg *m);
void merge_end(struct merge *x, struct merge_follower *first);

#endif
