/* Addresses of memory operations and the way from a device address to bytes.
 *
 * A memory uop has: a, the base register's rows (or SINK: none); imm, the offset; aux, the space and
 * how to add up; target, the number of its slot (the allocation it used last).
 * Fast paths ask mem_try() for a whole run of lanes; everything else goes lane by lane through
 * mem_lane(), which also finds the faults and feeds the race and initialisation checks.             */
#ifndef EXEC_ACCESS_H
#define EXEC_ACCESS_H
#include "exec/context.h"
#include "exec/lanes.h"

enum {
	AUX_SPACE = 15,  /* enum space */
	AUX_A64 = 16,    /* base register is 64 bits wide */
	AUX_FRAME = 32,  /* relative to the current local frame */
	AUX_UNIFORM = 64,/* no base register: one address for all lanes */
};

enum access { ACC_READ, ACC_WRITE, ACC_ATOMIC };

static inline uint64_t lane_addr(const struct warp *w, const struct uop *u, int i)
{
	uint64_t a = u->imm;
	if (u->a != SINK) {
		const uint32_t *p = row_u32(w, u->a);
		a = (u->aux & AUX_A64) ? a + pair_get(p, i) : (uint32_t)(a + p[i]);
	}
	return (u->aux & AUX_FRAME) ? a + w->lbase : a;
}

/* Do the lanes of `m` (the first is `f`, at address `first`) access consecutive pieces of `step` bytes? */
static inline bool lanes_contiguous(const struct warp *w, const struct uop *u, uint32_t m, int f, uint32_t step)
{
	if (u->a == SINK)
		return false;
	const uint32_t *lo = row_u32(w, u->a);
	uint32_t ref = lo[f] - step * (uint32_t)f, acc = 0;
	if (u->aux & AUX_A64) {
		const uint32_t *hi = lo + LANES;
		uint32_t h = hi[f];
		for (int i = 0; i < LANES; i++) {
			uint32_t on = (m & lane_bit[i]) ? ~0u : 0;
			acc |= ((lo[i] - (ref + step * (uint32_t)i)) | (hi[i] ^ h)) & on;
		}
	} else {
		for (int i = 0; i < LANES; i++) {
			uint32_t on = (m & lane_bit[i]) ? ~0u : 0;
			acc |= (lo[i] - (ref + step * (uint32_t)i)) & on;
		}
	}
	return acc == 0;
}

static inline bool lanes_uniform(const struct warp *w, const struct uop *u, uint32_t m, int f)
{
	return u->a == SINK || lanes_contiguous(w, u, m, f, 0);
}

/* Bytes [a, a + n) if they lie in what this instruction used last (or in shared memory, or the
 * parameters), else NULL. No alignment check. */
static inline uint8_t *mem_try(struct warp *w, const struct uop *u, uint64_t a, uint64_t n)
{
	const struct cta *b = w->cta;
	const struct window *win;
	switch (u->aux & AUX_SPACE) {
	case SP_SHARED: win = &b->shared_win; break;
	case SP_GENERIC:
		win = a - SHARED_BASE < WINDOW_SPAN ? &b->shared_gen : &b->x->slot[u->target];
		break;
	case SP_PARAM: win = &b->l->param; break;
	case SP_LOCAL: return NULL;
	default: win = &b->x->slot[u->target]; break;
	}
	return window_has(win, a, n) ? win->host + (a - win->lo) : NULL;
}

/* The same with the slot refilled from the table of allocations when needed. */
uint8_t *mem_find(struct warp *w, const struct uop *u, uint64_t a, uint64_t n, enum access acc);

/* One lane's bytes [a, a + n), n <= 32, checked: NULL after a fault (or when checks are off and the
 * address is bad). Local memory has no linear bytes: *local is set and the rows are used. */
uint8_t *mem_lane(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
                  uint32_t align, enum access acc, uint32_t **local);

/* Copies n bytes of one lane between memory and buf; false after a fault. */
bool mem_load(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, void *buf, uint32_t n, uint32_t align);
bool mem_store(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, const void *buf, uint32_t n, uint32_t align);

/* Shadow memory hook (--check): one access of one lane. */
void shadow_access(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n, enum access acc,
                   enum space sp, struct alloc *al);

#endif
