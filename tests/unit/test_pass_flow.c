/* Blocks, dominators, post-dominators and reconvergence: small graphs with known answers, then
 * random ones against definitions evaluated by brute force. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "func_builder.h"
#include "pass/pass.h"

/* ---- known answers ---- */

struct flow {
	struct fb b;
	struct arena a;
	struct cfg *c;
	struct domtree dom, pdom;
	uint32_t p, r; /* a predicate and a data register */
};

static struct flow flow_new(bool entry)
{
	struct flow x = {.b = fb_new(entry)};
	x.p = fb_reg(&x.b, T_PRED);
	x.r = fb_reg(&x.b, T_U32);
	return x;
}

static void flow_run(struct flow *x)
{
	x->c = cfg_build(&x->a, &x->b.f);
	dom_build(&x->dom, x->c);
	pdom_build(&x->pdom, x->c);
	reconv_run(&x->b.f);
}

static void flow_free(struct flow *x)
{
	arena_free(&x->a);
	fb_free(&x->b);
}

#define RECONV(x, i) ((x)->b.f.code.v[i].reconv)

static void test_diamond(void **state)
{
	(void)state;
	struct flow x = flow_new(true);
	fb_bra(&x.b, x.p, 3); /* 0 */
	fb_nop(&x.b);
	fb_bra(&x.b, NO_REG, 4);
	fb_nop(&x.b);         /* 3 */
	fb_ret(&x.b, NO_REG); /* 4 */
	flow_run(&x);
	assert_int_equal(x.c->n, 4);
	assert_int_equal(x.dom.idom[3], 0);
	assert_int_equal(x.pdom.idom[0], 3);
	assert_int_equal(RECONV(&x, 0), 4);
	assert_int_equal(RECONV(&x, 2), NO_PC);
	assert_int_equal(RECONV(&x, 4), NO_PC);
	assert_true(dominates(&x.dom, 0, 3));
	assert_false(dominates(&x.dom, 1, 3));
	flow_free(&x);
}

static void test_loop_break_continue(void **state)
{
	(void)state;
	struct flow x = flow_new(true);
	fb_nop(&x.b);         /* 0 */
	fb_bra(&x.b, x.p, 6); /* 1 header: while */
	fb_bra(&x.b, x.p, 1); /* 2 continue */
	fb_bra(&x.b, x.p, 6); /* 3 break */
	fb_nop(&x.b);         /* 4 */
	fb_bra(&x.b, x.p, 1); /* 5 latch */
	fb_ret(&x.b, NO_REG); /* 6 */
	flow_run(&x);
	assert_int_equal(RECONV(&x, 1), 6);
	assert_int_equal(RECONV(&x, 2), 6);
	assert_int_equal(RECONV(&x, 3), 6);
	assert_int_equal(RECONV(&x, 5), 6);
	flow_free(&x);
}

static void test_multi_exit(void **state)
{
	(void)state;
	struct flow x = flow_new(false); /* a function: two rets are two regular ends */
	fb_bra(&x.b, x.p, 2);
	fb_ret(&x.b, NO_REG);
	fb_bra(&x.b, x.p, 4); /* 2 */
	fb_nop(&x.b);
	fb_ret(&x.b, NO_REG); /* 4 */
	flow_run(&x);
	assert_int_equal(RECONV(&x, 0), NO_PC);
	assert_int_equal(RECONV(&x, 2), 4);
	flow_free(&x);
}

/* Each kind of arm that never returns: the branch still reconverges at the join. */
static void test_dead_arm(void **state)
{
	(void)state;
	static const struct func abort_func = {.name = "die", .noreturn = true};
	for (int how = 0; how < 3; how++) {
		struct flow x = flow_new(true);
		fb_bra(&x.b, x.p, 5); /* 0 */
		fb_bra(&x.b, x.p, 3); /* 1 */
		if (how == 0)
			fb_exit(&x.b, NO_REG); /* 2 */
		else if (how == 1)
			fb_trap(&x.b, NO_REG);
		else
			fb_call(&x.b, &abort_func, NO_REG);
		fb_nop(&x.b);         /* 3 */
		fb_nop(&x.b);         /* 4 */
		fb_nop(&x.b);         /* 5 */
		fb_ret(&x.b, NO_REG); /* 6 */
		flow_run(&x);
		assert_int_equal(RECONV(&x, 0), 5);
		assert_int_equal(RECONV(&x, 1), 3);
		flow_free(&x);
	}
}

/* An unreachable block at the end, as clang leaves it: control falls off the end. */
static void test_falls_off(void **state)
{
	(void)state;
	struct flow x = flow_new(true);
	fb_bra(&x.b, x.p, 4); /* 0 */
	fb_nop(&x.b);
	fb_nop(&x.b);
	fb_ret(&x.b, NO_REG); /* 3 */
	fb_bra(&x.b, x.p, 1); /* 4 */
	fb_nop(&x.b);         /* 5: falls off the end */
	flow_run(&x);
	assert_int_equal(RECONV(&x, 0), 1);
	assert_int_equal(RECONV(&x, 4), 1);
	assert_int_equal(x.c->block[x.c->n - 1].leave, LEAVE_FALL);
	flow_free(&x);
}

static void test_only_exits(void **state)
{
	(void)state;
	struct flow x = flow_new(true);
	fb_exit(&x.b, x.p);    /* 0: early out */
	fb_bra(&x.b, x.p, 4);  /* 1 */
	fb_exit(&x.b, x.p);    /* 2: guarded: the other threads continue */
	fb_nop(&x.b);          /* 3 */
	fb_bra(&x.b, x.p, 6);  /* 4 */
	fb_trap(&x.b, NO_REG); /* 5: an assertion in a kernel that ends in exit */
	fb_exit(&x.b, NO_REG); /* 6 */
	flow_run(&x);
	assert_int_equal(RECONV(&x, 1), 4);
	assert_int_equal(RECONV(&x, 4), 6);
	assert_int_equal(RECONV(&x, 0), NO_PC);
	flow_free(&x);
}

/* If only a trap follows, branches reconverge on the way to it. */
static void test_inside_dead_region(void **state)
{
	(void)state;
	struct flow x = flow_new(true);
	fb_bra(&x.b, x.p, 5);  /* 0 */
	fb_bra(&x.b, x.p, 3);  /* 1 */
	fb_nop(&x.b);          /* 2 */
	fb_nop(&x.b);          /* 3 */
	fb_trap(&x.b, NO_REG); /* 4 */
	fb_ret(&x.b, NO_REG);  /* 5 */
	flow_run(&x);
	assert_int_equal(RECONV(&x, 0), 5);
	assert_int_equal(RECONV(&x, 1), 3);
	flow_free(&x);
}

static void test_guarded_ret(void **state)
{
	(void)state;
	for (int entry = 0; entry < 2; entry++) {
		struct flow x = flow_new(entry);
		fb_bra(&x.b, x.p, 3); /* 0 */
		fb_ret(&x.b, x.p);    /* 1 */
		fb_nop(&x.b);         /* 2 */
		fb_nop(&x.b);         /* 3 */
		fb_ret(&x.b, NO_REG);
		flow_run(&x);
		/* a function's threads meet at its end; a kernel's threads exit */
		assert_int_equal(RECONV(&x, 0), entry ? 3 : NO_PC);
		flow_free(&x);
	}
}

static void test_irreducible(void **state)
{
	(void)state;
	struct flow x = flow_new(true);
	fb_bra(&x.b, x.p, 3); /* 0: into the middle */
	fb_nop(&x.b);         /* 1 */
	fb_nop(&x.b);         /* 2 */
	fb_nop(&x.b);         /* 3 */
	fb_bra(&x.b, x.p, 1); /* 4 */
	fb_ret(&x.b, NO_REG); /* 5 */
	flow_run(&x);
	assert_int_equal(RECONV(&x, 0), 3);
	assert_int_equal(RECONV(&x, 4), 5);
	assert_int_equal(x.dom.idom[x.c->block_of[3]], 0);
	assert_int_equal(x.dom.idom[x.c->block_of[1]], 0);
	flow_free(&x);
}

static void test_endless_loop(void **state)
{
	(void)state;
	struct flow x = flow_new(true);
	fb_bra(&x.b, x.p, 6);    /* 0 */
	fb_bra(&x.b, x.p, 4);    /* 1: if in an endless loop */
	fb_nop(&x.b);            /* 2 */
	fb_bra(&x.b, NO_REG, 5); /* 3 */
	fb_nop(&x.b);            /* 4 */
	fb_bra(&x.b, NO_REG, 1); /* 5: latch */
	fb_nop(&x.b);            /* 6 */
	fb_ret(&x.b, NO_REG);    /* 7 */
	flow_run(&x);
	assert_int_equal(RECONV(&x, 0), 6);
	assert_int_equal(RECONV(&x, 1), 5);
	for (uint32_t b = 0; b < x.c->n; b++)
		assert_true(x.pdom.in[b] != NO_NODE);
	flow_free(&x);
}

static void test_self_loop_only(void **state)
{
	(void)state;
	struct flow x = flow_new(true);
	fb_bra(&x.b, NO_REG, 0);
	flow_run(&x);
	assert_int_equal(x.c->n, 1);
	assert_int_equal(x.pdom.idom[0], 1);
	assert_false(cfg_reached(x.c, 1));
	flow_free(&x);
}

static void test_switch(void **state)
{
	(void)state;
	struct flow x = flow_new(true);
	fb_brx(&x.b, x.r, 5, (const uint32_t[]){1, 3, 1, 5, 3}); /* 0 */
	fb_nop(&x.b);                                            /* 1 */
	fb_bra(&x.b, NO_REG, 6);
	fb_nop(&x.b); /* 3: falls through to 5 */
	fb_nop(&x.b);
	fb_nop(&x.b);         /* 5 */
	fb_ret(&x.b, NO_REG); /* 6 */
	flow_run(&x);
	assert_int_equal(x.c->g.succ_at[1] - x.c->g.succ_at[0], 3); /* unique edges */
	assert_int_equal(RECONV(&x, 0), 6);
	flow_free(&x);
}

static void test_unreachable(void **state)
{
	(void)state;
	struct flow x = flow_new(true);
	fb_bra(&x.b, NO_REG, 2);
	fb_bra(&x.b, x.p, 0); /* 1: never reached, and must not count as a predecessor */
	fb_bra(&x.b, x.p, 4); /* 2 */
	fb_nop(&x.b);
	fb_ret(&x.b, NO_REG); /* 4 */
	flow_run(&x);
	assert_false(cfg_reached(x.c, 1));
	assert_int_equal(x.dom.idom[1], NO_NODE);
	assert_int_equal(x.dom.idom[x.c->block_of[2]], 0);
	assert_int_equal(RECONV(&x, 1), NO_PC);
	assert_int_equal(RECONV(&x, 2), 4);
	flow_free(&x);
}

static void test_empty(void **state)
{
	(void)state;
	struct flow x = flow_new(true);
	flow_run(&x);
	assert_int_equal(x.c->n, 0);
	assert_int_equal(x.c->rpo.n, 1);
	flow_free(&x);
}

static void test_uni_and_calls(void **state)
{
	(void)state;
	static const struct func callee = {.name = "g"};
	struct flow x = flow_new(true);
	fb_bra(&x.b, x.p, 3); /* 0: .uni is not believed */
	x.b.f.code.v[0].mods |= M_UNI;
	fb_call(&x.b, &callee, NO_REG);
	fb_call(&x.b, &callee, x.p);
	fb_ret(&x.b, NO_REG); /* 3 */
	flow_run(&x);
	assert_int_equal(x.c->n, 3);
	assert_int_equal(RECONV(&x, 0), 3);
	flow_free(&x);
}

/* ---- random programs against definitions ---- */

enum { MAX_CODE = 40 };

static void random_code(struct flow *x, struct fb_rng *r)
{
	static const struct func die = {.name = "die", .noreturn = true};
	uint32_t n = 1 + fb_below(r, MAX_CODE), dull = fb_below(r, 12);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t guard = fb_below(r, 2) ? x->p : NO_REG;
		uint32_t to[4];
		for (int k = 0; k < 4; k++)
			to[k] = fb_below(r, n + (fb_below(r, 8) == 0)); /* the end too, rarely */
		switch (fb_below(r, 14 + dull)) {
		case 0:
		case 1:
		case 2:
		case 3:
		case 4: fb_bra(&x->b, x->p, to[0]); break;
		case 5:
		case 6: fb_bra(&x->b, guard, to[0]); break;
		case 7: fb_brx(&x->b, x->r, 1 + fb_below(r, 4), to); break;
		case 8: fb_ret(&x->b, guard); break;
		case 9: fb_exit(&x->b, guard); break;
		case 10: fb_trap(&x->b, guard); break;
		case 11: fb_call(&x->b, &die, guard); break;
		default: fb_nop(&x->b);
		}
	}
}

/* Successors of instruction i, and how control leaves it: written from the definition. */
static void next_of(const struct func *f, uint32_t i, bool *to, unsigned *leave)
{
	const struct inst *in = &f->code.v[i];
	uint32_t n = (uint32_t)f->code.n;
	bool stays = true, guarded = in->guard != NO_REG;
	*leave = LEAVE_NEVER;
	memset(to, 0, n + 1);
	if (in->op == OP_BRA)
		to[in->target] = 1, stays = guarded;
	if (in->op == OP_BRX) {
		for (uint32_t k = 0; k < f->targets.v[in->imm].n; k++)
			to[f->targets.v[in->imm].pc[k]] = 1;
		stays = guarded;
	}
	if (stays && (guarded || (in->op != OP_RET && in->op != OP_EXIT && in->op != OP_TRAP &&
				  in->op != OP_CALL)))
		to[i + 1] = 1;
	if (to[n])
		*leave = LEAVE_FALL;
	unsigned way = in->op == OP_RET                         ? LEAVE_RET
		       : in->op == OP_EXIT                      ? LEAVE_EXIT
		       : in->op == OP_TRAP || in->op == OP_CALL ? LEAVE_TRAP
								: LEAVE_NEVER;
	if (guarded && way != LEAVE_NEVER && (f->entry || way != LEAVE_RET))
		way = LEAVE_SOME;
	if (way < *leave)
		*leave = way;
	if (way != LEAVE_NEVER)
		to[n] = 1;
}

enum { MAX_NODE = MAX_CODE + 1 };

/* Nodes reached from `from` in `adj` without entering `without`. */
static void reach(uint32_t n, bool adj[MAX_NODE][MAX_NODE], uint32_t from, uint32_t without,
		  bool *out)
{
	uint32_t stack[MAX_NODE], depth = 0;
	memset(out, 0, n);
	if (from == without)
		return;
	out[from] = 1;
	stack[depth++] = from;
	while (depth) {
		uint32_t v = stack[--depth];
		for (uint32_t s = 0; s < n; s++)
			if (adj[v][s] && !out[s] && s != without) {
				out[s] = 1;
				stack[depth++] = s;
			}
	}
}

/* dominates() and idom against "every path from the root goes through a". */
static void check_tree(const struct domtree *t, uint32_t n, bool adj[MAX_NODE][MAX_NODE],
		       uint32_t root)
{
	bool all[MAX_NODE], left[MAX_NODE];
	reach(n, adj, root, NO_NODE, all);
	for (uint32_t a = 0; a < n; a++) {
		reach(n, adj, root, a, left);
		for (uint32_t b = 0; b < n; b++) {
			assert_int_equal(dominates(t, a, b), all[a] && all[b] && !left[b]);
			if (b == root || !all[b])
				assert_int_equal(t->idom[b], NO_NODE);
		}
	}
	for (uint32_t b = 0; b < n; b++) {
		uint32_t d = t->idom[b];
		if (b == root || !all[b])
			continue;
		assert_true(d < n && d != b && dominates(t, d, b));
		for (uint32_t a = 0; a < n; a++)
			if (a != b && dominates(t, a, b))
				assert_true(dominates(t, a, d));
	}
}

static void check_blocks(const struct flow *x, bool adj[MAX_NODE][MAX_NODE])
{
	const struct func *f = &x->b.f;
	const struct cfg *c = x->c;
	bool to[MAX_CODE + 1];
	unsigned leave;
	memset(adj, 0, sizeof(bool[MAX_NODE][MAX_NODE]));
	for (uint32_t i = 0; i < f->code.n; i++) {
		uint32_t b = c->block_of[i];
		assert_true(c->block[b].first <= i && i < c->block[b].end);
		next_of(f, i, to, &leave);
		for (uint32_t j = 0; j <= f->code.n; j++) {
			if (!to[j])
				continue;
			if (j == i + 1 && j < c->block[b].end)
				continue; /* inside a block */
			assert_int_equal(i, c->block[b].end - 1);
			assert_int_equal(j, c->block[c->block_of[j]].first);
			adj[b][c->block_of[j]] = 1;
		}
		assert_int_equal(c->block[b].leave,
				 i == c->block[b].end - 1 ? leave : c->block[b].leave);
	}
	for (uint32_t b = 0; b <= c->n; b++) {
		uint32_t edges = 0, in_edges = 0;
		for (uint32_t s = 0; s <= c->n; s++)
			edges += adj[b][s], in_edges += adj[s][b];
		assert_int_equal(c->g.succ_at[b + 1] - c->g.succ_at[b], edges);
		assert_int_equal(c->g.pred_at[b + 1] - c->g.pred_at[b], in_edges);
		graph_each_succ (&c->g, b, s)
			assert_true(adj[b][s]);
		graph_each_pred (&c->g, b, p)
			assert_true(adj[p][b]);
	}
}

/* The definition of post-dominators, evaluated per exit; false if there are endless loops. */
static bool reference_reverse(const struct flow *x, bool adj[MAX_NODE][MAX_NODE],
			      bool rev[MAX_NODE][MAX_NODE])
{
	const struct cfg *c = x->c;
	bool from0[MAX_NODE], out[MAX_NODE], inner[MAX_NODE][MAX_NODE], total = true;
	unsigned way[MAX_NODE];
	memcpy(inner, adj, sizeof inner);
	memset(rev, 0, sizeof inner);
	for (uint32_t b = 0; b < c->n; b++)
		inner[b][c->n] = 0;
	reach(c->n, inner, 0, NO_NODE, from0);
	for (uint32_t b = 0; b < c->n; b++) {
		reach(c->n, inner, b, NO_NODE, out);
		way[b] = LEAVE_NEVER;
		for (uint32_t s = 0; s < c->n; s++)
			if (out[s] && c->block[s].leave < way[b])
				way[b] = c->block[s].leave;
		total &= way[b] != LEAVE_NEVER || !from0[b];
	}
	for (uint32_t b = 0; b < c->n; b++) {
		if (!from0[b])
			continue;
		for (uint32_t s = 0; s < c->n; s++)
			rev[s][b] = inner[b][s] && way[b] == way[s];
		rev[c->n][b] = way[b] != LEAVE_NEVER && c->block[b].leave == way[b];
	}
	return total;
}

static void check_random(uint64_t seed, unsigned *total)
{
	struct fb_rng r = {seed};
	struct flow x = flow_new(fb_below(&r, 2));
	bool adj[MAX_NODE][MAX_NODE], rev[MAX_NODE][MAX_NODE], from0[MAX_NODE];
	random_code(&x, &r);
	flow_run(&x);
	const struct cfg *c = x.c;
	check_blocks(&x, adj);
	reach(c->n + 1, adj, 0, NO_NODE, from0);
	for (uint32_t b = 0; b <= c->n; b++)
		assert_int_equal(cfg_reached(c, b), from0[b]);
	check_tree(&x.dom, c->n + 1, adj, 0);
	if (reference_reverse(&x, adj, rev)) {
		check_tree(&x.pdom, c->n + 1, rev, c->n);
		++*total;
	}
	for (uint32_t b = 0; b < c->n; b++) {
		struct inst *in = &x.b.f.code.v[c->block[b].end - 1];
		uint32_t p = x.pdom.idom[b];
		assert_int_equal(p != NO_NODE, from0[b]); /* blocks in endless loops have a
							   * post-dominator too */
		if (inst_may_diverge(in) && from0[b])
			assert_int_equal(in->reconv, p == c->n ? NO_PC : c->block[p].first);
		else
			assert_int_equal(in->reconv, NO_PC);
	}
	flow_free(&x);
}

static void test_random(void **state)
{
	(void)state;
	unsigned total = 0;
	for (uint64_t seed = 1; seed <= 6000; seed++)
		check_random(seed, &total);
	assert_true(total > 2000); /* enough graphs without endless loops */
}

/* Sizes that break recursion and quadratic algorithms. */
static void test_large(void **state)
{
	(void)state;
	enum { N = 200000 };
	for (int shape = 0; shape < 3; shape++) {
		struct flow x = flow_new(true);
		struct fb_rng r = {7};
		for (uint32_t i = 0; i < N; i++) {
			uint32_t to = shape == 0   ? N         /* all leave early */
				      : shape == 1 ? N - 1 - i /* nested both ways */
						   : fb_below(&r, N);
			fb_bra(&x.b, x.p, to);
		}
		fb_ret(&x.b, NO_REG);
		flow_run(&x);
		assert_true(x.c->n >= N);
		for (uint32_t i = 0; i < N; i++)
			if (shape == 0)
				assert_int_equal(RECONV(&x, i), N);
		flow_free(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diamond),
		cmocka_unit_test(test_loop_break_continue),
		cmocka_unit_test(test_multi_exit),
		cmocka_unit_test(test_dead_arm),
		cmocka_unit_test(test_falls_off),
		cmocka_unit_test(test_only_exits),
		cmocka_unit_test(test_inside_dead_region),
		cmocka_unit_test(test_guarded_ret),
		cmocka_unit_test(test_irreducible),
		cmocka_unit_test(test_endless_loop),
		cmocka_unit_test(test_self_loop_only),
		cmocka_unit_test(test_switch),
		cmocka_unit_test(test_unreachable),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_uni_and_calls),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_large),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
