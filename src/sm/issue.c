/* An instruction issues: it is counted, has its effect and enters the pipeline.
 *
 *   lanes that execute it -> lanes.take(), the parts that it takes -> figures (count.h) -> effect (exec.c)
 *   -> pipe.start() */
#include "sm/issue.h"

#include "base/assert.h"
#include "sm/count.h"
#include "sm/equal.h"
#include "sm/l1.h"
#include "sm/pipeline.h"
#include "sm/record.h"
#include "sm/share.h"
#include "sm/threads.h"
#include "sm/toggles.h"

/* A thread's registers are in the bank of its home lane, and a bank serves one of the threads that
 * go through the pipeline in one cycle: the others wait (Jin 2012, section 5.1, register
 * access). Returns the cycles that they wait. */
static unsigned read_in_turn(struct sm *sm, const struct group *g)
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
	STAT(&sm->stats, bank_conflicts) += lost;
	return lost;
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

/* Decides how long the instruction occupies the lanes and the port. Returns the plan's beats for use
 * in place of p->beats: the host would stall on reading a part of what it just wrote. */
static inline unsigned plan_lanes(struct sm *sm, const struct group *g, const struct tinst *t,
				  struct plan *p)
{
	unsigned beats = sm->lanes.plan.beats;
	if (sm->lanes.ops->take) {
		sm->lanes.ops->take(&sm->lanes, g, t, p);
		beats = p->beats;
	}
	if (g->warp == GROUP_MIXED && sm->div.free_lanes) {
		unsigned lost = read_in_turn(sm, g);
		p->port = (uint16_t)(p->port + lost);
		if (sm->threads)
			p->beats = (uint16_t)(p->beats + lost);
	}
	return beats;
}

/* follows: true if the SM tracks threads or values (sm.follows); a constant, because most machines track neither. */
static inline __attribute__((always_inline)) bool issue_one(struct sm *sm, unsigned sched, int k,
							    const bool follows)
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
	if (follows && sm->equal)
		t = equal_choose(sm, g, t, m);
	struct issue is = {g, sched, gr->warp, gr->pc, t, sm->lanes.plan};
	struct plan *p = &is.plan;
	unsigned beats = plan_lanes(sm, gr, t, p);
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
	if (follows && sm->threads)
		threads_issue(sm, g, t);
	else if (warp == GROUP_MIXED)
		note_homes(sm, g);
	else
		w->inflight++; /* keeps the warp from ending during its issue */
	if (__builtin_expect(sm->toggles != NULL, 0))
		toggles_operands(sm, g, t, m);
	exec_step(sm, g, u, t, m);
	if (follows && sm->equal)
		equal_results(sm, t);
	if (__builtin_expect(sm->toggles != NULL, 0))
		toggles_results(sm, t);
	if ((t->flags & (T_FENCE | T_PAST)) == (T_FENCE | T_PAST))
		l1_fence(sm->l1);
	if (t->flags & T_NATIVE)
		count_native(sm, &w->prof[pc], u, t, active, beats);
	sm->pipe->start(sm, &is);
	s->issuing = NULL;
	if (follows && sm->threads) {
		if (sm->div.ops->commit)
			sm->div.ops->commit(&sm->div, g);
		threads_let_go(sm);
		return true;
	}
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

static __attribute__((noinline)) bool issue_following(struct sm *sm, unsigned sched, int k)
{
	return issue_one(sm, sched, k, true);
}

bool issue_group(struct sm *sm, unsigned sched, int k)
{
	return sm->follows ? issue_following(sm, sched, k) : issue_one(sm, sched, k, false);
}
