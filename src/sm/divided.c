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
#include "sm/lanes/sub-cores.h"

#include <assert.h>
#include "sm/pipeline.h"

#define SUB_CORE_STATS(X)                                                                          \
	X(instructions, STAT_SUM, MAX_SUB_CORES, "instructions", "warp instructions, by sub-core") \
	X(warps, STAT_SUM, MAX_SUB_CORES, "warps", "warps bound, by sub-core")
struct stats {
	STAT_FIELDS(SUB_CORE_STATS)
};
static const struct stat_def defs[] = {STAT_DEFS(SUB_CORE_STATS)};
const struct stat_table sub_cores_table = STAT_TABLE_PLAIN("subcores", defs);

/* ---- the machine ---- */

unsigned sub_cores_count(const struct machine *m) { return m->schedulers; }

static const char *refuses_division(const struct machine *m, char *buf, size_t n)
{
	const struct {
		const char *key;
		uint32_t value;
		bool narrows; /* instead of sharing a unit, each sub-core has a narrower one */
	} shared_out[] = {
		{"sm.sp_units", m->sp_units, true},    {"sm.sfu_units", m->sfu_units, true},
		{"sm.dp_units", m->dp_units, true},    {"sm.mma_units", m->mma_units, true},
		{"sm.max_warps", m->max_warps, false}, {"sm.registers", m->registers, false}};
	for (unsigned i = 0; i < STAT_COUNT_OF(shared_out); i++)
		if (shared_out[i].value % m->schedulers &&
		    !(shared_out[i].narrows && m->schedulers % shared_out[i].value == 0)) {
			snprintf(buf, n,
				 "sm.lanes = %s: %s = %u cannot be shared out equally among "
				 "sm.schedulers = %u",
				 policy_name(m->lanes), shared_out[i].key, shared_out[i].value,
				 m->schedulers);
			return buf;
		}
	return NULL;
}

const char *sub_cores_refuse(const struct machine *m, const struct div_ops *div, char *buf,
			     size_t n)
{
	if (div->groups == GROUPS_THREAD)
		snprintf(buf, n,
			 "sm.lanes = %s: a sub-core's scheduler issues to all its lanes at once, "
			 "sm.divergence = %s needs one for each lane",
			 policy_name(m->lanes), policy_name(m->diverge));
	else
		return refuses_division(m, buf, n);
	return buf;
}

static struct room_left all_of(const struct machine *m, unsigned inside)
{
	struct room_left r = {.cores = m->schedulers, .inside = inside};
	for (unsigned i = 0; i < m->schedulers; i++)
		r.warps[i] = m->max_warps / m->schedulers;
	for (unsigned i = 0; i < m->schedulers * inside; i++)
		r.regs[i] = m->registers / m->schedulers / inside;
	return r;
}

/* The lane of a sub-core with most free registers, if a warp of `regs` fits it; UINT32_MAX: none. */
static unsigned choose_inside(const struct room_left *r, unsigned core, uint32_t regs)
{
	unsigned best = core;
	for (unsigned i = core; i < r->cores * r->inside; i += r->cores)
		if (r->regs[i] > r->regs[best])
			best = i;
	return r->regs[best] >= regs ? best : UINT32_MAX;
}

/* The lane for a warp: among the sub-cores with room for it, that with the fewest warps. UINT32_MAX: none has room. */
static unsigned choose_lane(const struct room_left *r, uint32_t regs)
{
	unsigned best = UINT32_MAX, most = 0;
	for (unsigned i = 0; i < r->cores; i++) {
		unsigned at = r->warps[i] > most ? choose_inside(r, i, regs) : UINT32_MAX;
		if (at == UINT32_MAX)
			continue;
		best = at;
		most = r->warps[i];
	}
	return best;
}

static bool place_warp(struct room_left *r, uint32_t regs)
{
	unsigned i = choose_lane(r, regs);
	if (i == UINT32_MAX)
		return false;
	r->regs[i] -= regs;
	r->warps[i % r->cores]--;
	return true;
}

unsigned sub_cores_fit(const struct machine *m, unsigned inside, unsigned warps, uint32_t regs,
		       uint32_t last)
{
	struct room_left r = all_of(m, inside);
	for (unsigned placed = 0;; placed++)
		if (!place_warp(&r, (placed + 1) % warps ? regs : last))
			return placed / warps;
}

unsigned sub_cores_most(const struct machine *m, unsigned warps, uint32_t regs, uint32_t last)
{
	return sub_cores_fit(m, 1, warps, regs, last);
}

void sub_cores_describe(const struct machine *m, struct facts *f)
{
	f->register_files = m->schedulers;
}

/* ---- the SM ---- */

static void share_out(uint8_t *n, unsigned by) { *n = (uint8_t)(*n / by ? *n / by : 1); }

void sub_cores_divide(struct lanes *l, unsigned inside)
{
	const struct machine *m = l->sm->m;
	for (unsigned i = 0; i < l->n; i++) {
		for (unsigned u = 0; u < UNIT_COUNT; u++)
			share_out(&l->set[i].unit[u].n, u == UNIT_MEM ? 1 : l->n);
		for (unsigned c = 0; c < C_COUNT; c++) {
			share_out(&l->set[i].coll[c].coll.n, l->n);
			share_out(&l->set[i].coll[c].ports, l->n);
		}
	}
	*(struct room_left *)l->state = all_of(m, inside);
}

void sub_cores_init(struct lanes *l)
{
	const struct machine *m = l->sm->m;
	uint16_t beats = (uint16_t)((m->warp_size + m->simd_width - 1) / m->simd_width);
	sub_cores_divide(l, 1);
	l->plan = (struct plan){.port = beats, .beats = beats};
}

/* ---- warps ---- */

bool sub_cores_room(const struct lanes *l, const struct kern *k, unsigned from, unsigned n)
{
	struct room_left r = *(const struct room_left *)l->state;
	for (unsigned i = from; i < from + n; i++)
		if (!place_warp(&r, kern_warp_regs(k, i)))
			return false;
	return true;
}

unsigned sub_cores_bind(struct lanes *l, const struct kern *k, unsigned i)
{
	struct room_left *r = l->state;
	unsigned at = choose_lane(r, kern_warp_regs(k, i));
	assert(at < r->cores * r->inside);
	r->regs[at] -= kern_warp_regs(k, i);
	r->warps[at % r->cores]--;
	return at;
}

unsigned sub_cores_bind_warp(struct lanes *l, const struct kern *k, unsigned i)
{
	unsigned at = sub_cores_bind(l, k, i);
	((struct stats *)l->stats)->warps[at]++;
	return at;
}

void sub_cores_unbind(struct lanes *l, const struct kern *k, unsigned i, unsigned lane)
{
	struct room_left *r = l->state;
	r->regs[lane] += kern_warp_regs(k, i);
	r->warps[lane % r->cores]++;
}

/* ---- instructions ---- */

bool sub_cores_can(struct lanes *l, const struct group *g, unsigned unit)
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

void sub_cores_take(struct lanes *l, const struct group *g, const struct tinst *t, struct plan *out)
{
	unsigned slower = narrower(l->sm->m, t->unit);
	*out = l->plan;
	out->ii = (uint16_t)(slower > 1 ? t->ii * slower : 0);
	out->lane = sm_home(l->sm, g)->lane;
	((struct stats *)l->stats)->instructions[out->lane]++;
}

const struct lane_ops sub_cores_ops = SUB_CORES_OPS;
