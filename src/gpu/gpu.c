/* Building a GPU from a machine's options. */
#include "gpu/gpu.h"

#include "mem/memsys.h"
#include "power/model.h"

/* A pipeline that moves in common steps needs all SMs in step, and nothing in it may take cycles of its own. */
static void check_steps(const struct machine *m, struct diag *d)
{
	if (strcmp(m->scale_pipeline, "steps")) {
		if (m->step_held)
			diag_error(
				d,
				"scale.idle_holds = yes: only scale.pipeline = steps has steps to hold");
		return;
	}
	if (strcmp(m->scale_scope, "gpu"))
		diag_error(d, "scale.pipeline = steps: only scale.scope = gpu has SMs in step");
	if (!m->perfect_mem)
		diag_error(
			d,
			"scale.pipeline = steps: memory answers in cycles; gpu.perfect_memory = yes is needed");
	if (m->locked_depth % (m->warp_size / m->simd_width))
		diag_error(
			d,
			"scale.pipeline = steps: sm.locked_depth = %u is not a number of steps of %u cycles",
			m->locked_depth, m->warp_size / m->simd_width);
}

/* Options of regrouping need a divergence mechanism that regroups. */
static void check_regrouping(const struct machine *m, const struct div_ops *div, struct diag *d)
{
	const struct sched_ops *sched = sched_find(m->sched);
	bool hws = !strcmp(m->lanes, "hws"), pools = div->merges && !div->block_wide;
	if (sched && sched->regrouped && !pools)
		diag_error(d,
			   "sm.scheduler = %s counts what threads that regroup have passed; "
			   "sm.divergence = %s keeps them in their warps or block",
			   m->sched, m->diverge);
	if (machine_is_set(m, "majority.order") && strcmp(m->sched, "majority"))
		diag_error(d, "majority.order = %s: sm.scheduler = %s has no majority",
			   m->majority_order, m->sched);
	if (machine_is_set(m, "dwf.on_conflict") && !pools)
		diag_error(d, "dwf.on_conflict = %s: sm.divergence = %s merges no warps in a pool",
			   m->on_conflict, m->diverge);
	if (machine_is_set(m, "squeeze.when") && !pools)
		diag_error(d, "squeeze.when = %s: sm.divergence = %s merges no warps in a pool",
			   m->squeeze_when, m->diverge);
	else if (machine_is_set(m, "squeeze.when") && !(hws && m->hws_squeeze))
		diag_error(d,
			   "squeeze.when = %s: nothing is squeezed without sm.lanes = hws and "
			   "hws.squeeze = yes",
			   m->squeeze_when);
	if (!m->lane_aware && strcmp(m->diverge, "en-dwf"))
		diag_error(d, "en-dwf.lane_aware = no: sm.divergence = %s moves no threads",
			   m->diverge);
	else if (!m->lane_aware && hws)
		diag_error(d, "en-dwf.lane_aware = no: sm.lanes = hws needs threads to stay in "
			      "their lanes");
	check_steps(m, d);
	if (strcmp(m->scale_scope, "gpu"))
		return;
	if (!hws)
		diag_error(d, "scale.scope = gpu: sm.lanes = %s does not scale warps", m->lanes);
	else if (strcmp(m->pipeline, "locked"))
		diag_error(d,
			   "scale.scope = gpu: sm.pipeline = %s has no issue port for SMs to keep "
			   "in step; locked has",
			   m->pipeline);
}

static bool fits_together(const struct machine *m, struct diag *d)
{
	unsigned before = d->errors;
	const struct div_ops *div = div_find(m->diverge);
	const struct lane_ops *lanes = lane_find(m->lanes);
	const struct disp_ops *disp = disp_find(m->dispatch);
	char why[256];
	if (m->warp_size % m->simd_width)
		diag_error(d, "sm.simd_width = %u does not divide gpu.warp_size = %u",
			   m->simd_width, m->warp_size);
	if (!div)
		diag_error(d, "sm.divergence = %s: no such mechanism in this build", m->diverge);
	else if (div->locked_only && strcmp(m->pipeline, "locked"))
		diag_error(d, "sm.divergence = %s regroups threads and needs sm.pipeline = locked",
			   m->diverge);
	else if (div->tokens_only && m->warp_size > LANES)
		diag_error(d,
			   "sm.divergence = %s: a token's mask has %u threads, gpu.warp_size = %u",
			   m->diverge, LANES, m->warp_size);
	else if (lanes && lanes->refuses && lanes->refuses(m, div, why, sizeof why))
		diag_error(d, "%s", why);
	else
		check_regrouping(m, div, d);
	if (m->scalar[0] != 'n' && lanes && !lanes->scalars)
		diag_error(d, "sm.scalar = %s: sm.lanes = %s executes nothing once for a warp",
			   m->scalar, m->lanes);
	else if (m->scalar[0] != 'n' && strcmp(m->diverge, "pdom"))
		diag_error(
			d,
			"sm.scalar = %s: with sm.divergence = %s the threads of a warp meet elsewhere "
			"than the compiler knows",
			m->scalar, m->diverge);
	if (m->reg_grain[0] == 't' && lanes && !lanes->by_lane)
		diag_error(
			d,
			"sm.register_grain = thread: sm.lanes = %s names registers of a whole warp at a "
			"time",
			m->lanes);
	if (!sched_find(m->sched))
		diag_error(d, "sm.scheduler = %s: no such policy in this build", m->sched);
	if (!lanes)
		diag_error(d, "sm.lanes = %s: no such organisation in this build", m->lanes);
	if (disp && div && disp->refuses && disp->refuses(m, div, why, sizeof why))
		diag_error(d, "%s", why);
	if (!disp)
		diag_error(d, "gpu.dispatch = %s: no such dispatcher in this build", m->dispatch);
	return d->errors == before;
}

struct block_rule gpu_block_rule(const struct machine *m)
{
	const struct disp_ops *disp = disp_find(m->dispatch);
	struct block_rule r = {.hold = HOLD_BLOCK,
			       .slots = m->block_limit ? m->max_blocks : m->max_warps,
			       .limit = UINT32_MAX};
	if (disp->rule)
		disp->rule(m, &r);
	return r;
}

static struct memsys *memory_new(const struct machine *m, unsigned threads, struct diag *d)
{
	struct memsys *s = memsys_new(m, d);
	if (s)
		memsys_share(s, threads);
	return s;
}

struct gpu *gpu_new(const struct machine *m, unsigned threads, struct diag *d)
{
	if (!fits_together(m, d))
		return NULL;
	struct gpu *g = xcalloc(1, sizeof *g);
	g->m = m;
	g->nsm = m->sms;
	g->threads = threads;
	g->rule = gpu_block_rule(m);
	g->mem = memory_new(m, threads, d);
	g->sm = xcalloc(g->nsm, sizeof(struct sm *));
	g->power = power_new(m, d);
	if (!g->mem || !g->power) {
		gpu_free(g);
		return NULL;
	}
	for (unsigned i = 0; i < g->nsm; i++)
		if (!(g->sm[i] = sm_new(m, &g->rule, i, memsys_port(g->mem, i), d))) {
			gpu_free(g);
			return NULL;
		}
	g->disp = (struct disp){.ops = disp_find(m->dispatch),
				.m = m,
				.sm = g->sm,
				.nsm = g->nsm,
				.last = g->nsm - 1};
	g->disp.state = xcalloc(1, g->disp.ops->p.state_size + 1);
	g->pool = pool_new(threads ? threads : 1);
	g->window = memsys_window_max(g->mem);
	g->in_step = !strcmp(m->scale_scope, "gpu");
	g->kernels = m->kernels;
	return g;
}

void gpu_reset(struct gpu *g)
{
	struct diag d = {0}; /* it was possible before */
	memsys_free(g->mem);
	g->mem = memory_new(g->m, g->threads, &d);
	for (unsigned i = 0; i < g->nsm; i++) {
		sm_free(g->sm[i]);
		g->sm[i] = sm_new(g->m, &g->rule, i, memsys_port(g->mem, i), &d);
	}
	g->now = 0;
	diag_free(&d);
}

void gpu_free(struct gpu *g)
{
	if (!g)
		return;
	pool_free(g->pool);
	for (unsigned i = 0; i < g->nsm; i++)
		sm_free(g->sm[i]);
	free(g->sm);
	free(g->disp.state);
	memsys_free(g->mem);
	power_free(g->power);
	free(g);
}

void gpu_host_copied(struct gpu *g, uint64_t addr, uint64_t bytes)
{
	if (g->m->l2_host)
		memsys_host_copied(g->mem, addr, bytes);
}
