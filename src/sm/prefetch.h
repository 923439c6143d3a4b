/* Prefetches the data of the next issues into the host's caches.
 *
 * A window of one SM drives the data of the other SMs out of the host's caches, and each group
 * issues once or twice in a window: nearly every issue would begin with cache misses. So while one
 * group issues, prefetch_after() fetches the executor warp and the rows that the next ready group's
 * instruction reads, and the state of the group after that. A wrong guess costs only the prefetch.
 *
 * The functions must be inlined: gcc considers a function that only prefetches to have no effects
 * and drops its calls. */
#ifndef SM_PREFETCH_H
#define SM_PREFETCH_H
#include "exec/lanes.h"
#include "sm/sm.h"

static inline int ready_after(const struct sm *sm, int k)
{
	const uint64_t *set = sm->candidates;
	unsigned words = sm->words, w = (unsigned)k / 64;
	uint64_t after = set[w] & ~1ull << k % 64;
	if (words == 1)
		return __builtin_ctzll(after ? after : set[0]); /* k itself is in the set */
	while (!after && ++w < words)
		after = set[w];
	if (after)
		return (int)(w * 64 + (unsigned)__builtin_ctzll(after));
	return set[0] ? __builtin_ctzll(set[0]) : -1;
}

static inline __attribute__((always_inline)) void prefetch_state(const struct sm *sm, int g)
{
	const char *s = (const char *)&sm->slot[g],
		   *w = (const char *)&sm->warp[(unsigned)g % sm->nwarps];
	__builtin_prefetch(&sm->div.group[g]);
	__builtin_prefetch(s, 1);
	__builtin_prefetch(s + 64, 1);
	__builtin_prefetch(w, 1);
}

static inline __attribute__((always_inline)) void prefetch_operands(const struct sm *sm, int g)
{
	const struct group *gr = &sm->div.group[g];
	if (gr->warp == GROUP_MIXED || gr->wait != GROUP_RUNS)
		return;
	const struct sm_warp *w = &sm->warp[gr->warp];
	const struct tinst *t = &w->code[gr->pc];
	const char *ws = (const char *)w->ws[0];
	__builtin_prefetch(ws, 1);
	__builtin_prefetch(ws + 64, 1);
	__builtin_prefetch(ws + 128);
	for (unsigned i = 0; i < t->nread; i++) {
		const uint8_t *row = w->rows + ((size_t)gr->frame.rows + t->read[i]) * ROW;
		__builtin_prefetch(row);
		__builtin_prefetch(row + 64);
	}
}

static inline __attribute__((always_inline)) void prefetch_after(const struct sm *sm, unsigned n,
								 int k)
{
	int next = ready_after(sm, k), then = next < 0 ? -1 : ready_after(sm, next);
	if (next < 0 || next == k)
		return;
	prefetch_operands(sm, next * (int)sm->nsched + (int)n);
	if (then != k)
		prefetch_state(sm, then * (int)sm->nsched + (int)n);
}

#endif
