/* A cycle of the SM's schedulers.
 *
 *   free_units() -> find_candidates(): ready groups whose unit is free -> sched.pick() -> issue_group()
 *
 * A scheduler that issues nothing counts the cycle under the state nearest to issue among its groups.
 * While none of its groups changes, such a scheduler rests: every cycle repeats its last cause
 * (is_resting()). */
#include "base/assert.h"
#include "sm/issue.h"
#include "sm/lsu.h"
#include "sm/pipeline.h"
#include "sm/prefetch.h"

/* Groups that poll in vain are candidates only if there is no other candidate. */
static void put_back_yielding(struct sm *sm, unsigned n)
{
	const uint64_t *yielding = sm_set(sm, n, SET_YIELDING);
	uint64_t others = 0;
	for (unsigned w = 0; w < sm->words; w++)
		others |= sm->candidates[w] & ~yielding[w];
	for (unsigned w = 0; others && w < sm->words; w++)
		sm->candidates[w] &= ~yielding[w];
}

/* Groups of paused blocks are not candidates, unless a group of the SM polls in vain: it may be
 * waiting for a paused block. False: no candidate is left. */
static bool leave_paused(struct sm *sm, unsigned n)
{
	const uint64_t *paused = sm_set(sm, n, SET_PAUSED);
	uint64_t any = 0;
	for (unsigned w = 0; w < sm->words; w++) {
		sm->candidates[w] &= sm->nyielding ? ~0ull : ~paused[w];
		any |= sm->candidates[w];
	}
	return any != 0;
}

/* True if a unit of the kind could take an instruction now (of any group, where lanes treat all
 * groups alike). Otherwise sm->unit_wake is no later than the cycle in which it can. */
static bool unit_free(struct sm *sm, unsigned u)
{
	if (!sm->lanes.ops->can && !lane_set_takes(sm->lanes.set, u, sm->now, &sm->unit_wake))
		return false;
	return !(u == UNIT_MEM && lsu_full(sm->lsu));
}

/* Units that are free and that ready groups of the scheduler need. */
static inline uint32_t free_units(struct sm *sm, unsigned n)
{
	uint32_t ready = sm->issuer[n].states >> GS_READY, units = 0;
	if (sm->locked)
		return ready;
	for (; ready; ready &= ready - 1)
		if (unit_free(sm, (unsigned)__builtin_ctz(ready)))
			units |= ready & -ready;
	return units;
}

static bool lane_free(struct sm *sm, int g)
{
	return sm->lanes.ops->can(&sm->lanes, &sm->div.group[g],
				  (unsigned)sm->slot[g].state - GS_READY);
}

/* Removes candidates whose lane cannot take an instruction in this cycle. False: no candidate is
 * left. */
static bool ask_lanes(struct sm *sm, unsigned n)
{
	if (sm->pipe->keep)
		return sm->pipe->keep(sm, n);
	uint64_t any = 0;
	for (unsigned w = 0; w < sm->words; w++) {
		for (uint64_t set = sm->candidates[w]; set; set &= set - 1) {
			unsigned k = w * 64 + (unsigned)__builtin_ctzll(set);
			if (!lane_free(sm, (int)(k * sm->nsched + n)))
				sm->candidates[w] &= ~(set & -set);
		}
		any |= sm->candidates[w];
	}
	return any != 0;
}

static __attribute__((noinline)) void find_many_candidates(struct sm *sm, const uint64_t *ready,
							   uint32_t units)
{
	unsigned words = sm->words;
	memset(sm->candidates, 0, words * sizeof *sm->candidates);
	for (uint32_t u = units; u; u &= u - 1) {
		const uint64_t *of = ready + (unsigned)__builtin_ctz(u) * words;
		for (unsigned w = 0; w < words; w++)
			sm->candidates[w] |= of[w];
	}
}

/* Collects the groups that are ready for one of the units. Nearly always all of them are in one
 * word of the set. */
static void find_candidates(struct sm *sm, unsigned n, uint32_t units)
{
	const uint64_t *ready = sm_set(sm, n, SET_READY);
	if (__builtin_expect(sm->words > 1, 0)) {
		find_many_candidates(sm, ready, units);
	} else {
		uint64_t any = 0;
		for (uint32_t u = units; u; u &= u - 1)
			any |= ready[__builtin_ctz(u)];
		sm->candidates[0] = any;
	}
	if (sm->nyielding)
		put_back_yielding(sm, n);
}

/* The cause of an empty issue slot: the state nearest to issue among the scheduler's groups. */
static enum slot why_not(const struct sm *sm, unsigned n)
{
	uint32_t states = sm->issuer[n].states & ~(1u << GS_FREE);
	/* Mechanisms that regroup: a warp without any group waits for the memory system. */
	if (!states)
		return sm->div.ops->groups_per_warp || !sm->warps_used ? SLOT_no_warp : SLOT_drain;
	unsigned s = 31u - (unsigned)__builtin_clz(states);
	if (s == GS_READY + UNIT_MEM && lsu_blocked(sm->lsu))
		return SLOT_memory;
	return SLOT_OF(s);
}

/* Issues more instructions of the group, up to sm.issue_width, after the first of a cycle went to
 * `unit`. */
static void issue_more(struct sm *sm, unsigned n, int k, unsigned unit)
{
	int g = k * (int)sm->nsched + (int)n;
	const struct gslot *s = &sm->slot[g];
	for (unsigned i = 1; i < sm->m->issue_width && s->state >= GS_READY; i++) {
		unsigned next = s->state - GS_READY;
		if ((sm->m->issue_differ && next == unit) || !unit_free(sm, next))
			return;
		if ((sm->lanes.ops->can && !lane_free(sm, g)) || !issue_group(sm, n, k))
			return;
		unit = next;
	}
}

/* True if the group that issued has merged with another or ended: its number is free. */
static bool is_gone(const struct sm *sm, unsigned n, int k)
{
	return sm->threads && sm->slot[k * (int)sm->nsched + (int)n].state == GS_FREE;
}

static inline __attribute__((always_inline)) enum slot scheduler_cycle(struct sm *sm, unsigned n)
{
	struct sched *sc = &sm->sched[n];
	const struct issuer *is = &sm->issuer[n];
	if (is->port_free > sm->now) {
		if (is->port_free < sm->unit_wake)
			sm->unit_wake = is->port_free;
		return SLOT_port;
	}
	for (uint32_t units; (units = free_units(sm, n));) {
		find_candidates(sm, n, units);
		if (__builtin_expect(sm->npaused != 0, 0) && !leave_paused(sm, n))
			return SLOT_policy;
		if (sm->lanes.ops->can && !ask_lanes(sm, n))
			break;
		int k = sc->ops->pick(sc, sm->candidates);
		if (is->nstale)
			fetch_looked_at(sm, n, k);
		if (k < 0)
			return SLOT_policy;
		assert_hot((unsigned)k < sc->n && sm->candidates[k / 64] >> k % 64 & 1);
		unsigned unit = sm->slot[k * (int)sm->nsched + (int)n].state - GS_READY;
		prefetch_after(sm, n, k);
		if (!issue_group(sm, n, k)) { /* the group waits for lanes of its warp instead */
			sm->progress = true;
			continue;
		}
		if (sc->ops->issued && !is_gone(sm, n, k))
			sc->ops->issued(sc, k);
		if (sm->m->issue_width > 1 && !sm->locked)
			issue_more(sm, n, k, unit);
		sm->progress = true;
		return SLOT_issued;
	}
	if (is->nstale)
		fetch_looked_at(sm, n, -1);
	return why_not(sm, n);
}

/* MIMD places any thread in any lane: a lane without a ready thread of its own issues a thread of a
 * lane that has several. All issue ports are free again in the next cycle. */
static void lend_lanes(struct sm *sm)
{
	unsigned from = 0, all = sm->nsched;
	for (unsigned n = 0; n < all && !sm->stopped; n++) {
		struct finding *lane = &sm->found[n];
		while (from < all && !(sm->issuer[from].states >> GS_READY))
			from++;
		if (from == all)
			return;
		if (lane->cause == SLOT_issued)
			continue;
		sm->issuer[from].port_free = sm->now;
		sm->lent = (int)n;
		if (scheduler_cycle(sm, from) == SLOT_issued) {
			sm->slots[lane->cause]--;
			sm->slots[SLOT_issued]++;
			lane->cause = SLOT_issued;
		}
		sm->lent = -1;
	}
}

void schedulers_init(struct sm *sm)
{
	const struct lane_ops *lanes = sm->lanes.ops;
	sm->may_rest = !sm->locked && (!lanes->can || lanes->by_scheduler) &&
		       sm->div.ops->groups != GROUPS_THREAD;
}

static inline uint8_t lsu_state(const struct sm *sm)
{
	return (uint8_t)(lsu_full(sm->lsu) | lsu_blocked(sm->lsu) << 1);
}

/* True if the scheduler's last finding still holds: none of its groups has changed, no unit that
 * these groups wait for is free, and the load/store unit's state is unchanged. */
static inline bool is_resting(const struct sm *sm, const struct finding *f)
{
	return f->again > sm->now && (f->lsu == ANY_LSU || f->lsu == lsu_state(sm));
}

/* Decides until when the finding holds; wake: cycle in which a unit is free. With mechanisms that
 * regroup, a warp may have no group; no scheduler is notified when such a warp ends. */
static inline void note_finding(struct sm *sm, unsigned n, enum slot c, cycle_t wake)
{
	const struct issuer *is = &sm->issuer[n];
	struct finding *f = &sm->found[n];
	bool rests = sm->may_rest && c != SLOT_issued && c != SLOT_policy && !is->nstale &&
		     (sm->div.ops->groups_per_warp || is->states & ~(1u << GS_FREE));
	f->cause = (uint8_t)c;
	f->again = rests ? wake : 0;
	f->lsu = is->states >> (GS_READY + UNIT_MEM) & 1 ? lsu_state(sm) : ANY_LSU;
}

void schedulers_cycle(struct sm *sm)
{
	cycle_t wake = NEVER;
	unsigned all = sm->nsched,
		 n = (unsigned)((all & (all - 1) ? sm->now % all : sm->now & (all - 1)) + sm->turn);
	n = n < all ? n : n - all;
	for (unsigned i = 0; i < all && !sm->stopped;
	     i++, n = n + 1 < all ? n + 1 : 0) { /* schedulers take turns at being first */
		const struct finding *f = &sm->found[n];
		if (is_resting(sm, f)) {
			wake = f->again < wake ? f->again : wake;
		} else {
			sm->unit_wake = NEVER;
			enum slot c = scheduler_cycle(sm, n);
			note_finding(sm, n, c, sm->unit_wake);
			wake = sm->unit_wake < wake ? sm->unit_wake : wake;
		}
		sm->slots[f->cause]++;
	}
	sm->unit_wake = wake;
	if (sm->div.ops->groups == GROUPS_THREAD)
		lend_lanes(sm);
	if (sm->watch)
		watch_cycle(sm);
}
