/* Sub-cores, as NVIDIA's SMs have since Maxwell: each scheduler has arithmetic units, collectors
 * and a register file of its own. The load/store unit, shared memory and textures are the SM's.
 *
 *	scheduler 0 -> units, collectors, registers of warps 0, 4, 8 ... -+
 *	scheduler 1 -> units, collectors, registers of warps 1, 5, 9 ... -+-> load/store unit
 *	...                                                               |
 *
 * A warp belongs to one sub-core from its start to its end, where its registers are: a sub-core
 * without ready warps idles beside a busy one. The SM's units, collectors, registers and warps are
 * divided among its schedulers; sm.register_banks, sm.writeback_ports and sm.simd_width are those
 * of one sub-core. */
#include <assert.h>
#include "sm/pipeline.h"

enum { MAX_SUB_CORES = 8 };

#define SUB_CORE_STATS(X)                                                                          \
	X(instructions, STAT_SUM, MAX_SUB_CORES, "instructions", "warp instructions, by sub-core") \
	X(warps, STAT_SUM, MAX_SUB_CORES, "warps", "warps bound, by sub-core")
struct stats {
	STAT_FIELDS(SUB_CORE_STATS)
};
static const struct stat_def defs[] = {STAT_DEFS(SUB_CORE_STATS)};
static const struct stat_table table = STAT_TABLE_PLAIN("subcores", defs);

struct room_left { /* free resources of each sub-core */
	uint32_t regs[MAX_SUB_CORES], warps[MAX_SUB_CORES];
};

/* ---- the machine ---- */

static unsigned count(const struct machine *m) { return m->schedulers; }

static const char *refuses_division(const struct machine *m, char *buf, size_t n)
{
	const struct {
		const char *key;
		uint32_t value;
		bool narrows; /* sub-cores that would share one have narrower ones instead */
	} shared_out[] = {
		{"sm.sp_units", m->sp_units, true},    {"sm.sfu_units", m->sfu_units, true},
		{"sm.dp_units", m->dp_units, true},    {"sm.mma_units", m->mma_units, true},
		{"sm.max_warps", m->max_warps, false}, {"sm.registers", m->registers, false}};
	for (unsigned i = 0; i < STAT_COUNT_OF(shared_out); i++)
		if (shared_out[i].value % m->schedulers &&
		    !(shared_out[i].narrows && m->schedulers % shared_out[i].value == 0)) {
			snprintf(buf, n,
				 "sm.lanes = sub-cores: %s = %u cannot be shared out equally among "
				 "sm.schedulers = %u",
				 shared_out[i].key, shared_out[i].value, m->schedulers);
			return buf;
		}
	return NULL;
}

static const char *refuses(const struct machine *m, const struct div_ops *div, char *buf, size_t n)
{
	if (div->groups == GROUPS_THREAD)
		snprintf(
			buf, n,
			"sm.lanes = sub-cores: a sub-core's scheduler issues to all its lanes at once, "
			"sm.divergence = %s needs one for each lane",
			policy_name(m->diverge));
	else
		return refuses_division(m, buf, n);
	return buf;
}

static struct room_left all_of(const struct machine *m)
{
	struct room_left r;
	for (unsigned i = 0; i < m->schedulers; i++) {
		r.regs[i] = m->registers / m->schedulers;
		r.warps[i] = m->max_warps / m->schedulers;
	}
	return r;
}

/* The sub-core for a warp: among those with room for it, the sub-core with fewest warps. n: none
 * has room. */
static unsigned choose_core(const struct room_left *r, unsigned n, uint32_t regs)
{
	unsigned best = n;
	for (unsigned i = 0; i < n; i++)
		if (r->warps[i] && r->regs[i] >= regs &&
		    (best == n || r->warps[i] > r->warps[best]))
			best = i;
	return best;
}

static bool place_warps(struct room_left *r, unsigned n, uint32_t regs)
{
	unsigned i = choose_core(r, n, regs);
	if (i == n)
		return false;
	r->regs[i] -= regs;
	r->warps[i]--;
	return true;
}

static unsigned most(const struct machine *m, unsigned warps, uint32_t regs, uint32_t last)
{
	struct room_left r = all_of(m);
	for (unsigned placed = 0;; placed++)
		if (!place_warps(&r, m->schedulers, (placed + 1) % warps ? regs : last))
			return placed / warps;
}

static void describe(const struct machine *m, struct facts *f)
{
	f->register_files = m->schedulers;
}

/* ---- the SM ---- */

static void share_out(uint8_t *n, unsigned by) { *n = (uint8_t)(*n / by ? *n / by : 1); }

static void init(struct lanes *l)
{
	const struct machine *m = l->sm->m;
	uint16_t beats = (uint16_t)((m->warp_size + m->simd_width - 1) / m->simd_width);
	for (unsigned i = 0; i < l->n; i++) {
		for (unsigned u = 0; u < UNIT_COUNT; u++)
			share_out(&l->set[i].unit[u].n, u == UNIT_MEM ? 1 : l->n);
		for (unsigned c = 0; c < C_COUNT; c++) {
			share_out(&l->set[i].coll[c].coll.n, l->n);
			share_out(&l->set[i].coll[c].ports, l->n);
		}
	}
	*(struct room_left *)l->state = all_of(m);
	l->plan = (struct plan){.port = beats, .beats = beats};
}

/* ---- warps ---- */

static bool room(const struct lanes *l, const struct kern *k, unsigned from, unsigned n)
{
	struct room_left r = *(const struct room_left *)l->state;
	for (unsigned i = from; i < from + n; i++)
		if (!place_warps(&r, l->n, kern_warp_regs(k, i)))
			return false;
	return true;
}

static unsigned bind(struct lanes *l, const struct kern *k, unsigned i)
{
	struct room_left *r = l->state;
	unsigned at = choose_core(r, l->n, kern_warp_regs(k, i));
	assert(at < l->n);
	r->regs[at] -= kern_warp_regs(k, i);
	r->warps[at]--;
	((struct stats *)l->stats)->warps[at]++;
	return at;
}

static void unbind(struct lanes *l, const struct kern *k, unsigned i, unsigned lane)
{
	struct room_left *r = l->state;
	r->regs[lane] += kern_warp_regs(k, i);
	r->warps[lane]++;
}

/* ---- instructions ---- */

static bool can(struct lanes *l, const struct group *g, unsigned unit)
{
	if (l->sm->pipe->takes)
		return l->sm->pipe->takes(l->sm, (int)(g - l->sm->div.group));
	return lane_set_takes(&l->set[sm_home(l->sm, g)->lane], unit, l->sm->now,
			      &l->sm->unit_wake);
}

/* Sub-cores for which the SM has one unit of the kind: each has a unit of that fraction of its width. */
static unsigned narrower(const struct machine *m, unsigned unit)
{
	const uint32_t n[UNIT_COUNT] = {m->sp_units, m->sfu_units, m->dp_units, m->mma_units};
	return n[unit] && n[unit] < m->schedulers ? m->schedulers / n[unit] : 1;
}

static void take(struct lanes *l, const struct group *g, const struct tinst *t, struct plan *out)
{
	unsigned slower = narrower(l->sm->m, t->unit);
	*out = l->plan;
	out->ii = (uint16_t)(slower > 1 ? t->ii * slower : 0);
	out->lane = sm_home(l->sm, g)->lane;
	((struct stats *)l->stats)->instructions[out->lane]++;
}

const struct lane_ops lane_sub_cores = {
	.p = {"sub-cores", "each scheduler has its own units, collectors and registers",
	      "NVIDIA's SMs since Maxwell", .stats = &table, .state_size = sizeof(struct room_left),
	      .describe = describe},
	.by_scheduler = true,
	.refuses = refuses,
	.count = count,
	.most = most,
	.init = init,
	.room = room,
	.bind = bind,
	.unbind = unbind,
	.can = can,
	.take = take,
};
