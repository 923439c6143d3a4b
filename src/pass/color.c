/* Colours a graph whose nodes take one, two or four consecutive colours. A node of width w can always
 * be coloured with K colours if its neighbours cannot block all K / w places: a neighbour blocks as
 * many places as it is wide, in units of w, at least one. Three orders are tried and the best result
 * is kept; the problem and its result are struct coloring of pass/alloc.h. */
#include "pass/alloc.h"

struct painter {
	struct coloring *c;
	struct arena *a;
	uint32_t *nb_at,
		*nb; /* neighbours of each node, each listed once; nb_at: where a node's list begins */
	uint32_t *hint_at, *hint;
	uint32_t *order,
		*rank;   /* order: nodes in order of colouring; rank: nodes by cost per neighbour */
	uint32_t *color; /* first colour of each node; NO_NODE: none yet */
	uint32_t *taken, stamp; /* taken[colour] == stamp: a neighbour has the colour */
};

/* ---- the graph ---- */

struct opening {
	uint32_t from, node, to;
};

static int by_start(const void *x, const void *y)
{
	const struct opening *a = x, *b = y;
	if (a->from != b->from)
		return (a->from > b->from) - (a->from < b->from);
	return (a->node > b->node) - (a->node < b->node);
}

static void add_pairs(struct painter *p, edge_vec *e)
{
	const struct coloring *c = p->c;
	uint32_t n = c->at[c->n], nopen = 0;
	struct opening *s = ARENA_ARRAY(p->a, struct opening, n),
		       *open = ARENA_ARRAY(p->a, struct opening, n);
	for (uint32_t v = 0; v < c->n; v++)
		for (uint32_t i = c->at[v]; i < c->at[v + 1]; i++)
			s[i] = (struct opening){c->seg[i].from, v, c->seg[i].to};
	qsort(s, n, sizeof *s, by_start);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t keep = 0;
		for (uint32_t k = 0; k < nopen; k++)
			if (open[k].to > s[i].from)
				open[keep++] = open[k];
		nopen = keep;
		for (uint32_t k = 0; k < nopen; k++)
			if (open[k].node != s[i].node)
				vec_push(e, (struct edge){s[i].node, open[k].node});
		open[nopen++] = s[i];
	}
}

/* Builds lists of neighbours from pairs, which may be repeated. */
static void list_neighbours(struct arena *a, uint32_t n, const struct edge *e, size_t ne,
			    uint32_t **at, uint32_t **nb)
{
	uint32_t *first = ARENA_ARRAY(a, uint32_t, n + 2), *all = ARENA_ARRAY(a, uint32_t, 2 * ne),
		 *seen = ARENA_ARRAY(a, uint32_t, n), keep = 0;
	for (size_t i = 0; i < ne; i++)
		first[e[i].from]++, first[e[i].to]++;
	for (uint32_t v = 0, sum = 0; v <= n; v++)
		first[v] = sum += v < n ? first[v] : 0;
	for (size_t i = ne; i-- > 0;) {
		all[--first[e[i].from]] = e[i].to;
		all[--first[e[i].to]] = e[i].from;
	}
	for (uint32_t v = 0; v < n; v++) {
		uint32_t from = first[v], to = first[v + 1];
		first[v] = keep;
		for (uint32_t i = from; i < to; i++) {
			if (seen[all[i]] == v + 1)
				continue;
			seen[all[i]] = v + 1;
			all[keep++] = all[i];
		}
	}
	first[n] = keep;
	*at = first;
	*nb = all;
}

/* ---- orders ---- */

static uint32_t blocked_places(unsigned width, unsigned neighbour)
{
	uint32_t n = neighbour / width;
	return n ? n : 1;
}

/* The number of colours needed at the point where most nodes are live. */
static uint32_t max_live(const struct coloring *c, struct arena *a)
{
	int32_t *step = ARENA_ARRAY(a, int32_t, c->points + 2), now = 0, most = 0;
	for (uint32_t v = 0; v < c->n; v++)
		for (uint32_t i = c->at[v]; i < c->at[v + 1]; i++) {
			step[c->seg[i].from] += c->width[v];
			step[c->seg[i].to] -= c->width[v];
		}
	for (uint32_t t = 0; t <= c->points; t++) {
		now += step[t];
		most = now > most ? now : most;
	}
	return (uint32_t)most;
}

struct ranked {
	double value;
	uint32_t node;
};

static int by_value(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;
	if (a->value != b->value)
		return (a->value > b->value) - (a->value < b->value);
	return (a->node > b->node) - (a->node < b->node);
}

static void rank_by_cost(struct painter *p)
{
	uint32_t n = p->c->n;
	struct ranked *r = ARENA_ARRAY(p->a, struct ranked, n);
	for (uint32_t v = 0; v < n; v++)
		r[v] = (struct ranked){p->c->cost[v] / (p->nb_at[v + 1] - p->nb_at[v] + 1), v};
	qsort(r, n, sizeof *r, by_value);
	for (uint32_t v = 0; v < n; v++)
		p->rank[v] = r[v].node;
}

/* Briggs: nodes are coloured in reverse order of their removal. */
static void order_by_degree(struct painter *p, uint32_t k)
{
	const struct coloring *c = p->c;
	uint32_t n = c->n, left = n, next = 0, ntodo = 0;
	uint32_t *degree = ARENA_ARRAY(p->a, uint32_t, n), *todo = ARENA_ARRAY(p->a, uint32_t, n);
	bool *gone = ARENA_ARRAY(p->a, bool, n), *low = ARENA_ARRAY(p->a, bool, n);
	for (uint32_t v = 0; v < n; v++) {
		for (uint32_t i = p->nb_at[v]; i < p->nb_at[v + 1]; i++)
			degree[v] += blocked_places(c->width[v], c->width[p->nb[i]]);
		low[v] = degree[v] < k / c->width[v];
		if (low[v])
			todo[ntodo++] = v;
	}
	while (left) {
		while (!ntodo && gone[p->rank[next]])
			next++;
		uint32_t v = ntodo ? todo[--ntodo] : p->rank[next];
		gone[v] = low[v] = true;
		p->order[--left] = v;
		for (uint32_t i = p->nb_at[v]; i < p->nb_at[v + 1]; i++) {
			uint32_t q = p->nb[i];
			degree[q] -= blocked_places(c->width[q], c->width[v]);
			if (!low[q] && degree[q] < k / c->width[q]) {
				low[q] = true;
				todo[ntodo++] = q;
			}
		}
	}
}

static void order_by_code(struct painter *p)
{
	const struct coloring *c = p->c;
	struct ranked *r = ARENA_ARRAY(p->a, struct ranked, c->n);
	for (uint32_t v = 0; v < c->n; v++)
		r[v] = (struct ranked){c->at[v] < c->at[v + 1] ? c->seg[c->at[v]].from : 0, v};
	qsort(r, c->n, sizeof *r, by_value);
	for (uint32_t v = 0; v < c->n; v++)
		p->order[v] = r[v].node;
}

static void wide_first(struct painter *p)
{
	uint32_t n = 0, *copy = ARENA_ARRAY(p->a, uint32_t, p->c->n);
	for (unsigned w = 4; w; w /= 2)
		for (uint32_t i = 0; i < p->c->n; i++)
			if (p->c->width[p->order[i]] == w)
				copy[n++] = p->order[i];
	memcpy(p->order, copy, n * sizeof *copy);
}

/* ---- colours ---- */

static bool is_free(const struct painter *p, uint32_t color, unsigned width)
{
	for (unsigned k = 0; k < width; k++)
		if (p->taken[color + k] == p->stamp)
			return false;
	return true;
}

static uint32_t choose_color(struct painter *p, uint32_t v, uint32_t used)
{
	unsigned w = p->c->width[v];
	uint32_t color = 0;
	p->stamp++;
	for (uint32_t i = p->nb_at[v]; i < p->nb_at[v + 1]; i++) {
		uint32_t q = p->nb[i];
		for (unsigned k = 0; p->color[q] != NO_NODE && k < p->c->width[q]; k++)
			p->taken[p->color[q] + k] = p->stamp;
	}
	for (uint32_t i = p->hint_at[v]; i < p->hint_at[v + 1]; i++) {
		uint32_t q = p->hint[i];
		if (p->color[q] != NO_NODE && p->c->width[q] == w && p->color[q] + w <= used &&
		    is_free(p, p->color[q], w))
			return p->color[q];
	}
	while (!is_free(p, color, w))
		color += w;
	return color;
}

/* Colours the nodes in the current order; keeps the result if it needs fewer colours than the best
 * so far. */
static void paint_nodes(struct painter *p)
{
	struct coloring *c = p->c;
	uint32_t used = 0;
	for (uint32_t v = 0; v < c->n; v++)
		p->color[v] = NO_NODE;
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t v = p->order[i], end;
		p->color[v] = choose_color(p, v, used);
		end = p->color[v] + c->width[v];
		used = end > used ? end : used;
	}
	if (used < c->colors) {
		c->colors = used;
		memcpy(c->color, p->color, c->n * sizeof *c->color);
	}
}

void color(struct coloring *c)
{
	struct arena tmp = {0};
	edge_vec e = {0};
	struct painter p = {.c = c,
			    .a = &tmp,
			    .order = ARENA_ARRAY(&tmp, uint32_t, c->n),
			    .rank = ARENA_ARRAY(&tmp, uint32_t, c->n),
			    .color = ARENA_ARRAY(&tmp, uint32_t, c->n),
			    .taken = ARENA_ARRAY(&tmp, uint32_t, 4 * c->n + 8)};
	add_pairs(&p, &e);
	list_neighbours(&tmp, c->n, e.v, e.n, &p.nb_at, &p.nb);
	list_neighbours(&tmp, c->n, c->hint, c->nhint, &p.hint_at, &p.hint);
	c->colors = NO_NODE;
	rank_by_cost(&p);
	order_by_degree(&p, (max_live(c, &tmp) + 3) & ~3u);
	paint_nodes(&p);
	wide_first(&p);
	paint_nodes(&p);
	order_by_code(&p);
	paint_nodes(&p);
	vec_free(&e);
	arena_free(&tmp);
}
