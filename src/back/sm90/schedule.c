/* The order of the instructions of a block, before they have registers: list scheduling by the
 * longest path to the block's end, with the latencies of issue.c. Loads move up and their readers
 * down as long as registers suffice: while `limit` words are live, an instruction that adds live
 * words waits.
 *
 * 	LDG R2;  FADD R2, R2, R9;  LDG R3;  FADD R3, R3, R9;     LDG R2;  LDG R3;  FADD R2, R2, R9;  FADD R3, R3, R9;
 *
 * Loads do not pass stores to their space; nothing passes a barrier, an access that others may see,
 * or a use of uniform registers. */
#include <stdlib.h>
#include <string.h>
#include "back/mir/live.h"
#include "back/sm90/code.h"

/* MOST: instructions that are ordered at once. ENOUGH: words with which a multiprocessor is full of warps. */
enum { MOST = 400, ENOUGH = 34, PREDICATES = 5 };
enum { NONE = UINT32_MAX };

struct mention { /* a value that an instruction names */
	uint32_t v;
	uint8_t reads; /* number of times that the instruction reads the value */
};

struct node {
	struct issue issue;
	uint32_t n; /* number of mentions */
	struct mention mention[MI_OPS + 1];
	uint32_t waits;     /* predecessors that have not been placed */
	uint32_t height;    /* lower bound of the cycles from its issue to the end of the region */
	uint32_t earliest;  /* cycle in which its operands are available */
	VEC(uint32_t) next; /* successors */
	VEC(uint16_t) distance; /* cycles until each successor may issue */
};

struct readers {
	uint32_t *v;
	size_t n, cap;
};

struct schedule {
	struct mfunc *m;
	uint32_t limit;
	struct node *node;       /* [instruction of the region] */
	uint32_t first, n;       /* the region */
	uint32_t *writer;        /* [value]: the region's last writer plus 1 */
	uint32_t *uses;          /* [value]: reads in the region that have not been placed */
	uint32_t *began;         /* [value]: 1: live at this place of the new order */
	uint32_t *after;         /* [value]: 1: live after the region */
	struct readers *readers; /* [value]: readers since its last write */
	VEC(uint32_t) touched;   /* values that the region names */
	struct mset live;        /* values live at the place of the walk */
	VEC(struct mi) order;
};

/* ---- dependences ---- */

static void add_edge(struct schedule *s, uint32_t from, uint32_t to, unsigned cycles)
{
	struct node *f = &s->node[from];
	if (from == to)
		return;
	vec_push(&f->next, to);
	vec_push(&f->distance, (uint16_t)cycles);
	s->node[to].waits++;
}

/* Usual latency of an instruction of varying latency, in cycles. */
static unsigned usual_time(const struct mi *in)
{
	static const struct {
		const char *name;
		uint8_t cycles;
	} row[] = {{"TEX", 160}, {"TLD", 160}, {"TLD4", 160}, {"TXD", 160},   {"LDG", 120},
		   {"LD", 120},  {"LDL", 60},  {"ATOM", 160}, {"ATOMG", 160}, {"LDS", 26},
		   {"LDSM", 30}, {"S2R", 30},  {"LDC", 30},   {"MUFU", 18}};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (mi_is(in, row[i].name))
			return row[i].cycles;
	return 22;
}

static unsigned time_between(const struct schedule *s, uint32_t from, uint32_t to, bool predicate)
{
	const struct issue *p = &s->node[from].issue, *c = &s->node[to].issue;
	if (p->counted)
		return usual_time(&s->m->code.v[s->first + from]);
	const struct mi *in = &s->m->code.v[s->first + to];
	unsigned by = predicate && in->guard != V_TRUE ? BY_GUARD : c->consumer;
	return issue_latency(p, predicate ? RES_PRED : 0, by);
}

static void mention_value(struct node *x, uint32_t v, unsigned reads)
{
	unsigned k = 0;
	while (k < x->n && x->mention[k].v != v)
		k++;
	if (k == x->n)
		x->mention[x->n++] = (struct mention){.v = v};
	x->mention[k].reads = (uint8_t)(x->mention[k].reads + reads);
}

static void read_value(struct schedule *s, uint32_t i, uint32_t v)
{
	mention_value(&s->node[i], v, 1);
	vec_push(&s->touched, v);
	if (s->writer[v])
		add_edge(s, s->writer[v] - 1, i,
			 time_between(s, s->writer[v] - 1, i, !s->m->val.v[v].words));
	vec_push(&s->readers[v], i);
	s->uses[v]++;
}

static void write_value(struct schedule *s, uint32_t i, uint32_t v)
{
	mention_value(&s->node[i], v, 0);
	vec_push(&s->touched, v);
	for (size_t k = 0; k < s->readers[v].n; k++)
		add_edge(s, s->readers[v].v[k], i, 1);
	if (s->writer[v])
		add_edge(s, s->writer[v] - 1, i, 1);
	s->readers[v].n = 0;
	s->writer[v] = i + 1;
}

/* Spaces as bits: shared, local, global memory. */
enum { SHARED = 1, LOCAL = 2, GLOBAL = 4, EVERY = 7 };

static unsigned spaces_of(const struct mi *in, bool *store)
{
	static const struct {
		const char *name;
		uint8_t spaces;
		bool store;
	} row[] = {{"LDS", SHARED, false},  {"LDSM", SHARED, false}, {"STS", SHARED, true},
		   {"STSM", SHARED, true},  {"ATOMS", SHARED, true}, {"LDL", LOCAL, false},
		   {"STL", LOCAL, true},    {"LDG", GLOBAL, false},  {"STG", GLOBAL, true},
		   {"REDG", GLOBAL, true},  {"ATOMG", GLOBAL, true}, {"LD", EVERY, false},
		   {"ST", EVERY, true},     {"ATOM", EVERY, true},   {"RED", EVERY, true},
		   {"LDGSTS", EVERY, true}, {"SHFL", 8, true},       {"VOTE", 8, true},
		   {"MATCH", 8, true},      {"MOVM", 8, true},       {"QSPC", 0, false}};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (mi_is(in, row[i].name)) {
			*store = row[i].store;
			return row[i].spaces;
		}
	*store = false;
	return 0;
}

static void order_memory(struct schedule *s)
{
	for (unsigned bit = 1; bit <= 8; bit <<= 1) {
		uint32_t last = NONE;
		VEC(uint32_t) loads = {0};
		for (uint32_t i = 0; i < s->n; i++) {
			bool store;
			if (!(spaces_of(&s->m->code.v[s->first + i], &store) & bit))
				continue;
			if (last != NONE)
				add_edge(s, last, i, 1);
			if (!store) {
				vec_push(&loads, i);
				continue;
			}
			for (size_t k = 0; k < loads.n; k++)
				add_edge(s, loads.v[k], i, 1);
			loads.n = 0;
			last = i;
		}
		vec_free(&loads);
	}
}

/* True for results that change only part of a value, and so depend on the old value. */
static bool keeps_part(const struct schedule *s, const struct mi *in, unsigned d)
{
	return !mi_begins(s->m, in, d);
}

static void find_edges(struct schedule *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const struct mi *in = &s->m->code.v[s->first + i];
		issue_find(&s->node[i].issue, s->m, in);
		for (unsigned k = in->nd; k < in->n; k++)
			if (mo_value(&in->o[k]) != V_NONE)
				read_value(s, i, in->o[k].v);
		if (in->guard != V_TRUE)
			read_value(s, i, in->guard);
		for (unsigned k = 0; k < in->nd; k++)
			if (mo_value(&in->o[k]) != V_NONE && keeps_part(s, in, k))
				read_value(s, i, in->o[k].v);
		for (unsigned k = 0; k < in->nd; k++)
			if (mo_value(&in->o[k]) != V_NONE)
				write_value(s, i, in->o[k].v);
	}
	order_memory(s);
}

static void find_heights(struct schedule *s)
{
	for (uint32_t i = s->n; i-- > 0;) {
		struct node *x = &s->node[i];
		x->height = 1;
		for (size_t k = 0; k < x->next.n; k++) {
			uint32_t h = s->node[x->next.v[k]].height + x->distance.v[k];
			x->height = h > x->height ? h : x->height;
		}
	}
}

/* ---- registers ---- */

struct pressure {
	int words, predicates;
};

static void add_words(const struct schedule *s, struct pressure *p, uint32_t v, int sign)
{
	unsigned words = s->m->val.v[v].words;
	if (words)
		p->words += sign * (int)words;
	else
		p->predicates += sign;
}

/* The change of live values if instruction i of the region were placed next. */
static struct pressure change_of(const struct schedule *s, uint32_t i)
{
	const struct node *x = &s->node[i];
	struct pressure p = {0};
	for (unsigned k = 0; k < x->n; k++) {
		uint32_t v = x->mention[k].v;
		bool now = s->uses[v] != x->mention[k].reads || s->after[v];
		if (now != (bool)s->began[v])
			add_words(s, &p, v, now ? 1 : -1);
	}
	return p;
}

/* Places instruction i of the region; returns the change of live values. */
static struct pressure place_values(struct schedule *s, uint32_t i)
{
	const struct node *x = &s->node[i];
	struct pressure p = change_of(s, i);
	for (unsigned k = 0; k < x->n; k++) {
		uint32_t v = x->mention[k].v;
		s->uses[v] -= x->mention[k].reads;
		s->began[v] = s->uses[v] || s->after[v];
	}
	return p;
}

static bool is_too_much(const struct schedule *s, const struct pressure *now,
			const struct pressure *more)
{
	return (more->words > 0 && now->words + more->words > (int)s->limit) ||
	       (more->predicates > 0 && now->predicates + more->predicates > PREDICATES);
}

/* Chooses the next instruction: among those whose operands are available and for which registers
 * suffice, the one with the longest path to the end; otherwise the one that needs the fewest
 * registers. */
static uint32_t choose_next(struct schedule *s, const uint32_t *ready, size_t n, uint32_t cycle,
			    const struct pressure *now)
{
	uint32_t best = NONE;
	bool best_fits = false, best_waits = false;
	int best_more = 0;
	for (size_t k = 0; k < n; k++) {
		uint32_t i = ready[k];
		const struct node *x = &s->node[i], *b = best == NONE ? NULL : &s->node[best];
		struct pressure more = change_of(s, i);
		bool fits = !is_too_much(s, now, &more), waits = x->earliest > cycle, better;
		int words = more.words + 4 * more.predicates;
		if (!b || fits != best_fits)
			better = !b || fits;
		else if (!fits && words != best_more)
			better = words < best_more;
		else if (!fits)
			better = i < best;
		else if (waits != best_waits)
			better = !waits;
		else if (waits && x->earliest != b->earliest)
			better = x->earliest < b->earliest;
		else if (x->height != b->height)
			better = x->height > b->height;
		else
			better = i < best;
		if (better) {
			best = i;
			best_fits = fits;
			best_waits = waits;
			best_more = words;
		}
	}
	return best;
}

static void order_region(struct schedule *s, struct pressure now)
{
	VEC(uint32_t) ready = {0};
	uint32_t cycle = 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (!s->node[i].waits)
			vec_push(&ready, i);
	while (ready.n) {
		uint32_t i = choose_next(s, ready.v, ready.n, cycle, &now);
		struct node *x = &s->node[i];
		size_t k = 0;
		while (ready.v[k] != i)
			k++;
		ready.v[k] = ready.v[--ready.n];
		struct pressure more = place_values(s, i);
		now.words += more.words;
		now.predicates += more.predicates;
		vec_push(&s->order, s->m->code.v[s->first + i]);
		cycle = x->earliest > cycle ? x->earliest : cycle;
		for (size_t e = 0; e < x->next.n; e++) {
			struct node *y = &s->node[x->next.v[e]];
			uint32_t at = cycle + x->distance.v[e];
			y->earliest = at > y->earliest ? at : y->earliest;
			if (!--y->waits)
				vec_push(&ready, x->next.v[e]);
		}
		cycle += x->issue.stall;
	}
	vec_free(&ready);
}

/* ---- regions ---- */

static bool is_boundary(const struct mfunc *m, const struct mi *in)
{
	struct issue x;
	if (!in->name || in->label || in->ends || mi_is(in, "B2R") || mi_is(in, "REDUX"))
		return true;
	for (unsigned k = 0; k < in->n; k++)
		if (issue_is_uniform(&in->o[k]) && !issue_is_kept_uniform(&in->o[k]))
			return true;
	issue_find(&x, m, in);
	return issue_is_fence(&x);
}

/* The values live before each instruction's place are found backwards: regions are ordered from the last to the first. */
static void order_block(struct schedule *s, uint32_t first, uint32_t end)
{
	while (end > first) {
		if (is_boundary(s->m, &s->m->code.v[end - 1])) {
			mset_back(&s->live, s->m, &s->m->code.v[--end]);
			continue;
		}
		uint32_t begin = end;
		while (begin > first && end - begin < MOST &&
		       !is_boundary(s->m, &s->m->code.v[begin - 1]))
			begin--;
		s->first = begin;
		s->n = end - begin;
		memset(s->node, 0, s->n * sizeof *s->node);
		s->order.n = s->touched.n = 0;
		find_edges(s);
		find_heights(s);
		for (uint32_t k = 0; k < s->live.n; k++)
			s->after[s->live.v[k]] = 1;
		struct mset *l = &s->live;
		VEC(uint32_t) behind = {0};
		for (uint32_t k = 0; k < l->n; k++)
			vec_push(&behind, l->v[k]);
		for (uint32_t i = end; i-- > begin;)
			mset_back(l, s->m, &s->m->code.v[i]);
		struct pressure now = {0};
		for (uint32_t k = 0; k < l->n; k++) {
			s->began[l->v[k]] = 1;
			add_words(s, &now, l->v[k], 1);
		}
		order_region(s, now);
		memcpy(&s->m->code.v[begin], s->order.v, s->n * sizeof *s->order.v);
		for (uint32_t k = 0; k < l->n; k++)
			s->began[l->v[k]] = 0;
		for (size_t k = 0; k < behind.n; k++)
			s->after[behind.v[k]] = s->began[behind.v[k]] = 0;
		for (size_t k = 0; k < s->touched.n; k++) {
			uint32_t v = s->touched.v[k];
			s->writer[v] = s->uses[v] = s->began[v] = 0;
			s->readers[v].n = 0;
		}
		for (uint32_t i = 0; i < s->n; i++) {
			vec_free(&s->node[i].next);
			vec_free(&s->node[i].distance);
		}
		vec_free(&behind);
		end = begin;
	}
}

void sm90_schedule(struct mfunc *m, unsigned registers)
{
	struct mlive live;
	struct schedule s = {.m = m, .limit = registers < ENOUGH + 4 ? registers - 4 : ENOUGH};
	if (registers < 12)
		return;
	mlive_find(&live, m);
	mset_new(&s.live, m);
	s.node = xcalloc(MOST, sizeof *s.node);
	s.writer = xcalloc(m->val.n + 1, sizeof *s.writer);
	s.uses = xcalloc(m->val.n + 1, sizeof *s.uses);
	s.began = xcalloc(m->val.n + 1, sizeof *s.began);
	s.after = xcalloc(m->val.n + 1, sizeof *s.after);
	s.readers = xcalloc(m->val.n + 1, sizeof *s.readers);
	for (uint32_t b = 0; b < live.b.n; b++) {
		mlive_end(&live, b, &s.live);
		order_block(&s, live.b.first[b], live.b.first[b + 1]);
	}
	for (uint32_t v = 0; v < m->val.n; v++)
		vec_free(&s.readers[v]);
	mlive_free(&live);
	mset_free(&s.live);
	free(s.node);
	free(s.writer);
	free(s.uses);
	free(s.began);
	free(s.after);
	free(s.readers);
	vec_free(&s.touched);
	vec_free(&s.order);
}
