/* Operand collectors: in which order instructions read their operands and go on to the units.
 *
 *   issue -> collectors (struct collectors) -> banks of registers -> unit -> write-back (struct ahead)
 *
 * An order is one file in sm/collect/ with one table, `const struct coll_ops coll_NAME`. All times
 * are decided when an instruction is issued: the order gives the instruction the earliest cycles that
 * are not reserved yet. An order may change the set of units it is given and the SM's figures of
 * conflicts; nothing else. It runs on the SM's host thread. */
#ifndef SM_COLLECT_H
#define SM_COLLECT_H
#include "policy/policy.h"
#include "sm/sm.h"

struct coll_ops {
	struct policy p;
	/* MAY. init: called after a set of units has been built; fini: called before the set is
	 * freed. */
	void (*init)(struct lane_set *s);
	void (*fini)(struct lane_set *s);
	/* MUST. An instruction reads its operands and occupies a unit for `beats` cycles, at least
	 * ii. Returns the cycle in which the result is ready; for a memory instruction, the cycle
	 * in which the load/store unit receives it. Called once per instruction, in the order of
	 * issue; sm->now is the cycle of the issue, and never decreases. */
	cycle_t (*start)(struct sm *sm, struct lane_set *s, unsigned warp, const struct tinst *t,
			 unsigned beats, unsigned ii);
};
POLICY_FINDER(coll)

/* Calls the order's start() for an instruction that is issued to a set of units. */
static inline cycle_t unit_start(struct sm *sm, struct lane_set *s, unsigned warp,
				 const struct tinst *t, unsigned beats, unsigned ii)
{
	return s->order->start(sm, s, warp, t, beats, ii);
}

/* ---- for orders ---- */

static inline cycle_t cycle_later(cycle_t a, cycle_t b) { return a > b ? a : b; }

/* Cycle in which the next of several equal units is free. */
static inline cycle_t servers_soonest(const struct servers *s) { return s->free[s->first]; }

/* The unit that is free first is taken until `until`; units that are free before then move up in
 * the ring. */
void servers_pass(struct servers *s, cycle_t until);

/* Takes the unit that is free first until `until`. That is mostly later than all other units, so
 * its place, now the ring's last, is the right one. */
static inline void servers_take(struct servers *s, cycle_t until)
{
	unsigned n = s->n, at = s->first, last = (at ? at : n) - 1;
	if (s->free[last] > until) {
		servers_pass(s, until);
		return;
	}
	s->free[at] = until;
	s->first = (uint8_t)(at + 1 < n ? at + 1 : 0);
}

/* Records an instruction that gets a collector at `at`, in place of the oldest record of the
 * register before the collectors. */
static inline void collectors_pass(struct collectors *c, cycle_t at)
{
	c->last[c->k].entered = at;
	c->k = c->k + 1 < c->ports ? c->k + 1 : 0;
	c->open = c->last[c->k].entered;
}

/* Reservations of cycle `now` and the WB_AHEAD - 1 cycles after it. */
static inline struct ahead *ahead_of(struct lane_set *set, cycle_t now)
{
	if (set->wb.from != now)
		ahead_pass(&set->wb, now);
	return &set->wb;
}

/* A unit's result is written to these banks in cycle c. */
static inline void ahead_writes(struct ahead *a, cycle_t c, uint64_t banks)
{
	a->results[c % WB_AHEAD]++;
	a->banks[c % WB_AHEAD] |= banks;
	a->end = cycle_later(a->end, c + 1);
}

/* The number that a warp adds to a register number to find its bank: bank = (register + warp) mod banks, so
 * that warps start in different banks. */
static inline unsigned bank_shift(const struct sm *sm, const struct lane_set *set, unsigned warp)
{
	return set->bank_mask ? warp & set->bank_mask : warp % sm->m->reg_banks;
}

/* Banks that the results of a warp with this shift are written to. */
static inline uint64_t banks_of(const struct sm *sm, unsigned shift, const struct tinst *t)
{
	unsigned n = sm->m->reg_banks;
	uint64_t all = UINT64_MAX >> (64 - n);
	return shift ? (t->to << shift | t->to >> (n - shift)) & all : t->to;
}

#endif
