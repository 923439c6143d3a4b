/* Operand collectors, banks and units. All that happens between an instruction's issue and its result is
 * known at issue, as each resource is given away in that order: its operands are read one after the other
 * from each bank, its collector is busy until the unit takes it, the unit until its interval is over. */
#include "sm/sm.h"

enum { C_ALU, C_SFU, C_MEM };
static const uint8_t collector_of[U_COUNT] = {C_ALU, C_SFU, C_ALU, C_ALU, C_MEM};

static void collectors_init(struct collectors *c, unsigned n)
{
	c->n = (uint8_t)n;
	c->first = 0;
	memset(c->until, 0, sizeof c->until);
}

void unit_init(struct sm *sm)
{
	const struct machine *m = sm->m;
	const uint32_t n[U_COUNT] = {m->sp_units, m->sfu_units, m->dp_units, m->mma_units, 1};
	for (unsigned u = 0; u < U_COUNT; u++)
		sm->unit[u].n = (uint8_t)n[u];
	collectors_init(&sm->coll[C_ALU], m->coll_sp);
	collectors_init(&sm->coll[C_SFU], m->coll_sfu);
	collectors_init(&sm->coll[C_MEM], m->coll_mem);
	sm->bank_mask = m->reg_banks & (m->reg_banks - 1) ? 0 : m->reg_banks - 1;
	sm->bank = xcalloc(m->reg_banks, sizeof *sm->bank);
}

bool unit_free(struct sm *sm, enum unit_kind u)
{
	const struct collectors *c = &sm->coll[collector_of[u]];
	if (c->first <= sm->now && !(u == U_MEM && lsu_full(sm)))
		return true;
	if (c->first > sm->now && c->first < sm->unit_wake)
		sm->unit_wake = c->first;
	return false;
}

/* The cycle after the last operand has been read. */
static cycle_t read_operands(struct sm *sm, unsigned warp, const struct tinst *t, unsigned beats)
{
	cycle_t from = sm->now + sm->m->read_lat, ready = from + 1;
	if (!sm->m->bank_conflicts)
		return t->nread ? from + beats : ready;
	for (unsigned i = 0; i < t->nread; i++) {
		unsigned b = t->read[i] + warp;
		cycle_t *bank = &sm->bank[sm->bank_mask ? b & sm->bank_mask : b % sm->m->reg_banks];
		cycle_t at = *bank > from ? *bank : from;
		*bank = at + beats;
		ready = at + 1 > ready ? at + 1 : ready;
	}
	STAT(&sm->stats, bank_conflicts) += ready - from - 1;
	return ready;
}

static void hold_collector(struct collectors *c, cycle_t now, cycle_t until)
{
	cycle_t first = NEVER;
	bool placed = false;
	for (unsigned i = 0; i < c->n; i++) {
		if (!placed && c->until[i] <= now) {
			c->until[i] = until;
			placed = true;
		}
		first = c->until[i] < first ? c->until[i] : first;
	}
	c->first = first;
}

cycle_t unit_start(struct sm *sm, unsigned warp, const struct tinst *t, const struct plan *p)
{
	struct pipe *u = &sm->unit[t->unit];
	cycle_t ready = read_operands(sm, warp, t, p->beats), *best = &u->free[0];
	for (unsigned i = 1; i < u->n; i++)
		if (u->free[i] < *best)
			best = &u->free[i];
	cycle_t at = *best > ready ? *best : ready;
	uint32_t busy = t->ii > p->beats ? t->ii : p->beats;
	/* What is issued in a cycle enters its collector in the next: one that is left in that cycle will do. */
	hold_collector(&sm->coll[collector_of[t->unit]], sm->now, at - 1);
	if (t->unit == U_MEM) {
		*best = at + p->beats;
		return at + p->beats - 1;
	}
	*best = at + busy;
	return at + t->lat + p->beats - 1;
}

/* ---- instructions in flight ---- */

enum { CHUNK = 256 };
struct chunk {
	struct chunk *next;
	struct flight op[CHUNK];
};

static void more_ops(struct sm *sm)
{
	struct chunk *c = xcalloc(1, sizeof *c);
	c->next = sm->op_chunks;
	sm->op_chunks = c;
	for (unsigned i = 0; i < CHUNK; i++) {
		c->op[i].id = (uint32_t)sm->flights.n;
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
	*op = (struct flight){.id = op->id, .t = t, .pc = pc, .group = (uint16_t)g, .warp = (uint16_t)warp, .issued = sm->now};
	op->ev.kind = EV_WRITE;
	op->next = s->ops;
	if (s->ops)
		s->ops->prev = op;
	s->ops = op;
	sm->warp[warp].inflight++;
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
	sm->warp[op->warp].inflight--;
	op->next = sm->free_ops;
	sm->free_ops = op;
}

/* Writes the result, if one of the write-back ports is free; banks have a port for writing. */
void op_finish(struct sm *sm, struct flight *op)
{
	const struct tinst *t = op->t;
	if (t->nwrite && !sm->locked) {
		if (sm->wb_cycle != sm->now) {
			sm->wb_cycle = sm->now;
			sm->wb_used = 0;
		}
		if (sm->wb_used >= sm->m->writeback) {
			STAT(&sm->stats, port_conflicts)++;
			wheel_post(&sm->wheel, &op->ev, sm->now + 1);
			return;
		}
		sm->wb_used++;
	}
	int g = op->group;
	unsigned w = op->warp;
	if ((t->flags & (T_MEMORY | T_STORE)) == T_MEMORY && t->wait == W_GLOBAL)
		sm->stats.load_latency[stat_log2_bucket(sm->now - op->issued, 20)]++;
	if (sm->locked) {
		struct gslot *s = &sm->slot[g];
		s->locked = false;
	}
	sm->warp[w].outstanding -= op->fenced;
	retire(sm, op);
	sm_group_changed(sm, g);
	if (t->flags & T_MEMORY)
		sm_warp_accessed(sm, w);
	else
		sm_warp_maybe_done(sm, w);
}
