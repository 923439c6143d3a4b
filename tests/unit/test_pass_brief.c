/* Brief registers: values that live within one straight run of instructions, and that their rows
 * belong to no other register. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "func_builder.h"
#include "pass/brief.h"
#include "pass/pass.h"

struct prog {
	struct fb b;
	struct arena a;
	struct live live;
	struct rows rows;
	const bool *brief;
};

static struct prog prog_new(void) { return (struct prog){.b = fb_new(true)}; }

static void prog_run(struct prog *x)
{
	struct cfg *c = cfg_build(&x->a, &x->b.f);
	live_build(&x->live, &x->b.f, c);
	x->brief = brief_find(&x->a, &x->b.f, c, &x->live);
	rows_alloc(&x->rows, &x->a, &x->b.f, &x->live, x->brief);
}

static void prog_free(struct prog *x)
{
	arena_free(&x->a);
	fb_free(&x->b);
}

/* Asserts that brief registers have the last rows, and only those. */
static void assert_rows_apart(const struct prog *x)
{
	for (uint32_t r = 0; r < x->b.f.regs.n; r++)
		if (x->rows.row[r] >= 0 && type_rows(x->b.f.regs.v[r].type))
			assert_int_equal(x->brief[r], (unsigned)x->rows.row[r] >=
							      x->rows.nrows - x->rows.nbrief);
}

static struct inst *sreg(struct prog *x, uint32_t d)
{
	return fb_reg_op(&x->b, OP_SREG, T_U32, 1, 0, d);
}
static struct inst *add(struct prog *x, uint32_t d, uint32_t a, uint32_t b)
{
	return fb_reg_op(&x->b, OP_ADD, T_U32, 1, 2, d, a, b);
}
static struct inst *use(struct prog *x, uint32_t a)
{
	return fb_reg_op(&x->b, OP_ST, T_U32, 0, 1, a);
}

/* The example of brief.h. */
static void a_barrier_ends_a_run(void **state)
{
	(void)state;
	struct prog x = prog_new();
	uint32_t a = fb_reg(&x.b, T_U32), b = fb_reg(&x.b, T_U32), c = fb_reg(&x.b, T_U32);
	sreg(&x, a);
	add(&x, b, a, a);
	fb_reg_op(&x.b, OP_BAR, T_NONE, 0, 0, 0);
	add(&x, c, b, b);
	use(&x, c);
	fb_ret(&x.b, NO_REG);
	prog_run(&x);
	assert_true(x.brief[a]);
	assert_false(x.brief[b]);
	assert_true(x.brief[c]);
	assert_rows_apart(&x);
	assert_int_equal(x.rows.nbrief, 1); /* %a and %c share a row */
	prog_free(&x);
}

/* Operands of an instruction that waits must still exist when its lanes continue. */
static void what_a_barrier_reads_is_not_brief(void **state)
{
	(void)state;
	struct prog x = prog_new();
	uint32_t a = fb_reg(&x.b, T_U32), d = fb_reg(&x.b, T_U32);
	sreg(&x, a);
	fb_reg_op(&x.b, OP_BAR, T_U32, 1, 1, d, a);
	use(&x, d);
	fb_ret(&x.b, NO_REG);
	prog_run(&x);
	assert_false(x.brief[a]);
	assert_false(x.brief[d]); /* written when the barrier opens */
	assert_int_equal(x.rows.nbrief, 0);
	prog_free(&x);
}

/* A load that programs poll with: other lanes may run after it, but not before. */
static void a_poll_ends_a_run_behind_it(void **state)
{
	(void)state;
	static const struct {
		unsigned mods, cop;
		bool waits;
	} kinds[] = {{0, COP_NONE, false},
		     {0, COP_CA, false},
		     {0, COP_CG, true},
		     {0, COP_CV, true},
		     {M_VOLATILE, COP_NONE, true}};
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct prog x = prog_new();
		uint32_t address = fb_reg(&x.b, T_U32), kept = fb_reg(&x.b, T_U32),
			 got = fb_reg(&x.b, T_U32);
		sreg(&x, address);
		sreg(&x, kept);
		struct inst *in = fb_reg_op(&x.b, OP_LD, T_U32, 1, 1, got, address);
		in->space = SP_GLOBAL;
		in->mods = kinds[i].mods;
		in->cop = (uint8_t)kinds[i].cop;
		add(&x, got, got, kept);
		use(&x, got);
		fb_ret(&x.b, NO_REG);
		prog_run(&x);
		assert_true(x.brief[address]);
		assert_int_equal(x.brief[kept], !kinds[i].waits);
		assert_true(x.brief[got]);
		assert_rows_apart(&x);
		prog_free(&x);
	}
}

/* Other lanes may wait at the beginning of a block, where these values live. */
static void what_a_block_ends_with_is_not_brief(void **state)
{
	(void)state;
	struct prog x = prog_new();
	uint32_t p = fb_reg(&x.b, T_PRED), count = fb_reg(&x.b, T_U32), t = fb_reg(&x.b, T_U32),
		 never = fb_reg(&x.b, T_U32);
	sreg(&x, count);                                  /* 0 */
	add(&x, t, count, count);                         /* 1: the loop's head */
	use(&x, t);                                       /* 2 */
	add(&x, count, count, never);                     /* 3: %never is read, never written */
	fb_reg_op(&x.b, OP_SETP, T_PRED, 1, 1, p, count); /* 4 */
	fb_bra(&x.b, p, 1);                               /* 5 */
	fb_ret(&x.b, NO_REG);
	prog_run(&x);
	assert_true(x.brief[t]);
	assert_false(x.brief[count]);
	assert_false(x.brief[never]); /* must read zero */
	assert_false(x.brief[p]);
	assert_rows_apart(&x);
	prog_free(&x);
}

/* The next block lies elsewhere in the text: live ranges there do not interfere. */
static void blocks_need_not_be_neighbours(void **state)
{
	(void)state;
	struct prog x = prog_new();
	uint32_t p = fb_reg(&x.b, T_PRED), over = fb_reg(&x.b, T_U32), t = fb_reg(&x.b, T_U32),
		 last = fb_reg(&x.b, T_U32), unread = fb_reg(&x.b, T_U32);
	fb_reg_op(&x.b, OP_SETP, T_PRED, 1, 1, p, t); /* 0 */
	fb_bra(&x.b, NO_REG, 5);                      /* 1 */
	add(&x, last, over, over);                    /* 2: %over lives here */
	use(&x, last);                                /* 3 */
	fb_ret(&x.b, NO_REG);                         /* 4 */
	sreg(&x, over);                               /* 5 */
	sreg(&x, unread);                             /* 6 */
	fb_bra(&x.b, p, 2);                           /* 7: and up to this instruction */
	sreg(&x, t);                                  /* 8 */
	use(&x, t);                                   /* 9 */
	fb_ret(&x.b, NO_REG);
	prog_run(&x);
	assert_false(x.brief[over]);
	assert_true(x.brief[last]);
	assert_true(x.brief[unread]);
	assert_false(x.brief[t]); /* read before its first write */
	assert_rows_apart(&x);
	prog_free(&x);
}

/* A wide register begins at a multiple of its width, after any number of narrow ones. */
static void wide_registers_stay_aligned(void **state)
{
	(void)state;
	struct prog x = prog_new();
	uint32_t held = fb_reg(&x.b, T_U32), wide = fb_reg(&x.b, T_U64);
	sreg(&x, held);
	fb_reg_op(&x.b, OP_SREG, T_U64, 1, 0, wide);
	use(&x, wide);
	fb_reg_op(&x.b, OP_BAR, T_NONE, 0, 0, 0);
	use(&x, held);
	fb_ret(&x.b, NO_REG);
	prog_run(&x);
	assert_true(x.brief[wide] && !x.brief[held]);
	assert_int_equal(x.rows.row[wide] % 2, 0);
	assert_true((unsigned)x.rows.row[wide] + 2 <= x.rows.nrows);
	assert_rows_apart(&x);
	prog_free(&x);
}

/* Operations whose time or further results depend on each lane execute only their own lanes. */
static void only_plain_integer_operations_take_all_lanes(void **state)
{
	(void)state;
	struct inst in = {.op = OP_ADD, .type = T_U32, .nd = 1, .ns = 2};
	assert_true(brief_op(&in));
	in.mods = M_CC;
	assert_false(brief_op(&in));
	in.mods = 0;
	in.type = T_F32;
	assert_false(brief_op(&in));
	in = (struct inst){.op = OP_DIV, .type = T_U32, .nd = 1, .ns = 2};
	assert_false(brief_op(&in));
	in.op = OP_MUL;
	assert_true(brief_op(&in));
	in.op = OP_ADDC;
	assert_false(brief_op(&in));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_barrier_ends_a_run),
		cmocka_unit_test(what_a_barrier_reads_is_not_brief),
		cmocka_unit_test(a_poll_ends_a_run_behind_it),
		cmocka_unit_test(what_a_block_ends_with_is_not_brief),
		cmocka_unit_test(blocks_need_not_be_neighbours),
		cmocka_unit_test(wide_registers_stay_aligned),
		cmocka_unit_test(only_plain_integer_operations_take_all_lanes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
