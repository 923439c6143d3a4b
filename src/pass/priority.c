#include "pass/priority.h"

struct work {
	/* successors by descending number: the walk completes the lowest last, which puts it first
	 * in the order */
	struct graph g;
	uint32_t *seq;  /* nodes in the order found so far */
	uint32_t *part; /* node -> the part of seq being ordered that contains it */
	uint32_t *num,
		*low; /* Tarjan's numbers: order of discovery (0: not found yet), earliest node reachable */
	uint32_t *stack, *open, *next;
	bool *on;
	uint32_t count, nopen;
	/* end of the free part of seq: components are found last first and fill seq downwards */
	uint32_t fill;
};

struct range {
	uint32_t lo, hi; /* range of seq */
};
typedef VEC(struct range) range_vec;

static uint32_t *new_numbers(struct arena *a, uint32_t n)
{
	return ARENA_ARRAY(a, uint32_t, n + 1);
}

static void sorted_copy(struct graph *to, struct arena *a, const struct graph *g)
{
	edge_vec e = {0};
	for (uint32_t v = g->n; v-- > 0;)
		graph_each_pred (g, v, p)
			vec_push(&e, (struct edge){p, v});
	graph_build(to, a, g->n, e.v, e.n);
	vec_free(&e);
}

/* Closes a component: v and all nodes above it on the stack of open nodes. */
static void close_component(struct work *w, uint32_t v, range_vec *out)
{
	uint32_t hi = w->fill, u;
	do {
		u = w->open[--w->nopen];
		w->on[u] = false;
		w->seq[--w->fill] = u;
	} while (u != v);
	if (hi - w->fill > 1)
		vec_push(out, (struct range){w->fill, hi});
}

/* Tarjan's walk from root inside its part; components of several nodes go to `out`. */
static void walk_part(struct work *w, uint32_t root, range_vec *out)
{
	uint32_t depth = 0;
	w->stack[depth++] = root;
	while (depth) {
		uint32_t v = w->stack[depth - 1];
		if (!w->num[v]) {
			w->num[v] = w->low[v] = ++w->count;
			w->open[w->nopen++] = v;
			w->on[v] = true;
			w->next[v] = w->g.succ_at[v];
		}
		if (w->next[v] < w->g.succ_at[v + 1]) {
			uint32_t s = w->g.succ[w->next[v]++];
			if (w->part[s] != w->part[v])
				continue;
			if (!w->num[s])
				w->stack[depth++] = s;
			else if (w->on[s] && w->num[s] < w->low[v])
				w->low[v] = w->num[s];
			continue;
		}
		if (w->low[v] == w->num[v])
			close_component(w, v, out);
		if (--depth && w->low[v] < w->low[w->stack[depth - 1]])
			w->low[w->stack[depth - 1]] = w->low[v];
	}
}

static int compare_falling(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x < y) - (x > y);
}

/* Orders the components of the nodes in a range; `tag` is a number no part has yet. */
static void order_range(struct work *w, struct range r, uint32_t tag, uint32_t *copy,
			range_vec *out)
{
	uint32_t n = r.hi - r.lo;
	memcpy(copy, w->seq + r.lo, n * sizeof *copy);
	qsort(copy, n, sizeof *copy, compare_falling);
	for (uint32_t i = 0; i < n; i++) {
		w->part[copy[i]] = tag;
		w->num[copy[i]] = 0;
	}
	w->fill = r.hi;
	for (uint32_t i = 0; i < n; i++)
		if (!w->num[copy[i]])
			walk_part(w, copy[i], out);
}

/* The head of a component, where threads enter it: its first node in the function's reverse post-order. The
 * walk found all other nodes by way of the head, so the head has an edge from outside. */
static uint32_t head_of(const struct work *w, const struct cfg *c, struct range r)
{
	uint32_t best = w->seq[r.lo];
	for (uint32_t i = r.lo; i < r.hi; i++)
		if (c->rpo.index[w->seq[i]] < c->rpo.index[best])
			best = w->seq[i];
	return best;
}

/* Moves the head of a component to the front, into a separate range without edges to the rest. */
static void set_head(struct work *w, const struct cfg *c, struct range r, uint32_t tag)
{
	for (uint32_t i = r.lo; i < r.hi; i++)
		w->part[w->seq[i]] = tag;
	uint32_t head = head_of(w, c, r);
	for (uint32_t i = r.lo; i < r.hi; i++)
		if (w->seq[i] == head)
			w->seq[i] = w->seq[r.lo];
	w->seq[r.lo] = head;
}

uint32_t *priority_build(struct arena *a, const struct cfg *c)
{
	uint32_t n = c->g.n, tag = 0;
	/* clang-format off */
	struct work w = {.seq = new_numbers(a, n), .part = new_numbers(a, n), .num = new_numbers(a, n),
			 .low = new_numbers(a, n), .stack = new_numbers(a, n), .open = new_numbers(a, n),
			 .next = new_numbers(a, n), .on = ARENA_ARRAY(a, bool, n + 1)};
	/* clang-format on */
	uint32_t *copy = new_numbers(a, n), *position = new_numbers(a, n);
	range_vec todo = {0};
	sorted_copy(&w.g, a, &c->g);
	for (uint32_t v = 0; v < n; v++)
		w.seq[v] = v;
	order_range(&w, (struct range){0, n}, ++tag, copy, &todo);
	while (todo.n) {
		struct range r = todo.v[--todo.n];
		set_head(&w, c, r, ++tag);
		order_range(&w, (struct range){r.lo + 1, r.hi}, ++tag, copy, &todo);
	}
	for (uint32_t i = 0; i < n; i++)
		position[w.seq[i]] = i;
	vec_free(&todo);
	return position;
}
