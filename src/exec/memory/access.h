/* Addresses of memory operations, and the path from a device address to bytes.
 *
 * A memory uop has: a, the base register's rows (or SINK: none); imm, the offset; aux, the space
 * and the form of the sum; target, the number of its window (the allocation it used last). Fast
 * paths ask lanes_locate() for all lanes at once; everything else goes lane by lane through
 * mem_lane(), which also detects faults and feeds the race and initialisation checks. */
#ifndef EXEC_ACCESS_H
#define EXEC_ACCESS_H
#include "exec/context.h"
#include "exec/lanes.h"
#include "exec/piece.h"

enum {
	AUX_SPACE = 15,   /* enum space */
	AUX_A64 = 16,     /* base register is 64 bits wide */
	AUX_FRAME = 32,   /* relative to the current local frame */
	AUX_CLUSTER = 64, /* .shared::cluster; 128 is ld.c's */
};

enum access { ACC_READ, ACC_WRITE, ACC_ATOMIC };

static inline uint64_t lane_addr(const struct warp *w, const struct uop *u, int i)
{
	uint64_t a = u->offset;
	if (u->a != SINK) {
		const uint32_t *p = row_u32(w, u->a);
		a = (u->aux & AUX_A64) ? a + pair_get(p, i) : (uint32_t)(a + p[i]);
	}
	return (u->aux & AUX_FRAME) ? a + w->lbase : a;
}

/* The window that address a of this instruction falls into, without a search of the allocations:
 * shared memory, parameters, or the allocation used last. NULL for local memory. */
static inline const struct window *mem_window(const struct warp *w, const struct uop *u, uint64_t a)
{
	const struct cta *b = w->cta;
	switch (u->aux & AUX_SPACE) {
	case SP_SHARED: return &b->shared_win;
	case SP_GENERIC:
		return a - SHARED_BASE < WINDOW_SPAN ? &b->shared_gen : &b->x->window[u->target];
	case SP_PARAM: return &b->l->param;
	case SP_LOCAL: return NULL;
	default: return &b->x->window[u->target];
	}
}

/* Finds the allocation that contains [a, a + n) and makes it the instruction's window; NULL: no
 * allocation contains the range. */
const struct window *mem_refill(struct warp *w, const struct uop *u, uint64_t a, uint64_t n,
				enum access acc);

/* Bytes [a, a + n) if they lie in one window, else NULL. No alignment check. */
static inline uint8_t *mem_find(struct warp *w, const struct uop *u, uint64_t a, uint64_t n,
				enum access acc)
{
	const struct window *win = mem_window(w, u, a);
	if (!win || (!window_has(win, a, n) && !(win = mem_refill(w, u, a, n, acc))))
		return NULL;
	return win->host + (a - win->lo);
}

/* The pattern of the lanes' addresses in a window. */
enum { LANES_OUTSIDE, LANES_SCATTERED, LANES_CONTIGUOUS, LANES_UNIFORM };

/* Offsets of the lanes of m in the window (other lanes: 0), and their pattern, in one pass over the
 * lanes. Lane f of m is at offset `first`; each lane accesses n bytes, a power of two. `wide`: bases
 * have 64 bits; those of 32 wrap. LANES_OUTSIDE if some lane's bytes are not all inside, or not
 * aligned. */
ALWAYS_INLINE int offsets_of(const uint32_t *lo, uint64_t ref, bool wide, uint32_t m, int f,
			     uint32_t last, uint32_t n, uint32_t *off)
{
	uint32_t ref_lo = (uint32_t)ref, first = lo[f] - ref_lo;
	piece bad = {0}, same = {0}, run = {0};
	piece at = first - n * (uint32_t)f + *(const piece_at *)lane_number * n;
	for (int j = 0; j < LANES; j += PIECE, at += n * PIECE) {
		piece on = piece_on(j, m), y = *(const piece_at *)(lo + j), x = (y - ref_lo) & on;
		if (wide) { /* a true vector comparison is -1, which is the borrow */
			piece hi = *(const piece_at *)(lo + LANES + j) - (uint32_t)(ref >> 32);
			bad |= (hi + (piece)(y < (piece){0} + ref_lo)) & on;
		}
		bad |= (piece)(x > (piece){0} + last) | (x & (n - 1));
		same |= (x ^ first) & on;
		run |= (x ^ at) & on;
		*(piece_at *)(off + j) = x;
	}
	if (piece_any(bad))
		return LANES_OUTSIDE;
	return !piece_any(run)    ? LANES_CONTIGUOUS
	       : !piece_any(same) ? LANES_UNIFORM
				  : LANES_SCATTERED;
}

/* lanes_offsets(): offsets_of() for the addresses of u. */
ALWAYS_INLINE int lanes_offsets(const struct warp *w, const struct uop *u, uint32_t m,
				const struct window *win, int f, uint32_t n, uint32_t *off)
{
	const uint32_t *lo = row_u32(w, u->a);
	uint64_t ref = win->lo - u->offset - ((u->aux & AUX_FRAME) ? w->lbase : 0);
	uint32_t last = win->size - n > UINT32_MAX ? UINT32_MAX : (uint32_t)(win->size - n);
	if (win->size < n || (win->lo & (n - 1)))
		return LANES_OUTSIDE;
	return (u->aux & AUX_A64) ? offsets_of(lo, ref, true, m, f, last, n, off)
				  : offsets_of(lo, ref, false, m, f, last, n, off);
}

/* lanes_locate(): offsets_of() for any memory operand: finds the window first. *p: the first lane's
 * bytes. */
ALWAYS_INLINE int lanes_locate(struct warp *w, const struct uop *u, uint32_t m, int f, uint32_t n,
			       enum access acc, uint32_t *off, uint8_t **p, uint8_t **host)
{
	uint64_t a = lane_addr(w, u, f);
	const struct window *win = mem_window(w, u, a);
	if (!win || (!window_has(win, a, n) && !(win = mem_refill(w, u, a, n, acc))) ||
	    (acc != ACC_READ && win == &w->cta->l->param))
		return LANES_OUTSIDE;
	*host = win->host;
	*p = win->host + (a - win->lo);
	if (u->a == SINK)
		return a & (n - 1) ? LANES_OUTSIDE : LANES_UNIFORM;
	return lanes_offsets(w, u, m, win, f, n, off);
}

/* True if all lanes of m have one address (local memory). */
static inline bool lanes_uniform(const struct warp *w, const struct uop *u, uint32_t m, int f)
{
	if (u->a == SINK)
		return true;
	const uint32_t *lo = row_u32(w, u->a), *hi = (u->aux & AUX_A64) ? lo + LANES : lo;
	uint32_t acc = 0;
	for (int i = 0; i < LANES; i++)
		acc |= ((lo[i] ^ lo[f]) | (hi[i] ^ hi[f])) & ((m & lane_bit[i]) ? ~0u : 0);
	return acc == 0;
}

/* True if address a of memory operand u is in global memory, neither the block's nor the thread's
 * own. */
static inline bool mem_is_global(const struct warp *w, const struct uop *u, uint64_t a)
{
	unsigned space = u->aux & AUX_SPACE;
	bool cluster = w->cta->cluster && a - CLUSTER_BASE < CLUSTER_SPAN;
	return space == SP_GLOBAL || (space == SP_GENERIC && a >= HEAP_BASE && !cluster);
}

/* The host address of one lane's bytes [a, a + n), n <= 32, after checks; NULL: a fault (or an
 * invalid address while checks are off). Local memory is not contiguous per lane: *local is set,
 * and the caller must use its rows. */
uint8_t *mem_lane(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
		  uint32_t align, enum access acc, uint32_t **local);

/* Copies n bytes of one lane between memory and buf; false after a fault. */
bool mem_load(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, void *buf, uint32_t n,
	      uint32_t align);
bool mem_store(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, const void *buf,
	       uint32_t n, uint32_t align);

/* Any load, any store, lane by lane: the reference for the fast paths. */
exec_fn ld_lanes, st_lanes;

#endif
