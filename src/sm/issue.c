/* Issue: computes the groups' states (scoreboard), lets the schedulers choose, and issues. Policies
 * are in sched/ and lanes/; exec.c has the effects of an issued instruction. Begin reading at
 * issue_cycle(). */
#include "sm/lsu.h"

#include "base/assert.h"
#include "sm/flight.h"
#include "sm/pipeline.h"
#include "sm/record.h"
#include "sm/share.h"
#include "sm/toggles.h"

/* ---- states ---- */

/* True if a warp of the group has memory operations under way. Writes of mixed groups are not
 * attributed to a warp, so every fence waits for all of them. In the locked pipeline none of the
 * group's own instructions is under way now; a fence does not wait for instructions of other groups
 * of the warp, which may poll without end. */
static bool has_unfinished(const struct sm *sm, const struct group *g)
{
	uint16_t home[MAX_LANES];
	unsigned n = share_homes(sm, g, home);
	if (sm->mixed_writes)
		return true;
	while (n--)
		if (sm->locked ? sm->warp[home[n]].writes : sm->warp[home[n]].outstanding)
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
	if (to >= GS_READY && (t->flags & (T_FENCE | T_PAST)) == T_FENCE && has_unfinished(sm, gr))
		return GS_FENCE;
	return to;
}

static void set_bit(uint64_t *set, unsigned k) { set[k / 64] |= 1ull << k % 64; }
static void clear_bit(uint64_t *set, unsigned k) { set[k / 64] &= ~(1ull << k % 64); }

/* Reports a group's new state: to the scheduler, if the group left (ended, or waits for long); to
 * the observer; and to the lanes, if the number of warps that can issue changes. */
static __attribute__((noinline)) void tell(struct sm *sm, int g, enum gstate from, enum gstate to)
{
	const struct gslot *s = &sm->slot[g];
	struct sched *sc = &sm->sched[s->sched];
	bool was = from != GS_FREE && !gstate_is_long(from),
	     is = to != GS_FREE && !gstate_is_long(to);
	if (sm->watch)
		watch_state(sm, g, from, to);
	if (was != is && sm->lanes.ops->usable)
		sm->lanes.ops->usable(&sm->lanes, sm->warp[sm->div.group[g].warp].lane, is);
	if (gstate_is_long(to) && sc->ops->blocked)
		sc->ops->blocked(sc, (int)s->k);
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
	if (from == to)
		return;
	s->state = (uint8_t)to;
	sm->settled = false;
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
		tell(sm, g, from, to);
}

static __attribute__((noinline)) void look_again(struct sm *sm, int g)
{
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

/* ---- one instruction ---- */

/* Counts aligned runs of `lanes` lanes, a power of two, with at least one lane of m. */
static inline unsigned runs_touched(lanemask m, unsigned lanes, lanemask each)
{
	for (unsigned i = 1; i < lanes; i <<= 1)
		m |= m >> i;
	return lanes_in(m & each);
}

/* Counts an instruction that some lanes execute, or that takes an unusual number of parts. */
static __attribute__((noinline)) void count_partial(struct sm *sm, struct prof *p,
						    const struct tinst *t, lanemask m,
						    unsigned lanes, unsigned parts)
{
	const struct rf_count *f = &sm->rf;
	struct op_count *c = &sm->op[t->opclass];
	unsigned read = parts * f->arrays, write = runs_touched(m, f->lanes, f->each_array),
		 words = lanes;
	if (t->scalar && lanes) { /* operands that are scalars are read once for all lanes */
		c->saved += lanes - 1;
		read = write = words = 1;
		if (sm->m->facts.scalar_file) {
			STAT(&sm->stats, scalar_reads) += t->nread;
			STAT(&sm->stats, scalar_writes) += t->nwrite;
			read = write = words = 0;
		}
	} else if (f->gate == GATE_LANE)
		read = lanes;
	else if (f->gate == GATE_PART)
		read = runs_touched(m, f->unit, f->each_unit) * (f->unit / f->lanes);
	c->ops++;
	c->threads += lanes;
	c->more_parts += (uint64_t)parts - f->parts;
	c->reads += t->nread * read;
	c->writes += t->nwrite * write;
	c->words += t->nwrite * words;
	p->reads += read;
	p->writes += write;
}

/* Counts the instruction's class and register accesses, for energy. A branch reads no register per
 * lane. */
static inline void count_class(struct sm *sm, struct prof *p, const struct tinst *t, lanemask m,
			       unsigned lanes, unsigned parts)
{
	struct op_count *c = &sm->op[t->opclass];
	if (t->nscalar && sm->m->facts.scalar_file)
		STAT(&sm->stats, broadcasts) += t->nscalar;
	if (parts != sm->rf.parts || t->scalar || (m != sm->rf.full && sm->rf.gate != GATE_NONE)) {
		count_partial(sm, p, t, m, lanes, parts);
	} else if (m != sm->rf.full) { /* operands are read as for a full warp */
		unsigned write = runs_touched(m, sm->rf.lanes, sm->rf.each_array);
		c->ops++;
		c->threads += lanes;
		c->full_reads += t->nread;
		c->writes += t->nwrite * write;
		c->words += t->nwrite * lanes;
		p->reads += parts * sm->rf.arrays;
		p->writes += write;
	} else {
		c->full++;
		c->full_reads += t->nread;
		c->full_writes += t->nwrite;
		p->full++;
	}
}

/* Counts nearly all instructions of regular programs: full warps, in the usual number of parts.
 * False: another case; nothing has been counted. A branch counts for all its lanes, wherever they
 * go. */
static inline bool count_whole(struct sm *sm, struct prof *p, const struct uop *u,
			       const struct tinst *t, lanemask m, lanemask active, unsigned parts)
{
	struct op_count *c = &sm->op[t->opclass];
	lanemask full = sm->rf.full;
	bool stays = m == full || ((u->flags & UOP_BRANCH) && !m && active == full);
	if (!stays || parts != sm->rf.parts || !t->plain)
		return false;
	sm->whole++;
	p->whole++;
	c->full++;
	c->full_reads += t->nread;
	c->full_writes += t->nwrite;
	return true;
}

static __attribute__((noinline)) void count_issue(struct sm *sm, struct prof *p,
						  const struct uop *u, const struct tinst *t,
						  lanemask m, lanemask active, unsigned parts)
{
	unsigned threads = active == sm->rf.full ? sm->m->warp_size : lanes_in(active);
	unsigned lanes = (u->flags & UOP_BRANCH) || m == active ? threads : lanes_in(m);
	p->issued++;
	p->lanes += lanes;
	if ((u->flags & UOP_BRANCH) && m && m != active) {
		p->divergent++;
		STAT(&sm->stats, divergent)++;
	}
	sm->stats.active_lanes[lanes]++;
	sm->stats.group_threads[threads]++;
	if (t->products)
		STAT(&sm->stats, mma_products) += t->products;
	count_class(sm, p, t, (u->flags & UOP_BRANCH) ? active : m, lanes, parts);
}

/* The threads that execute a native instruction are known only after it has run, so it is counted
 * with its last uop. Its other uops (`micro`) count nothing. */
static void count_native(struct sm *sm, struct prof *p, const struct uop *u, const struct tinst *t,
			 lanemask active, unsigned parts)
{
	const struct uop *last = u + t->n - 1;
	if (!last->in->micro)
		count_issue(sm, p + t->n - 1, last, t, sm->native_lanes, active, parts);
}

/* A thread's registers are in the bank of its home lane, and a bank serves one of the threads that
 * go through the pipeline in one cycle: the others wait (Jin 2012, section 5.1, register
 * access). */
static void read_in_turn(struct sm *sm, const struct group *g, struct plan *p)
{
	unsigned width = sm->m->simd_width, lost = 0;
	for (unsigned at = 0; at < sm->m->warp_size; at += width) {
		uint8_t of_bank[MAX_LANES] = {0}, most = 1;
		lanemask part = g->active >> at & (width == 64 ? ~0ull : (1ull << width) - 1);
		for (; part; part &= part - 1) {
			uint8_t n =
				++of_bank[g->lane[at + (unsigned)__builtin_ctzll(part)] % width];
			most = n > most ? n : most;
		}
		lost += most - 1u;
	}
	p->port = (uint16_t)(p->port + lost);
	STAT(&sm->stats, bank_conflicts) += lost;
}

/* Records the home warps of a mixed group before its threads move: these warps must stay until the
 * instruction commits. */
static void note_homes(struct sm *sm, int g)
{
	uint16_t *home = sm->homes + (size_t)g * sm->m->warp_size;
	unsigned n = share_homes(sm, &sm->div.group[g], home);
	sm->slot[g].nhomes = (uint8_t)n;
	while (n--)
		sm->warp[home[n]].inflight++;
}

static void let_homes_go(struct sm *sm, int g)
{
	const uint16_t *home = sm->homes + (size_t)g * sm->m->warp_size;
	for (unsigned n = sm->slot[g].nhomes; n--;)
		sm->warp[home[n]].inflight--; /* the instruction in flight counts from now on */
}

/* True if the threads that execute a warp-level operation are together; *m becomes the lanes it is
 * executed for. */
static bool find_together(struct sm *sm, int g, const struct uop *u, const struct tinst *t,
			  lanemask *m)
{
	if (sm->div.ops->meet)
		return (!*m && !(t->flags & T_GATHER)) || exec_meet(sm, g, u, t, *m);
	return !*m || !(t->flags & T_SYNC) || (*m = exec_sync(sm, g, u, *m));
}

static bool issue_group(struct sm *sm, unsigned sched, int k)
{
	int g = k * (int)sm->nsched + (int)sched;
	struct group *gr = &sm->div.group[g];
	struct gslot *s = &sm->slot[g];
	struct sm_warp *w = sm_home(sm, gr);
	unsigned warp = gr->warp;
	uint32_t pc = gr->pc;
	const struct tinst *t = &w->code[pc];
	const struct uop *u = t->u;
	assert_hot(gr->wait == GROUP_RUNS && gr->active && !s->locked);
	lanemask m = exec_lanes(sm, gr, u);
	if ((t->flags & (T_SYNC | T_GATHER)) && !find_together(sm, g, u, t, &m))
		return false;
	/* Read again: find_together() may have merged waiting lanes into the group. */
	lanemask active = gr->active;
	struct issue is = {g, sched, gr->warp, gr->pc, t, sm->lanes.plan};
	struct plan *p = &is.plan;
	/* A copy in a register, not p->beats: the host would stall on reading a part of what it
	 * just wrote. */
	unsigned beats = sm->lanes.plan.beats;
	if (sm->lanes.ops->take) {
		sm->lanes.ops->take(&sm->lanes, gr, t, p);
		beats = p->beats;
	}
	if (gr->warp == GROUP_MIXED && sm->div.free_lanes)
		read_in_turn(sm, gr, p);
	if ((t->flags & T_NATIVE) || !count_whole(sm, &w->prof[pc], u, t, m, active, beats)) {
		sm->stats.issued_parts[beats]++;
		if (!(t->flags & T_NATIVE))
			count_issue(sm, &w->prof[pc], u, t, m, active, beats);
	}
	if (sm->watch)
		watch_issue(sm, g, m);
	w->issued++;
	if (__builtin_expect(sm->record != NULL, 0))
		record_issue(sm, g, p, (u->flags & UOP_BRANCH) ? active : m);
	if (s->yields)
		sm_group_yields(sm, g, false);
	pipe_issued(sm, g, t);
	if (warp == GROUP_MIXED)
		note_homes(sm, g);
	else
		w->inflight++; /* keeps the warp from ending during its issue */
	if (__builtin_expect(sm->toggles != NULL, 0))
		toggles_operands(sm, g, t, m);
	exec_step(sm, g, u, t, m);
	if (__builtin_expect(sm->toggles != NULL, 0))
		toggles_results(sm, t);
	if ((t->flags & (T_FENCE | T_PAST)) == (T_FENCE | T_PAST))
		l1_fence(sm->l1);
	if (t->flags & T_NATIVE)
		count_native(sm, &w->prof[pc], u, t, active, beats);
	sm->pipe->start(sm, &is);
	s->issuing = NULL;
	if (warp == GROUP_MIXED) {
		let_homes_go(sm, g);
		return true;
	}
	assert_hot(w->inflight);
	w->inflight--;
	if (!w->live)
		sm_warp_maybe_done(sm, warp);
	return true;
}

/* ---- a cycle ---- */

/* Groups that poll in vain are candidates only if no other group is. */
static void put_back_yielding(struct sm *sm, unsigned n)
{
	const uint64_t *yielding = sm_set(sm, n, SET_YIELDING);
	uint64_t others = 0;
	for (unsigned w = 0; w < sm->words; w++)
		others |= sm->candidates[w] & ~yielding[w];
	for (unsigned w = 0; others && w < sm->words; w++)
		sm->candidates[w] &= ~yielding[w];
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

/* Removes candidates whose lane takes nothing now. False: none is left. */
static bool ask_lanes(struct sm *sm, unsigned n)
{
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

/* Collects the groups that are ready for one of the units. Nearly always they are in one word. */
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

/* ---- prefetching for the host ----
 *
 * A window of one SM drives the data of the other SMs out of the host's caches, and each group
 * issues once or twice in a window: nearly every issue would begin with cache misses. So while one
 * group issues, the data of the next ready groups is prefetched: the state of the group after the
 * next, and of the next group the executor warp and the rows that its instruction reads. A wrong
 * guess costs only the prefetch. The functions must be inlined: gcc considers a function that only
 * prefetches to have no effects and drops its calls. */

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
		if (sc->ops->issued)
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
		struct issuer *lane = &sm->issuer[n];
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

void issue_init(struct sm *sm)
{
	sm->may_settle = !sm->locked && !sm->lanes.ops->can && sm->div.ops->groups != GROUPS_THREAD;
}

/* True if all schedulers would find what they found in the last cycle: no group has changed, no
 * unit that a group waits for is free, and the load/store unit's state is unchanged. */
static inline bool nothing_new(struct sm *sm)
{
	uint8_t lsu = (uint8_t)(lsu_full(sm->lsu) | lsu_blocked(sm->lsu) << 1);
	bool same = sm->settled && sm->now < sm->unit_wake && lsu == sm->settled_lsu;
	sm->settled_lsu = lsu;
	return same;
}

void issue_cycle(struct sm *sm)
{
	if (nothing_new(sm)) {
		for (unsigned n = 0; n < sm->nsched; n++)
			sm->slots[sm->issuer[n].cause]++;
		if (sm->watch)
			watch_cycle(sm);
		return;
	}
	sm->settled = sm->may_settle;
	sm->unit_wake = NEVER;
	unsigned all = sm->nsched,
		 n = (unsigned)((all & (all - 1) ? sm->now % all : sm->now & (all - 1)) + sm->turn);
	n = n < all ? n : n - all;
	for (unsigned i = 0; i < all && !sm->stopped;
	     i++, n = n + 1 < all ? n + 1 : 0) { /* schedulers take turns at being first */
		enum slot c = scheduler_cycle(sm, n);
		sm->issuer[n].cause = (uint8_t)c;
		sm->slots[c]++;
		if (c == SLOT_issued || c == SLOT_policy || sm->issuer[n].nstale)
			sm->settled = false;
	}
	if (sm->div.ops->groups == GROUPS_THREAD)
		lend_lanes(sm);
	if (sm->watch)
		watch_cycle(sm);
}
