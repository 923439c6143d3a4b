/* A calendar of events for one component: constant time to post, one bit per slot to find the next.
 * Events of one cycle come out in the order in which they were posted. An event further ahead than the
 * wheel has slots waits in its slot for a later round. */
#ifndef BASE_WHEEL_H
#define BASE_WHEEL_H
#include <stdbool.h>
#include <stdint.h>

typedef uint64_t cycle_t;
#define NEVER UINT64_MAX

struct event { /* embedded in the structure that it concerns */
	struct event *next;
	cycle_t when;
	uint32_t kind, arg;
};

enum {
	WHEEL_SLOTS = 256,
	WHEEL_WORDS = WHEEL_SLOTS / 64
}; /* slots of one cycle each; events further ahead wait for a later round */
struct wheel {
	struct wheel_slot {
		struct event *first, *last;
	} slot[WHEEL_SLOTS];
	uint64_t used[WHEEL_WORDS];
	uint32_t n;
};

static inline void wheel_post(struct wheel *w, struct event *e, cycle_t when)
{
	unsigned s = when % WHEEL_SLOTS;
	struct wheel_slot *at = &w->slot[s];
	e->when = when;
	e->next = NULL;
	if (at->first)
		at->last->next = e;
	else
		at->first = e;
	at->last = e;
	w->used[s / 64] |= 1ull << s % 64;
	w->n++;
}

/* Removes and returns the list of events of cycle `now`, in the order they were posted. */
static inline struct event *wheel_take(struct wheel *w, cycle_t now)
{
	unsigned s = now % WHEEL_SLOTS;
	if (!(w->used[s / 64] >> s % 64 & 1))
		return NULL;
	struct event *e = w->slot[s].first, *due = NULL, **end = &due;
	w->slot[s] = (struct wheel_slot){NULL, NULL};
	w->used[s / 64] &= ~(1ull << s % 64);
	while (e) {
		struct event *next = e->next;
		w->n--;
		if (e->when == now) {
			*end = e;
			end = &e->next;
		} else {
			wheel_post(w, e, e->when);
		}
		e = next;
	}
	*end = NULL;
	return due;
}

/* A lower bound for the next event's cycle; `from`: the first cycle that may have one. */
static inline cycle_t wheel_next(const struct wheel *w, cycle_t from)
{
	if (!w->n)
		return NEVER;
	unsigned s = from % WHEEL_SLOTS;
	uint64_t bits = w->used[s / 64] >> s % 64;
	if (bits)
		return from + (unsigned)__builtin_ctzll(bits);
	cycle_t at = from + 64 - s % 64;
	for (unsigned k = 1; k <= WHEEL_WORDS; k++, at += 64) {
		bits = w->used[(s / 64 + k) % WHEEL_WORDS];
		if (bits)
			return at + (unsigned)__builtin_ctzll(bits);
	}
	return NEVER;
}

#endif
