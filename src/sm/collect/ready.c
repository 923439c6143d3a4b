/* sm.collector_order = ready: instructions leave their collectors when their operands have been read,
 * not in the order of issue, and a unit finishes one instruction per cycle.
 *
 *   collector -> one of `ports` registers -> unit
 *
 * Only the oldest instruction in the registers is offered to the units, in the units' order: if no
 * unit takes it, the instructions behind it wait too; a unit that refused it takes no other
 * instruction in that cycle. A unit refuses while it is busy with another instruction (its interval),
 * or if two instructions would finish together, in the unit or at the write-back ports.
 *
 * All times are decided at issue: earlier instructions have reserved their cycles already, and a new
 * one takes the first cycles that are left. So the state of each cycle is kept in rings, ahead of
 * time. Instructions that would lie beyond the rings' ends, because their latencies and intervals are
 * hundreds of cycles, are handled in order of issue (collect/issue.c). */
#include "sm/collect.h"

struct entry_slot {          /* per kind of unit and cycle */
	uint32_t round;      /* lap of the ring: distinguishes cycles that differ by a multiple
			      * of WB_AHEAD */
	uint32_t busy, ends; /* bit per unit: takes an instruction; has a result ready */
	uint8_t held;        /* number of occupied pipeline registers before the units */
	uint8_t next;        /* first unit that has not been considered in this cycle */
	bool blocked;        /* the oldest instruction in the registers has been refused */
};

static void init(struct lane_set *set)
{
	set->wb.reads = xcalloc_lines(WB_AHEAD, sizeof *set->wb.reads);
	for (unsigned u = 0; u < UNIT_COUNT; u++)
		if (u != UNIT_MEM && set->unit[u].n)
			set->entry[u] = xcalloc_lines(WB_AHEAD, sizeof *set->entry[u]);
}

static void fini(struct lane_set *set)
{
	free(set->wb.reads);
	for (unsigned u = 0; u < UNIT_COUNT; u++)
		free(set->entry[u]);
}

static struct entry_slot *slot_at(struct entry_slot *ring, cycle_t c)
{
	struct entry_slot *s = &ring[c % WB_AHEAD];
	if (s->round != (uint32_t)(c / WB_AHEAD))
		*s = (struct entry_slot){.round = (uint32_t)(c / WB_AHEAD)};
	return s;
}

/* Units that can take an instruction from cycle c on, as a bit mask. */
static uint32_t find_takers(struct lane_set *set, unsigned u, cycle_t c, cycle_t lat, cycle_t ii)
{
	struct entry_slot *ring = set->entry[u], *s = slot_at(ring, c);
	uint32_t can = UINT32_MAX >> (32 - set->unit[u].n) & ~((1u << s->next) - 1);
	if (s->blocked)
		return 0;
	can &= ~slot_at(ring, c + lat)->ends;
	for (cycle_t k = 0; can && k < ii; k++)
		can &= ~slot_at(ring, c + k)->busy;
	return can;
}

static bool port_left(const struct sm *sm, const struct lane_set *set, cycle_t c)
{
	return set->wb.results[c % WB_AHEAD] < sm->m->writeback;
}

/* Sends an instruction whose operands are ready in *ready to a unit of kind u, which is busy for ii
 * cycles and has the result after lat. Returns the cycle in which the unit takes it. *ready becomes
 * the cycle in which the instruction leaves its collector. */
cycle_t entry_take(struct sm *sm, struct lane_set *set, unsigned u, unsigned ports, cycle_t lat,
		   cycle_t ii, cycle_t *ready)
{
	struct entry_slot *ring = set->entry[u];
	cycle_t left = *ready, c = left, last = sm->now + WB_AHEAD - 1 - lat - sm->m->write_lat;
	uint32_t can = 1; /* an instruction too late for the rings takes the first unit without a
	                   * search */
	for (;;) {
		while (c < last && !(can = find_takers(set, u, c, lat, ii)))
			c++;
		if (c < last && !port_left(sm, set, c + lat + sm->m->write_lat)) {
			STAT(&sm->stats, port_conflicts)++;
			c++;
			continue;
		}
		cycle_t k = c + 1;
		while (k > left && slot_at(ring, k - 1)->held < ports)
			k--;
		if (k == left || c >= last)
			break;
		left = c = k; /* the registers are full until then: the instruction stays in its
		               * collector */
	}
	for (cycle_t k = left; k <= c; k++) {
		slot_at(ring, k)->held++;
		slot_at(ring, k)->blocked |= k < c;
	}
	unsigned taker = can ? (unsigned)__builtin_ctz(can) : 0;
	slot_at(ring, c)->next = (uint8_t)(taker + 1);
	slot_at(ring, c + lat)->ends |= 1u << taker;
	for (cycle_t k = 0; k < ii; k++)
		slot_at(ring, c + k)->busy |= 1u << taker;
	*ready = left;
	return c;
}

/* Operands are read in the order in which instructions enter collectors, not in the order of
 * issue. */
static cycle_t read_as_entered(struct sm *sm, struct lane_set *set, unsigned warp,
			       const struct tinst *t, unsigned beats, cycle_t from)
{
	cycle_t ready = t->operands ? from + 1 : from;
	if (!sm->m->bank_conflicts ||
	    from - sm->now >= WB_AHEAD / 2) /* beyond the reservations that are kept */
		return ready;
	unsigned banks = sm->m->reg_banks, by = bank_shift(sm, set, warp);
	struct ahead *wb = &set->wb;
	cycle_t known = sm->now + WB_AHEAD;
	for (unsigned i = 0; i < t->nfrom; i++) {
		unsigned b = t->from[i] + by;
		uint64_t bit = 1ull << (b < banks ? b : b - banks);
		cycle_t at = from;
		for (unsigned n = 0; n < beats; at++) {
			uint64_t taken = wb->banks[at % WB_AHEAD] | wb->reads[at % WB_AHEAD];
			n = at < known && (taken & bit) ? 0 : n + 1;
		}
		for (cycle_t c = at - beats; c < at && c < known; c++)
			wb->reads[c % WB_AHEAD] |= bit;
		wb->end = cycle_later(wb->end, at < known ? at : known);
		ready = cycle_later(at - beats + 1, ready);
	}
	if (t->nfrom)
		STAT(&sm->stats, bank_conflicts) += ready - from - 1;
	return ready;
}

static cycle_t start(struct sm *sm, struct lane_set *set, unsigned warp, const struct tinst *t,
		     unsigned beats, unsigned interval)
{
	struct collectors *c = set->route[t->unit].coll;
	struct passage *oldest = &c->last[c->k];
	struct ahead *wb = ahead_of(set, sm->now);
	cycle_t enter =
		cycle_later(cycle_later(sm->now + sm->m->read_lat - 1, servers_soonest(&c->coll)),
			    oldest->entered + 1);
	cycle_t ready = read_as_entered(sm, set, warp, t, beats, enter + 1),
		lat = t->lat + beats - 1, at;
	cycle_t ii = interval > beats ? interval : beats;
	collectors_pass(c, enter);
	if (t->unit == UNIT_MEM) {
		at = cycle_later(servers_soonest(&set->unit[UNIT_MEM]), ready);
		servers_take(&set->unit[UNIT_MEM], at + beats);
		lat = beats - 1;
	} else if (ready + lat + ii + sm->m->write_lat - sm->now >=
		   WB_AHEAD) { /* too far ahead: in order of issue */
		at = cycle_later(servers_soonest(&set->unit[t->unit]), ready);
		servers_take(&set->unit[t->unit], at + ii);
	} else {
		at = entry_take(sm, set, t->unit, c->ports, lat, ii, &ready);
		cycle_t end = at + lat + sm->m->write_lat;
		ahead_writes(wb, end, banks_of(sm, bank_shift(sm, set, warp), t));
	}
	servers_take(&c->coll, ready);
	return at + lat;
}

const struct coll_ops coll_ready = {
	.p = {"ready",
	      "instructions leave as their operands are there, to units that end one a cycle",
	      "GPGPU-Sim 3"},
	.init = init,
	.fini = fini,
	.start = start,
};
