/* Memory operations of full warps: the pattern of the 32 addresses, examined in fours.
 *
 * In tiles, rows and streams every four lanes have four consecutive elements, or one element. One
 * pass of vector compares detects that and also checks the range and alignment of every lane; then
 * eight vector copies are enough. Contiguous and uniform warps are not distinguished from runs of
 * 4, 8 or 16 lanes: eight copies serve all.
 *
 * Warps with inactive lanes are examined as a whole if their first two lanes are neither
 * consecutive nor equal: then the other lanes are assumed not to be either, and one pass of checks
 * is enough.
 *
 * Only windows whose bytes share one upper address word are examined here. Other windows, and every
 * warp with a lane outside or misaligned, take the paths of access.h, which find the same bytes and
 * the faults. */
#ifndef EXEC_QUADS_H
#define EXEC_QUADS_H
#include "exec/memory/access.h"
#include "exec/piece.h"

enum { QUADS_OUTSIDE, QUADS_SCATTERED, QUADS_RUN, QUADS_SAME };

/* Finds the range of base addresses that reach a window. False: the range is empty or spans several
 * upper words. */
ALWAYS_INLINE bool quads_range(const struct warp *w, const struct uop *u, const struct window *win,
			       uint32_t n, struct reach *q)
{
	uint64_t shift = u->offset + ((u->aux & AUX_FRAME) ? w->lbase : 0);
	uint64_t first = win->lo - shift, last = win->size - n;
	uint8_t *host = win->host;
	if (win->size < n || ((win->lo | shift) & (n - 1)))
		return false;
	if ((int64_t)first < 0) { /* an offset beyond the window's start: the lowest base is 0 */
		if (last < 0 - first)
			return false;
		host += 0 - first;
		last -= 0 - first;
		first = 0;
	}
	if ((first + last) >> 32 != first >> 32 || (!(u->aux & AUX_A64) && (first + last) >> 32))
		return false;
	*q = (struct reach){(uint32_t)first, (uint32_t)(first >> 32), (uint32_t)last, n,
			    (uintptr_t)host - (uint32_t)first};
	return true;
}

/* True if the n bytes (a power of two) of every lane are in the range and aligned. `upper`: the
 * upper words. */
ALWAYS_INLINE bool quads_inside(const uint32_t *lo, const struct reach *q, vec4 upper, uint32_t n)
{
	vec4 bad = upper;
	for (int j = 0; j < LANES; j += 4) {
		vec4 x = *(const vec4_at *)(lo + j);
		bad |= (vec4)(x - q->first > (vec4){0} + q->last) | (x & (n - 1));
	}
	return !vec4_any(bad);
}

/* Finds the pattern of the addresses. `wide`: bases have an upper word; device addresses start low
 * (devmem.h), so it is nearly always `zero`, which needs no compare. Where four lanes follow their
 * first one, only that one is checked. */
ALWAYS_INLINE int quads_shape(const uint32_t *lo, const struct reach *q, bool wide, bool zero,
			      uint32_t n)
{
	uint32_t step = lo[1] - lo[0];
	vec4 ramp = {0, step, 2 * step, 3 * step}, bent = {0}, upper = {0};
	for (int j = 0; j < LANES; j += 4) {
		bent |= *(const vec4_at *)(lo + j) ^ (lo[j] + ramp);
		if (wide) {
			vec4 h = *(const vec4_at *)(lo + LANES + j);
			upper |= zero ? h : h ^ q->upper;
		}
	}
	vec4 x = {lo[0], lo[4], lo[8], lo[12]}, y = {lo[16], lo[20], lo[24], lo[28]};
	vec4 last = (vec4){0} + (q->last - 3 * step);
	vec4 bad = (vec4)(x - q->first > last) | (vec4)(y - q->first > last) | ((x | y) & (n - 1));
	if ((step && step != n) || q->last < 3 * step || vec4_any(bent | upper | bad))
		return quads_inside(lo, q, upper, n) ? QUADS_SCATTERED : QUADS_OUTSIDE;
	return step ? QUADS_RUN : QUADS_SAME;
}

/* range_of_lane(): quads_range() of the window that lane f's address falls into; global memory's
 * window is known from the last search. */
ALWAYS_INLINE bool range_of_lane(const struct warp *w, const struct uop *u, int f, uint32_t n,
				 enum access acc, struct reach *q)
{
	if ((u->aux & AUX_SPACE) == SP_GLOBAL) {
		*q = w->cta->x->window[u->target].reach;
		return q->bytes == n;
	}
	const struct window *win = mem_window(w, u, lane_addr(w, u, f));
	return win && (acc == ACC_READ || win != &w->cta->l->param) && quads_range(w, u, win, n, q);
}

/* quads_locate(): quads_shape() for any memory operand of a full warp. Lane i's bytes are at
 * quads_at(base, i). */
ALWAYS_INLINE int quads_locate(struct warp *w, const struct uop *u, uint32_t n, enum access acc,
			       struct reach *q)
{
	if (u->a == SINK)
		return QUADS_OUTSIDE;
	const uint32_t *lo = row_u32(w, u->a);
	bool wide = u->aux & AUX_A64;
	if (!range_of_lane(w, u, 0, n, acc, q))
		return QUADS_OUTSIDE;
	if (wide && q->upper)
		return quads_shape(lo, q, true, false, n);
	return wide ? quads_shape(lo, q, true, true, n) : quads_shape(lo, q, false, true, n);
}

static inline uint8_t *quads_at(const struct reach *q, uint32_t lo)
{
	return (uint8_t *)(q->add + lo);
}

/* A few lanes, as at the edges of a graph's frontier, one by one: no vectors, and a constant number
 * of iterations, which the host predicts. (Eight are not faster this way.) */
enum { FEW = 4 };
#define EACH_FEW UNROLL_8 for (unsigned k = 0; k < FEW; k++)

/* True if lanes m are few and their elements of n bytes are inside one window. lane[] lists them,
 * repeating the last if there are fewer than FEW; at[k] are lane[k]'s bytes. */
ALWAYS_INLINE bool few_locate(const struct warp *w, const struct uop *u, uint32_t m, uint32_t n,
			      enum access acc, unsigned lane[FEW], uint8_t *at[FEW])
{
	struct reach q;
	uint32_t bad = 0, b = m & (m - 1), c = b & (b - 1), d = c & (c - 1);
	if ((d & (d - 1)) || u->a == SINK)
		return false;
	lane[0] = (unsigned)__builtin_ctz(m);
	lane[1] = b ? (unsigned)__builtin_ctz(b) : lane[0];
	lane[2] = c ? (unsigned)__builtin_ctz(c) : lane[1];
	lane[3] = d ? (unsigned)__builtin_ctz(d) : lane[2];
	if (!range_of_lane(w, u, (int)lane[0], n, acc, &q))
		return false;
	const uint32_t *lo = row_u32(w, u->a);
	EACH_FEW
	{
		uint32_t x = lo[lane[k]];
		bad |= (x - q.first > q.last) | (x & (n - 1));
		if (u->aux & AUX_A64)
			bad |= lo[LANES + lane[k]] ^ q.upper;
		at[k] = (uint8_t *)(q.add + x);
	}
	return !bad;
}

/* Words of inactive lanes are read and discarded where that is faster, except in checked launches,
 * whose pages are watched (cuda/touch.c). Other host threads may be writing these words, which the
 * thread sanitizer reports as a race. */
#ifdef __SANITIZE_THREAD__
enum { READS_FOR_NOTHING = false };
#else
enum { READS_FOR_NOTHING = true };
#endif

/* For lanes m, not all, each at a different place: the number to add to q->add for each lane's
 * element of n bytes. The result is the row of addresses itself if the inactive lanes' addresses
 * are good too, and otherwise `off`, where inactive lanes have the first lane's. NULL: take the
 * paths of access.h. */
ALWAYS_INLINE const uint32_t *spread_locate(struct warp *w, const struct uop *u, uint32_t m,
					    uint32_t n, enum access acc, struct reach *q,
					    uint32_t *off)
{
	if (u->a == SINK)
		return NULL;
	const uint32_t *lo = row_u32(w, u->a);
	int f = __builtin_ctz(m), g = (m & (m - 1)) ? __builtin_ctz(m & (m - 1)) : f;
	if (f != g && (lo[f] == lo[g] || lo[g] - lo[f] == n * (uint32_t)(g - f)))
		return NULL;
	if (!range_of_lane(w, u, f, n, acc, q))
		return NULL;
	piece bad = {0};
	bool wide = u->aux & AUX_A64, all = READS_FOR_NOTHING && !w->cta->check;
	for (int j = 0; j < LANES && all; j += PIECE) {
		piece x = *(const piece_at *)(lo + j);
		bad |= (piece)(x - q->first > (piece){0} + q->last) | (x & (n - 1));
		if (wide)
			bad |= *(const piece_at *)(lo + LANES + j) ^ q->upper;
	}
	if (all && !piece_any(bad))
		return lo;
	bad = (piece){0};
	for (int j = 0; j < LANES; j += PIECE) {
		piece on = piece_on(j, m), x = *(const piece_at *)(lo + j);
		piece out = (piece)(x - q->first > (piece){0} + q->last) | (x & (n - 1));
		if (wide)
			out |= *(const piece_at *)(lo + LANES + j) ^ q->upper;
		bad |= out & on;
		*(piece_at *)(off + j) = (x & on) | (lo[f] & ~on);
	}
	return piece_any(bad) ? NULL : off;
}

#endif
