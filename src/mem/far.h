/* Lines whose home is in the other half of the L2 (l2.halves = 2).
 *
 *	SM --> slice of its half --(miss, write, atomic)--> partner, the line's home --> DRAM
 *	            |  copy of the line  <--- answer ---------'
 *
 * Every slice has one partner: the slice with its place in the other half, in the same partition. A line
 * has one home. The slice that an SM asks keeps a copy of a line whose home is the partner; a copy is never
 * dirty. A write goes through to the home and updates the asking slice's copy; a write to a home line drops the
 * partner's copy; an atomic is performed at the home and drops both copies. That is what latencies on an H200
 * show (bench/h200/l2_halves.tsv): 282 cycles for a copy or a near home line, 457 for a far home line, and
 * after a write by the other half's SMs 457 again.
 *
 * Deadlock: requests of the partner always make progress, because requests of SMs for far lines leave half of
 * the MSHRs and the requests in progress (slice.fars of them) to others. */
#ifndef MEM_FAR_H
#define MEM_FAR_H
#include "mem/slice.h"

/* True if the partner is the home of the line. */
static inline bool far_line(const struct slice *s, uint64_t addr)
{
	return s->partner && addrmap_dest(s->partition->map, addr) != s->dest;
}

/* True if the slice may begin another far access. Otherwise a slot becomes free when an answer
 * arrives that is already under way. */
static inline bool far_room(const struct slice *s) { return s->nfar < s->fars; }

/* Asks the partner for sectors that missed. `fetch` is answered by slice_data(). */
void far_fetch(struct slice *s, cycle_t now, uint64_t line, uint32_t sectors, uint32_t fetch);

struct far_pass { /* a write or an atomic that the home performs */
	uint64_t line;
	uint32_t sectors;
	uint32_t words; /* partial write: mask of the words written, from `line` on */
	uint32_t fetch; /* number of the fetch that the partner's reply answers */
	uint8_t kind;   /* enum msg_kind */
	bool full;      /* the write covers all bytes of its sectors */
};
void far_pass(struct slice *s, cycle_t now, const struct far_pass *p);

/* Passes the partner's first request to the cache. False: no request is due at cycle `now`, or the
 * cache refused it. */
bool far_step(struct slice *s, cycle_t now);
/* The request in progress `q`, which came from the partner, is complete at `now`. */
void far_answer(struct slice *s, const struct slice_pend *q, cycle_t now);

#endif
