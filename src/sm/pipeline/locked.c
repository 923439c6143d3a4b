/* The locked pipeline: a group has one instruction in it, from issue to commit, sm.locked_depth
 * cycles. No scoreboard is needed, and threads may regroup when the instruction commits. */
#include "sm/pipeline.h"

#include <string.h>
#include "sm/equal.h"
#include "sm/flight.h"
#include "sm/lsu.h"

struct options {
	uint32_t depth; /* cycles from issue to commit */
};
static const struct option rows[] = {
	OPTION_NUM(struct options, depth, "sm.locked_depth", 24, 1, 256, "cycles",
		   "locked pipeline: cycles from issue to commit"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true};

static void init(struct sm *sm)
{
	const struct options *o = machine_own(sm->m, &options);
	const struct machine *m = sm->m;
	sm->depth = o->depth;
	sm->serial = sm->perfect && (m->perfect_banks || m->perfect_const || m->perfect_coal);
}

/* A deferred operation holds the threads that execute it, and no others, until it is performed. */
static enum gstate holds(struct sm *sm, int g, const struct tinst *t)
{
	(void)sm, (void)g, (void)t;
	return GS_READY;
}

static void issued(struct sm *sm, int g, const struct tinst *t)
{
	(void)t;
	sm->slot[g].locked = true;
}

/* The depth includes the cycles in which a warp enters a pipeline of simd_width lanes. In a narrower one its last
 * threads enter, and leave, later. */
static unsigned late_beats(const struct sm *sm, const struct plan *p)
{
	unsigned full = (sm->m->warp_size + sm->m->simd_width - 1) / sm->m->simd_width;
	return p->beats > full ? p->beats - full : 0;
}

static void start(struct sm *sm, const struct issue *i)
{
	const struct tinst *t = i->t;
	struct flight *op = op_new(sm, i->group, i->warp, i->pc, t);
	unsigned port = i->plan.port, depth = sm->depth + late_beats(sm, &i->plan);
	if (sm->serial && sm->acc.lanes &&
	    (t->flags & T_MEMORY)) { /* the pipeline stalls while the memory system refuses an
				      * access */
		unsigned more = access_serial(sm, op, &sm->acc) - 1;
		port += more;
		depth += more;
	}
	sm->issuer[i->sched].port_free = sm->now + port;
	sm->step = port > sm->step ? (uint16_t)port : sm->step;
	if (sm->stage)
		sm_stage(sm, &op->ev);
	else if (sm->acc.lanes && (t->flags & T_MEMORY) && !sm->perfect)
		lsu_put(sm, op, sm->now + depth, &sm->acc);
	else if ((t->flags & T_DEFER) && sm->now + depth < sm->window_end)
		wheel_post(&sm->wheel, &op->ev, sm->window_end);
	else
		wheel_post(&sm->wheel, &op->ev, sm->now + depth);
}

static cycle_t answered(const struct sm *sm, const struct flight *op, cycle_t at)
{
	cycle_t through = flight_issued(sm, op) + sm->depth;
	return at < through ? through : at;
}

static void finish(struct sm *sm, struct flight *op)
{
	sm->slot[op->group].locked = false;
	op_done(sm, op);
}

static void describe(const struct machine *m, struct facts *f)
{
	const struct options *o = machine_own(m, &options);
	f->locked_depth = o->depth;
	f->compares_values = equal_is_needed(m);
	f->peak_ipc = (double)m->simd_width * m->schedulers; /* simd_width lanes per scheduler */
}

/* True for options of parts that this pipeline lacks: fetch, instruction buffers, operand
 * collectors, units with separate timing, several instructions per cycle. */
static bool is_absent(const char *key)
{
	static const char *const begin[] = {
		"sm.fetch_",      "sm.ibuffer",        "sm.decode_latency", "sm.collector",
		"sm.ports_",      "sm.bank_conflicts", "sm.mul24_extra",    "sm.writeback_ports",
		"sm.issue_width", "sm.issue_differ"};
	static const char *const end[] = {"_latency", "_interval"};
	size_t n = strlen(key);
	for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
		if (!strncmp(key, begin[i], strlen(begin[i])))
			return true;
	for (size_t i = 0; i < sizeof end / sizeof *end; i++)
		if (!strncmp(key, "sm.", 3) && n > strlen(end[i]) &&
		    !strcmp(key + n - strlen(end[i]), end[i]))
			return true;
	return false;
}

static const char *unused(const struct machine *m, const char *key)
{
	if (!strcmp(key, "sm.chaining"))
		return "a warp of the locked pipeline has one instruction in flight";
	if (is_absent(key))
		return "sm.pipeline = locked has no fetch, collectors or units; sm.locked_depth is its time";
	if (!m->perfect_mem)
		return NULL;
	if (!strncmp(key, "shared.", 7) && !m->perfect_banks)
		return "gpu.perfect_memory = yes; with perfect.bank_conflicts = yes conflicts count";
	if ((!strncmp(key, "lsu.", 4) || !strncmp(key, "l1d.", 4)) && !m->perfect_coal)
		return "gpu.perfect_memory = yes; with perfect.coalescing = yes transactions count";
	return NULL;
}

const struct pipe_ops pipe_locked = {
	.p = {"locked", "one instruction of a warp in flight, from issue to commit",
	      "Fung, Sham, Yuan, Aamodt, MICRO 2007", .options = {&options}, .describe = describe,
	      .unused = unused},
	.init = init,
	.holds = holds,
	.issued = issued,
	.start = start,
	.answered = answered,
	.finish = finish,
};
