/* Operand collectors, banks and units. All times between an instruction's issue and its result are
 * decided at issue, because each resource is given away in that order:
 *
 *   issue -> register -> collector: operands -> register -> unit -> write-back port, bank
 *
 * A class of units has `ports` registers before and after its collectors, and as many instructions
 * enter and leave the collectors per cycle. A unit takes an instruction only if a write-back port is
 * free in the cycle of its result; an instruction that waits for a port holds up the units of its
 * class. A result that is written keeps its bank from being read in that cycle. Memory instructions
 * end differently: the load/store unit takes them, and their results wait for a bank that no ALU
 * result is written to. */
#include "sm/collect.h"

#include "base/pages.h"

static void collectors_init(struct collectors *c, unsigned n, unsigned ports)
{
	*c = (struct collectors){.coll.n = (uint8_t)n, .ports = (uint8_t)ports};
}

void lane_set_init(struct lane_set *s, const struct machine *m)
{
	const uint32_t n[UNIT_COUNT] = {m->sp_units, m->sfu_units, m->dp_units, m->mma_units, 1};
	static const uint8_t class[UNIT_COUNT] = {[UNIT_SFU] = C_SFU, [UNIT_MEM] = C_MEM};
	for (unsigned u = 0; u < UNIT_COUNT; u++) {
		s->unit[u].n = (uint8_t)n[u];
		s->route[u] = (struct route){&s->coll[class[u]], &s->unit[u]};
	}
	collectors_init(&s->coll[C_ALU], m->coll_sp, m->ports_sp);
	collectors_init(&s->coll[C_SFU], m->coll_sfu, m->ports_sfu);
	collectors_init(&s->coll[C_MEM], m->coll_mem, m->ports_mem);
	s->bank_mask = m->reg_banks & (m->reg_banks - 1) ? 0 : m->reg_banks - 1;
	s->bank = PAGES_ARRAY(cycle_t, m->reg_banks);
	s->wb.banks = PAGES_ARRAY(uint64_t, WB_AHEAD);
	s->wb.results = PAGES_ARRAY(uint8_t, WB_AHEAD);
	s->order = m->coll_order;
	if (s->order->init)
		s->order->init(s);
}

void lane_set_free(struct lane_set *s)
{
	pages_free(s->bank);
	pages_free(s->wb.banks);
	pages_free(s->wb.results);
	if (s->order->fini)
		s->order->fini(s);
}

void ahead_pass(struct ahead *a, cycle_t now)
{
	cycle_t end = now < a->end ? now : a->end;
	for (cycle_t c = a->from; c < end; c++) {
		a->banks[c % WB_AHEAD] = 0;
		a->results[c % WB_AHEAD] = 0;
		if (a->reads)
			a->reads[c % WB_AHEAD] = 0;
	}
	a->from = now;
}

void servers_pass(struct servers *s, cycle_t until)
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
