/* In the order of issue: an instruction leaves the collectors of its kind after all earlier ones.
 * An instruction that waits for a write-back port holds up the units of its kind. */
#include "sm/collect.h"

/* Reserves a write-back port. Returns the first cycle from `at` on in which a unit can take an
 * instruction whose result is ready `lat` cycles later. */
static cycle_t reserve_port(struct sm *sm, struct lane_set *set, unsigned shift,
			    const struct tinst *t, cycle_t at, cycle_t lat)
{
	cycle_t end = at + lat, last = sm->now + WB_AHEAD - 1;
	if (end > last) /* beyond the reservations that are kept */
		return at;
	struct ahead *wb = &set->wb;
	while (wb->results[end % WB_AHEAD] >= sm->m->writeback && end < last) {
		STAT(&sm->stats, port_conflicts)++;
		end++;
	}
	ahead_writes(wb, end, banks_of(sm, shift, t));
	return end - lat;
}

/* The cycle after the last operand has been read. */
static cycle_t read_operands(struct sm *sm, struct lane_set *set, unsigned shift,
			     const struct tinst *t, unsigned beats, cycle_t from)
{
	cycle_t ready = t->operands ? from + 1 : from;
	if (!sm->m->bank_conflicts)
		return ready;
	unsigned n = t->nfrom, banks = sm->m->reg_banks;
	const uint16_t *number = t->from;
	const uint64_t *written = set->wb.banks;
	cycle_t *bank = set->bank, known = sm->now + WB_AHEAD;
	for (unsigned i = 0; i < n; i++) {
		unsigned b = number[i] + shift;
		b = b < banks ? b : b - banks;
		cycle_t at = cycle_later(bank[b], from);
		while (written[at % WB_AHEAD] >> b & 1 && at < known)
			at++;
		bank[b] = at + beats;
		ready = cycle_later(at + 1, ready);
	}
	if (n)
		STAT(&sm->stats, bank_conflicts) += ready - from - 1;
	return ready;
}

static cycle_t start(struct sm *sm, struct lane_set *set, unsigned warp, const struct tinst *t,
		     unsigned beats, unsigned ii)
{
	struct collectors *c = set->route[t->unit].coll;
	struct passage *oldest = &c->last[c->k];
	struct servers *u = set->route[t->unit].unit;
	unsigned shift = bank_shift(sm, set, warp);
	ahead_of(set, sm->now);
	cycle_t enter =
		cycle_later(cycle_later(sm->now + sm->m->read_lat - 1, servers_soonest(&c->coll)),
			    oldest->entered + 1);
	cycle_t ready =
		cycle_later(read_operands(sm, set, shift, t, beats, enter + 1), oldest->taken);
	cycle_t at = cycle_later(servers_soonest(u), ready);
	collectors_pass(c, enter);
	servers_take(&c->coll, ready);
	if (t->unit == UNIT_MEM) {
		servers_take(u, at + beats);
		return at + beats - 1;
	}
	cycle_t lat = t->lat + beats - 1,
		free = reserve_port(sm, set, shift, t, at, lat + sm->m->write_lat);
	for (unsigned i = 0; free > at && i < u->n; i++)
		u->free[i] = cycle_later(u->free[i], free);
	servers_take(u, free + (ii > beats ? ii : beats));
	oldest->taken = free + 1;
	return free + lat;
}

const struct coll_ops coll_issue = {
	.p = {"issue", "instructions leave the collectors of a kind in the order of issue", ""},
	.start = start,
};
