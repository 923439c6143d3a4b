/* The reconvergence stack: the running lanes and their pc, path by path, in warps of up to 64
 * lanes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "kernel/reconv.h"

static const lanemask all = ~(lanemask)0, low = 0xffffffffu, high = 0xffffffff00000000u;

/* The top, after all that need not run is gone. */
static void expect_top(struct reconv *s, uint32_t pc, lanemask mask)
{
	assert_true(reconv_settle(s));
	assert_int_equal(reconv_top(s)->pc, pc);
	assert_true(reconv_top(s)->mask == mask);
}

static void two_ways_and_back(void **state)
{
	(void)state;
	struct reconv s = {0};
	reconv_start(&s, 0, all);
	reconv_top(&s)->pc = 5;
	reconv_branch(&s, 20, (struct way){6, low}, (struct way){10, high});
	expect_top(&s, 6, low);
	reconv_top(&s)->pc = 20;
	expect_top(&s, 10, high);
	reconv_top(&s)->pc = 20;
	expect_top(&s, 20, all);
	assert_int_equal(s.n, 1);
	reconv_free(&s);
}

/* A loop that lanes leave one by one needs two paths, whatever its number of iterations. */
static void a_loop_does_not_grow_it(void **state)
{
	(void)state;
	struct reconv s = {0};
	reconv_start(&s, 4, all);
	for (lanemask on = all << 1; on; on <<= 1) {
		reconv_branch(&s, 9, (struct way){9, reconv_top(&s)->mask & ~on},
			      (struct way){4, on});
		expect_top(&s, 4, on);
		assert_true(s.n <= 2);
	}
	reconv_top(&s)->pc = 9;
	expect_top(&s, 9, all);
	reconv_free(&s);
}

static void indexed_branches(void **state)
{
	(void)state;
	struct reconv s = {0};
	uint32_t to[64];
	for (unsigned i = 0; i < 64; i++)
		to[i] = 10 * (i % 3 + 1);
	reconv_start(&s, 3, all);
	reconv_branch_indexed(&s, 30, all & ~(lanemask)1, to); /* lane 0 goes on */
	lanemask seen = 0;
	for (; s.n > 1; reconv_top(&s)->pc = 30, reconv_settle(&s)) {
		assert_true(!(reconv_top(&s)->mask & seen));
		assert_true(reconv_top(&s)->pc ==
			    (reconv_top(&s)->mask == 1
				     ? 4
				     : to[__builtin_ctzll(reconv_top(&s)->mask)]));
		seen |= reconv_top(&s)->mask;
	}
	for (unsigned i = 1; i < 64; i++) /* lanes that branch directly to 30 wait there */
		assert_int_equal(seen >> i & 1, to[i] != 30);
	expect_top(&s, 30, all);
	reconv_free(&s);
}

/* Lane 0 arrives last at a .sync operation of all lanes: they continue as one path. */
static void who_met_stays_together(void **state)
{
	(void)state;
	struct reconv s = {0};
	reconv_start(&s, 1, all);
	reconv_branch(&s, NO_PC, (struct way){8, all & ~(lanemask)1}, (struct way){2, 1});
	expect_top(&s, 8, all & ~(lanemask)1);
	assert_true(!reconv_sync(&s, all & ~(lanemask)1, all, all, SYNC_HERE));
	expect_top(&s, 2, 1);
	reconv_top(&s)->pc = 8;
	assert_true(reconv_sync(&s, 1, all, all, SYNC_HERE) == all);
	reconv_top(&s)->pc++;
	expect_top(&s, 9, all);
	reconv_free(&s);
}

/* They stay apart if their return addresses differ, or if the last lane arrived without its
 * partners. */
static void who_met_apart(void **state)
{
	(void)state;
	struct reconv s = {0};
	reconv_start(&s, 1, all);
	reconv_branch(&s, 20, (struct way){2, low}, (struct way){8, high});
	reconv_settle(&s);
	reconv_branch(&s, 9, (struct way){8, 1}, (struct way){3, low & ~(lanemask)1});
	expect_top(&s, 8, 1);
	assert_true(!reconv_sync(&s, 1, high | 1, all, SYNC_HERE));
	expect_top(&s, 3, low & ~(lanemask)1);
	reconv_top(&s)->pc = 9;
	expect_top(&s, 9, low & ~(lanemask)1);
	reconv_wait(&s, low & ~(lanemask)1, 0);
	expect_top(&s, 8, high);
	assert_true(reconv_sync(&s, high, high | 1, all, SYNC_HERE) == (high | 1));
	assert_true(reconv_top(&s)->mask == high); /* these lanes reconverge at 20, lane 0 at 9 */
	reconv_free(&s);
}

static void nobody_else_can_come(void **state)
{
	(void)state;
	struct reconv s = {0};
	reconv_start(&s, 1, 3);
	reconv_branch(&s, NO_PC, (struct way){8, 1}, (struct way){2, 2});
	assert_true(!reconv_sync(&s, 1, 3, 3, SYNC_HERE));
	expect_top(&s, 2, 2);
	reconv_wait(&s, 2, 0);
	expect_top(&s, 8, 1);
	assert_int_equal(reconv_top(&s)->state, SPLIT_FORCED);
	assert_true(reconv_sync(&s, 1, 3, 3, SYNC_HERE) == 1);
	reconv_free(&s);
}

static void who_waits_for_the_dead_goes_on(void **state)
{
	(void)state;
	struct reconv s = {0};
	reconv_start(&s, 1, 3);
	reconv_branch(&s, NO_PC, (struct way){8, 1}, (struct way){2, 2});
	assert_true(!reconv_sync(&s, 1, 3, 3, SYNC_HERE));
	expect_top(&s, 2, 2);
	reconv_exit(&s, 2, 1);
	expect_top(&s, 8, 1);
	assert_int_equal(reconv_top(&s)->state, SPLIT_READY);
	reconv_free(&s);
}

/* Three paths that poll in vain: each runs once before any runs again. */
static void polls_in_rounds(void **state)
{
	(void)state;
	struct reconv s = {0};
	enum reconv_turn t[9];
	uint32_t turns[3] = {0};
	reconv_start(&s, 1, 7);
	reconv_branch(&s, NO_PC, (struct way){10, 1}, (struct way){2, 6});
	reconv_yield(&s);
	reconv_branch(&s, NO_PC, (struct way){11, 2}, (struct way){12, 4});
	for (uint32_t i = 0; i < s.n; i++)
		s.path[i].polls = false;
	for (unsigned i = 0; i < 9; i++) {
		turns[reconv_top(&s)->pc - 10]++;
		assert_int_equal(turns[0] + turns[1] + turns[2], i + 1);
		for (unsigned k = 0; k < 3; k++)
			assert_true(turns[k] <= i / 3 + 1);
		t[i] = reconv_yield(&s);
		assert_int_equal(t[i], i % 3 == 2 ? RECONV_ROUND : RECONV_NEXT);
	}
	reconv_start(&s, 1, 7);
	assert_int_equal(reconv_yield(&s), RECONV_ALONE);
	reconv_free(&s);
}

static void count_woken(void *arg, const struct split *p) { *(lanemask *)arg |= p->mask; }

static void barriers(void **state)
{
	(void)state;
	struct reconv s = {0};
	lanemask woken = 0;
	reconv_start(&s, 5, all);
	reconv_wait(&s, low, 3);
	expect_top(&s, 6, high);
	assert_true(reconv_waiting(&s, 3) == low);
	assert_true(!reconv_waiting(&s, 2));
	assert_true(reconv_waiting(&s, NBARRIERS) == low);
	assert_int_equal(reconv_where(&s, 0), 5);
	assert_int_equal(reconv_where(&s, 63), 6);
	reconv_wait(&s, high, 2);
	assert_false(reconv_settle(&s));
	assert_false(reconv_wake(&s, 1, count_woken, &woken));
	assert_true(reconv_wake(&s, 3, count_woken, &woken));
	assert_true(woken == low);
	expect_top(&s, 6, low);
	reconv_free(&s);
}

static void calls(void **state)
{
	(void)state;
	struct reconv s = {0};
	struct frame f = {.rows = 8, .depth = 1};
	reconv_start(&s, 5, all);
	reconv_call(&s, low, 100, &f, 6);
	reconv_call(&s, high, 200, &f, 6);
	expect_top(&s, 200, high);
	assert_int_equal(reconv_caller(&s, high)->pc, 6);
	reconv_top(&s)->pc = 210;
	reconv_return(&s, high);
	expect_top(&s, 100, low);
	assert_int_equal(reconv_caller(&s, low)->frame.depth, 0);
	reconv_return(&s, 1);
	expect_top(&s, 101, low & ~(lanemask)1);
	reconv_return(&s, low & ~(lanemask)1);
	expect_top(&s, 6, all);
	reconv_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_ways_and_back),
		cmocka_unit_test(a_loop_does_not_grow_it),
		cmocka_unit_test(indexed_branches),
		cmocka_unit_test(who_met_stays_together),
		cmocka_unit_test(who_met_apart),
		cmocka_unit_test(nobody_else_can_come),
		cmocka_unit_test(who_waits_for_the_dead_goes_on),
		cmocka_unit_test(polls_in_rounds),
		cmocka_unit_test(barriers),
		cmocka_unit_test(calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
