/* Executes a loop that takes the locks of words in shared memory, changes the words and releases
 * the locks, for all rounds of a warp at once: the form that shared atomics have in native code
 * (kernel/lock_loop.c finds such loops).
 *
 * The lowest lane that asks for a lock gets it, and releases it in that round. So a lane's round is
 * the number of lower lanes with that lock, which one pass over the lanes computes, with the locks
 * themselves as counters. The operations of each round are executed as usual, by the right lanes in
 * order. */
#include "exec/context.h"
#include "exec/memory/quads.h"

/* Each lane of m increments the counter of its lock. Returns the lanes that found 0. */
ALWAYS_INLINE uint32_t queue(uint8_t *lock, const uint32_t *addr, uint32_t off, uint32_t m)
{
	uint32_t first = 0;
	if (m == ~0u) {
		for (uint32_t j = 0; j < LANES; j += 8) {
			uint32_t now = 0; /* lanes of a group of eight that found 0; a local mask
					   * per group keeps the dependence chain short */
			UNROLL_8 for (uint32_t i = 0; i < 8; i++)
			{
				uint32_t n = lock_number(addr[j + i] + off), before = lock[n];
				lock[n] = (uint8_t)(before + 1);
				now |= (before - 1) >> 31 << i;
			}
			first |= now << j;
		}
		return first;
	}
	for (; m; m &= m - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(m);
		first |= (uint32_t)!lock[lock_number(addr[i] + off)]++ << i;
	}
	return first;
}

/* Computes the rounds of lanes m after the first round, from the highest lane down: the number at
 * its lock without its own increment. The first lane's increment is left. Returns the number of
 * rounds; 0: another warp holds a lock. */
static uint32_t line_up(uint8_t *lock, const uint32_t *addr, uint32_t off, uint32_t m,
			uint32_t *gets)
{
	uint32_t turns = 1;
	bool locked = false;
	for (; m; m &= ~(1u << (31 - __builtin_clz(m)))) {
		uint32_t i = 31 - (uint32_t)__builtin_clz(m),
			 t = --lock[lock_number(addr[i] + off)];
		if (t >= LOCKED) {
			locked = true;
			continue;
		}
		for (; turns <= t; turns++)
			gets[turns] = 0;
		gets[t] |= 1u << i;
	}
	return locked ? 0 : turns;
}

/* Stores words s of lanes m and releases their locks. A separate function, so that its variables
 * stay in registers. */
static __attribute__((noinline)) void store(uint8_t *host, uint8_t *lock, const uint32_t *lo,
					    uint32_t off, const uint32_t *s, uint32_t m)
{
	for (; m; m &= m - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(m), a = lo[i];
		memcpy(host + a, s + i, 4);
		lock[lock_number(a + off)] = 0;
	}
}

/* True if the words of all lanes of m are in the range and aligned. */
static bool inside(const uint32_t *lo, const struct reach *q, uint32_t m)
{
	piece bad = {0};
	if (m == ~0u)
		return quads_inside(lo, q, (vec4){0}, 4);
	for (int j = 0; j < LANES; j += PIECE) {
		piece x = *(const piece_at *)(lo + j);
		bad |= ((piece)(x - q->first > (piece){0} + q->last) | (x & 3)) & piece_on(j, m);
	}
	return !piece_any(bad);
}

ALWAYS_INLINE vec4 word4_at(const uint8_t *host, const uint32_t *off)
{
	vec4 x;
	for (int i = 0; i < 4; i++) {
		uint32_t word;
		memcpy(&word, host + off[i], 4);
		x[i] = word;
	}
	return x;
}

static void load_word(const struct reach *q, const uint32_t *lo, uint32_t *d, uint32_t m)
{
	if (m == ~0u) {
		ROW_OF(d, word4_at, (uint8_t *)q->add, lo, true, 0);
		return;
	}
	for (; m; m &= m - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(m);
		memcpy(d + i, quads_at(q, lo[i]), 4);
	}
}

static void run_loop(struct warp *w, const struct uop *u, uint32_t asks, uint64_t *off)
{
	uint32_t m = asks;
	if (u->guard >= 0) {
		m &= u->guard_neg ? ~w->pred[u->guard] : w->pred[u->guard];
		*off += (uint64_t)__builtin_popcount(asks & ~m);
	}
	w->mask = m;
	if (m == ~0u)
		u->full(w, u);
	else if (m)
		u->part(w, u);
}

uint32_t lock_loop(struct warp *w, const struct uop *u, uint32_t n, uint32_t active, uint64_t *off,
		   uint32_t *asks)
{
	const struct uop *ld = u + 1;
	const uint32_t *lo = row_u32(w, u->a);
	uint32_t at = (uint32_t)u->offset, gets[LANES];
	uint8_t *lock = w->cta->lock;
	struct reach q;
	if (!quads_range(w, ld, &w->cta->shared_win, 4, &q) || !inside(lo, &q, active))
		return 0;
	gets[0] = queue(lock, lo, at, active);
	uint32_t turns = line_up(lock, lo, at, active & ~gets[0], gets);
	if (!turns)
		for (uint32_t m = gets[0]; m; m &= m - 1)
			lock[lock_number(lo[__builtin_ctz(m)] + at)] = 0;
	for (uint32_t t = 0; t < turns; t++) {
		asks[t] = active;
		w->active = active;
		pred_write(w, u->d, gets[t], active);
		load_word(&q, lo, row_u32(w, ld->d), active);
		for (uint32_t k = 2; k < n; k++)
			if (u[k].op != OP_ST) {
				run_loop(w, &u[k], active, &off[k]);
			} else {
				store((uint8_t *)q.add, lock, lo, at, row_u32(w, u[k].v[1]),
				      gets[t]);
				off[k] += (uint64_t)__builtin_popcount(active & ~gets[t]);
			}
		active &= ~gets[t];
	}
	return turns;
}
