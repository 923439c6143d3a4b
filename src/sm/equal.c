#include "sm/equal.h"

#include "base/arena.h"
#include "sm/share.h"

static const struct stat_def defs[] = {STAT_DEFS(EQUAL_STATS)};
const struct stat_table equal_stats = STAT_TABLE_PLAIN("equal", defs);

struct tag {
	lanemask lanes; /* threads of the warp that hold the base value */
	uint32_t base;
};

struct tags { /* tags of a warp's registers */
	struct tag *of;
	uint32_t n, cap;
};

struct equal {
	struct equal_stats stats;
	struct tags *warp;
	bool whole_only; /* sm.scalar = convergent: only instructions that all threads of the warps execute together */
	/* the instruction being executed: its shares, and the first register of its frame */
	unsigned n;
	uint32_t frame;
	struct share share[MAX_LANES];
};

void equal_init(struct sm *sm)
{
	if (!equal_is_needed(sm->m))
		return;
	sm->equal = xcalloc(1, sizeof *sm->equal);
	sm->equal->warp = xcalloc(sm->nwarps, sizeof *sm->equal->warp);
	sm->equal->whole_only = sm->m->scalar == SCALARS_CONVERGENT;
}

void equal_free(struct sm *sm)
{
	for (unsigned i = 0; sm->equal && i < sm->nwarps; i++)
		free(sm->equal->warp[i].of);
	if (sm->equal)
		free(sm->equal->warp);
	free(sm->equal);
}

const void *equal_counts(const struct sm *sm) { return sm->equal ? &sm->equal->stats : NULL; }

void equal_forget(struct sm *sm)
{
	if (sm->equal)
		memset(&sm->equal->stats, 0, sizeof sm->equal->stats);
}

void equal_begin(struct sm *sm, unsigned warp)
{
	struct tags *t = &sm->equal->warp[warp];
	t->n = sm->warp[warp].b->k->l->frame_rows;
	if (t->n > t->cap) {
		t->of = xrealloc(t->of, t->n * sizeof *t->of);
		t->cap = t->n;
	}
	memset(t->of, 0, t->n * sizeof *t->of);
}

/* The tag of a row of the share's frame; NULL: the row is none of the warp's registers. */
static struct tag *tag_of(struct equal *e, const struct share *p, unsigned row)
{
	struct tags *t = &e->warp[p->warp];
	return e->frame + row < t->n ? &t->of[e->frame + row] : NULL;
}

static const uint32_t *values_of(const struct equal *e, const struct share *p, unsigned row)
{
	const void *at = p->ws->rows + (size_t)(e->frame + row) * ROW;
	return at;
}

static lanemask lanes_of(const struct share *p) { return (lanemask)p->lanes << p->shift; }

/* ---- operands ---- */

/* True if all threads of the shares hold one value in the row. The bits are confirmed by comparing
 * the values, because the start of a function changes rows without an instruction. */
static bool row_is_equal(struct equal *e, unsigned row)
{
	uint32_t first = 0;
	for (unsigned i = 0; i < e->n; i++) {
		const struct share *p = &e->share[i];
		const struct tag *t = tag_of(e, p, row);
		if (!t || (lanes_of(p) & ~t->lanes))
			return false;
		const uint32_t *v = values_of(e, p, row);
		first = i ? first : v[__builtin_ctz(p->lanes)];
		for (uint32_t q = p->lanes; q; q &= q - 1)
			if (v[__builtin_ctz(q)] != first)
				return false;
	}
	return true;
}

static bool pred_is_equal(const struct equal *e, const struct frame *f, int32_t pred)
{
	bool first = e->share[0].ws->preds[f->preds + (uint32_t)pred] >>
			     __builtin_ctz(e->share[0].lanes) &
		     1;
	for (unsigned i = 0; i < e->n; i++) {
		const struct share *p = &e->share[i];
		if ((p->ws->preds[f->preds + (uint32_t)pred] & p->lanes) != (first ? p->lanes : 0))
			return false;
	}
	return true;
}

static bool operands_are_equal(struct equal *e, const struct frame *f, const struct tinst *t)
{
	const struct inst *in = t->u->in;
	for (unsigned i = 0; i < t->nread; i++)
		if (!row_is_equal(e, t->read[i]))
			return false;
	for (unsigned k = 0; k < in->ns; k++)
		if (inst_src(in, k)->kind == OPND_PRED && t->u->v[in->nd + k] != SINK &&
		    !pred_is_equal(e, f, t->u->v[in->nd + k]))
			return false;
	return true;
}

/* True if the shares together contain all threads of their warps. */
static bool are_whole(const struct sm *sm, const struct equal *e)
{
	for (unsigned i = 0; i < e->n; i++) {
		const struct share *p = &e->share[i];
		if (p->lanes != (uint32_t)(sm->warp[p->warp].live >> p->shift))
			return false;
	}
	return true;
}

const struct tinst *equal_choose(struct sm *sm, int g, const struct tinst *t, lanemask m)
{
	struct equal *e = sm->equal;
	const struct group *gr = &sm->div.group[g];
	bool branch = t->u->flags & UOP_BRANCH;
	e->frame = gr->frame.rows;
	e->n = 0;
	if (m || branch) /* a branch that no thread takes is evaluated once too */
		e->n = share_find(sm, gr, m ? m : gr->active, e->share);
	if (!t->once || !e->n || (m != gr->active && !(branch && !m)))
		return t;
	if ((e->whole_only && !are_whole(sm, e)) || !operands_are_equal(e, &gr->frame, t))
		return t;
	STAT(&e->stats, scalars)++;
	return t->once;
}

/* ---- results ---- */

/* Compares the results of the share's threads with the base value. If the threads agree on a new
 * value, it becomes the base value, unless more threads hold the old one. */
static void compare_row(const struct equal *e, struct tag *t, const struct share *p, unsigned row)
{
	const uint32_t *v = values_of(e, p, row);
	uint32_t first = v[__builtin_ctz(p->lanes)], same = 0, old = 0;
	for (uint32_t q = p->lanes; q; q &= q - 1) {
		same |= v[__builtin_ctz(q)] == first ? q & -q : 0;
		old |= v[__builtin_ctz(q)] == t->base ? q & -q : 0;
	}
	lanemask others = t->lanes & ~lanes_of(p);
	if (same == p->lanes && first != t->base && lanes_in(p->lanes) > lanes_in(others)) {
		t->base = first;
		t->lanes = lanes_of(p);
	} else {
		t->lanes = others | (lanemask)old << p->shift;
	}
}

void equal_results(struct sm *sm, const struct tinst *t)
{
	struct equal *e = sm->equal;
	bool late = t->flags & (T_CTL | T_DEFER); /* results of such instructions are not
						   * available yet, so the values are unknown */
	for (unsigned i = 0; i < e->n; i++)
		for (unsigned k = 0; k < t->nwrite; k++) {
			const struct share *p = &e->share[i];
			struct tag *x = tag_of(e, p, t->read[t->nread + k]);
			if (x && late)
				x->lanes &= ~lanes_of(p);
			else if (x)
				compare_row(e, x, p, t->read[t->nread + k]);
			STAT(&e->stats, compares) += t->scalar ? 1 : lanes_in(p->lanes);
		}
}
