#include "kernel/once.h"

#include "exec/context.h"
#include "exec/lanes.h"

static const struct once *once_of(const struct warp *w, const struct uop *u)
{
	const struct image *img = w->cta->l->img;
	return &img->once[u - img->code];
}

static bool report_difference(struct warp *w, const struct uop *u, unsigned lane, const char *what)
{
	exec_fault(w, u, lane, HEDDLE_FAULT_SCALAR, 0, 0,
		   "a scalar instruction whose %s differs between threads of the warp", what);
	return false;
}

static bool rows_equal(struct warp *w, const struct uop *u, const struct once *o, uint32_t m)
{
	unsigned first = (unsigned)__builtin_ctz(m);
	for (unsigned k = 0; k < o->nsrc; k++) {
		const uint32_t *row = row_u32(w, o->row[k]);
		uint32_t other = 0;
		for (unsigned i = 0; i < LANES; i++)
			other |= (uint32_t)(row[i] != row[first]) << i;
		if (other & m)
			return report_difference(w, u, (unsigned)__builtin_ctz(other & m),
						 "operand");
	}
	return true;
}

static bool preds_equal(struct warp *w, const struct uop *u, const struct once *o, uint32_t m)
{
	for (unsigned k = 0; k < o->npsrc; k++) {
		uint32_t on = w->pred[o->pred[k]] & m;
		if (on && on != m)
			return report_difference(w, u, (unsigned)__builtin_ctz(m & ~on),
						 "predicate");
	}
	return true;
}

bool once_check(struct warp *w, const struct uop *u, uint32_t m, uint32_t active)
{
	const struct once *o = once_of(w, u);
	if (!o->check || !m)
		return true;
	if (u->guard >= 0 && m != active)
		return report_difference(w, u, (unsigned)__builtin_ctz(m ^ active), "guard");
	return rows_equal(w, u, o, m) && preds_equal(w, u, o, m);
}

/* Copies the first thread's result to all lanes of `to`. */
static void copy_result(const struct warp *w, const struct once *o, unsigned first, uint32_t to)
{
	for (unsigned k = 0; k < o->ndst; k++) {
		uint32_t *row = row_u32(w, o->row[o->nsrc + k]), value = row[first];
		for (unsigned i = 0; i < LANES; i++)
			row[i] = to >> i & 1 ? value : row[i];
	}
	for (unsigned k = 0; k < o->npdst; k++) {
		uint32_t *p = &w->pred[o->pred[o->npsrc + k]];
		*p = *p >> first & 1 ? *p | to : *p & ~to;
	}
}

void once_copy(struct warp *w, const struct uop *u, uint32_t m)
{
	const struct once *o = once_of(w, u);
	copy_result(w, o, (unsigned)__builtin_ctz(m), o->shared ? UINT32_MAX : m);
}

static void run_once(struct warp *w, const struct uop *u, uint32_t m, bool full)
{
	const struct once *o = once_of(w, u);
	if (!once_check(w, u, m, w->active))
		return;
	(full ? o->full : o->part)(w, u);
	if (w->stop != STOP_FAULT)
		once_copy(w, u, m);
}

static void once_full(struct warp *w, const struct uop *u) { run_once(w, u, UINT32_MAX, true); }
static void once_part(struct warp *w, const struct uop *u) { run_once(w, u, w->mask, false); }

/* ---- wrapping ---- */

struct lists {
	VEC(int32_t) row, pred;
};

static void add_opnd(struct lists *l, const struct opnd *o, int32_t at)
{
	unsigned n = o->kind == OPND_REG || (o->kind == OPND_MEM && o->reg != NO_REG)
			     ? type_rows(o->type)
			     : 0;
	if (at == SINK)
		return;
	if (o->kind == OPND_PRED)
		vec_push(&l->pred, at);
	for (unsigned k = 0; k < n && (at & 3) == BASE_REG; k++)
		vec_push(&l->row, at + (int32_t)(k * ROW));
}

static void wrap_uop(struct image *img, struct uop *u, struct once *o,
		     const struct image_opts *opts)
{
	const struct inst *in = u->in;
	struct lists l = {0};
	*o = (struct once){.full = u->full,
			   .part = u->part,
			   .check = opts->check_scalar,
			   .shared = opts->scalar && (opts->allocate || opts->own_rows)};
	for (unsigned k = 0; k < in->ns; k++)
		add_opnd(&l, inst_src(in, k), u->v[in->nd + k]);
	o->nsrc = (uint8_t)l.row.n;
	o->npsrc = (uint8_t)l.pred.n;
	for (unsigned k = 0; k < in->nd; k++)
		add_opnd(&l, inst_dst(in, k), u->v[k]);
	o->ndst = (uint8_t)(l.row.n - o->nsrc);
	o->npdst = (uint8_t)(l.pred.n - o->npsrc);
	int32_t *row = ARENA_ARRAY(&img->arena, int32_t, l.row.n + 1);
	int32_t *pred = ARENA_ARRAY(&img->arena, int32_t, l.pred.n + 1);
	if (l.row.n)
		memcpy(row, l.row.v, l.row.n * sizeof *row);
	if (l.pred.n)
		memcpy(pred, l.pred.v, l.pred.n * sizeof *pred);
	o->row = row;
	o->pred = pred;
	vec_free(&l.row);
	vec_free(&l.pred);
	u->flags |= UOP_SCALAR;
	u->full = once_full;
	u->part = once_part;
}

void once_wrap(struct image *img, const struct image_func *f, const struct image_opts *o)
{
	if (!img->once)
		img->once = ARENA_ARRAY(&img->arena, struct once, img->ncode + 1);
	for (uint32_t pc = f->start; pc < f->end; pc++)
		if (img->scalar[pc] == SCALAR_BY_FACT)
			wrap_uop(img, &img->code[pc], &img->once[pc], o);
}
