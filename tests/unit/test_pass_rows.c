/* Liveness, row allocation, loops and register counts: known answers, then random programs against
 * a search over paths and against execution with private registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "func_builder.h"
#include "pass/brief.h"
#include "pass/pass.h"
#include "pass/regcount.h"
#include "pass/regs.h"

struct prog {
	struct fb b;
	struct arena a;
	struct cfg *c;
	struct live live;
	struct rows rows;
};

static struct prog prog_new(void) { return (struct prog){.b = fb_new(true)}; }

static void prog_run(struct prog *x)
{
	x->c = cfg_build(&x->a, &x->b.f);
	live_build(&x->live, &x->b.f, x->c);
	rows_alloc(&x->rows, &x->a, &x->b.f, &x->live, NULL);
}

static void prog_free(struct prog *x)
{
	arena_free(&x->a);
	fb_free(&x->b);
}

/* ---- known answers ---- */

static void expect_segs(const struct live *l, uint32_t r, unsigned n, const struct seg *s)
{
	assert_int_equal(l->at[r + 1] - l->at[r], n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(l->seg[l->at[r] + i].from, s[i].from);
		assert_int_equal(l->seg[l->at[r] + i].to, s[i].to);
	}
}
#define SEGS(...)                                                                                  \
	sizeof((struct seg[]){__VA_ARGS__}) / sizeof(struct seg), (struct seg[]) { __VA_ARGS__ }

/* A register read before its first write is zero when a warp begins, also in the first row. */
static void test_zero_first(void **state)
{
	(void)state;
	struct prog x = prog_new();
	uint32_t a = fb_reg(&x.b, T_U32), b = fb_reg(&x.b, T_U32), c = fb_reg(&x.b, T_U32);
	fb_reg_op(&x.b, OP_ADD, T_U32, 1, 2, c, a, b);
	fb_reg_op(&x.b, OP_ADD, T_U32, 1, 2, c, c, b);
	fb_ret(&x.b, NO_REG);
	prog_run(&x);
	assert_int_equal(x.rows.nzero_row, 2);
	assert_int_equal(x.rows.zero_row[0], 0);
	assert_int_equal(x.rows.zero_row[1], 1);
	assert_int_equal(x.rows.row[a] + x.rows.row[b], 1);
	prog_free(&x);
}

static void test_straight(void **state)
{
	(void)state;
	struct prog x = prog_new();
	uint32_t a = fb_reg(&x.b, T_U32), b = fb_reg(&x.b, T_U32), c = fb_reg(&x.b, T_U32),
		 d = fb_reg(&x.b, T_U32), unused = fb_reg(&x.b, T_U64);
	fb_reg_op(&x.b, OP_SREG, T_U32, 1, 0, a);
	fb_reg_op(&x.b, OP_SREG, T_U32, 1, 0, b);
	fb_reg_op(&x.b, OP_ADD, T_U32, 1, 2, c, a, b);
	fb_reg_op(&x.b, OP_ADD, T_U32, 1, 2, d, a, c);
	fb_ret(&x.b, NO_REG);
	prog_run(&x);
	expect_segs(&x.live, a, SEGS({1, 7}));
	expect_segs(&x.live, b, SEGS({3, 5}));
	expect_segs(&x.live, c, SEGS({5, 7}));
	expect_segs(&x.live, d, SEGS({7, 8}));
	assert_int_equal(x.live.nentry, 0);
	assert_int_equal(x.rows.nrows, 2);
	assert_int_equal(x.rows.row[b], x.rows.row[c]);
	assert_int_equal(x.rows.row[unused], -1);
	assert_int_equal(x.rows.nzero_row, 0);
	assert_int_equal(live_regs_max(&x.b.f, &x.live), 2);
	assert_int_equal(regs_per_thread(&x.b.f, false), 2 + REGS_ABI);
	x.b.f.maxnreg = 2;
	assert_int_equal(regs_per_thread(&x.b.f, false), 2);
	prog_free(&x);
}

/* More values at once than a word of the row set has bits: each has a row, wide ones at multiples
 * of two. */
static void test_many_at_once(void **state)
{
	(void)state;
	enum { MANY = 200 };
	struct prog x = prog_new();
	uint32_t r[MANY], rows = 0;
	bool taken[2 * MANY] = {0};
	for (unsigned i = 0; i < MANY; i++) {
		r[i] = fb_reg(&x.b, i % 5 == 4 ? T_U64 : T_U32);
		fb_reg_op(&x.b, OP_SREG, i % 5 == 4 ? T_U64 : T_U32, 1, 0, r[i]);
	}
	for (unsigned i = 0; i < MANY; i++)
		fb_reg_op(&x.b, OP_ST, T_U32, 0, 1, r[i]);
	fb_ret(&x.b, NO_REG);
	prog_run(&x);
	for (unsigned i = 0; i < MANY; i++)
		for (unsigned k = 0; k < (i % 5 == 4 ? 2u : 1u); k++, rows++) {
			uint32_t at = (uint32_t)x.rows.row[r[i]] + k;
			assert_true(at < 2 * MANY && !taken[at]);
			assert_true(k || i % 5 != 4 || at % 2 == 0);
			taken[at] = true;
		}
	assert_int_equal(x.rows.nrows, rows);
	prog_free(&x);
}

/* A hole: %a is not live in the else branch, where %b may have its row. */
static void test_hole(void **state)
{
	(void)state;
	struct prog x = prog_new();
	uint32_t p = fb_reg(&x.b, T_PRED), a = fb_reg(&x.b, T_U32), b = fb_reg(&x.b, T_U32);
	fb_reg_op(&x.b, OP_SREG, T_U32, 1, 0, a); /* 0 */
	fb_bra(&x.b, p, 4);                       /* 1 */
	fb_reg_op(&x.b, OP_SREG, T_U32, 1, 0, b); /* 2 */
	fb_reg_op(&x.b, OP_ST, T_U32, 0, 1, b);   /* 3 */
	fb_ret(&x.b, p);                          /* 4: joins, %a not live from 3 */
	fb_reg_op(&x.b, OP_SREG, T_U32, 1, 0, a); /* 5 */
	fb_reg_op(&x.b, OP_ST, T_U32, 0, 1, a);   /* 6 */
	fb_ret(&x.b, NO_REG);
	prog_run(&x);
	expect_segs(&x.live, a, SEGS({1, 2}, {11, 13}));
	expect_segs(&x.live, p, SEGS({0, 9}));
	assert_int_equal(x.live.nentry, 1);
	assert_int_equal(x.live.entry[0], p);
	assert_int_equal(x.rows.nzero_pred, 1);
	assert_int_equal(x.rows.nrows, 1);
	prog_free(&x);
}

/* Live around a loop: the value read next round survives all of the body. */
static void test_loop_carried(void **state)
{
	(void)state;
	struct prog x = prog_new();
	uint32_t p = fb_reg(&x.b, T_PRED), i = fb_reg(&x.b, T_U32), t = fb_reg(&x.b, T_U32);
	fb_reg_op(&x.b, OP_SREG, T_U32, 1, 0, i);      /* 0 */
	fb_reg_op(&x.b, OP_ADD, T_U32, 1, 2, t, i, i); /* 1: head */
	fb_reg_op(&x.b, OP_ST, T_U32, 0, 1, t);        /* 2 */
	fb_reg_op(&x.b, OP_SETP, T_PRED, 1, 1, p, i);  /* 3 */
	fb_bra(&x.b, p, 1);                            /* 4 */
	fb_ret(&x.b, NO_REG);
	prog_run(&x);
	expect_segs(&x.live, i, SEGS({1, 10}));
	assert_int_not_equal(x.rows.row[i], x.rows.row[t]);
	prog_free(&x);
}

static void test_guarded_write_keeps(void **state)
{
	(void)state;
	struct prog x = prog_new();
	uint32_t p = fb_reg(&x.b, T_PRED), a = fb_reg(&x.b, T_U32), b = fb_reg(&x.b, T_U32);
	fb_reg_op(&x.b, OP_SETP, T_PRED, 1, 0, p);             /* 0 */
	fb_reg_op(&x.b, OP_SREG, T_U32, 1, 0, a);              /* 1 */
	fb_reg_op(&x.b, OP_SREG, T_U32, 1, 0, b);              /* 2 */
	fb_reg_op(&x.b, OP_MOV, T_U32, 1, 1, a, b)->guard = p; /* 3 */
	fb_reg_op(&x.b, OP_ST, T_U32, 0, 1, a);                /* 4 */
	fb_ret(&x.b, NO_REG);
	prog_run(&x);
	expect_segs(&x.live, a, SEGS({3, 9}));
	expect_segs(&x.live, p, SEGS({1, 7}));
	prog_free(&x);
}

/* 64-bit results of 32-bit operands, several results: no overlap with operands, not even with dying
 * ones. */
static void test_no_partial_overlap(void **state)
{
	(void)state;
	struct prog x = prog_new();
	uint32_t a = fb_reg(&x.b, T_U32), w = fb_reg(&x.b, T_U64), lo = fb_reg(&x.b, T_U32),
		 hi = fb_reg(&x.b, T_U32);
	fb_reg_op(&x.b, OP_SREG, T_U32, 1, 0, a);
	fb_reg_op(&x.b, OP_MUL, T_U32, 1, 2, w, a, a)->mode = MUL_WIDE;
	fb_reg_op(&x.b, OP_UNPACK, T_U64, 2, 1, lo, hi, w);
	fb_reg_op(&x.b, OP_ST, T_U32, 0, 2, lo, hi);
	fb_ret(&x.b, NO_REG);
	prog_run(&x);
	assert_int_equal(x.rows.row[a], 0);
	assert_int_equal(x.rows.row[w], 2);
	assert_int_equal(x.rows.row[lo], 0);
	assert_int_equal(x.rows.row[hi], 1);
	prog_free(&x);
}

static void test_shfl_source_is_private(void **state)
{
	(void)state;
	struct prog x = prog_new();
	uint32_t r[4];
	for (int i = 0; i < 4; i++)
		r[i] = fb_reg(&x.b, T_U32);
	fb_reg_op(&x.b, OP_SREG, T_U32, 1, 0, r[0]);
	fb_reg_op(&x.b, OP_ST, T_U32, 0, 1, r[0]);
	fb_reg_op(&x.b, OP_SREG, T_U32, 1, 0, r[1]);
	fb_reg_op(&x.b, OP_SHFL, T_B32, 1, 1, r[2], r[1]);
	fb_reg_op(&x.b, OP_ST, T_U32, 0, 1, r[2]);
	fb_reg_op(&x.b, OP_SREG, T_U32, 1, 0, r[3]);
	fb_reg_op(&x.b, OP_ST, T_U32, 0, 1, r[3]);
	fb_ret(&x.b, NO_REG);
	prog_run(&x);
	for (int i = 0; i < 4; i++)
		if (i != 1)
			assert_int_not_equal(x.rows.row[i], x.rows.row[1]);
	assert_int_equal(x.rows.nrows, 2);
	assert_int_equal(x.rows.nzero_row, 1);
	assert_int_equal(x.rows.zero_row[0], x.rows.row[1]);
	prog_free(&x);
}

/* Pairs of 32-bit registers, as native ISAs have them: neighbours stay neighbours. */
static void test_native_pairs(void **state)
{
	(void)state;
	struct prog x = prog_new();
	uint32_t r[6], out[INST_REGS];
	for (int i = 0; i < 6; i++)
		r[i] = fb_reg(&x.b, T_B32);
	struct inst *in = fb_reg_op(&x.b, OP_ADD, T_F64, 1, 2, r[4], r[0], r[2]);
	for (int i = 0; i < 3; i++)
		in->opnd[i].type = T_F64;
	assert_int_equal(inst_uses(&x.b.f, in, out), 4);
	assert_int_equal(out[3], r[3]);
	assert_int_equal(inst_defs(&x.b.f, in, out), 2);
	fb_ret(&x.b, NO_REG);
	prog_run(&x);
	for (int i = 0; i < 6; i++)
		assert_int_equal(x.rows.row[i], i);
	prog_free(&x);
}

static void test_callee_counts(void **state)
{
	(void)state;
	struct prog x = prog_new(), y = prog_new();
	uint32_t r[8], d = fb_reg(&y.b, T_U64);
	for (int i = 0; i < 8; i++)
		r[i] = fb_reg(&x.b, T_U32);
	for (int i = 0; i < 8; i++)
		fb_reg_op(&x.b, OP_SREG, T_U32, 1, 0, r[i]);
	fb_op(&x.b, OP_ST, T_U32, 0, 8, r);
	fb_call(&x.b, &x.b.f, NO_REG); /* recursion ends */
	fb_ret(&x.b, NO_REG);
	fb_reg_op(&y.b, OP_SREG, T_U64, 1, 0, d);
	fb_reg_op(&y.b, OP_ST, T_U64, 0, 1, d);
	assert_int_equal(regs_per_thread(&y.b.f, false), 2 + REGS_ABI);
	fb_call(&y.b, &x.b.f, NO_REG);
	fb_ret(&y.b, NO_REG);
	assert_int_equal(regs_per_thread(&y.b.f, false), 8 + REGS_ABI);
	prog_free(&x);
	prog_free(&y);
}

/* From sm_70 on ptxas counts a thread's own program counter as a register; liveness in the text
 * does not. */
static void test_thread_state(void **state)
{
	(void)state;
	struct prog x = prog_new();
	struct module m = {.target = 61};
	uint32_t r = fb_reg(&x.b, T_U32);
	fb_reg_op(&x.b, OP_SREG, T_U32, 1, 0, r);
	fb_reg_op(&x.b, OP_ST, T_U32, 0, 1, r);
	fb_ret(&x.b, NO_REG);
	x.b.f.module = &m;
	assert_int_equal(regs_per_thread(&x.b.f, true), 1 + REGS_ABI);
	m.target = 70;
	assert_int_equal(regs_per_thread(&x.b.f, true), 1 + REGS_ABI + REGS_THREAD_STATE);
	assert_int_equal(regs_per_thread(&x.b.f, false), 1 + REGS_ABI);
	prog_free(&x);
}

/* An instruction's register field has 7, 6 or 8 bits, and some of its values do not name
 * registers. */
static void test_regs_named(void **state)
{
	(void)state;
	static const struct {
		unsigned target, n;
	} want[] = {{0, 255}, {13, 124}, {20, 63}, {30, 63}, {35, 255}, {70, 255}};
	struct module m = {0};
	struct func f = {.module = &m};
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		m.target = want[i].target;
		assert_int_equal(regs_named(&f), want[i].n);
	}
	f.module = NULL;
	assert_int_equal(regs_named(&f), 255);
}

/* ---- random programs ---- */

enum { MAX_CODE = 48, MAX_REGS = 24, WORDS = 4 };

static uint32_t pick(struct prog *x, struct fb_rng *r, enum type t)
{
	for (;;) {
		uint32_t i = fb_below(r, (uint32_t)x->b.f.regs.n);
		if (x->b.f.regs.v[i].type == t)
			return i;
	}
}

static void random_inst(struct prog *x, struct fb_rng *r, uint32_t n)
{
	uint32_t p = pick(x, r, T_PRED), q = pick(x, r, T_PRED), a = pick(x, r, T_U32),
		 b = pick(x, r, T_U32), c = pick(x, r, T_U32), d = pick(x, r, T_U32),
		 w = pick(x, r, T_U64), v = pick(x, r, T_U64), q4 = pick(x, r, T_B128);
	struct inst *in = NULL;
	switch (fb_below(r, 20)) {
	case 0:
	case 1:
	case 2: in = fb_reg_op(&x->b, OP_ADD, T_U32, 1, 2, a, b, c); break;
	case 3: in = fb_reg_op(&x->b, OP_ADD, T_U64, 1, 2, w, v, w); break;
	case 4: in = fb_reg_op(&x->b, OP_MUL, T_U32, 1, 2, w, b, c), in->mode = MUL_WIDE; break;
	case 5: in = fb_reg_op(&x->b, OP_UNPACK, T_U64, 2, 1, a, b == a ? NO_REG : b, w); break;
	case 6: in = fb_reg_op(&x->b, OP_SHL, T_B64, 1, 2, w, v, c); break;
	case 7:
		in = fb_reg_op(&x->b, OP_SETP, T_PRED, 2, 3, p, q == p ? NO_REG : q, a, b, q);
		break;
	case 8: in = fb_reg_op(&x->b, OP_SELP, T_U32, 1, 3, a, b, c, p); break;
	case 9: in = fb_reg_op(&x->b, OP_SHFL, T_B32, 2, 2, a, p, b, c); break;
	case 10:
		in = fb_reg_op(&x->b, OP_ST, T_U32, 0, 2, w, a), in->opnd[0].kind = OPND_MEM;
		break;
	case 11:
		in = fb_reg_op(&x->b, OP_LD, T_U32, 1, 1, a, w), in->opnd[1].kind = OPND_MEM;
		break;
	case 12: in = fb_reg_op(&x->b, OP_CVT, T_U32, 1, 1, a, w); break;
	case 13: in = fb_reg_op(&x->b, OP_MOV, T_B128, 1, 1, q4, pick(x, r, T_B128)); break;
	case 14: in = fb_reg_op(&x->b, OP_PACK, T_B128, 1, 4, q4, a, b, c, d); break;
	case 15: in = fb_reg_op(&x->b, OP_NOT, T_PRED, 1, 1, p, pick(x, r, T_PRED)); break;
	case 16:
	case 17:
	case 18: fb_bra(&x->b, p, fb_below(r, n)); break;
	default:
		if (fb_below(r, 3))
			fb_bra(&x->b, NO_REG, fb_below(r, n));
		else
			fb_ret(&x->b, fb_below(r, 2) ? p : NO_REG);
	}
	if (in && fb_below(r, 4) == 0)
		in->guard = q;
}

static void random_prog(struct prog *x, struct fb_rng *r)
{
	static const uint8_t type[] = {T_U32, T_U64, T_B128, T_PRED};
	uint32_t nregs = 4 + fb_below(r, MAX_REGS - 4), n = 1 + fb_below(r, MAX_CODE);
	for (uint32_t i = 0; i < nregs; i++)
		fb_reg(&x->b, type[i < 4 ? i : fb_below(r, 4) % 3 == 2 ? 3 : fb_below(r, 2)]);
	for (uint32_t i = 0; i < n; i++)
		random_inst(x, r, n);
}

static bool in_list(uint32_t r, const uint32_t *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (list[i] == r)
			return true;
	return false;
}

static unsigned next_of(const struct func *f, uint32_t i, uint32_t *to)
{
	const struct inst *in = &f->code.v[i];
	unsigned n = 0;
	if (in->op == OP_BRA)
		to[n++] = in->target;
	if ((in->op != OP_BRA && in->op != OP_RET) || in->guard != NO_REG)
		to[n++] = i + 1;
	return n;
}

/* True if a path leads from before instruction i to a read of r without an unguarded write in
 * between. */
static bool path_to_use(const struct func *f, uint32_t i, uint32_t r)
{
	bool seen[MAX_CODE + 1] = {0};
	uint32_t stack[MAX_CODE + 1], depth = 0, regs[INST_REGS], to[2];
	if (i < f->code.n)
		stack[depth++] = i, seen[i] = true;
	while (depth) {
		uint32_t v = stack[--depth];
		const struct inst *in = &f->code.v[v];
		if (in_list(r, regs, inst_uses(f, in, regs)))
			return true;
		if (in->guard == NO_REG && in_list(r, regs, inst_defs(f, in, regs)))
			continue;
		for (unsigned k = next_of(f, v, to); k-- > 0;)
			if (to[k] < f->code.n && !seen[to[k]])
				stack[depth++] = to[k], seen[to[k]] = true;
	}
	return false;
}

static void check_live(const struct prog *x)
{
	const struct func *f = &x->b.f;
	uint32_t regs[INST_REGS], to[2];
	for (uint32_t r = 0; r < f->regs.n; r++) {
		for (uint32_t i = 0; i < f->code.n; i++) {
			if (!cfg_reached(x->c, x->c->block_of[i]))
				continue;
			bool after = in_list(r, regs, inst_defs(f, &f->code.v[i], regs));
			for (unsigned k = next_of(f, i, to); k-- > 0;)
				after |= path_to_use(f, to[k], r);
			assert_int_equal(live_at(&x->live, r, 2 * i), path_to_use(f, i, r));
			assert_int_equal(live_at(&x->live, r, 2 * i + 1), after);
		}
		assert_int_equal(in_list(r, x->live.entry, x->live.nentry), path_to_use(f, 0, r));
	}
}

static bool rows_overlap(const struct prog *x, uint32_t a, uint32_t b)
{
	const struct func *f = &x->b.f;
	unsigned ka = type_rows(f->regs.v[a].type), kb = type_rows(f->regs.v[b].type);
	int32_t ra = x->rows.row[a], rb = x->rows.row[b];
	if (!ka || !kb)
		return !ka && !kb && ra == rb;
	return ra < rb + (int32_t)kb && rb < ra + (int32_t)ka;
}

static void check_rows(const struct prog *x)
{
	const struct func *f = &x->b.f;
	uint32_t use[INST_REGS], def[INST_REGS];
	for (uint32_t a = 0; a < f->regs.n; a++) {
		unsigned k = type_rows(f->regs.v[a].type);
		if (x->rows.row[a] < 0)
			continue;
		if (k)
			assert_true(x->rows.row[a] % k == 0 && x->rows.row[a] + k <= x->rows.nrows);
		else
			assert_true((unsigned)x->rows.row[a] < x->rows.npreds);
		for (uint32_t b = 0; b < a; b++)
			for (uint32_t t = 0; t < 2 * f->code.n; t++)
				if (live_at(&x->live, a, t) && live_at(&x->live, b, t))
					assert_false(rows_overlap(x, a, b));
	}
	for (uint32_t i = 0; i < f->code.n; i++) {
		const struct inst *in = &f->code.v[i];
		unsigned nu = inst_uses(f, in, use), nd = inst_defs(f, in, def);
		if (!cfg_reached(x->c, x->c->block_of[i]))
			continue;
		for (unsigned u = 0; u < nu; u++)
			for (unsigned d = 0; d < nd; d++)
				if (use[u] != def[d] && rows_overlap(x, use[u], def[d]))
					assert_true(rows_simple(in) && use[u] != in->guard &&
						    type_rows(f->regs.v[use[u]].type) ==
							    type_rows(f->regs.v[def[d]].type));
	}
}

/* The registers of one thread twice: private ones, and shared rows with arbitrary contents. */
struct machine {
	uint32_t own[MAX_REGS][WORDS];
	uint32_t row[4 * MAX_REGS], pred[MAX_REGS];
};

static uint32_t *shared_word(struct prog *x, struct machine *m, uint32_t r, unsigned k)
{
	bool is_pred = x->b.f.regs.v[r].type == T_PRED;
	return is_pred ? &m->pred[x->rows.row[r]] : &m->row[x->rows.row[r] + (int32_t)k];
}

static unsigned words(const struct prog *x, uint32_t r)
{
	unsigned k = type_rows(x->b.f.regs.v[r].type);
	return k ? k : 1;
}

/* A walk along a random path; all reads must agree. */
static void execute(struct prog *x, struct fb_rng *r)
{
	const struct func *f = &x->b.f;
	struct machine m = {0};
	uint32_t use[INST_REGS], def[INST_REGS], to[2], pc = 0;
	memset(m.row, 0xa5, sizeof m.row);
	memset(m.pred, 0x5a, sizeof m.pred);
	for (uint32_t i = 0; i < x->rows.nzero_row; i++)
		m.row[x->rows.zero_row[i]] = 0;
	for (uint32_t i = 0; i < x->rows.nzero_pred; i++)
		m.pred[x->rows.zero_pred[i]] = 0;
	for (int step = 0; step < 200 && pc < f->code.n; step++) {
		const struct inst *in = &f->code.v[pc];
		unsigned nu = inst_uses(f, in, use), nd = inst_defs(f, in, def);
		for (unsigned u = 0; u < nu; u++)
			for (unsigned k = 0; k < words(x, use[u]); k++)
				assert_int_equal(*shared_word(x, &m, use[u], k), m.own[use[u]][k]);
		bool writes = in->guard == NO_REG || fb_below(r, 2);
		for (unsigned d = 0; d < nd && writes; d++)
			for (unsigned k = 0; k < words(x, def[d]); k++)
				*shared_word(x, &m, def[d], k) = m.own[def[d]][k] =
					(uint32_t)fb_rand(r);
		unsigned n = next_of(f, pc, to);
		if (!n)
			return;
		pc = to[fb_below(r, n)];
	}
}

/* No brief register is live at the beginning of a block, and brief rows belong to no other
 * register. */
static uint32_t check_brief(struct prog *x)
{
	const bool *brief = brief_find(&x->a, &x->b.f, x->c, &x->live);
	struct rows rows;
	uint32_t n = 0;
	rows_alloc(&rows, &x->a, &x->b.f, &x->live, brief);
	for (uint32_t r = 0; r < x->b.f.regs.n; r++) {
		for (uint32_t b = 0; b < x->c->n && brief[r]; b++)
			assert_false(live_at(&x->live, r, 2 * x->c->block[b].first));
		if (rows.row[r] >= 0 && type_rows(x->b.f.regs.v[r].type))
			assert_int_equal(brief[r],
					 (unsigned)rows.row[r] >= rows.nrows - rows.nbrief);
		n += brief[r] && x->live.at[r] < x->live.at[r + 1];
	}
	return n;
}

static void test_random(void **state)
{
	(void)state;
	uint64_t rows = 0, private = 0, brief = 0;
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct fb_rng r = {seed};
		struct prog x = prog_new();
		struct rows id;
		random_prog(&x, &r);
		prog_run(&x);
		check_live(&x);
		check_rows(&x);
		brief += check_brief(&x);
		for (int i = 0; i < 20; i++)
			execute(&x, &r);
		rows_identity(&id, &x.a, &x.b.f);
		rows += x.rows.nrows, private += id.nrows;
		x.rows = id;
		execute(&x, &r);
		prog_free(&x);
	}
	assert_true(rows * 10 < private * 9); /* and something is shared */
	assert_true(brief > 300);
}

/* ---- loops ---- */

static void test_loops(void **state)
{
	(void)state;
	struct prog x = prog_new();
	uint32_t p = fb_reg(&x.b, T_PRED);
	struct domtree dom;
	struct loops l;
	fb_nop(&x.b);         /* 0: block 0 */
	fb_nop(&x.b);         /* 1: block 1, outer head */
	fb_nop(&x.b);         /* 2: block 2, inner head */
	fb_bra(&x.b, p, 2);   /* 3 */
	fb_bra(&x.b, p, 1);   /* 4: block 3, outer latch */
	fb_bra(&x.b, p, 7);   /* 5: block 4: into the middle of a second loop */
	fb_nop(&x.b);         /* 6: block 5 */
	fb_bra(&x.b, p, 6);   /* 7: block 6 */
	fb_ret(&x.b, NO_REG); /* 8: block 7 */
	prog_run(&x);
	dom_build(&dom, x.c);
	loop_build(&l, x.c, &dom);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.loop[0].header, 1);
	assert_int_equal(l.loop[0].nblocks, 3);
	assert_int_equal(l.loop[1].header, 2);
	assert_int_equal(l.loop[1].parent, 0);
	assert_int_equal(loop_depth(&l, 0), 0);
	assert_int_equal(loop_depth(&l, 2), 2);
	assert_int_equal(loop_depth(&l, 3), 1);
	assert_int_equal(l.nirreducible, 1);
	assert_true(l.irreducible[5] || l.irreducible[6]);
	prog_free(&x);
}

/* Against the definition: the body of header h is h and all that reaches a back edge without h. */
static void check_loops(const struct cfg *c, const struct domtree *dom, const struct loops *l)
{
	uint32_t found = 0, depth[MAX_CODE + 1] = {0};
	for (uint32_t h = 0; h < c->n; h++) {
		bool in[MAX_CODE + 1] = {0}, is_header = false;
		graph_each_pred (&c->g, h, p)
			if (dominates(dom, h, p))
				in[p] = is_header = true;
		if (!is_header)
			continue;
		found++;
		in[h] = true;
		for (bool more = true; more;) {
			more = false;
			for (uint32_t b = 0; b < c->n; b++) {
				if (!in[b] || b == h)
					continue;
				graph_each_pred (&c->g, b, p)
					if (!in[p] && cfg_reached(c, p))
						in[p] = more = true;
			}
		}
		uint32_t size = 0, me = NO_NODE;
		for (uint32_t b = 0; b < c->n; b++)
			size += in[b], depth[b] += in[b];
		for (uint32_t i = 0; i < l->n; i++)
			if (l->loop[i].header == h)
				me = i;
		assert_int_not_equal(me, NO_NODE);
		assert_int_equal(l->loop[me].nblocks, size);
	}
	assert_int_equal(l->n, found);
	for (uint32_t b = 0; b < c->n; b++)
		assert_int_equal(loop_depth(l, b), depth[b]);
}

static void test_random_loops(void **state)
{
	(void)state;
	unsigned irreducible = 0;
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct fb_rng r = {seed};
		struct prog x = prog_new();
		struct domtree dom;
		struct loops l;
		random_prog(&x, &r);
		x.c = cfg_build(&x.a, &x.b.f);
		dom_build(&dom, x.c);
		loop_build(&l, x.c, &dom);
		check_loops(x.c, &dom, &l);
		irreducible += l.nirreducible > 0;
		prog_free(&x);
	}
	assert_true(irreducible > 100);
}

/* ---- size ---- */

static void test_large(void **state)
{
	(void)state;
	enum { REGS = 20000, CODE = 100000 };
	struct fb_rng r = {11};
	struct prog x = prog_new();
	struct rows id;
	uint32_t p = fb_reg(&x.b, T_PRED);
	for (int i = 1; i < REGS; i++)
		fb_reg(&x.b, i % 3 ? T_U32 : T_U64);
	fb_reg_op(&x.b, OP_SETP, T_PRED, 2, 0, p, 1);
	for (uint32_t i = 1; i < CODE; i++) { /* each value is read for a while; loops and ifs */
		uint32_t now = 2 + i / 6, back = now < 41 ? now - 1 : 40,
			 src = now - 1 - fb_below(&r, back);
		if (i % 9 == 8)
			fb_bra(&x.b, p, i % 4 == 0 ? i - fb_below(&r, 8 * (i % 8) + 1) : i + 2);
		else if (i % 9 == 0)
			fb_reg_op(&x.b, OP_ST, T_U32, 0, 1, src);
		else
			fb_reg_op(&x.b, OP_ADD, T_U32, 1, 2, now, src, src);
	}
	fb_ret(&x.b, NO_REG);
	prog_run(&x);
	rows_identity(&id, &x.a, &x.b.f);
	assert_true(id.nrows > 20000);
	assert_true(x.rows.nrows < 300);
	prog_free(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zero_first),
		cmocka_unit_test(test_straight),
		cmocka_unit_test(test_many_at_once),
		cmocka_unit_test(test_hole),
		cmocka_unit_test(test_loop_carried),
		cmocka_unit_test(test_guarded_write_keeps),
		cmocka_unit_test(test_no_partial_overlap),
		cmocka_unit_test(test_shfl_source_is_private),
		cmocka_unit_test(test_native_pairs),
		cmocka_unit_test(test_callee_counts),
		cmocka_unit_test(test_thread_state),
		cmocka_unit_test(test_regs_named),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_random_loops),
		cmocka_unit_test(test_large),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
