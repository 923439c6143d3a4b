/* Runs launches, in functional or in timing mode: sets up constants and parameters, runs one launch
 * or several together, and records the figures. */
#include "api/api.h"
#include "api/checkpoint.h"
#include "api/children.h"
#include "api/functional.h"
#include "api/sampled.h"

#include <stdio.h>
#include <time.h>
#include "base/mangled.h"
#include "check/check.h"
#include "debug/debug.h"
#include "exec/memory/strays.h"
#include "func/grid.h"
#include "func/touch.h"
#include "kernel/cta.h"
#include "gpu/gpu.h"
#include "gpu/thin.h"
#include "gpu/warm.h"
#include "pass/stores.h"

static enum heddle_status check_shape(struct heddle *h, const struct heddle_launch *l)
{
	const struct func *f = l->kernel->f;
	struct plain_name plain = plain_name(f->name);
	const char *name = plain.text;
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	for (int i = 0; i < 3; i++) {
		if (!l->grid[i] || !l->block[i])
			return api_fail(h, HEDDLE_INVALID,
					"%s: grid %u,%u,%u and block %u,%u,%u must be at least 1 "
					"in each direction",
					name, l->grid[0], l->grid[1], l->grid[2], l->block[0],
					l->block[1], l->block[2]);
		if (f->reqntid[0] && l->block[i] != (f->reqntid[i] ? f->reqntid[i] : 1))
			return api_fail(h, HEDDLE_INVALID,
					"%s requires blocks of %u,%u,%u threads (.reqntid)", name,
					f->reqntid[0], f->reqntid[1] ? f->reqntid[1] : 1,
					f->reqntid[2] ? f->reqntid[2] : 1);
	}
	if (threads > 1024 || l->block[0] > 1024 || l->block[1] > 1024 || l->block[2] > 64)
		return api_fail(h, HEDDLE_INVALID,
				"%s: a block has at most 1024 threads (1024,1024,64), not %u,%u,%u",
				name, l->block[0], l->block[1], l->block[2]);
	if (l->grid[0] > 0x7fffffff || l->grid[1] > 65535 || l->grid[2] > 65535)
		return api_fail(h, HEDDLE_INVALID,
				"%s: a grid has at most 2147483647,65535,65535 blocks", name);
	if (f->native && f->native->shared_header && (l->grid[0] > 65535 || l->grid[2] > 255))
		return api_fail(h, HEDDLE_INVALID,
				"%s: a grid of sm_1x code has at most 65535,65535,255 blocks, not "
				"%u,%u,%u",
				name, l->grid[0], l->grid[1], l->grid[2]);
	if (f->param_bytes && !l->params)
		return api_fail(h, HEDDLE_INVALID, "%s has %u bytes of parameters, none are given",
				name, f->param_bytes);
	return HEDDLE_OK;
}

static void fill_params(struct launch *l, const struct image *img)
{
	memcpy(l->crows, img->crows, (size_t)img->ncrows * ROW);
	for (uint32_t i = 0; i < img->nparams; i++) {
		const struct param_row *p = &img->params[i];
		uint32_t x = 0, *row = (uint32_t *)(l->crows + (size_t)p->row * ROW);
		memcpy(&x, l->param.host + p->offset, p->size);
		if (p->sext && p->size < 4)
			x = (uint32_t)((int32_t)(x << (32 - 8 * p->size)) >> (32 - 8 * p->size));
		for (int k = 0; k < LANES; k++)
			row[k] = x;
	}
}

/* Makes the constant rows of another rank of a cluster, whose addresses of shared memory contain
 * the rank. */
static void rank_rows(struct launch *l, const struct image *img, uint32_t rank)
{
	uint8_t *rows = l->crows + rank * launch_crows(l);
	memcpy(rows, l->crows, launch_crows(l));
	for (uint32_t i = 0; i < img->nshared_rows; i++) {
		uint32_t *row = (uint32_t *)(rows + (size_t)img->shared_rows[i] * ROW);
		for (int k = 0; k < LANES; k++)
			row[k] |= rank * (uint32_t)WINDOW_SPAN;
	}
}

bool api_uses_heap(const struct image *img)
{
	for (uint32_t i = 0; i < img->nfuncs; i++)
		for (size_t k = 0; k < img->funcs[i].f->calls.n; k++) {
			const struct func *f = img->funcs[i].f->calls.v[k].func;
			f = f && f->def ? f->def : f;
			if (f && (f->builtin == BI_MALLOC || f->builtin >= BI_PARAM_BUFFER))
				return true;
		}
	return false;
}

/* Sets the blocks per cluster along each direction: from the launch, else from the kernel, else
 * one. */
static void cluster_shape(const struct heddle_launch *hl, struct launch *l)
{
	const uint32_t *own = hl->kernel->f->cluster, *c = hl->cluster[0] ? hl->cluster : own;
	l->cluster_blocks = 1;
	for (unsigned i = 0; i < 3; i++) {
		l->cluster[i] = c[i] ? c[i] : 1;
		l->cluster_blocks *= l->cluster[i];
	}
}

static enum heddle_status check_cluster(struct heddle *h, const struct heddle_launch *hl,
					const struct launch *l)
{
	struct plain_name plain = plain_name(l->img->kernel->name);
	const uint32_t *own = hl->kernel->f->cluster;
	if (l->cluster_blocks > CLUSTER_MAX)
		return api_fail(h, HEDDLE_INVALID, "%s: a cluster has at most %u blocks, not %u",
				plain.text, CLUSTER_MAX, l->cluster_blocks);
	for (unsigned i = 0; i < 3; i++) {
		if (own[0] && hl->cluster[0] && (own[i] ? own[i] : 1) != l->cluster[i])
			return api_fail(
				h, HEDDLE_INVALID,
				"%s requires clusters of %u,%u,%u blocks (.reqnctapercluster)",
				plain.text, own[0], own[1] ? own[1] : 1, own[2] ? own[2] : 1);
		if (l->grid[i] % l->cluster[i])
			return api_fail(
				h, HEDDLE_INVALID,
				"%s: the grid of %u,%u,%u blocks is not a multiple of the cluster of %u,%u,%u",
				plain.text, l->grid[0], l->grid[1], l->grid[2], l->cluster[0],
				l->cluster[1], l->cluster[2]);
	}
	return HEDDLE_OK;
}

static void prepare_launch(struct heddle *h, const struct heddle_launch *hl,
			   const struct image *img, enum launch_mode mode, struct launch *l)
/* clang-format off */
{
	*l = (struct launch){.img = img, .warp_size = LANES, .parts = 1, .mem = &h->mem, .tex = h->tex, .heap = &h->heap,
			     .grid_id = ++h->grid_id, .cooperative = hl->cooperative, .check = !h->opt.no_check,
			     .reverse = h->opt.reverse, .shared_fill = h->opt.shared_fill, .copies_in_pieces = h->opt.copies_in_pieces, .check_race = h->opt.check_race, .check_init = h->opt.check_init,
			     .output = h->opt.output, .output_arg = h->opt.arg, .nsm = h->nsm};
	/* clang-format on */
	if (l->check_race || l->check_init) {
		l->checks = xcalloc(1, sizeof *l->checks);
		l->observer = &check_observer;
		l->checks->others = hl->others;
		l->checks->nothers = hl->nothers;
	}
	if (h->opt.check_warn)
		l->strays = xcalloc(1, sizeof *l->strays);
	l->trace = h->trace;
	l->trace_arg = h->trace_arg;
	l->while_masks = h->while_masks;
	memcpy(l->grid, hl->grid, sizeof l->grid);
	memcpy(l->block, hl->block, sizeof l->block);
	l->nthreads = hl->block[0] * hl->block[1] * hl->block[2];
	if (mode != LAUNCH_FUNCTIONAL) {
		l->warp_size = h->machine->warp_size;
		l->parts = l->warp_size > LANES ? 2 : 1;
	}
	l->nwarps = (l->nthreads + l->warp_size - 1) / l->warp_size * l->parts;
	cluster_shape(hl, l);
	l->nblocks = (uint64_t)hl->grid[0] * hl->grid[1] * hl->grid[2];
	l->dyn_shared = hl->shared_bytes;
	l->reserved_at = img->shared_bytes + hl->shared_bytes;
	/* native code: the system's part of shared memory */
	bool behind = img->reserved_smem && !img->shared_base;
	if (behind)
		l->reserved_at = (l->reserved_at + 15) & ~15u;
	l->shared_bytes = l->reserved_at + (behind ? RESERVED_SMEM : 0);
	l->frame_rows = img->rows_max + (img->recursive ? 16384 : 0);
	l->frame_preds = img->preds_max + (img->recursive ? 4096 : 0);
	l->stack_bytes = img->local_max + (img->recursive ? h->stack_extra : 0);
}

/* Makes two zeroed words of global memory for the launch; their address is passed in %envreg1 (high
 * half) and %envreg2. */
static bool grid_barrier(struct heddle *h, struct launch *l)
{
	enum { BYTES = 64 };
	struct alloc *a = h->grid_barrier ? devmem_find(&h->mem, h->grid_barrier) : NULL;
	if (!a)
		a = devmem_alloc(&h->mem, BYTES, ALLOC_SYMBOL, 256);
	if (!a)
		return false;
	h->grid_barrier = a->lo;
	memset(a->host, 0, BYTES);
	l->envreg[1] = (uint32_t)(a->lo >> 32);
	l->envreg[2] = (uint32_t)a->lo;
	return true;
}

static enum heddle_status timing_status(struct heddle *h, const struct launch *l,
					const struct gpu_result *r)
{
	struct plain_name plain = plain_name(l->img->kernel->name);
	const char *name = plain.text;
	if (r->stop == STOP_FAULT) {
		api_report_fault(h, l, &r->fault);
		return HEDDLE_FAULT;
	}
	if (r->interrupted)
		return api_fail(h, HEDDLE_INTERRUPTED, "%s: interrupted after %llu cycles", name,
				(unsigned long long)r->cycles);
	if (r->no_memory)
		return api_fail(h, HEDDLE_NO_MEMORY,
				"%s: the host has no memory for a block's %zu bytes", name,
				cta_bytes(l));
	if (r->lost)
		return api_fail(
			h, HEDDLE_UNSUPPORTED,
			"%s: a bug of the simulator: requests are lost, or figures contradict each other:\n%s",
			name, r->why);
	if (r->stuck)
		return api_fail(h, HEDDLE_LIMIT, "%s: nothing can go on after %llu cycles\n%s",
				name, (unsigned long long)r->cycles, r->why ? r->why : "");
	if (r->over_cycles)
		return api_fail(h, HEDDLE_LIMIT, "%s: more than %llu cycles (--max-cycles)\n%s",
				name, (unsigned long long)h->opt.max_cycles, r->why ? r->why : "");
	if (r->over_instructions)
		return api_fail(h, HEDDLE_LIMIT,
				"%s: more than %llu warp instructions (--max-instructions)", name,
				(unsigned long long)h->opt.max_instructions);
	if (r->why)
		return api_fail(h, HEDDLE_INVALID, "%s: %s", name, r->why);
	/* ended because another launch failed, which has the message */
	return r->stop == STOP_DONE ? HEDDLE_OK : HEDDLE_LIMIT;
}

/* Copies constants that the host has written since the last launch into the banks of native
 * code. */
static void copy_constants(struct heddle *h, const struct heddle_module *m)
{
	for (size_t i = 0; i < m->copies.n; i++) {
		const struct const_copy *c = &m->copies.v[i];
		struct alloc *a = devmem_find(&h->mem, c->from), *b = devmem_find(&h->mem, c->to);
		if (a && b)
			memmove(b->host + (c->to - b->lo), a->host + (c->from - a->lo), c->size);
	}
}

/* Replaces host addresses in parameters by device addresses where the two differ. */
static void translate_addresses(const struct heddle *h, uint8_t *params, size_t bytes)
{
	for (size_t i = 0; h->mem.aliases && i + 8 <= bytes; i += 8) {
		uint64_t at;
		memcpy(&at, params + i, sizeof at);
		at = heddle_device_address(h, (void *)(uintptr_t)at);
		memcpy(params + i, &at, sizeof at);
	}
}

/* Sets up a launch completely, without running it; l->crows NULL: it failed. */
static enum heddle_status set_up_launch(struct heddle *h, const struct heddle_launch *hl,
					enum launch_mode mode, struct launch *l)
{
	enum heddle_status st = check_shape(h, hl);
	struct image *img = st ? NULL : api_image(h, hl->kernel);
	*l = (struct launch){0};
	if (!img)
		return st ? st : HEDDLE_BAD_INPUT;
	api_control_check(h, hl->kernel);
	st = api_check_replay(h, hl, img, mode);
	if (st)
		return st;
	if (mode != LAUNCH_FUNCTIONAL && img->converges && !img->kernel->replay &&
	    !gpu_converges(h->gpu))
		return api_fail(
			h, HEDDLE_UNSUPPORTED,
			"%s: machine code for sm_%u says itself where the threads of a warp meet; "
			"sm.divergence = pdom keeps to that, this machine's mechanism does not",
			plain_name(img->kernel->name).text, img->kernel->module->target);
	if (mode != LAUNCH_FUNCTIONAL && gpu_wants_tokens(h->gpu) && !img->native)
		return api_fail(
			h, HEDDLE_INVALID, "%s: sm.divergence = token %s",
			plain_name(img->kernel->name).text,
			img->kernel->native
				? "and the native stack pdom contradict each other"
				: "runs the token stack of sm_1x and sm_2x machine code; the kernel "
				  "is PTX, which has no tokens");
	copy_constants(h, hl->kernel->m);
	prepare_launch(h, hl, img, mode, l);
	st = check_cluster(h, hl, l);
	if (st)
		return st;
	uint32_t shared = l->shared_bytes - img->shared_gaps;
	if (shared > 228 << 10)
		return api_fail(
			h, HEDDLE_INVALID,
			"%s: %u bytes of shared memory a block, of which there are at most %u",
			plain_name(img->kernel->name).text, shared, 228 << 10);
	if (api_uses_heap(img) && !heap_reserve(&h->heap, &h->mem, h->heap_bytes))
		return api_fail(h, HEDDLE_NO_MEMORY, "no room for the heap of device malloc");
	if (hl->cooperative && !grid_barrier(h, l))
		return api_fail(h, HEDDLE_NO_MEMORY, "no room for the grid barrier");
	uint32_t pbytes = img->kernel->param_bytes;
	uint8_t *params = xcalloc(1, pbytes + 16);
	if (pbytes)
		memcpy(params, hl->params, pbytes);
	translate_addresses(h, params, pbytes);
	l->param = (struct window){.size = pbytes, .host = params};
	l->crows = aligned_alloc(ROW, launch_crows(l) * l->cluster_blocks);
	fill_params(l, img);
	for (uint32_t rank = 1; rank < l->cluster_blocks; rank++)
		rank_rows(l, img, rank);
	return HEDDLE_OK;
}

static void free_launch(struct launch *l)
{
	if (l->checks)
		escapes_end(l);
	launch_check_free(l->checks);
	strays_free(l->strays);
	free(l->crows);
	free(l->param.host);
}

/* ---- launches together ---- */

/* A timed launch whose effects a checkpoint has: memory gets them when it ends, because blocks may have been
 * skipped. */
struct restored {
	struct heddle *h;
	struct effects *e; /* NULL: no checkpoint has any */
	enum heddle_status st;
};

static void restore_memory(void *arg)
{
	struct restored *r = arg;
	r->st = api_checkpoint_apply(r->h, r->e);
}

static enum heddle_status save_timed(struct heddle *h, const struct heddle_launch *hl,
				     const struct gpu_job *j)
{
	struct saved_range r = {.next = j->l->nblocks, .prof = j->r.prof};
	return api_checkpoint_save(h, hl, j->l, &r);
}

/* Adds a finished launch to the statistics; returns its status. */
static enum heddle_status finish_launch(struct heddle *h, struct heddle_task *t, struct gpu_job *j,
					double seconds)
{
	double cycle = 1 / (h->machine->core_mhz * 1e6);
	enum heddle_status st = timing_status(h, j->l, &j->r);
	t->from = (double)j->from * cycle;
	t->to = (double)j->to * cycle;
	t->ran = j->r.prof != NULL;
	if (t->ran) {
		api_record(h, &t->launch, j->l->img, j->r.prof, seconds, &j->r);
		t->stats = (unsigned)h->launches.n - 1;
		if (!st && !j->ended)
			st = save_timed(h, &t->launch, j);
		h->launches.v[t->stats].s.status = st;
	}
	return st;
}

/* Thinning of a launch, with the launch that runs skipped blocks. */
struct thinning {
	struct thin *thin; /* NULL: all blocks are simulated */
	struct launch functional;
};

static void begin_thinning(struct heddle *h, const struct heddle_launch *hl, const struct launch *l,
			   const struct effects *e, struct thinning *t)
{
	*t = (struct thinning){api_thin_new(h, hl, l->img, e), {0}};
	if (t->thin && t->thin->block_instructions)
		return;
	if (t->thin && set_up_launch(h, hl, LAUNCH_FUNCTIONAL, &t->functional)) {
		free_launch(&t->functional);
		free(t->thin);
		t->thin = NULL;
	}
	if (t->thin)
		t->thin->functional = &t->functional;
}

/* Returns the seconds that skipped blocks add to the launch. */
static double end_thinning(struct heddle *h, const struct heddle_task *t, struct thinning *n)
{
	if (!n->thin)
		return 0;
	if (n->thin->functional)
		free_launch(&n->functional);
	if (!t->ran) {
		thin_free(n->thin);
		free(n->thin);
		return 0;
	}
	struct launch_record *r = &h->launches.v[t->stats];
	double before = r->s.gpu_seconds;
	api_thinned(h, r, n->thin);
	return r->s.gpu_seconds - before;
}

/* e: effects that a checkpoint has, one pointer per launch; NULL: none. */
static enum heddle_status run_timing(struct heddle *h, struct heddle_task *t, struct launch *l,
				     struct effects *const *e, unsigned n)
{
	struct gpu_opts o = {.threads = h->opt.threads,
			     .max_cycles = h->opt.max_cycles,
			     .max_instructions = h->opt.max_instructions,
			     .interrupt = &h->interrupt,
			     .profile = h->opt.profile,
			     .progress = h->opt.progress,
			     .arg = h->opt.arg,
			     .record = api_record_new(h),
			     .sampler = {h->sampler, h->series},
			     .number = h->launches.n,
			     .tracer = h->tracer};
	struct gpu_job *jobs = xcalloc(n, sizeof *jobs);
	struct thinning *thinning = xcalloc(n, sizeof *thinning);
	struct restored *restored = xcalloc(n, sizeof *restored);
	if (n == 1 && !(e && e[0]))
		api_checkpoint_before(h, &l[0], false);
	double later = 0; /* seconds by which skipped blocks delay the following launches */
	enum heddle_status st = HEDDLE_OK;
	double t0 = api_now();
	for (unsigned i = 0; i < n; i++) {
		restored[i] = (struct restored){h, e ? e[i] : NULL, HEDDLE_OK};
		begin_thinning(h, &t[i].launch, &l[i], restored[i].e, &thinning[i]);
		jobs[i] = (struct gpu_job){.l = &l[i],
					   .after = t[i].after,
					   .nafter = t[i].nafter,
					   .thin = thinning[i].thin,
					   .ended = restored[i].e ? restore_memory : NULL,
					   .arg = &restored[i]};
	}
	gpu_run(h->gpu, jobs, n, &o);
	double seconds = (api_now() - t0) / n;
	for (unsigned i = 0; i < n;
	     i++) { /* the message comes from a launch that failed by itself */
		t[i].status = finish_launch(h, &t[i], &jobs[i], seconds);
		if (!t[i].status)
			t[i].status = restored[i].st;
		t[i].from += later;
		later += end_thinning(h, &t[i], &thinning[i]);
		t[i].to += later;
		if (t[i].status && (!st || t[i].status != HEDDLE_LIMIT))
			st = t[i].status;
		gpu_result_free(&jobs[i].r);
	}
	if (o.record && t[0].ran)
		h->launches.v[t[0].stats].issues = api_record_json(o.record, h->machine, l[0].img);
	else
		free(o.record);
	free(restored);
	free(thinning);
	free(jobs);
	return st;
}

/* ---- information for checks ---- */

/* Tells the checks which allocations the kernel may store to: its own, and those of launches that
 * run concurrently. */
static void set_stores(struct heddle *h, const struct launch *l, unsigned n)
{
	uint64_t slots = l->img->stores, addr;
	l->checks->spares = n == 1 && !(slots & STORES_ANYWHERE);
	for (; slots && l->checks->spares; slots &= slots - 1) {
		uint64_t at = 8u * (unsigned)__builtin_ctzll(slots);
		if (at + 8 > l->param.size)
			continue;
		memcpy(&addr, l->param.host + at, 8);
		struct alloc *a = devmem_find(&h->mem, addr);
		if (a)
			a->stored_to = l->grid_id;
		else if (addr >= HEAP_BASE) /* the end of an unknown allocation */
			l->checks->spares = false;
	}
}

static enum heddle_status launch_kept(struct heddle *h, const struct heddle_launch *hl);

/* How a launch is run. */
struct how {
	enum launch_mode mode;
	unsigned stratum; /* sampled mode */
	bool queued;      /* sampled mode: it begins as in timing mode (api_sampled_add()) */
};

static struct how choose_how(struct heddle *h, const struct heddle_launch *l)
{
	if (!h->sampled)
		return (struct how){api_mode(h, l->kernel->f->name, h->launches.n), 0, false};
	unsigned stratum = api_sampled_stratum(h, l);
	bool timed = api_sampled_wants(h, stratum);
	return (struct how){timed ? LAUNCH_TIMED : LAUNCH_FUNCTIONAL, stratum, !h->chosen.some};
}

/* Finds the effects that a checkpoint has for the launch. Memory is compared with the file's, but in sampled
 * mode only for timed launches and for a few others, since any difference shows there: it takes longer than
 * a launch of the file. *st: an error. */
static struct effects *find_effects(struct heddle *h, const struct heddle_launch *hl,
				    const struct launch *l, const struct how *how,
				    enum heddle_status *st)
{
	if (!h->checkpoint)
		return NULL;
	uint64_t n = api_checkpoint_next(h);
	bool timed = h->sampled && how->mode == LAUNCH_TIMED;
	struct effects *e =
		api_checkpoint_find(h, hl, l, !h->sampled || timed || !(n & (n - 1)), st);
	if (e && e->next < l->nblocks && how->mode != LAUNCH_FUNCTIONAL) {
		*st = api_checkpoint_drop(h, e);
		api_effects_free(e);
		e = NULL;
	}
	return e;
}

/* Refuses to time a launch whose accesses are to be saved, because only functional launches report them. */
static enum heddle_status check_accesses(struct heddle *h, const struct launch *l,
					 const struct effects *e)
{
	if (e || !h->opt.accesses || !api_checkpoint_writes(h) || !api_checkpoint_covers(l))
		return HEDDLE_OK;
	return api_fail(h, HEDDLE_INVALID,
			"%s: a launch that is timed does not report the memory that it accesses, "
			"which --accesses saves: expected --mode functional, or --mode timing "
			"--skip 4294967295 (no launch is timed)",
			plain_name(l->img->kernel->name).text);
}

/* Runs a launch that has been set up, or replays it. */
static enum heddle_status run_one(struct heddle *h, struct heddle_task *t, struct launch *l,
				  const struct how *how)
{
	enum heddle_status st = HEDDLE_OK;
	struct effects *e = find_effects(h, &t->launch, l, how, &st);
	bool replay = e && e->next == l->nblocks && !(h->sampled && how->mode == LAUNCH_TIMED);
	if (st) {
		;
	} else if (replay) {
		st = api_replay(h, &t->launch, l, e);
	} else if (how->mode != LAUNCH_FUNCTIONAL) {
		struct heddle_task alone = {.launch = t->launch};
		st = check_accesses(h, l, e);
		if (!st)
			st = run_timing(h, &alone, l, &e, 1);
		t->from = alone.from;
		t->to = alone.to;
	} else {
		st = api_run_functional(h, &t->launch, l, e);
	}
	api_effects_free(e);
	return st;
}

static enum heddle_status launch_one(struct heddle *h, struct heddle_task *tasks, unsigned n,
				     unsigned i, struct beside *ids, struct how how)
{
	struct heddle_task *t = &tasks[i];
	struct launch l;
	size_t before = h->launches.n;
	enum launch_mode mode = how.mode;
	enum heddle_status st = set_up_launch(h, &t->launch, mode, &l);
	struct beside *mine = NULL;
	if (!st && l.checks) {
		mine = api_apart_find(h, tasks, i, ids, l.checks);
		set_stores(h, &l, n + t->launch.nbeside);
		ids[i] = (struct beside){
			.grid_id = l.grid_id,
			.img = l.img,
			.grid = {l.grid[0], l.grid[1], l.grid[2]},
			.block = {l.block[0], l.block[1], l.block[2]},
		};
		api_apart_keep(h, t->launch.ticket, &ids[i]);
	}
	struct children children;
	children_init(&children, h, t->launch.kernel->m, mode == LAUNCH_FUNCTIONAL, &l);
	if (!st)
		st = run_one(h, t, &l, &how);
	t->status = st;
	t->ran = h->launches.n > before;
	t->stats = (unsigned)h->launches.n - 1; /* launches from the kernel are before it */
	if (t->ran)
		h->launches.v[t->stats].s.status = st;
	if (t->ran && mode == LAUNCH_WARMING)
		api_forget_timing(&h->launches.v[t->stats]);
	if (t->ran && h->sampled)
		api_sampled_add(h, how.stratum, t->stats, how.queued);
	free_launch(&l);
	free(mine);
	if (!st)
		st = children_run(&children, launch_kept);
	children_free(&children);
	return st;
}

static enum heddle_status launch_kept(struct heddle *h, const struct heddle_launch *hl)
{
	struct heddle_task t = {.launch = *hl};
	struct beside id = {0};
	return launch_one(h, &t, 1, 0, &id, choose_how(h, hl));
}

enum heddle_status api_launch_inside(struct heddle *h, const struct heddle_launch *hl)
{
	struct launch l;
	struct children children;
	enum heddle_status st = set_up_launch(h, hl, LAUNCH_FUNCTIONAL, &l);
	children_init(&children, h, hl->kernel->m, true, &l);
	api_checkpoint_pause(h);
	if (!st)
		st = api_run_functional(h, hl, &l, NULL);
	api_checkpoint_resume(h);
	if (!st && h->sampled) { /* this launch cannot be timed, whatever the sampling decides */
		unsigned stratum = api_sampled_stratum(h, hl);
		api_sampled_wants(h, stratum);
		api_sampled_add(h, stratum, h->launches.n - 1, false);
	}
	free_launch(&l);
	if (!st)
		st = children_run(&children, api_launch_inside);
	children_free(&children);
	return st;
}

static enum heddle_status one_by_one(struct heddle *h, struct heddle_task *t, unsigned n)
{
	enum heddle_status st = HEDDLE_OK;
	double at = 0;
	struct beside *ids = xcalloc(n, sizeof *ids);
	for (unsigned i = 0; i < n && !st; i++) {
		st = launch_one(h, t, n, i, ids, choose_how(h, &t[i].launch));
		t[i].from += at;
		t[i].to += at;
		at = t[i].to;
	}
	free(ids);
	return st;
}

/* True if a launch shares the GPU with no other: a cooperative one, because the GPU has one grid barrier, and one
 * that may launch kernels, which run before what follows it. */
static bool is_alone(struct heddle *h, const struct heddle_launch *hl)
{
	const struct image *img = hl->cooperative ? NULL : api_image(h, hl->kernel);
	return hl->cooperative || (img && api_uses_heap(img));
}

/* True if the launches run together. They do not if one runs alone, if one is recorded (a record is one kernel's), if a checkpoint has their effects, or if
 * launches are chosen (a decision is then made for each). */
static bool run_together(struct heddle *h, const struct heddle_task *t, unsigned n)
{
	if (n < 2 || !h->gpu || h->opt.record || h->chosen.some || h->checkpoint)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (is_alone(h, &t[i].launch))
			return false;
	return true;
}

/* Runs timed launches on the GPU together, unless one waits for another. */
static enum heddle_status run_tasks(struct heddle *h, struct heddle_task *t, unsigned n)
{
	enum heddle_status st = HEDDLE_OK;
	struct launch *l = xcalloc(n, sizeof *l);
	struct children *children = xcalloc(n, sizeof *children);
	struct effects **e = xcalloc(n, sizeof *e);
	bool go_on = h->checkpoint; /* the file has the launch before */
	for (unsigned i = 0; i < n; i++) {
		if (!st)
			st = t[i].status = set_up_launch(h, &t[i].launch, LAUNCH_TIMED, &l[i]);
		if (!st && go_on) /* memory is the first one's until it has run */
			e[i] = api_checkpoint_find(h, &t[i].launch, &l[i], !i, &st);
		if (e[i] && e[i]->next < l[i].nblocks) {
			st = api_checkpoint_drop(h, e[i]);
			api_effects_free(e[i]);
			e[i] = NULL;
		}
		go_on = go_on && !st && (e[i] || !api_checkpoint_covers(&l[i]));
		children_init(&children[i], h, t[i].launch.kernel->m, false, &l[i]);
	}
	if (!st)
		st = run_timing(h, t, l, e, n);
	for (unsigned i = 0; i < n; i++) {
		api_effects_free(e[i]);
		free_launch(&l[i]);
		if (!st)
			st = children_run(&children[i], launch_kept);
		children_free(&children[i]);
	}
	free(e);
	free(children);
	free(l);
	return st;
}

/* ---- a sample of launches ---- */

/* True if task i of the list waits for task k, so that the two never share the GPU. */
static bool waits_for(const struct heddle_task *t, unsigned i, unsigned k)
{
	for (unsigned j = 0; j < t[i].nafter; j++)
		if (t[i].after[j] == k)
			return true;
	return false;
}

/* Decides which launches from task i on are timed. Stops at a launch that is not timed, that need not wait
 * for the launch before it, or whose decision needs figures of these launches. Returns the number after the
 * last launch decided. */
static unsigned decide_row(struct heddle *h, const struct heddle_task *t, struct how *how,
			   unsigned i, unsigned n)
{
	how[i] = choose_how(h, &t[i].launch);
	if (i && how[i].mode == LAUNCH_TIMED && !waits_for(t, i, i - 1))
		api_sampled_alone(h);
	if (how[i].mode != LAUNCH_TIMED || is_alone(h, &t[i].launch) || api_checkpoint_writes(h))
		return i + 1;
	unsigned k = i + 1;
	for (; k < n && waits_for(t, k, k - 1) && !is_alone(h, &t[k].launch); k++) {
		if (!api_sampled_ready(h, api_sampled_stratum(h, &t[k].launch)))
			break;
		how[k] = choose_how(h, &t[k].launch);
		if (how[k].mode != LAUNCH_TIMED)
			return k + 1;
	}
	return k;
}

/* Runs n tasks from t on, each of which waits for the one before, as timing mode would. */
static enum heddle_status run_row(struct heddle *h, struct heddle_task *t, const struct how *how,
				  unsigned n)
{
	struct heddle_task *row = xcalloc(n, sizeof *row);
	unsigned *before = xcalloc(n, sizeof *before);
	for (unsigned k = 0; k < n; k++) {
		before[k] = k ? k - 1 : 0;
		row[k] = (struct heddle_task){
			.launch = t[k].launch, .after = &before[k], .nafter = k > 0};
	}
	enum heddle_status st = run_tasks(h, row, n);
	for (unsigned k = 0; k < n; k++) {
		t[k].status = row[k].status;
		t[k].ran = row[k].ran;
		t[k].stats = row[k].stats;
		t[k].from = row[k].from;
		t[k].to = row[k].to;
		if (t[k].ran)
			api_sampled_add(h, how[k].stratum, t[k].stats, k || how[k].queued);
	}
	free(before);
	free(row);
	return st;
}

/* Runs a list of launches, of which a sample is timed. Neighbours in a stream that are both timed run as
 * in timing mode, the second while the memory system finishes the first. */
static enum heddle_status run_sampled(struct heddle *h, struct heddle_task *t, unsigned n)
{
	enum heddle_status st = HEDDLE_OK;
	struct how *how = xcalloc(n, sizeof *how);
	struct beside none = {0};
	double at = 0;
	for (unsigned i = 0, decided = 0; i < n && !st;) {
		if (i == decided)
			decided = decide_row(h, t, how, i, n);
		how[i].queued = !i; /* else the launch before it has been waited for */
		unsigned end = i + 1;
		while (how[i].mode == LAUNCH_TIMED && end < decided &&
		       how[end].mode == LAUNCH_TIMED)
			end++;
		st = end - i > 1 ? run_row(h, &t[i], &how[i], end - i)
				 : launch_one(h, &t[i], 1, 0, &none, how[i]);
		for (unsigned k = i; k < end; k++) {
			t[k].from += at;
			t[k].to += at;
		}
		at = t[end - 1].to;
		i = end;
	}
	free(how);
	return st;
}

static enum heddle_status launch_all(struct heddle *h, struct heddle_task *t, unsigned n)
{
	h->fault = (struct heddle_fault){0};
	atomic_store(&h->interrupt, false);
	atomic_store(&h->interrupted_at, 0);
	for (unsigned i = 0; i < n; i++)
		t[i].ran = false;
	if (h->sampled && h->chosen.some)
		return run_sampled(h, t, n);
	if (!run_together(h, t, n))
		return one_by_one(h, t, n);
	enum heddle_status st = run_tasks(h, t, n);
	for (unsigned i = 0; i < n && h->sampled; i++)
		if (t[i].ran)
			api_sampled_add(h, choose_how(h, &t[i].launch).stratum, t[i].stats, true);
	return st;
}

enum heddle_status heddle_launch_many(struct heddle *h, struct heddle_task *t, unsigned n)
{
	return api_control_report(h, launch_all(h, t, n));
}

enum heddle_status heddle_launch(struct heddle *h, const struct heddle_launch *hl)
{
	struct heddle_task t = {.launch = *hl};
	return heddle_launch_many(h, &t, 1);
}
