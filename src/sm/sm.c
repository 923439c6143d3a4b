/* The SM as a whole: set-up, accounting, and the loop over cycles. Begin reading at run_cycle(). */
#include "sm/sm.h"

#include "base/assert.h"
#include "base/pages.h"
#include "exec/places.h"
#include "exec/tma/log.h"
#include "kernel/cta.h"
#include "power/rf.h"
#include "sm/lsu.h"
#include "sm/pipeline.h"
#include "sm/equal.h"
#include "sm/threads.h"
#include "sm/toggles.h"

static const struct stat_def slot_defs[] = {STAT_DEFS(SLOT_CAUSES)};
const struct stat_table slot_stats = STAT_TABLE_PLAIN("issue", slot_defs);

static double ipc(const void *v)
{
	const struct sm_stats *s = v;
	return STAT(s, cycles) ? (double)STAT(s, thread_instructions) / (double)STAT(s, cycles) : 0;
}
static double occupancy(const void *v)
{
	const struct sm_stats *s = v;
	return STAT(s, busy_cycles) ? (double)STAT(s, warp_cycles) / (double)STAT(s, busy_cycles)
				    : 0;
}
static const struct stat_def sm_defs[] = {STAT_DEFS(SM_STATS)};
static const struct stat_derived sm_derived[] = {
	{"ipc", "instructions/cycle", "thread instructions per cycle of one SM", ipc},
	{"occupancy", "warps", "mean resident warps while there are any", occupancy},
};
const struct stat_table sm_stats = STAT_TABLE("sm", sm_defs, sm_derived);

/* ---- set-up ---- */

static void scheds_init(struct sm *sm)
{
	const struct machine *m = sm->m;
	const struct sched_ops *ops = m->sched;
	unsigned n = (sm->ngroups + sm->nsched - 1) / sm->nsched;
	sm->words = (n + 63) / 64;
	sm->candidates = PAGES_ARRAY(uint64_t, sm->words);
	sm->sets = PAGES_ARRAY(uint64_t, sm->nsched * SET_COUNT * sm->words);
	sm->sched = PAGES_ARRAY(struct sched, sm->nsched);
	sm->issuer = PAGES_ARRAY(struct issuer, sm->nsched);
	sm->found = PAGES_ARRAY(struct finding, sm->nsched);
	sm->sched_shared = xcalloc(1, ops->shared_size + 1);
	if (ops->p.stats)
		sm->sched_stats = xcalloc(stat_slots(ops->p.stats), sizeof(uint64_t));
	for (unsigned i = 0; i < sm->nsched; i++) {
		sm->sched[i] = (struct sched){.ops = ops,
					      .sm = sm,
					      .shared = sm->sched_shared,
					      .stats = sm->sched_stats,
					      .id = i,
					      .n = (sm->ngroups - i + sm->nsched - 1) / sm->nsched,
					      .words = sm->words,
					      .state = xcalloc(1, ops->p.state_size + 1)};
		if (ops->init)
			ops->init(&sm->sched[i]);
		sm->issuer[i].count[GS_FREE] = (uint16_t)sm->sched[i].n;
		sm->issuer[i].states = 1u << GS_FREE;
	}
}

static void div_init(struct sm *sm)
{
	const struct div_ops *ops = sm->m->diverge;
	sm->div = (struct div){.ops = ops, .sm = sm, .nwarps = sm->nwarps, .ngroups = sm->ngroups};
	sm->div.group = PAGES_ARRAY(struct group, sm->ngroups);
	for (unsigned g = 0; g < sm->ngroups; g++)
		sm->div.group[g].wait = GROUP_NONE;
	if (ops->p.stats)
		sm->div.stats = xcalloc(stat_slots(ops->p.stats), sizeof(uint64_t));
	ops->init(&sm->div);
}

static unsigned groups_of_a_warp(const struct div_ops *div, const struct machine *m)
{
	return div->groups_per_warp          ? div->groups_per_warp
	       : div->groups == GROUPS_BLOCK ? 1
					     : m->warp_size;
}

static lanemask each_nth(unsigned lanes)
{
	lanemask m = 0;
	for (unsigned i = 0; i < MAX_LANES; i += lanes)
		m |= 1ull << i;
	return m;
}

static void init_rf(struct sm *sm)
{
	const struct machine *m = sm->m;
	struct rf_count *f = &sm->rf;
	f->gate = (enum rf_gate)m->power_rf_gate;
	f->lanes = f->unit = (uint8_t)rf_array_lanes(m);
	while (2u * f->unit <= m->power_rf_bundle && m->warp_size % (2u * f->unit) == 0)
		f->unit = (uint8_t)(2 * f->unit);
	f->beat = (uint8_t)m->facts.beat_lanes;
	f->arrays = (uint8_t)(f->beat / f->lanes);
	f->parts = (uint8_t)(m->warp_size / f->beat);
	f->full = m->warp_size >= 64 ? ~0ull : (1ull << m->warp_size) - 1;
	f->each_array = each_nth(f->lanes);
	f->each_unit = each_nth(f->unit);
	f->width = (uint16_t)(f->gate == GATE_LANE ? 32 : 32 * f->lanes);
}

static struct access_rules access_rules(const struct machine *m)
{
	return (struct access_rules){
		.const_unit = machine_quirk(m, QUIRK_CONSTANT_LINES) ? m->l1c_line : 1,
		.perfect_delay = m->l1d_kind != KIND_OFF ? m->l1d_lat : 1,
		.local_by_block = machine_quirk(m, QUIRK_LOCAL_BY_BLOCK),
		.first_word = machine_quirk(m, QUIRK_FIRST_WORD_CONFLICTS),
		.serial_atomics = !machine_quirk(m, QUIRK_FREE_SHARED_ATOMICS),
		.keep_local = m->l1d_local == LOCAL_KEEP,
	};
}

struct sm *sm_new(const struct machine *m, const struct block_rule *r, unsigned id,
		  struct port *port, struct diag *d)
{
	struct sm *sm = PAGES_ARRAY(struct sm, 1);
	const struct div_ops *div = m->diverge;
	sm->m = m;
	sm->id = id;
	sm->pipe = m->pipeline;
	sm->locked = m->facts.locked_depth != 0;
	sm->perfect = m->perfect_mem;
	sm->busy_turns = machine_quirk(m, QUIRK_BUSY_TURNS);
	sm->rule = access_rules(m);
	sm->lent = -1;
	lanes_init(sm);
	sm_watch(sm, false);
	sm->nsched = sm->lanes.ops->schedulers ? sm->lanes.ops->schedulers(m, div) : m->schedulers;
	sm->nwarps = m->max_warps;
	sm->ngroups = sm->nwarps * groups_of_a_warp(div, m);
	if (div->groups == GROUPS_SM || div->groups == GROUPS_BLOCK)
		sm->homes = xcalloc((size_t)sm->ngroups * m->warp_size, sizeof *sm->homes);
	if (div->groups_per_warp != 1)
		sm->poll = xcalloc((size_t)sm->nwarps * m->warp_size, sizeof *sm->poll);
	sm->warp = PAGES_ARRAY(struct sm_warp, sm->nwarps);
	sm->slot = PAGES_ARRAY(struct gslot, sm->ngroups);
	sm->still = xcalloc(sm->ngroups, sizeof *sm->still);
	blocks_init(sm, r);
	init_rf(sm);
	for (unsigned g = 0; g < sm->ngroups; g++) {
		sm->slot[g].sched = (uint8_t)(g % sm->nsched);
		sm->slot[g].k = (uint16_t)(g / sm->nsched);
	}
	sm->able_lane = xcalloc(sm->ngroups, sizeof *sm->able_lane);
	threads_init(sm);
	equal_init(sm);
	sm->follows = sm->threads || sm->equal;
	if (sm->follows && sm->pipe->following)
		sm->pipe = sm->pipe->following;
	sm->asks_pipe = sm->locked || sm->pipe->holds_more || sm->threads;
	if (sm->pipe->init)
		sm->pipe->init(sm);
	if (m->facts.steps)
		sm_stages_init(sm);
	scheds_init(sm);
	div_init(sm);
	fetch_init(sm);
	schedulers_init(sm);
	sm->lsu = lsu_new(sm);
	sm->l1 = l1_new(m, port, d);
	if (sm->l1 && m->sched->l1d)
		l1_tell_schedulers(sm);
	sm->x.own = sm;
	sm->x.pending = &sm->pending;
	sm->ops = exec_ops();
	sm->places = sm->x.places = xcalloc(1, sizeof *sm->places);
	sm->copies = sm->x.copies = xcalloc(1, sizeof *sm->copies);
	if (m->power_data == DATA_COUNTED)
		sm->toggles = toggles_new();
	if (sm->l1)
		return sm;
	sm_free(sm);
	return NULL;
}

void sm_free(struct sm *sm)
{
	if (!sm)
		return;
	if (sm->pipe->fini)
		sm->pipe->fini(sm);
	sm->div.ops->fini(&sm->div);
	watch_free(sm);
	pages_free(sm->div.group);
	free(sm->div.stats);
	for (unsigned i = 0; i < sm->nsched; i++) {
		if (sm->sched[i].ops->fini)
			sm->sched[i].ops->fini(&sm->sched[i]);
		free(sm->sched[i].state);
	}
	pages_free(sm->sched);
	free(sm->sched_shared);
	free(sm->sched_stats);
	pages_free(sm->issuer);
	pages_free(sm->found);
	pages_free(sm->sets);
	for (void **c = sm->op_chunks; c;) {
		void **next = *c;
		pages_free(c);
		c = next;
	}
	free(sm->stage);
	lsu_free(sm->lsu);
	l1_free(sm->l1);
	vec_free(&sm->flights);
	pages_free(sm->candidates);
	free(sm->want_fetch);
	lanes_free(sm);
	blocks_free(sm);
	free(sm->homes);
	free(sm->poll);
	free(sm->able_lane);
	threads_free(sm);
	equal_free(sm);
	pages_free(sm->warp);
	pages_free(sm->slot);
	free(sm->still);
	free(sm->places);
	if (sm->copies) {
		vec_free(&sm->copies->piece);
		vec_free(&sm->copies->barrier);
	}
	free(sm->copies);
	toggles_free(sm->toggles);
	vec_free(&sm->deferred);
	pending_free(&sm->pending);
	pages_free(sm);
}

void sm_begin(struct sm *sm, cycle_t at)
{
	memset(&sm->stats, 0, sizeof sm->stats);
	memset(sm->slots, 0, sizeof sm->slots);
	memset(&sm->blocks.stats, 0, sizeof sm->blocks.stats);
	memset(sm->op, 0, sizeof sm->op);
	equal_forget(sm);
	sm->whole = 0;
	if (sm->div.stats)
		memset(sm->div.stats, 0, stat_slots(sm->div.ops->p.stats) * sizeof(uint64_t));
	if (sm->sched_stats)
		memset(sm->sched_stats, 0, stat_slots(sm->m->sched->p.stats) * sizeof(uint64_t));
	if (sm->lanes.stats)
		memset(sm->lanes.stats, 0, stat_slots(sm->lanes.ops->p.stats) * sizeof(uint64_t));
	sm->now = sm->accounted = sm->idle_from = sm->workless = at;
	sm->moved_at = 0; /* figures start from zero, too */
	sm->stopped = false;
	if (sm->toggles)
		toggles_forget(sm->toggles);
	l1_begin(sm->l1);
	if (sm->pipe->launch)
		sm->pipe->launch(sm);
}

/* ---- accounting ---- */

/* Counts idle cycles by how long the SM has been idle: power gating can use long idle times. */
static void account_idle(struct sm *sm, cycle_t from, cycle_t to)
{
	enum { CLASSES = STAT_COUNT_OF(sm->stats.idle_cycles) };
	cycle_t gate = sm->workless + sm->m->power_gate_cycles;
	if (to > gate)
		STAT(&sm->stats, gated_cycles) += to - (from > gate ? from : gate);
	/* class k: idle for 2^(k-1) to 2^k - 1 cycles already */
	cycle_t age = from - sm->workless;
	for (unsigned k = age ? 64 - (unsigned)__builtin_clzll(age) : 0; from < to; k++) {
		k = k < CLASSES ? k : CLASSES - 1;
		cycle_t end = k + 1 < CLASSES ? sm->workless + (1ull << k) : to;
		end = end < to ? end : to;
		sm->stats.idle_cycles[k] += end - from;
		from = end;
	}
}

static void account_cycles(struct sm *sm, cycle_t now)
{
	assert_hot(now >= sm->accounted && sm->blocks.free.regs <= sm->m->registers);
	uint64_t n = now - sm->accounted;
	STAT(&sm->stats, warp_cycles) += n * sm->warps_used;
	STAT(&sm->stats, busy_cycles) += sm->warps_used ? n : 0;
	blocks_account(sm, n);
	STAT(&sm->stats, alloc_registers) += n * (sm->m->registers - sm->blocks.free.regs);
	if (!sm->warps_used)
		account_idle(sm, sm->accounted, now);
	else
		sm->workless = now;
	sm->accounted = now;
}

uint64_t sm_warp_instructions(const struct sm *sm)
{
	uint64_t n = 0;
	for (unsigned c = 0; c < OPC_COUNT; c++)
		n += sm->op[c].ops + sm->op[c].full;
	return n;
}

uint64_t sm_thread_instructions(const struct sm *sm)
{
	uint64_t n = 0;
	for (unsigned c = 0; c < OPC_COUNT; c++)
		n += sm->op[c].threads + sm->op[c].full * sm->m->warp_size;
	return n;
}

static void count_whole(struct sm *sm)
{
	struct sm_stats *s = &sm->stats;
	unsigned lanes = sm->m->warp_size;
	s->active_lanes[lanes] += sm->whole;
	s->group_threads[lanes] += sm->whole;
	s->issued_parts[sm->rf.parts] += sm->whole;
	sm->whole = 0;
}

/* Computes the figures that follow from other figures. */
static void count_moves(struct sm *sm)
{
	struct sm_stats *s = &sm->stats;
	const struct rf_count *f = &sm->rf;
	uint64_t reads = 0, words = 0, parts = 0, warps = 0, threads = 0;
	count_whole(sm);
	uint64_t read = f->gate == GATE_LANE ? sm->m->warp_size : (uint64_t)f->arrays * f->parts;
	for (unsigned c = 0; c < OPC_COUNT; c++) {
		const struct op_count *o = &sm->op[c];
		s->ops[c] = o->ops + o->full;
		if (!s->ops[c])
			continue;
		s->op_threads[c] = o->threads + o->full * sm->m->warp_size;
		s->unit_threads[c] = s->op_threads[c] - o->saved;
		s->op_parts[c] = o->more_parts + s->ops[c] * f->parts;
		s->rf_reads[c] = o->reads + o->full_reads * read;
		s->rf_writes[c] = o->writes + o->full_writes * f->arrays * f->parts;
		s->rf_words[c] = o->words + o->full_writes * sm->m->warp_size;
		reads += s->rf_reads[c];
		words += s->rf_words[c];
		parts += s->op_parts[c];
		warps += s->ops[c];
		threads += s->op_threads[c];
	}
	STAT(s, warp_instructions) = warps;
	STAT(s, thread_instructions) = threads;
	STAT(s, rf_bits) = reads * sm->rf.width + 32 * words;
	STAT(s, lane_cycles) = parts * f->beat;
}

uint64_t sm_rest(const struct sm *sm, cycle_t at)
{
	bool busy = sm->warps_used || sm->wheel.n || !l1_quiet(sm->l1);
	return busy || at <= sm->workless + sm->m->power_gate_cycles ? 0 : sm->wakings + 1;
}

void sm_count_until(struct sm *sm, cycle_t at)
{
	if (sm->idle_from != NEVER && at > sm->idle_from) {
		sm->slots[SLOT_no_warp] += (at - sm->idle_from) * sm->nsched;
		sm->idle_from = at;
	}
	if (at > sm->accounted)
		account_cycles(sm, at);
	uint64_t rest = sm_rest(sm, at);
	if (!rest || rest != sm->moved_at)
		count_moves(sm);
	sm->moved_at = rest;
}

void sm_end(struct sm *sm, cycle_t at)
{
	sm_count_until(sm, at);
	sm->idle_from = at;
}

/* With quirk busy-turns the schedulers continue their turns from where they stopped; blocks are
 * resident from the next cycle on. */
void sm_awake(struct sm *sm, cycle_t at)
{
	sm->wakings++;
	if (sm->idle_from != NEVER) {
		sm->slots[SLOT_no_warp] += (at - sm->idle_from) * sm->nsched;
		sm->idle_from = NEVER;
		if (sm->busy_turns)
			sm->turn = (unsigned)((sm->next_turn + sm->nsched - (at + 1) % sm->nsched) %
					      sm->nsched);
	}
	sm->now = at;
	account_cycles(sm, at);
}

void sm_sleeps(struct sm *sm)
{
	sm->idle_from = sm->now + 1;
	sm->next_turn = (unsigned)((sm->idle_from + sm->turn) % sm->nsched);
}

/* ---- warps ---- */

void sm_warp_accessed(struct sm *sm, unsigned warp)
{
	struct sm_warp *w = &sm->warp[warp];
	if (w->outstanding > (sm->pipe->posts && !w->live ? w->writes : 0))
		return;
	if (w->live && sm->div.ops->groups_per_warp) {
		for (unsigned g = warp; g < sm->ngroups; g += sm->nwarps)
			if (sm->slot[g].state == GS_FENCE)
				sm_group_changed(sm, (int)g);
	} else if (w->live) {
		sm_fences_changed(sm);
	}
	sm_warp_maybe_done(sm, warp);
}

void sm_fences_changed(struct sm *sm)
{
	bool any = false;
	for (unsigned n = 0; n < sm->nsched; n++)
		any |= sm->issuer[n].count[GS_FENCE] != 0;
	for (unsigned g = 0; any && g < sm->ngroups; g++)
		if (sm->slot[g].state == GS_FENCE)
			sm_group_changed(sm, (int)g);
}

void sm_warp_maybe_done(struct sm *sm, unsigned warp)
{
	struct sm_warp *w = &sm->warp[warp];
	if (!w->b || w->live || w->inflight || w->deferred ||
	    w->outstanding > (sm->pipe->posts ? w->writes : 0))
		return;
	w->posted += w->writes;
	w->outstanding = w->writes = 0;
	assert(sm->warps_used);
	account_cycles(sm, sm->now);
	block_release_warp(sm, warp);
}

void sm_warp_keep(struct sm *sm, unsigned warp) { sm->warp[warp].inflight++; }

void sm_warp_let_go(struct sm *sm, unsigned warp)
{
	assert_hot(sm->warp[warp].inflight);
	sm->warp[warp].inflight--;
	sm_warp_maybe_done(sm, warp);
}

void sm_group_formed(struct sm *sm, int g, uint32_t pc, cycle_t last)
{
	struct gslot *s = &sm->slot[g];
	if (sm->watch) /* a group of the warp may have waited until now */
		watch_state(sm, g, s->state, GS_FREE);
	s->ib_n = 0;
	s->ib_pc = pc;
	s->locked = false;
	s->since = last + 1;
	if (sm->pipe->formed && sm->threads)
		sm->pipe->formed(sm, g);
}

void sm_group_yields(struct sm *sm, int g, bool yes)
{
	struct gslot *s = &sm->slot[g];
	uint64_t *word = &sm_set(sm, s->sched, SET_YIELDING)[s->k / 64], bit = 1ull << s->k % 64;
	sm->nyielding += (unsigned)yes - s->yields;
	s->yields = yes;
	*word = yes ? *word | bit : *word & ~bit;
}

/* ---- the loop ---- */

/* Fetches the first event of the cycle after the next, and of the next one's first result what its
 * end changes: both were posted to the wheel long ago, so they have left the host's caches. */
static inline __attribute__((always_inline)) void prefetch_events(const struct sm *sm)
{
	const struct event *soon = sm->wheel.slot[(sm->now + 2) % WHEEL_SLOTS].first;
	const struct event *next = sm->wheel.slot[(sm->now + 1) % WHEEL_SLOTS].first;
	if (soon)
		__builtin_prefetch(soon, 1);
	if (next && next->kind == EV_WRITE) {
		const struct flight *op = (const struct flight *)next;
		__builtin_prefetch(&sm->slot[op->group].pend, 1);
		__builtin_prefetch(&sm->div.group[op->group]);
	}
}

static void run_events(struct sm *sm)
{
	struct event *e = wheel_take(&sm->wheel, sm->now);
	prefetch_events(sm);
	while (e) {
		struct event *next = e->next;
		__builtin_prefetch(next, 1);
		if (e->kind == EV_WRITE)
			sm->pipe->finish(sm, (struct flight *)e);
		else if (e->kind == EV_PIPE)
			sm->pipe->event(sm, e);
		else
			fetch_filled(sm, (int)e->arg);
		e = next;
		sm->progress = true;
	}
}

static cycle_t next_event(const struct sm *sm)
{
	cycle_t a = wheel_next(&sm->wheel, sm->now), b = lsu_wake(sm);
	a = a < b ? a : b;
	b = l1_wake(sm);
	a = a < b ? a : b;
	return a < sm->unit_wake ? a : sm->unit_wake;
}

/* Builds with assert_hot() check the groups' invariants after each window. */
static void check_groups(const struct sm *sm)
{
#if defined __SANITIZE_ADDRESS__ || defined ASSERT_HOT
	struct diag d = {0};
	if (!sm->stopped && !sm->div.ops->check(&sm->div, &d))
		fprintf(stderr, "%s\n", diag_string(&d));
	assert(!d.errors);
	diag_free(&d);
#else
	(void)sm;
#endif
}

/* True if the SM is still as idle at the start of a window as at the end of the last one. A refused
 * access is tried again if credits arrived in between. The locked pipeline may have to advance in
 * common steps with other SMs. */
static bool stands_still(const struct sm *sm)
{
	const struct l1 *l = sm->l1;
	return !sm->locked && !sm->woken && !sm->progress && !sm->blocks.serve && !sm->fetch_any &&
	       !lsu_blocked(sm->lsu) &&
	       !(l->waiting[L1D] | l->waiting[L1C] | l->waiting[L1T] | l->waiting[L1I]);
}

/* Skips to cycle `next`; no event is due before it. */
static void skip_cycles(struct sm *sm, cycle_t next, cycle_t end)
{
	next = next < end ? next : end;
	if (next <= sm->now)
		return;
	for (unsigned n = 0; n < sm->nsched && sm->idle_from == NEVER; n++)
		sm->slots[sm->found[n].cause] += next - sm->now;
	sm->now = next;
}

/* Simulates a cycle of the SM, from the end of its pipeline to the start, so that an instruction
 * that leaves a stage makes room for the next: results are written, the L1 and the load/store unit
 * move on, the schedulers issue and instructions are fetched. */
static inline void run_cycle(struct sm *sm, bool has_warps)
{
	run_events(sm);
	if (sm->l1->retry <= sm->now || port_next(sm->l1->port) <= sm->now)
		l1_cycle(sm);
	if (lsu_wake(sm) <= sm->now)
		lsu_cycle(sm);
	if (has_warps)
		schedulers_cycle(sm);
	if (sm->fetch_any)
		fetch_cycle(sm);
}

bool sm_run(struct sm *sm, cycle_t end)
{
	bool still = stands_still(sm), any = false;
	if (sm->blocks.starting.n)
		blocks_start(sm);
	sm->woken = false;
	sm->step = 0;
	sm->window_end = end;
	sm->l1->moved = true; /* credits may have arrived between the windows */
	sm->l1->retry = sm->now;
	if (still)
		skip_cycles(sm, next_event(sm), end);
	while (sm->now < end && !sm->stopped) {
		if (sm->blocks.serve)
			blocks_serve(sm);
		if (!sm->warps_used && !sm->wheel.n && l1_wake(sm) == NEVER) {
			sm->now = end;
			sm->progress = false;
			break;
		}
		bool counted = sm->idle_from == NEVER;
		any = true;
		sm->progress = false;
		run_cycle(sm, counted);
		sm->now++;
		if (sm->progress || sm->blocks.serve)
			continue;
		skip_cycles(sm, next_event(sm), end);
	}
	check_groups(sm);
	return any;
}

bool sm_quiet(const struct sm *sm)
{
	return !sm->wheel.n && lsu_wake(sm) == NEVER && l1_idle(sm->l1);
}

bool sm_asleep(const struct sm *sm)
{
	return !sm->warps_used && !sm->blocks.starting.n && !sm->stopped && sm_wake(sm) == NEVER &&
	       sm_quiet(sm);
}

/* The cycle in which a credit arrives that a refused message lacks. Called between windows: within
 * a window only credits arrive that were under way at its start. */
static cycle_t next_credit(const struct sm *sm)
{
	const struct l1 *l = sm->l1;
	const struct lsu *u = sm->lsu;
	cycle_t a = port_credit(l->port, l->lacks),
		b = port_credit(l->port, u->blocked_at != NEVER ? u->lacks : -1),
		c = port_credit(l->port, u->pipe_blocked_at != NEVER ? u->pipe_lacks : -1);
	a = a < b ? a : b;
	return a < c ? a : c;
}

cycle_t sm_wake(const struct sm *sm)
{
	if (sm->woken || sm->progress || sm->staged || sm->blocks.serve)
		return sm->now;
	cycle_t a = sm->warps_used || sm->wheel.n ? next_event(sm) : l1_wake(sm),
		b = next_credit(sm);
	return a < b ? a : b;
}
