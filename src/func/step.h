/* A step of the functional run loops, shared by code with reconvergence points (run.c) and native
 * code (tokens.c). Instructions are counted per straight-line run: +1 where it starts, -1 where it
 * ends. */
#ifndef FUNC_STEP_H
#define FUNC_STEP_H
#include "func/func.h"
#include "func/touch.h"
#include "kernel/poll.h"

/* Returns the number of lanes in a mask. The compiler's builtin is a function call on hosts whose
 * oldest processors lack a population count. */
static inline uint32_t lane_count(uint32_t m)
{
	m -= m >> 1 & 0x55555555;
	m = (m & 0x33333333) + (m >> 2 & 0x33333333);
	return ((m + (m >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* Ends the straight-line run of lanes `active` at `next`. */
static inline void count_run(struct fwarp *fw, struct worker *k, uint32_t next, uint32_t active)
{
	int64_t n = (int64_t)next - fw->seg;
	int64_t lanes = lane_count(active);
	k->issued[fw->seg]++;
	k->issued[next]--;
	k->lanes[fw->seg] += lanes;
	k->lanes[next] -= lanes;
	k->fuel -= n;
	fw->ws->w.ninst += (uint64_t)n;
}

static inline void count_off(struct worker *k, uint32_t pc, uint32_t lanes)
{
	k->off[pc] += lane_count(lanes);
}

/* Returns the lanes of `active` that the guard of u leaves on. */
static inline uint32_t guard_mask(const struct warp *w, const struct uop *u, uint32_t active)
{
	uint32_t p = w->pred[u->guard];
	return active & (u->guard_neg ? ~p : p);
}

static inline void execute_uop(struct warp *w, const struct uop *u, uint32_t m)
{
	w->mask = m;
	if (m == ~0u)
		u->full(w, u);
	else if (m)
		u->part(w, u);
}

/* Reports the global memory that lanes m are about to access with u to the launch's observer, if
 * there is one. */
static inline void name_access(const struct warp *w, const struct uop *u, uint32_t pc, uint32_t m)
{
	const struct touch *t = worker_of(w->cta)->touch;
	if (t && t->bytes[pc])
		touch_lanes(t, w, u, pc, m);
}

/* Executes operations from u on that can only compute or fault (run.c). Returns the first operation
 * that may branch, wait or end; NULL after a fault. off: per pc, lanes switched off. */
const struct uop *run_straight(struct warp *w, const struct uop *u, uint32_t active, uint64_t *off,
			       const struct uop *code);

/* run.c: executes control flow other than a branch by lanes m of the top path at pc. Afterwards the
 * stack has the next pc. */
void path_control(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m);

/* Waits for the block's turn before an operation that communicates between blocks. True: the
 * operation is postponed to the block's next round, and the warp stops before it with
 * STOP_YIELD. */
static inline bool ordered_leaves(struct fwarp *fw, struct worker *k, const struct uop *u,
				  uint32_t pc, uint32_t m)
{
	struct cta *b = fw->ws->w.cta;
	if (!fblock_of(b)->turn)
		k->take_turn(fblock_of(b));
	return pace_leaves_round(fw, u, pc, m);
}

/* Handles the poll u after lanes m have executed it. True: it failed, and not for the first
 * time. */
static inline bool poll_waits(struct fwarp *fw, const struct uop *u, uint32_t pc, uint32_t m)
{
	uint64_t key = poll_key(fw->ws, u, m);
	bool waits = warp_polls(fw->ws, pc, key);
	pace_looks(fw, u, pc, m, waits);
	waits = waits || circle_closes(fw, u, pc, m, key);
	if (waits)
		fw->ws->spins = 0;
	return waits;
}

#endif
