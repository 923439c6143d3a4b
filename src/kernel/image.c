#include "kernel/image.h"

#include "check/check.h"
#include "exec/tma/copy.h"
#include "exec/dispatch.h"
#include "kernel/call.h"
#include "kernel/once.h"
#include "pass/alloc.h"
#include "pass/flatten.h"
#include "pass/pass.h"
#include "pass/regcount.h"
#include "pass/stores.h"

/* ---- functions of the image ---- */

static const struct func *definition(const struct func *f) { return f->def ? f->def : f; }

typedef VEC(const struct func *) func_vec;

static void add_reached(func_vec *v, int32_t *func_of, const struct func *f)
{
	f = definition(f);
	if (f->builtin || !f->defined || func_of[f->index] >= 0)
		return;
	func_of[f->index] = (int32_t)v->n;
	vec_push(v, f);
}

static void reach_all_pointers(func_vec *v, int32_t *func_of, const struct module *m)
{
	for (size_t i = 0; i < m->funcs.n; i++)
		if (m->funcs.v[i]->addr_taken &&
		    !m->funcs.v[i]->entry) /* only functions that are not kernels can be called */
			add_reached(v, func_of, m->funcs.v[i]);
}

static func_vec collect_functions(const struct func *kernel, int32_t *func_of, bool *indirect)
{
	func_vec v = {0};
	add_reached(&v, func_of, kernel);
	for (size_t i = 0; i < v.n; i++) {
		const struct func *f = v.v[i];
		for (size_t k = 0; k < f->calls.n; k++) {
			const struct call *c = &f->calls.v[k];
			if (c->func) {
				add_reached(&v, func_of, c->func);
			} else {
				*indirect = true;
				reach_all_pointers(&v, func_of, f->module);
				for (uint32_t t = 0; t < c->ntarget; t++)
					add_reached(&v, func_of, c->target[t]);
			}
		}
	}
	return v;
}

/* ---- shared memory: only what the kernel can reach, in the module's order ---- */

static void mark_shared(const struct func *f, uint8_t *used)
{
	for (size_t i = 0; i < f->code.n; i++) {
		const struct inst *in = &f->code.v[i];
		for (unsigned k = 0; k < in->nd + in->ns; k++) {
			const struct opnd *o = &in->opnd[k];
			if ((o->kind != OPND_MEM && o->kind != OPND_SYM) || !o->sym)
				continue;
			const struct var *v = o->sym;
			v = v->def ? v->def : v;
			if (v->space == SP_SHARED)
				used[v->index] = 1;
		}
	}
}

static uint32_t round_up(uint32_t n, uint32_t unit) { return (n + unit - 1) & ~(unit - 1); }

static void layout_shared(struct lower *l, const func_vec *funcs)
{
	const struct module *m = l->img->kernel->module;
	uint8_t *used = xcalloc(m->vars.n, 1);
	uint32_t base = m->target >= 90 && !l->img->kernel->native ? RESERVED_SMEM : 0;
	uint32_t size = base, plain = base, dyn_align = 16; /* plain: size without gaps */
	for (size_t i = 0; i < funcs->n; i++)
		mark_shared(funcs->v[i], used);
	l->shared_at = ARENA_ARRAY(&l->img->arena, uint32_t, m->vars.n ? m->vars.n : 1);
	l->img->shared_var = ARENA_ARRAY(&l->img->arena, struct shared_var, m->vars.n + 1);
	for (size_t i = 0; i < m->vars.n; i++) {
		const struct var *v = m->vars.v[i];
		uint32_t align = v->align ? v->align : 1;
		if (!used[i])
			continue;
		if (v->unsized) {
			dyn_align = align > dyn_align ? align : dyn_align;
			continue;
		}
		size = round_up(size, align);
		l->shared_at[i] = size;
		size += (uint32_t)v->size;
		plain = round_up(plain, align) + (uint32_t)v->size;
		if (!l->img->kernel->native && (l->opts->check_race || l->opts->check_init)) {
			l->img->shared_var[l->img->nshared++] =
				(struct shared_var){l->shared_at[i], (uint32_t)v->size, v->name};
			size += VAR_GAP;
		}
	}
	uint32_t dyn = round_up(size, dyn_align);
	for (size_t i = 0; i < m->vars.n; i++)
		if (used[i] && m->vars.v[i]->unsized) {
			l->shared_at[i] = dyn;
			l->img->dyn_align = dyn_align;
		}
	l->img->shared_bytes = l->img->dyn_align ? dyn : size;
	l->img->shared_base = base;
	l->img->shared_gaps =
		l->img->shared_bytes - (l->img->dyn_align ? round_up(plain, dyn_align) : plain);
	free(used);
}

static bool has_barriers(const struct image *img)
{
	for (uint32_t pc = 0; pc < img->ncode; pc++)
		if (uop_is(&img->code[pc], OF_BARRIER))
			return true;
	return false;
}

/* True if the code reads where the system's shared memory is. */
static bool reads_reserved(const struct image *img)
{
	for (uint32_t pc = 0; pc < img->ncode; pc++) {
		const struct inst *in = img->code[pc].in;
		if (!in || !in->ns || inst_src(in, 0)->kind != OPND_SREG)
			continue;
		unsigned reg = inst_src(in, 0)->reg;
		if (reg >= SREG_RESERVED_SMEM_BEGIN && reg <= SREG_RESERVED_SMEM_1)
			return true;
	}
	return false;
}

/* ---- frames: the deepest chain of calls ---- */

enum { UNSEEN, OPEN, DONE };
struct depth {
	uint32_t rows, preds, local;
	uint8_t state;
};

static void measure_depth(struct image *img, struct depth *at, uint32_t i)
{
	struct image_func *f = &img->funcs[i];
	struct depth below = {0};
	at[i].state = OPEN;
	for (size_t k = 0; k < f->f->calls.n; k++) {
		const struct call *c = &f->f->calls.v[k];
		int32_t to = c->func ? img->func_of[definition(c->func)->index] : -1;
		if (!c->func) {
			img->recursive = true; /* an unknown callee makes the call depth unknown */
			continue;
		}
		if (to < 0) { /* a builtin has a small frame */
			below.local = below.local > 64 ? below.local : 64;
			continue;
		}
		if (at[to].state == OPEN) {
			img->recursive = true;
			continue;
		}
		if (at[to].state == UNSEEN)
			measure_depth(img, at, (uint32_t)to);
		below.rows = at[to].rows > below.rows ? at[to].rows : below.rows;
		below.preds = at[to].preds > below.preds ? at[to].preds : below.preds;
		below.local = at[to].local > below.local ? at[to].local : below.local;
	}
	at[i] = (struct depth){f->nrows + below.rows, f->npreds + below.preds,
			       f->frame_bytes + below.local, DONE};
}

static void measure_frames(struct image *img)
{
	struct depth *at = xcalloc(img->nfuncs, sizeof *at);
	measure_depth(img, at, 0);
	img->rows_max = at[0].rows;
	img->preds_max = at[0].preds;
	img->local_max = at[0].local;
	free(at);
}

/* ---- ordered operations (docs/machine/determinism.md) ---- */

static bool is_global(const struct inst *in)
{
	return in->space == SP_GLOBAL || in->space == SP_GENERIC || in->space == SP_NONE;
}

static bool has_result(const struct uop *u, const struct pass_info *p, uint32_t index)
{
	for (unsigned k = 0; k < u->in->nd; k++) {
		const struct opnd *o = inst_dst(u->in, k);
		if (u->in->native)
			return true;
		if (o->kind == OPND_REG && live_at(&p->live, o->reg, 2 * index + 2))
			return true;
	}
	return false;
}

/* True for a reduction in global memory by a copy engine. */
static bool is_bulk_reduction(const struct inst *in)
{
	return (inst_is(in, OF_BULK) && in->bulk == CPB_REDUCE && in->space == SP_GLOBAL) ||
	       (inst_is(in, OF_TENSOR) && in->tensor == TENSOR_REDUCE);
}

/* Marks instructions that communicate between blocks. Commutative reductions are marked by order_the_rest(),
 * if the kernel reads atomics' results. */
static void mark_ordered(struct image *img, const struct image_func *f, const struct pass_info *p)
{
	for (uint32_t pc = f->start; pc < f->end; pc++) {
		struct uop *u = &img->code[pc];
		const struct inst *in = u->in;
		bool strong = inst_is_strong(in);
		bool atomic = inst_is_atomic(in);
		if (atomic ||
		    (inst_is(in, OF_LOAD) && (strong || (img->converges && in->cop == COP_CG))))
			u->flags |= UOP_POLL;
		if (inst_is(in, OF_CALL) && u->call->builtin)
			u->flags |= UOP_ORDERED;
		if (inst_is(in, OF_FENCE) && in->scope != SCOPE_CTA)
			u->flags |= UOP_ORDERED;
		if (is_bulk_reduction(in))
			u->flags |= UOP_ORDERED;
		else if (!is_global(in))
			continue;
		if (inst_is(in, OF_LOAD | OF_STORE) && strong)
			u->flags |= UOP_ORDERED;
		if ((atomic &&
		     !(exec_ops()->atom_commutes(in) && !has_result(u, p, pc - f->start))) ||
		    (inst_is(in, OF_ATOMIC) && !atomic)) /* an atomic on a surface */
			u->flags |= UOP_ORDERED;
		img->ordered |= (u->flags & UOP_ORDERED) != 0 && !inst_is(in, OF_FENCE);
	}
}

/* A kernel that reads results of atomics can observe reductions too: then all are ordered, and
 * loads past the L1 cache may be polls. In a kernel with fences these loads alone have that effect. */
static void order_the_rest(struct image *img)
{
	bool loads = false, fences = false;
	for (uint32_t pc = 0; pc < img->ncode; pc++) {
		const struct inst *in = img->code[pc].in;
		loads |= inst_passes_l1(in);
		fences |= inst_is(in, OF_FENCE) && in->scope != SCOPE_CTA;
	}
	img->ordered |= loads && fences;
	for (uint32_t pc = 0; pc < img->ncode && img->ordered; pc++) {
		struct uop *u = &img->code[pc];
		if (inst_passes_l1(u->in))
			u->flags |= UOP_ORDERED | UOP_POLL;
		if (inst_is_atomic(u->in) && is_global(u->in))
			u->flags |= UOP_ORDERED;
	}
}

/* ---- all together ---- */

static bool has_alloca(const func_vec *funcs)
{
	for (size_t i = 0; i < funcs->n; i++)
		for (size_t k = 0; k < funcs->v[i]->code.n; k++)
			if (inst_is(&funcs->v[i]->code.v[k], OF_GROWS))
				return true;
	return false;
}

/* --check: puts gaps between .local variables. Spilled registers have offsets already, which stay. */
static void layout_locals(struct image *img, struct image_func *f, const struct image_opts *o)
{
	const struct func *g = f->f;
	if ((!o->check_race && !o->check_init) || o->allocate || g->native)
		return;
	f->local = ARENA_ARRAY(&img->arena, struct local_var, g->vars.n + 1);
	for (size_t i = 0; i < g->vars.n; i++) {
		const struct var *v = g->vars.v[i];
		if (v->space != SP_LOCAL)
			continue;
		f->local[f->nlocal] = (struct local_var){(uint32_t)v->addr + f->nlocal * VAR_GAP,
							 (uint32_t)v->size, v->name};
		f->nlocal++;
	}
	f->frame_bytes += f->nlocal * VAR_GAP;
	f->used = ARENA_ARRAY(&img->arena, uint8_t, g->regs.n + 1);
	for (size_t i = 0; i < g->code.n; i++)
		frames_mark_used(&g->code.v[i], f->used);
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < g->code.n; i++)
			more |= escapes_mark(&g->code.v[i], f->used);
	}
}

static void add_code(struct image *img, const func_vec *funcs, const struct image_opts *o)
{
	img->stores = o->check_race && funcs->n == 1 ? stores_find(funcs->v[0]) : STORES_ANYWHERE;
	img->has_alloca = has_alloca(funcs);
	img->recursive = img->has_alloca; /* local memory of unknown size */
	img->nfuncs = (uint32_t)funcs->n;
	img->funcs = ARENA_ARRAY(&img->arena, struct image_func, funcs->n);
	for (size_t i = 0; i < funcs->n; i++) {
		struct image_func *f = &img->funcs[i];
		*f = (struct image_func){.f = funcs->v[i], .start = img->ncode};
		f->end = f->start + (uint32_t)funcs->v[i]->code.n;
		f->frame_bytes =
			((funcs->v[i]->frame_bytes + 15u) & ~15u) + (img->has_alloca ? 16 : 0);
		layout_locals(img, f, o);
		img->ncode = f->end;
	}
	size_t bytes = (img->ncode + 1) * sizeof *img->code;
	img->code = aligned_alloc(64, bytes);
	memset(img->code, 0, bytes);
}

static void make_const_rows(struct lower *l)
{
	struct image *img = l->img;
	img->nshared_rows = (uint32_t)l->shared_rows.n;
	img->shared_rows = ARENA_ARRAY(&img->arena, uint32_t, l->shared_rows.n + 1);
	if (l->shared_rows.n)
		memcpy(img->shared_rows, l->shared_rows.v,
		       l->shared_rows.n * sizeof *img->shared_rows);
	img->ncrows = (uint32_t)l->const_value.n;
	img->crows = aligned_alloc(ROW, (size_t)(img->ncrows + 2) * ROW);
	for (uint32_t r = 0; r < img->ncrows; r++) {
		uint32_t *row = (uint32_t *)(img->crows + (size_t)r * ROW);
		for (int i = 0; i < LANES; i++)
			row[i] = (uint32_t)l->const_value.v[r];
	}
	img->nparams = (uint32_t)l->params.n;
	img->params = ARENA_ARRAY(&img->arena, struct param_row, l->params.n + 1);
	if (l->params.n)
		memcpy(img->params, l->params.v, l->params.n * sizeof *img->params);
}

/* by_value: marks any instruction that is vector because of its operands, results or position in
 * the code, but not one that is vector by its kind. */
static enum scalar_mark mark_of(enum scalar_why why, bool by_value)
{
	if (!by_value)
		return why == VEC_NOT ? SCALAR_BY_FACT : SCALAR_NEVER;
	return why == VEC_NOT || why == VEC_READS || why == VEC_WRITES || why == VEC_DIVERGENT
		       ? SCALAR_BY_VALUE
		       : SCALAR_NEVER;
}

/* Classifies the instructions of f that a warp executes once. */
static void classify_once(struct lower *l, const struct image_func *f, const struct pass_info *p,
			  struct arena *scratch)
{
	struct image *img = l->img;
	enum scalar_rule rule = l->opts->by_value ? SCALAR_KINDS
				: l->opts->scalar ? l->opts->scalar
						  : SCALAR_ALL;
	struct scalar s;
	if (!l->opts->scalar && !l->opts->check_scalar && !l->opts->by_value)
		return;
	if (!img->scalar)
		img->scalar = ARENA_ARRAY(&img->arena, uint8_t, img->ncode + 1);
	const uint8_t *why = l->alloc ? l->alloc[f - img->funcs].why : NULL;
	if (!why) {
		scalar_find(&s, scratch, f->f, p->cfg, &p->pdom, &p->live, rule);
		why = s.why;
	}
	for (uint32_t pc = f->start; pc < f->end; pc++)
		img->scalar[pc] = mark_of(why[pc - f->start], l->opts->by_value);
	if (l->opts->check_scalar || l->opts->allocate || l->opts->own_rows)
		once_wrap(img, f, l->opts);
}

/* True if lanes may hold arbitrary values in registers they have not written. Not in timing mode or
 * with scalarization, which read whole rows, nor with checks, which read lanes one by one. */
static bool lanes_are_free(const struct image_opts *o)
{
	return o->functional && !o->scalar && !o->check_scalar && !o->check_race && !o->check_init;
}

static bool build_func(struct lower *l, struct image_func *f)
{
	struct arena scratch = {0};
	struct pass_info p;
	/* The flow of native code is not in its edges: no liveness, no sharing. */
	struct pass_opts o = {.share_rows = !l->opts->own_rows && !l->opts->debug &&
					    !l->img->native && !l->img->converges && !l->alloc};
	l->fix_rows = o.share_rows && lanes_are_free(l->opts);
	/* Frames of several functions overlap: brief rows of one may be ordinary rows of another. */
	o.brief_rows = l->fix_rows && l->img->nfuncs == 1;
	bool ok = pass_run((struct func *)(uintptr_t)f->f, &scratch, &o, &p, l->d);
	if (ok && l->alloc)
		p.rows = l->alloc[f - l->img->funcs].rows;
	if (ok) {
		f->nrows = p.rows.nrows;
		f->npreds = p.rows.npreds;
		f->nzero = p.rows.nzero_row;
		f->zero = ARENA_ARRAY(&l->img->arena, uint32_t, f->nzero + 1);
		memcpy(f->zero, p.rows.zero_row, f->nzero * sizeof *f->zero);
		if (l->opts->debug) {
			size_t bytes = f->f->regs.n * sizeof *f->row_of;
			f->row_of = ARENA_ARRAY(&l->img->arena, int32_t, f->f->regs.n + 1);
			memcpy(f->row_of, p.rows.row, bytes);
		}
		ok = lower_func(l, f, &p);
	}
	if (ok) {
		mark_ordered(l->img, f, &p);
		classify_once(l, f, &p, &scratch);
	}
	arena_free(&scratch);
	return ok;
}

/* Allocates registers for the functions, some of which get spill code. */
static void allocate_registers(struct lower *l, func_vec *funcs)
{
	struct image *img = l->img;
	struct allocation *r = ARENA_ARRAY(&img->arena, struct allocation, funcs->n);
	for (size_t i = 0; i < funcs->n; i++) {
		const struct func *f = funcs->v[i];
		uint32_t limit = regs_named(f) - REGS_ABI, own = l->opts->max_regs;
		own = img->kernel->maxnreg && (!own || img->kernel->maxnreg < own)
			      ? img->kernel->maxnreg
			      : own;
		limit = own > REGS_ABI && own - REGS_ABI < limit ? own - REGS_ABI : limit;
		alloc_run(&r[i], &img->arena, f,
			  &(struct alloc_opts){.scalar = l->opts->scalar,
					       .limit = limit,
					       .preds = l->opts->max_preds});
		funcs->v[i] = r[i].f;
		img->vector_regs = r[i].vector > img->vector_regs ? r[i].vector : img->vector_regs;
		img->scalar_regs =
			r[i].scalars > img->scalar_regs ? r[i].scalars : img->scalar_regs;
		img->spill_bytes += r[i].spill_bytes;
	}
	img->vector_regs += REGS_ABI;
	img->kernel = funcs->v[0];
	l->alloc = r;
}

/* Finds the instructions of the async proxy in the kernel, for the checks. */
static void find_proxies(struct image *img)
{
	for (uint32_t f = 0; f < img->nfuncs; f++)
		for (size_t i = 0; i < img->funcs[f].f->code.n; i++) {
			const struct inst *in = &img->funcs[f].f->code.v[i];
			img->products |= inst_is(in, OF_PRODUCT);
			img->proxies |= inst_is(in, OF_PRODUCT | OF_BULK | OF_TENSOR);
		}
}

/* Marks the instructions at which a debugger may stop; in machine code, the first uop of each
 * native instruction. */
static void mark_shown(struct image *img)
{
	for (uint32_t pc = 0; pc < img->ncode; pc++) {
		const struct inst *in = img->code[pc].in,
				  *before = pc ? img->code[pc - 1].in : NULL;
		bool begins = !in->native ||
			      (*in->native && !(before && before->native && *before->native &&
						before->native_pc == in->native_pc));
		if (begins)
			img->code[pc].flags |= UOP_SHOWN;
	}
}

static void do_nothing(struct warp *w, const struct uop *u) { (void)w, (void)u; }

/* Instructions of a recorded path take time, but have no effect except control flow, because a
 * trace has no data. */
static void drop_effects(struct image *img)
{
	for (uint32_t pc = 0; pc < img->ncode; pc++) {
		struct uop *u = &img->code[pc];
		u->flags &= UOP_CTL;
		u->full = u->part = do_nothing;
	}
}

struct image *image_build(const struct func *kernel, const struct image_opts *o, struct diag *d)
{
	struct image *img = xcalloc(1, sizeof *img);
	struct module *m = kernel->module;
	bool indirect = false, ok = true,
	     flat = kernel->native && !kernel->native->converges && o->native_pdom;
	if (flat)
		kernel = native_flatten(kernel, &img->arena, d);
	if (!kernel) {
		image_free(img);
		return NULL;
	}
	img->kernel = kernel;
	img->nwindows = 1; /* window 0 is reserved for builtins */
	img->legacy_barrier = m->target < 70;
	img->converges = kernel->native && kernel->native->converges;
	img->native = kernel->native && !flat && !img->converges;
	img->func_of = xmalloc((m->funcs.n + 1) * sizeof *img->func_of);
	for (size_t i = 0; i < m->funcs.n; i++)
		img->func_of[i] = -1;
	func_vec funcs = collect_functions(kernel, img->func_of, &indirect);
	struct lower l = {.img = img, .opts = o, .d = d};
	if (o->allocate && !kernel->native)
		allocate_registers(&l, &funcs);
	add_code(img, &funcs, o);
	layout_shared(&l, &funcs);
	if (o->check_race)
		find_proxies(img);
	for (uint32_t i = 0; i < img->nfuncs && ok; i++)
		ok = build_func(&l, &img->funcs[i]);
	if (ok && kernel->replay)
		drop_effects(img);
	if (ok) {
		order_the_rest(img);
		if (!img->native && !img->converges)
			image_mark_gives_way(img);
		else if (img->native)
			image_mark_lock_loops(img, o->check_race || o->check_init || o->debug);
		if (o->debug)
			mark_shown(img);
		if (o->check_race)
			image_find_constants(img);
		measure_frames(img);
		img->barriers = has_barriers(img);
		img->reserved_smem = reads_reserved(img);
		make_const_rows(&l);
		img->registers =
			kernel->native ? kernel->native->registers : regs_per_thread(kernel, false);
		img->scheduled =
			kernel->native ? kernel->native->registers : regs_per_thread(kernel, true);
	}
	vec_free(&funcs);
	vec_free(&l.const_value);
	vec_free(&l.params);
	vec_free(&l.shared_rows);
	map_free(&l.consts);
	if (ok)
		return img;
	image_free(img);
	return NULL;
}

void image_free(struct image *img)
{
	if (!img)
		return;
	free(img->code);
	free(img->crows);
	free(img->func_of);
	arena_free(&img->arena);
	free(img);
}
