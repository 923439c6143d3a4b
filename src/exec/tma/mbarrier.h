/* The mbarrier of sm_80 and later: 64 bits of shared memory.
 *
 *   63 phase | 62..43 minus the pending arrivals | 41..21 minus the bytes outstanding | 20..1 minus the expected
 *
 * A phase ends when no arrival is pending and no bytes are outstanding; the next phase expects the
 * same number of arrivals. An arrival returns the upper half of the word before it, and whether it
 * was one that may not end a phase. */
#ifndef EXEC_MBARRIER_H
#define EXEC_MBARRIER_H
#include <stdbool.h>
#include <stdint.h>

enum { MBW_COUNT = 20, MBW_TX = 21, MBW_PENDING_AT = 43, MBW_TX_AT = 21, MBW_EXPECTED_AT = 1 };
#define MBW_PHASE (1ull << 63)

static inline uint64_t mbw_field(uint64_t w, unsigned at, unsigned n)
{
	return w >> at & ((1ull << n) - 1);
}
/* Returns w with v added to the field of n bits at bit `at`; a carry out of the field is dropped. */
static inline uint64_t mbw_add(uint64_t w, unsigned at, unsigned n, uint64_t v)
{
	uint64_t mask = ((1ull << n) - 1) << at;
	return (w & ~mask) | ((w + (v << at)) & mask);
}
static inline uint32_t mbw_pending(uint64_t w)
{
	return -(uint32_t)mbw_field(w, MBW_PENDING_AT, MBW_COUNT) & ((1u << MBW_COUNT) - 1);
}
static inline uint32_t mbw_expected(uint64_t w)
{
	return -(uint32_t)mbw_field(w, MBW_EXPECTED_AT, MBW_COUNT) & ((1u << MBW_COUNT) - 1);
}
/* Bytes outstanding; negative: more bytes have arrived than have been announced so far. */
static inline int32_t mbw_bytes(uint64_t w)
{
	return -((int32_t)((uint32_t)mbw_field(w, MBW_TX_AT, MBW_TX) << (32 - MBW_TX)) >>
		 (32 - MBW_TX));
}
static inline bool mbw_phase(uint64_t w) { return w >> 63; }

static inline uint64_t mbw_init(uint32_t count)
{
	return mbw_add(mbw_add(0, MBW_PENDING_AT, MBW_COUNT, -(uint64_t)count), MBW_EXPECTED_AT,
		       MBW_COUNT, -(uint64_t)count);
}
static inline uint64_t mbw_settle(uint64_t w)
{
	if (mbw_field(w, MBW_PENDING_AT, MBW_COUNT) || mbw_field(w, MBW_TX_AT, MBW_TX))
		return w;
	return mbw_add(w, MBW_PENDING_AT, MBW_COUNT, mbw_field(w, MBW_EXPECTED_AT, MBW_COUNT)) ^
	       MBW_PHASE;
}
static inline uint64_t mbw_expect(uint64_t w, uint32_t bytes)
{
	return mbw_add(w, MBW_TX_AT, MBW_TX, -(uint64_t)bytes);
}
static inline uint64_t mbw_complete(uint64_t w, uint32_t bytes)
{
	return mbw_settle(mbw_add(w, MBW_TX_AT, MBW_TX, bytes));
}
/* drop: later phases expect `count` arrivals fewer. */
static inline uint64_t mbw_arrive(uint64_t w, uint32_t count, bool drop)
{
	if (drop)
		w = mbw_add(w, MBW_EXPECTED_AT, MBW_COUNT, count);
	return mbw_settle(mbw_add(w, MBW_PENDING_AT, MBW_COUNT, count));
}
static inline uint64_t mbw_token(uint64_t w, bool no_complete)
{
	return (w & ~0xffffffffull) | no_complete;
}

struct warp;
struct uop;
struct cta;
/* `bytes` of a copy have arrived: updates the mbarrier at an offset of a block's shared memory; u
 * and lane: those of the copy. */
void mbarrier_complete(struct warp *w, const struct uop *u, unsigned lane, struct cta *owner,
		       uint32_t at, uint32_t bytes);

#endif
