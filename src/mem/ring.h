/* Finite queues: a power-of-two array and two counters, with a capacity of any size. A push into an
 * array without room is an assertion; the user compares with ring_full(), which respects the capacity. */
#ifndef MEM_RING_H
#define MEM_RING_H
#include <stdbool.h>
#include <stdint.h>
#include "base/assert.h"
#include "base/arena.h"

static inline uint32_t ring_round(uint32_t n)
{
	return n <= 1 ? 1 : 1u << (32 - __builtin_clz(n - 1));
}

#define RING(T)                                                                                    \
	struct {                                                                                   \
		T *v;                                                                              \
		uint32_t head, tail, mask, cap;                                                    \
	}

#define ring_new(r, a, capacity)                                                                   \
	((r)->cap = (capacity), (r)->mask = ring_round(capacity) - 1, (r)->head = (r)->tail = 0,   \
	 (r)->v = arena_alloc((a), sizeof *(r)->v * ((size_t)(r)->mask + 1)))
#define ring_count(r) ((r)->tail - (r)->head)
#define ring_empty(r) ((r)->tail == (r)->head)
#define ring_full(r)  (ring_count(r) >= (r)->cap)
#define ring_room(r)  ((r)->cap - ring_count(r))
#define ring_front(r) (&(r)->v[(r)->head & (r)->mask])
#define ring_at(r, i) (&(r)->v[((r)->head + (i)) & (r)->mask])
#define ring_back(r)  (&(r)->v[((r)->tail - 1) & (r)->mask])
/* The new last element, to be filled by the caller. The allocated array must have room. */
#define ring_push(r) (assert_hot(ring_count(r) <= (r)->mask), &(r)->v[(r)->tail++ & (r)->mask])
/* An empty ring starts over: a short queue stays in few lines of the host's cache. */
#define ring_pop(r)                                                                                \
	(assert_hot(!ring_empty(r)),                                                               \
	 (void)(++(r)->head == (r)->tail ? (r)->head = (r)->tail = 0 : 0))

#endif
