/* The order of thread frontiers: graphs with known answers, then random ones against the
 * definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "pass/priority.h"

enum { MAX = 24 };

/* A flow graph from its edges; node n - 1 is the exit. */
static struct cfg *graph_of(struct arena *a, uint32_t n, const struct edge *e, size_t ne)
{
	struct cfg *c = ARENA_NEW(a, struct cfg);
	c->n = n - 1;
	graph_build(&c->g, a, n, e, ne);
	graph_rpo(&c->rpo, a, &c->g, 0);
	return c;
}

static void assert_order(uint32_t n, const struct edge *e, size_t ne, const uint32_t *want)
{
	struct arena a = {0};
	uint32_t *at = priority_build(&a, graph_of(&a, n, e, ne));
	for (uint32_t i = 0; i < n; i++)
		if (at[want[i]] != i)
			fail_msg("node %u is at %u, expected %u", want[i], at[want[i]], i);
	arena_free(&a);
}
#define ORDER(n, edges, ...)                                                                       \
	assert_order(n, edges, sizeof(edges) / sizeof *(edges), (const uint32_t[]){__VA_ARGS__})

static void a_condition_with_short_circuits(void **state)
{
	(void)state;
	static const struct edge e[] = {{0, 1}, {0, 2}, {1, 2}, {1, 5}, {2, 3},
					{2, 4}, {3, 4}, {3, 5}, {4, 5}};
	ORDER(6, e, 0, 1, 2, 3, 4, 5);
	/* The blocks above in another order: 4 is `b`, 1 is `c`. */
	static const struct edge f[] = {{0, 4}, {0, 1}, {4, 1}, {4, 5}, {1, 3},
					{1, 2}, {3, 2}, {3, 5}, {2, 5}};
	ORDER(6, f, 0, 4, 1, 3, 2, 5);
}

static void what_follows_a_loop_comes_after_it(void **state)
{
	(void)state;
	/* The exit of loop 1 2 3 precedes its body in the text, and occurs once more inside the
	 * inner loop. */
	static const struct edge e[] = {{0, 2}, {2, 1}, {2, 3}, {3, 3},
					{3, 4}, {3, 1}, {4, 2}, {1, 5}};
	ORDER(6, e, 0, 2, 3, 4, 1, 5);
	/* Three nested loops, 1 in 2 in 3, with exits from the innermost. */
	static const struct edge f[] = {{0, 3}, {3, 2}, {2, 1}, {1, 1}, {1, 2}, {1, 3}, {1, 4}};
	ORDER(5, f, 0, 3, 2, 1, 4);
}

static void a_loop_with_two_entries_is_one_loop(void **state)
{
	(void)state;
	static const struct edge e[] = {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {2, 3}, {1, 3}};
	struct arena a = {0};
	uint32_t *at = priority_build(&a, graph_of(&a, 4, e, 6));
	assert_int_equal(at[0], 0);
	assert_int_equal(at[1] + at[2], 3);
	assert_int_equal(at[3], 3);
	arena_free(&a);
}

/* ---- the definition ---- */

static void close_reach(uint32_t n, bool reach[MAX][MAX])
{
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; j < n; j++)
				reach[i][j] |= reach[i][k] && reach[k][j];
}

/* Checks the nodes seq[lo .. hi-1], ignoring edges to the heads of the components that contain
 * them: components are contiguous, in topological order, and each is again in such an order after
 * its first node. */
static void assert_weakly_ordered(uint32_t n, bool edge[MAX][MAX], const uint32_t *seq, uint32_t lo,
				  uint32_t hi)
{
	bool reach[MAX][MAX] = {{0}};
	for (uint32_t i = lo; i < hi; i++)
		for (uint32_t j = lo; j < hi; j++)
			reach[seq[i]][seq[j]] = edge[seq[i]][seq[j]];
	close_reach(n, reach);
	for (uint32_t i = lo; i < hi;) {
		uint32_t v = seq[i], end = i + 1;
		while (end < hi && reach[v][seq[end]] && reach[seq[end]][v])
			end++;
		for (uint32_t j = end; j < hi; j++)
			if (reach[seq[j]][v])
				fail_msg(
					"node %u leads to %u, which is before it and in no loop with it",
					seq[j], v);
		if (end - i > 1)
			assert_weakly_ordered(n, edge, seq, i + 1, end);
		i = end;
	}
}

static void random_graphs(void **state)
{
	(void)state;
	uint32_t seed = 1;
#define RANDOM(n) ((seed = seed * 1103515245 + 12345) >> 16) % (n)
	for (unsigned round = 0; round < 4000; round++) {
		uint32_t n = 2 + RANDOM(MAX - 2), ne = 0, seq[MAX];
		bool edge[MAX][MAX] = {{0}};
		struct edge e[2 * MAX];
		for (uint32_t v = 0; v + 1 < n; v++)
			for (uint32_t k = 0, d = 1 + RANDOM(2); k < d; k++) {
				uint32_t to = RANDOM(n);
				if (!edge[v][to])
					e[ne++] = (struct edge){v, to};
				edge[v][to] = true;
			}
		struct arena a = {0};
		uint32_t *at = priority_build(&a, graph_of(&a, n, e, ne));
		memset(seq, 0xff, sizeof seq);
		for (uint32_t v = 0; v < n; v++) {
			assert_true(at[v] < n && seq[at[v]] == UINT32_MAX);
			seq[at[v]] = v;
		}
		assert_weakly_ordered(n, edge, seq, 0, n);
		arena_free(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_condition_with_short_circuits),
		cmocka_unit_test(what_follows_a_loop_comes_after_it),
		cmocka_unit_test(a_loop_with_two_entries_is_one_loop),
		cmocka_unit_test(random_graphs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
