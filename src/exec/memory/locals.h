/* Local memory lane by lane, at local addresses and at generic ones: functions get references to
 * local variables as generic addresses. Its words are rows, as registers are: word k of lane i is
 * local[k * LANES + i]. Lanes at one address, the usual case (spills, arrays with a common index),
 * are whole rows. */
#ifndef EXEC_LOCALS_H
#define EXEC_LOCALS_H
#include "exec/memory/access.h"

/* Offsets of the lanes of m in their local memory (other lanes: 0) and their pattern, as
 * lanes_offsets() gives them; LANES_OUTSIDE also where the first lane's address is not of local
 * memory at all. */
ALWAYS_INLINE int locals_locate(const struct warp *w, const struct uop *u, uint32_t m, int f,
				uint32_t n, uint32_t *off)
{
	bool generic = (u->aux & AUX_SPACE) == SP_GENERIC;
	if (!generic && (u->aux & AUX_SPACE) != SP_LOCAL)
		return LANES_OUTSIDE;
	struct window all = {.lo = generic ? LOCAL_BASE : 0, .size = w->cta->l->stack_bytes};
	uint64_t a = lane_addr(w, u, f);
	if (!window_has(&all, a, n))
		return LANES_OUTSIDE;
	if (u->a != SINK)
		return lanes_offsets(w, u, m, &all, f, n, off);
	off[f] = (uint32_t)(a - all.lo);
	return a & (n - 1) ? LANES_OUTSIDE : LANES_UNIFORM;
}

static inline uint32_t *local_word(const struct warp *w, uint32_t off, unsigned lane)
{
	return (uint32_t *)(w->local + off / 4 * ROW) + lane;
}

static inline uint8_t *local_byte(const struct warp *w, uint32_t off, unsigned lane)
{
	return (uint8_t *)local_word(w, off, lane) + off % 4;
}

#endif
