/* Operand collectors, banks and units. All that happens between an instruction's issue and its
 * result is known at issue, as each resource is given away in that order:
 *
 *   issue -> register -> collector: operands -> register -> unit -> write-back port, bank
 *
 * A class of units has `ports` registers on both sides of its collectors, and as many instructions
 * enter and leave them in a cycle. A unit takes an instruction when a write-back port is free in
 * the cycle of its result; what has to wait for one holds up the units of its class. A result that
 * is written keeps its bank from being read in that cycle. Memory instructions end otherwise: the
 * load/store unit takes them, and their results wait for a bank that an ALU's result has taken. */
#include "sm/collect.h"

#include "base/assert.h"

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
	s->bank = xcalloc_lines(m->reg_banks, sizeof *s->bank);
	s->wb = xcalloc_lines(WB_AHEAD, sizeof *s->wb);
	s->order = m->coll_order;
	if (s->order->init)
		s->order->init(s);
}

void lane_set_free(struct lane_set *s)
{
	free(s->bank);
	free(s->wb);
	if (s->order->fini)
		s->order->fini(s);
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

void op_retire(struct sm *sm, struct flight *op)
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
		assert_hot(sm->warp[op->warp].inflight &&
			   sm->warp[op->warp].outstanding >= op->fenced);
		sm->warp[op->warp].inflight--;
		sm->warp[op->warp].outstanding -= op->fenced;
		return;
	}
	const uint16_t *home;
	for (unsigned n = flight_homes(sm, op, &home); n--;) {
		assert_hot(sm->warp[home[n]].inflight &&
			   sm->warp[home[n]].outstanding >= op->fenced);
		sm->warp[home[n]].inflight--;
		sm->warp[home[n]].outstanding -= op->fenced;
	}
}

void op_done(struct sm *sm, struct flight *op)
{
	const struct tinst *t = op->t;
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
	op_retire(sm, op);
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
