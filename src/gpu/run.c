/* Launches in time: windows until the last block of the last one has ended.
 *
 * Launches that do not wait for each other are on the GPU together. Blocks are given out in the order of the
 * launches: one that comes later gets what those before it leave, when all their blocks have been placed. */
#include "gpu/gpu.h"

#include <stdio.h>
#include "func/cta.h"
#include "gpu/sample.h"
#include "gpu/trace.h"
#include "mem/memsys.h"
#include "sm/l1.h"

struct job {
	struct kern k;               /* first: a block knows its kern */
	struct gpu_job *j;
	struct gpu_result *r;
	bool started, ended, alone;  /* alone: no other launch was on the GPU with it */
	cycle_t start, end;
	struct stat_report *before;  /* all figures at its start */
};

struct run {
	struct gpu *g;
	struct job *job;
	unsigned n, running, done;
	const struct gpu_opts *o;
	VEC(struct defer) ordered;
	cycle_t start, end;          /* of the run, of the present window */
	cycle_t len;                 /* of the present window */
	cycle_t counted;             /* figures are complete up to here */
	uint64_t windows;
	bool stopped;                /* something ended it before its time */
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

/* ---- figures ---- */

/* Everything that is counted, as it stands at cycle `at`. */
static struct stat_report *figures(struct run *r, cycle_t at)
{
	struct stat_report *o = stat_report_new();
	r->counted = at > r->counted ? at : r->counted;
	for (unsigned i = 0; i < r->g->nsm; i++) {
		struct sm *sm = r->g->sm[i];
		sm_count_until(sm, at);
		STAT(&sm->stats, cycles) = at - r->start;
		stat_report_add(o, &sm_stats, "sm", (int)i, &sm->stats);
		stat_report_add(o, &slot_stats, "issue", (int)i, sm->slots);
		if (sm->div.stats)
			stat_report_add(o, sm->div.ops->p.stats, sm->div.ops->p.stats->component, (int)i, sm->div.stats);
		l1_report(sm->l1, o, (int)i);
	}
	if (!r->g->m->perfect_mem)
		memsys_report(r->g->mem, o);
	return o;
}

static void add_profiles(struct run *r, struct job *j)
{
	enum { WORDS = sizeof(struct prof) / sizeof(uint64_t) };
	j->r->prof = xcalloc(j->k.ncode + 1, sizeof *j->r->prof);
	for (unsigned i = 0; i < r->g->nsm; i++)
		for (uint32_t pc = 0; pc < j->k.ncode; pc++) {
			const uint64_t *from = (const uint64_t *)&j->k.prof[(size_t)i * j->k.ncode + pc];
			uint64_t *to = (uint64_t *)&j->r->prof[pc];
			for (unsigned w = 0; w < WORDS; w++)
				to[w] += from[w];
		}
}

/* The launch has ended, or is ended. Alone on the GPU its figures are those of its cycles. With others they
 * are the whole GPU's, until the end of the window. */
static void report(struct run *r, struct job *j)
{
	struct gpu_result *o = j->r;
	o->cycles = j->end - j->start;
	o->alone = j->alone;
	o->report = figures(r, j->alone ? j->end : r->end);
	stat_report_since(o->report, j->before);
	stat_report_total(o->report);
	stat_report_free(j->before);
	j->before = NULL;
	add_profiles(r, j);
	for (uint32_t pc = 0; pc < j->k.ncode; pc++)
		o->warp_instructions += o->prof[pc].issued;
	if (r->o->tracer)
		tracer_launch(r->o->tracer, (unsigned)(j - r->job), j->k.l->img->kernel->name, j->start, j->end);
}

/* ---- blocks ---- */

static bool may_start(const struct run *r, const struct job *j, cycle_t *when)
{
	*when = r->start;
	for (unsigned i = 0; i < j->j->nafter; i++) {
		const struct job *before = &r->job[j->j->after[i]];
		cycle_t then = before->end + r->g->m->launch_cycles;
		if (!before->ended)
			return false;
		*when = then > *when ? then : *when;
	}
	return true;
}

static void start_job(struct run *r, struct job *j)
{
	j->started = true;
	j->start = r->end;
	j->alone = !r->running;
	for (unsigned i = 0; i < r->n && r->running; i++)
		if (r->job[i].started && !r->job[i].ended)
			r->job[i].alone = false;
	j->before = figures(r, r->end);
	r->running++;
}

/* False: no memory for a block. *full: the GPU has no room for its next one. */
static bool place_blocks(struct run *r, struct job *j, bool *full)
{
	struct gpu *g = r->g;
	while (j->k.next < j->k.l->nblocks) {
		int n = g->disp.ops->place(&g->disp, &j->k);
		if (n < 0) {
			*full = true;
			return true;
		}
		if (!sm_start_block(g->sm[n], &j->k, j->k.next, r->end)) {
			j->r->no_memory = true;
			j->r->stop = STOP_LIMIT;
			return false;
		}
		j->k.next++;
	}
	return true;
}

static bool start_blocks(struct run *r)
{
	bool full = false;
	for (unsigned i = 0; i < r->n && !full; i++) {
		struct job *j = &r->job[i];
		cycle_t when;
		if (j->ended || (!j->started && (r->running >= r->g->kernels || !may_start(r, j, &when) || when > r->end)))
			continue;
		if (!j->started)
			start_job(r, j);
		if (!place_blocks(r, j, &full))
			return false;
	}
	return true;
}

static void end_job(struct run *r, struct job *j)
{
	j->ended = true;
	r->running--;
	r->done++;
	report(r, j);
}

static void collect_ended(struct run *r)
{
	struct gpu *g = r->g;
	for (unsigned i = 0; i < g->nsm; i++) {
		struct sm *sm = g->sm[i];
		for (size_t k = 0; k < sm->ended.n; k++) {
			const struct block *b = sm->ended.v[k];
			struct job *j = (struct job *)b->k;
			j->k.done++;
			j->end = b->end > j->end ? b->end : j->end;
			if (g->disp.ops->done)
				g->disp.ops->done(&g->disp, i, b);
		}
		sm->ended.n = 0;
	}
	for (unsigned i = 0; i < r->n; i++)
		if (r->job[i].started && !r->job[i].ended && r->job[i].k.done == r->job[i].k.l->nblocks)
			end_job(r, &r->job[i]);
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
	for (unsigned i = 0; first && i < r->n; i++) {
		struct job *j = &r->job[i];
		if (j->started && j->k.x[first->id].fault.kind) {
			j->r->fault = j->k.x[first->id].fault;
			j->r->stop = STOP_FAULT;
			return true;
		}
	}
	return first != NULL;
}

static uint64_t instructions(const struct gpu *g)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < g->nsm; i++)
		n += STAT(&g->sm[i]->stats, warp_instructions);
	return n;
}

static void progress(const struct run *r)
{
	uint64_t done = 0, total = 0;
	for (unsigned i = 0; i < r->n; i++) {
		done += r->job[i].k.done;
		total += r->job[i].k.l->nblocks;
	}
	r->o->progress(r->o->arg, done, total, instructions(r->g));
}

/* A launch that is under way: the one to blame. */
static struct job *present(const struct run *r)
{
	for (unsigned i = 0; i < r->n; i++)
		if (!r->job[i].ended)
			return &r->job[i];
	return &r->job[0];
}

/* Who waits for what. */
static void describe(struct run *r, struct gpu_result *o)
{
	size_t n = 0;
	FILE *f = open_memstream(&o->why, &n);
	if (!f)
		return;
	for (unsigned i = 0; i < r->g->nsm; i++)
		sm_describe(r->g->sm[i], f);
	memsys_holders(r->g->mem, f);
	fclose(f);
	if (n && o->why[n - 1] == '\n')
		o->why[n - 1] = 0;
}

/* Limits and signals; looked at every few windows. */
static bool must_stop(struct run *r)
{
	const struct gpu_opts *o = r->o;
	for (unsigned i = 0; i < r->n && o->max_cycles; i++) {
		struct job *j = &r->job[i];
		if (j->started && !j->ended && r->end - j->start > o->max_cycles) {
			j->r->over_cycles = true;
			describe(r, j->r);
			return true;
		}
	}
	if (++r->windows % 256)
		return false;
	if (o->interrupt && atomic_load(o->interrupt)) {
		present(r)->r->interrupted = true;
		return true;
	}
	if (o->max_instructions && instructions(r->g) > o->max_instructions) {
		present(r)->r->over_instructions = true;
		return true;
	}
	if (o->progress && r->windows % 4096 == 0)
		progress(r);
	return false;
}

/* ---- time ---- */

/* The cycle in which something happens next; NEVER: nothing will. */
static cycle_t next_wake(const struct run *r)
{
	cycle_t next = r->g->m->perfect_mem ? NEVER : memsys_idle_until(r->g->mem), w;
	for (unsigned i = 0; i < r->g->nsm; i++) {
		w = sm_wake(r->g->sm[i]);
		next = w < next ? w : next;
	}
	for (unsigned i = 0; i < r->n && r->running < r->g->kernels; i++)
		if (!r->job[i].started && may_start(r, &r->job[i], &w) && w >= r->end)
			next = w < next ? w : next;
	return next;
}

/* Those who watch, between windows. */
static void show(struct run *r)
{
	if (r->o->sampler && r->end >= sampler_next(r->o->sampler) && r->done < r->n)
		sampler_row(r->o->sampler, r->end);
}

static bool unmet(struct run *r)
{
	for (unsigned i = 0; i < r->g->nsm; i++)
		if (exec_unmet(r->g->sm[i]))
			return take_fault(r);
	return false;
}

/* SMs in step (Jin 2012, section 4.2): all may issue in the last cycle of a window and none before;
 * the largest warp of any of them says how long the next window is. Where the pipeline moves in
 * steps too, one without an issue takes a full warp's cycles. True: there was a step. */
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
	r->stopped = true;
	if (!start_blocks(r))
		return;
	while (r->done < r->n) {
		r->end += r->len;
		pool_run(g->pool, run_sm, r, g->nsm);
		perform_ordered(r);
		if (!g->m->perfect_mem)
			run_memory(r);
		if (take_fault(r))
			return;
		if (r->o->tracer)
			tracer_window(r->o->tracer);
		collect_ended(r);
		show(r);
		if (!start_blocks(r) || must_stop(r))
			return;
		cycle_t next = next_wake(r);
		if (next == NEVER && r->done < r->n) {
			if (!unmet(r)) {
				present(r)->r->stuck = true;
				describe(r, present(r)->r);
			}
			return;
		}
		if (!g->in_step || !keep_step(r))
			skip_to(r, next);
	}
	r->stopped = false;
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
	if (r->stopped)
		return;
	r->len = g->window;
	for (unsigned i = 0; i < PATIENCE && !g->m->perfect_mem && !quiet(g); i++) {
		r->end += g->window;
		pool_run(g->pool, run_sm, r, g->nsm);
		run_memory(r);
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

/* What was under way ends here; launches that had not begun have no figures. */
static void stop_all(struct run *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct job *j = &r->job[i];
		if (j->ended)
			continue;
		if (j->r->stop == STOP_DONE)
			j->r->stop = STOP_LIMIT;
		j->end = r->end;
		if (j->started)
			end_job(r, j);
	}
}

/* ---- a run ---- */

static bool prepare(struct run *r, struct gpu_job *jobs, struct arena *a)
{
	char why[256];
	for (unsigned i = 0; i < r->n; i++) {
		struct job *j = &r->job[i];
		j->j = &jobs[i];
		j->r = &jobs[i].r;
		*j->r = (struct gpu_result){.stop = STOP_DONE};
		jobs[i].l->clock = timing_clock;
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
	for (unsigned i = 0; i < g->nsm; i++) {
		g->sm[i]->watch = o->profile;
		g->sm[i]->trace = NULL;
		sm_begin(g->sm[i], r->start);
	}
	if (o->sampler)
		sampler_begin(o->sampler, r->job[0].k.l->img->kernel->name, r->start);
	if (o->tracer)
		tracer_begin(o->tracer);
	if (o->record && o->record->sm < g->nsm) {
		o->record->start = r->start;
		g->sm[o->record->sm]->record = o->record;
	}
}

static void watch_end(struct run *r)
{
	cycle_t last = r->start;
	for (unsigned i = 0; i < r->n; i++)
		last = r->job[i].end > last ? r->job[i].end : last;
	if (r->o->tracer)
		tracer_end(r->o->tracer, last);
	if (r->o->sampler)
		sampler_row(r->o->sampler, last);
	for (unsigned i = 0; i < r->g->nsm; i++) {
		sm_end(r->g->sm[i], last);
		r->g->sm[i]->watch = false;
		r->g->sm[i]->trace = NULL;
		r->g->sm[i]->record = NULL;
	}
}

void gpu_run(struct gpu *g, struct gpu_job *jobs, unsigned n, const struct gpu_opts *o)
{
	struct arena a = {0};
	struct run r = {.g = g, .o = o, .n = n, .start = g->now + g->m->launch_cycles};
	r.end = r.start;
	r.len = g->in_step ? 1 : g->window;
	r.job = ARENA_ARRAY(&a, struct job, n);
	if (prepare(&r, jobs, &a)) {
		watch_begin(&r);
		windows(&r);
		stop_all(&r);
		watch_end(&r);
		settle(&r);
		for (unsigned i = 0; i < g->nsm; i++)
			sm_release(g->sm[i]);
		if (r.stopped)
			gpu_reset(g); /* what is under way belongs to blocks that are gone */
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
	if (r->report)
		stat_report_free(r->report);
}
