/* An SM that is watched: what groups wait for before each instruction, and the events of a
 * timeline. Runs that are not watched pay only one branch at each change of a group's state. */
#include "sm/trace.h"

#include "kernel/cta.h"
#include "mem/msg.h"
#include "sm/count.h"
#include "sm/lsu.h"

/* Per scheduler: cycles in which the scheduler issued, and cycles in which its port or policy
 * kept it from issuing: in these a ready group waited for other groups. In all other cycles a
 * ready group waited for its unit; in `blocked` of them the load/store unit waited for the
 * memory system. */
struct turns {
	uint64_t chosen, blocked;
};
struct watched {
	struct turns *scheduler; /* per scheduler: counts so far */
	struct turns *group;     /* per group: counts of its scheduler when the group became
	                          * ready */
};

static void make_watched(struct sm *sm)
{
	sm->watched = xcalloc(1, sizeof *sm->watched);
	sm->watched->scheduler = xcalloc(sm->nsched, sizeof(struct turns));
	sm->watched->group = xcalloc(sm->ngroups, sizeof(struct turns));
}

void watch_free(struct sm *sm)
{
	if (!sm->watched)
		return;
	free(sm->watched->scheduler);
	free(sm->watched->group);
	free(sm->watched);
}

void sm_watch(struct sm *sm, bool yes)
{
	if (yes && !sm->watched)
		make_watched(sm);
	sm->watch = yes;
	sm->tells = yes || sm->lanes.ops->usable || sm->m->diverge->stalls;
}

const char *sm_stall_name(unsigned i)
{
	return i < STALL_COUNT - 1 ? slot_stats.def[SLOT_barrier + i].name : "ready";
}

void trace_add(struct trace *t, struct trace_event e)
{
	if (e.to > e.from && e.to > t->from && e.from < t->to)
		vec_push(&t->ev, e);
}

static bool waits(enum gstate s) { return s >= GS_BARRIER && s < GS_READY; }

static void trace_wait(struct sm *sm, int g, enum gstate s, const struct kern *k, uint32_t pc,
		       cycle_t to)
{
	trace_add(sm->trace, (struct trace_event){.from = sm->slot[g].since,
						  .to = to,
						  .value = s,
						  .k = k,
						  .pc = pc,
						  .track = (uint16_t)g,
						  .kind = TRACE_WAIT});
}

static struct prof *prof_of(const struct sm *sm, const struct gslot *s)
{
	return count_at(s->at_kern->prof[sm->id], s->at_pc, &s->at_kern->code[s->at_pc]);
}

/* Counts what the group has waited for at its instruction; time for which it was ready is counted
 * at issue. */
void watch_state(struct sm *sm, int g, enum gstate from, enum gstate to)
{
	struct gslot *s = &sm->slot[g];
	const struct group *gr = &sm->div.group[g];
	if (waits(from) && s->at_kern && sm->now > s->since) {
		prof_of(sm, s)->stall[from - GS_BARRIER] += sm->now - s->since;
		if (sm->trace)
			trace_wait(sm, g, from, s->at_kern, s->at_pc, sm->now);
	}
	s->since = sm->now > s->since ? sm->now : s->since;
	if (to >= GS_READY)
		sm->watched->group[g] = sm->watched->scheduler[s->sched];
	if (!waits(to) || (gr->warp == GROUP_MIXED && !gr->active))
		return;
	const struct block *b = sm_home(sm, gr)->b;
	s->at_kern = b->k;
	s->at_pc = gr->pc;
}

void watch_cycle(struct sm *sm)
{
	bool blocked = lsu_blocked(sm->lsu);
	for (unsigned n = 0; n < sm->nsched; n++) {
		enum slot c = sm->found[n].cause;
		struct turns *t = &sm->watched->scheduler[n];
		if (c == SLOT_issued || c == SLOT_port || c == SLOT_policy)
			t->chosen++;
		else
			t->blocked += blocked;
	}
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Adds the time for which a group was ready and not issued, by cause. */
static void count_ready(struct sm *sm, int g, struct prof *p)
{
	const struct gslot *s = &sm->slot[g];
	const struct turns *now = &sm->watched->scheduler[s->sched];
	const struct turns *then = &sm->watched->group[g];
	uint64_t time = sm->now - s->since, chosen = least(now->chosen - then->chosen, time);
	unsigned unit = s->state - GS_READY;
	time -= chosen;
	uint64_t blocked = unit == UNIT_MEM ? least(now->blocked - then->blocked, time) : 0;
	p->stall[STALL_READY] += chosen;
	p->stall[STALL_MEMORY] += blocked;
	p->stall[STALL_UNIT + unit] += time - blocked;
}

void watch_issue(struct sm *sm, int g, lanemask m)
{
	struct gslot *s = &sm->slot[g];
	const struct group *gr = &sm->div.group[g];
	const struct block *b = sm_home(sm, gr)->b;
	if (sm->now > s->since)
		count_ready(sm, g, count_at(b->prof, gr->pc, &b->k->code[gr->pc]));
	if (sm->trace) {
		trace_wait(sm, g, GS_READY, b->k, gr->pc, sm->now);
		trace_add(sm->trace, (struct trace_event){.from = sm->now,
							  .to = sm->now + 1,
							  .value = m,
							  .k = b->k,
							  .pc = gr->pc,
							  .track = (uint16_t)g,
							  .kind = TRACE_ISSUE});
	}
	s->since = sm->now + 1;
	/* restarts at this cycle, which watch_cycle() has yet to count */
	sm->watched->group[g] = sm->watched->scheduler[s->sched];
	sm->watched->group[g].chosen++;
}

void watch_result(struct sm *sm, const struct flight *op)
{
	const uint16_t *home;
	flight_homes(sm, op, &home);
	if (sm->trace && (op->t->flags & T_MEMORY) && sm->warp[home[0]].b)
		trace_add(sm->trace, (struct trace_event){.from = flight_issued(sm, op),
							  .to = sm->now,
							  .k = sm->warp[home[0]].b->k,
							  .pc = op->pc,
							  .track = op->group,
							  .kind = TRACE_MEMORY});
}

static void trace_block(struct sm *sm, const struct block *b, cycle_t to)
{
	trace_add(sm->trace, (struct trace_event){.from = b->start,
						  .to = to,
						  .value = b->cta->index,
						  .k = b->k,
						  .track = (uint16_t)(b - sm->blocks.block),
						  .kind = TRACE_BLOCK});
}

void watch_block_end(struct sm *sm, const struct block *b)
{
	if (sm->trace)
		trace_block(sm, b, sm->now + 1);
}

void watch_reply(struct sm *sm, const struct msg *m)
/* clang-format off */
{
	uint32_t took = (uint32_t)sm->now - m->sent; /* the message has the low bits of the cycle */
	trace_add(sm->trace, (struct trace_event){.from = sm->now - took, .to = sm->now, .value = m->addr, .pc = m->bytes,
						  .track = m->dest, .kind = TRACE_REQUEST, .op = m->kind,
						  .class = m->class});
	/* clang-format on */
}

void trace_rest(struct sm *sm, cycle_t at)
{
	for (unsigned g = 0; g < sm->ngroups; g++)
		if (waits(sm->slot[g].state) && sm->slot[g].at_kern)
			trace_wait(sm, (int)g, sm->slot[g].state, sm->slot[g].at_kern,
				   sm->slot[g].at_pc, at);
	for (unsigned i = 0; i < sm->blocks.n; i++)
		if (sm->blocks.block[i].used)
			trace_block(sm, &sm->blocks.block[i], at);
}

/* ---- memory ---- */

static struct prof *prof_of_flight(struct sm *sm, const struct flight *op)
{
	const uint16_t *home;
	flight_homes(sm, op, &home);
	return count_at(sm->warp[home[0]].b->prof, op->pc, op->t);
}

void watch_conflicts(struct sm *sm, const struct flight *op, unsigned cycles)
{
	prof_of_flight(sm, op)->conflicts += cycles;
}

/* The mean distance between neighbouring addresses of the lanes: their range divided by the number
 * of gaps. */
static uint64_t lanes_apart(const struct lane_access *a)
{
	uint64_t low = ~0ull, high = 0;
	unsigned n = (unsigned)__builtin_popcountll(a->lanes);
	for (lanemask m = a->lanes; m; m &= m - 1) {
		uint64_t addr = a->addr[__builtin_ctzll(m)];
		low = addr < low ? addr : low;
		high = addr > high ? addr : high;
	}
	return n > 1 ? (high - low) / (n - 1) : 0;
}

/* Number of sectors that the lanes' accesses touch. Accesses are aligned: each lies in one sector,
 * except those of lanes with several words of 16 bytes. */
static unsigned sectors_touched(const struct lane_access *a)
{
	enum { SECTOR = 32, SLOTS = 256 };
	uint64_t seen[SLOTS] = {0}; /* a hash set of sector numbers + 1 */
	unsigned n = 0;
	for (lanemask m = a->lanes; m; m &= m - 1) {
		uint64_t addr = a->addr[__builtin_ctzll(m)], last = (addr + a->bytes - 1) / SECTOR;
		for (uint64_t s = addr / SECTOR; s <= last && n < SLOTS / 2; s++) {
			unsigned h = (unsigned)(s * 0x9e3779b97f4a7c15ull >> 56);
			while (seen[h] && seen[h] != s + 1)
				h = (h + 1) % SLOTS;
			n += !seen[h];
			seen[h] = s + 1;
		}
	}
	return n;
}

void watch_access(struct sm *sm, const struct lsu_entry *e, const struct lane_access *a)
{
	struct prof *p = prof_of_flight(sm, e->op);
	if (e->op->t->flags & (T_MATRIX | T_BULK))
		return;
	if (e->local) {
		for (uint32_t i = 0; i < e->ntx; i++)
			p->sectors += (unsigned)__builtin_popcount(e->tx[i].pieces);
		return;
	}
	p->sectors += sectors_touched(a);
	p->apart += lanes_apart(a);
}
