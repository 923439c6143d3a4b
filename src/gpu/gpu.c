/* Building a GPU from a machine's options. */
#include "gpu/gpu.h"

#include "mem/memsys.h"

static bool fits_together(const struct machine *m, struct diag *d)
{
	unsigned before = d->errors;
	const struct div_ops *div = div_find(m->diverge);
	if (m->warp_size % m->simd_width)
		diag_error(d, "sm.simd_width = %u does not divide gpu.warp_size = %u", m->simd_width, m->warp_size);
	if (!div)
		diag_error(d, "sm.divergence = %s: no such mechanism in this build", m->diverge);
	else if (div->locked_only && strcmp(m->pipeline, "locked"))
		diag_error(d, "sm.divergence = %s regroups threads and needs sm.pipeline = locked", m->diverge);
	else if (div->lane_schedulers && strcmp(m->lanes, "simt"))
		diag_error(d, "sm.divergence = %s issues each thread alone: sm.lanes = %s has no warp to scale",
			   m->diverge, m->lanes);
	if (!sched_find(m->sched))
		diag_error(d, "sm.scheduler = %s: no such policy in this build", m->sched);
	if (!lane_find(m->lanes))
		diag_error(d, "sm.lanes = %s: no such organisation in this build", m->lanes);
	if (!disp_find(m->dispatch))
		diag_error(d, "gpu.dispatch = %s: no such dispatcher in this build", m->dispatch);
	return d->errors == before;
}

struct gpu *gpu_new(const struct machine *m, unsigned threads, struct diag *d)
{
	if (!fits_together(m, d))
		return NULL;
	struct gpu *g = xcalloc(1, sizeof *g);
	g->m = m;
	g->nsm = m->sms;
	g->mem = memsys_new(m, d);
	g->sm = xcalloc(g->nsm, sizeof(struct sm *));
	if (!g->mem) {
		gpu_free(g);
		return NULL;
	}
	for (unsigned i = 0; i < g->nsm; i++)
		if (!(g->sm[i] = sm_new(m, i, memsys_port(g->mem, i), d))) {
			gpu_free(g);
			return NULL;
		}
	g->disp = (struct disp){.ops = disp_find(m->dispatch), .sm = g->sm, .nsm = g->nsm, .last = g->nsm - 1};
	g->disp.state = xcalloc(1, g->disp.ops->p.state_size + 1);
	g->pool = pool_new(threads ? threads : 1);
	g->window = memsys_window_max(g->mem);
	return g;
}

void gpu_reset(struct gpu *g)
{
	struct diag d = {0}; /* it was possible before */
	memsys_free(g->mem);
	g->mem = memsys_new(g->m, &d);
	for (unsigned i = 0; i < g->nsm; i++) {
		sm_free(g->sm[i]);
		g->sm[i] = sm_new(g->m, i, memsys_port(g->mem, i), &d);
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
	free(g);
}

void gpu_host_wrote(struct gpu *g, uint64_t addr, uint64_t bytes)
{
	if (g->m->l2_host)
		memsys_host_wrote(g->mem, addr, bytes);
}
