/* The state of a group: what keeps it from issuing, or the unit that it needs when nothing does.
 *
 *   event -> sm_group_changed() -> state_of(), the reason nearest to the group -> set_state()
 *
 * A change of state moves the group between its scheduler's counts and sets (struct issuer, sm_set()),
 * which are all that schedulers.c looks at. */
#include "base/assert.h"
#include "sm/flight.h"
#include "sm/l1.h"
#include "sm/pipeline.h"
#include "sm/share.h"
#include "sm/threads.h"

/* True if a warp of the group has memory operations under way. Writes of mixed groups are not
 * attributed to a warp, so every fence waits for all of them. In the locked pipeline none of the
 * group's own instructions is under way now; a fence does not wait for instructions of other groups
 * of the warp, which may poll without end. Where threads have their own scoreboard, a fence waits for
 * operations in flight of the group's threads. */
static bool has_unfinished(const struct sm *sm, const struct group *g)
{
	uint16_t home[MAX_LANES];
	unsigned n = share_homes(sm, g, home);
	if (sm->mixed_writes || (sm->threads && threads_access(sm, g)))
		return true;
	while (n--)
		if (sm->locked || sm->threads ? sm->warp[home[n]].writes
					      : sm->warp[home[n]].outstanding)
			return true;
	return false;
}

static bool has_warp(const struct sm *sm, const struct group *g)
{
	return g->warp != GROUP_MIXED && sm->warp[g->warp].b;
}

/* The state of a group that does not run, or whose instruction is in the locked pipeline. */
static enum gstate state_at_rest(const struct sm *sm, const struct group *gr, const struct gslot *s)
{
	if (gr->wait == GROUP_NONE)
		return s->locked || has_warp(sm, gr) ? GS_DRAIN : GS_FREE;
	if (s->locked)
		return GS_LOCKED;
	return gr->wait == GROUP_BARRIER ? GS_BARRIER : GS_SYNC;
}

static enum gstate state_of(struct sm *sm, int g)
{
	const struct group *gr = &sm->div.group[g];
	struct gslot *s = &sm->slot[g];
	if (gr->wait != GROUP_RUNS || s->locked)
		return state_at_rest(sm, gr, s);
	const struct tinst *t = &sm_home(sm, gr)->code[gr->pc];
	enum gstate to = sm->pipe->holds(sm, g, t);
	if (to >= GS_READY && (t->flags & (T_FENCE | T_PAST)) == T_FENCE) {
		l1_flush(sm);
		if (has_unfinished(sm, gr))
			return GS_FENCE;
	}
	return to;
}

static void set_bit(uint64_t *set, unsigned k) { set[k / 64] |= 1ull << k % 64; }
static void clear_bit(uint64_t *set, unsigned k) { set[k / 64] &= ~(1ull << k % 64); }

/* A group that ends may have no warp any more: it leaves the lane in which it could issue. */
static void report_usable(struct sm *sm, int g, bool yes)
{
	if (yes)
		sm->able_lane[g] = sm_home(sm, &sm->div.group[g])->lane;
	sm->lanes.ops->usable(&sm->lanes, sm->able_lane[g], yes);
}

static bool waits_for_memory(enum gstate state)
{
	return state == GS_SCORE + W_GLOBAL || state == GS_SCORE + W_TEX;
}

/* Reports a group's new state: to the scheduler, if the group left (ended, or waits for long); to
 * the observer; and to the lanes, if the number of warps that can issue changes. */
static __attribute__((noinline)) void report_change(struct sm *sm, int g, enum gstate from,
						    enum gstate to)
{
	const struct gslot *s = &sm->slot[g];
	struct sched *sc = &sm->sched[s->sched];
	bool was = from != GS_FREE && !gstate_is_long(from),
	     is = to != GS_FREE && !gstate_is_long(to);
	if (sm->watch)
		watch_state(sm, g, from, to);
	if (was != is && sm->lanes.ops->usable)
		report_usable(sm, g, is);
	if (gstate_is_long(to) && sc->ops->blocked)
		sc->ops->blocked(sc, (int)s->k);
	if (sm->div.ops->stalls && waits_for_memory(from) != waits_for_memory(to))
		sm->div.ops->stalls(&sm->div, g, waits_for_memory(to));
	if (to != GS_FREE)
		return;
	clear_bit(sm_set(sm, s->sched, SET_BUSY), s->k);
	if (sc->ops->left)
		sc->ops->left(sc, (int)s->k);
}

static inline void set_state(struct sm *sm, int g, enum gstate to)
{
	struct gslot *s = &sm->slot[g];
	enum gstate from = s->state;
	unsigned n = s->sched, k = s->k;
	if (from == to) {
		if (to >= GS_READY) /* the group may be at another instruction now */
			sm->found[n].again = 0;
		return;
	}
	s->state = (uint8_t)to;
	sm->found[n].again = 0;
	struct issuer *is = &sm->issuer[n];
	assert_hot(is->count[from]);
	if (!--is->count[from])
		is->states &= ~(1u << from);
	if (!is->count[to]++)
		is->states |= 1u << to;
	if (from >= GS_READY)
		clear_bit(sm_set(sm, n, SET_READY + from - GS_READY), k);
	if (to >= GS_READY)
		set_bit(sm_set(sm, n, SET_READY + to - GS_READY), k);
	if (from == GS_FREE)
		set_bit(sm_set(sm, n, SET_BUSY), k);
	if (gstate_is_long(to) || to == GS_FREE || sm->tells)
		report_change(sm, g, from, to);
}

static __attribute__((noinline)) void look_again(struct sm *sm, int g)
{
	if (sm->threads)
		threads_look(sm, g);
	if (sm->npaused)
		block_mark_paused(sm, g);
	set_state(sm, g, state_of(sm, g));
}

/* The common cases need neither a call nor saved registers: the group runs and its buffer is empty;
 * or its instruction is there, and only the scoreboard could hold it. */
void sm_group_changed(struct sm *sm, int g)
{
	const struct group *gr = &sm->div.group[g];
	struct gslot *s = &sm->slot[g];
	if (gr->wait != GROUP_RUNS || sm->asks_pipe || s->stale) {
		look_again(sm, g);
		return;
	}
	if (!s->ib_n && !sm->late_redirect) {
		s->ib_pc = gr->pc;
		fetch_want(sm, g);
		set_state(sm, g, GS_IBUFFER);
		return;
	}
	if (!s->ib_n || s->ib_pc != gr->pc || s->atomics || s->chained || gr->warp == GROUP_MIXED) {
		look_again(sm, g);
		return;
	}
	const struct sm_warp *w = &sm->warp[gr->warp];
	const struct tinst *t = &w->code[gr->pc];
	if (w->deferred || (t->flags & T_FENCE))
		look_again(sm, g);
	else if (regset_meets(&s->pend, &t->use))
		set_state(sm, g, GS_SCORE + flight_producer(s, t));
	else
		set_state(sm, g, GS_READY + t->unit);
}
