#include "kernel/call.h"

#include "check/check.h"
#include "exec/lanes.h"

static uint32_t *frame_row(const struct warp *w, uint32_t byte)
{
	return (uint32_t *)(w->local + (size_t)(byte / 4) * ROW);
}

/* Copies arguments into a callee's frame. Sub-word parameters share words: whole words are moved, which the
 * layout of parameters allows. */
static void copy_in(const struct warp *w, const struct call_copy *c, uint32_t frame, uint32_t m)
{
	for (uint32_t k = 0; k < c->words; k++) {
		uint32_t t[LANES];
		memcpy(t, row_u32(w, c->from + (int32_t)k * ROW), ROW);
		row_blend(frame_row(w, frame + c->at + k * 4), t, m);
	}
}

/* The function that a lane's pointer names: pointers are function numbers times 16 plus a tag. */
const struct image_func *call_target(struct wstate *ws, const struct uop *u, uint32_t lane)
{
	const struct call_uop *c = u->call;
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

/* ---- alloca: memory that a function took is freed when the function returns ---- */

enum { SAVE_BYTES = 16 }; /* bytes at the end of a caller's frame, see image.c */

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

/* Bytes of local memory left for frames of lanes m. */
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
	const struct call_uop *c = u->call;
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
	if (s->lbase + f->frame_bytes > ws->w.local_used)
		ws->w.local_used = s->lbase + f->frame_bytes;
	dyn_save(ws, s->lbase, m);
	frames_enter(&ws->w, f, s->lbase, m);
	for (uint32_t k = 0; k < c->narg; k++)
		copy_in(&ws->w, &c->arg[k], s->lbase, m);
	static const uint32_t zero[LANES];
	for (uint32_t k = 0; k < f->nzero; k++)
		row_blend((uint32_t *)(ws->rows + (size_t)(s->rows + f->zero[k]) * ROW), zero, m);
	for (uint32_t k = 0; k < f->npreds; k++)
		ws->preds[s->preds + k] &= ~m;
	return true;
}

void call_results(struct wstate *ws, const struct uop *u, const struct frame *caller,
		  uint32_t frame, uint32_t m)
{
	const struct call_uop *c = u->call;
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
	const struct call_uop *c = u->call;
	uint32_t at = f->lbase + c->lbase;
	if (at + 64 > stack_room(ws, m)) {
		exec_fault(&ws->w, u, (unsigned)__builtin_ctz(m), HEDDLE_FAULT_STACK, 0, 0,
			   "stack overflow");
		return false;
	}
	if (at + 64 > ws->w.local_used)
		ws->w.local_used = at + 64;
	dyn_save(ws, at, m);
	for (uint32_t k = 0; k < c->narg; k++)
		copy_in(&ws->w, &c->arg[k], at, m);
	if (!builtin_call(ws, u, c->builtin, at, m))
		return false;
	call_results(ws, u, f, at, m);
	return true;
}
