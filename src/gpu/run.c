/* A launch in time: windows until its last block has ended. */
#include "gpu/gpu.h"

#include <stdio.h>
#include "func/cta.h"
#include "gpu/sample.h"
#include "gpu/trace.h"
#include "mem/memsys.h"
#include "sm/l1.h"

struct run {
	struct gpu *g;
	struct kern k;
	const struct gpu_opts *o;
	struct gpu_result *r;
	VEC(struct defer) ordered;
	cycle_t start, end;          /* of the launch, of the present window */
	cycle_t len;                 /* of the present window */
	uint64_t windows;
	struct stat_report *before;  /* the memory system's figures at the start */
};

static uint64_t timing_clock(const struct warp *w) { return ((const struct sm *)w->cta->x->grid)->now; }

static void run_sm(void *arg, unsigned i)
{
	struct run *r = arg;
	sm_run(r->g->sm[i], r->end);
}

static void run_partition(void *arg, unsigned i) { memsys_part(((struct run *)arg)->g->mem, i); }

static void run_memory(struct run *r)
{
	struct gpu *g = r->g;
	memsys_begin(g->mem, r->end - r->len, r->end);
	pool_run(g->pool, run_partition, r, memsys_parts(g->mem));
	memsys_end(g->mem);
}

static int by_time(const void *a, const void *b)
{
	const struct defer *x = a, *y = b;
	if (x->when != y->when)
		return x->when < y->when ? -1 : 1;
	if (x->sm != y->sm)
		return x->sm < y->sm ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Operations between blocks, in one order for the whole GPU. */
static void perform_ordered(struct run *r)
{
	struct gpu *g = r->g;
	r->ordered.n = 0;
	for (unsigned i = 0; i < g->nsm; i++) {
		struct sm *sm = g->sm[i];
		for (size_t k = 0; k < sm->deferred.n; k++)
			vec_push(&r->ordered, sm->deferred.v[k]);
		sm->deferred.n = 0;
	}
	if (r->ordered.n > 1)
		qsort(r->ordered.v, r->ordered.n, sizeof *r->ordered.v, by_time);
	for (size_t k = 0; k < r->ordered.n; k++) {
		struct sm *sm = g->sm[r->ordered.v[k].sm];
		if (!sm->stopped)
			exec_deferred(sm, &r->ordered.v[k]);
	}
}

static bool start_blocks(struct run *r)
{
	struct gpu *g = r->g;
	while (r->k.next < r->k.l->nblocks) {
		int n = g->disp.ops->place(&g->disp, &r->k);
		if (n < 0)
			return true;
		if (!sm_start_block(g->sm[n], &r->k, r->k.next, r->end)) {
			r->r->no_memory = true;
			return false;
		}
		r->k.next++;
	}
	return true;
}

static void collect_ended(struct run *r)
{
	struct gpu *g = r->g;
	for (unsigned i = 0; i < g->nsm; i++) {
		struct sm *sm = g->sm[i];
		for (size_t k = 0; k < sm->ended.n; k++) {
			r->k.done++;
			if (g->disp.ops->done)
				g->disp.ops->done(&g->disp, i, sm->ended.v[k]);
		}
		sm->ended.n = 0;
	}
}

/* The first fault, in time. */
static bool take_fault(struct run *r)
{
	const struct sm *first = NULL;
	for (unsigned i = 0; i < r->g->nsm; i++) {
		const struct sm *sm = r->g->sm[i];
		if (sm->stopped && (!first || sm->now < first->now))
			first = sm;
	}
	if (!first)
		return false;
	r->r->fault = first->x.fault;
	r->r->stop = STOP_FAULT;
	return true;
}

static uint64_t instructions(const struct gpu *g)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < g->nsm; i++)
		n += STAT(&g->sm[i]->stats, warp_instructions);
	return n;
}

/* Limits and signals; looked at every few windows. */
static bool must_stop(struct run *r)
{
	const struct gpu_opts *o = r->o;
	if (o->max_cycles && r->end - r->start > o->max_cycles) {
		r->r->over_cycles = true;
		return true;
	}
	if (++r->windows % 256)
		return false;
	if (o->interrupt && atomic_load(o->interrupt)) {
		r->r->interrupted = true;
		return true;
	}
	if (o->max_instructions && instructions(r->g) > o->max_instructions)
		return true;
	if (o->progress && r->windows % 4096 == 0)
		o->progress(o->arg, r->k.done, r->k.l->nblocks, instructions(r->g));
	return false;
}

static void stuck(struct run *r)
{
	size_t n = 0;
	FILE *f = open_memstream(&r->r->why, &n);
	r->r->stuck = true;
	if (!f)
		return;
	for (unsigned i = 0; i < r->g->nsm; i++)
		sm_describe(r->g->sm[i], f);
	memsys_holders(r->g->mem, f);
	fclose(f);
}

/* The cycle in which something happens next; NEVER: nothing will. */
static cycle_t next_wake(const struct run *r)
{
	cycle_t next = r->g->m->perfect_mem ? NEVER : memsys_idle_until(r->g->mem);
	for (unsigned i = 0; i < r->g->nsm; i++) {
		cycle_t w = sm_wake(r->g->sm[i]);
		next = w < next ? w : next;
	}
	return next;
}

/* Those who watch, between windows. */
static void show(struct run *r)
{
	if (r->o->tracer)
		tracer_window(r->o->tracer);
	if (r->o->sampler && r->end >= sampler_next(r->o->sampler) && r->k.done < r->k.l->nblocks)
		sampler_row(r->o->sampler, r->end);
}

static bool unmet(struct run *r)
{
	for (unsigned i = 0; i < r->g->nsm; i++)
		if (exec_unmet(r->g->sm[i]))
			return take_fault(r);
	return false;
}

/* SMs in step (Jin 2012, section 4.2): all may issue in the last cycle of a window and none before; the
 * largest warp of any of them says how long the next window is. Where the pipeline moves in steps too, one
 * without an issue takes a full warp's cycles. True: there was a step. */
static bool keep_step(struct run *r)
{
	struct gpu *g = r->g;
	cycle_t step = 0;
	unsigned staged = 0;
	for (unsigned i = 0; i < g->nsm; i++) {
		step = g->sm[i]->step > step ? g->sm[i]->step : step;
		staged += g->sm[i]->staged;
	}
	if (!step && staged)
		step = g->m->warp_size / g->m->simd_width;
	for (unsigned i = 0; step && i < g->nsm; i++) {
		for (unsigned n = 0; n < g->sm[i]->nsched; n++)
			g->sm[i]->port_free[n] = r->end - 1 + step;
		if (g->sm[i]->stage)
			sm_next_step(g->sm[i], r->end - 1 + step);
	}
	r->len = !step ? 1 : step < g->window ? step : g->window;
	return step != 0;
}

/* Nothing happens before `next`: the windows up to there are left out. */
static void skip_to(struct run *r, cycle_t next)
{
	cycle_t window = r->g->in_step ? 1 : r->g->window;
	while (next != NEVER && next >= r->end + window)
		r->end += (next - r->end) / window * window;
}

static void windows(struct run *r)
{
	struct gpu *g = r->g;
	if (!start_blocks(r))
		return;
	while (r->k.done < r->k.l->nblocks) {
		r->end += r->len;
		pool_run(g->pool, run_sm, r, g->nsm);
		perform_ordered(r);
		if (!g->m->perfect_mem)
			run_memory(r);
		if (take_fault(r))
			return;
		collect_ended(r);
		show(r);
		if (!start_blocks(r) || must_stop(r)) {
			r->r->stop = STOP_LIMIT;
			return;
		}
		cycle_t next = next_wake(r);
		if (next == NEVER && r->k.done < r->k.l->nblocks) {
			if (unmet(r))
				return;
			stuck(r);
			r->r->stop = STOP_LIMIT;
			return;
		}
		if (!g->in_step || !keep_step(r))
			skip_to(r, next);
	}
}

static bool quiet(const struct gpu *g)
{
	for (unsigned i = 0; i < g->nsm; i++)
		if (!sm_quiet(g->sm[i]))
			return false;
	return memsys_idle_until(g->mem) == CYCLE_NEVER;
}

/* Lets what nobody waits for end (lines written back, fetches of warps that are gone); then nothing must
 * be lost or made up: all requests answered, all queues and MSHRs empty. Not counted. */
static void settle(struct run *r)
{
	enum { PATIENCE = 1000000 };
	struct gpu *g = r->g;
	struct diag d = {0};
	g->now = r->end;
	if (g->m->perfect_mem || r->r->stop != STOP_DONE)
		return;
	r->len = g->window;
	for (unsigned i = 0; i < PATIENCE && !quiet(g); i++) {
		r->end += g->window;
		pool_run(g->pool, run_sm, r, g->nsm);
		run_memory(r);
	}
	g->now = r->end;
	for (unsigned i = 0; i < g->nsm; i++)
		if (!sm_quiet(g->sm[i]))
			diag_error(&d, "SM %u: instructions or cache misses are left over", i);
	memsys_check(g->mem, &d);
	if (d.errors) {
		r->r->why = diag_string(&d);
		r->r->stop = STOP_LIMIT;
		r->r->lost = true;
	}
	diag_free(&d);
}

static void add_profiles(struct run *r)
{
	struct gpu_result *o = r->r;
	enum { WORDS = sizeof(struct prof) / sizeof(uint64_t) };
	o->prof = xcalloc(r->k.ncode + 1, sizeof *o->prof);
	for (unsigned i = 0; i < r->g->nsm; i++)
		for (uint32_t pc = 0; pc < r->k.ncode; pc++) {
			const uint64_t *from = (const uint64_t *)&r->k.prof[(size_t)i * r->k.ncode + pc];
			uint64_t *to = (uint64_t *)&o->prof[pc];
			for (unsigned w = 0; w < WORDS; w++)
				to[w] += from[w];
		}
}

static void report(struct run *r)
{
	struct gpu_result *o = r->r;
	cycle_t last = r->start;
	for (unsigned i = 0; i < r->g->nsm; i++)
		last = r->g->sm[i]->last_end > last ? r->g->sm[i]->last_end : last;
	if (o->stop != STOP_DONE)
		last = r->end;
	o->cycles = last - r->start;
	if (r->o->tracer)
		tracer_end(r->o->tracer, last);
	if (r->o->sampler)
		sampler_row(r->o->sampler, last);
	o->report = stat_report_new();
	for (unsigned i = 0; i < r->g->nsm; i++) {
		struct sm *sm = r->g->sm[i];
		sm_end(sm, last);
		STAT(&sm->stats, cycles) = o->cycles;
		stat_report_add(o->report, &sm_stats, "sm", (int)i, &sm->stats);
		stat_report_add(o->report, &slot_stats, "issue", (int)i, sm->slots);
		if (sm->div.stats)
			stat_report_add(o->report, sm->div.ops->p.stats, sm->div.ops->p.stats->component, (int)i, sm->div.stats);
		l1_report(sm->l1, o->report, (int)i);
	}
	if (!r->g->m->perfect_mem) {
		memsys_report(r->g->mem, o->report);
		stat_report_since(o->report, r->before);
	}
	stat_report_total(o->report);
	stat_report_free(r->before);
	o->warp_instructions = instructions(r->g);
}

void gpu_run(struct gpu *g, struct launch *l, const struct gpu_opts *o, struct gpu_result *out)
{
	struct arena a = {0};
	struct run r = {.g = g, .o = o, .r = out, .start = g->now + g->m->launch_cycles};
	char why[256];
	*out = (struct gpu_result){.stop = STOP_DONE};
	r.end = r.start;
	r.len = g->in_step ? 1 : g->window;
	kern_init(&r.k, l, g->m, &a);
	out->blocks_per_sm = kern_fit(&r.k, g->m);
	l->clock = timing_clock;
	const char *no = gpu_refuses(g, &r.k, why, sizeof why);
	if (no) {
		out->stop = STOP_LIMIT;
		out->why = xstrdup(no);
		arena_free(&a);
		return;
	}
	r.before = stat_report_new();
	memsys_report(g->mem, r.before);
	for (unsigned i = 0; i < g->nsm; i++) {
		g->sm[i]->watch = o->profile;
		g->sm[i]->trace = NULL;
		sm_begin(g->sm[i], &r.k, r.start);
	}
	if (o->sampler)
		sampler_begin(o->sampler, l->img->kernel->name, r.start);
	if (o->tracer)
		tracer_begin(o->tracer, l->img->kernel->name, r.start);
	if (o->record && o->record->sm < g->nsm) {
		o->record->start = r.start;
		g->sm[o->record->sm]->record = o->record;
	}
	windows(&r);
	report(&r);
	for (unsigned i = 0; i < g->nsm; i++) {
		g->sm[i]->watch = false;
		g->sm[i]->trace = NULL;
	}
	settle(&r);
	add_profiles(&r);
	for (unsigned i = 0; i < g->nsm; i++) {
		g->sm[i]->record = NULL;
		sm_release(g->sm[i]);
	}
	if (out->stop != STOP_DONE)
		gpu_reset(g); /* what is under way belongs to blocks that are gone */
	vec_free(&r.ordered);
	arena_free(&a);
}

void gpu_result_free(struct gpu_result *r)
{
	free(r->why);
	free(r->prof);
	if (r->report)
		stat_report_free(r->report);
}
