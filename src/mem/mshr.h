/* Miss status holding registers: the lines that are being fetched and who waits for them.
 *
 *	slot[hash] --> entry of a line --> waiter --> waiter     sectors not here yet
 *	                     ready list --> waiter --> waiter     sectors here, oldest first
 *
 * An entry stays until its last waiter has been taken from the ready list. */
#ifndef MEM_MSHR_H
#define MEM_MSHR_H
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"

enum { MSHR_NONE = UINT32_MAX, MSHR_MAX = 1 << 16 };

struct mshr {
	uint64_t line;
	uint32_t pending;     /* sectors fetched and not yet here */
	uint32_t dirty;       /* sectors that an atomic will have changed */
	uint32_t waiting;     /* waiters, also those that are ready */
	uint32_t first, last; /* those not ready, in order */
	union {
		uint32_t next; /* in the free list */
		uint32_t at;   /* the owner's: where the line was put when it was missed */
	};
};

struct mshr_wait {
	uint32_t token, need, entry, next;
};

struct mshrs {
	struct mshr *v;
	struct mshr_wait *waits;
	/* Finds a line's entry by open addressing: 16 bits of the line's hash above the entry's
	 * number + 1; 0: nothing. A search for a line that is not being fetched rarely touches
	 * another entry. */
	uint32_t *slot, slot_mask;
	uint32_t n, merge, used;
	/* Free lists, and how many of each were ever used. Entries that were never used follow the
	 * last free one, so that memory is touched only as far as it is needed. */
	uint32_t free, free_wait, top, top_wait;
	uint32_t ready, ready_last;
};

void mshr_init(struct mshrs *m, struct arena *a, uint32_t n, uint32_t merge); /* n < MSHR_MAX */
uint32_t mshr_find(const struct mshrs *m, uint64_t line); /* MSHR_NONE: not being fetched */
/* Is it being fetched by this entry? */
static inline bool mshr_has(const struct mshrs *m, uint32_t entry, uint64_t line)
{
	return entry < m->top && m->v[entry].line == line && m->v[entry].waiting;
}
uint32_t mshr_new(struct mshrs *m, uint64_t line); /* there must be a free one */
/* Adds a waiter for `need`; there must be room (waiting < merge). */
void mshr_wait(struct mshrs *m, uint32_t entry, uint32_t token, uint32_t need);
void mshr_fill(struct mshrs *m, uint32_t entry, uint32_t sectors);
bool mshr_pop(struct mshrs *m, uint32_t *token);

#endif
