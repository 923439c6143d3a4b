/* Miss status holding registers: the lines that are being fetched and the accesses that wait for them.
 * Waiters become ready in the order in which their sectors arrive, and each is taken once. The user is
 * mem/cache.h.
 *
 *	slot[hash] --> entry of a line --> waiter --> waiter     sectors outstanding
 *	                     ready list --> waiter --> waiter     sectors arrived, oldest first
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
	uint32_t pending;     /* mask of sectors fetched and not yet arrived */
	uint32_t dirty;       /* mask of sectors that an atomic among the waiters will change */
	uint16_t waiting;     /* number of waiters, ready ones included */
	uint16_t who;         /* owner of the first access (cache.who) */
	uint32_t first, last; /* list of waiters not ready, in order of arrival */
	union {
		uint32_t next; /* next entry of the free list */
		uint32_t at;   /* index of the allocated line, for the cache */
	};
};

struct mshr_wait {
	uint32_t token, need, entry, next;
};

struct mshrs {
	struct mshr *v;
	struct mshr_wait *waits;
	/* Hash table (open addressing) from lines to entries: 16 bits of the line's hash above the
	 * entry's number + 1; 0: empty. Searching for a line that is not being fetched rarely touches
	 * another entry. */
	uint32_t *slot, slot_mask;
	uint32_t n, merge, used;
	/* Free lists, and per list the number of elements ever used. Elements never used follow the
	 * last free one, so that memory is touched only as far as it is needed. */
	uint32_t free, free_wait, top, top_wait;
	uint32_t ready, ready_last;
};

/* n entries (n < MSHR_MAX), at most `merge` waiters each */
void mshr_init(struct mshrs *m, struct arena *a, uint32_t n, uint32_t merge);
uint32_t mshr_find(const struct mshrs *m,
		   uint64_t line); /* MSHR_NONE: the line is not being fetched */
/* True if this entry fetches the line. */
static inline bool mshr_has(const struct mshrs *m, uint32_t entry, uint64_t line)
{
	return entry < m->top && m->v[entry].line == line && m->v[entry].waiting;
}
uint32_t mshr_new(struct mshrs *m, uint64_t line); /* an entry must be free */
/* Adds a waiter for sectors `need`; the entry must have room (waiting < merge). */
void mshr_wait(struct mshrs *m, uint32_t entry, uint32_t token, uint32_t need);
void mshr_fill(struct mshrs *m, uint32_t entry, uint32_t sectors);
bool mshr_pop(struct mshrs *m, uint32_t *token);

#endif
