/* Coalescing: splits a warp's addresses into memory transactions. Every active lane is in exactly one
 * transaction, which covers the 32-byte pieces named by `pieces`, counted from `addr`; accesses are
 * naturally aligned. Each generation's rule has a name and a file in coal/. */
#ifndef MEM_COALESCE_H
#define MEM_COALESCE_H
#include <stdbool.h>
#include <stdint.h>
#include "policy/registry.h"

enum { COAL_MAX = 64 }; /* most transactions of one access: one per lane */

struct coal_access {
	const uint64_t *addr; /* address per lane; elements of inactive lanes are not read */
	uint64_t mask;        /* active lanes, not 0 */
	uint8_t lanes;        /* lanes of the warp, up to 64 */
	uint8_t size;         /* bytes per lane: 1, 2, 4, 8, 16 */
	/* bytes of a cache line, a power of two; cc10 and cc12 have their own segments */
	uint16_t line;
	bool past; /* the access bypasses the cache whose line size is `line` */
};

struct coal_tx {
	uint64_t addr;
	uint64_t lanes; /* lanes that the transaction serves */
	uint64_t words; /* 4-byte words touched, from addr on; valid for lines of up to 64 words */
	uint32_t pieces;
	uint16_t bytes; /* bytes of all pieces of the transaction */
	bool full;      /* every byte of the pieces is touched, so a write needs no old data */
};

/* A rule: one file in mem/coal/ with one table, `const struct coal_ops coal_NAME`. */
struct coal_ops {
	struct policy p;
	/* MUST. A function of the access alone, called on any thread. Every active lane is in one
	 * transaction. Fills `out`, which holds COAL_MAX, in order of the lowest lane of each
	 * transaction, and returns the number of transactions. */
	unsigned (*split)(const struct coal_access *a, struct coal_tx *out);
};
POLICY_FINDER(coal)

/* For policies: splits the lanes in `mask` by aligned segments of `segment` bytes. `whole`: all pieces
 * of a segment belong to the transaction, not only those touched. */
unsigned coal_segments(const struct coal_access *a, uint64_t mask, unsigned segment, bool whole,
		       struct coal_tx *out);
/* Shrinks a transaction that uses only one half of its segment to that half, down to 32 bytes. */
void coal_shrink(struct coal_tx *t, unsigned segment);

#endif
