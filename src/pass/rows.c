/* First fit along the code. Live segments are swept in code order; when a register's first segment
 * begins, the register gets the lowest rows where none of its segments meets a segment of the
 * registers already there. Holes are used: a register fits where another has a gap.
 *
 * Busy rows are a bit set, so that only rows free at this point are examined closely. The rules that the
 * result obeys are in pass/rows.h. */
#include "pass/rows.h"

#include "pass/regs.h"

enum {
	MAX_TRIES = 512
}; /* rows examined closely; afterwards the first row without a later guest is taken */

struct row {
	VEC(uint32_t) guest; /* registers with a segment that has not ended */
};

struct pool { /* a pool of rows: data rows, or predicates */
	VEC(struct row) row;
	VEC(uint64_t) busy;
	VEC(bool) zero;
};

struct alloc {
	const struct func *f;
	const struct live *l;
	struct seg *seg; /* segments as in l->seg, with ends moved by late reads */
	uint32_t *next;  /* register -> its first segment that has not ended */
	bool *pinned;    /* registers that must not share a row */
	bool *zero;
	const bool *brief; /* registers that get a row of the pool `brief`; NULL: no such pool */
	int32_t *out;
	struct pool data, brief_data, pred;
};

bool rows_simple(const struct inst *in)
{
	const struct op_info *o = &op_info[in->op];
	bool multiplies = o->kind == OPK_MUL || o->kind == OPK_MAD;
	return in->nd == 1 && in->ns <= 4 && (o->facts & OF_INPLACE) &&
	       !(multiplies && in->mul == MUL_WIDE);
}

/* ---- values that must not share a register ---- */

/* Keeps a value whose last read is at this instruction until after the instruction's write. If the register
 * is written here as well, its next segment covers that point already. */
static void read_late(struct alloc *s, uint32_t reg, uint32_t pc)
{
	uint32_t lo = s->l->at[reg], end = s->l->at[reg + 1], hi = end, point = 2 * pc + 1;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (s->l->seg[mid].to < point)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo != end && s->l->seg[lo].to == point)
		s->seg[lo].to = point + 1;
}

static unsigned reg_rows(const struct func *f, uint32_t reg)
{
	return type_rows(f->regs.v[reg].type);
}

static void late_reads(struct alloc *s, uint32_t pc)
{
	const struct inst *in = &s->f->code.v[pc];
	uint32_t use[INST_REGS], def[INST_REGS];
	unsigned nuse = inst_uses(s->f, in, use), ndef = inst_defs(s->f, in, def);
	bool simple = rows_simple(in) && ndef == 1;
	for (unsigned i = 0; i < nuse && ndef; i++)
		if (!simple || reg_rows(s->f, use[i]) != reg_rows(s->f, def[0]) ||
		    use[i] == in->guard)
			read_late(s, use[i], pc);
	if (op_info[in->op].kind == OPK_SHUFFLE && in->ns) {
		nuse = opnd_regs(s->f, inst_src(in, 0), use);
		for (unsigned i = 0; i < nuse; i++)
			s->pinned[use[i]] = s->zero[use[i]] = true;
	}
}

/* ---- pools ---- */

static bool is_busy(const struct pool *p, uint32_t row)
{
	return p->busy.v[row / 64] >> row % 64 & 1;
}

static void pool_grow(struct pool *p, uint32_t rows)
{
	while (p->row.n < rows) {
		vec_push(&p->row, (struct row){{0}});
		vec_push(&p->zero, false);
	}
	while (p->busy.n * 64 < rows)
		vec_push(&p->busy, 0);
}

static void pool_free(struct pool *p)
{
	for (size_t i = 0; i < p->row.n; i++)
		vec_free(&p->row.v[i].guest);
	vec_free(&p->row);
	vec_free(&p->busy);
	vec_free(&p->zero);
}

static bool lives_meet(const struct alloc *s, uint32_t a, uint32_t b)
{
	if (s->pinned[a] || s->pinned[b])
		return true;
	uint32_t i = s->next[a], j = s->next[b];
	while (i < s->l->at[a + 1] && j < s->l->at[b + 1]) {
		if (s->seg[i].from < s->seg[j].to && s->seg[j].from < s->seg[i].to)
			return true;
		if (s->seg[i].to <= s->seg[j].to)
			i++;
		else
			j++;
	}
	return false;
}

/* True if `reg` can live in this row; `alone`: only if no other register still lives there.
 * Registers whose life has ended are removed from the row's list. */
static bool row_fits(struct alloc *s, struct row *r, uint32_t reg, bool alone)
{
	size_t keep = 0;
	bool fits = true;
	for (size_t i = 0; i < r->guest.n; i++) {
		uint32_t g = r->guest.v[i];
		if (!s->pinned[g] && s->next[g] == s->l->at[g + 1])
			continue;
		r->guest.v[keep++] = g;
		fits = fits && !alone && !lives_meet(s, reg, g);
	}
	r->guest.n = keep;
	return fits;
}

static bool rows_fit(struct alloc *s, struct pool *p, uint32_t row, unsigned k, uint32_t reg,
		     bool alone)
{
	for (uint32_t i = row; i < row + k && i < p->row.n; i++)
		if (is_busy(p, i) || !row_fits(s, &p->row.v[i], reg, alone))
			return false;
	return true;
}

static uint32_t find_rows(struct alloc *s, struct pool *p, unsigned k, uint32_t reg)
{
	unsigned tries = 0;
	uint32_t row = 0;
	for (; row < p->row.n; row += k) {
		if (row % 64 == 0 && p->busy.v[row / 64] == UINT64_MAX) {
			row += 64 - k;
			continue;
		}
		if (!is_busy(p, row) && rows_fit(s, p, row, k, reg, ++tries > MAX_TRIES))
			break;
	}
	return row; /* the result may lie past the last row: new rows are then added */
}

/* ---- the sweep ---- */

static struct pool *pool_of(struct alloc *s, uint32_t reg, unsigned *k)
{
	*k = reg_rows(s->f, reg);
	if (*k)
		return s->brief && s->brief[reg] ? &s->brief_data : &s->data;
	*k = 1;
	return &s->pred;
}

static void mark_busy(struct alloc *s, uint32_t reg, bool on)
{
	unsigned k;
	struct pool *p = pool_of(s, reg, &k);
	for (uint32_t i = (uint32_t)s->out[reg]; i < (uint32_t)s->out[reg] + k; i++)
		if (on)
			p->busy.v[i / 64] |= UINT64_C(1) << i % 64;
		else
			p->busy.v[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static void place_register(struct alloc *s, uint32_t reg)
{
	unsigned k;
	struct pool *p = pool_of(s, reg, &k);
	uint32_t row = find_rows(s, p, k, reg);
	pool_grow(p, row + k);
	for (uint32_t i = row; i < row + k; i++) {
		vec_push(&p->row.v[i].guest, reg);
		p->zero.v[i] |= s->zero[reg];
	}
	s->out[reg] = (int32_t)row;
}

/* segments by the point where they begin (or end), by counting sort */
struct agenda {
	uint32_t *at, *seg;
};

static struct agenda agenda_build(struct arena *tmp, const struct alloc *s, uint32_t points,
				  bool ends)
{
	uint32_t n = s->l->at[s->l->nregs];
	struct agenda g = {ARENA_ARRAY(tmp, uint32_t, points + 2), ARENA_ARRAY(tmp, uint32_t, n)};
	for (uint32_t i = 0; i < n; i++)
		g.at[ends ? s->seg[i].to : s->seg[i].from]++;
	for (uint32_t t = 0, sum = 0; t <= points + 1; t++)
		g.at[t] = sum += g.at[t];
	for (uint32_t i = n; i-- > 0;)
		g.seg[--g.at[ends ? s->seg[i].to : s->seg[i].from]] = i;
	return g;
}

static void sweep_code(struct alloc *s, struct arena *tmp)
{
	const struct live *l = s->l;
	uint32_t points = 2 * (uint32_t)s->f->code.n + 2;
	struct agenda begin = agenda_build(tmp, s, points, false),
		      end = agenda_build(tmp, s, points, true);
	uint32_t *owner = ARENA_ARRAY(tmp, uint32_t, l->at[l->nregs]);
	for (uint32_t r = 0; r < l->nregs; r++)
		for (uint32_t i = l->at[r]; i < l->at[r + 1]; i++)
			owner[i] = r;
	for (uint32_t r = 0; r < l->nregs; r++)
		if (s->pinned[r] &&
		    l->at[r] < l->at[r + 1]) { /* pinned registers come before all others */
			place_register(s, r);
			mark_busy(s, r, true);
		}
	for (uint32_t t = 0; t <= points; t++) {
		for (uint32_t i = end.at[t]; i < end.at[t + 1]; i++) {
			uint32_t r = owner[end.seg[i]];
			s->next[r]++;
			mark_busy(s, r, s->pinned[r]);
		}
		for (uint32_t i = begin.at[t]; i < begin.at[t + 1]; i++) {
			uint32_t r = owner[begin.seg[i]];
			if (s->out[r] < 0)
				place_register(s, r);
			mark_busy(s, r, true);
		}
	}
}

/* ---- the result ---- */

/* True if operands span several registers: such registers must stay neighbours. */
static bool has_wide_operands(const struct func *f)
{
	uint32_t r[INST_REGS];
	for (size_t i = 0; i < f->code.n; i++)
		for (unsigned k = 0; k < f->code.v[i].nd + f->code.v[i].ns; k++)
			if (opnd_regs(f, &f->code.v[i].opnd[k], r) > 1)
				return true;
	return false;
}

static bool *find_mentioned(struct arena *tmp, const struct func *f)
{
	bool *is = ARENA_ARRAY(tmp, bool, f->regs.n);
	uint32_t r[INST_REGS];
	for (size_t i = 0; i < f->code.n; i++) {
		unsigned n = inst_uses(f, &f->code.v[i], r);
		for (unsigned k = 0; k < n; k++)
			is[r[k]] = true;
		n = inst_defs(f, &f->code.v[i], r);
		for (unsigned k = 0; k < n; k++)
			is[r[k]] = true;
	}
	return is;
}

static uint32_t *list_zero(struct arena *a, const struct pool *p, uint32_t *n)
{
	uint32_t *list = ARENA_ARRAY(a, uint32_t, p->row.n);
	*n = 0;
	for (uint32_t i = 0; i < p->row.n; i++)
		if (p->zero.v[i])
			list[(*n)++] = i;
	return list;
}

/* Gives any rows to registers that only unreachable code names: they have no life. */
static void place_dead(struct alloc *s, const bool *is)
{
	for (uint32_t r = 0; r < s->f->regs.n; r++) {
		if (s->out[r] >= 0 || !is[r])
			continue;
		unsigned k;
		struct pool *p = pool_of(s, r, &k);
		pool_grow(p, k);
		s->out[r] = 0;
	}
}

/* Appends the rows of brief registers to all others. */
static void join_pools(struct alloc *s, struct rows *out)
{
	unsigned first = ((unsigned)s->data.row.n + 3) & ~3u;
	out->nbrief = (unsigned)s->brief_data.row.n;
	if (!out->nbrief)
		return;
	out->nrows = first + out->nbrief;
	for (uint32_t r = 0; r < s->l->nregs; r++)
		if (s->out[r] >= 0 && s->brief[r])
			s->out[r] += (int32_t)first;
}

void rows_alloc(struct rows *out, struct arena *a, const struct func *f, const struct live *l,
		const bool *brief)
{
	if (has_wide_operands(f)) {
		rows_identity(out, a, f);
		return;
	}
	struct arena tmp = {0};
	uint32_t n = l->at[l->nregs];
	struct alloc s = {.f = f,
			  .l = l,
			  .seg = ARENA_ARRAY(&tmp, struct seg, n),
			  .next = ARENA_ARRAY(&tmp, uint32_t, l->nregs),
			  .pinned = ARENA_ARRAY(&tmp, bool, l->nregs),
			  .zero = ARENA_ARRAY(&tmp, bool, l->nregs),
			  .brief = brief,
			  .out = ARENA_ARRAY(a, int32_t, l->nregs)};
	memcpy(s.seg, l->seg, n * sizeof *s.seg);
	memcpy(s.next, l->at, l->nregs * sizeof *s.next);
	memset(s.out, 0xff, l->nregs * sizeof *s.out);
	for (uint32_t i = 0; i < l->nentry; i++)
		s.zero[l->entry[i]] = true;
	for (uint32_t pc = 0; pc < f->code.n; pc++)
		late_reads(&s, pc);
	sweep_code(&s, &tmp);
	place_dead(&s, find_mentioned(&tmp, f));
	*out = (struct rows){
		.row = s.out, .nrows = (unsigned)s.data.row.n, .npreds = (unsigned)s.pred.row.n};
	out->zero_row = list_zero(a, &s.data, &out->nzero_row);
	out->zero_pred = list_zero(a, &s.pred, &out->nzero_pred);
	join_pools(&s, out);
	pool_free(&s.data);
	pool_free(&s.brief_data);
	pool_free(&s.pred);
	arena_free(&tmp);
}

struct seg *rows_segments(struct arena *a, const struct func *f, const struct live *l)
{
	struct arena tmp = {0};
	uint32_t n = l->at[l->nregs];
	struct alloc s = {.f = f,
			  .l = l,
			  .seg = ARENA_ARRAY(a, struct seg, n),
			  .pinned = ARENA_ARRAY(&tmp, bool, l->nregs),
			  .zero = ARENA_ARRAY(&tmp, bool, l->nregs)};
	memcpy(s.seg, l->seg, n * sizeof *s.seg);
	for (uint32_t pc = 0; pc < f->code.n; pc++)
		late_reads(&s, pc);
	arena_free(&tmp);
	return s.seg;
}

static uint32_t *count_up(struct arena *a, uint32_t n)
{
	uint32_t *list = ARENA_ARRAY(a, uint32_t, n);
	for (uint32_t i = 0; i < n; i++)
		list[i] = i;
	return list;
}

void rows_identity(struct rows *out, struct arena *a, const struct func *f)
{
	struct arena tmp = {0};
	const bool *is = find_mentioned(&tmp, f);
	*out = (struct rows){.row = ARENA_ARRAY(a, int32_t, f->regs.n)};
	for (uint32_t r = 0; r < f->regs.n; r++) {
		unsigned k = reg_rows(f, r);
		out->row[r] = -1;
		if (!is[r])
			continue;
		if (!k) {
			out->row[r] = (int32_t)out->npreds++;
			continue;
		}
		out->nrows = (out->nrows + k - 1) / k * k;
		out->row[r] = (int32_t)out->nrows;
		out->nrows += k;
	}
	out->nzero_row = out->nrows;
	out->nzero_pred = out->npreds;
	out->zero_row = count_up(a, out->nrows);
	out->zero_pred = count_up(a, out->npreds);
	arena_free(&tmp);
}
