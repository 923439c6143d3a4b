#include "pass/alloc.h"

#include <assert.h>

#include "pass/regcount.h"
#include "pass/regs.h"

enum { FILE_VECTOR, FILE_SCALAR, FILE_PRED, FILE_SCALAR_PRED, FILES, ROUNDS = 24 };

struct allocator {
	struct func *f;
	struct arena *a; /* owns the results */
	const struct alloc_opts *o;
	struct pass_info p;
	struct scalar scalar;
	struct arena tmp; /* owns all data of this round */
	uint8_t *file;    /* [register]: FILE_* */
	bool *used;       /* [register]: true: named by reached code */
	double *cost;     /* [register]: cost of spilling it */
	VEC(struct seg) seg;
	uint32_t *seg_at;    /* [register + 1] */
	uint32_t first_temp; /* registers from first_temp on come from spills */
	struct coloring color[FILES];
	uint32_t *node[FILES]; /* node -> register */
	uint32_t limit;
};

/* ---- costs ---- */

static void count_regs(struct allocator *s, uint32_t pc, double weight)
{
	const struct inst *in = &s->f->code.v[pc];
	uint32_t r[INST_REGS];
	bool guard_written = false;
	unsigned n = inst_defs(s->f, in, r);
	for (unsigned k = 0; k < n; k++)
		guard_written |= r[k] == in->guard;
	for (unsigned k = 0; k < n; k++)
		s->cost[r[k]] += guard_written ? 1e30 : weight;
	for (unsigned k = 0; k < n; k++)
		s->used[r[k]] = true;
	n = inst_uses(s->f, in, r);
	for (unsigned k = 0; k < n; k++) {
		s->cost[r[k]] += weight;
		s->used[r[k]] = true;
	}
}

static void find_costs(struct allocator *s)
{
	const struct cfg *c = s->p.cfg;
	s->cost = ARENA_ARRAY(&s->tmp, double, s->f->regs.n);
	s->used = ARENA_ARRAY(&s->tmp, bool, s->f->regs.n);
	for (uint32_t b = 0; b < c->n; b++) {
		uint32_t depth = loop_depth(&s->p.loops, b);
		double weight = 1;
		for (uint32_t i = 0; i < depth && i < 6; i++)
			weight *= 10;
		for (uint32_t pc = c->block[b].first; pc < c->block[b].end; pc++)
			count_regs(s, pc, weight);
	}
	/* Unwritten registers must read as zero; local memory may hold other values. */
	for (uint32_t i = 0; i < s->p.live.nentry; i++)
		s->cost[s->p.live.entry[i]] = 1e30;
	for (uint32_t r = s->first_temp; r < s->f->regs.n; r++)
		if (s->f->regs.v[r].name ==
		    spill_temp) /* a temporary lives for one instruction and is not spilled */
			s->cost[r] = 1e30;
}

/* ---- lives ---- */

struct region { /* the runs of code of one side of a divergent branch */
	VEC(struct seg) run;
};

static int by_from(const void *x, const void *y)
{
	const struct seg *a = x, *b = y;
	return (a->from > b->from) - (a->from < b->from);
}

/* Sorts the segments and merges adjacent ones; returns how many are left. */
static uint32_t merge_segments(struct seg *v, uint32_t n)
{
	uint32_t k = 0;
	qsort(v, n, sizeof *v, by_from);
	for (uint32_t i = 0; i < n; i++)
		if (k && v[i].from <= v[k - 1].to)
			v[k - 1].to = v[i].to > v[k - 1].to ? v[i].to : v[k - 1].to;
		else
			v[k++] = v[i];
	return k;
}

struct extra {
	uint32_t reg;
	struct seg seg;
};
typedef VEC(struct extra) extra_vec;

struct sides {
	uint32_t *mark, *stack, *blocks, n; /* mark[block]: mask of sides that reach it */
	VEC(uint32_t) wait;                 /* points at which threads of a side wait */
	VEC(uint32_t) wait_side;
};

static void side_reach(struct allocator *s, struct sides *x, uint32_t from, uint32_t stop,
		       uint32_t bit)
{
	const struct cfg *c = s->p.cfg;
	uint32_t n = 0;
	if (from == stop || from == c->n || (x->mark[from] & bit))
		return;
	x->stack[n++] = from;
	x->blocks[x->n] = from;
	x->n += !x->mark[from];
	x->mark[from] |= bit;
	while (n) {
		uint32_t b = x->stack[--n];
		graph_each_succ (&c->g, b, t) {
			if (t == stop || t == c->n || (x->mark[t] & bit))
				continue;
			x->blocks[x->n] = t;
			x->n += !x->mark[t];
			x->mark[t] |= bit;
			x->stack[n++] = t;
		}
	}
}

static void add_wait(struct sides *x, uint32_t point, uint32_t side)
{
	vec_push(&x->wait, point);
	vec_push(&x->wait_side, side);
}

enum { ALL_SIDES = 1u << 31 };

static bool reach_sides(struct allocator *s, struct sides *x, uint32_t b, uint32_t stop)
{
	const struct cfg *c = s->p.cfg;
	unsigned side = 0;
	bool waits = false;
	x->n = 0;
	x->wait.n = x->wait_side.n = 0;
	graph_each_succ (&c->g, b, t) {
		side_reach(s, x, t, stop, 1u << side);
		if (t != c->n)
			add_wait(x, 2 * c->block[t].first, 1u << side);
		side += side < 30;
	}
	for (uint32_t i = 0; i < x->n; i++)
		for (uint32_t pc = c->block[x->blocks[i]].first; pc < c->block[x->blocks[i]].end;
		     pc++)
			if (inst_may_wait(&s->f->code.v[pc])) {
				waits = true;
				add_wait(x, 2 * pc, x->mark[x->blocks[i]]);
				add_wait(x, 2 * pc + 1, x->mark[x->blocks[i]]);
			}
	return waits;
}

/* Extends live ranges: a register that the threads of one side hold while they wait is live on all of the
 * other sides. */
static void extend_sides(struct allocator *s, struct sides *x, uint32_t b, extra_vec *out)
{
	const struct cfg *c = s->p.cfg;
	uint32_t meet = s->p.pdom.idom[b];
	if (reach_sides(s, x, b, meet)) {
		for (uint32_t i = 0; i < x->n; i++)
			x->mark[x->blocks[i]] = 0;
		reach_sides(s, x, b, NO_NODE);
	}
	if (meet < c->n)
		add_wait(x, 2 * c->block[meet].first, ALL_SIDES);
	for (uint32_t r = 0; r < s->f->regs.n; r++) {
		if (s->file[r] != FILE_SCALAR && s->file[r] != FILE_SCALAR_PRED)
			continue;
		uint32_t sides = 0;
		for (size_t i = 0; i < x->wait.n; i++)
			if ((sides | x->wait_side.v[i]) != sides &&
			    live_at(&s->p.live, r, x->wait.v[i]))
				sides |= x->wait_side.v[i];
		for (uint32_t i = 0; i < x->n && sides; i++) {
			uint32_t q = x->blocks[i], both = x->mark[q] | sides;
			if ((both & (both - 1)) || (both & 1u << 30))
				vec_push(out,
					 ((struct extra){
						 r, {2 * c->block[q].first, 2 * c->block[q].end}}));
		}
	}
	for (uint32_t i = 0; i < x->n; i++)
		x->mark[x->blocks[i]] = 0;
}

static int by_reg(const void *x, const void *y)
{
	const struct extra *a = x, *b = y;
	if (a->reg != b->reg)
		return (a->reg > b->reg) - (a->reg < b->reg);
	return (a->seg.from > b->seg.from) - (a->seg.from < b->seg.from);
}

static void find_lives(struct allocator *s)
{
	const struct cfg *c = s->p.cfg;
	const struct live *l = &s->p.live;
	struct seg *own = rows_segments(&s->tmp, s->f, l);
	extra_vec extra = {0};
	struct sides x = {.mark = ARENA_ARRAY(&s->tmp, uint32_t, c->n),
			  .stack = ARENA_ARRAY(&s->tmp, uint32_t, c->n),
			  .blocks = ARENA_ARRAY(&s->tmp, uint32_t, c->n + 2)};
	for (uint32_t b = 0; b < c->n && s->o->scalar; b++) {
		uint32_t pc = c->block[b].end - 1;
		if (cfg_reached(c, b) && inst_may_diverge(&s->f->code.v[pc]) &&
		    s->scalar.why[pc] != VEC_NOT)
			extend_sides(s, &x, b, &extra);
	}
	if (extra.n)
		qsort(extra.v, extra.n, sizeof *extra.v, by_reg);
	s->seg_at = ARENA_ARRAY(&s->tmp, uint32_t, s->f->regs.n + 2);
	s->seg.n = 0;
	size_t k = 0;
	for (uint32_t r = 0; r < s->f->regs.n; r++) {
		s->seg_at[r] = (uint32_t)s->seg.n;
		for (uint32_t i = l->at[r]; i < l->at[r + 1]; i++)
			vec_push(&s->seg, own[i]);
		for (; k < extra.n && extra.v[k].reg == r; k++)
			vec_push(&s->seg, extra.v[k].seg);
		uint32_t n = (uint32_t)s->seg.n - s->seg_at[r];
		s->seg.n = s->seg_at[r] + (n ? merge_segments(s->seg.v + s->seg_at[r], n) : 0);
	}
	s->seg_at[s->f->regs.n] = (uint32_t)s->seg.n;
	vec_free(&extra);
	vec_free(&x.wait);
	vec_free(&x.wait_side);
}

/* ---- files ---- */

static void find_files(struct allocator *s)
{
	s->file = ARENA_ARRAY(&s->tmp, uint8_t, s->f->regs.n);
	for (uint32_t r = 0; r < s->f->regs.n; r++) {
		bool scalar = s->o->scalar && s->scalar.reg[r] == REG_SCALAR;
		s->file[r] = (uint8_t)(s->f->regs.v[r].type == T_PRED
					       ? (scalar ? FILE_SCALAR_PRED : FILE_PRED)
					       : (scalar ? FILE_SCALAR : FILE_VECTOR));
	}
}

static void add_hints(struct allocator *s, struct coloring *c, unsigned file,
		      const uint32_t *node_of)
{
	VEC(struct edge) e = {0};
	for (size_t i = 0; i < s->f->code.n; i++) {
		const struct inst *in = &s->f->code.v[i];
		if (!inst_is(in, OF_COPIES))
			continue;
		const struct opnd *d = inst_dst(in, 0), *o = in->ns ? inst_src(in, 0) : NULL;
		if (in->nd != 1 || d->kind != OPND_REG || !o || o->kind != OPND_REG ||
		    s->file[d->reg] != file || s->file[o->reg] != file || d->reg == o->reg)
			continue;
		vec_push(&e, ((struct edge){node_of[d->reg], node_of[o->reg]}));
	}
	c->hint = ARENA_ARRAY(&s->tmp, struct edge, e.n);
	c->nhint = (uint32_t)e.n;
	if (e.n)
		memcpy(c->hint, e.v, e.n * sizeof *e.v);
	vec_free(&e);
}

static void color_file(struct allocator *s, unsigned file)
{
	struct coloring *c = &s->color[file];
	uint32_t n = 0, nseg = 0, nregs = (uint32_t)s->f->regs.n;
	uint32_t *node_of = ARENA_ARRAY(&s->tmp, uint32_t, nregs);
	s->node[file] = ARENA_ARRAY(&s->tmp, uint32_t, nregs);
	for (uint32_t r = 0; r < nregs; r++)
		if (s->file[r] == file && s->used[r]) {
			node_of[r] = n;
			s->node[file][n++] = r;
			nseg += s->seg_at[r + 1] - s->seg_at[r];
		}
	*c = (struct coloring){.n = n,
			       .width = ARENA_ARRAY(&s->tmp, uint8_t, n),
			       .cost = ARENA_ARRAY(&s->tmp, double, n),
			       .at = ARENA_ARRAY(&s->tmp, uint32_t, n + 1),
			       .seg = ARENA_ARRAY(&s->tmp, struct seg, nseg),
			       .color = ARENA_ARRAY(&s->tmp, uint32_t, n),
			       .points = 2 * (uint32_t)s->f->code.n + 2};
	for (uint32_t v = 0, at = 0; v < n; v++) {
		uint32_t r = s->node[file][v], rows = type_rows(s->f->regs.v[r].type);
		c->width[v] = (uint8_t)(rows ? rows : 1);
		c->cost[v] = s->cost[r];
		for (uint32_t i = s->seg_at[r]; i < s->seg_at[r + 1]; i++)
			c->seg[at++] = s->seg.v[i];
		c->at[v + 1] = at;
	}
	add_hints(s, c, file, node_of);
	color(c);
	if (!n)
		c->colors = 0;
}

/* ---- spills ---- */

struct cheap {
	double value;
	uint32_t reg;
};
static int by_value(const void *x, const void *y)
{
	const struct cheap *a = x, *b = y;
	if (a->value != b->value)
		return (a->value > b->value) - (a->value < b->value);
	return (a->reg > b->reg) - (a->reg < b->reg);
}

/* Marks the cheapest registers for spilling until at most `most` are live at any point. False: no
 * further register can be spilled. */
static bool choose_spills(struct allocator *s, unsigned file, uint32_t most, bool *out)
{
	const struct coloring *c = &s->color[file];
	int32_t *live = ARENA_ARRAY(&s->tmp, int32_t, c->points + 2);
	struct cheap *list = ARENA_ARRAY(&s->tmp, struct cheap, c->n);
	uint32_t n = 0;
	bool any = false;
	for (uint32_t v = 0; v < c->n; v++) {
		double area = 0;
		for (uint32_t i = c->at[v]; i < c->at[v + 1]; i++) {
			live[c->seg[i].from] += c->width[v];
			live[c->seg[i].to] -= c->width[v];
			area += c->seg[i].to - c->seg[i].from;
		}
		if (c->cost[v] < 1e29 && area > 4)
			list[n++] = (struct cheap){c->cost[v] / (area * c->width[v]), v};
	}
	for (uint32_t t = 1; t <= c->points; t++)
		live[t] += live[t - 1];
	qsort(list, n, sizeof *list, by_value);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t v = list[k].reg;
		bool helps = false;
		for (uint32_t i = c->at[v]; i < c->at[v + 1] && !helps; i++)
			for (uint32_t t = c->seg[i].from; t < c->seg[i].to && !helps; t++)
				helps = live[t] > (int32_t)most;
		if (!helps)
			continue;
		for (uint32_t i = c->at[v]; i < c->at[v + 1]; i++)
			for (uint32_t t = c->seg[i].from; t < c->seg[i].to; t++)
				live[t] -= c->width[v];
		out[s->node[file][v]] = any = true;
	}
	return any;
}

/* ---- rounds ---- */

/* Chooses spills in the first file that has too many registers. Each try aims one lower, because
 * colouring may need more registers than are live at once. Predicates come first, because spilled
 * predicates become registers. NULL: no file has too many, or none can be spilled. */
static bool *next_spills(struct allocator *s, unsigned *tries)
{
	static const unsigned char order[] = {FILE_PRED, FILE_SCALAR_PRED, FILE_VECTOR,
					      FILE_SCALAR};
	for (unsigned i = 0; i < FILES; i++) {
		unsigned k = order[i];
		bool pred = k == FILE_PRED || k == FILE_SCALAR_PRED;
		uint32_t limit = pred ? s->o->preds : s->limit, most;
		if (!limit || s->color[k].colors <= limit)
			continue;
		most = limit > tries[k] ? limit - tries[k] : 1;
		tries[k]++;
		bool *spill = ARENA_ARRAY(&s->tmp, bool, s->f->regs.n);
		if (choose_spills(s, k, most, spill))
			return spill;
	}
	return NULL;
}

static void analyse_code(struct allocator *s)
{
	struct pass_opts o = {.share_rows = false};
	struct diag d = {0};
	bool ok = pass_run(s->f, &s->tmp, &o, &s->p, &d);
	assert(ok); /* succeeds: the function was verified when it was read */
	(void)ok;
	diag_free(&d);
	if (s->o->scalar)
		scalar_find(&s->scalar, &s->tmp, s->f, s->p.cfg, &s->p.pdom, &s->p.live,
			    s->o->scalar);
	find_files(s);
	find_costs(s);
	find_lives(s);
	for (unsigned k = 0; k < FILES; k++)
		color_file(s, k);
}

static void fill_results(struct allocator *s, struct allocation *out)
{
	struct rows *r = &out->rows;
	uint32_t base[FILES] = {0};
	out->f = s->f;
	out->vector = s->color[FILE_VECTOR].colors;
	out->scalars = s->color[FILE_SCALAR].colors;
	base[FILE_SCALAR] = (out->vector + 3) & ~3u;
	base[FILE_SCALAR_PRED] = s->color[FILE_PRED].colors;
	*r = (struct rows){.row = ARENA_ARRAY(s->a, int32_t, s->f->regs.n)};
	r->nrows = out->scalars ? base[FILE_SCALAR] + out->scalars : out->vector;
	r->npreds = base[FILE_SCALAR_PRED] + s->color[FILE_SCALAR_PRED].colors;
	for (uint32_t i = 0; i < s->f->regs.n; i++)
		r->row[i] = -1;
	for (unsigned k = 0; k < FILES; k++)
		for (uint32_t v = 0; v < s->color[k].n; v++)
			r->row[s->node[k][v]] = (int32_t)(base[k] + s->color[k].color[v]);
	r->zero_row = ARENA_ARRAY(s->a, uint32_t, 4u * s->p.live.nentry);
	r->zero_pred = ARENA_ARRAY(s->a, uint32_t, s->p.live.nentry + 1u);
	for (uint32_t i = 0; i < s->p.live.nentry; i++) {
		uint32_t reg = s->p.live.entry[i];
		unsigned rows = type_rows(s->f->regs.v[reg].type);
		for (unsigned k = 0; k < rows; k++)
			r->zero_row[r->nzero_row++] = (uint32_t)r->row[reg] + k;
		if (!rows)
			r->zero_pred[r->nzero_pred++] = (uint32_t)r->row[reg];
	}
	if (s->o->scalar) {
		out->why = ARENA_ARRAY(s->a, uint8_t, s->f->code.n);
		memcpy(out->why, s->scalar.why, s->f->code.n);
	}
}

void alloc_run(struct allocation *out, struct arena *a, const struct func *f,
	       const struct alloc_opts *o)
{
	struct allocator s = {.a = a, .o = o, .first_temp = (uint32_t)f->regs.n};
	uint32_t at = f->frame_bytes, was = at;
	unsigned tries[FILES] = {0};
	bool *spill = NULL;
	*out = (struct allocation){0};
	s.f = ARENA_NEW(a, struct func);
	*s.f = *f;
	s.limit = o->limit ? o->limit : regs_named(f);
	for (unsigned round = 0;; round++) {
		analyse_code(&s);
		if (round == ROUNDS || !(spill = next_spills(&s, tries)))
			break;
		struct func *next = spill_code(s.f, a, spill, &at);
		s.f = next;
		arena_free(&s.tmp);
		s.tmp = (struct arena){0};
	}
	fill_results(&s, out);
	out->spill_bytes = at - was;
	vec_free(&s.seg);
	arena_free(&s.tmp);
}
