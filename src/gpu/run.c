/* Launches in time: runs windows until the last block of the last launch has ended. Launches that do not
 * wait for each other are on the GPU together; blocks are placed in the order of the launches: a later
 * launch gets the room that earlier ones leave when all their blocks have been placed. What a window does
 * is described in gpu/gpu.h. */
#include "gpu/run.h"

#include <assert.h>

#include "kernel/cta.h"
#include "gpu/sample.h"
#include "gpu/trace.h"
#include "mem/memsys.h"
#include "sm/l1.h"

static uint64_t timing_clock(const struct warp *w)
{
	return ((const struct sm *)w->cta->x->own)->now;
}

enum { FEW = 2 }; /* below this many jobs, waking a second thread costs more than it saves */

static bool run_part(void *arg, unsigned i)
{
	const struct run *r = arg;
	return memsys_part(r->g->mem, i, r->end);
}

static bool run_sm(void *arg, unsigned i)
{
	const struct run *r = arg;
	if (i >= r->nawake)
		return run_part(arg, i - r->nawake);
	memsys_deliver(r->g->mem, r->awake[i]);
	return sm_run(r->g->sm[r->awake[i]], r->end);
}

/* Runs the SMs' part of a window, and the partitions' where the two run side by side. */
static void run_sms(struct run *r)
{
	struct gpu *g = r->g;
	bool alone = run_has_clusters(r); /* blocks meet within a window: one SM after the other */
	for (unsigned i = 0; i < r->nawake; i++)
		g->sm[r->awake[i]]->pending.on = !alone;
	unsigned parts = !g->m->perfect_mem && memsys_beside(g->mem) ? memsys_parts(g->mem) : 0;
	r->busy = workers_run(g->workers, run_sm, r, r->nawake + parts, r->busy <= FEW || alone);
}

static void run_memory(struct run *r)
{
	struct gpu *g = r->g;
	memsys_requests(g->mem, r->end - r->len, r->end);
	if (!memsys_beside(g->mem))
		workers_run(g->workers, run_part, r, memsys_parts(g->mem), r->busy <= FEW);
	memsys_replies(g->mem, r->end - r->len, r->end);
}

/* power.data = counted: counts transitions; no thread writes memory between windows. */
static void count_data(const struct run *r)
{
	const struct gpu *g = r->g;
	const struct devmem *mem = r->job[0].k.l->mem;
	if (g->m->power_data != DATA_COUNTED)
		return;
	for (unsigned i = 0; i < g->nsm; i++)
		l1_count_data(g->sm[i]->l1, mem);
	memsys_count_data(g->mem, mem);
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

/* Performs operations that blocks can observe of each other, in one order for the whole GPU: first
 * the window's stores and reductions, SM by SM, then operations between blocks. */
static void perform_ordered(struct run *r)
{
	struct gpu *g = r->g;
	r->ordered.n = 0;
	for (unsigned i = 0; i < r->nawake; i++) {
		struct sm *sm = g->sm[r->awake[i]];
		if (sm->pending.n)
			sm->ops->pending_commit(&sm->pending);
		sm->pending.on = false;
		for (size_t k = 0; k < sm->deferred.n; k++)
			vec_push(&r->ordered, sm->deferred.v[k]);
		sm->deferred.n = 0;
	}
	if (r->ordered.n > 1)
		qsort(r->ordered.v, r->ordered.n, sizeof *r->ordered.v, by_time);
	for (size_t k = 0; k < r->ordered.n; k++) {
		struct sm *sm = g->sm[r->ordered.v[k].sm];
		assert(r->ordered.v[k].when < r->end);
		if (!sm->stopped)
			exec_deferred(sm, &r->ordered.v[k]);
	}
}

/* ---- time ---- */

static cycle_t least_skip(const struct run *r) { return r->g->in_step ? 1 : r->g->window; }

/* The next cycle in which an SM has an event. If that cycle is too near to skip a window, any near cycle
 * is returned. */
static cycle_t next_sm(const struct run *r)
{
	cycle_t next = NEVER;
	for (unsigned i = 0; i < r->nawake && next >= r->end + least_skip(r); i++) {
		cycle_t w = sm_wake(r->g->sm[r->awake[i]]);
		next = w < next ? w : next;
	}
	return next;
}

/* The next cycle in which an SM or the memory has an event; NEVER: none is pending. */
static cycle_t next_wake(struct run *r)
{
	cycle_t next = next_sm(r), w;
	if (next < r->end + least_skip(r))
		return next;
	memsys_exchange(r->g->mem); /* hands replies to SMs, requests to partitions */
	next = next_sm(r);
	if (next < r->end + least_skip(r))
		return next;
	w = r->g->m->perfect_mem ? NEVER : memsys_idle_until(r->g->mem);
	next = w < next ? w : next;
	w = r->running < r->g->kernels ? run_next_start(r) : NEVER;
	return w < next ? w : next;
}

void run_meter(struct run *r)
{
	if (r->end <= r->meter.at[r->meter.k])
		return;
	meter_read(&r->meter, r->end);
	if (r->o->tracer)
		tracer_power(r->o->tracer, &r->meter);
}

/* Ends a row of samples; a row names the kernels that ran in it. */
static void sample_row(const struct run *r, struct sampler *s, cycle_t to)
{
	for (unsigned i = 0; i < r->n; i++) {
		const struct timed_launch *j = &r->job[i];
		if (j->started && j->start < to && (!j->ended || j->end > sampler_from(s)))
			sampler_launch(s, r->o->number + i, j->k.l->img->kernel->name);
	}
	sampler_row(s, to);
}

/* Shows the window to the sampler and the tracer. */
static void show_window(struct run *r)
{
	if (r->done < r->n && r->end >= r->meter.at[r->meter.k] + r->g->m->power_window) {
		run_meter(r);
		for (unsigned i = r->open; i < r->opened; i++) {
			struct timed_launch *j = &r->job[i];
			if (j->started && !j->ended && j->start <= r->meter.at[1 - r->meter.k])
				power_range_add(&j->watts, meter_joule(&r->meter),
						meter_span(&r->meter));
		}
	}
	for (unsigned i = 0; i < SAMPLERS; i++)
		if (r->o->sampler[i] && r->end >= sampler_next(r->o->sampler[i]) && r->done < r->n)
			sample_row(r, r->o->sampler[i], r->end);
}

/* SMs in step (Jin 2012, section 4.2): all issue in the last cycle of a window and none before; the
 * largest warp issued sets the length of the next window. If the pipeline moves in steps too, a
 * step without any issue takes a full warp's cycles; so does, with scale.idle_holds, a step in
 * which an SM with warps issues none. True: there was a step. */
static bool keep_step(struct run *r)
{
	struct gpu *g = r->g;
	cycle_t step = 0, full = g->m->warp_size / g->m->simd_width;
	unsigned staged = 0;
	bool held = false;
	for (unsigned i = 0; i < g->nsm; i++) {
		step = g->sm[i]->step > step ? g->sm[i]->step : step;
		staged += g->sm[i]->staged;
		held |= !g->sm[i]->step && g->sm[i]->warps_used;
	}
	if (staged && (!step || (held && g->idle_holds)) && step < full)
		step = full;
	for (unsigned i = 0; step && i < g->nsm; i++) {
		for (unsigned n = 0; n < g->sm[i]->nsched; n++)
			g->sm[i]->issuer[n].port_free = r->end - 1 + step;
		if (g->sm[i]->stage)
			sm_next_step(g->sm[i], r->end - 1 + step);
	}
	r->len = !step ? 1 : step < g->window ? step : g->window;
	return step != 0;
}

/* Skips the windows before `next`, which have no events. */
static void skip_to(struct run *r, cycle_t next)
{
	cycle_t window = least_skip(r);
	while (next != NEVER && next >= r->end + window)
		r->end += (next - r->end) / window * window;
}

static void run_windows(struct run *r)
{
	struct gpu *g = r->g;
	r->stopped = true;
	if (!run_start_blocks(r))
		return;
	while (r->done < r->n) {
		r->end += r->len;
		run_sms(r);
		perform_ordered(r);
		if (!g->m->perfect_mem)
			run_memory(r);
		count_data(r);
		if (run_take_fault(r))
			return;
		if (r->o->tracer)
			tracer_window(r->o->tracer);
		run_collect_ended(r);
		show_window(r);
		if (!run_start_blocks(r) || run_must_stop(r))
			return;
		cycle_t next = next_wake(r);
		if (next == NEVER && r->done < r->n) {
			run_stuck(r);
			return;
		}
		if (!g->in_step || !keep_step(r))
			skip_to(r, next);
	}
	r->stopped = false;
}

static bool is_quiet(const struct gpu *g)
{
	memsys_exchange(g->mem);
	for (unsigned i = 0; i < g->nsm; i++)
		if (!sm_quiet(g->sm[i]))
			return false;
	return memsys_idle_until(g->mem) == CYCLE_NEVER;
}

/* Drains requests that no warp waits for: write-backs, fetches of warps that have ended. Then every request
 * must be answered and every queue and MSHR empty. These cycles are not counted. */
static void drain_all(struct run *r)
{
	enum { PATIENCE = 1000000 };
	struct gpu *g = r->g;
	struct diag d = {0};
	g->now = r->end;
	if (r->stopped)
		return;
	r->len = g->window;
	for (unsigned i = 0; i < PATIENCE && !g->m->perfect_mem && !is_quiet(g); i++) {
		skip_to(r, next_wake(r)); /* a channel may have many writes left */
		r->end += g->window;
		run_sms(r);
		run_memory(r);
		count_data(r);
	}
	g->now = r->end;
	for (unsigned i = 0; i < g->nsm && !g->m->perfect_mem; i++)
		if (!sm_quiet(g->sm[i]))
			diag_error(&d, "SM %u: instructions or cache misses are left over", i);
	if (!g->m->perfect_mem)
		memsys_check(g->mem, &d);
	gpu_check(g, r->counted - r->start, &d);
	if (d.errors) {
		struct gpu_result *o = r->job[r->n - 1].r;
		o->why = diag_string(&d);
		o->stop = STOP_LIMIT;
		o->lost = r->stopped = true;
	}
	diag_free(&d);
}

/* ---- a run ---- */

static bool prepare_run(struct run *r, struct gpu_job *jobs, struct arena *a)
{
	char why[256];
	for (unsigned i = 0; i < r->n; i++) {
		struct timed_launch *j = &r->job[i];
		j->j = &jobs[i];
		j->r = &jobs[i].r;
		*j->r = (struct gpu_result){.stop = STOP_DONE};
		jobs[i].l->clock = timing_clock;
		jobs[i].l->clock_ns = 1000 / r->g->m->core_mhz;
		kern_init(&j->k, jobs[i].l, r->g, a);
		j->r->blocks_per_sm = kern_fit(&j->k, r->g->m);
		const char *no = gpu_refuses(r->g, &j->k, why, sizeof why);
		if (no) {
			j->r->stop = STOP_LIMIT;
			j->r->why = xstrdup(no);
			return false;
		}
	}
	return true;
}

static void watch_begin(struct run *r)
{
	struct gpu *g = r->g;
	const struct gpu_opts *o = r->o;
	g->blocks_only = !g->in_step;
	for (unsigned i = 0; i < r->n; i++)
		g->blocks_only &= !r->job[i].j->thin; /* skipped blocks change caches */
	for (unsigned i = 0; i < g->nsm; i++) {
		sm_watch(g->sm[i], o->profile);
		g->sm[i]->trace = NULL;
		sm_begin(g->sm[i], r->start);
		g->waked[i] = g->sm[i]->wakings;
	}
	if (g->disp.ops->begin)
		g->disp.ops->begin(&g->disp, r->start);
	meter_begin(&r->meter, g, r->start, o->tracer ? METER_COMPONENTS : METER_GPU);
	for (unsigned i = 0; i < SAMPLERS; i++)
		if (o->sampler[i])
			sampler_begin(o->sampler[i], r->start);
	if (o->tracer)
		tracer_begin(o->tracer);
	if (o->record) {
		o->record->start = r->start;
		if (o->record->sm < g->nsm)
			g->sm[o->record->sm]->record = o->record;
	}
}

/* Concurrent launches share counters, and idle parts have been counted to the window's end already.
 * So totals and the last sample end with that window. */
static void watch_end(struct run *r)
{
	cycle_t last = r->start, until;
	for (unsigned i = 0; i < r->n; i++)
		last = r->job[i].end > last ? r->job[i].end : last;
	until = r->counted > last ? r->counted : last;
	if (r->o->tracer)
		tracer_end(r->o->tracer, last);
	for (unsigned i = 0; i < SAMPLERS; i++)
		if (r->o->sampler[i])
			sample_row(r, r->o->sampler[i], until);
	if (r->o->tracer &&
	    until > r->meter.at[r->meter.k]) { /* the part of the last window after `until` */
		meter_read(&r->meter, until);
		tracer_power(r->o->tracer, &r->meter);
	}
	meter_end(&r->meter);
	for (unsigned i = 0; i < r->g->nsm; i++) {
		sm_end(r->g->sm[i], until);
		sm_watch(r->g->sm[i], false);
		r->g->sm[i]->trace = NULL;
		r->g->sm[i]->record = NULL;
	}
}

static void forget_profiles(struct run *r)
{
	for (unsigned i = 0; i < r->n; i++)
		for (unsigned k = 0; k < r->g->nsm; k++)
			free(r->job[i].k.prof[k]);
}

void gpu_run(struct gpu *g, struct gpu_job *jobs, unsigned n, const struct gpu_opts *o)
{
	struct arena a = {0};
	struct run r = {.g = g, .o = o, .n = n, .start = g->now + g->m->launch_cycles};
	r.end = r.start;
	r.len = g->in_step ? 1 : g->window;
	r.job = ARENA_ARRAY(&a, struct timed_launch, n);
	r.awake = ARENA_ARRAY(&a, unsigned, g->nsm);
	r.asleep = ARENA_ARRAY(&a, bool, g->nsm);
	for (; r.nawake < g->nsm; r.nawake++)
		r.awake[r.nawake] = r.nawake;
	if (prepare_run(&r, jobs, &a)) {
		watch_begin(&r);
		run_windows(&r);
		run_stop_all(&r);
		watch_end(&r);
		drain_all(&r);
		for (unsigned i = 0; i < g->nsm; i++)
			blocks_forget(g->sm[i]);
		forget_profiles(&r);
		if (r.stopped)
			gpu_reset(
				g); /* everything in flight belongs to blocks that no longer exist */
	}
	for (unsigned i = 0; i < n; i++) {
		jobs[i].from = r.job[i].start - r.start;
		jobs[i].to = r.job[i].end - r.start;
	}
	vec_free(&r.ordered);
	arena_free(&a);
}

void gpu_result_free(struct gpu_result *r)
{
	free(r->why);
	free(r->prof);
	stat_report_free(r->report);
	stat_report_free(r->together);
}
