/* Building a GPU from a machine's options. */
#include "gpu/gpu.h"

#include "mem/memsys.h"
#include "power/energy.h"
#include "sm/pipeline.h"

bool gpu_fits_together(const struct machine *m, struct diag *d)
{
	unsigned before = d->errors;
	const struct div_ops *div = m->diverge;
	const struct lane_ops *lanes = lanes_in_use(m);
	const struct disp_ops *disp = m->dispatch;
	char why[256];
	if (m->warp_size % m->simd_width)
		diag_error(d, "sm.simd_width = %u does not divide gpu.warp_size = %u",
			   m->simd_width, m->warp_size);
	if (m->pipeline->refuses && m->pipeline->refuses(m, why, sizeof why))
		diag_error(d, "%s", why);
	else if (div->groups_per_warp != 1 && !m->facts.locked_depth && !m->pipeline->parts_groups)
		diag_error(
			d,
			"sm.divergence = %s: groups part and merge while instructions are in flight, and "
			"sm.pipeline = %s has no scoreboard that follows each thread",
			div->p.name, m->pipeline->p.name);
	else if (div->groups_per_warp != 1 && m->chaining && !m->facts.locked_depth)
		diag_error(
			d,
			"sm.chaining = yes: an instruction follows its predecessor thread by thread, "
			"with sm.divergence = %s the predecessor may be another group's",
			div->p.name);
	else if (div->tokens_only && m->warp_size > LANES)
		diag_error(d,
			   "sm.divergence = %s: a token's mask has %u threads, gpu.warp_size = %u",
			   div->p.name, LANES, m->warp_size);
	else if (div->replays_only && m->warp_size != LANES)
		diag_error(d,
			   "sm.divergence = %s: recorded warps have %u threads, gpu.warp_size = %u",
			   div->p.name, LANES, m->warp_size);
	else if (lanes->refuses && lanes->refuses(m, div, why, sizeof why))
		diag_error(d, "%s", why);
	else if (m->sched->regrouped && !div_pools(div))
		diag_error(d,
			   "sm.scheduler = %s counts what threads that regroup have passed; "
			   "sm.divergence = %s keeps them in their warps or block",
			   m->sched->p.name, div->p.name);
	else
		machine_check_own(m, d);
	machine_text(m, "sm.scalar", why, sizeof why);
	if (m->scalar != SCALARS_NO && !lanes->scalars)
		diag_error(
			d,
			"sm.scalar = %s: sm.lanes = %s executes nothing once for a warp: a scalar "
			"datapath is missing, which simt-scalar has",
			why, lanes->p.name);
	else if (m->scalar != SCALARS_NO && div->groups == GROUPS_THREAD)
		diag_error(d,
			   "sm.scalar = %s: sm.divergence = %s issues each thread alone, which has "
			   "nothing to share with a warp",
			   why, div->p.name);
	else if (m->scalar != SCALARS_NO && div->replays_only)
		diag_error(
			d,
			"sm.scalar = %s: sm.divergence = %s has no values of registers to compare",
			why, div->p.name);
	if (m->reg_grain == GRAIN_THREAD && !lanes->by_lane)
		diag_error(
			d,
			"sm.register_grain = thread: sm.lanes = %s names registers of a whole warp at a "
			"time",
			lanes->p.name);
	if (disp->refuses && disp->refuses(m, div, why, sizeof why))
		diag_error(d, "%s", why);
	return d->errors == before;
}

struct block_rule gpu_block_rule(const struct machine *m)
{
	const struct disp_ops *disp = m->dispatch;
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

/* Counters stay at their addresses until the SMs and the memory are built again, so that launches share
 * one view of them. */
static void view_counters(struct gpu *g)
{
	g->live = stat_report_live();
	gpu_instances(g, g->live);
	g->view = xcalloc(1, sizeof *g->view);
	power_bind(g->view, g->power, g->live);
	g->waked = xcalloc(g->nsm, sizeof *g->waked);
	g->like = xcalloc(g->nsm + 1, sizeof *g->like);
}

static void forget_view(struct gpu *g)
{
	if (g->view)
		power_unbind(g->view);
	free(g->view);
	free(g->waked);
	free(g->like);
	stat_report_free(g->live);
	g->view = NULL;
	g->live = NULL;
	g->waked = NULL;
	g->like = NULL;
}

struct gpu *gpu_new(const struct machine *m, unsigned threads, struct diag *d)
{
	if (!gpu_fits_together(m, d))
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
	g->disp = (struct disp){
		.ops = m->dispatch, .m = m, .sm = g->sm, .nsm = g->nsm, .last = g->nsm - 1};
	g->disp.state = xcalloc(1, g->disp.ops->p.state_size + 1);
	g->workers = workers_new(threads ? threads : 1);
	g->window = memsys_window_max(g->mem);
	g->in_step = m->facts.in_step;
	g->idle_holds = m->facts.idle_holds;
	g->kernels = m->kernels;
	view_counters(g);
	return g;
}

void gpu_reset(struct gpu *g)
{
	struct diag d = {0}; /* stays empty: this machine was already built once */
	forget_view(g);
	memsys_free(g->mem);
	g->mem = memory_new(g->m, g->threads, &d);
	for (unsigned i = 0; i < g->nsm; i++) {
		sm_free(g->sm[i]);
		g->sm[i] = sm_new(g->m, &g->rule, i, memsys_port(g->mem, i), &d);
	}
	g->now = 0;
	view_counters(g);
	diag_free(&d);
}

void gpu_free(struct gpu *g)
{
	if (!g)
		return;
	forget_view(g);
	workers_free(g->workers);
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
	uint64_t most = (uint64_t)g->m->l2_host_most << 10;
	bool half = most && bytes >= most / 8 && g->m->l2_halves == 2;
	if (g->m->l2_host && (!most || bytes < most))
		memsys_host_copied(g->mem, addr, bytes, half);
}
