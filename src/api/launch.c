/* One launch, in functional or in timing mode. */
#include "api/api.h"

#include <stdio.h>
#include <time.h>
#include "func/cta.h"
#include "func/grid.h"
#include "gpu/gpu.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static enum heddle_status check_shape(struct heddle *h, const struct heddle_launch *l)
{
	const struct func *f = l->kernel->f;
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	for (int i = 0; i < 3; i++) {
		if (!l->grid[i] || !l->block[i])
			return api_fail(h, HEDDLE_INVALID, "%s: grid %u,%u,%u and block %u,%u,%u must be at least 1 in each direction",
					f->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
		if (f->reqntid[0] && l->block[i] != (f->reqntid[i] ? f->reqntid[i] : 1))
			return api_fail(h, HEDDLE_INVALID, "%s requires blocks of %u,%u,%u threads (.reqntid)", f->name,
					f->reqntid[0], f->reqntid[1] ? f->reqntid[1] : 1, f->reqntid[2] ? f->reqntid[2] : 1);
	}
	if (threads > 1024 || l->block[0] > 1024 || l->block[1] > 1024 || l->block[2] > 64)
		return api_fail(h, HEDDLE_INVALID, "%s: a block has at most 1024 threads (1024,1024,64), not %u,%u,%u", f->name,
				l->block[0], l->block[1], l->block[2]);
	if (l->grid[0] > 0x7fffffff || l->grid[1] > 65535 || l->grid[2] > 65535)
		return api_fail(h, HEDDLE_INVALID, "%s: a grid has at most 2147483647,65535,65535 blocks", f->name);
	if (f->param_bytes && !l->params)
		return api_fail(h, HEDDLE_INVALID, "%s has %u bytes of parameters, none are given", f->name, f->param_bytes);
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

static bool calls_malloc(const struct image *img)
{
	for (uint32_t i = 0; i < img->nfuncs; i++)
		for (size_t k = 0; k < img->funcs[i].f->calls.n; k++) {
			const struct func *f = img->funcs[i].f->calls.v[k].func;
			f = f && f->def ? f->def : f;
			if (f && f->builtin == BI_MALLOC)
				return true;
		}
	return false;
}

static void prepare(struct heddle *h, const struct heddle_launch *hl, const struct image *img, struct launch *l)
{
	*l = (struct launch){.img = img, .warp_size = LANES, .parts = 1, .mem = &h->mem, .tex = h->tex, .heap = &h->heap,
			     .grid_id = ++h->grid_id, .cooperative = hl->cooperative, .check = !h->opt.no_check,
			     .check_race = h->opt.check_race, .check_init = h->opt.check_init,
			     .output = h->opt.output, .output_arg = h->opt.arg, .nsm = h->nsm};
	l->trace = h->trace;
	l->trace_arg = h->trace_arg;
	l->while_masks = h->while_masks;
	memcpy(l->grid, hl->grid, sizeof l->grid);
	memcpy(l->block, hl->block, sizeof l->block);
	l->nthreads = hl->block[0] * hl->block[1] * hl->block[2];
	if (h->gpu) {
		l->warp_size = h->machine->warp_size;
		l->parts = l->warp_size > LANES ? 2 : 1;
	}
	l->nwarps = (l->nthreads + l->warp_size - 1) / l->warp_size * l->parts;
	l->nblocks = (uint64_t)hl->grid[0] * hl->grid[1] * hl->grid[2];
	l->dyn_shared = hl->shared_bytes;
	l->shared_bytes = img->shared_bytes + hl->shared_bytes;
	l->frame_rows = img->rows_max + (img->recursive ? 16384 : 0);
	l->frame_preds = img->preds_max + (img->recursive ? 4096 : 0);
	l->stack_bytes = img->local_max + (img->recursive ? h->stack_extra : 0);
}

/* Two zeroed words of global memory that belong to the launch; their address is in %envreg1 (high half)
 * and %envreg2. */
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

static struct prof *counts(const struct image *img, const struct grid_result *r)
{
	struct prof *p = xcalloc(img->ncode + 1, sizeof *p);
	for (uint32_t pc = 0; pc < img->ncode; pc++)
		p[pc] = (struct prof){.issued = r->issued[pc], .lanes = r->lanes[pc], .divergent = r->divergent[pc]};
	return p;
}

static enum heddle_status run_functional(struct heddle *h, const struct heddle_launch *hl, struct launch *l)
{
	const struct image *img = l->img;
	enum heddle_status st = HEDDLE_OK;
	struct grid_opts o = {.threads = h->opt.threads, .max_instructions = h->opt.max_instructions,
			      .interrupt = &h->interrupt, .progress = h->opt.progress, .arg = h->opt.arg};
	struct grid_result r;
	double t0 = now();
	grid_run(l, &o, &r);
	struct prof *prof = counts(img, &r);
	api_record(h, hl, img, prof, now() - t0, NULL);
	free(prof);
	if (r.stop == STOP_FAULT) {
		api_report_fault(h, l, &r.fault);
		st = HEDDLE_FAULT;
	} else if (r.interrupted) {
		st = api_fail(h, HEDDLE_INTERRUPTED, "%s: interrupted", img->kernel->name);
	} else if (r.no_memory) {
		st = api_fail(h, HEDDLE_NO_MEMORY, "%s: the host has no memory for a block's %zu bytes", img->kernel->name,
			      cta_bytes(l));
	} else if (r.stop == STOP_LIMIT) {
		st = api_fail(h, HEDDLE_LIMIT, "%s: more than %llu warp instructions (--max-instructions)", img->kernel->name,
			      (unsigned long long)h->opt.max_instructions);
	}
	free(r.issued);
	free(r.lanes);
	free(r.divergent);
	return st;
}

static enum heddle_status timing_status(struct heddle *h, const struct launch *l, const struct gpu_result *r)
{
	const char *name = l->img->kernel->name;
	if (r->stop == STOP_FAULT) {
		api_report_fault(h, l, &r->fault);
		return HEDDLE_FAULT;
	}
	if (r->interrupted)
		return api_fail(h, HEDDLE_INTERRUPTED, "%s: interrupted after %llu cycles", name, (unsigned long long)r->cycles);
	if (r->no_memory)
		return api_fail(h, HEDDLE_NO_MEMORY, "%s: the host has no memory for a block's %zu bytes", name, cta_bytes(l));
	if (r->lost)
		return api_fail(h, HEDDLE_UNSUPPORTED, "%s: the simulator lost a memory request:\n%s", name, r->why);
	if (r->stuck)
		return api_fail(h, HEDDLE_LIMIT, "%s: nothing can go on after %llu cycles\n%s", name,
				(unsigned long long)r->cycles, r->why ? r->why : "");
	if (r->over_cycles)
		return api_fail(h, HEDDLE_LIMIT, "%s: more than %llu cycles (--max-cycles)", name,
				(unsigned long long)h->opt.max_cycles);
	if (r->stop == STOP_LIMIT && !r->why)
		return api_fail(h, HEDDLE_LIMIT, "%s: more than %llu warp instructions (--max-instructions)", name,
				(unsigned long long)h->opt.max_instructions);
	return r->why ? api_fail(h, HEDDLE_INVALID, "%s: %s", name, r->why) : HEDDLE_OK;
}

static enum heddle_status run_timing(struct heddle *h, const struct heddle_launch *hl, struct launch *l)
{
	struct gpu_opts o = {.threads = h->opt.threads, .max_cycles = h->opt.max_cycles,
			     .max_instructions = h->opt.max_instructions, .interrupt = &h->interrupt,
			     .profile = h->opt.profile, .progress = h->opt.progress, .arg = h->opt.arg,
			     .record = api_record_new(h), .sampler = h->sampler, .tracer = h->tracer};
	struct gpu_result r;
	double t0 = now();
	gpu_run(h->gpu, l, &o, &r);
	if (r.prof) {
		api_record(h, hl, l->img, r.prof, now() - t0, &r);
		if (o.record)
			h->launches.v[h->launches.n - 1].issues = api_record_json(o.record, h->machine, l->img);
	} else {
		free(o.record);
	}
	enum heddle_status st = timing_status(h, l, &r);
	gpu_result_free(&r);
	return st;
}

/* What the host wrote to a constant since, in the banks of native code. */
static void copy_constants(struct heddle *h, const struct heddle_module *m)
{
	for (size_t i = 0; i < m->copies.n; i++) {
		const struct const_copy *c = &m->copies.v[i];
		struct alloc *a = devmem_find(&h->mem, c->from), *b = devmem_find(&h->mem, c->to);
		if (a && b)
			memmove(b->host + (c->to - b->lo), a->host + (c->from - a->lo), c->size);
	}
}

enum heddle_status heddle_launch(struct heddle *h, const struct heddle_launch *hl)
{
	enum heddle_status st = check_shape(h, hl);
	struct image *img = st ? NULL : api_image(h, hl->kernel);
	h->fault = (struct heddle_fault){0};
	if (!img)
		return st ? st : HEDDLE_BAD_INPUT;
	struct launch l;
	copy_constants(h, hl->kernel->m);
	prepare(h, hl, img, &l);
	if (l.shared_bytes > 228 << 10)
		return api_fail(h, HEDDLE_INVALID, "%s: %u bytes of shared memory a block, of which there are at most %u",
				img->kernel->name, l.shared_bytes, 228 << 10);
	if (calls_malloc(img) && !heap_reserve(&h->heap, &h->mem, h->heap_bytes))
		return api_fail(h, HEDDLE_NO_MEMORY, "no room for the heap of device malloc");
	if (hl->cooperative && !grid_barrier(h, &l))
		return api_fail(h, HEDDLE_NO_MEMORY, "no room for the grid barrier");
	uint32_t pbytes = img->kernel->param_bytes;
	uint8_t *params = xcalloc(1, pbytes + 16);
	if (pbytes)
		memcpy(params, hl->params, pbytes);
	l.param = (struct window){0, pbytes, params};
	l.crows = aligned_alloc(ROW, (size_t)(img->ncrows + 2) * ROW);
	fill_params(&l, img);
	atomic_store(&h->interrupt, false);
	size_t before = h->launches.n;
	st = h->gpu ? run_timing(h, hl, &l) : run_functional(h, hl, &l);
	if (h->launches.n > before)
		h->launches.v[before].s.status = st;
	free(l.crows);
	free(params);
	return st;
}

void api_report_fault(struct heddle *h, const struct launch *l, const struct fault *f)
{
	const struct uop *u = &l->img->code[f->pc < l->img->ncode ? f->pc : 0];
	const struct inst *in = u->in;
	const struct module *m = l->img->kernel->module;
	struct heddle_fault *o = &h->fault;
	*o = (struct heddle_fault){.kind = f->kind, .line = in->line, .address = f->addr};
	snprintf(o->kernel, sizeof o->kernel, "%s", l->img->kernel->name);
	uint32_t t = wstate_thread(l, f->warp) + f->lane;
	o->thread[0] = t % l->block[0];
	o->thread[1] = t / l->block[0] % l->block[1];
	o->thread[2] = t / (l->block[0] * l->block[1]);
	o->block[0] = (uint32_t)(f->block % l->grid[0]);
	o->block[1] = (uint32_t)(f->block / l->grid[0] % l->grid[1]);
	o->block[2] = (uint32_t)(f->block / ((uint64_t)l->grid[0] * l->grid[1]));
	if (in->src_file && in->src_file <= m->files.n)
		snprintf(o->source, sizeof o->source, "%s:%u", m->files.v[in->src_file - 1], in->src_line);
	const char *file = l->img->kernel->text_name;
	for (uint32_t i = 0; i < l->img->nfuncs; i++)
		if (f->pc >= l->img->funcs[i].start && f->pc < l->img->funcs[i].end)
			file = l->img->funcs[i].f->text_name;
	if (in->native) {
		o->line = 0;
		api_fail(h, HEDDLE_FAULT, "%s: kernel %s, block (%u,%u,%u), thread (%u,%u,%u): %s\n  at 0x%x: %s", file ? file : "?", o->kernel,
			 o->block[0], o->block[1], o->block[2], o->thread[0], o->thread[1], o->thread[2], f->text, in->native_pc, in->native);
		return;
	}
	api_fail(h, HEDDLE_FAULT, "%s:%u: kernel %s, block (%u,%u,%u), thread (%u,%u,%u): %s\n  at %s%s%s%s",
		 file ? file : "?", in->line, o->kernel, o->block[0], o->block[1], o->block[2], o->thread[0], o->thread[1],
		 o->thread[2], f->text, in->text ? in->text : op_info[in->op].name, o->source[0] ? " (" : "", o->source,
		 o->source[0] ? ")" : "");
}
