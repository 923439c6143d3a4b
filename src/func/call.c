/* Calls. A callee's frame (registers, predicates, local memory) starts where the caller's ends; its
 * results and parameters are the first bytes of its local frame, so a caller needs to know nothing
 * else about it. Arguments are copied there for the calling lanes, results back when they return. */
#include "func/run.h"

#include "exec/lanes.h"
#include "func/simt.h"

static uint32_t *frame_row(const struct warp *w, uint32_t byte)
{
	return (uint32_t *)(w->local + (size_t)(byte / 4) * ROW);
}

/* Sub-word parameters share words: a copy moves whole words, which is what their layout allows. */
static void copy_in(const struct warp *w, const struct call_copy *c, uint32_t frame, uint32_t m)
{
	for (uint32_t k = 0; k < c->words; k++) {
		uint32_t t[LANES];
		memcpy(t, row_u32(w, c->from + (int32_t)k * ROW), ROW);
		row_blend(frame_row(w, frame + c->at + k * 4), t, m);
	}
}

/* The function a lane's pointer names: pointers are function numbers times 16 plus a tag. */
const struct image_func *call_target(struct wstate *ws, const struct uop *u, uint32_t lane)
{
	const struct call_uop *c = (const struct call_uop *)(uintptr_t)u->imm;
	if (c->callee)
		return c->callee;
	const struct image *img = ws->w.cta->l->img;
	const uint32_t *p = row_u32(&ws->w, c->target);
	uint64_t a = c->target64 ? pair_get(p, (int)lane) : p[lane];
	uint64_t index = (a - FUNC_BASE) / FUNC_STEP;
	uint32_t nfuncs = (uint32_t)img->kernel->module->funcs.n;
	if (a < FUNC_BASE || (a - FUNC_BASE) % FUNC_STEP || index >= nfuncs ||
	    img->func_of[index] < 0) {
		exec_fault(&ws->w, u, lane, HEDDLE_FAULT_BAD_CALL, a, 0,
			   "indirect call to 0x%llx, which is not a function",
			   (unsigned long long)a);
		return NULL;
	}
	return &img->funcs[img->func_of[index]];
}

/* ---- alloca: what a function took is given back when it returns ---- */

enum { SAVE_BYTES = 16 }; /* at the end of a caller's frame, see image.c */

static void dyn_save(struct wstate *ws, uint32_t frame_end, uint32_t m)
{
	if (ws->w.cta->l->img->has_alloca)
		row_blend(frame_row(&ws->w, frame_end - SAVE_BYTES), ws->dyn, m);
}

static void dyn_restore(struct wstate *ws, uint32_t frame_end, uint32_t m)
{
	if (ws->w.cta->l->img->has_alloca)
		row_blend(ws->dyn, frame_row(&ws->w, frame_end - SAVE_BYTES), m);
}

/* Bytes of local memory that frames of lanes m may use. */
static uint32_t stack_room(const struct wstate *ws, uint32_t m)
{
	uint32_t dyn = 0;
	for (; m && ws->w.cta->l->img->has_alloca; m &= m - 1) {
		uint32_t d = ws->dyn[__builtin_ctz(m)];
		dyn = d > dyn ? d : dyn;
	}
	return ws->w.cta->l->stack_bytes - dyn;
}

bool call_frame(struct wstate *ws, const struct uop *u, const struct image_func *f, struct frame *s,
		uint32_t m)
{
	const struct call_uop *c = (const struct call_uop *)(uintptr_t)u->imm;
	struct launch *l = ws->w.cta->l;
	s->rows += c->rows;
	s->preds += c->preds;
	s->lbase += c->lbase;
	s->depth++;
	if (s->rows + f->nrows > l->frame_rows || s->preds + f->npreds > l->frame_preds ||
	    s->lbase + f->frame_bytes > stack_room(ws, m)) {
		exec_fault(&ws->w, u, (unsigned)__builtin_ctz(m), HEDDLE_FAULT_STACK, 0, 0,
			   "stack overflow: %u calls deep in %s", s->depth, f->f->name);
		return false;
	}
	if (s->lbase + f->frame_bytes > ws->local_used)
		ws->local_used = s->lbase + f->frame_bytes;
	dyn_save(ws, s->lbase, m);
	for (uint32_t k = 0; k < c->narg; k++)
		copy_in(&ws->w, &c->arg[k], s->lbase, m);
	static const uint32_t zero[LANES];
	for (uint32_t k = 0; k < f->nzero; k++)
		row_blend((uint32_t *)(ws->rows + (size_t)(s->rows + f->zero[k]) * ROW), zero, m);
	for (uint32_t k = 0; k < f->npreds; k++)
		ws->preds[s->preds + k] &= ~m;
	return true;
}

static bool enter(struct wstate *ws, const struct uop *u, const struct image_func *f, uint32_t m)
{
	struct split s = *simt_top(ws);
	struct frame fr = {s.rows, s.preds, s.lbase, s.depth};
	if (!call_frame(ws, u, f, &fr, m))
		return false;
	s.rows = fr.rows;
	s.preds = fr.preds;
	s.lbase = fr.lbase;
	s.depth = fr.depth;
	s.mask = m;
	s.pc = f->start;
	s.rpc = NO_PC;
	simt_push(ws, s);
	return true;
}

void call_results(struct wstate *ws, const struct uop *u, const struct frame *caller,
		  uint32_t frame, uint32_t m)
{
	const struct call_uop *c = (const struct call_uop *)(uintptr_t)u->imm;
	struct warp *w = &ws->w;
	dyn_restore(ws, caller->lbase + c->lbase, m);
	for (uint32_t k = 0; k < c->nret; k++) {
		int32_t to = c->ret[k].from;
		uint8_t *base = (to & 3) == BASE_FRAME ? w->local + (size_t)caller->lbase * LANES
						       : ws->rows + (size_t)caller->rows * ROW;
		for (uint32_t j = 0; j < c->ret[k].words && to != SINK; j++)
			row_blend((uint32_t *)(base + (to & ~3) + j * ROW),
				  frame_row(w, frame + c->ret[k].at + j * 4), m);
	}
}

bool call_builtin(struct wstate *ws, const struct uop *u, const struct frame *f, uint32_t m)
{
	const struct call_uop *c = (const struct call_uop *)(uintptr_t)u->imm;
	uint32_t at = f->lbase + c->lbase;
	if (at + 64 > stack_room(ws, m)) {
		exec_fault(&ws->w, u, (unsigned)__builtin_ctz(m), HEDDLE_FAULT_STACK, 0, 0,
			   "stack overflow");
		return false;
	}
	if (at + 64 > ws->local_used)
		ws->local_used = at + 64;
	dyn_save(ws, at, m);
	for (uint32_t k = 0; k < c->narg; k++)
		copy_in(&ws->w, &c->arg[k], at, m);
	if (!builtin_call(ws, u, c->builtin, at, m))
		return false;
	call_results(ws, u, f, at, m);
	return true;
}

bool call_enter(struct wstate *ws, const struct uop *u, uint32_t m)
{
	const struct call_uop *c = (const struct call_uop *)(uintptr_t)u->imm;
	if (c->builtin) {
		const struct split *s = simt_top(ws);
		struct frame f = {s->rows, s->preds, s->lbase, s->depth};
		return call_builtin(ws, u, &f, m);
	}
	if (c->callee)
		return enter(ws, u, c->callee, m);
	/* Indirect: each function in turn, for the lanes that call it. The entries stack up on the same
	 * frame: lanes own their columns of it. */
	struct split caller = *simt_top(ws);
	while (m) {
		const struct image_func *f = call_target(ws, u, (uint32_t)__builtin_ctz(m));
		if (!f)
			return false;
		uint32_t lanes = 0;
		for (uint32_t q = m; q; q &= q - 1) {
			const struct image_func *g = call_target(ws, u, (uint32_t)__builtin_ctz(q));
			if (!g)
				return false;
			lanes |= g == f ? q & -q : 0;
		}
		m &= ~lanes;
		struct split *top = simt_top(ws), saved = *top;
		*top = caller; /* the frame to start from, whatever was pushed before */
		bool ok = enter(ws, u, f, lanes);
		/* simt_push may have moved the stack */
		ws->stack[ws->sp - (ok ? 2 : 1)] = saved;
		if (!ok)
			return false;
	}
	return true;
}

void call_leave(struct wstate *ws, uint32_t m)
{
	struct split *top = simt_top(ws), *caller = simt_caller(ws, m);
	struct frame f = {caller->rows, caller->preds, caller->lbase, caller->depth};
	call_results(ws, &ws->w.cta->l->img->code[caller->pc - 1], &f, top->lbase, m);
}
