/* Operand collectors, banks and units. All that happens between an instruction's issue and its result is
 * known at issue, as each resource is given away in that order:
 *
 *   issue -> register -> collector: operands -> register -> unit -> write-back port, bank
 *
 * A class of units has `ports` registers on both sides of its collectors, and as many instructions enter
 * and leave them in a cycle. A unit takes an instruction when a write-back port is free in the cycle of its
 * result; what has to wait for one holds up the units of its class. A result that is written keeps its
 * bank from being read in that cycle. Memory instructions end otherwise: the load/store unit takes them,
 * and their results wait for a bank that an ALU's result has taken.                                    */
#include "sm/sm.h"

static void collectors_init(struct collectors *c, unsigned n, unsigned ports)
{
	*c = (struct collectors){.coll.n = (uint8_t)n, .ports = (uint8_t)ports};
}

void lane_set_init(struct lane_set *s, const struct machine *m)
{
	const uint32_t n[U_COUNT] = {m->sp_units, m->sfu_units, m->dp_units, m->mma_units, 1};
	for (unsigned u = 0; u < U_COUNT; u++)
		s->unit[u].n = (uint8_t)n[u];
	collectors_init(&s->coll[C_ALU], m->coll_sp, m->ports_sp);
	collectors_init(&s->coll[C_SFU], m->coll_sfu, m->ports_sfu);
	collectors_init(&s->coll[C_MEM], m->coll_mem, m->ports_mem);
	s->bank_mask = m->reg_banks & (m->reg_banks - 1) ? 0 : m->reg_banks - 1;
	s->bank = xcalloc_lines(m->reg_banks, sizeof *s->bank);
	s->wb = xcalloc_lines(WB_AHEAD, sizeof *s->wb);
	s->as_ready = !strcmp(m->coll_order, "ready");
	entry_init(s);
}

void lane_set_free(struct lane_set *s)
{
	free(s->bank);
	free(s->wb);
	entry_free(s);
}

static cycle_t later(cycle_t a, cycle_t b) { return a > b ? a : b; }

/* ---- equal units ---- */

static cycle_t soonest(const struct servers *s) { return s->free[s->first]; }

/* The soonest serves; it is free again at `until`. That is mostly later than the others are: its place, now
 * the ring's last, is the right one. */
static inline void serve(struct servers *s, cycle_t until)
{
	unsigned n = s->n, at = s->first;
	s->first = (uint8_t)(at + 1 < n ? at + 1 : 0);
	for (unsigned left = n; left > 1; left--) {
		unsigned before = at ? at - 1 : n - 1;
		if (s->free[before] <= until)
			break;
		s->free[at] = s->free[before];
		at = before;
	}
	s->free[at] = until;
}

/* ---- write-back ---- */

/* The slot of a cycle not more than WB_AHEAD from now. */
static struct wb_slot *slot_at(struct lane_set *set, cycle_t c)
{
	struct wb_slot *s = &set->wb[c % WB_AHEAD];
	if (s->round != (uint32_t)(c / WB_AHEAD))
		*s = (struct wb_slot){.round = (uint32_t)(c / WB_AHEAD)};
	return s;
}

/* Where warp 0's bank 0 is for a warp: its registers are so many banks further, all round. */
static unsigned bank_shift(const struct sm *sm, const struct lane_set *set, unsigned warp)
{
	return set->bank_mask ? warp & set->bank_mask : warp % sm->m->reg_banks;
}

static uint64_t banks_of(const struct sm *sm, const struct lane_set *set, unsigned warp,
			 const struct tinst *t)
{
	unsigned n = sm->m->reg_banks, by = bank_shift(sm, set, warp);
	uint64_t all = UINT64_MAX >> (64 - n);
	return by ? (t->to << by | t->to >> (n - by)) & all : t->to;
}

/* The first cycle from `at` on in which a unit can take an instruction whose result is there `lat` cycles
 * later; the port is then its. */
static cycle_t reserve(struct sm *sm, struct lane_set *set, unsigned warp, const struct tinst *t,
		       cycle_t at, cycle_t lat)
{
	if (at + lat - sm->now >= WB_AHEAD) /* nothing is known of that time */
		return at;
	struct wb_slot *s = slot_at(set, at + lat);
	while (s->results >= sm->m->writeback && at + lat - sm->now + 1 < WB_AHEAD) {
		STAT(&sm->stats, port_conflicts)++;
		s = slot_at(set, ++at + lat);
	}
	s->results++;
	s->banks |= banks_of(sm, set, warp, t);
	return at;
}

/* ---- reading ---- */

static bool written(const struct wb_slot *wb, cycle_t c, unsigned bank)
{
	const struct wb_slot *s = &wb[c % WB_AHEAD];
	return s->round == (uint32_t)(c / WB_AHEAD) && s->banks >> bank & 1;
}

/* The cycle after the last operand has been read. */
static cycle_t read_operands(struct sm *sm, struct lane_set *set, unsigned warp,
			     const struct tinst *t, unsigned beats, cycle_t from)
{
	cycle_t ready = t->operands ? from + 1 : from;
	if (!sm->m->bank_conflicts)
		return ready;
	unsigned n = t->nfrom, banks = sm->m->reg_banks, by = bank_shift(sm, set, warp);
	const uint16_t *number = t->from;
	const struct wb_slot *wb = set->wb;
	cycle_t *bank = set->bank;
	for (unsigned i = 0; i < n; i++) {
		unsigned b = number[i] + by;
		b = b < banks ? b : b - banks;
		cycle_t at = later(bank[b], from);
		while (written(wb, at, b))
			at++;
		bank[b] = at + beats;
		ready = later(at + 1, ready);
	}
	if (n)
		STAT(&sm->stats, bank_conflicts) += ready - from - 1;
	return ready;
}

/* sm.collector_order = ready: who enters a collector first reads first, whoever was issued first. */
static cycle_t read_as_entered(struct sm *sm, struct lane_set *set, unsigned warp,
			       const struct tinst *t, unsigned beats, cycle_t from)
{
	cycle_t ready = t->operands ? from + 1 : from;
	if (!sm->m->bank_conflicts ||
	    from - sm->now >= WB_AHEAD / 2) /* nothing is known of that time */
		return ready;
	unsigned banks = sm->m->reg_banks, by = bank_shift(sm, set, warp);
	for (unsigned i = 0; i < t->nfrom; i++) {
		unsigned b = t->from[i] + by;
		uint64_t bit = 1ull << (b < banks ? b : b - banks);
		cycle_t at = from;
		for (unsigned n = 0; n < beats; at++) {
			const struct wb_slot *s = slot_at(set, at);
			n = (s->banks | s->reads) & bit ? 0 : n + 1;
		}
		for (unsigned n = 1; n <= beats; n++)
			slot_at(set, at - n)->reads |= bit;
		ready = later(at - beats + 1, ready);
	}
	if (t->nfrom)
		STAT(&sm->stats, bank_conflicts) += ready - from - 1;
	return ready;
}

/* ---- an instruction ---- */

static cycle_t start_as_ready(struct sm *sm, struct lane_set *set, unsigned warp,
			      const struct tinst *t, unsigned beats, unsigned interval)
{
	struct collectors *c = &set->coll[collector_of(t->unit)];
	struct passage *oldest = &c->last[c->k];
	cycle_t enter =
		later(later(sm->now + sm->m->read_lat - 1, soonest(&c->coll)), oldest->entered + 1);
	cycle_t ready = read_as_entered(sm, set, warp, t, beats, enter + 1),
		lat = t->lat + beats - 1, at;
	cycle_t ii = interval > beats ? interval : beats;
	oldest->entered = enter;
	c->k = c->k + 1 < c->ports ? c->k + 1 : 0;
	if (t->unit == U_MEM) {
		at = later(soonest(&set->unit[U_MEM]), ready);
		serve(&set->unit[U_MEM], at + beats);
		lat = beats - 1;
	} else if (ready + lat + ii + sm->m->write_lat - sm->now >=
		   WB_AHEAD) { /* too far ahead: in order of issue */
		at = later(soonest(&set->unit[t->unit]), ready);
		serve(&set->unit[t->unit], at + ii);
	} else {
		at = entry_take(sm, set, t->unit, c->ports, lat, ii, &ready);
		struct wb_slot *s = slot_at(set, at + lat + sm->m->write_lat);
		s->results++;
		s->banks |= banks_of(sm, set, warp, t);
	}
	serve(&c->coll, ready);
	return at + lat;
}

cycle_t unit_start(struct sm *sm, struct lane_set *set, unsigned warp, const struct tinst *t,
		   unsigned beats, unsigned ii)
{
	struct collectors *c = &set->coll[collector_of(t->unit)];
	struct passage *oldest = &c->last[c->k];
	struct servers *u = &set->unit[t->unit];
	if (set->as_ready)
		return start_as_ready(sm, set, warp, t, beats, ii);
	cycle_t enter =
		later(later(sm->now + sm->m->read_lat - 1, soonest(&c->coll)), oldest->entered + 1);
	cycle_t ready = later(read_operands(sm, set, warp, t, beats, enter + 1), oldest->taken);
	cycle_t at = later(soonest(u), ready);
	oldest->entered = enter;
	serve(&c->coll, ready);
	c->k = c->k + 1 < c->ports ? c->k + 1 : 0;
	if (t->unit == U_MEM) {
		serve(u, at + beats);
		return at + beats - 1;
	}
	cycle_t lat = t->lat + beats - 1,
		free = reserve(sm, set, warp, t, at, lat + sm->m->write_lat);
	for (unsigned i = 0; free > at && i < u->n; i++)
		u->free[i] = later(u->free[i], free);
	serve(u, free + (ii > beats ? ii : beats));
	oldest->taken = free + 1;
	return free + lat;
}

/* ---- instructions in flight ---- */

enum { CHUNK = 256 };
struct chunk {
	struct chunk *next;
	_Alignas(HOST_LINE) struct flight op[CHUNK];
};

static void more_ops(struct sm *sm)
{
	struct chunk *c = xcalloc_lines(1, sizeof *c);
	c->next = sm->op_chunks;
	sm->op_chunks = c;
	for (unsigned i = 0; i < CHUNK; i++) {
		c->op[i].ev.arg = (uint32_t)sm->flights.n;
		vec_push(&sm->flights, &c->op[i]);
		c->op[i].next = sm->free_ops;
		sm->free_ops = &c->op[i];
	}
}

struct flight *op_new(struct sm *sm, int g, unsigned warp, uint32_t pc, const struct tinst *t)
{
	if (!sm->free_ops)
		more_ops(sm);
	struct flight *op = sm->free_ops;
	struct gslot *s = &sm->slot[g];
	sm->free_ops = op->next;
	/* clang-format off */
	*op = (struct flight){.ev = {.kind = EV_WRITE, .arg = op->ev.arg}, .next = s->ops, .t = t, .pc = pc,
			      .group = (uint16_t)g, .warp = (uint16_t)warp, .issued = (uint32_t)sm->now};
	/* clang-format on */
	if (s->ops)
		s->ops->prev = op;
	s->ops = op;
	if (warp != GROUP_MIXED) {
		sm->warp[warp].inflight++;
		return op;
	}
	const uint16_t *home;
	for (unsigned n = flight_homes(sm, op, &home); n--;)
		sm->warp[home[n]].inflight++;
	return op;
}

static void retire(struct sm *sm, struct flight *op)
{
	struct gslot *s = &sm->slot[op->group];
	if (op->prev)
		op->prev->next = op->next;
	else
		s->ops = op->next;
	if (op->next)
		op->next->prev = op->prev;
	regset_sub(&s->pend, &op->t->def);
	op->next = sm->free_ops;
	sm->free_ops = op;
	if (op->warp != GROUP_MIXED) {
		sm->warp[op->warp].inflight--;
		sm->warp[op->warp].outstanding -= op->fenced;
		return;
	}
	const uint16_t *home;
	for (unsigned n = flight_homes(sm, op, &home); n--;) {
		sm->warp[home[n]].inflight--;
		sm->warp[home[n]].outstanding -= op->fenced;
	}
}

/* Results of memory have a port of their own, for one of them in a cycle; a bank that is written by
 * another in this cycle is not free for them. */
static bool memory_writes(struct sm *sm, const struct flight *op)
{
	struct lane_set *set = &sm->lanes.set[op->lane];
	struct wb_slot *s = slot_at(set, sm->now);
	uint64_t banks = banks_of(sm, set, op->warp, op->t);
	if (set->mem_wb == sm->now || (s->banks & banks)) {
		STAT(&sm->stats, port_conflicts)++;
		return false;
	}
	s->banks |= banks;
	set->mem_wb = sm->now;
	return true;
}

/* An ALU's result, in the pipeline with a scoreboard: nobody waits for it but its group, and that only if its
 * next instruction waits for registers. */
static void finish_alu(struct sm *sm, struct flight *op)
{
	int g = op->group;
	unsigned warp = op->warp;
	retire(sm, op);
	if (sm->slot[g].state >= GS_SCORE && sm->slot[g].state < GS_READY)
		sm_group_changed(sm, g);
	if (!sm->warp[warp].live)
		sm_warp_maybe_done(sm, warp);
}

void op_finish(struct sm *sm, struct flight *op)
{
	const struct tinst *t = op->t;
	if (!sm->locked && !(t->flags & T_MEMORY)) {
		finish_alu(sm, op);
		return;
	}
	if (t->nwrite && !sm->locked && !op->direct && t->unit == U_MEM && !memory_writes(sm, op)) {
		wheel_post(&sm->wheel, &op->ev, sm->now + 1);
		return;
	}
	int g = op->group;
	uint16_t one = op->warp;
	const uint16_t *home = &one;
	unsigned n = one != GROUP_MIXED ? 1 : flight_homes(sm, op, &home);
	if (sm->watch)
		watch_result(sm, op);
	if ((t->flags & T_ATOMIC) && sm->slot[g].atomics)
		sm->slot[g].atomics--;
	if ((t->flags & (T_MEMORY | T_STORE)) == T_MEMORY && t->wait == W_GLOBAL)
		sm->stats.load_latency[stat_log2_bucket(sm->now - flight_issued(sm, op), 20)]++;
	if (sm->locked) {
		struct gslot *s = &sm->slot[g];
		s->locked = false;
	}
	retire(sm, op);
	if (sm->div.ops->commit)
		sm->div.ops->commit(&sm->div, g);
	else
		sm_group_changed(sm, g);
	while (n--)
		if (t->flags & T_MEMORY)
			sm_warp_accessed(sm, home[n]);
		else
			sm_warp_maybe_done(sm, home[n]);
}
