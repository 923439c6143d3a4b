/* The work of an L2 slice, seen from its partition: taking requests, one step per L2 cycle, taking data.
 * Requests make progress in order of arrival unless the cache refuses them. The structures are in
 * mem/partition.h, lines of the other half in mem/far.h. */
#ifndef MEM_SLICE_H
#define MEM_SLICE_H
#include "mem/partition.h"

enum {
	SLICE_TOKEN_BITS = 24,
	SLICE_TOKEN_MASK = (1 << SLICE_TOKEN_BITS) - 1,
};

/* Wakes the slice at t. A slice makes at most one step per cycle; an event that is too late for this
 * cycle counts for the next. */
static inline void slice_wake(struct slice *s, cycle_t t)
{
	t = t > s->stepped ? t : s->stepped;
	if (t < s->next)
		s->next = t;
}

/* Makes the credits for replies to this SM available that the SM returned before this window. */
static inline void slice_settle(const struct slice *s, unsigned sm)
{
	if (s->partition->net->mailed)
		icnt_deliver_all(s->partition->net, sm);
}

/* The slice's next cycle, including credits that came back between windows. */
static inline cycle_t slice_next(const struct slice *s)
{
	if (s->credit < 0)
		return s->next;
	slice_settle(s, (unsigned)s->credit);
	cycle_t t = ratio_up(s->partition->icnt_to_l2,
			     credit_next(&s->end.credits, (unsigned)s->credit));
	t = t > s->stepped ? t : s->stepped;
	return t < s->next ? t : s->next;
}

/* Allocates a request in progress: with no line outstanding, neither closed nor linked. */
uint32_t slice_pend_new(struct slice *s);
/* Cycles for which an atomic keeps the slice busy; words: mask of the words accessed; 0: all words
 * of the sectors. */
uint32_t slice_atomic_cycles(struct slice *s, unsigned sectors, uint32_t words);
/* Cycles for which a write keeps the slice busy; full: the write covers all bytes of its sectors. */
uint32_t slice_write_cycles(const struct slice *s, unsigned bytes, bool full);
void slice_pend_free(struct slice *s, uint32_t i);

/* Takes the window's requests from the network: as many as fitted at the window's start, plus, if
 * the slice has already run this window (partition.h), one for each request that has left since. */
void slice_take(struct slice *s);
/* The channel, or the partner, has answered fetch `fetch`. */
void slice_data(struct slice *s, uint32_t fetch, cycle_t ready);
void slice_step(struct slice *s, cycle_t now); /* one L2 cycle; sets s->next */

#endif
