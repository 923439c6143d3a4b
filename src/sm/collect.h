/* Operand collectors: in which order instructions read their operands and go on to the units.
 *
 *   issue -> collectors (struct collectors) -> banks of registers -> unit -> write-back (struct ahead)
 *
 * An order is one file in sm/collect/ with one table, `const struct coll_ops coll_NAME`. Everything
 * is decided when an instruction is issued: the order gives it the cycles that are left. It may
 * change the set of units it is given and the SM's figures of conflicts; nothing else. It runs on
 * the SM's host thread. */
#ifndef SM_COLLECT_H
#define SM_COLLECT_H
#include "policy/policy.h"
#include "sm/sm.h"

struct coll_ops {
	struct policy p;
	/* MAY. A set of units is built, its units and collectors are there; fini: it is taken down.
	 */
	void (*init)(struct lane_set *s);
	void (*fini)(struct lane_set *s);
	/* MUST. An instruction reads its operands and occupies a unit for so many beats, at least
	 * ii cycles: the cycle in which its result is there; of a memory instruction, in which the
	 * load/store unit gets it. Called once for each, in the order of issue; sm->now is the
	 * cycle of the issue, and never goes back. */
	cycle_t (*start)(struct sm *sm, struct lane_set *s, unsigned warp, const struct tinst *t,
			 unsigned beats, unsigned ii);
};
POLICY_FINDER(coll)

/* An instruction is issued to a set of units: see start(). */
static inline cycle_t unit_start(struct sm *sm, struct lane_set *s, unsigned warp,
				 const struct tinst *t, unsigned beats, unsigned ii)
{
	return s->order->start(sm, s, warp, t, beats, ii);
}

/* ---- for orders ---- */

static inline cycle_t cycle_later(cycle_t a, cycle_t b) { return a > b ? a : b; }

/* Equal units: when the next one is free. */
static inline cycle_t servers_soonest(const struct servers *s) { return s->free[s->first]; }

/* The soonest is free again at `until`, before others are: those move up. */
void servers_pass(struct servers *s, cycle_t until);

/* The soonest serves; it is free again at `until`. That is mostly later than the others are: its
 * place, now the ring's last, is the right one. */
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

/* The oldest place of the register before the collectors goes to an instruction that gets a
 * collector at `at`. */
static inline void collectors_pass(struct collectors *c, cycle_t at)
{
	c->last[c->k].entered = at;
	c->k = c->k + 1 < c->ports ? c->k + 1 : 0;
	c->open = c->last[c->k].entered;
}

/* What is known of cycle `now` and the WB_AHEAD - 1 after it. */
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

/* bank = (register + warp) mod banks, so that warps start in different banks: what the warp adds.
 */
static inline unsigned bank_shift(const struct sm *sm, const struct lane_set *set, unsigned warp)
{
	return set->bank_mask ? warp & set->bank_mask : warp % sm->m->reg_banks;
}

/* The banks that the instruction's results go to, of a warp with that shift. */
static inline uint64_t banks_of(const struct sm *sm, unsigned shift, const struct tinst *t)
{
	unsigned n = sm->m->reg_banks;
	uint64_t all = UINT64_MAX >> (64 - n);
	return shift ? (t->to << shift | t->to >> (n - shift)) & all : t->to;
}

#endif
